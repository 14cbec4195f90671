/*
 * retention.c - perfhouse retention: which runs are rolled up when, and doing it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_out.h"
#include "cli/text_table.h"
#include "commands/commands.h"
#include "commands/upkeep.h"
#include "commands/verbs.h"
#include "queries.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "texts.h"

static const char *const action_choices[] = {"roll-up", "drop-trace", NULL};

static const PhParameter retention_options[] = {
	{.name = "action",
	 .type = PH_PARAMETER_TEXT,
	 .value = "ACTION",
	 .choices = action_choices,
	 .help = "set: roll-up (distributions instead of a value per rank) or drop-trace (events go, "
			 "the profile and phases stay)"},
	{.name = "older-than",
	 .type = PH_PARAMETER_TEXT,
	 .value = "AGE",
	 .help = "set: for runs that were loaded so long ago: 90 days, 1 year"},
	{.name = "filter",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FILTER",
	 .help = "set: only for runs that a run filter selects: n_ranks > 64 AND NOT tag = 'release'"},
	{.name = "keep-tag",
	 .type = PH_PARAMETER_TEXT,
	 .repeats = true,
	 .value = "TAG",
	 .offer = PH_OFFER_TAGS,
	 .help = "set: leave runs with this tag alone (default: keep and baseline)"},
	{.name = "dry-run", .letter = 'n', .help = "apply: only say what would be done"},
	{.name = "json", .help = "print one JSON object a line"},
	{.name = NULL}};

/* ---- policies ---- */

static PhExit
list_policies(PhConnection *connection, const PhArguments *arguments)
{
	bool json = ph_cli_flag(arguments, "json");
	static const char *const fields[] = {"name",	  "action", "older_than", "due",
										 "keep_tags", "set_by", "set_at",	  "filter"};
	PhResult *rows = ph_pq_query(connection, ph_sql_retention_list, NULL, 0);
	PhTextTable *table;

	if (rows == NULL)
		return ph_pq_log_error(connection, "retention");
	table = ph_table_new();
	for (size_t i = 0; i < 8; i++)
		ph_table_column(table, fields[i],
						strcmp(fields[i], "due") == 0 ? PH_ALIGN_RIGHT : PH_ALIGN_LEFT,
						strcmp(fields[i], "filter") == 0 ? 60 : 0);
	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		if (json)
			puts(ph_result_text(rows, row, ph_result_field(rows, "json")));
		for (size_t i = 0; i < 8; i++)
			ph_table_cell(table, ph_result_text(rows, row, ph_result_field(rows, fields[i])));
	}
	if (!json)
	{
		ph_table_print(table, stdout, 0);
		printf("(%zu polic%s)\n", ph_result_count(rows), ph_result_count(rows) == 1 ? "y" : "ies");
	}
	ph_table_free(table);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
set_policy(PhConnection *connection, const PhArguments *arguments)
{
	bool rolls_up = strcmp(ph_cli_text(arguments, "action", ""), "roll-up") == 0;
	const char *const *tags;
	size_t n_tags = ph_cli_list(arguments, "keep-tag", &tags);
	char *kept = n_tags > 0 ? ph_array_text(tags, n_tags) : NULL;
	PhParam params[] = {ph_param_text(ph_cli_argument(arguments, 1)),
						ph_param_text(rolls_up ? "roll up" : "drop trace"),
						ph_param_text(ph_cli_text(arguments, "older-than", NULL)),
						ph_option_param(arguments, "filter"),
						kept == NULL ? ph_param_null() : ph_param_text(kept)};
	bool ok = ph_pq_execute(connection, ph_sql_retention_set, params, 5);

	free(kept);
	return ok ? PH_EXIT_OK : ph_pq_log_error(connection, "retention");
}

static PhExit
remove_policy(PhConnection *connection, const PhArguments *arguments)
{
	PhParam name = ph_param_text(ph_cli_argument(arguments, 1));
	PhResult *rows = ph_pq_query(connection, ph_sql_retention_remove, &name, 1);
	PhExit code = PH_EXIT_OK;

	if (rows == NULL)
		return ph_pq_log_error(connection, "retention");
	if (ph_result_count(rows) == 0)
	{
		ph_log_error("there is no retention policy \"%s\"", ph_cli_argument(arguments, 1));
		ph_log_hint("perfhouse retention lists them.");
		code = PH_EXIT_NOT_FOUND;
	}
	ph_result_free(rows);
	return code;
}

/* ---- doing it ---- */

/* One run of the plan. */
typedef struct Task
{
	const char *policy; /* NULL: asked for by name */
	bool rolls_up;
	int64_t run_id;
	const char *title;
} Task;

static void
print_done(const Task *task, const char *removed, bool json)
{
	PhJsonOut json_line, *object = &json_line;

	if (!json)
	{
		printf("%s run %lld%s%s%s", task->rolls_up ? "roll up" : "drop the events of",
			   (long long) task->run_id, task->title[0] != '\0' ? " (" : "", task->title,
			   task->title[0] != '\0' ? ")" : "");
		if (removed == NULL)
			printf("\n");
		else
			printf(": %s %s removed\n", removed, task->rolls_up ? "vectors" : "chunks");
		return;
	}
	ph_json_begin(object, stdout);
	ph_json_open_object(object, NULL);
	ph_json_put_text(object, "policy", task->policy);
	ph_json_put_text(object, "action", task->rolls_up ? "roll up" : "drop trace");
	ph_json_put_integer(object, "run_id", task->run_id);
	ph_json_put_raw(object, "removed", removed);
	ph_json_close(object);
	(void) ph_json_done_line(object);
}

/* What a policy asked for when its runs were listed is done if it still asks for it. */
static PhExit
do_task(PhConnection *connection, const Task *task, bool json)
{
	PhParam params[] = {ph_param_int(task->run_id), ph_param_text(task->policy)};
	const char *by_name = task->rolls_up ? ph_sql_retention_roll_up : ph_sql_retention_drop_trace;
	PhResult *rows = task->policy == NULL
						 ? ph_pq_query(connection, by_name, params, 1)
						 : ph_pq_query(connection, ph_sql_retention_apply, params, 2);

	if (rows == NULL)
		return ph_pq_log_error(connection, "retention");
	if (ph_result_is_null(rows, 0, 0))
		ph_log_info("run %lld stays: policy \"%s\" does not concern it any more",
					(long long) task->run_id, task->policy);
	else
		print_done(task, ph_result_text(rows, 0, 0), json);
	ph_result_free(rows);
	return PH_EXIT_OK;
}

/* What retention does besides its policies: trees, months, runs of older releases. */
static PhExit
maintain(PhConnection *connection)
{
	PhUpkeepCount converted;
	if (!(ph_pq_execute(connection, ph_sql_retention_unused_trees, NULL, 0) &&
		  ph_pq_execute(connection, ph_sql_retention_months, NULL, 0)))
		return ph_pq_log_error(connection, "retention");
	PhExit code = ph_upkeep(connection, &ph_upkeep_convert, &converted);
	if (converted.n_done > 0)
		ph_log_info("%zu runs of older releases are stored as this one does now", converted.n_done);
	return code != PH_EXIT_OK ? code : converted.failure;
}

/* A run that cannot be done does not stop the others; the first failure gives the code. */
static PhExit
apply(PhConnection *connection, const PhArguments *arguments)
{
	bool dry_run = ph_cli_flag(arguments, "dry-run");
	bool json = ph_cli_flag(arguments, "json");
	bool one = ph_cli_n_arguments(arguments) > 1;
	PhParam name = one ? ph_param_text(ph_cli_argument(arguments, 1)) : ph_param_null();
	PhResult *rows = ph_pq_query(connection, ph_sql_retention_due, &name, 1);
	PhProgress progress;
	PhExit code = PH_EXIT_OK;

	if (rows == NULL)
		return ph_pq_log_error(connection, "retention");
	ph_progress_start(&progress, "rolling up", ph_result_count(rows));
	for (size_t row = 0; row < ph_result_count(rows) && !ph_interrupted(); row++)
	{
		Task task = {.policy = ph_result_text(rows, row, 0),
					 .rolls_up = strcmp(ph_result_text(rows, row, 1), "roll up") == 0,
					 .run_id = ph_result_int(rows, row, 2),
					 .title = ph_result_text(rows, row, 3)};
		PhExit result = PH_EXIT_OK;

		if (dry_run)
			print_done(&task, NULL, json);
		else
			result = do_task(connection, &task, json);
		code = code == PH_EXIT_OK ? result : code;
		ph_progress_update(&progress, row + 1);
	}
	ph_progress_end(&progress);
	if (!dry_run && !ph_interrupted())
	{
		PhExit result = maintain(connection);
		code = code == PH_EXIT_OK ? result : code;
	}
	if (!json)
		printf("(%zu %s)\n", ph_result_count(rows), dry_run ? "to do" : "asked for");
	ph_result_free(rows);
	return ph_interrupted() ? PH_EXIT_INTERRUPTED : code;
}

static PhExit
do_named(PhConnection *connection, const PhArguments *arguments, bool rolls_up)
{
	bool dry_run = ph_cli_flag(arguments, "dry-run");
	bool json = ph_cli_flag(arguments, "json");
	PhExit code = PH_EXIT_OK;

	for (size_t i = 1; i < ph_cli_n_arguments(arguments) && code == PH_EXIT_OK; i++)
	{
		Task task = {.rolls_up = rolls_up, .title = ""};

		if (!ph_cli_parse_run(ph_cli_argument(arguments, i), &task.run_id))
			return PH_EXIT_USAGE;
		if (dry_run)
			print_done(&task, NULL, json);
		else
			code = do_task(connection, &task, json);
	}
	return code;
}

static PhExit
roll_up(PhConnection *connection, const PhArguments *arguments)
{
	return do_named(connection, arguments, true);
}

static PhExit
drop_trace(PhConnection *connection, const PhArguments *arguments)
{
	return do_named(connection, arguments, false);
}

/* ---- the command ---- */

static const PhVerb verbs[] = {{"list", 0, 0, "no arguments", list_policies},
							   {"set", 1, 1, "the name of a policy", set_policy},
							   {"remove", 1, 1, "the name of a policy", remove_policy},
							   {"apply", 0, 1, "the name of a policy", apply},
							   {"roll-up", 1, 1000, "the numbers of runs", roll_up},
							   {"drop-trace", 1, 1000, "the numbers of runs", drop_trace}};

static PhExit
cmd_retention(PhArguments *arguments)
{
	if (ph_cli_n_arguments(arguments) == 2 && strcmp(ph_cli_argument(arguments, 0), "set") == 0 &&
		!(ph_cli_given(arguments, "action") && ph_cli_given(arguments, "older-than")))
		return ph_cli_usage_error(arguments, "set needs --action and --older-than");
	return ph_run_verb(arguments, verbs, sizeof(verbs) / sizeof(verbs[0]));
}

static const char *const retention_actions[] = {"list",	   "set",		 "remove", "apply",
												"roll-up", "drop-trace", NULL};
static const PhParameter retention_arguments[] = {
	{.name = "action", .type = PH_PARAMETER_TEXT, .choices = retention_actions},
	{.name = "name", .variant = "set", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_POLICIES},
	{.name = "name", .variant = "remove", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_POLICIES},
	{.name = "name", .variant = "apply", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_POLICIES},
	{.name = "run",
	 .variant = "roll-up",
	 .type = PH_PARAMETER_RUN,
	 .offer = PH_OFFER_RUNS,
	 .repeats = true},
	{.name = "run",
	 .variant = "drop-trace",
	 .type = PH_PARAMETER_RUN,
	 .offer = PH_OFFER_RUNS,
	 .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_retention = {
	.name = "retention",
	.help = "roll old runs up, drop old traces' events",
	.usage = "[list | set NAME | remove NAME | apply [NAME] | roll-up RUN... | drop-trace RUN...] "
			 "[OPTION]...",
	.details = ph_help_retention,
	.options = retention_options,
	.min_arguments = 0,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = retention_arguments,
	.run = cmd_retention,
};
