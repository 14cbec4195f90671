/*
 * rolled_up.h - what a run that is rolled up cannot answer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_ROLLED_UP_H
#define PH_PROFILE_ROLLED_UP_H

#include "postgres.h"

#include "profile/profile.h"

/*
 * PH003 when a column of the profile is the mean over units that were rolled up: a distribution
 * over its columns would be one of means.
 */
void ph_require_units(const PhProfile *profile);

#endif
