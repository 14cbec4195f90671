/*
 * explain.c - perfhouse explain: why a run, or the runs of a commit, take the time that they take.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/report_output.h"
#include "commands/shared_options.h"
#include "database/warehouse.h"
#include "queries.h"
#include "reports/compare_sides.h"
#include "reports/explain_print.h"
#include "runs/filters.h"
#include "runs/named_run.h"
#include "system/log.h"
#include "system/memory.h"
#include "texts.h"

static const char *const format_choices[] = {"text", "markdown", "html", "json", "junit", NULL};

static const PhParameter explain_options[] = {
	PH_OPTION_FORMAT(format_choices,
					 "text (default), markdown, html (one page with pictures), json or junit"),
	PH_OPTION_OUTPUT,
	PH_OPTION_MARGIN,
	PH_OPTION_APPLICATION,
	PH_OPTION_N_RANKS,
	PH_OPTION_RUN_FILTER,
	{.name = NULL}};

/* What is printed, and of which database pictures are drawn. */
typedef struct Answer
{
	PhExplainPage page;
	const char *db;
} Answer;

static void
print_answer(FILE *out, const void *report, const char *format)
{
	const Answer *answer = report;

	if (strcmp(format, "markdown") == 0)
		ph_explain_print_markdown(out, &answer->page);
	else if (strcmp(format, "html") == 0)
		ph_explain_print_html(out, &answer->page, answer->db);
	else if (strcmp(format, "json") == 0)
		ph_explain_print_json(out, &answer->page);
	else if (strcmp(format, "junit") == 0)
		ph_explain_print_junit(out, &answer->page);
	else
		ph_explain_print_text(out, &answer->page);
}

/* Rows whose first step says that the sides cannot be compared have that one alone. */
static PhExit
finish(PhConnection *connection, const PhArguments *arguments, char *title, PhResult *rows)
{
	Answer answer = {{title, rows}, ph_cli_db(arguments)};
	PhExit code;

	if (rows == NULL)
		code = ph_pq_log_error(connection, "explain");
	else
		code = ph_report_output(arguments, print_answer, &answer);
	if (code == PH_EXIT_OK && ph_result_count(rows) == 1 &&
		strcmp(ph_result_text(rows, 0, 0), "comparable") == 0)
		code = PH_EXIT_INCOMPARABLE;
	ph_result_free(rows);
	free(title);
	return code;
}

static PhParam
margin_of(const PhArguments *arguments)
{
	return ph_param_float(ph_cli_number(arguments, "margin", PH_DEFAULT_MARGIN) / 100);
}

static PhExit
explain_run(PhConnection *connection, const PhArguments *arguments)
{
	const char *run = ph_cli_argument(arguments, 0);
	PhParam params[2] = {ph_param_null(), margin_of(arguments)};
	int64_t run_id;
	PhExit code;

	if (!ph_is_run_number(run) && !ph_word_names_run(run))
		return ph_cli_usage_error(arguments,
								  "%s: explain takes a run, or two commits or lists of runs", run);
	code = ph_find_named_run(connection, run, &run_id);
	if (code != PH_EXIT_OK)
		return code;
	params[0] = ph_param_int(run_id);
	return finish(connection, arguments, ph_format("run %lld", (long long) run_id),
				  ph_pq_query(connection, ph_sql_explain_run, params, 2));
}

static PhExit
explain_sides(PhConnection *connection, const PhArguments *arguments)
{
	PhSide a = {.argument = ph_cli_argument(arguments, 0)};
	PhSide b = {.argument = ph_cli_argument(arguments, 1)};
	PhSideOptions options = {ph_cli_text(arguments, "application", NULL),
							 ph_cli_integer(arguments, "n-ranks", 0),
							 ph_cli_text(arguments, "filter", NULL)};
	PhExit code = ph_sides_resolve(connection, &options, &a, &b);

	if (code == PH_EXIT_OK)
	{
		char *runs[2] = {ph_array_int(a.runs, a.n_runs), ph_array_int(b.runs, b.n_runs)};
		PhParam params[3] = {ph_param_text(runs[0]), ph_param_text(runs[1]), margin_of(arguments)};

		code = finish(connection, arguments, ph_format("%s, then %s", a.label, b.label),
					  ph_pq_query(connection, ph_sql_explain_runs, params, 3));
		free(runs[0]);
		free(runs[1]);
	}
	ph_side_free(&a);
	ph_side_free(&b);
	return code;
}

static PhExit
cmd_explain(PhArguments *arguments)
{
	PhConnection *connection;
	PhExit code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);

	if (code != PH_EXIT_OK)
		return code;
	code = ph_cli_argument(arguments, 1) == NULL ? explain_run(connection, arguments)
												 : explain_sides(connection, arguments);
	ph_pq_close(connection);
	return code;
}

static const PhParameter explain_arguments[] = {
	{.name = "a", .type = PH_PARAMETER_RUN, .choices = ph_named_runs, .offer = PH_OFFER_RUNS},
	{.name = "b", .type = PH_PARAMETER_RUN, .offer = PH_OFFER_RUNS},
	{.name = NULL}};

const PhCommand ph_command_explain = {
	.name = "explain",
	.help = "why a run is slow, or the runs of a commit: sentences with their evidence",
	.usage = "RUN | A B [OPTION]...",
	.details = ph_help_explain,
	.options = explain_options,
	.min_arguments = 1,
	.max_arguments = 2,
	.uses_database = true,
	.arguments = explain_arguments,
	.run = cmd_explain,
};
