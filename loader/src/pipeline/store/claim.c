/*
 * claim.c - see claim.h.
 *
 * Loaders of the same files wait for each other in one order, that of the fingerprints: who may
 * have to ask for a row again does so before it asks for the next one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/claim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "pipeline/store/copy_table.h"
#include "queries.h"
#include "readers/completeness.h"
#include "replay/profile_efficiency.h"

#define MOST_REPEATS 1000

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
	P_PARALLEL,
	P_LOAD_BALANCE,
	P_COMMUNICATION,
	P_THREADS,
	P_EVENTS,
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
set_factor(RunParams *params, int which, double factor)
{
	params->values[which] = isnan(factor) ? ph_param_null() : ph_param_float(factor);
}

/* What the primary metric tells of efficiencies; of traces the server puts exact ones there. */
static PhStatus
set_efficiencies(RunParams *params, const PhProfile *profile)
{
	PhProfileEfficiency found;

	if (profile == NULL || profile->n_metrics == 0 || profile->metrics[0].kind != PH_METRIC_FLOW)
		return PH_OK;
	PH_TRY(ph_profile_efficiency(&params->arena, profile, 0, &found));
	set_factor(params, P_PARALLEL, found.parallel);
	set_factor(params, P_LOAD_BALANCE, found.load_balance);
	set_factor(params, P_COMMUNICATION, found.communication);
	set_factor(params, P_THREADS, found.threads);
	return PH_OK;
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
	params->values[P_SOURCE] = ph_param_text(record->source);
	params->values[P_FORMAT] = ph_param_text(run->reader->name);
	params->values[P_COMMIT] = ph_param_text(record->commit_id);
	params->values[P_BRANCH] = ph_param_text(record->branch);
	params->values[P_STARTED_AT] = ph_param_text(record->started_at);
	params->values[P_USER] = ph_param_text(record->user_name);
	params->values[P_CLUSTER] = ph_param_text(record->cluster);
	params->values[P_META] = ph_param_text(record->meta);
	params->values[P_TAGS] = ph_param_text(run->tags);
	set_counts(params, run);
	if (run->has_trace)
		set_number(params, P_EVENTS, run->n_events);
	PH_TRY(set_efficiencies(params, run->input->profile));
	params->values[P_COMPLETENESS] =
		ph_param_text(ph_completeness_name(ph_run_completeness(run->reader, run->input)));
	PH_TRY(list_missing(&params->arena, run->input, &params->values[P_LACKS]));
	PH_TRY(list_metric_names(&params->arena, run->input->profile, &params->values[P_METRICS]));
	return list_metric_ids(&params->arena, run, &params->values[P_METRIC_IDS]);
}

/* ---- new rows ---- */

/* One parameter of all runs, as an array of texts. */
static PhStatus
list_param(PhArena *arena, const RunParams *params, uint32_t n, int which, PhParam *out)
{
	PhStr list;
	char *text;

	ph_str_init(&list, arena);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhParam *value = &params[i].values[which];
		const char *given = value->bytes != NULL ? value->bytes : value->own;
		bool is_null = value->bytes == NULL && value->own[0] == '\0';

		PH_TRY(ph_str_append(&list, i > 0 ? "," : "{"));
		PH_TRY(is_null ? ph_str_append(&list, "NULL") : append_quoted(&list, given));
	}
	PH_TRY(ph_str_append(&list, "}"));
	PH_TRY(ph_str_take(&list, &text));
	*out = ph_param_text(text);
	return PH_OK;
}

/* The ids of those that are there now; the others are somebody else's content. */
static PhStatus
insert_rows(PhEnv *env, PhConnection *db, const RunParams *params, uint32_t n, PhResult **rows)
{
	PhParam lists[P_COUNT];
	PhStatus status = PH_OK;
	PhArena arena;

	ph_arena_init(&arena, env);
	for (int which = 0; which < P_COUNT && status == PH_OK; which++)
		status = list_param(&arena, params, n, which, &lists[which]);
	if (status == PH_OK)
	{
		*rows = ph_pq_query_prepared(db, ph_sql_run_insert, lists, P_COUNT);
		status = *rows != NULL ? PH_OK : ph_refused(env, db);
	}
	ph_arena_drop(&arena);
	return status;
}

/* One attempt to insert the row; *run_id 0: somebody else has this fingerprint and repeat. */
static PhStatus
insert_run(PhEnv *env, PhConnection *db, RunParams *params, int64_t wanted, int32_t repeat,
		   int64_t *run_id)
{
	PhResult *rows;

	set_number(params, P_RUN_ID, wanted);
	set_number(params, P_REPEAT, repeat);
	PH_TRY(insert_rows(env, db, params, 1, &rows));
	*run_id = ph_result_count(rows) > 0 ? ph_result_int(rows, 0, 0) : 0;
	ph_result_free(rows);
	return PH_OK;
}

/* The first repeat of the content under the id that was reserved for it. */
static PhStatus
fill_new(PhEnv *env, RunParams *params, const PhStoreRun *run)
{
	PH_TRY(fill_params(env, params, run));
	set_number(params, P_RUN_ID, run->run_id);
	set_number(params, P_REPEAT, run->repeat);
	return PH_OK;
}

static PhStatus
insert_new(PhEnv *env, PhConnection *db, RunParams *params, PhStoreRun *runs, uint32_t n,
		   bool *done)
{
	PhResult *rows;

	for (uint32_t i = 0; i < n; i++)
		PH_TRY(fill_new(env, &params[i], &runs[i]));
	PH_TRY(insert_rows(env, db, params, n, &rows));
	*done = ph_result_count(rows) == n;
	ph_result_free(rows);
	for (uint32_t i = 0; i < n && *done; i++)
	{
		runs[i].stored_id = runs[i].run_id;
		runs[i].outcome = runs[i].repeat > 0 ? PH_OUTCOME_APPENDED : PH_OUTCOME_LOADED;
	}
	return PH_OK;
}

PhStatus
ph_claim_new_runs(PhEnv *env, PhConnection *db, PhStoreRun *runs, uint32_t n, bool *done)
{
	PhStatus status;
	PhArena arena;
	RunParams *params;

	*done = false;
	for (uint32_t i = 0; i < n; i++)
		if (runs[i].replace_id != 0)
			return PH_OK;
	ph_arena_init(&arena, env);
	status = PH_NEW(&arena, n, &params);
	if (status == PH_OK)
	{
		status = insert_new(env, db, params, runs, n, done);
		for (uint32_t i = 0; i < n; i++)
			ph_arena_drop(&params[i].arena);
	}
	ph_arena_drop(&arena);
	return status;
}

/* ---- rows of content that somebody has ---- */

bool
ph_claim_alone(PhConnection *db)
{
	return !db->is_distributed || ph_pq_execute(db, ph_sql_run_alone, NULL, 0);
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

PhStatus
ph_claim_run(PhEnv *env, PhConnection *db, PhStoreRun *run)
{
	RunParams params;
	PhStatus status = fill_params(env, &params, run);

	if (status == PH_OK)
		status = claim_with(env, db, &params, run);
	ph_arena_drop(&params.arena);
	return status;
}

PhStatus
ph_claim_finish(PhEnv *env, PhConnection *db, const PhStoreRun *run)
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
