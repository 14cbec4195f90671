/*
 * claim.h - a run's row in perfhouse.run: inserted, rewritten, or left to who has the same content.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_CLAIM_H
#define PH_PIPELINE_STORE_CLAIM_H

#include "pipeline/store/store.h"

/*
 * First in a transaction that may claim rows by INSERT and change the same or others: on several
 * nodes it is then the only one that does. False: the reason is in db->error.
 */
bool ph_claim_alone(PhConnection *db);

/* Sets the run's outcome and stored_id. Inside a transaction. */
PhStatus ph_claim_run(PhEnv *env, PhConnection *db, PhStoreRun *run) PH_MUST_CHECK;

/*
 * All rows by one statement, in order. False in *done: not all of them are new, and the transaction
 * is to begin again and claim them one by one.
 */
PhStatus ph_claim_new_runs(PhEnv *env, PhConnection *db, PhStoreRun *runs, uint32_t n,
						   bool *done) PH_MUST_CHECK;

/* The row of a run that was claimed before its profile was known. */
PhStatus ph_claim_finish(PhEnv *env, PhConnection *db, const PhStoreRun *run) PH_MUST_CHECK;

#endif
