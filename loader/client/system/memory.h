/*
 * memory.h - allocation that ends the program when memory runs out: for what is small.
 *
 * What grows with input goes through PhEnv and its error path instead.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_MEMORY_H
#define PH_SYSTEM_MEMORY_H

#include <stddef.h>

/* count * size zeroed bytes, checked. */
void *ph_must_alloc(size_t count, size_t size);

/* Resize to count * size bytes, checked; new bytes are not zeroed. */
void *ph_must_resize(void *pointer, size_t count, size_t size);

/* Copy; NULL stays NULL. */
char *ph_strdup(const char *text);

/* printf into malloc'ed memory. */
char *ph_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
