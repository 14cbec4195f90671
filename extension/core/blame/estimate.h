/*
 * estimate.h - waits and their causes estimated from a profile, where there is no trace.
 *
 * In a call path that synchronises (an MPI collective in which everybody waits for everybody, or a
 * call that completes messages) a column waited as long as it was there, less the least of all
 * columns that were there. What a call path's columns waited is blamed on the columns below its
 * mean, by how much longer they were outside of MPI than columns are on average, in the call paths
 * where they were; if none was longer anywhere, on the call path itself in the first of those that
 * were there least. So the sums are equal up to rounding. Neither says who waited for whom, nor
 * passes on what made the late one late: that takes a trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_ESTIMATE_H
#define PH_BLAME_ESTIMATE_H

#include "profile/profile.h"

/*
 * The profile with two more metrics in the unit of the given one, "estimated wait" and "estimated
 * wait caused". PH_ERR_VALUE: a metric that does not add up, or a difference; PH_ERR_CONFLICT: the
 * profile has such a metric. O(cells + call paths that synchronise x columns).
 */
PhStatus ph_profile_estimate_waits(PhEnv *env, const PhProfile *profile, uint32_t metric,
								   PhProfile **out) PH_MUST_CHECK;

#endif
