/*
 * metric.c - perfhouse metric: metrics that are made of others, for the whole warehouse.
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
	const char *missing;
	PhParam params[] = {ph_param_text(name), ph_param_text(ph_cli_argument(arguments, 2)),
						ph_option_param(arguments, "unit")};
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

static const PhVerb verbs[] = {{"list", 0, 0, "no arguments", list_metrics},
							   {"define", 2, 2, "a name and a formula (in quotes)", define_metric},
							   {"drop", 1, 1, "one name", drop_metric}};

static PhExit
cmd_metric(PhArguments *arguments)
{
	return ph_run_verb(arguments, verbs, sizeof(verbs) / sizeof(verbs[0]));
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
