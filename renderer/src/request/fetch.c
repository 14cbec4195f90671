/*
 * fetch.c - the rows of a picture, from the database or from a file of saved rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/fetch.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "database/warehouse.h"
#include "drawing/arena_must.h"
#include "queries.h"
#include "system/log.h"
#include "views/logical/logical.h"

#define MAX_LISTED 20

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

/* ---- parameters ---------------------------------------------------------------------------- */

typedef enum PhParameter
{
	PH_PARAMETER_UNKNOWN,
	PH_PARAMETER_RUN,
	PH_PARAMETER_VS,
	PH_PARAMETER_METRIC,
	PH_PARAMETER_METRIC_Y,
	PH_PARAMETER_RANKS,
	PH_PARAMETER_FILTER,
	PH_PARAMETER_GROUP_BY,
	PH_PARAMETER_MODULE_MAP,
	PH_PARAMETER_STEPS,
	PH_PARAMETER_NODE,
	PH_PARAMETER_COST,
	PH_PARAMETER_BINS,
	PH_PARAMETER_TOP,
	PH_PARAMETER_WIDTH,
	PH_PARAMETER_HEIGHT,
	PH_PARAMETER_FROM,
	PH_PARAMETER_TO,
	PH_PARAMETER_DEPTH,
	PH_PARAMETER_MESSAGES, /* true: wanted */
	PH_PARAMETER_STEP_FROM,
	PH_PARAMETER_STEP_TO,
	PH_PARAMETER_PHASE,
	PH_PARAMETER_STEP_METRIC, /* what --color means in logical time */
	PH_PARAMETER_STEP_COLOR,  /* the same; null without --color */
	PH_PARAMETER_AGGREGATES,  /* true: wanted */
	PH_PARAMETER_BETWEEN,	  /* the same, but wanted unless told otherwise */
	PH_PARAMETER_REORDER,
	PH_PARAMETER_CLUSTERS,
	PH_PARAMETER_RADIUS,
	PH_PARAMETER_UNFOLD,
	PH_PARAMETER_FOLD,
	PH_PARAMETER_CLUSTER,
	PH_PARAMETER_FOCUS,
	PH_PARAMETER_SUMMARY,
	PH_PARAMETER_APPLICATION,
	PH_PARAMETER_RUN_FILTER,
	PH_PARAMETER_PATHS, /* JSON array of texts */
	PH_PARAMETER_BY,
	PH_PARAMETER_MODE,
	PH_PARAMETER_NUMBER, /* --parameter */
	PH_PARAMETER_SCALING,
	PH_PARAMETER_RUNS,
	PH_PARAMETER_HIGHLIGHT,
	PH_PARAMETER_COLOR_METRIC,
	PH_PARAMETER_SELF, /* --cost, exclusive unless told otherwise */
	PH_PARAMETER_ORDER,
	PH_PARAMETER_ALIASES /* true: wanted */
} PhParameter;

static const char *const parameter_names[] = {
	NULL,		  "run",		"vs",			"metric",	  "metric_y",  "ranks",
	"filter",	  "group_by",	"module_map",	"refinement", "node",	   "cost",
	"bins",		  "top",		"width",		"height",	  "from",	   "to",
	"depth",	  "messages",	"step_from",	"step_to",	  "phase",	   "step_metric",
	"step_color", "aggregates", "between",		"reorder",	  "clusters",  "radius",
	"unfold",	  "fold",		"cluster",		"focus",	  "summary",   "application",
	"run_filter", "paths",		"by",			"mode",		  "parameter", "scaling",
	"runs",		  "highlight",	"color_metric", "self_cost",  "order",	   "aliases"};

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
		case PH_PARAMETER_REORDER:
			return ph_param_text(options->reorder ? "true" : "false");
		case PH_PARAMETER_ALIASES:
			return ph_param_text(options->aliases ? "true" : "false");
		case PH_PARAMETER_CLUSTERS:
			return ph_param_int(options->clusters > 0 ? options->clusters : 6);
		case PH_PARAMETER_RADIUS:
			return options->radius > 0 ? ph_param_int(options->radius) : ph_param_text(NULL);
		case PH_PARAMETER_UNFOLD:
			return ph_param_text(options->unfold);
		case PH_PARAMETER_FOLD:
			return ph_param_text(options->fold);
		case PH_PARAMETER_CLUSTER:
			return ph_param_text(options->cluster);
		case PH_PARAMETER_FOCUS:
			return ph_param_text(options->focus ? options->focus : "latest");
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
		case PH_PARAMETER_SELF:
			return ph_param_text(options->cost ? options->cost : "exclusive");
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
value_of(const PhView *view, const PhOptions *options, PhParameter which)
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
			return ph_param_int(view->top > 0 && !options->top_given ? view->top : options->top);
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
		case PH_PARAMETER_ALIASES:
		case PH_PARAMETER_REORDER:
		case PH_PARAMETER_CLUSTERS:
		case PH_PARAMETER_RADIUS:
		case PH_PARAMETER_UNFOLD:
		case PH_PARAMETER_FOLD:
		case PH_PARAMETER_CLUSTER:
		case PH_PARAMETER_FOCUS:
		case PH_PARAMETER_SUMMARY:
			return logical_parameter(options, which);
		case PH_PARAMETER_APPLICATION:
		case PH_PARAMETER_RUN_FILTER:
		case PH_PARAMETER_RUNS:
		case PH_PARAMETER_HIGHLIGHT:
		case PH_PARAMETER_COLOR_METRIC:
		case PH_PARAMETER_SELF:
		case PH_PARAMETER_ORDER:
		case PH_PARAMETER_PATHS:
		case PH_PARAMETER_BY:
		case PH_PARAMETER_MODE:
		case PH_PARAMETER_NUMBER:
		case PH_PARAMETER_SCALING:
			return choice_parameter(options, which);
		case PH_PARAMETER_UNKNOWN:
			break;
	}
	return ph_param_null();
}

typedef struct Request
{
	const PhView *view;
	const PhOptions *options;
} Request;

/* The value that a query names. */
static PhParam
parameter(void *user, const char *name)
{
	const Request *request = user;
	int which = (int) (sizeof(parameter_names) / sizeof(parameter_names[0])) - 1;

	while (which > 0 && strcmp(parameter_names[which], name) != 0)
		which--;
	if (which == 0)
		abort();
	return value_of(request->view, request->options, (PhParameter) which);
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

/* Fills in why; returns false. message and hint live as long as the arena. */
static bool
fail(PhFailure *failure, PhExit code, const char *message, const char *hint)
{
	*failure = (PhFailure){.code = code, .sqlstate = "", .message = message, .hint = hint};
	return false;
}

/* Why the server refused; subject stands before its message, NULL: nothing. */
static bool
fail_query(const PhConnection *connection, PhArena *arena, const char *subject, PhFailure *failure)
{
	const PhPqError *error = &connection->error;

	fail(failure, error->code,
		 ph_need_format(arena, "%s%s%s", subject ? subject : "", subject ? ": " : "",
						error->code == PH_EXIT_INTERRUPTED ? "interrupted" : error->message),
		 ph_need_copy(arena, error->hint));
	failure->sqlstate = ph_need_copy(arena, error->sqlstate);
	failure->detail = ph_need_copy(arena, error->detail);
	return false;
}

/* Says which of the runs, an int8[] literal or NULL, is not there; which: what was asked for. */
static bool
check_runs(PhConnection *connection, const PhOptions *options, const char *runs, const char *which,
		   PhFailure *failure)
{
	PhParam params[1] = {ph_param_text(runs)};
	PhResult *result;
	const char *missing = NULL;
	const char *list;

	if (runs == NULL)
		return true;
	result = ph_pq_query(connection, ph_sql_render_runs_missing, params, 1);
	if (result == NULL)
		return fail_query(connection, options->arena, which, failure);
	if (ph_result_count(result) > 0)
		missing = ph_need_copy(options->arena, ph_result_text(result, 0, 0));
	ph_result_free(result);
	if (missing == NULL)
		return true;
	list = listed(connection, options, ph_sql_render_runs, NULL, 0);
	return fail(failure, PH_EXIT_NOT_FOUND,
				ph_need_format(options->arena, "there is no run %s%s", missing, which),
				ph_need_format(options->arena, "Runs in this warehouse: %s.",
							   *list ? list : "none, load some first"));
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
static bool
check_all_runs(PhConnection *connection, const PhOptions *options, PhFailure *failure)
{
	bool two = vs_is_run(options);

	return check_runs(connection, options, one_run(options, options->run),
					  two ? " (A, of --run)" : "", failure) &&
		   (!two || check_runs(connection, options, one_run(options, options->vs), " (B, of --vs)",
							   failure)) &&
		   check_runs(connection, options, options->runs, " (of --runs)", failure);
}

/* The ranks that were asked for must be those of the runs: an empty picture would not say so. */
static bool
check_ranks(PhConnection *connection, const PhOptions *options, PhFailure *failure)
{
	const char *runs = vs_is_run(options)
						   ? ph_need_format(options->arena, "{%s,%s}", options->run, options->vs)
						   : one_run(options, options->run);
	PhParam params[2] = {ph_param_text(runs), ph_param_text(options->ranks)};
	PhResult *result;
	bool ok;

	if (runs == NULL || options->ranks == NULL)
		return true;
	result = ph_pq_query(connection, ph_sql_render_ranks_missing, params, 2);
	if (result == NULL)
		return fail_query(connection, options->arena, "ranks", failure);
	ok = ph_result_count(result) == 0;
	if (!ok)
		fail(failure, PH_EXIT_NOT_FOUND,
			 ph_need_format(options->arena, "run %s has no rank %s", options->run,
							ph_result_text(result, 0, 0)),
			 ph_need_format(options->arena, "Its ranks are %s.", ph_result_text(result, 0, 1)));
	ph_result_free(result);
	return ok;
}

/* After "not found": the supernodes that there are; of metrics and call paths the server says it.
 */
static void
hint_supernodes(PhConnection *connection, const PhView *view, const PhOptions *options,
				PhFailure *failure)
{
	PhParam params[4] = {ph_param_text(options->run), ph_param_text(options->metric),
						 ph_param_text(options->group_by), ph_param_text(options->module_map)};
	const char *list;

	if ((options->node == NULL && options->n_steps == 0) || options->run == NULL ||
		!ph_option_among(view->options, "group-by"))
		return;
	list = listed(connection, options, ph_sql_render_supernodes, params, 4);
	if (*list)
		failure->hint = ph_need_format(options->arena, "Supernodes of run %s by %s: %s.",
									   options->run, options->group_by, list);
}

/* What an error of the query is about; NULL when the message names the run itself. */
static const char *
subject_of(const PhConnection *connection, const PhView *view, const PhOptions *options)
{
	if (strncmp(connection->error.message, "run ", 4) == 0)
		return NULL;
	if (options->run == NULL || view->many_runs)
		return view->name;
	if (vs_is_run(options))
		return ph_need_format(options->arena, "runs %s and %s", options->run, options->vs);
	return ph_need_format(options->arena, "run %s", options->run);
}

/* Of a view of many runs: some must have been found; of one of ranks: the run must have them. */
static bool
check_found(PhConnection *connection, const PhView *view, const PhOptions *options,
			const PhViewRows *rows, PhFailure *failure)
{
	const char *list;

	if (view->needs_ranks && ph_table_text(ph_rows_table(rows, "run"), 0, "rolled_up_at") != NULL)
		return fail(failure, PH_EXIT_UNSUPPORTED,
					ph_need_format(options->arena, "run %s: values of single ranks were rolled up",
								   options->run),
					"sankey, flame and history draw its means; see run_distribution().");
	if ((!view->many_runs && (options->vs == NULL || vs_is_run(options))) ||
		ph_rows_count(ph_rows_table(rows, "runs")) > 0)
		return true;
	list = listed(connection, options, ph_sql_render_applications, NULL, 0);
	return fail(failure, PH_EXIT_NOT_FOUND,
				ph_need_format(options->arena, "%s: no %srun matches%s%s%s%s", view->name,
							   view->many_runs ? "" : "other ",
							   options->application ? " application " : "",
							   options->application ? options->application : "",
							   options->run_filter ? " filter " : "",
							   options->run_filter ? options->run_filter : ""),
				ph_need_format(options->arena, "Applications in this warehouse: %s.",
							   *list ? list : "none, load some runs first"));
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
static bool
not_found(const PhOptions *options, const PhViewRows *rows, PhFailure *failure)
{
	const PhTable *error = ph_rows_table(rows, "error");
	const char *hint = ph_table_text(error, 0, "hint");
	const char *word = ph_table_text(error, 0, "word");
	uint32_t n;
	const char **candidates = ph_table_texts(options->arena, error, 0, "candidates", &n);

	if (hint == NULL && word != NULL)
		hint = similar(options->arena, word, candidates, n);
	return fail(failure, PH_EXIT_NOT_FOUND, ph_table_text(error, 0, "message"), hint);
}

/* Rows as they come, so that too many can be refused in good time. */
typedef struct Collector
{
	PhViewRows *rows;
	size_t most_bytes;
	bool is_full;
} Collector;

static bool
collect_row(void *user, const PhResult *row)
{
	Collector *collector = user;

	ph_rows_add(collector->rows, ph_result_text(row, 0, 0), ph_result_text(row, 0, 1));
	collector->is_full =
		collector->most_bytes > 0 && ph_arena_bytes(collector->rows->arena) > collector->most_bytes;
	return !collector->is_full;
}

static bool
run_query(PhConnection *connection, const PhView *view, const PhOptions *options,
		  Collector *collector, PhFailure *failure)
{
	Request request = {view, options};
	PhParam params[PH_PQ_MAX_PARAMS];
	int n = ph_pq_bind(view->query->names, parameter, &request, params);
	bool ok = ph_pq_stream(connection, view->query->sql, params, n, collect_row, collector);

	if (collector->is_full)
		return fail(failure, PH_EXIT_MEMORY, "there is too much to draw in one picture",
					"Filter more, or choose fewer ranks or a shorter window.");
	if (!ok)
	{
		fail_query(connection, options->arena, subject_of(connection, view, options), failure);
		if (failure->code == PH_EXIT_NOT_FOUND)
			hint_supernodes(connection, view, options, failure);
		return false;
	}
	if (ph_rows_table(collector->rows, "error"))
		return not_found(options, collector->rows, failure);
	return check_found(connection, view, options, collector->rows, failure);
}

bool
ph_fetch_check(const PhView *view, const PhOptions *options, PhFailure *failure)
{
	if (!view->many_runs && options->run == NULL)
		return fail(failure, PH_EXIT_USAGE, "no run to draw",
					"Use --run RUN; \"perfhouse runs\" lists them.");
	if (view->many_runs && !options->application && !options->run_filter && !options->runs)
		return fail(failure, PH_EXIT_USAGE, "no runs to draw",
					"Choose them with --application, --filter or --runs; \"perfhouse runs\" lists "
					"them.");
	return true;
}

bool
ph_fetch_rows(PhConnection *connection, const PhView *view, const PhOptions *options,
			  size_t most_bytes, PhViewRows *rows, PhFailure *failure)
{
	Collector collector = {.rows = rows, .most_bytes = most_bytes};

	return ph_fetch_check(view, options, failure) && check_all_runs(connection, options, failure) &&
		   check_ranks(connection, options, failure) &&
		   run_query(connection, view, options, &collector, failure);
}

static PhExit
log_failure(const PhFailure *failure)
{
	ph_log_error("%s", failure->message);
	if (failure->detail && *failure->detail)
		ph_log_detail("%s", failure->detail);
	if (failure->hint && *failure->hint)
		ph_log_hint("%s", failure->hint);
	return failure->code;
}

static PhExit
read_database(const PhView *view, const PhOptions *options, PhViewRows *rows)
{
	PhConnection *connection = NULL;
	PhFailure failure;
	PhExit code;

	if (!ph_fetch_check(view, options, &failure))
		return log_failure(&failure);
	code = ph_warehouse_open(options->database, PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	if (!ph_fetch_rows(connection, view, options, 0, rows, &failure))
		code = log_failure(&failure);
	ph_pq_close(connection);
	return code;
}

PhExit
ph_fetch(const PhView *view, const PhOptions *options, PhViewRows *rows)
{
	PhExit code =
		options->rows ? read_file(options->rows, rows) : read_database(view, options, rows);

	if (code == PH_EXIT_OK && options->save_rows)
		code = write_file(options->save_rows, rows);
	return code;
}
