/*
 * projects.c - perfhouse projects: who sees whose runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "cli/text_table.h"
#include "commands/commands.h"
#include "database/warehouse.h"
#include "queries.h"
#include "texts.h"

static const PhParameter projects_options[] = {
	{.name = "json", .help = "list: print one JSON object a line"}, {.name = NULL}};

static PhExit
say_enabled(PhConnection *connection)
{
	PhResult *rows = ph_pq_query(connection, ph_sql_projects_enabled, NULL, 0);

	if (rows == NULL)
		return ph_pq_log_error(connection, "projects");
	printf(ph_result_bool(rows, 0, 0)
			   ? "enabled: runs are seen by the members of their project\n"
			   : "not enabled: whoever may read sees every run (perfhouse projects enable)\n");
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
list(PhConnection *connection, bool json)
{
	static const char *const fields[] = {"project", "runs", "members"};
	PhResult *rows = ph_pq_query(connection, ph_sql_projects_list, NULL, 0);
	PhTextTable *table;

	if (rows == NULL)
		return ph_pq_log_error(connection, "projects");
	table = ph_table_new();
	for (size_t i = 0; i < 3; i++)
		ph_table_column(table, fields[i], i == 1 ? PH_ALIGN_RIGHT : PH_ALIGN_LEFT, 0);
	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		if (json)
			puts(ph_result_text(rows, row, ph_result_field(rows, "json")));
		for (size_t i = 0; i < 3; i++)
			ph_table_cell(table, ph_result_text(rows, row, i));
	}
	if (!json && ph_result_count(rows) > 0)
		ph_table_print(table, stdout, 0);
	ph_table_free(table);
	ph_result_free(rows);
	return json ? PH_EXIT_OK : say_enabled(connection);
}

static const struct
{
	const char *name;
	const char *sql; /* NULL: list */
	size_t n_arguments;
} verbs[] = {{"list", NULL, 0},
			 {"enable", ph_sql_projects_enable, 0},
			 {"disable", ph_sql_projects_disable, 0},
			 {"grant", ph_sql_projects_grant, 2},
			 {"revoke", ph_sql_projects_revoke, 2}};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static PhExit
run_verb(PhConnection *connection, const PhArguments *arguments, size_t verb)
{
	PhParam params[2];

	if (verbs[verb].sql == NULL)
		return list(connection, ph_cli_flag(arguments, "json"));
	for (size_t i = 0; i < verbs[verb].n_arguments; i++)
		params[i] = ph_param_text(ph_cli_argument(arguments, i + 1));
	return ph_pq_execute(connection, verbs[verb].sql, params, (int) verbs[verb].n_arguments)
			   ? PH_EXIT_OK
			   : ph_pq_log_error(connection, "projects");
}

static PhExit
cmd_projects(PhArguments *arguments)
{
	size_t n = ph_cli_n_arguments(arguments);
	const char *word = n > 0 ? ph_cli_argument(arguments, 0) : "list";
	PhConnection *connection;
	size_t verb = 0;
	PhExit code;

	while (verb < N_VERBS && strcmp(word, verbs[verb].name) != 0)
		verb++;
	if (verb == N_VERBS)
		return ph_cli_usage_error(arguments,
								  "say list, enable, disable, grant or revoke, not \"%s\"", word);
	if (n > 0 && n - 1 != verbs[verb].n_arguments)
		return ph_cli_usage_error(arguments, "%s takes %s", word,
								  verbs[verb].n_arguments == 0 ? "no arguments"
															   : "a project and a role");
	code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	code = run_verb(connection, arguments, verb);
	ph_pq_close(connection);
	return code;
}

static const char *const projects_actions[] = {"list",	"enable", "disable",
											   "grant", "revoke", NULL};
static const PhParameter projects_arguments[] = {
	{.name = "action", .type = PH_PARAMETER_TEXT, .choices = projects_actions},
	{.name = "project", .variant = "grant", .type = PH_PARAMETER_TEXT},
	{.name = "role", .variant = "grant", .type = PH_PARAMETER_TEXT},
	{.name = "project", .variant = "revoke", .type = PH_PARAMETER_TEXT},
	{.name = "role", .variant = "revoke", .type = PH_PARAMETER_TEXT},
	{.name = NULL}};

const PhCommand ph_command_projects = {
	.name = "projects",
	.help = "say who sees whose runs",
	.usage = "[list | enable | disable | grant PROJECT ROLE | revoke PROJECT ROLE] [OPTION]...",
	.details = ph_help_projects,
	.options = projects_options,
	.min_arguments = 0,
	.max_arguments = 3,
	.uses_database = true,
	.arguments = projects_arguments,
	.run = cmd_projects,
};
