/*
 * fetch.c - the rows of a picture, from the database or from a file of saved rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "fetch.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "log.h"
#include "logical_plot.h"
#include "need.h"
#include "queries.h"
#include "warehouse.h"

#define MAX_LISTED 20

static PhExit
read_file(const char *name, PhRows *rows)
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
write_file(const char *name, const PhRows *rows)
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

/* ---- parameters ---------------------------------------------------------------------------- */

static const char *
step_name(PhStepKind kind)
{
	static const char *const names[] = {"split-entry", "split-caller", "drill"};

	return names[kind];
}

static const char *
steps_json(const PhOptions *options)
{
	json_object *steps = json_object_new_array();
	const char *text;

	for (uint32_t i = 0; i < options->n_steps; i++)
	{
		const PhStep *step = &options->steps[i];
		json_object *object = json_object_new_object();
		json_object *functions = json_object_new_array();

		json_object_object_add(object, "op", json_object_new_string(step_name(step->kind)));
		json_object_object_add(object, "node", json_object_new_string(step->node));
		if (step->level)
			json_object_object_add(object, "level", json_object_new_string(step->level));
		for (uint32_t k = 0; k < step->n_functions; k++)
			json_object_array_add(functions, json_object_new_string(step->functions[k]));
		json_object_object_add(object, "functions", functions);
		json_object_array_add(steps, object);
	}
	text = ph_need_copy(options->arena, json_object_to_json_string(steps));
	json_object_put(steps);
	return text;
}

static void
layout_size(const PhView *view, const PhOptions *options, double *width, double *height)
{
	PhBody body = ph_page_body(options->width > 0 ? options->width : view->width,
							   options->height > 0 ? options->height : view->height);

	*width = body.width;
	*height = body.height;
	if (view->layout_size)
		view->layout_size(options, body, width, height);
	*width = fmax(*width, 100);
	*height = fmax(*height, 60);
}

/* Those of views in logical time. */
static PhParam
logical_parameter(const PhOptions *options, PhParameter which)
{
	switch (which)
	{
		case PH_PARAMETER_STEP_FROM:
			return ph_param_text(options->step_from);
		case PH_PARAMETER_STEP_TO:
			return ph_param_text(options->step_to);
		case PH_PARAMETER_PHASE:
			return ph_param_text(options->phase);
		case PH_PARAMETER_STEP_METRIC:
			return ph_param_text(ph_step_metric(options)->column);
		case PH_PARAMETER_STEP_COLOR:
			return ph_param_text(options->color ? ph_step_metric(options)->column : NULL);
		case PH_PARAMETER_AGGREGATES:
			return ph_param_text(options->aggregates ? "true" : "false");
		case PH_PARAMETER_BETWEEN:
			return ph_param_text(options->no_aggregates ? "false" : "true");
		case PH_PARAMETER_CLUSTERS:
			return ph_param_int(options->clusters > 0 ? options->clusters : 6);
		case PH_PARAMETER_RADIUS:
			return ph_param_int(options->radius > 0 ? options->radius : 1);
		default:
			return ph_param_text(options->summary ? options->summary : "sum");
	}
}

static const char *
paths_json(const PhOptions *options)
{
	json_object *paths = json_object_new_array();
	const char *text;

	for (uint32_t i = 0; i < options->n_paths; i++)
		json_object_array_add(paths, json_object_new_string(options->paths[i]));
	text = ph_need_copy(options->arena, json_object_to_json_string(paths));
	json_object_put(paths);
	return text;
}

/* Those of views of many runs and of call trees. */
static PhParam
choice_parameter(const PhOptions *options, PhParameter which)
{
	switch (which)
	{
		case PH_PARAMETER_APPLICATION:
			return ph_param_text(options->application);
		case PH_PARAMETER_RUN_FILTER:
			return ph_param_text(options->run_filter);
		case PH_PARAMETER_RUNS:
			return ph_param_text(options->runs);
		case PH_PARAMETER_HIGHLIGHT:
			return ph_param_text(options->highlight);
		case PH_PARAMETER_COLOR_METRIC:
			return ph_param_text(options->color_metric);
		case PH_PARAMETER_PATHS:
			return ph_param_text(paths_json(options));
		case PH_PARAMETER_BY:
			return ph_param_text(options->by);
		case PH_PARAMETER_MODE:
			return ph_param_text(options->mode);
		case PH_PARAMETER_NUMBER:
			return ph_param_text(options->parameter);
		case PH_PARAMETER_SCALING:
			return ph_param_text(options->scaling);
		default:
			return ph_param_text(options->order);
	}
}

static PhParam
parameter(const PhView *view, const PhOptions *options, PhParameter which)
{
	double width;
	double height;

	layout_size(view, options, &width, &height);
	switch (which)
	{
		case PH_PARAMETER_RUN:
			return ph_param_text(options->run);
		case PH_PARAMETER_VS:
			return ph_param_text(options->vs);
		case PH_PARAMETER_METRIC:
			return ph_param_text(options->metric);
		case PH_PARAMETER_METRIC_Y:
			return ph_param_text(options->metric_y);
		case PH_PARAMETER_RANKS:
			return ph_param_text(options->ranks);
		case PH_PARAMETER_FILTER:
			return ph_param_float(isnan(options->filter) ? view->filter : options->filter);
		case PH_PARAMETER_GROUP_BY:
			return ph_param_text(options->group_by);
		case PH_PARAMETER_MODULE_MAP:
			return ph_param_text(options->module_map);
		case PH_PARAMETER_STEPS:
			return ph_param_text(steps_json(options));
		case PH_PARAMETER_NODE:
			return ph_param_text(options->node);
		case PH_PARAMETER_COST:
			return ph_param_text(options->cost ? options->cost : "inclusive");
		case PH_PARAMETER_BINS:
			return ph_param_int(options->bins);
		case PH_PARAMETER_TOP:
			return ph_param_int(options->top);
		case PH_PARAMETER_WIDTH:
			return ph_param_float(width);
		case PH_PARAMETER_HEIGHT:
			return ph_param_float(height);
		case PH_PARAMETER_FROM:
			return ph_param_text(options->from);
		case PH_PARAMETER_TO:
			return ph_param_text(options->to);
		case PH_PARAMETER_DEPTH:
			return ph_param_int(options->depth > 0 ? options->depth : 6);
		case PH_PARAMETER_MESSAGES:
			return ph_param_text(options->no_messages ? "false" : "true");
		case PH_PARAMETER_STEP_FROM:
		case PH_PARAMETER_STEP_TO:
		case PH_PARAMETER_PHASE:
		case PH_PARAMETER_STEP_METRIC:
		case PH_PARAMETER_STEP_COLOR:
		case PH_PARAMETER_AGGREGATES:
		case PH_PARAMETER_BETWEEN:
		case PH_PARAMETER_CLUSTERS:
		case PH_PARAMETER_RADIUS:
		case PH_PARAMETER_SUMMARY:
			return logical_parameter(options, which);
		case PH_PARAMETER_APPLICATION:
		case PH_PARAMETER_RUN_FILTER:
		case PH_PARAMETER_RUNS:
		case PH_PARAMETER_HIGHLIGHT:
		case PH_PARAMETER_COLOR_METRIC:
		case PH_PARAMETER_ORDER:
		case PH_PARAMETER_PATHS:
		case PH_PARAMETER_BY:
		case PH_PARAMETER_MODE:
		case PH_PARAMETER_NUMBER:
		case PH_PARAMETER_SCALING:
			return choice_parameter(options, which);
		case PH_PARAMETER_END:
			break;
	}
	return ph_param_null();
}

/* ---- queries ------------------------------------------------------------------------------- */

/* The first column of a query's rows, separated by commas; "" when it fails. */
static const char *
listed(PhConnection *connection, const PhOptions *options, const char *sql, const PhParam *params,
	   int n_params)
{
	PhResult *result = ph_pq_query(connection, sql, params, n_params);
	const char *list = "";
	size_t n;

	if (result == NULL)
		return list;
	n = ph_result_count(result);
	for (size_t row = 0; row < n && row < MAX_LISTED; row++)
		list = ph_need_format(options->arena, "%s%s%s", list, row ? ", " : "",
							  ph_result_text(result, row, 0));
	if (n > MAX_LISTED)
		list = ph_need_format(options->arena, "%s and %zu more", list, n - MAX_LISTED);
	ph_result_free(result);
	return list;
}

static void
hint_runs(PhConnection *connection, const PhOptions *options)
{
	const char *list = listed(connection, options, ph_sql_render_runs, NULL, 0);

	ph_log_hint("Runs in this warehouse: %s.", *list ? list : "none, load some first");
}

/* Says which of the runs, an int8[] literal or NULL, is not there; which: what was asked for. */
static PhExit
check_runs(PhConnection *connection, const PhOptions *options, const char *runs, const char *which)
{
	PhParam params[1] = {ph_param_text(runs)};
	PhResult *result;
	PhExit code = PH_EXIT_OK;

	if (runs == NULL)
		return PH_EXIT_OK;
	result = ph_pq_query(connection, ph_sql_render_runs_missing, params, 1);
	if (result == NULL)
		return ph_pq_log_error(connection, which);
	if (ph_result_count(result) > 0)
	{
		ph_log_error("there is no run %s%s", ph_result_text(result, 0, 0), which);
		hint_runs(connection, options);
		code = PH_EXIT_NOT_FOUND;
	}
	ph_result_free(result);
	return code;
}

static bool
vs_is_run(const PhOptions *options)
{
	return options->vs != NULL && strcmp(options->vs, "ensemble") != 0;
}

static const char *
one_run(const PhOptions *options, const char *run)
{
	return run ? ph_need_format(options->arena, "{%s}", run) : NULL;
}

/* All runs that the options name must be there. */
static PhExit
check_all_runs(PhConnection *connection, const PhOptions *options)
{
	bool two = vs_is_run(options);
	PhExit code = check_runs(connection, options, one_run(options, options->run),
							 two ? " (A, of --run)" : "");

	if (code == PH_EXIT_OK && two)
		code = check_runs(connection, options, one_run(options, options->vs), " (B, of --vs)");
	if (code == PH_EXIT_OK)
		code = check_runs(connection, options, options->runs, " (of --runs)");
	return code;
}

/* After "not found": the supernodes that there are; of metrics and call paths the server says it.
 */
static void
hint_supernodes(PhConnection *connection, const PhView *view, const PhOptions *options)
{
	PhParam params[4] = {ph_param_text(options->run), ph_param_text(options->metric),
						 ph_param_text(options->group_by), ph_param_text(options->module_map)};
	const char *list;

	if ((options->node == NULL && options->n_steps == 0) || options->run == NULL ||
		!ph_option_among(view->options, "group-by"))
		return;
	list = listed(connection, options, ph_sql_render_supernodes, params, 4);
	if (*list)
		ph_log_hint("Supernodes of run %s by %s: %s.", options->run, options->group_by, list);
}

/* What an error of the query is about; NULL when the message names the run itself. */
static const char *
subject(const PhConnection *connection, const PhView *view, const PhOptions *options)
{
	if (strncmp(connection->error.message, "run ", 4) == 0)
		return NULL;
	if (options->run == NULL || view->many_runs)
		return view->name;
	if (vs_is_run(options))
		return ph_need_format(options->arena, "runs %s and %s", options->run, options->vs);
	return ph_need_format(options->arena, "run %s", options->run);
}

/* Of a view of many runs: some must have been found. */
static PhExit
check_found(PhConnection *connection, const PhView *view, const PhOptions *options,
			const PhRows *rows)
{
	const char *list;

	if (!view->many_runs || ph_rows_count(ph_rows_table(rows, "runs")) > 0)
		return PH_EXIT_OK;
	list = listed(connection, options, ph_sql_render_applications, NULL, 0);
	ph_log_error(
		"%s: no run matches%s%s%s%s", view->name, options->application ? " application " : "",
		options->application ? options->application : "", options->run_filter ? " filter " : "",
		options->run_filter ? options->run_filter : "");
	ph_log_hint("Applications in this warehouse: %s.", *list ? list : "none, load some runs first");
	return PH_EXIT_NOT_FOUND;
}

/* Names that contain the word, else the nearest, else all. */
static const char *
similar(PhArena *arena, const char *word, const char *const *names, uint32_t n)
{
	const char *nearest = ph_cli_nearest(word, names, n);
	const char *list = "";
	uint32_t n_listed = 0;

	for (uint32_t i = 0; i < n && n_listed < MAX_LISTED; i++)
		if (strcasestr(names[i], word))
			list = ph_need_format(arena, "%s%s%s", list, n_listed++ ? ", " : "", names[i]);
	if (n_listed > 0)
		return ph_need_format(arena, "Did you mean one of these: %s?", list);
	if (nearest)
		return ph_need_format(arena, "Did you mean %s?", nearest);
	for (uint32_t i = 0; i < n && i < MAX_LISTED; i++)
		list = ph_need_format(arena, "%s%s%s", list, i ? ", " : "", names[i]);
	if (n > MAX_LISTED)
		list = ph_need_format(arena, "%s and %u more", list, n - MAX_LISTED);
	return n > 0 ? ph_need_format(arena, "There are: %s.", list) : NULL;
}

/* The query found nothing to draw and says why. */
static PhExit
not_found(const PhOptions *options, const PhRows *rows)
{
	const PhTable *error = ph_rows_table(rows, "error");
	const char *hint = ph_table_text(error, 0, "hint");
	const char *word = ph_table_text(error, 0, "word");
	uint32_t n;
	const char **candidates = ph_table_texts(options->arena, error, 0, "candidates", &n);

	if (hint == NULL && word != NULL)
		hint = similar(options->arena, word, candidates, n);
	ph_log_error("%s", ph_table_text(error, 0, "message"));
	if (hint)
		ph_log_hint("%s", hint);
	return PH_EXIT_NOT_FOUND;
}

static PhExit
run_query(PhConnection *connection, const PhView *view, const PhOptions *options, PhRows *rows)
{
	PhParam params[PH_PQ_MAX_PARAMS];
	PhResult *result;
	int n = 0;

	for (; view->parameters[n] != PH_PARAMETER_END; n++)
		params[n] = parameter(view, options, view->parameters[n]);
	result = ph_pq_query(connection, view->sql, params, n);
	if (result == NULL)
	{
		PhExit code = ph_pq_log_error(connection, subject(connection, view, options));

		if (code == PH_EXIT_NOT_FOUND)
			hint_supernodes(connection, view, options);
		return code;
	}
	for (size_t row = 0; row < ph_result_count(result); row++)
		ph_rows_add(rows, ph_result_text(result, row, 0), ph_result_text(result, row, 1));
	ph_result_free(result);
	if (ph_rows_table(rows, "error"))
		return not_found(options, rows);
	return check_found(connection, view, options, rows);
}

/* Is it said which runs to draw? */
static PhExit
check_choice(const PhView *view, const PhOptions *options)
{
	if (!view->many_runs && options->run == NULL)
	{
		ph_log_error("no run to draw");
		ph_log_hint("Use --run RUN; \"perfhouse runs\" lists them.");
		return PH_EXIT_USAGE;
	}
	if (view->many_runs && !options->application && !options->run_filter && !options->runs)
	{
		ph_log_error("no runs to draw");
		ph_log_hint("Choose them with --application, --filter or --runs; \"perfhouse runs\" lists "
					"them.");
		return PH_EXIT_USAGE;
	}
	return PH_EXIT_OK;
}

static PhExit
read_database(const PhView *view, const PhOptions *options, PhRows *rows)
{
	PhConnection *connection = NULL;
	PhExit code = check_choice(view, options);

	if (code == PH_EXIT_OK)
		code = ph_warehouse_open(options->database, PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	code = check_all_runs(connection, options);
	if (code == PH_EXIT_OK)
		code = run_query(connection, view, options, rows);
	ph_pq_close(connection);
	return code;
}

PhExit
ph_fetch(const PhView *view, const PhOptions *options, PhRows *rows)
{
	PhExit code =
		options->rows ? read_file(options->rows, rows) : read_database(view, options, rows);

	if (code == PH_EXIT_OK && options->save_rows)
		code = write_file(options->save_rows, rows);
	return code;
}
