/*
 * fetch.c - the rows of a picture, from the database or from a file of saved rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database/asked_query.h"
#include "database/warehouse.h"
#include "drawing/arena_must.h"
#include "queries.h"
#include "request/bind.h"
#include "request/collect.h"
#include "request/user_query.h"
#include "system/log.h"

static PhExit
read_file(const char *name, PhViewRows *rows)
{
	FILE *file = fopen(name, "r");
	uint32_t line;
	bool ok;

	if (file == NULL)
	{
		ph_log_error("%s: %s", name, strerror(errno));
		ph_log_hint("Give a file written by --save-rows.");
		return ph_exit_from_errno(errno);
	}
	ok = ph_rows_read(rows, file, &line);
	fclose(file);
	if (ok)
		return PH_EXIT_OK;
	ph_log_error("%s: line %u is no saved row", name, line);
	ph_log_hint("Give a file written by --save-rows: \"section<TAB>JSON object\" a line.");
	return PH_EXIT_INPUT;
}

static PhExit
write_file(const char *name, const PhViewRows *rows)
{
	FILE *file = fopen(name, "w");
	bool ok;

	if (file == NULL)
	{
		ph_log_error("%s: %s", name, strerror(errno));
		return ph_exit_from_errno(errno);
	}
	ok = ph_rows_write(rows, file);
	ok = fclose(file) == 0 && ok;
	if (ok)
		return PH_EXIT_OK;
	ph_log_error("%s: %s", name, strerror(errno));
	return ph_exit_from_errno(errno);
}

/* ---- what is asked for must be there
 * ------------------------------------------------------------------------------- */

/* Runs and ranks that were asked for, as the queries that look for them take them. */
typedef struct Asked
{
	const char *runs, *ranks; /* as arrays */
	const char *application;
} Asked;

static PhParam
asked_value(void *user, const char *name)
{
	const Asked *asked = user;

	if (strcmp(name, "application") == 0)
		return ph_param_text(asked->application);
	return ph_param_text(strcmp(name, "runs") == 0 ? asked->runs : asked->ranks);
}

static PhResult *
look_for(PhConnection *connection, const PhQuery *query, Asked asked)
{
	PhParam params[PH_PQ_MAX_PARAMS];
	int n = ph_pq_bind(query->names, asked_value, &asked, params);

	return ph_pq_query(connection, query->sql, params, n);
}

/* Says which of the runs, an int8[] literal or NULL, is not there; which: what was asked for. */
static bool
check_runs(PhConnection *connection, const PhOptions *options, const char *runs, const char *which,
		   PhFailure *failure)
{
	PhArena *arena = options->arena;
	PhResult *result;
	const char *missing = NULL;
	const char *list;

	if (runs == NULL)
		return true;
	result = look_for(connection, &ph_query_render_runs_missing, (Asked){.runs = runs});
	if (result == NULL)
		return ph_fail_query(connection, NULL, options, failure);
	if (ph_result_count(result) > 0)
		missing = ph_need_copy(arena, ph_result_text(result, 0, 0));
	ph_result_free(result);
	if (missing == NULL)
		return true;
	list = ph_listed(connection, arena, &ph_query_render_runs, NULL, options);
	return ph_fail_fetch(failure, PH_EXIT_NOT_FOUND,
						 ph_need_format(arena, "there is no run %s%s", missing, which),
						 ph_need_format(arena, "Runs in this warehouse: %s.",
										*list ? list : "none, load some first"));
}

static bool
vs_is_run(const PhOptions *options)
{
	return ph_option_given(options, "vs") && !ph_option_is(options, "vs", "ensemble");
}

static const char *
one_run(const PhOptions *options, const char *name)
{
	const char *run = ph_option_text(options, name);

	return run ? ph_need_format(options->arena, "{%s}", run) : NULL;
}

/* All runs that the options name must be there. */
static bool
check_all_runs(PhConnection *connection, const PhOptions *options, PhFailure *failure)
{
	const char *runs = ph_option_text(options, "runs");
	bool two = vs_is_run(options);

	return check_runs(connection, options, one_run(options, "run"), two ? " (A, of --run)" : "",
					  failure) &&
		   (!two ||
			check_runs(connection, options, one_run(options, "vs"), " (B, of --vs)", failure)) &&
		   check_runs(connection, options, runs ? ph_integers_array(options->arena, runs) : NULL,
					  " (of --runs)", failure);
}

/* The ranks that were asked for must be those of the runs: an empty picture would not say so. */
static bool
check_ranks(PhConnection *connection, const PhOptions *options, PhFailure *failure)
{
	const char *run = ph_option_text(options, "run");
	const char *ranks = ph_option_text(options, "ranks");
	Asked asked;
	PhResult *result;
	bool ok;

	if (run == NULL || ranks == NULL)
		return true;
	asked.runs = vs_is_run(options)
					 ? ph_need_format(options->arena, "{%s,%s}", run, ph_option_text(options, "vs"))
					 : one_run(options, "run");
	asked.ranks = ph_integers_array(options->arena, ranks);
	result = look_for(connection, &ph_query_render_ranks_missing, asked);
	if (result == NULL)
		return ph_fail_query(connection, NULL, options, failure);
	ok = ph_result_count(result) == 0;
	if (!ok)
		ph_fail_fetch(
			failure, PH_EXIT_NOT_FOUND,
			ph_need_format(options->arena, "run %s has no rank %s", run,
						   ph_result_text(result, 0, 0)),
			ph_need_format(options->arena, "Its ranks are %s.", ph_result_text(result, 0, 1)));
	ph_result_free(result);
	return ok;
}

/* Of a view of many runs, or of one against others, some must have been found. */
static bool
check_some_found(PhConnection *connection, const PhView *view, const PhOptions *options,
				 const PhViewRows *rows, PhFailure *failure)
{
	const char *application = ph_option_text(options, "application");
	const char *condition = ph_option_condition(options);
	const char *list;

	if ((!view->many_runs && !ph_option_is(options, "vs", "ensemble")) ||
		ph_rows_count(ph_rows_table(rows, "runs")) > 0)
		return true;
	list = ph_listed(connection, options->arena, &ph_query_render_applications, view, options);
	return ph_fail_fetch(failure, PH_EXIT_NOT_FOUND,
						 ph_need_format(options->arena, "%s: no %srun matches%s%s%s%s", view->name,
										view->many_runs ? "" : "other ",
										application ? " application " : "",
										application ? application : "", condition ? " filter " : "",
										condition ? condition : ""),
						 ph_need_format(options->arena, "Applications in this warehouse: %s.",
										*list ? list : "none, load some runs first"));
}

/* A view of ranks needs a run that has them. */
static bool
check_found(PhConnection *connection, const PhView *view, const PhOptions *options,
			const PhViewRows *rows, PhFailure *failure)
{
	if (view->needs_ranks && ph_table_text(ph_rows_table(rows, "run"), 0, "rolled_up_at") != NULL)
		return ph_fail_fetch(failure, PH_EXIT_UNSUPPORTED,
							 ph_need_format(options->arena,
											"run %s: values of single ranks were rolled up",
											ph_option_text(options, "run")),
							 "sankey, flame and history draw its means; see run_distribution().");
	return check_some_found(connection, view, options, rows, failure);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static bool
run_query(PhConnection *connection, const PhView *view, const PhOptions *options, size_t most_bytes,
		  PhViewRows *rows, PhFailure *failure)
{
	PhParam params[PH_PQ_MAX_PARAMS];
	PhStatement statement = {view->query->sql, params, ph_bind(view->query, view, options, params),
							 most_bytes};

	return ph_collect(connection, view, options, &statement, rows, failure) &&
		   check_found(connection, view, options, rows, failure);
}

/* Colours of names belong to the application of the run, or of the first of several runs. */
static bool
add_colors(PhConnection *connection, const PhView *view, const PhOptions *options, PhViewRows *rows,
		   PhFailure *failure)
{
	const PhTable *run = ph_rows_table(rows, "run");
	const char *application;
	PhResult *result;

	if (run == NULL)
		run = ph_rows_table(rows, "runs");
	if (run == NULL)
		return true;
	application = ph_table_text(run, 0, "application");
	result = look_for(connection, &ph_query_render_colors,
					  (Asked){.application = application ? application : ""});
	if (result == NULL)
		return ph_fail_query(connection, view, options, failure);
	if (ph_result_count(result) > 0)
		ph_need_memory(
			ph_rows_add(rows, ph_result_text(result, 0, 0), ph_result_text(result, 0, 1)));
	ph_result_free(result);
	return true;
}

const PhView *
ph_view_asked(const PhView *view, const PhOptions *options)
{
	bool is_one = ph_option_given(options, "run") || ph_user_query_given(options);

	return view->of_run != NULL && is_one ? view->of_run : view;
}

bool
ph_fetch_check(const PhView *view, const PhOptions *options, PhFailure *failure)
{
	bool chosen = ph_option_given(options, "application") || ph_option_condition(options) ||
				  ph_option_given(options, "runs");

	if (ph_user_query_given(options))
		return ph_user_query_check(view, options, failure);
	if (view->query == NULL)
		return ph_fail_fetch(
			failure, PH_EXIT_USAGE, "no query to draw",
			ph_need_format(options->arena, "Use --query or --query-file; %s draws rows: %s.",
						   view->name, ph_given_text(options->arena, view->given)));
	if (!view->many_runs && !ph_option_given(options, "run"))
		return ph_fail_fetch(failure, PH_EXIT_USAGE, "no run to draw",
							 "Use --run RUN; \"perfhouse runs\" lists them.");
	if (view->many_runs && !chosen)
		return ph_fail_fetch(failure, PH_EXIT_USAGE, "no runs to draw",
							 "Choose them with --application, --filter or --runs; \"perfhouse "
							 "runs\" lists them.");
	return true;
}

bool
ph_fetch_rows(PhConnection *connection, const PhView *view, const PhOptions *options,
			  size_t most_bytes, PhViewRows *rows, PhFailure *failure)
{
	if (!ph_fetch_check(view, options, failure))
		return false;
	if (ph_user_query_given(options))
		return ph_user_query_rows(connection, view, options, rows, failure);
	return check_all_runs(connection, options, failure) &&
		   check_ranks(connection, options, failure) &&
		   run_query(connection, view, options, most_bytes, rows, failure) &&
		   add_colors(connection, view, options, rows, failure);
}

/* As whoever started this program for others wants it. */
static bool
restrict_session(PhConnection *connection)
{
	const char *timeout = getenv(PH_RESTRICTED);

	return timeout == NULL ||
		   ph_asked_restrict(connection, "perfhouse render", (int) strtol(timeout, NULL, 10));
}

static PhExit
read_database(const PhView *view, const PhOptions *options, const char *database, PhViewRows *rows)
{
	PhConnection *connection = NULL;
	PhFailure failure;
	PhExit code;

	if (!ph_fetch_check(view, options, &failure))
		return ph_failure_log(&failure);
	code = ph_warehouse_open(database, PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	if (!restrict_session(connection))
		code = ph_pq_log_error(connection, NULL);
	else if (!ph_fetch_rows(connection, view, options, 0, rows, &failure))
		code = ph_failure_log(&failure);
	ph_pq_close(connection);
	return code;
}

PhExit
ph_fetch(const PhView *view, const PhOptions *options, const char *database, PhViewRows *rows)
{
	const char *from = ph_option_text(options, "rows");
	const char *to = ph_option_text(options, "save-rows");
	PhExit code;

	rows->keep_objects = to != NULL;
	code = from ? read_file(from, rows) : read_database(view, options, database, rows);
	if (code == PH_EXIT_OK && to != NULL)
		code = write_file(to, rows);
	return code;
}
