/*
 * run_reader.h - a stored run as a profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_RUN_READER_H
#define PH_PROFILE_RUN_READER_H

#include "postgres.h"

#include "profile/value.h"

/* What of a run is wanted. */
typedef struct PhRunRequest
{
	int64 run_id;
	bool all_metrics; /* else the named ones; none named: the primary one */
	bool with_visits; /* besides, the metric that counts calls, when the run has it */
	int n_metrics;
	char **metrics;
	bool all_ranks; /* else the listed ones */
	int n_ranks;
	const int32 *ranks;
	bool keep_iterations; /* else they are summed per unit */
	bool in_any_state;	  /* else ready runs alone */
	bool as_stored;		  /* in the units of the tables */
	bool may_be_packed;	  /* values may stay packed (profile/stored_values.h) */

	/*
	 * One column will do, the mean over units (absent = 0) of metrics that add up: it is read from
	 * summaries. Other metrics and runs of one unit come as they are.
	 */
	bool means;
} PhRunRequest;

/* The profile, in a child of the current context. Raises PH002 for what does not exist. */
PhValue *ph_run_read(const PhRunRequest *request);

/* Name of the metric that counts calls, palloc'd; NULL: none, or there is no such run. */
char *ph_run_name_calls(int64 run_id);

#endif
