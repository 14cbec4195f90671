/*
 * jobs.c - perfhouse jobs: what a batch system's accounting says, and what of it was measured;
 * perfhouse measure-next: what deserves it next.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/print_rows.h"
#include "commands/redact.h"
#include "commands/shared_options.h"
#include "commands/verbs.h"
#include "database/warehouse.h"
#include "queries.h"
#include "system/log.h"
#include "system/memory.h"
#include "texts.h"

#define MOST_BYTES                                                                                 \
	((size_t) 256 << 20) /* of accounting at once: about 10^6 jobs with their steps */

static const PhParameter jobs_options[] = {
	{.name = "time-zone",
	 .type = PH_PARAMETER_TEXT,
	 .value = "ZONE",
	 .help = "load: zone of times that have none (default UTC; of SLURM_TIME_FORMAT=%s none is "
			 "needed)"},
	{.name = "since",
	 .type = PH_PARAMETER_TEXT,
	 .value = "TIME",
	 .help = "coverage: jobs that ended from then on, a time or an age such as 30d (default 7d)"},
	PH_OPTION_REDACT("PERFHOUSE_REDACT"),
	PH_OPTION_SALT,
	{.name = "json", .help = "print one JSON object a line"},
	{.name = NULL}};

/* All of the stream; NULL after a message. */
static char *
read_stream(FILE *stream, const char *name)
{
	char *text = ph_must_alloc(65536, 1);
	size_t room = 65536, length = 0, n;

	while ((n = fread(text + length, 1, room - length - 1, stream)) > 0)
	{
		length += n;
		if (length > MOST_BYTES)
			break;
		if (room - length < 32768)
			text = ph_must_resize(text, room *= 2, 1);
	}
	text[length] = '\0';
	if (!ferror(stream) && length <= MOST_BYTES && strlen(text) == length)
		return text;
	if (ferror(stream))
		ph_log_error("%s: %s", name, strerror(errno));
	else
		ph_log_error("%s: %s", name,
					 length > MOST_BYTES ? "more than 256 MB of accounting; load it in parts"
										 : "not text");
	free(text);
	return NULL;
}

static char *
read_accounting(const PhArguments *arguments)
{
	const char *name = ph_cli_n_arguments(arguments) > 1 ? ph_cli_argument(arguments, 1) : "-";
	bool is_input = strcmp(name, "-") == 0;
	FILE *stream = is_input ? stdin : fopen(name, "r");
	char *text;

	if (stream == NULL)
	{
		ph_log_error("%s: %s", name, strerror(errno));
		return NULL;
	}
	text = read_stream(stream, is_input ? "standard input" : name);
	if (!is_input)
		fclose(stream);
	return text;
}

/* In one transaction with what is hidden of the jobs: nobody sees them before. NULL: an error. */
static PhResult *
store_jobs(PhConnection *connection, const PhParam *params, const PhHiding *hiding)
{
	PhParam hidden[] = {ph_param_text(hiding->what), ph_param_text(hiding->salt)};
	PhResult *rows =
		ph_pq_begin(connection) ? ph_pq_query(connection, ph_sql_jobs_load, params, 2) : NULL;

	if (rows != NULL &&
		(!hiding->is_any || ph_pq_execute(connection, ph_sql_jobs_hide, hidden, 2)) &&
		ph_pq_commit(connection))
		return rows;
	ph_result_free(rows);
	return NULL;
}

static PhExit
load_jobs(PhConnection *connection, const PhArguments *arguments)
{
	char *text;
	PhResult *rows;
	PhHiding hiding;
	PhExit code = ph_redact_parse(arguments, &hiding);

	if (code != PH_EXIT_OK)
		return code;
	text = read_accounting(arguments);
	PhParam params[] = {ph_param_text(text), ph_option_param(arguments, "time-zone")};
	rows = text == NULL ? NULL : store_jobs(connection, params, &hiding);
	ph_redact_free(&hiding);
	if (text == NULL)
		return PH_EXIT_UNREADABLE;
	free(text);
	if (rows == NULL)
		return ph_pq_log_error(connection, "jobs");
	if (ph_cli_flag(arguments, "json"))
		puts(ph_result_text(rows, 0, ph_result_field(rows, "json")));
	else
		printf("%s jobs of %s lines\n", ph_result_text(rows, 0, 0), ph_result_text(rows, 0, 1));
	if (strcmp(ph_result_text(rows, 0, 2), "0") != 0)
		ph_log_warning("%s lines are no jobs", ph_result_text(rows, 0, 2));
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static PhExit
show_coverage(PhConnection *connection, const PhArguments *arguments)
{
	static const char *const fields[] = {"day",			"queue",	  "application", "n_jobs",
										 "n_accounted", "n_profiled", "n_traced",	 "node_hours"};
	PhParam since = ph_option_param(arguments, "since");
	PhResult *rows = ph_pq_query(connection, ph_sql_jobs_coverage, &since, 1);

	if (rows == NULL)
		return ph_pq_log_error(connection, "jobs");
	ph_print_rows(rows, fields, sizeof(fields) / sizeof(fields[0]), ph_cli_flag(arguments, "json"));
	ph_result_free(rows);
	return PH_EXIT_OK;
}

static const PhVerb verbs[] = {{"coverage", 0, 0, "no arguments", show_coverage},
							   {"load", 0, 1, "a file, or - for standard input", load_jobs}};

static PhExit
cmd_jobs(PhArguments *arguments)
{
	return ph_run_verb(arguments, verbs, sizeof(verbs) / sizeof(verbs[0]));
}

static const char *const jobs_actions[] = {"coverage", "load", NULL};
static const PhParameter jobs_arguments[] = {
	{.name = "action", .type = PH_PARAMETER_TEXT, .choices = jobs_actions},
	{.name = "file", .variant = "load", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_FILES},
	{.name = NULL}};

const PhCommand ph_command_jobs = {
	.name = "jobs",
	.help = "load a batch system's accounting, and tell which jobs were measured",
	.usage = "[coverage | load [FILE]] [OPTION]...",
	.details = ph_help_jobs,
	.options = jobs_options,
	.min_arguments = 0,
	.max_arguments = 2,
	.uses_database = true,
	.arguments = jobs_arguments,
	.run = cmd_jobs,
};

/* ---- measure-next -------------------------------------------------------------------------- */

static const PhParameter next_options[] = {
	{.name = "count",
	 .letter = 'n',
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .least = 1,
	 .most = 1000000,
	 .help = "how many applications (default 10)"},
	{.name = "since",
	 .type = PH_PARAMETER_TEXT,
	 .value = "TIME",
	 .help = "by jobs that ended from then on, a time or an age such as 90d (default 30d)"},
	{.name = "json", .help = "print one JSON object a line"},
	{.name = NULL}};

static PhExit
cmd_measure_next(PhArguments *arguments)
{
	static const char *const fields[] = {"application", "what",	 "n_jobs",
										 "node_hours",	"queue", "reason"};
	PhConnection *connection;
	PhExit code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	PhParam params[] = {ph_param_int(ph_cli_integer(arguments, "count", 10)),
						ph_option_param(arguments, "since")};
	PhResult *rows =
		code == PH_EXIT_OK ? ph_pq_query(connection, ph_sql_jobs_next, params, 2) : NULL;

	if (code == PH_EXIT_OK && rows == NULL)
		code = ph_pq_log_error(connection, "measure-next");
	if (rows != NULL && ph_result_count(rows) == 0 && !ph_cli_flag(arguments, "json"))
		ph_log_info("nothing to measure: no job of this time that is known needs it (perfhouse "
					"jobs load reads accounting)");
	else if (rows != NULL)
		ph_print_rows(rows, fields, sizeof(fields) / sizeof(fields[0]),
					  ph_cli_flag(arguments, "json"));
	ph_result_free(rows);
	ph_pq_close(connection);
	return code;
}

const PhCommand ph_command_measure_next = {
	.name = "measure-next",
	.help = "tell which applications deserve a profile or a trace next",
	.usage = "[OPTION]...",
	.details = ph_help_measure_next,
	.options = next_options,
	.max_arguments = 0,
	.uses_database = true,
	.run = cmd_measure_next,
};
