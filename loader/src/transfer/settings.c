/*
 * settings.c - what belongs to the applications of copied runs: commits, what people said of them;
 * then what is kept of histories there.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "queries.h"
#include "system/log.h"
#include "system/memory.h"
#include "transfer/internal.h"

#define MOST_COMMITS 5000 /* of one statement */
#define N_COMMIT_FIELDS 6

static bool
hides_anything(const PhTransfer *transfer)
{
	return transfer->plan.hiding.is_any;
}

/* ---- commits ---- */

/* Commits first to last - 1 of a repository, by the statement that perfhouse commits uses. */
static PhExit
insert_commits(PhTransfer *transfer, const PhResult *rows, size_t first, size_t last)
{
	PhParam params[1 + N_COMMIT_FIELDS] = {ph_param_text(ph_result_text(rows, first, 0))};
	const char **texts = ph_must_alloc(last - first, sizeof(*texts));
	char *arrays[N_COMMIT_FIELDS];
	bool ok;

	for (size_t f = 0; f < N_COMMIT_FIELDS; f++)
	{
		for (size_t i = first; i < last; i++)
			texts[i - first] = ph_result_text(rows, i, f + 1);
		arrays[f] = ph_array_text(texts, last - first);
		params[f + 1] = ph_param_text(arrays[f]);
	}
	ok = ph_pq_execute(transfer->plan.to, ph_sql_commits_insert, params, 1 + N_COMMIT_FIELDS);
	for (size_t f = 0; f < N_COMMIT_FIELDS; f++)
		free(arrays[f]);
	free(texts);
	return ok ? PH_EXIT_OK : ph_pq_log_error(transfer->plan.to, "commits");
}

static bool
is_of_same_repository(const PhResult *rows, size_t a, size_t b)
{
	return strcmp(ph_result_text(rows, a, 0), ph_result_text(rows, b, 0)) == 0;
}

static PhExit
number_main_line(PhTransfer *transfer, const char *repository)
{
	PhParam param = ph_param_text(repository);
	PhResult *head = ph_pq_query(transfer->plan.to, ph_sql_copy_head, &param, 1);
	bool ok = head != NULL;

	if (ok && ph_result_count(head) > 0)
	{
		PhParam params[] = {param, ph_param_text(ph_result_text(head, 0, 0))};

		ok = ph_pq_execute(transfer->plan.to, ph_sql_commits_main_line, params, 2);
	}
	ph_result_free(head);
	return ok ? PH_EXIT_OK : ph_pq_log_error(transfer->plan.to, "commits");
}

static PhExit
write_commits(PhTransfer *transfer, const PhResult *rows)
{
	size_t n = ph_result_count(rows), first = 0;
	PhExit code = PH_EXIT_OK;

	for (size_t i = 1; i <= n && code == PH_EXIT_OK; i++)
	{
		bool is_last = i == n || !is_of_same_repository(rows, first, i);

		if (!is_last && i - first < MOST_COMMITS)
			continue;
		code = insert_commits(transfer, rows, first, i);
		if (code == PH_EXIT_OK && is_last)
			code = number_main_line(transfer, ph_result_text(rows, first, 0));
		first = i;
	}
	return code;
}

static PhExit
take_rows(PhTransfer *transfer, const char *table, const char *rows)
{
	PhParam params[] = {ph_param_text(table), ph_param_text(rows), ph_param_text("{}"),
						ph_param_text("{}")};

	return ph_pq_execute(transfer->plan.to, ph_sql_copy_take_rows, params, 4)
			   ? PH_EXIT_OK
			   : ph_pq_log_error(transfer->plan.to, table);
}

/* Branches before commits: the newest of the main line is among them. */
static PhExit
copy_commits(PhTransfer *transfer, const char *runs)
{
	PhConnection *from = transfer->plan.from;
	PhParam params[] = {ph_param_text(runs), ph_param_bool(hides_anything(transfer)),
						ph_param_text(transfer->plan.hiding.salt)};
	PhResult *refs = ph_pq_query(from, ph_sql_copy_refs, params, 1);
	PhResult *commits = refs == NULL ? NULL : ph_pq_query(from, ph_sql_copy_commits, params, 3);
	PhExit code = commits == NULL ? ph_pq_log_error(from, "commits") : PH_EXIT_OK;

	if (code == PH_EXIT_OK && ph_result_count(commits) > 0)
		code = take_rows(transfer, "commit_ref", ph_result_text(refs, 0, 0));
	if (code == PH_EXIT_OK)
		code = write_commits(transfer, commits);
	ph_result_free(commits);
	ph_result_free(refs);
	return code;
}

/* ---- what people said ---- */

static PhExit
write_settings(PhTransfer *transfer, PhArena *arena, const PhResult *rows)
{
	PhConnection *to = transfer->plan.to;
	char *runs, *metrics;
	PhStatus status = ph_numbers_json(&transfer->runs, arena, &runs);

	if (status == PH_OK)
		status = ph_numbers_json(&transfer->metrics, arena, &metrics);
	if (status != PH_OK)
		return ph_transfer_failed(transfer, status);
	for (size_t i = 0; i < ph_result_count(rows); i++)
	{
		const char *table = ph_result_text(rows, i, 0);
		PhParam params[] = {ph_param_text(table), ph_param_text(ph_result_text(rows, i, 1)),
							ph_param_text(runs), ph_param_text(metrics)};

		if (ph_result_is_null(rows, i, 1))
			continue;
		if (!ph_pq_execute(to, ph_sql_copy_take_rows, params, 4) ||
			(strcmp(table, "regression") == 0 &&
			 !ph_pq_execute(to, ph_sql_copy_decisions, params + 1, 3)))
			return ph_pq_log_error(to, table);
	}
	return PH_EXIT_OK;
}

/* Metrics of regressions are among those of their runs, but those may have been there before. */
static PhExit
copy_settings(PhTransfer *transfer, const char *runs)
{
	PhParam param = ph_param_text(runs);
	PhResult *metrics = ph_pq_query(transfer->plan.from, ph_sql_copy_metrics, &param, 1);
	PhResult *rows =
		metrics == NULL ? NULL : ph_pq_query(transfer->plan.from, ph_sql_copy_settings, &param, 1);
	PhExit code = rows == NULL ? ph_pq_log_error(transfer->plan.from, "settings") : PH_EXIT_OK;
	PhArena arena;

	if (code == PH_EXIT_OK)
		code = ph_transfer_metrics(transfer, ph_result_text(metrics, 0, 0));
	ph_arena_init(&arena, &transfer->env);
	if (code == PH_EXIT_OK)
		code = write_settings(transfer, &arena, rows);
	ph_arena_drop(&arena);
	ph_result_free(metrics);
	ph_result_free(rows);
	return code;
}

/* ---- the end ---- */

/* What loads bring up to date; the runs are there without it. */
static void
refresh(PhTransfer *transfer)
{
	PhConnection *to = transfer->plan.to;
	char *list = ph_array_int(transfer->copied, transfer->counts.copied);
	PhParam runs = ph_param_text(list);
	PhParam n = ph_param_int((int64_t) transfer->counts.copied);

	if (!ph_pq_execute(to, ph_sql_load_analyze, &n, 1))
		ph_log_warning("no statistics were made: %s", to->error.message);
	if (!ph_pq_execute(to, ph_sql_load_assign_colors, &runs, 1))
		ph_log_warning("colours were not assigned: %s", to->error.message);
	if (!ph_pq_execute(to, ph_sql_load_refresh_noise, &runs, 1))
		ph_log_warning("noise was not brought up to date: %s", to->error.message);
	free(list);
}

static PhExit
copy_all(PhTransfer *transfer, const char *runs)
{
	PhConnection *to = transfer->plan.to;
	PhExit code = ph_pq_begin(to) ? PH_EXIT_OK : ph_pq_log_error(to, NULL);

	if (code == PH_EXIT_OK)
		code = copy_commits(transfer, runs);
	if (code == PH_EXIT_OK && !hides_anything(transfer))
		code = copy_settings(transfer, runs);
	if (code == PH_EXIT_OK && !ph_pq_commit(to))
		code = ph_pq_log_error(to, NULL);
	if (code != PH_EXIT_OK)
		ph_pq_rollback(to);
	return code;
}

PhExit
ph_transfer_finish(PhTransfer *transfer)
{
	char *runs = ph_array_int(transfer->runs.from, transfer->runs.n);
	PhExit code = transfer->runs.n == 0 ? PH_EXIT_OK : copy_all(transfer, runs);

	free(runs);
	if (transfer->counts.copied > 0)
		refresh(transfer);
	return code;
}
