/*
 * show.c - perfhouse show: everything about one run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "cli/text_table.h"
#include "commands/commands.h"
#include "queries.h"
#include "runs/named_run.h"
#include "system/log.h"
#include "texts.h"

static const PhParameter show_options[] = {{.name = "json", .help = "print one JSON object"},
										   {.name = NULL}};

/* Rows of (section, item, value), in order. */
static void
print_items(const PhResult *rows)
{
	const char *section = "";
	PhTextTable *table = NULL;

	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		const char *its = ph_result_text(rows, row, 0);

		if (table == NULL || strcmp(its, section) != 0)
		{
			if (table != NULL)
			{
				ph_table_print(table, stdout, 2);
				ph_table_free(table);
				putchar('\n');
			}
			section = its;
			table = ph_table_new();
			ph_table_column(table, section, PH_ALIGN_LEFT, 40);
			ph_table_column(table, "", PH_ALIGN_LEFT, 100);
		}
		ph_table_cell(table, ph_result_text(rows, row, 1));
		ph_table_cell(table, ph_result_text(rows, row, 2));
	}
	if (table != NULL)
		ph_table_print(table, stdout, 2);
	ph_table_free(table);
}

static PhExit
cmd_show(PhArguments *arguments)
{
	PhConnection *connection;
	PhParam param;
	PhResult *rows;
	int64_t run_id;
	bool json = ph_cli_flag(arguments, "json");
	PhExit code;

	code = ph_open_run(arguments, &connection, &run_id);
	if (code != PH_EXIT_OK)
		return code;
	param = ph_param_int(run_id);
	rows = ph_pq_query(connection, json ? ph_sql_show_json : ph_sql_show_items, &param, 1);
	if (rows == NULL)
		code = ph_pq_log_error(connection, "show");
	else if (ph_result_count(rows) == 0)
	{
		ph_log_error("there is no run %lld", (long long) run_id);
		ph_log_hint("perfhouse runs lists them.");
		code = PH_EXIT_NOT_FOUND;
	}
	else if (json)
		puts(ph_result_text(rows, 0, 0));
	else
		print_items(rows);
	ph_result_free(rows);
	ph_pq_close(connection);
	return code;
}

static const PhParameter show_arguments[] = {
	{.name = "run", .type = PH_PARAMETER_RUN, .choices = ph_named_runs, .offer = PH_OFFER_RUNS},
	{.name = NULL}};

const PhCommand ph_command_show = {
	.name = "show",
	.help = "everything about one run",
	.usage = "RUN [OPTION]...",
	.details = ph_help_show,
	.options = show_options,
	.min_arguments = 1,
	.max_arguments = 1,
	.uses_database = true,
	.arguments = show_arguments,
	.run = cmd_show,
};
