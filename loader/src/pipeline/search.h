/*
 * search.h - after a load: did the runs make their applications slower?
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_SEARCH_H
#define PH_PIPELINE_SEARCH_H

#include "pipeline/load.h"

/* Runs that were stored and not looked at yet. */
typedef struct PhNewRuns
{
	int64_t *ids;
	size_t n;
} PhNewRuns;

/* Add what a load stored. */
void ph_new_runs_add(PhNewRuns *runs, const PhLoad *load);

/*
 * Bring the noise of their applications up to date (perfhouse.noise), search their histories, once
 * each, print what is new, gone or fixed, and
 * forget them. Runs without a commit or an application change no history. What fails is a warning:
 * the runs are loaded.
 */
void ph_new_runs_search(PhNewRuns *runs, PhConnection *db, bool json);

void ph_new_runs_free(PhNewRuns *runs);

#endif
