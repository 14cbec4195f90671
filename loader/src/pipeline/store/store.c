/*
 * store.c - runs into the warehouse: claim, COPY, commit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "pipeline/store/copy.h"
#include "pipeline/store/copy_table.h"
#include "queries.h"
#include "readers/completeness.h"
#include "system/memory.h"

#define MOST_REPEATS 1000

static PhStatus claim(PhEnv *env, PhConnection *db, PhStoreRun *run);
static PhStatus finish_run(PhEnv *env, PhConnection *db, const PhStoreRun *run);

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
store_in_transaction(PhEnv *env, PhConnection *db, PhArena *arena, PhStoreRun *runs, uint32_t n)
{
	uint32_t n_claimed = 0;

	if (!ph_pq_script(db, "BEGIN"))
		return ph_refused(env, db);
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(claim(env, db, &runs[i]));
		n_claimed += runs[i].outcome != PH_OUTCOME_SKIPPED;
	}
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
	return claim(env, db, run);
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
		status = finish_run(env, db, run);
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

/* ---- claiming ---- */

enum
{
	P_FINGERPRINT,
	P_REPEAT,
	P_RUN_ID,
	P_APPLICATION,
	P_TITLE,
	P_SOURCE,
	P_FORMAT,
	P_COMMIT,
	P_BRANCH,
	P_STARTED_AT,
	P_USER,
	P_CLUSTER,
	P_N_RANKS,
	P_N_THREADS,
	P_N_NODES,
	P_N_COLUMNS,
	P_N_UNITS,
	P_METRICS,
	P_METRIC_IDS,
	P_RESIDUAL,
	P_MISSING,
	P_META,
	P_TAGS,
	P_TOTAL,
	P_N_HOSTS,
	P_COMPLETENESS,
	P_LACKS,
	P_TREE,
	P_LABELS,
	P_COUNT
};

/* Parameters of the statements that write a row of perfhouse.run. */
typedef struct RunParams
{
	PhParam values[P_COUNT]; /* zero: null */
	PhArena arena;			 /* of the lists in them */
} RunParams;

static void
set_number(RunParams *params, int which, int64_t value)
{
	params->values[which] = ph_param_int(value);
}

static PhStatus
append_quoted(PhStr *list, const char *text)
{
	PH_TRY(ph_str_append(list, "\""));
	for (; *text != '\0'; text++)
	{
		if (*text == '"' || *text == '\\')
			PH_TRY(ph_str_append(list, "\\"));
		PH_TRY(ph_str_append_n(list, text, 1));
	}
	return ph_str_append(list, "\"");
}

/* Text of a text[] with every element quoted. */
static PhStatus
list_metric_names(PhArena *arena, const PhProfile *profile, PhParam *out)
{
	PhStr list;
	char *text;

	ph_str_init(&list, arena);
	PH_TRY(ph_str_append(&list, "{"));
	for (uint32_t m = 0; profile != NULL && m < profile->n_metrics; m++)
	{
		PH_TRY(ph_str_append(&list, m > 0 ? "," : ""));
		PH_TRY(append_quoted(&list, ph_profile_string(profile, profile->metrics[m].name)));
	}
	PH_TRY(ph_str_append(&list, "}"));
	PH_TRY(ph_str_take(&list, &text));
	*out = ph_param_text(text);
	return PH_OK;
}

/* Sentences about what the input lacks. */
static PhStatus
list_missing(PhArena *arena, const PhRunInput *input, PhParam *out)
{
	PhStr list;
	char *text;

	ph_str_init(&list, arena);
	PH_TRY(ph_str_append(&list, "{"));
	for (size_t i = 0; i < input->n_missing; i++)
	{
		PH_TRY(ph_str_append(&list, i > 0 ? "," : ""));
		PH_TRY(append_quoted(&list, input->missing[i]));
	}
	PH_TRY(ph_str_append(&list, "}"));
	PH_TRY(ph_str_take(&list, &text));
	*out = ph_param_text(text);
	return PH_OK;
}

static PhStatus
list_metric_ids(PhArena *arena, const PhStoreRun *run, PhParam *out)
{
	const PhProfile *profile = run->input->profile;
	PhStr list;
	char *text;

	ph_str_init(&list, arena);
	PH_TRY(ph_str_append(&list, "{"));
	for (uint32_t m = 0; profile != NULL && m < profile->n_metrics; m++)
		PH_TRY(ph_str_printf(&list, "%s%d", m > 0 ? "," : "", run->metric_ids[m]));
	PH_TRY(ph_str_append(&list, "}"));
	PH_TRY(ph_str_take(&list, &text));
	*out = ph_param_text(text);
	return PH_OK;
}

/* The whole of the primary metric; null when it is no flow. */
static PhParam
total_of(const PhProfile *profile, const PhUnits *units)
{
	double total = ph_run_total(profile, units, 0);

	return isnan(total) ? ph_param_null() : ph_param_float(total);
}

static void
set_counts(RunParams *params, const PhStoreRun *run)
{
	const PhRunInput *input = run->input;
	const PhProfile *profile = input->profile;
	int32_t n_ranks =
		input->n_ranks != PH_NO_NUMBER ? input->n_ranks : (int32_t) run->units.n_ranks;
	int32_t n_threads =
		input->n_threads != PH_NO_NUMBER ? input->n_threads : (int32_t) run->units.n_threads;

	if (n_ranks > 0)
		set_number(params, P_N_RANKS, n_ranks);
	if (n_threads > 0)
		set_number(params, P_N_THREADS, n_threads);
	if (profile == NULL)
	{
		set_number(params, P_RESIDUAL, 0);
		set_number(params, P_MISSING, 0);
		return;
	}
	set_number(params, P_TREE, run->content.tree_id);
	set_number(params, P_LABELS, run->content.labels_id);
	set_number(params, P_N_NODES, profile->n_nodes);
	set_number(params, P_N_COLUMNS, profile->n_columns);
	set_number(params, P_N_UNITS, run->units.n_units);
	params->values[P_TOTAL] = total_of(profile, &run->units);
	if (run->units.n_hosts > 0)
		set_number(params, P_N_HOSTS, run->units.n_hosts);
	set_number(params, P_RESIDUAL, (int64_t) profile->provenance.residual_cells);
	set_number(params, P_MISSING, profile->provenance.missing_columns);
}

/* Whatever comes of it, the arena is dropped by the caller. */
static PhStatus
fill_params(PhEnv *env, RunParams *params, const PhStoreRun *run)
{
	const PhRunRecord *record = run->record;

	*params = (RunParams){0};
	ph_arena_init(&params->arena, env);
	params->values[P_FINGERPRINT] = ph_param_text(run->fingerprint);
	params->values[P_APPLICATION] = ph_param_text(record->application);
	params->values[P_TITLE] = ph_param_text(record->title);
	params->values[P_SOURCE] = ph_param_text(run->path);
	params->values[P_FORMAT] = ph_param_text(run->reader->name);
	params->values[P_COMMIT] = ph_param_text(record->commit_id);
	params->values[P_BRANCH] = ph_param_text(record->branch);
	params->values[P_STARTED_AT] = ph_param_text(record->started_at);
	params->values[P_USER] = ph_param_text(record->user_name);
	params->values[P_CLUSTER] = ph_param_text(record->cluster);
	params->values[P_META] = ph_param_text(record->meta);
	params->values[P_TAGS] = ph_param_text(run->tags);
	set_counts(params, run);
	params->values[P_COMPLETENESS] =
		ph_param_text(ph_completeness_name(ph_run_completeness(run->reader, run->input)));
	PH_TRY(list_missing(&params->arena, run->input, &params->values[P_LACKS]));
	PH_TRY(list_metric_names(&params->arena, run->input->profile, &params->values[P_METRICS]));
	return list_metric_ids(&params->arena, run, &params->values[P_METRIC_IDS]);
}

/* One attempt to insert the row; *run_id 0: somebody else has this fingerprint and repeat. */
static PhStatus
insert_run(PhEnv *env, PhConnection *db, RunParams *params, int64_t wanted, int32_t repeat,
		   int64_t *run_id)
{
	PhResult *rows;

	set_number(params, P_RUN_ID, wanted);
	set_number(params, P_REPEAT, repeat);
	rows = ph_pq_query_prepared(db, ph_sql_run_insert, params->values, P_COUNT);
	if (rows == NULL)
		return ph_refused(env, db);
	*run_id = ph_result_count(rows) > 0 ? ph_result_int(rows, 0, 0) : 0;
	ph_result_free(rows);
	return PH_OK;
}

/* Lock the row of the run to replace and drop its data; false in *found: it is gone. */
static PhStatus
empty_run(PhEnv *env, PhConnection *db, const RunParams *params, bool *found)
{
	PhParam run[2] = {params->values[P_RUN_ID], params->values[P_FINGERPRINT]};
	PhResult *rows = ph_pq_query(db, ph_sql_run_empty, run, 2);

	if (rows == NULL)
		return ph_refused(env, db);
	*found = ph_result_count(rows) > 0;
	ph_result_free(rows);
	if (*found && !ph_pq_execute(db, ph_sql_run_clear, run, 1))
		return ph_refused(env, db);
	return PH_OK;
}

/* Empty the run to replace and rewrite its row; false in *done: it is gone. */
static PhStatus
replace_run(PhEnv *env, PhConnection *db, RunParams *params, PhStoreRun *run, bool *done)
{
	PhResult *rows;

	set_number(params, P_RUN_ID, run->replace_id);
	set_number(params, P_REPEAT, 0);
	PH_TRY(empty_run(env, db, params, done));
	if (!*done)
		return PH_OK;
	rows = ph_pq_query(db, ph_sql_run_replace, params->values, P_COUNT);
	if (rows == NULL)
		return ph_refused(env, db);
	*done = ph_result_count(rows) > 0;
	ph_result_free(rows);
	if (!*done)
		return PH_OK;
	run->stored_id = run->replace_id;
	run->outcome = PH_OUTCOME_REPLACED;
	return PH_OK;
}

static PhStatus
find_run(PhEnv *env, PhConnection *db, const char *fingerprint, int64_t *run_id)
{
	PhParam param = ph_param_text(fingerprint);
	PhResult *rows = ph_pq_query(db, ph_sql_run_by_fingerprint, &param, 1);

	if (rows == NULL)
		return ph_refused(env, db);
	*run_id = ph_result_count(rows) > 0 ? ph_result_int(rows, 0, 0) : 0;
	ph_result_free(rows);
	return PH_OK;
}

/* Somebody else was first with the same content. */
static PhStatus
lost_race(PhEnv *env, PhConnection *db, RunParams *params, PhStoreRun *run)
{
	bool done = false;

	PH_TRY(find_run(env, db, run->fingerprint, &run->replace_id));
	if (run->if_exists == PH_IF_EXISTS_REPLACE && run->replace_id != 0)
		PH_TRY(replace_run(env, db, params, run, &done));
	if (done)
		return PH_OK;
	run->stored_id = run->replace_id;
	run->outcome = PH_OUTCOME_SKIPPED;
	return PH_OK;
}

/* Nobody hears of content that only others have, by being told that it is there already. */
static PhStatus
is_unseen(PhEnv *env, PhConnection *db, const PhStoreRun *run, bool *unseen)
{
	PhParam param = ph_param_text(run->fingerprint);
	PhResult *rows = ph_pq_query(db, ph_sql_run_unseen, &param, 1);

	if (rows == NULL)
		return ph_refused(env, db);
	*unseen = strcmp(ph_result_text(rows, 0, 0), "t") == 0;
	ph_result_free(rows);
	return PH_OK;
}

static PhStatus
claim_with(PhEnv *env, PhConnection *db, RunParams *params, PhStoreRun *run)
{
	bool appends = run->if_exists == PH_IF_EXISTS_APPEND;
	bool unseen = false;
	int64_t wanted = run->run_id;
	bool done = false;

	if (run->replace_id != 0)
		PH_TRY(replace_run(env, db, params, run, &done));
	if (done)
		return PH_OK;
	if (wanted == 0) /* the run to replace was removed meanwhile: its id is free */
		wanted = run->replace_id;
	for (int32_t i = 0; i < (appends || unseen ? MOST_REPEATS : 1); i++)
	{
		int32_t repeat = appends ? run->repeat + i : i;

		PH_TRY(insert_run(env, db, params, wanted, repeat, &run->stored_id));
		if (run->stored_id != 0)
		{
			run->outcome = appends && repeat > 0 ? PH_OUTCOME_APPENDED : PH_OUTCOME_LOADED;
			return PH_OK;
		}
		if (i == 0 && !appends)
			PH_TRY(is_unseen(env, db, run, &unseen));
	}
	return lost_race(env, db, params, run);
}

static PhStatus
claim(PhEnv *env, PhConnection *db, PhStoreRun *run)
{
	RunParams params;
	PhStatus status = fill_params(env, &params, run);

	if (status == PH_OK)
		status = claim_with(env, db, &params, run);
	ph_arena_drop(&params.arena);
	return status;
}

/* The row of a run that was claimed before its profile was known. */
static PhStatus
finish_run(PhEnv *env, PhConnection *db, const PhStoreRun *run)
{
	RunParams params;
	PhResult *rows = NULL;
	PhStatus status = fill_params(env, &params, run);

	if (status == PH_OK)
	{
		set_number(&params, P_RUN_ID, run->stored_id);
		set_number(&params, P_REPEAT, 0);
		rows = ph_pq_query(db, ph_sql_run_replace, params.values, P_COUNT);
		if (rows == NULL)
			status = ph_refused(env, db);
		else if (ph_result_count(rows) == 0)
			status = ph_fail(env, PH_ERR_CONFLICT, "run %lld was removed while it was loaded",
							 (long long) run->stored_id);
	}
	ph_result_free(rows);
	ph_arena_drop(&params.arena);
	return status;
}
