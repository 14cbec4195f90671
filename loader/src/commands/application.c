/*
 * application.c - perfhouse application: which metadata makes runs of an application comparable.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/print_rows.h"
#include "database/warehouse.h"
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

static PhParam
optional(const PhArguments *arguments, const char *option)
{
	const char *text = ph_cli_text(arguments, option, NULL);

	return text != NULL ? ph_param_text(text) : ph_param_null();
}

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
	PhParam params[] = {ph_param_text(ph_cli_argument(arguments, 1)), optional(arguments, "keys"),
						optional(arguments, "size-keys"), optional(arguments, "size-of")};

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

typedef struct Verb
{
	const char *name;
	size_t n_arguments; /* after it */
	PhExit (*run)(PhConnection *connection, const PhArguments *arguments);
} Verb;

static const Verb verbs[] = {{"list", 0, list_applications},
							 {"show", 1, show_application},
							 {"set", 1, set_application},
							 {"reset", 1, reset_application}};

/* NULL: a usage error, which is logged. */
static const Verb *
find_verb(PhArguments *arguments)
{
	size_t n = ph_cli_n_arguments(arguments);
	const char *word = n > 0 ? ph_cli_argument(arguments, 0) : "list";

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
	{
		if (strcmp(word, verbs[i].name) != 0)
			continue;
		if ((n > 0 ? n - 1 : 0) == verbs[i].n_arguments)
			return &verbs[i];
		ph_cli_usage_error(arguments, "%s takes %s", word,
						   verbs[i].n_arguments == 0 ? "no arguments" : "one application");
		return NULL;
	}
	ph_cli_usage_error(arguments, "say list, show, set or reset, not \"%s\"", word);
	return NULL;
}

static PhExit
cmd_application(PhArguments *arguments)
{
	PhConnection *connection;
	const Verb *verb = find_verb(arguments);
	PhExit code;

	if (verb == NULL)
		return PH_EXIT_USAGE;
	code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	code = verb->run(connection, arguments);
	ph_pq_close(connection);
	return code;
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
