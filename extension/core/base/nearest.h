/*
 * nearest.h - what a mistyped word was meant to be.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_NEAREST_H
#define PH_BASE_NEAREST_H

#include <stddef.h>

/* The entry of names (n of them) nearest to word by edit distance, NULL when none is near. */
const char *ph_nearest_word(const char *word, const char *const *names, size_t n);

#endif
