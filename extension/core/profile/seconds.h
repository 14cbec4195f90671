/*
 * seconds.h - times of a profile that is being made, in seconds.
 *
 * These change the profile itself: for who has read it and not handed it on yet.
 * ph_profile_with_unit (profile/ops.h) makes a new one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_SECONDS_H
#define PH_PROFILE_SECONDS_H

#include "profile/profile.h"

/* Multiply a metric's values. PH_ERR_VALUE when they become too large. */
PhStatus ph_metric_scale(PhEnv *env, const PhProfile *profile, uint32_t metric,
						 double factor) PH_MUST_CHECK;

/*
 * Metrics in a unit of time get the unit "s" and their values with it; ratios of such metrics the
 * unit that their quotients have then. Errors as ph_metric_scale.
 */
PhStatus ph_profile_to_seconds(PhEnv *env, PhProfile *profile) PH_MUST_CHECK;

#endif
