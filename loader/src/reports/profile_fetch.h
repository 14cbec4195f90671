/*
 * profile_fetch.h - a stored run's profile, as the server's perfhouse.profile() makes it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_PROFILE_FETCH_H
#define PH_REPORTS_PROFILE_FETCH_H

#include "database/pq.h"
#include "profile/profile.h"

/*
 * metric NULL: the primary one; PH_ALL_METRICS: all that the run has. Iterations are summed. On
 * failure the error has been logged; *out is freed with ph_profile_free.
 */
#define PH_ALL_METRICS "*"
PhExit ph_profile_fetch(PhEnv *env, PhConnection *connection, int64_t run_id, const char *metric,
						PhProfile **out);

/* The same, its regions under the names that the warehouse's aliases give them. */
PhExit ph_profile_fetch_aliased(PhEnv *env, PhConnection *connection, int64_t run_id,
								const char *metric, PhProfile **out);

#endif
