/*
 * projects.c - perfhouse projects: who sees whose runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>

#include "cli/text_table.h"
#include "commands/commands.h"
#include "commands/verbs.h"
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
list(PhConnection *connection, const PhArguments *arguments)
{
	bool json = ph_cli_flag(arguments, "json");
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

/* With the arguments behind the verb as the statement's. */
static PhExit
execute(PhConnection *connection, const PhArguments *arguments, const char *sql)
{
	PhParam params[2];
	size_t n = ph_cli_n_arguments(arguments) - 1;

	for (size_t i = 0; i < n; i++)
		params[i] = ph_param_text(ph_cli_argument(arguments, i + 1));
	return ph_pq_execute(connection, sql, params, (int) n)
			   ? PH_EXIT_OK
			   : ph_pq_log_error(connection, "projects");
}

static PhExit
enable(PhConnection *connection, const PhArguments *arguments)
{
	return execute(connection, arguments, ph_sql_projects_enable);
}

static PhExit
disable(PhConnection *connection, const PhArguments *arguments)
{
	return execute(connection, arguments, ph_sql_projects_disable);
}

static PhExit
grant(PhConnection *connection, const PhArguments *arguments)
{
	return execute(connection, arguments, ph_sql_projects_grant);
}

static PhExit
revoke(PhConnection *connection, const PhArguments *arguments)
{
	return execute(connection, arguments, ph_sql_projects_revoke);
}

static const PhVerb verbs[] = {{"list", 0, 0, "no arguments", list},
							   {"enable", 0, 0, "no arguments", enable},
							   {"disable", 0, 0, "no arguments", disable},
							   {"grant", 2, 2, "a project and a role", grant},
							   {"revoke", 2, 2, "a project and a role", revoke}};

static PhExit
cmd_projects(PhArguments *arguments)
{
	return ph_run_verb(arguments, verbs, sizeof(verbs) / sizeof(verbs[0]));
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
