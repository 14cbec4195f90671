/*
 * store.h - runs into the warehouse: claim, COPY, commit.
 *
 * One transaction holds one run, or several small ones: what is not committed was never there, so a
 * killed loader leaves nothing behind and readers never see half a run. The unique key
 * (fingerprint, repeat) settles races: the loser of one waits for the winner's commit and then
 * finds the run loaded. Within a transaction runs are claimed in order of fingerprint, so loaders
 * of the same files wait in one order and cannot deadlock.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_STORE_H
#define PH_PIPELINE_STORE_STORE_H

#include "pipeline/store/dictionary.h"
#include "pipeline/store/outcome.h"
#include "pipeline/store/run_record.h"
#include "stored/units.h"

typedef enum PhIfExists
{
	PH_IF_EXISTS_SKIP,
	PH_IF_EXISTS_REPLACE,
	PH_IF_EXISTS_APPEND
} PhIfExists;

/* A run that was read and waits to be stored. */
typedef struct PhStoreRun
{
	const char *fingerprint;
	const PhReader *reader;
	uint64_t bytes;
	const char *tags; /* array literal */
	PhIfExists if_exists;
	int64_t run_id;		/* reserved for a new run */
	int64_t replace_id; /* the run to replace; 0: none, it is new */
	int32_t repeat;		/* append: the first repeat to try */
	const PhRunInput *input;
	const PhRunRecord *record;
	int32_t *metric_ids;  /* per metric of the profile */
	PhContentIds content; /* set when it was interned; 0: it has no profile */
	double seconds;		  /* spent on reading; for the log */
	bool has_trace;
	int64_t n_events; /* of it */

	PhUnits units; /* filled by ph_store_runs */
	PhOutcome outcome;
	int64_t stored_id; /* the run that now holds this content */
} PhStoreRun;

/*
 * For a run that is stored piece by piece (a trace): claim it in db's transaction, with what is
 * known; its profile may be NULL. outcome PH_OUTCOME_SKIPPED: somebody else has the content, as run
 * stored_id, or 0 when he is still at it.
 */
PhStatus ph_store_claim(PhEnv *env, PhConnection *db, PhStoreRun *run) PH_MUST_CHECK;

/* Its profile's regions, call paths, metrics, tree and labels, in transactions of db's own. */
PhStatus ph_store_intern(PhEnv *env, PhConnection *db, PhDictionary *dictionary,
						 PhStoreRun *run) PH_MUST_CHECK;

/* Its profile's rows, and its own, which is ready when db's transaction commits. */
PhStatus ph_store_finish(PhEnv *env, PhConnection *db, PhStoreRun *run) PH_MUST_CHECK;

/*
 * Store all of them in one transaction, or none. runs[] is reordered by fingerprint. On failure
 * env->error says why and db's error has the server's words, if it was the server.
 */
PhStatus ph_store_runs(PhEnv *env, PhConnection *db, PhDictionary *dictionary, PhStoreRun *runs,
					   uint32_t n) PH_MUST_CHECK;

#endif
