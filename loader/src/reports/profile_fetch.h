/*
 * profile_fetch.h - a stored run's profile, as the server's perfhouse.profile() makes it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_PROFILE_FETCH_H
#define PH_REPORTS_PROFILE_FETCH_H

#include "database/pq.h"
#include "profile/profile.h"

#define PH_ALL_METRICS "*"

/* Which part of a run's profile; zero is all of its primary metric. */
typedef struct PhProfilePart
{
	const char *metric; /* NULL: the primary one; PH_ALL_METRICS: all that the run has */
	const char *ranks;	/* array literal; NULL: all. Of one metric only, and so the next */
	const char *within; /* a call path, or a function that one call path ends with: below it */
	PhParam from, to;	/* of a trace, in ns since its first event */
	bool is_aliased;	/* regions have the names that the warehouse's aliases give them */
} PhProfilePart;

/* Iterations are summed. On failure the error has been logged; *out is freed with ph_profile_free.
 */
PhExit ph_profile_fetch(PhEnv *env, PhConnection *connection, int64_t run_id,
						const PhProfilePart *part, PhProfile **out);

#endif
