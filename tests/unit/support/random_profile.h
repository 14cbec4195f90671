/*
 * random_profile.h - small random profiles for property tests, and their random numbers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_RANDOM_PROFILE_H
#define SUPPORT_RANDOM_PROFILE_H

#include "profile/profile.h"

/* A 64-bit linear congruence: the same numbers everywhere. */
typedef struct RandomNumbers
{
	uint64_t state;
} RandomNumbers;

uint32_t numbers_below(RandomNumbers *numbers, uint32_t limit);

/*
 * A forest of at most max_nodes nodes over at most max_columns columns, with few names, so that
 * recursion and equal names abound, regions of every kind, some without library or file, two flow
 * metrics "time" and "visits" and their ratio "per visit". Costs are multiples of 1/4, so that sums
 * are exact. Some nodes are absent from some columns.
 */
PhStatus random_profile(PhEnv *env, RandomNumbers *numbers, uint32_t max_nodes,
						uint32_t max_columns, PhProfile **out) PH_MUST_CHECK;

#endif
