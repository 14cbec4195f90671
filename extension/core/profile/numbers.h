/*
 * numbers.h - numbers of a whole run as further metrics of its profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_NUMBERS_H
#define PH_PROFILE_NUMBERS_H

#include "profile/profile.h"

typedef struct PhProfileNumber
{
	const char *name;
	const char *unit; /* "": none */
	double value;	  /* finite */
} PhProfileNumber;

/*
 * A copy with a metric more for each number, which never adds up: it stands at the root that costs
 * most of the primary metric, in each column where that is present. Names that the profile has
 * already, or that come again, are left out. O(cells x numbers).
 */
PhStatus ph_profile_with_numbers(PhEnv *env, const PhProfile *profile, uint32_t n,
								 const PhProfileNumber *numbers, PhProfile **out) PH_MUST_CHECK;

#endif
