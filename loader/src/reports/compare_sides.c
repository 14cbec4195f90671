/*
 * compare_sides.c - which runs the two arguments of compare stand for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/compare_sides.h"

#include <stdlib.h>
#include <string.h>

#include "queries.h"
#include "runs/named_run.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"

static PhExit resolve_runs(PhConnection *connection, PhSide *side);
static PhExit resolve_commits(PhConnection *connection, const PhSideOptions *options, PhSide *a,
							  PhSide *b);

void
ph_side_free(PhSide *side)
{
	free(side->runs);
	free(side->label);
	free(side->commit);
}

/* Digits may also begin a hash: a run of that number wins. */
static PhExit
looks_like_runs(PhConnection *connection, const PhSide *side, bool *out)
{
	PhParam param = ph_param_text(side->argument);
	PhResult *rows;

	*out = ph_names_runs(side->argument);
	if (!*out || strchr(side->argument, ',') != NULL || strlen(side->argument) < 6)
		return PH_EXIT_OK;
	rows = ph_pq_query(connection, ph_sql_compare_is_commit, &param, 1);
	if (rows == NULL)
		return ph_pq_log_error(connection, "compare");
	*out = !ph_result_bool(rows, 0, 0);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

PhExit
ph_sides_resolve(PhConnection *connection, const PhSideOptions *options, PhSide *a, PhSide *b)
{
	PhSide *sides[2] = {a, b};
	PhExit code = PH_EXIT_OK;

	for (int i = 0; i < 2 && code == PH_EXIT_OK; i++)
	{
		bool is_runs = false;

		if (sides[i]->argument[0] == '\0') /* as a variable of a script that is not set */
		{
			ph_log_error("an argument is empty: name runs, or a commit");
			return PH_EXIT_USAGE;
		}
		code = looks_like_runs(connection, sides[i], &is_runs);
		sides[i]->is_commit = !is_runs;
		if (code == PH_EXIT_OK && is_runs)
			code = resolve_runs(connection, sides[i]);
	}
	if (code == PH_EXIT_OK && (a->is_commit || b->is_commit))
		code = resolve_commits(connection, options, a, b);
	return code;
}

static void
take_runs(PhSide *side, const PhResult *rows, size_t field)
{
	side->runs = ph_must_alloc(ph_result_count(rows), sizeof(*side->runs));
	for (size_t i = 0; i < ph_result_count(rows); i++)
		side->runs[side->n_runs++] = ph_result_int(rows, i, field);
}

/* NULL: one is no number of a run, or the database does not answer (logged). */
static PhResult *
ask_runs(PhConnection *connection, const PhSide *side, size_t *n_named, PhExit *code)
{
	int64_t *numbers = ph_run_numbers(side->argument, n_named);
	PhResult *rows;
	char *list;

	*code = numbers != NULL ? PH_EXIT_OK : PH_EXIT_USAGE;
	if (numbers == NULL)
		return NULL;
	list = ph_array_int(numbers, *n_named);
	free(numbers);
	PhParam param = ph_param_text(list);
	rows = ph_pq_query(connection, ph_sql_compare_runs, &param, 1);
	free(list);
	if (rows == NULL)
		*code = ph_pq_log_error(connection, "compare");
	return rows;
}

static PhExit
resolve_runs(PhConnection *connection, PhSide *side)
{
	size_t n_named;
	PhExit code;
	PhResult *rows = ask_runs(connection, side, &n_named, &code);

	if (rows == NULL)
		return code;
	if (ph_result_count(rows) < n_named || ph_result_count(rows) == 0)
	{
		if (n_named == 1)
			ph_log_error("there is no run %s", side->argument);
		else
			ph_log_error("not all of the runs %s are there, or one is named twice", side->argument);
		ph_log_hint("perfhouse runs lists them.");
		code = PH_EXIT_NOT_FOUND;
	}
	else
		take_runs(side, rows, 0);
	if (code == PH_EXIT_OK && side->n_runs == 1)
	{
		side->n_repeats = (size_t) ph_result_int(rows, 0, 1);
		if (!ph_result_is_null(rows, 0, 2))
			side->commit = ph_strdup(ph_result_text(rows, 0, 2));
		side->label = ph_format("run %s (%s)", side->argument, ph_result_text(rows, 0, 3));
	}
	else if (code == PH_EXIT_OK)
		side->label = ph_format("runs %s", side->argument);
	ph_result_free(rows);
	return code;
}

enum
{
	G_APPLICATION,
	G_EXPERIMENT, /* its keys for people */
	G_RUNS_A,
	G_RUNS_B,
	G_COMMIT_A,
	G_COMMIT_B
};

/* Rows are experiments that both sides have runs of. */
static PhExit
choose_group(const PhResult *rows, const PhSide *a, const PhSide *b)
{
	if (ph_result_count(rows) == 1)
		return PH_EXIT_OK;
	if (ph_result_count(rows) == 0)
	{
		ph_log_error("%s and %s are not both commits or runs that were loaded, or nothing is left "
					 "of one of them",
					 a->argument, b->argument);
		ph_log_hint("perfhouse runs commit_id=HASH lists the runs of a commit.");
		return PH_EXIT_NOT_FOUND;
	}
	ph_log_error("%s and %s have runs of %zu experiments in common", a->argument, b->argument,
				 ph_result_count(rows));
	for (size_t i = 0; i < ph_result_count(rows); i++)
		ph_log_detail("%s: %s", ph_result_text(rows, i, G_APPLICATION),
					  ph_result_text(rows, i, G_EXPERIMENT));
	ph_log_hint("Choose one with --application, --n-ranks or --filter.");
	return PH_EXIT_USAGE;
}

static PhExit
take_commit(PhSide *side, const PhResult *rows, size_t runs_field, size_t commit_field)
{
	const char *list = ph_result_text(rows, 0, runs_field);
	size_t n = 0;

	if (!side->is_commit)
		return PH_EXIT_OK;
	if (strchr(ph_result_text(rows, 0, commit_field), ' ') != NULL)
	{
		ph_log_error("%s begins more than one commit: %s", side->argument,
					 ph_result_text(rows, 0, commit_field));
		return PH_EXIT_USAGE;
	}
	side->runs = ph_must_alloc(strlen(list) + 1, sizeof(*side->runs));
	for (const char *at = list; *at != '\0'; at += *at != '\0')
	{
		char *end;

		side->runs[n++] = strtoll(at, &end, 10);
		at = end;
	}
	side->n_runs = n;
	side->label = ph_format("commit %.9s (%zu run%s)", ph_result_text(rows, 0, commit_field), n,
							n == 1 ? "" : "s");
	return PH_EXIT_OK;
}

static PhParam
side_param(const PhSide *side, char **text)
{
	*text = side->is_commit ? NULL : ph_array_int(side->runs, side->n_runs);
	return ph_param_text(*text);
}

static PhExit
resolve_commits(PhConnection *connection, const PhSideOptions *options, PhSide *a, PhSide *b)
{
	char *runs[2];
	PhParam params[8] = {a->is_commit ? ph_param_text(a->argument) : ph_param_null(),
						 b->is_commit ? ph_param_text(b->argument) : ph_param_null(),
						 side_param(a, &runs[0]),
						 side_param(b, &runs[1]),
						 ph_param_text(options->application),
						 options->n_ranks > 0 ? ph_param_int(options->n_ranks) : ph_param_null(),
						 ph_param_text(options->filter),
						 ph_param_bool(true)};
	PhResult *rows = ph_pq_query(connection, ph_sql_compare_commits, params, 8);
	PhExit code;

	if (rows != NULL && ph_result_count(rows) == 0)
	{
		ph_result_free(rows);
		params[7] = ph_param_bool(false);
		rows = ph_pq_query(connection, ph_sql_compare_commits, params, 8);
	}
	free(runs[0]);
	free(runs[1]);
	if (rows == NULL)
		return ph_pq_log_error(connection, "compare");
	code = choose_group(rows, a, b);
	if (code == PH_EXIT_OK)
		code = take_commit(a, rows, G_RUNS_A, G_COMMIT_A);
	if (code == PH_EXIT_OK)
		code = take_commit(b, rows, G_RUNS_B, G_COMMIT_B);
	ph_result_free(rows);
	return code;
}
