/*
 * derived_metric.h - a profile with a metric more, made of its others.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_METRICS_DERIVED_METRIC_H
#define PH_METRICS_DERIVED_METRIC_H

#include "profile/profile.h"

/*
 * One more metric at the end, by a formula (metrics/formula.h) over metrics that add up: a sum adds
 * up itself, a quotient is evaluated after aggregation. Units of one dimension are converted, other
 * sums are PH_ERR_CONFLICT. unit NULL: what the operands' units give; else values are converted to
 * it where it is of that dimension. PH_ERR_NOT_FOUND for a metric that the profile lacks.
 */
PhStatus ph_profile_derive(PhEnv *env, const PhProfile *profile, const char *name,
						   const char *formula, const char *unit, PhProfile **out) PH_MUST_CHECK;

#endif
