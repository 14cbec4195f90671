/*
 * sort.h - stable merge sort of indices.
 *
 * libc's qsort may allocate behind our back and knows no context, hence our own.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_SORT_H
#define PH_BASE_SORT_H

#include "base/arena.h"

/* < 0, 0, > 0 as element x is before, equal to or after element y. */
typedef int (*PhCompareFunction)(const void *context, uint32_t x, uint32_t y);

/* The order of two numbers, for such functions. */
static inline int
ph_compare_int64(int64_t x, int64_t y)
{
	return x < y ? -1 : x > y;
}

/* Sort items; buffer has room for n items too. O(n log n), no recursion. */
PhStatus ph_sort(PhEnv *env, uint32_t *items, uint32_t n, uint32_t *buffer,
				 PhCompareFunction compare, const void *context) PH_MUST_CHECK;

/* items = 0..n-1 in order, allocated from the arena. */
PhStatus ph_sort_indices(PhArena *arena, uint32_t n, PhCompareFunction compare, const void *context,
						 uint32_t **items) PH_MUST_CHECK;

#endif
