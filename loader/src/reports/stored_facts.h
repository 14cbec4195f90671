/*
 * stored_facts.h - what the warehouse knows of stored runs, for run_facts.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_STORED_FACTS_H
#define PH_REPORTS_STORED_FACTS_H

#include "base/env.h"
#include "database/pq.h"
#include "reports/run_facts.h"

typedef struct PhStoredFacts
{
	int64_t run_id;
	PhFacts facts;
	char **keys; /* of its experiment, ended by NULL */
	bool is_declared;
} PhStoredFacts;

/*
 * In the order of runs; *n may be less than n_runs when some are gone. Logs its own errors; the
 * caller frees *out in any case.
 */
PhExit ph_stored_facts_fetch(PhConnection *connection, const int64_t *runs, size_t n_runs,
							 PhStoredFacts **out, size_t *n);

/*
 * What perfhouse bundle notes of a run beside its profile (a file of JSON), as the warehouse would
 * tell it. The caller frees *out (ph_stored_facts_free of one), also on failure.
 */
PhStatus ph_stored_facts_read(PhEnv *env, const char *path, PhStoredFacts **out) PH_MUST_CHECK;

void ph_stored_facts_free(PhStoredFacts *facts, size_t n);

#endif
