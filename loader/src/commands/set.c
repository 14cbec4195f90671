/*
 * set.c - perfhouse set: mend the metadata of stored runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/named_runs.h"
#include "database/warehouse.h"
#include "pipeline/search.h"
#include "queries.h"
#include "system/log.h"
#include "system/memory.h"
#include "texts.h"

static const PhParameter set_options[] = {
	{.name = "text",
	 .help = "values are texts, also where they look like a number or a truth value"},
	{.name = "no-regressions",
	 .environment = "PERFHOUSE_NO_REGRESSIONS",
	 .help = "do not search the applications' histories afterwards"},
	{.name = NULL}};

/* key=value as it goes to the server. */
typedef struct Setting
{
	char *key;
	char *value;  /* NULL: the key goes */
	bool is_json; /* a number, true or false */
	PhResult *changed;
} Setting;

typedef struct SetCommand
{
	PhArguments *arguments;
	PhNewRuns runs;
	char *ids; /* the same as an array literal */
	Setting *settings;
	size_t n_settings;
} SetCommand;

/* Numbers, true and false are themselves; times are as the server writes them; all else is text. */
static void
read_value(Setting *setting, const char *text, bool as_text)
{
	bool is_time = strcmp(setting->key, "started_at") == 0;
	char when[64];

	if (text[0] == '\0')
		return;
	setting->is_json =
		!as_text && !is_time &&
		(ph_is_json_number(text) || strcmp(text, "true") == 0 || strcmp(text, "false") == 0);
	setting->value = ph_strdup(is_time && ph_parse_time(text, when, sizeof(when)) ? when : text);
}

/* Runs come first, then settings. */
static PhExit
read_arguments(SetCommand *command)
{
	const PhArguments *arguments = command->arguments;
	size_t n = ph_cli_n_arguments(arguments);
	bool as_text = ph_cli_flag(arguments, "text");

	command->runs.ids = ph_must_alloc(n + 1, sizeof(*command->runs.ids));
	command->settings = ph_must_alloc(n + 1, sizeof(*command->settings));
	for (size_t i = 0; i < n; i++)
	{
		const char *word = ph_cli_argument(arguments, i);
		const char *equals = strchr(word, '=');
		Setting *setting = &command->settings[command->n_settings];

		if (equals == word)
			return ph_cli_usage_error(arguments, "%s: not of the form key=value", word);
		if (equals == NULL && !ph_cli_parse_run(word, &command->runs.ids[command->runs.n++]))
			return PH_EXIT_USAGE;
		if (equals == NULL)
			continue;
		setting->key = ph_strndup(word, (size_t) (equals - word));
		read_value(setting, equals + 1, as_text);
		command->n_settings++;
	}
	if (command->runs.n == 0 || command->n_settings == 0)
		return ph_cli_usage_error(arguments, "say which runs, and key=value for what they get");
	command->ids = ph_array_int(command->runs.ids, command->runs.n);
	return PH_EXIT_OK;
}

static void
print_set(const Setting *setting)
{
	const PhResult *rows = setting->changed;

	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		const char *before = ph_result_text(rows, row, 2);

		printf("run %s (%s): %s = %s", ph_result_text(rows, row, 0), ph_result_text(rows, row, 1),
			   setting->key, setting->value != NULL ? setting->value : "nothing");
		printf("%s%s\n", before != NULL ? ", was " : "", before != NULL ? before : "");
	}
}

static PhExit
apply(SetCommand *command, PhConnection *connection, Setting *setting)
{
	PhParam params[] = {ph_param_text(command->ids), ph_param_text(setting->key),
						ph_param_text(setting->value), ph_param_bool(setting->is_json)};

	setting->changed = ph_pq_query(connection, ph_sql_runs_set, params, 4);
	return setting->changed == NULL
			   ? ph_pq_log_error(connection, "set")
			   : ph_named_runs_found(ph_result_count(setting->changed), command->runs.n);
}

static PhExit
apply_all(SetCommand *command, PhConnection *connection)
{
	PhParam ids = ph_param_text(command->ids);
	PhExit code = PH_EXIT_OK;

	if (!ph_pq_begin(connection) || !ph_pq_execute(connection, ph_sql_runs_lock, &ids, 1))
		code = ph_pq_log_error(connection, "set");
	for (size_t i = 0; i < command->n_settings && code == PH_EXIT_OK; i++)
		code = apply(command, connection, &command->settings[i]);
	if (code == PH_EXIT_OK && !ph_pq_commit(connection))
		code = ph_pq_log_error(connection, "set");
	if (code != PH_EXIT_OK)
		ph_pq_rollback(connection);
	for (size_t i = 0; i < command->n_settings && code == PH_EXIT_OK; i++)
		print_set(&command->settings[i]);
	return code;
}

static PhExit
set_runs(SetCommand *command)
{
	PhConnection *connection = NULL;
	PhExit code = read_arguments(command);

	if (code == PH_EXIT_OK)
		code = ph_warehouse_open(ph_cli_db(command->arguments), PH_OPEN_READY, &connection);
	if (code == PH_EXIT_OK)
		code = apply_all(command, connection);
	if (code == PH_EXIT_OK && !ph_cli_flag(command->arguments, "no-regressions"))
		ph_new_runs_search(&command->runs, connection, false);
	ph_pq_close(connection);
	return code;
}

static PhExit
cmd_set(PhArguments *arguments)
{
	SetCommand command = {.arguments = arguments};
	PhExit code = set_runs(&command);

	for (size_t i = 0; i < command.n_settings; i++)
	{
		free(command.settings[i].key);
		free(command.settings[i].value);
		ph_result_free(command.settings[i].changed);
	}
	free(command.settings);
	free(command.ids);
	ph_new_runs_free(&command.runs);
	return code;
}

static const PhParameter set_arguments[] = {
	{.name = "run", .type = PH_PARAMETER_RUN, .offer = PH_OFFER_RUNS, .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_set = {
	.name = "set",
	.help = "mend the metadata of stored runs",
	.usage = "RUN... KEY=VALUE... [OPTION]...",
	.details = ph_help_set,
	.options = set_options,
	.min_arguments = 2,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = set_arguments,
	.run = cmd_set,
};
