/*
 * memory.h - allocation that ends the program when memory runs out: for what is small.
 *
 * A name, a path, a structure, a list that the user typed, what a command prints. What grows with
 * input goes through PhEnv and its error path instead, so that one run that is too large fails, and
 * not the load of all of them. Where it is a library that has no memory, ph_fail_memory says so.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_MEMORY_H
#define PH_SYSTEM_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

#include "base/env.h"

/*
 * From now on malloc keeps what is freed, for whoever asks next, in place of giving large blocks
 * back: a page costs the kernel more, when it is touched first, than it takes to fill it. For a
 * program that works in steps and ends. To be called before there are threads.
 */
void ph_memory_keep(void);

/* count * size zeroed bytes, checked. */
void *ph_must_alloc(size_t count, size_t size);

/* Resize to count * size bytes, checked; new bytes are not zeroed. */
void *ph_must_resize(void *pointer, size_t count, size_t size);

/* Copy; NULL stays NULL. */
char *ph_strdup(const char *text);

/* Copy of at most length bytes. */
char *ph_strndup(const char *text, size_t length);

/* printf into malloc'ed memory. */
char *ph_format(const char *format, ...) PH_PRINTF(1, 2);
char *ph_format_list(const char *format, va_list arguments) PH_PRINTF(1, 0);

/* PH_ERR_MEMORY with the name of the library that could not go on: "zlib". */
PhStatus ph_fail_memory(PhEnv *env, const char *library);

#endif
