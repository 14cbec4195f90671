/*
 * metric.c - perfhouse metric: metrics that are made of others, for the whole warehouse.
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

static const PhParameter metric_options[] = {
	{.name = "unit",
	 .type = PH_PARAMETER_TEXT,
	 .value = "U",
	 .help = "define: the unit of its values (default: what the units of the operands give)"},
	{.name = "json", .help = "list: print one JSON object a line"},
	{.name = NULL}};

static PhExit
list_metrics(PhConnection *connection, const PhArguments *arguments)
{
	static const char *const fields[] = {"name", "formula", "unit", "set_by", "set_at"};
	bool json = ph_cli_flag(arguments, "json");
	PhResult *rows = ph_pq_query(connection, ph_sql_metric_list, NULL, 0);

	if (rows == NULL)
		return ph_pq_log_error(connection, "metric");
	ph_print_rows(rows, fields, sizeof(fields) / sizeof(fields[0]), json);
	if (!json)
		printf("(%zu derived metric%s)\n", ph_result_count(rows),
			   ph_result_count(rows) == 1 ? "" : "s");
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
define_metric(PhConnection *connection, const PhArguments *arguments)
{
	const char *name = ph_cli_argument(arguments, 1);
	const char *unit = ph_cli_text(arguments, "unit", NULL);
	const char *missing;
	PhParam params[] = {ph_param_text(name), ph_param_text(ph_cli_argument(arguments, 2)),
						unit != NULL ? ph_param_text(unit) : ph_param_null()};
	PhResult *rows = ph_pq_query(connection, ph_sql_metric_define, params, 3);

	if (rows == NULL)
		return ph_pq_log_error(connection, "metric");
	printf("metric %s is %s\n", name, ph_cli_argument(arguments, 2));
	missing = ph_result_text(rows, 0, 0);
	if (missing != NULL && missing[0] != '\0')
		ph_log_warning("no run has %s", missing);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
drop_metric(PhConnection *connection, const PhArguments *arguments)
{
	PhParam param = ph_param_text(ph_cli_argument(arguments, 1));

	if (!ph_pq_execute(connection, ph_sql_metric_drop, &param, 1))
		return ph_pq_log_error(connection, "metric");
	printf("metric %s is forgotten\n", ph_cli_argument(arguments, 1));
	return PH_EXIT_OK;
}

/* ---- the command ---- */

typedef struct Verb
{
	const char *name;
	size_t n_arguments; /* after it */
	const char *takes;
	PhExit (*run)(PhConnection *connection, const PhArguments *arguments);
} Verb;

static const Verb verbs[] = {{"list", 0, "no arguments", list_metrics},
							 {"define", 2, "a name and a formula (in quotes)", define_metric},
							 {"drop", 1, "one name", drop_metric}};

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
		ph_cli_usage_error(arguments, "%s takes %s", word, verbs[i].takes);
		return NULL;
	}
	ph_cli_usage_error(arguments, "say list, define or drop, not \"%s\"", word);
	return NULL;
}

static PhExit
cmd_metric(PhArguments *arguments)
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

static const char *const metric_actions[] = {"list", "define", "drop", NULL};
static const PhParameter metric_arguments[] = {
	{.name = "action", .type = PH_PARAMETER_TEXT, .choices = metric_actions},
	{.name = "name", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_METRICS},
	{.name = NULL}};

const PhCommand ph_command_metric = {
	.name = "metric",
	.help = "metrics made of others by a formula: list, define and drop them",
	.usage = "[list | define NAME FORMULA | drop NAME] [OPTION]...",
	.details = ph_help_metric,
	.options = metric_options,
	.min_arguments = 0,
	.max_arguments = 3,
	.uses_database = true,
	.arguments = metric_arguments,
	.run = cmd_metric,
};
