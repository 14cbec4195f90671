/*
 * runs.c - perfhouse runs: the runs of the warehouse, filtered.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "cli/text_table.h"
#include "commands/commands.h"
#include "database/warehouse.h"
#include "queries.h"

static const PhParameter runs_options[] = {{.name = "limit",
											.letter = 'l',
											.type = PH_PARAMETER_INTEGER,
											.value = "N",
											.help = "only the newest N"},
										   {.name = "json", .help = "print one JSON object a line"},
										   {.name = NULL}};

static const char runs_details[] =
	"A filter is key=value, with the keys application, commit (a beginning is enough), branch, "
	"tag,\n"
	"user, cluster, ranks, format, since and until (a date, or an age such as 7d or 12h); or a "
	"text\n"
	"that is in the run's title, application or source. Several filters must all hold.\n"
	"\n"
	"Example: perfhouse runs application=lulesh since=30d\n";

enum
{
	F_APPLICATION,
	F_COMMIT,
	F_BRANCH,
	F_TAG,
	F_USER,
	F_CLUSTER,
	F_RANKS,
	F_FORMAT,
	F_SINCE,
	F_UNTIL,
	F_TEXT,
	F_LIMIT,
	F_COUNT
};

static const char *const filter_keys[] = {"application", "commit",	"branch", "tag",
										  "user",		 "cluster", "ranks",  "format",
										  "since",		 "until",	NULL};

static PhExit
add_filter(PhArguments *arguments, const char *filter, PhParam *params)
{
	const char *equals = strchr(filter, '=');
	size_t length = equals == NULL ? 0 : (size_t) (equals - filter);

	for (int key = 0; equals != NULL && filter_keys[key] != NULL; key++)
	{
		if (strlen(filter_keys[key]) == length && memcmp(filter_keys[key], filter, length) == 0)
		{
			params[key] = ph_param_text(equals + 1);
			return PH_EXIT_OK;
		}
	}
	if (equals != NULL)
		return ph_cli_usage_error(arguments, "unknown filter key in \"%s\"", filter);
	params[F_TEXT] = ph_param_text(filter);
	return PH_EXIT_OK;
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
						  ph_result_text(rows, row, ph_result_field(rows, columns[c].field)));
	}
	ph_table_print(table, stdout, 0);
	ph_table_free(table);
	printf("(%zu run%s)\n", ph_result_count(rows), ph_result_count(rows) == 1 ? "" : "s");
}

static PhExit
cmd_runs(PhArguments *arguments)
{
	PhParam params[F_COUNT] = {0};
	PhConnection *connection;
	PhResult *rows;
	PhExit code = PH_EXIT_OK;

	for (size_t i = 0; i < ph_cli_n_arguments(arguments) && code == PH_EXIT_OK; i++)
		code = add_filter(arguments, ph_cli_argument(arguments, i), params);
	if (code == PH_EXIT_OK && ph_cli_integer(arguments, "limit", 0) < 0)
		code = ph_cli_usage_error(arguments, "--limit must not be negative");
	if (ph_cli_given(arguments, "limit"))
		params[F_LIMIT] = ph_param_int(ph_cli_integer(arguments, "limit", 0));
	if (code == PH_EXIT_OK)
		code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	rows = ph_pq_query(connection, ph_sql_runs_list, params, F_COUNT);
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

const PhCommand ph_command_runs = {
	.name = "runs",
	.help = "list runs",
	.usage = "[FILTER]... [OPTION]...",
	.details = runs_details,
	.options = runs_options,
	.min_arguments = 0,
	.max_arguments = -1,
	.uses_database = true,
	.run = cmd_runs,
};
