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

static bool
run_exists(PhConnection *connection, const char *run)
{
	PhParam params[1] = {ph_param_text(run)};
	PhResult *result = ph_pq_query(connection, ph_sql_render_run_exists, params, 1);
	bool exists = result != NULL && ph_result_count(result) > 0;

	ph_result_free(result);
	return exists;
}

/* After "not found": the runs or the supernodes that there are; of metrics the server says it. */
static void
hint_existing(PhConnection *connection, const PhOptions *options)
{
	PhParam params[4] = {ph_param_text(options->run), ph_param_text(options->metric),
						 ph_param_text(options->group_by), ph_param_text(options->module_map)};
	const char *list;

	if (!run_exists(connection, options->run) ||
		(options->vs && !run_exists(connection, options->vs)))
	{
		list = listed(connection, options, ph_sql_render_runs, NULL, 0);
		ph_log_hint("Runs in this warehouse: %s.", *list ? list : "none, load some first");
		return;
	}
	if (options->node == NULL && options->n_steps == 0)
		return;
	list = listed(connection, options, ph_sql_render_supernodes, params, 4);
	if (*list)
		ph_log_hint("Supernodes of run %s by %s: %s.", options->run, options->group_by, list);
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
		PhExit code =
			ph_pq_log_error(connection, ph_need_format(options->arena, "run %s", options->run));

		if (code == PH_EXIT_NOT_FOUND)
			hint_existing(connection, options);
		return code;
	}
	for (size_t row = 0; row < ph_result_count(result); row++)
		ph_rows_add(rows, ph_result_text(result, row, 0), ph_result_text(result, row, 1));
	ph_result_free(result);
	return PH_EXIT_OK;
}

static PhExit
read_database(const PhView *view, const PhOptions *options, PhRows *rows)
{
	PhConnection *connection = NULL;
	PhExit code;

	if (options->run == NULL)
	{
		ph_log_error("no run to draw");
		ph_log_hint("Use --run RUN; \"perfhouse runs\" lists them.");
		return PH_EXIT_USAGE;
	}
	code = ph_warehouse_open(options->database, PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
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
