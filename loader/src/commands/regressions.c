/*
 * regressions.c - perfhouse regressions: search the history, list, explain, decide.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text_table.h"
#include "commands/commands.h"
#include "database/warehouse.h"
#include "queries.h"
#include "system/log.h"
#include "system/utf8_text.h"
#include "texts.h"

static const char *const fail_choices[] = {"new", "open", "none", NULL};
static const char *const state_choices[] = {"new", "active", "ignored", "fixed", NULL};

static const PhParameter regressions_options[] = {
	{.name = "application",
	 .letter = 'a',
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .offer = PH_OFFER_APPLICATIONS,
	 .help = "only of this application"},
	{.name = "all", .help = "also those that are fixed or ignored"},
	{.name = "explain",
	 .letter = 'e',
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .offer = PH_OFFER_REGRESSIONS,
	 .help = "what regression N consists of, and what else changed"},
	{.name = "set",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .offer = PH_OFFER_REGRESSIONS,
	 .help = "decide about regression N: see --state"},
	{.name = "state",
	 .type = PH_PARAMETER_TEXT,
	 .value = "STATE",
	 .choices = state_choices,
	 .help = "new, active, ignored or fixed"},
	{.name = "reason", .type = PH_PARAMETER_TEXT, .value = "TEXT", .help = "why"},
	{.name = "fail-on",
	 .type = PH_PARAMETER_TEXT,
	 .value = "WHAT",
	 .choices = fail_choices,
	 .help =
		 "exit with 17 when any are new (nobody has decided about them), or open (new or active)"},
	{.name = "no-search", .help = "list what is known"},
	{.name = "json", .help = "print one JSON object a line"},
	{.name = NULL}};

typedef struct Counts
{
	size_t n_new;
	size_t n_active;
} Counts;

/* The columns of one table, in order; a field NULL ends. */
typedef struct Shown
{
	const char *field;
	const char *title;
	PhAlign align;
	size_t width;
} Shown;

static void
print_rows(const PhResult *rows, const Shown *shown)
{
	PhTextTable *table = ph_table_new();
	for (const Shown *column = shown; column->field != NULL; column++)
		ph_table_column(table, column->title, column->align, column->width);
	for (size_t row = 0; row < ph_result_count(rows); row++)
		for (const Shown *column = shown; column->field != NULL; column++)
			ph_table_cell(table, ph_result_text(rows, row, ph_result_field(rows, column->field)));
	ph_table_print(table, stdout, 0);
	ph_table_free(table);
}

static void
print_list(const PhResult *rows)
{
	static const Shown shown[] = {{"regression_id", "id", PH_ALIGN_RIGHT, 0},
								  {"state", "state", PH_ALIGN_LEFT, 0},
								  {"application", "application", PH_ALIGN_LEFT, 20},
								  {"path", "path", PH_ALIGN_LEFT, 60},
								  {"short_commit", "commit", PH_ALIGN_LEFT, 0},
								  {"n_ranks", "ranks", PH_ALIGN_RIGHT, 0},
								  {"before", "before", PH_ALIGN_RIGHT, 0},
								  {"after", "after", PH_ALIGN_RIGHT, 0},
								  {"relative", "change", PH_ALIGN_RIGHT, 0},
								  {"lost", "node-hours", PH_ALIGN_RIGHT, 0},
								  {"reason", "reason", PH_ALIGN_LEFT, 40},
								  {NULL, NULL, PH_ALIGN_LEFT, 0}};
	print_rows(rows, shown);
	printf("(%zu regression%s)\n", ph_result_count(rows), ph_result_count(rows) == 1 ? "" : "s");
}

static void
print_event(const PhResult *rows, size_t row)
{
	char *application = ph_text_line(ph_result_text(rows, row, 1));
	char *path = ph_text_line(ph_result_text(rows, row, 2));
	printf("%s: %s %s, regression %s\n", ph_result_text(rows, row, 4), application, path,
		   ph_result_text(rows, row, 0));
	free(application);
	free(path);
}

static PhExit
search(PhConnection *connection, const char *application, bool quiet)
{
	PhParam param = ph_param_text(application);
	PhResult *rows = ph_pq_query(connection, ph_sql_regressions_update, &param, 1);
	if (rows == NULL)
		return ph_pq_log_error(connection, "regressions");
	for (size_t row = 0; row < ph_result_count(rows) && !quiet; row++)
		print_event(rows, row);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

/* A misspelt application must not pass a job that asks for its regressions. */
static PhExit
require_application(PhConnection *connection, const char *application)
{
	PhParam param = ph_param_text(application);
	PhResult *rows = ph_pq_query(connection, ph_sql_regressions_application, &param, 1);
	PhExit code = PH_EXIT_OK;
	if (rows == NULL)
		return ph_pq_log_error(connection, "regressions");
	if (!ph_result_bool(rows, 0, 0))
	{
		code = PH_EXIT_NOT_FOUND;
		ph_log_error("no run matches application %s", application);
		ph_log_hint("Applications in this warehouse: %s.", ph_result_text(rows, 0, 1));
	}
	ph_result_free(rows);
	return code;
}

static PhExit
list(PhConnection *connection, const PhArguments *arguments, Counts *counts)
{
	PhParam params[] = {ph_param_text(ph_cli_text(arguments, "application", NULL)),
						ph_cli_flag(arguments, "all") ? ph_param_null()
													  : ph_param_text("{new,active}")};
	PhResult *rows = ph_pq_query(connection, ph_sql_regressions_list, params, 2);
	if (rows == NULL)
		return ph_pq_log_error(connection, "regressions");
	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		const char *state = ph_result_text(rows, row, 1);
		counts->n_new += strcmp(state, "new") == 0;
		counts->n_active += strcmp(state, "active") == 0;
		if (ph_cli_flag(arguments, "json"))
			puts(ph_result_text(rows, row, ph_result_field(rows, "json")));
	}
	if (!ph_cli_flag(arguments, "json"))
		print_list(rows);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
search_and_list(PhConnection *connection, const PhArguments *arguments)
{
	const char *fail_on = ph_cli_text(arguments, "fail-on", "none");
	Counts counts = {0};
	PhExit code = PH_EXIT_OK;
	if (ph_cli_given(arguments, "application"))
		code = require_application(connection, ph_cli_text(arguments, "application", ""));
	if (code == PH_EXIT_OK && !ph_cli_flag(arguments, "no-search"))
		code = search(connection, ph_cli_text(arguments, "application", NULL),
					  ph_cli_flag(arguments, "json"));
	if (code == PH_EXIT_OK)
		code = list(connection, arguments, &counts);
	if (code != PH_EXIT_OK)
		return code;
	if (strcmp(fail_on, "open") == 0)
		counts.n_new += counts.n_active;
	return strcmp(fail_on, "none") != 0 && counts.n_new > 0 ? PH_EXIT_REGRESSION : PH_EXIT_OK;
}

static PhExit
explain(PhConnection *connection, int64_t regression)
{
	static const Shown shown[] = {{"what", "", PH_ALIGN_LEFT, 0},
								  {"name", "name", PH_ALIGN_LEFT, 40},
								  {"before", "before", PH_ALIGN_LEFT, 50},
								  {"after", "after", PH_ALIGN_LEFT, 50},
								  {"weight", "bits, share", PH_ALIGN_RIGHT, 0},
								  {NULL, NULL, PH_ALIGN_LEFT, 0}};
	PhParam param = ph_param_int(regression);
	PhResult *rows = ph_pq_query(connection, ph_sql_regressions_explain, &param, 1);
	if (rows == NULL)
		return ph_pq_log_error(connection, "regressions");
	print_rows(rows, shown);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
decide(PhConnection *connection, const PhArguments *arguments)
{
	const char *reason = ph_cli_text(arguments, "reason", NULL);
	PhParam params[] = {ph_param_int(ph_cli_integer(arguments, "set", 0)),
						ph_param_text(ph_cli_text(arguments, "state", NULL)),
						reason == NULL ? ph_param_null() : ph_param_text(reason)};
	return ph_pq_execute(connection, ph_sql_regressions_set, params, 3)
			   ? PH_EXIT_OK
			   : ph_pq_log_error(connection, "regressions");
}

static PhExit
cmd_regressions(PhArguments *arguments)
{
	PhConnection *connection;
	bool decides = ph_cli_given(arguments, "set");
	if (decides != ph_cli_given(arguments, "state"))
		return ph_cli_usage_error(arguments, "--set and --state go together");
	if (ph_cli_given(arguments, "reason") && !decides)
		return ph_cli_usage_error(arguments, "--reason goes with --set");
	PhExit code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	if (decides)
		code = decide(connection, arguments);
	else if (ph_cli_given(arguments, "explain"))
		code = explain(connection, ph_cli_integer(arguments, "explain", 0));
	else
		code = search_and_list(connection, arguments);
	ph_pq_close(connection);
	return code;
}

const PhCommand ph_command_regressions = {
	.name = "regressions",
	.help = "search the history for regressions, list and explain them",
	.usage = "[OPTION]...",
	.details = ph_help_regressions,
	.options = regressions_options,
	.min_arguments = 0,
	.max_arguments = 0,
	.uses_database = true,
	.run = cmd_regressions,
};
