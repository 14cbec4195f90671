/*
 * application.c - perfhouse application: which metadata makes runs of an application comparable.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>

#include "commands/commands.h"
#include "commands/print_rows.h"
#include "commands/verbs.h"
#include "queries.h"
#include "system/log.h"
#include "texts.h"

static const char *const sizes_of[] = {"run", "rank", NULL};

static const PhParameter application_options[] = {
	{.name = "keys",
	 .type = PH_PARAMETER_TEXT,
	 .value = "KEY,...",
	 .help = "set: runs that agree in these can be compared: columns (n_ranks, n_threads, n_hosts, "
			 "cluster, ...) and names of metadata; empty: all runs of the application"},
	{.name = "size-keys",
	 .type = PH_PARAMETER_TEXT,
	 .value = "KEY,...",
	 .help = "set: numbers that multiply to the size of the problem; they tell strong scaling from "
			 "weak (default: problem_size, problem or size)"},
	{.name = "size-of",
	 .type = PH_PARAMETER_TEXT,
	 .value = "run|rank",
	 .choices = sizes_of,
	 .help = "set: whether that is the size of the whole run or of each rank"},
	{.name = "json", .help = "list, show: print one JSON object a line"},
	{.name = NULL}};

/* The applications, or that one (NULL: all); *n: how many there are. */
static PhExit
print_applications(PhConnection *connection, const char *name, bool json, size_t *n)
{
	static const char *const fields[] = {"application",	  "keys",	"size",	 "n_runs",
										 "n_experiments", "set_by", "set_at"};
	PhParam param = ph_param_text(name);
	PhResult *rows = ph_pq_query(connection, ph_sql_application_list, &param, 1);

	if (rows == NULL)
		return ph_pq_log_error(connection, "application");
	*n = ph_result_count(rows);
	if (name == NULL || *n > 0)
		ph_print_rows(rows, fields, sizeof(fields) / sizeof(fields[0]), json);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
list_applications(PhConnection *connection, const PhArguments *arguments)
{
	bool json = ph_cli_flag(arguments, "json");
	size_t n = 0;
	PhExit code = print_applications(connection, NULL, json, &n);

	if (code == PH_EXIT_OK && !json)
		printf("(%zu application%s)\n", n, n == 1 ? "" : "s");
	return code;
}

static PhExit
show_application(PhConnection *connection, const PhArguments *arguments)
{
	static const char *const fields[] = {"experiment", "n_runs", "n_commits", "latest", "runs"};
	bool json = ph_cli_flag(arguments, "json");
	const char *name = ph_cli_argument(arguments, 1);
	PhParam param = ph_param_text(name);
	PhResult *rows;
	size_t n = 0;
	PhExit code = print_applications(connection, name, json, &n);

	if (code != PH_EXIT_OK)
		return code;
	if (n == 0)
	{
		ph_log_error("no application \"%s\" in the warehouse", name);
		ph_log_hint("perfhouse application lists them.");
		return PH_EXIT_NOT_FOUND;
	}
	rows = ph_pq_query(connection, ph_sql_application_show, &param, 1);
	if (rows == NULL)
		return ph_pq_log_error(connection, "application");
	if (!json)
		putchar('\n');
	ph_print_rows(rows, fields, sizeof(fields) / sizeof(fields[0]), json);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
set_application(PhConnection *connection, const PhArguments *arguments)
{
	PhParam params[] = {ph_param_text(ph_cli_argument(arguments, 1)),
						ph_option_param(arguments, "keys"), ph_option_param(arguments, "size-keys"),
						ph_option_param(arguments, "size-of")};

	if (ph_cli_text(arguments, "keys", NULL) == NULL &&
		ph_cli_text(arguments, "size-keys", NULL) == NULL &&
		ph_cli_text(arguments, "size-of", NULL) == NULL)
	{
		ph_log_error("nothing to set");
		ph_log_hint("Give --keys, --size-keys or --size-of.");
		return PH_EXIT_USAGE;
	}
	if (!ph_pq_execute(connection, ph_sql_application_set, params, 4))
		return ph_pq_log_error(connection, "application");
	return show_application(connection, arguments);
}

static PhExit
reset_application(PhConnection *connection, const PhArguments *arguments)
{
	PhParam param = ph_param_text(ph_cli_argument(arguments, 1));

	if (!ph_pq_execute(connection, ph_sql_application_reset, &param, 1))
		return ph_pq_log_error(connection, "application");
	printf("application %s: the default keys count\n", ph_cli_argument(arguments, 1));
	return PH_EXIT_OK;
}

/* ---- the command ---- */

static const PhVerb verbs[] = {{"list", 0, 0, "no arguments", list_applications},
							   {"show", 1, 1, "one application", show_application},
							   {"set", 1, 1, "one application", set_application},
							   {"reset", 1, 1, "one application", reset_application}};

static PhExit
cmd_application(PhArguments *arguments)
{
	return ph_run_verb(arguments, verbs, sizeof(verbs) / sizeof(verbs[0]));
}

static const char *const application_actions[] = {"list", "show", "set", "reset", NULL};
static const PhParameter application_arguments[] = {
	{.name = "action", .type = PH_PARAMETER_TEXT, .choices = application_actions},
	{.name = "application", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_APPLICATIONS},
	{.name = NULL}};

const PhCommand ph_command_application = {
	.name = "application",
	.help = "what makes runs of an application comparable: list, show, set and reset its keys",
	.usage = "[list | show APPLICATION | set APPLICATION | reset APPLICATION] [OPTION]...",
	.details = ph_help_application,
	.options = application_options,
	.min_arguments = 0,
	.max_arguments = 2,
	.uses_database = true,
	.arguments = application_arguments,
	.run = cmd_application,
};
