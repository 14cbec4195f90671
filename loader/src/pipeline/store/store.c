/*
 * store.c - runs into the warehouse: intern, claim, COPY, commit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/store/claim.h"
#include "pipeline/store/copy.h"
#include "pipeline/store/copy_table.h"
#include "queries.h"
#include "system/memory.h"

static int
compare_runs(const void *x, const void *y)
{
	const PhStoreRun *a = x;
	const PhStoreRun *b = y;
	int order = strcmp(a->fingerprint, b->fingerprint);

	return order != 0 ? order : (a->run_id > b->run_id) - (a->run_id < b->run_id);
}

/* What a batch of runs interns, side by side. */
typedef struct Interned
{
	const PhProfile **profiles;
	const PhRunInput **inputs;
	int32_t **metric_ids;
	PhContentIds *contents;
} Interned;

static PhStatus
intern_batch(PhEnv *env, PhConnection *db, PhArena *arena, PhDictionary *dictionary,
			 PhStoreRun *runs, uint32_t n)
{
	Interned batch;

	PH_TRY(PH_NEW(arena, n, &batch.profiles));
	PH_TRY(PH_NEW(arena, n, &batch.inputs));
	PH_TRY(PH_NEW(arena, n, &batch.metric_ids));
	PH_TRY(PH_NEW(arena, n, &batch.contents));
	for (uint32_t i = 0; i < n; i++)
	{
		batch.inputs[i] = runs[i].input;
		batch.profiles[i] = runs[i].input->profile;
		batch.metric_ids[i] = runs[i].metric_ids;
	}
	PH_TRY(ph_dictionary_intern(dictionary, env, db, batch.profiles, n, batch.metric_ids));
	PH_TRY(ph_contents_intern(ph_dictionary_contents(dictionary), env, db, batch.inputs, n,
							  batch.contents));
	for (uint32_t i = 0; i < n; i++)
		runs[i].content = batch.contents[i];
	return PH_OK;
}

static PhStatus
intern(PhEnv *env, PhConnection *db, PhDictionary *dictionary, PhStoreRun *runs, uint32_t n)
{
	PhArena arena;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = intern_batch(env, db, &arena, dictionary, runs, n);
	ph_arena_drop(&arena);
	return status;
}

/* Who listens hears of the runs that this transaction stored. */
static PhStatus
notify(PhEnv *env, PhConnection *db, const PhStoreRun *runs, uint32_t n)
{
	int64_t *ids = ph_must_alloc(n, sizeof(*ids));
	char *list;
	PhParam param;
	size_t n_stored = 0;
	bool ok;

	for (uint32_t i = 0; i < n; i++)
		if (runs[i].outcome != PH_OUTCOME_SKIPPED)
			ids[n_stored++] = runs[i].stored_id;
	list = ph_array_int(ids, n_stored);
	free(ids);
	param = ph_param_text(list);
	ok = ph_pq_execute(db, ph_sql_runs_notify, &param, 1);
	free(list);
	return ok ? PH_OK : ph_refused(env, db);
}

static PhStatus
begin(PhEnv *env, PhConnection *db)
{
	return ph_pq_script(db, "BEGIN") ? PH_OK : ph_refused(env, db);
}

static PhStatus
claim_one_by_one(PhEnv *env, PhConnection *db, PhStoreRun *runs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(ph_claim_run(env, db, &runs[i]));
	return PH_OK;
}

/* Mostly nobody has any of the content. Where somebody has, the order of waiting counts. */
static PhStatus
claim_all(PhEnv *env, PhConnection *db, PhStoreRun *runs, uint32_t n)
{
	bool done;

	PH_TRY(ph_claim_new_runs(env, db, runs, n, &done));
	if (done)
		return PH_OK;
	ph_pq_rollback(db);
	PH_TRY(begin(env, db));
	return ph_claim_alone(db) ? claim_one_by_one(env, db, runs, n) : ph_refused(env, db);
}

static PhStatus
store_in_transaction(PhEnv *env, PhConnection *db, PhArena *arena, PhStoreRun *runs, uint32_t n)
{
	uint32_t n_claimed = 0;

	PH_TRY(begin(env, db));
	PH_TRY(claim_all(env, db, runs, n));
	for (uint32_t i = 0; i < n; i++)
		n_claimed += runs[i].outcome != PH_OUTCOME_SKIPPED;
	if (n_claimed > 0)
	{
		PH_TRY(ph_store_copy(env, db, arena, runs, n));
		PH_TRY(notify(env, db, runs, n));
	}
	return ph_pq_script(db, "COMMIT") ? PH_OK : ph_refused(env, db);
}

PhStatus
ph_store_claim(PhEnv *env, PhConnection *db, PhStoreRun *run)
{
	return ph_claim_run(env, db, run);
}

PhStatus
ph_store_intern(PhEnv *env, PhConnection *db, PhDictionary *dictionary, PhStoreRun *run)
{
	return intern(env, db, dictionary, run, 1);
}

PhStatus
ph_store_finish(PhEnv *env, PhConnection *db, PhStoreRun *run)
{
	PhArena arena;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = ph_units_find(&arena, run->input->profile, &run->units);
	if (status == PH_OK)
		status = ph_store_copy(env, db, &arena, run, 1);
	if (status == PH_OK)
		status = ph_claim_finish(env, db, run);
	if (status == PH_OK)
		status = notify(env, db, run, 1);
	run->units = (PhUnits){0}; /* was in the arena */
	ph_arena_drop(&arena);
	return status;
}

PhStatus
ph_store_runs(PhEnv *env, PhConnection *db, PhDictionary *dictionary, PhStoreRun *runs, uint32_t n)
{
	PhArena arena;
	PhStatus status = PH_OK;

	ph_arena_init(&arena, env);
	qsort(runs, n, sizeof(*runs), compare_runs);
	for (uint32_t i = 0; i < n && status == PH_OK; i++)
		status = ph_units_find(&arena, runs[i].input->profile, &runs[i].units);
	if (status == PH_OK)
		status = intern(env, db, dictionary, runs, n);
	if (status == PH_OK)
	{
		status = store_in_transaction(env, db, &arena, runs, n);
		if (status != PH_OK)
			ph_pq_rollback(db);
	}
	for (uint32_t i = 0; i < n; i++)
	{
		runs[i].units = (PhUnits){0}; /* was in the arena */
		if (status != PH_OK)
			runs[i].outcome = PH_OUTCOME_NONE;
	}
	ph_arena_drop(&arena);
	return status;
}
