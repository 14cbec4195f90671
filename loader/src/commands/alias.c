/*
 * alias.c - perfhouse alias: which regions count as others when runs are compared.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/print_rows.h"
#include "commands/verbs.h"
#include "queries.h"
#include "system/log.h"
#include "texts.h"

static const PhParameter alias_options[] = {
	{.name = "application",
	 .letter = 'a',
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .offer = PH_OFFER_APPLICATIONS,
	 .help = "add: for runs of this application only; list: its aliases and those of all"},
	{.name = "library",
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .help = "add: only regions of this library"},
	{.name = "file",
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .help = "add: only regions of this source file"},
	{.name = "to-library",
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .help = "add: the library that they count to"},
	{.name = "to-file",
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .help = "add: the source file that they count to"},
	{.name = "pattern", .help = "add: NAME, --library and --file are regular expressions"},
	{.name = "reason",
	 .type = PH_PARAMETER_TEXT,
	 .value = "TEXT",
	 .help = "add: why, kept with the alias"},
	{.name = "min-score",
	 .type = PH_PARAMETER_NUMBER,
	 .value = "S",
	 .help = "suggest: least score of a candidate, 0 to 1 (default 0.5)"},
	{.name = "json", .help = "list, suggest: print one JSON object a line"},
	{.name = NULL}};

static PhExit
list(PhConnection *connection, const PhArguments *arguments)
{
	static const char *const fields[] = {"id",		"application", "name",	  "library",
										 "file",	"kind",		   "to_name", "to_library",
										 "to_file", "set_by",	   "set_at",  "reason"};
	bool json = ph_cli_flag(arguments, "json");
	PhParam application = ph_option_param(arguments, "application");
	PhResult *rows = ph_pq_query(connection, ph_sql_alias_list, &application, 1);

	if (rows == NULL)
		return ph_pq_log_error(connection, "alias");
	ph_print_rows(rows, fields, sizeof(fields) / sizeof(fields[0]), json);
	if (!json)
		printf("(%zu alias%s)\n", ph_result_count(rows), ph_result_count(rows) == 1 ? "" : "es");
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
add(PhConnection *connection, const PhArguments *arguments)
{
	bool named = ph_cli_n_arguments(arguments) == 3;
	PhParam params[] = {named ? ph_param_text(ph_cli_argument(arguments, 1)) : ph_param_null(),
						named ? ph_param_text(ph_cli_argument(arguments, 2)) : ph_param_null(),
						ph_option_param(arguments, "application"),
						ph_option_param(arguments, "library"),
						ph_option_param(arguments, "file"),
						ph_option_param(arguments, "to-library"),
						ph_option_param(arguments, "to-file"),
						ph_param_bool(ph_cli_flag(arguments, "pattern")),
						ph_option_param(arguments, "reason")};
	PhResult *rows = ph_pq_query(connection, ph_sql_alias_add, params, 9);

	if (rows == NULL)
		return ph_pq_log_error(connection, "alias");
	printf("alias %s: %s region%s of the warehouse\n", ph_result_text(rows, 0, 0),
		   ph_result_text(rows, 0, 1), ph_result_int(rows, 0, 1) == 1 ? "" : "s");
	if (ph_result_int(rows, 0, 1) == 0)
		ph_log_warning("no region of the warehouse is meant by alias %s now; perfhouse alias "
					   "remove %s forgets it",
					   ph_result_text(rows, 0, 0), ph_result_text(rows, 0, 0));
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static bool
parse_alias(const char *text, PhParam *id)
{
	char *end;
	long long value = strtoll(text, &end, 10);
	*id = ph_param_int(value);
	if (value > 0 && end != text && *end == '\0')
		return true;
	ph_log_error("\"%s\" is not the number of an alias", text);
	ph_log_hint("perfhouse alias lists them.");
	return false;
}

/*
 * In one transaction: an argument that is no alias's number, or any error, leaves all aliases as
 * they were.
 */
static PhExit
remove_aliases(PhConnection *connection, const PhArguments *arguments)
{
	size_t n = ph_cli_n_arguments(arguments);
	PhExit code = ph_pq_begin(connection) ? PH_EXIT_OK : ph_pq_log_error(connection, "alias");
	for (size_t i = 1; i < n && code == PH_EXIT_OK; i++)
	{
		PhParam id;
		if (!parse_alias(ph_cli_argument(arguments, i), &id))
			code = PH_EXIT_USAGE;
		else if (!ph_pq_execute(connection, ph_sql_alias_remove, &id, 1))
			code = ph_pq_log_error(connection, "alias");
	}
	if (code == PH_EXIT_OK && !ph_pq_commit(connection))
		code = ph_pq_log_error(connection, "alias");
	if (code != PH_EXIT_OK)
		ph_pq_rollback(connection);
	else
		printf("%zu alias%s removed\n", n - 1, n == 2 ? "" : "es");
	return code;
}

static PhExit
suggest(PhConnection *connection, const PhArguments *arguments)
{
	static const char *const fields[] = {"score", "name", "to_name", "reasons", "path"};
	bool json = ph_cli_flag(arguments, "json");
	int64_t a;
	int64_t b;
	if (!ph_cli_parse_run(ph_cli_argument(arguments, 1), &a) ||
		!ph_cli_parse_run(ph_cli_argument(arguments, 2), &b))
		return PH_EXIT_USAGE;
	PhParam params[] = {ph_param_int(a), ph_param_int(b),
						ph_param_float(ph_cli_number(arguments, "min-score", 0.5))};
	PhResult *rows = ph_pq_query(connection, ph_sql_alias_suggest, params, 3);

	if (rows == NULL)
		return ph_pq_log_error(connection, "alias");
	ph_print_rows(rows, fields, sizeof(fields) / sizeof(fields[0]), json);
	if (!json)
		printf("(%zu candidate%s; perfhouse alias add NAME TO-NAME keeps one)\n",
			   ph_result_count(rows), ph_result_count(rows) == 1 ? "" : "s");
	ph_result_free(rows);
	return PH_EXIT_OK;
}

/* ---- the command ---- */

static const PhVerb verbs[] = {{"list", 0, 0, "no arguments", list},
							   {"add", 0, 2, "NAME and TO-NAME, or neither", add},
							   {"remove", 1, 1000, "the numbers of aliases", remove_aliases},
							   {"suggest", 2, 2, "two runs", suggest}};

static PhExit
cmd_alias(PhArguments *arguments)
{
	/* a name alone says too little */
	if (ph_cli_n_arguments(arguments) == 2 && strcmp(ph_cli_argument(arguments, 0), "add") == 0)
		return ph_cli_usage_error(arguments, "add takes NAME and TO-NAME, or neither");
	return ph_run_verb(arguments, verbs, sizeof(verbs) / sizeof(verbs[0]));
}

static const char *const alias_actions[] = {"list", "add", "remove", "suggest", NULL};
static const PhParameter alias_arguments[] = {
	{.name = "action", .type = PH_PARAMETER_TEXT, .choices = alias_actions},
	{.name = "id",
	 .variant = "remove",
	 .type = PH_PARAMETER_TEXT,
	 .offer = PH_OFFER_ALIASES,
	 .repeats = true},
	{.name = "run",
	 .variant = "suggest",
	 .type = PH_PARAMETER_RUN,
	 .offer = PH_OFFER_RUNS,
	 .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_alias = {
	.name = "alias",
	.help = "renamed functions: list, add, remove and suggest aliases",
	.usage = "[list | add [NAME TO-NAME] | remove ID... | suggest RUN RUN] [OPTION]...",
	.details = ph_help_alias,
	.options = alias_options,
	.min_arguments = 0,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = alias_arguments,
	.run = cmd_alias,
};
