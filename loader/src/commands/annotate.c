/*
 * annotate.c - perfhouse rm, tag and exclude: what people do to runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/named_runs.h"
#include "commands/print_rows.h"
#include "commands/verbs.h"
#include "database/warehouse.h"
#include "queries.h"
#include "system/log.h"
#include "system/memory.h"
#include "texts.h"

static const PhParameter rm_options[] = {
	{.name = "force", .letter = 'f', .help = "do not ask; runs that are not there are fine"},
	{.name = NULL}};

static const PhParameter exclude_options[] = {
	{.name = "undo", .letter = 'u', .help = "take the runs back in"}, {.name = NULL}};

/* The arguments from first to before end as the text of an int8[]; NULL: one is no run id (logged).
 */
static char *
run_ids(const PhArguments *arguments, size_t first, size_t end)
{
	int64_t *ids = ph_must_alloc(end - first + 1, sizeof(*ids));
	char *text = NULL;
	bool ok = end > first;

	for (size_t i = first; i < end && ok; i++)
		ok = ph_cli_parse_run(ph_cli_argument(arguments, i), &ids[i - first]);
	if (ok)
		text = ph_array_int(ids, end - first);
	free(ids);
	return text;
}

static void
print_done(const PhResult *rows, const char *what)
{
	for (size_t row = 0; row < ph_result_count(rows); row++)
		printf("%s run %s (%s)\n", what, ph_result_text(rows, row, 0),
			   ph_result_text(rows, row, 1));
}

/* Run a statement over runs, the first parameter, in a transaction, of which others hear; all named
 * runs must exist unless all_needed is false. */
static PhExit
change_runs(PhConnection *connection, const char *sql, const PhParam *params, int n_params,
			size_t n_named, bool all_needed, const char *what)
{
	PhResult *rows = NULL;
	PhExit code = PH_EXIT_OK;

	if (ph_pq_begin(connection) && ph_pq_execute(connection, ph_sql_runs_lock, params, 1))
		rows = ph_pq_query(connection, sql, params, n_params);
	if (rows == NULL)
		code = ph_pq_log_error(connection, NULL);
	else if (all_needed)
		code = ph_named_runs_found(ph_result_count(rows), n_named);
	if (code == PH_EXIT_OK &&
		!(ph_pq_execute(connection, ph_sql_runs_changed, params, 1) && ph_pq_commit(connection)))
		code = ph_pq_log_error(connection, NULL);
	if (code == PH_EXIT_OK)
		print_done(rows, what);
	else
		ph_pq_rollback(connection);
	ph_result_free(rows);
	return code;
}

static PhExit
open_and_change(const PhArguments *arguments, const char *sql, const PhParam *params, int n_params,
				size_t n_named, const char *what)
{
	PhConnection *connection;
	PhExit code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);

	if (code != PH_EXIT_OK)
		return code;
	code = change_runs(connection, sql, params, n_params, n_named, true, what);
	ph_pq_close(connection);
	return code;
}

/* ---- rm ---- */

/* On a terminal, name the runs and ask. */
static bool
is_confirmed(PhConnection *connection, const PhParam *ids)
{
	PhResult *rows;
	char answer[16] = "";

	if (!isatty(STDIN_FILENO))
		return true;
	rows = ph_pq_query(connection, ph_sql_runs_named, ids, 1);
	if (rows == NULL || ph_result_count(rows) == 0)
	{
		ph_result_free(rows);
		return true; /* the statement itself will say what is wrong */
	}
	print_done(rows, "  remove");
	ph_result_free(rows);
	printf("remove these runs for good? [y/N] ");
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y');
}

static PhExit
cmd_rm(PhArguments *arguments)
{
	size_t n = ph_cli_n_arguments(arguments);
	bool force = ph_cli_flag(arguments, "force");
	char *ids = run_ids(arguments, 0, n);
	PhParam param = ph_param_text(ids);
	PhConnection *connection = NULL;
	PhExit code = PH_EXIT_USAGE;

	if (ids != NULL)
		code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code == PH_EXIT_OK && !force && !is_confirmed(connection, &param))
		printf("nothing was removed\n");
	else if (code == PH_EXIT_OK)
		code = change_runs(connection, ph_sql_runs_remove, &param, 1, n, !force, "removed");
	ph_pq_close(connection);
	free(ids);
	return code;
}

/* ---- tag and exclude ---- */

static PhExit
change_tag(PhConnection *connection, const PhArguments *arguments, const char *sql,
		   const char *what)
{
	size_t n = ph_cli_n_arguments(arguments);
	char *ids = run_ids(arguments, 2, n);
	PhParam params[2] = {ph_param_text(ids), ph_param_text(ph_cli_argument(arguments, 1))};
	PhExit code = PH_EXIT_USAGE;

	if (ids != NULL)
		code = change_runs(connection, sql, params, 2, n - 2, true, what);
	free(ids);
	return code;
}

static PhExit
add_tag(PhConnection *connection, const PhArguments *arguments)
{
	return change_tag(connection, arguments, ph_sql_runs_tag, "tagged");
}

static PhExit
remove_tag(PhConnection *connection, const PhArguments *arguments)
{
	return change_tag(connection, arguments, ph_sql_runs_untag, "untagged");
}

static PhExit
list_tags(PhConnection *connection, const PhArguments *arguments)
{
	static const char *const fields[] = {"tag", "n_runs", "newest", "applications"};
	PhResult *rows = ph_pq_query(connection, ph_sql_runs_tags, NULL, 0);

	if (rows == NULL)
		return ph_pq_log_error(connection, "tag");
	ph_print_rows(rows, fields, sizeof(fields) / sizeof(fields[0]), ph_cli_flag(arguments, "json"));
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static const PhVerb tag_verbs[] = {{"list", 0, 0, "no arguments", list_tags},
								   {"add", 2, SIZE_MAX, "a tag and runs", add_tag},
								   {"remove", 2, SIZE_MAX, "a tag and runs", remove_tag}};

static PhExit
cmd_tag(PhArguments *arguments)
{
	return ph_run_verb(arguments, tag_verbs, sizeof(tag_verbs) / sizeof(tag_verbs[0]));
}

static PhExit
cmd_exclude(PhArguments *arguments)
{
	bool undo = ph_cli_flag(arguments, "undo");
	size_t n = ph_cli_n_arguments(arguments);
	size_t n_runs = undo ? n : n - 1;
	const char *reason = undo ? NULL : ph_cli_argument(arguments, n - 1);
	char *ids;
	PhParam params[2];
	PhExit code;

	if (n_runs == 0 || (reason != NULL && strspn(reason, "0123456789 ") == strlen(reason)))
		return ph_cli_usage_error(arguments, "give the reason as last argument");
	ids = run_ids(arguments, 0, n_runs);
	if (ids == NULL)
		return PH_EXIT_USAGE;
	params[0] = ph_param_text(ids);
	params[1] = ph_param_text(reason);
	code = open_and_change(arguments, ph_sql_runs_exclude, params, 2, n_runs,
						   undo ? "included" : "excluded");
	free(ids);
	return code;
}

static const PhParameter rm_arguments[] = {
	{.name = "run", .type = PH_PARAMETER_RUN, .offer = PH_OFFER_RUNS, .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_rm = {
	.name = "rm",
	.help = "remove runs",
	.usage = "RUN... [OPTION]...",
	.options = rm_options,
	.min_arguments = 1,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = rm_arguments,
	.run = cmd_rm,
};

static const PhParameter tag_options[] = {
	{.name = "json", .help = "list: print one JSON object a line"}, {.name = NULL}};

static const char *const tag_actions[] = {"list", "add", "remove", NULL};
static const PhParameter tag_arguments[] = {
	{.name = "action", .type = PH_PARAMETER_TEXT, .choices = tag_actions},
	{.name = "tag", .variant = "add", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_TAGS},
	{.name = "run",
	 .variant = "add",
	 .type = PH_PARAMETER_RUN,
	 .offer = PH_OFFER_RUNS,
	 .repeats = true},
	{.name = "tag", .variant = "remove", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_TAGS},
	{.name = "run",
	 .variant = "remove",
	 .type = PH_PARAMETER_RUN,
	 .offer = PH_OFFER_RUNS,
	 .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_tag = {
	.name = "tag",
	.help = "list tags, add or remove one",
	.usage = "[list | add TAG RUN... | remove TAG RUN...] [OPTION]...",
	.details = ph_help_tag,
	.options = tag_options,
	.min_arguments = 0,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = tag_arguments,
	.run = cmd_tag,
};

static const PhParameter exclude_arguments[] = {
	{.name = "run", .type = PH_PARAMETER_RUN, .offer = PH_OFFER_RUNS, .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_exclude = {
	.name = "exclude",
	.help = "leave runs out of comparisons, or take them back in",
	.usage = "RUN... REASON | --undo RUN...",
	.details = ph_help_exclude,
	.options = exclude_options,
	.min_arguments = 1,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = exclude_arguments,
	.run = cmd_exclude,
};
