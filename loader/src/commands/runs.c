/*
 * runs.c - perfhouse runs: the runs of the warehouse, filtered.
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
#include "reports/report_print.h"
#include "runs/filters.h"
#include "texts.h"

/* Those that runs/list.sql knows; run_id is what it does without. */
static const char *const sort_columns[] = {"run_id",	"application", "title",		"commit_id",
										   "n_ranks",	"n_nodes",	   "total",		"started_at",
										   "user_name", "cluster",	   "loaded_at", NULL};

static const PhParameter runs_options[] = {
	{.name = "limit",
	 .letter = 'l',
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .help = "only the newest N, or the last N of those that --sort orders"},
	{.name = "metric",
	 .letter = 'm',
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .help = "totals of this metric, not of the primary one"},
	{.name = "sort",
	 .type = PH_PARAMETER_TEXT,
	 .value = "COLUMN",
	 .choices = sort_columns,
	 .help = "order by this column, the largest last (default: run_id)"},
	{.name = "reverse", .letter = 'r', .help = "the smallest last"},
	{.name = "json", .help = "print one JSON object a line"},
	{.name = NULL}};

/* The whole of the metric in a unit that people read: "45.7 s", "577 ms". */
static const char *
total_text(const PhResult *rows, size_t row)
{
	const char *total = ph_result_text(rows, row, ph_result_field(rows, "total"));
	const char *unit = ph_result_text(rows, row, ph_result_field(rows, "unit"));

	return total == NULL ? NULL : ph_show_value(strtod(total, NULL), unit != NULL ? unit : "");
}

static void
print_table(const PhResult *rows)
{
	static const struct
	{
		const char *field;
		const char *title;
		PhAlign align;
		size_t width;
	} columns[] = {
		{"run_id", "run", PH_ALIGN_RIGHT, 0},	  {"application", "application", PH_ALIGN_LEFT, 24},
		{"title", "title", PH_ALIGN_LEFT, 36},	  {"short_commit", "commit", PH_ALIGN_LEFT, 0},
		{"n_ranks", "ranks", PH_ALIGN_RIGHT, 0},  {"n_nodes", "nodes", PH_ALIGN_RIGHT, 0},
		{"total", "total", PH_ALIGN_RIGHT, 0},	  {"metric", "metric", PH_ALIGN_LEFT, 20},
		{"started", "started", PH_ALIGN_LEFT, 0}, {"notes", "tags", PH_ALIGN_LEFT, 40}};
	enum
	{
		N = sizeof(columns) / sizeof(columns[0])
	};
	PhTextTable *table = ph_table_new();

	for (int c = 0; c < N; c++)
		ph_table_column(table, columns[c].title, columns[c].align, columns[c].width);
	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		for (int c = 0; c < N; c++)
			ph_table_cell(table,
						  strcmp(columns[c].field, "total") == 0
							  ? total_text(rows, row)
							  : ph_result_text(rows, row, ph_result_field(rows, columns[c].field)));
	}
	ph_table_print(table, stdout, 0);
	ph_table_free(table);
	printf("(%zu run%s)\n", ph_result_count(rows), ph_result_count(rows) == 1 ? "" : "s");
}

static PhExit
cmd_runs(PhArguments *arguments)
{
	const char *sort = ph_cli_text(arguments, "sort", "run_id");
	PhParam params[5] = {ph_param_text(NULL), ph_param_null(),
						 ph_param_text(ph_cli_text(arguments, "metric", NULL)),
						 ph_param_text(strcmp(sort, "run_id") == 0 ? NULL : sort),
						 ph_param_bool(ph_cli_flag(arguments, "reverse"))};
	PhConnection *connection;
	PhResult *rows;
	PhExit code = PH_EXIT_OK;
	char *filter;

	if (ph_cli_integer(arguments, "limit", 0) < 0)
		return ph_cli_usage_error(arguments, "--limit must not be negative");
	if (ph_cli_given(arguments, "limit"))
		params[1] = ph_param_int(ph_cli_integer(arguments, "limit", 0));
	code = ph_join_filters(arguments, NULL, &filter);
	if (code == PH_EXIT_OK)
		code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
	{
		free(filter);
		return code;
	}
	params[0] = ph_param_text(filter);
	rows = ph_pq_query(connection, ph_sql_runs_list, params, 5);
	free(filter);
	if (rows == NULL)
		code = ph_pq_log_error(connection, "runs");
	else if (ph_cli_flag(arguments, "json"))
	{
		for (size_t row = 0; row < ph_result_count(rows); row++)
			puts(ph_result_text(rows, row, ph_result_field(rows, "json")));
	}
	else
		print_table(rows);
	ph_result_free(rows);
	ph_pq_close(connection);
	return code;
}

/* The columns that filters name most. */
static const char *const filter_beginnings[] = {
	"application=", "tag=",		"commit_id=", "branch=", "cluster=",
	"user_name=",	"n_ranks=", "since=",	  NULL};
static const PhParameter runs_arguments[] = {
	{.name = "filter", .type = PH_PARAMETER_TEXT, .choices = filter_beginnings, .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_runs = {
	.name = "runs",
	.help = "list runs",
	.usage = "[FILTER]... [OPTION]...",
	.details = ph_help_runs,
	.options = runs_options,
	.min_arguments = 0,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = runs_arguments,
	.run = cmd_runs,
};
