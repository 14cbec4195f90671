/*
 * export.c - perfhouse export: a run's profile or trace in another format.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/given_query.h"
#include "database/warehouse.h"
#include "profile/rows/rows.h"
#include "queries.h"
#include "reports/export_events.h"
#include "reports/export_otf2.h"
#include "reports/export_parquet.h"
#include "reports/export_profile.h"
#include "reports/export_rows.h"
#include "reports/export_trace.h"
#include "reports/profile_fetch.h"
#include "runs/named_run.h"
#include "system/duration.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "texts.h"

static const char *const formats[] = {"folded", "json", "csv",	  "arrow", "parquet",
									  "dot",	"tree", "chrome", "otf2",  NULL};
static const char *const tables[] = {"profile", "events", "calls", "messages", NULL};

static const PhParameter export_options[] = {
	{.name = "format",
	 .letter = 'f',
	 .type = PH_PARAMETER_TEXT,
	 .value = "FORMAT",
	 .choices = formats,
	 .help = "what to write, default: tree"},
	{.name = "metric",
	 .letter = 'm',
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .offer = PH_OFFER_METRICS,
	 .help = "of one metric (default: json and csv all of them, else the primary one)"},
	{.name = "table",
	 .letter = 't',
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .choices = tables,
	 .help = "csv, arrow, parquet: profile (default), events, calls or messages"},
	PH_OPTIONS_QUERY("csv, arrow, parquet: the rows of this query instead of a run"),
	{.name = "variable",
	 .type = PH_PARAMETER_TEXT,
	 .repeats = true,
	 .value = "NAME=VALUE",
	 .help = "value of :NAME or :'NAME' in the query, as psql's variables are written"},
	{.name = "from",
	 .type = PH_PARAMETER_TEXT,
	 .value = "TIME",
	 .help = "of a trace: from this time since its first event (0.1s, 250us, 5ms)"},
	{.name = "to",
	 .type = PH_PARAMETER_TEXT,
	 .value = "TIME",
	 .help = "of a trace: up to this time"},
	{.name = "output",
	 .letter = 'o',
	 .type = PH_PARAMETER_TEXT,
	 .value = "FILE",
	 .offer = PH_OFFER_FILES,
	 .help = "write there instead of standard output; of otf2 a new folder"},
	{.name = NULL}};

static PhExit
write_tree(FILE *out, PhEnv *env, const PhProfile *profile)
{
	PhArena arena;
	char *text;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = ph_rows_tree_text(&arena, profile, 0, UINT32_MAX, 0, &text);
	if (status == PH_OK)
		fputs(text, out);
	else
		ph_log_core_error("export", &env->error);
	ph_arena_drop(&arena);
	return status == PH_OK ? PH_EXIT_OK : ph_exit_from_status(status);
}

static PhExit
write_folded(FILE *out, PhEnv *env, const PhProfile *profile)
{
	PhStatus status = ph_export_folded(env, out, profile, 0);

	if (status != PH_OK)
		ph_log_core_error("export", &env->error);
	return status == PH_OK ? PH_EXIT_OK : ph_exit_from_status(status);
}

static PhExit
write_profile(FILE *out, PhEnv *env, const PhProfile *profile, const char *format)
{
	if (strcmp(format, "folded") == 0)
		return write_folded(out, env, profile);
	if (strcmp(format, "json") == 0)
		ph_export_json(out, profile);
	else if (strcmp(format, "csv") == 0)
		ph_export_csv(out, profile);
	else if (strcmp(format, "dot") == 0)
		ph_export_dot(out, profile, 0);
	else
		return write_tree(out, env, profile);
	return PH_EXIT_OK;
}

/* What is written, of which run, as the command line says. */
typedef struct Export
{
	PhConnection *connection;
	const char *format, *metric, *table;
	const PhAskedQuery *query; /* NULL: a run */
	PhTraceExport trace;
} Export;

static PhExit
fetch_and_write_profile(FILE *out, const Export *what)
{
	bool all = strcmp(what->format, "json") == 0 || strcmp(what->format, "csv") == 0;
	PhProfilePart part = {0};
	PhProfile *profile = NULL;
	PhEnv env;
	PhExit code;

	ph_env_init_malloc(&env);
	env.interrupt = ph_interrupt_poll;
	part.metric = what->metric != NULL ? what->metric : all ? PH_ALL_METRICS : NULL;
	code = ph_profile_fetch(&env, what->connection, what->trace.run_id, &part, &profile);
	if (code == PH_EXIT_OK)
		code = write_profile(out, &env, profile, what->format);
	ph_profile_free(&env, profile);
	return code;
}

static bool
write_bound(FILE *out, const Export *what, const PhBoundQuery *bound)
{
	return strcmp(what->format, "arrow") == 0
			   ? ph_export_rows_arrow(out, what->connection, bound->sql, bound->params, bound->n)
			   : ph_export_rows_csv(out, what->connection, bound->sql, bound->params, bound->n);
}

/* Names of schema perfhouse need no schema; nothing can be written. */
static PhExit
write_query(FILE *out, const Export *what)
{
	PhConnection *connection = what->connection;
	PhBoundQuery bound;
	PhArena arena;
	PhEnv env;
	PhResult *columns = NULL;
	bool ok;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	if (ph_asked_bind(connection, &arena, what->query, &bound) &&
		ph_asked_begin(connection, what->query))
		columns = ph_asked_columns(connection, what->query, &bound);
	ok = columns != NULL && write_bound(out, what, &bound);
	ph_result_free(columns);
	ph_asked_end(connection, what->query);
	ph_arena_drop(&arena);
	return ok || ferror(out) ? PH_EXIT_OK : ph_pq_log_error(connection, NULL);
}

/* A row a call path and location. */
static PhExit
write_profile_arrow(FILE *out, const Export *what)
{
	PhParam params[2] = {ph_param_int(what->trace.run_id), ph_param_text(what->metric)};

	if (ph_export_rows_arrow(out, what->connection, ph_sql_export_table_profile, params, 2) ||
		ferror(out))
		return PH_EXIT_OK;
	return ph_pq_log_error(what->connection, "profile");
}

static PhExit
write_arrow(FILE *out, const Export *what)
{
	if (strcmp(what->table, "events") == 0)
		return ph_export_events_arrow(out, what->connection, &what->trace);
	if (strcmp(what->table, "profile") == 0)
		return write_profile_arrow(out, what);
	return ph_export_trace_table(out, what->connection, &what->trace, what->table, true);
}

static PhExit
write_export(FILE *out, const Export *what)
{
	if (what->query != NULL)
		return write_query(out, what);
	if (strcmp(what->format, "arrow") == 0)
		return write_arrow(out, what);
	if (strcmp(what->format, "chrome") == 0)
		return ph_export_chrome(out, what->connection, &what->trace);
	if (strcmp(what->format, "csv") == 0 && strcmp(what->table, "profile") != 0)
		return ph_export_trace_table(out, what->connection, &what->trace, what->table, false);
	return fetch_and_write_profile(out, what);
}

static PhExit
cannot_write(const char *path)
{
	int error = errno;

	ph_log_write_error(path, error);
	return ph_exit_from_errno(error);
}

/* A pipe or a device is written as it is: a file renamed to its name would take its place. */
static bool
is_no_file(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

static PhExit
write_stream(const char *path, const Export *what)
{
	FILE *out = fopen(path, "w");
	PhExit code;

	if (out == NULL)
		return cannot_write(path);
	code = write_export(out, what);
	if ((ferror(out) | fclose(out)) != 0 && code == PH_EXIT_OK)
		code = cannot_write(path);
	return code;
}

/* A file is complete or not there: written under another name first. */
static PhExit
write_file(const char *path, const Export *what)
{
	char *temporary = ph_format("%s.part", path);
	FILE *out = fopen(temporary, "w");
	PhExit code;

	if (out == NULL)
		code = cannot_write(temporary);
	else
	{
		code = write_export(out, what);
		if ((ferror(out) | fclose(out)) != 0 && code == PH_EXIT_OK)
			code = cannot_write(temporary);
		if (code == PH_EXIT_OK && rename(temporary, path) != 0)
			code = cannot_write(path);
		if (code != PH_EXIT_OK)
			unlink(temporary);
	}
	free(temporary);
	return code;
}

static PhExit
write_standard_output(const Export *what)
{
	PhExit code = write_export(stdout, what);

	if ((fflush(stdout) | ferror(stdout)) != 0 && code == PH_EXIT_OK)
		code = cannot_write("standard output");
	return code;
}

/* "250us" to ns as text; false, with a message, when it is no time. */
static bool
parse_time(PhArguments *arguments, const char *option, char *out, size_t size, const char **to)
{
	const char *text = ph_cli_text(arguments, option, NULL);
	int64_t ns;

	*to = NULL;
	if (text == NULL)
		return true;
	if (!ph_duration_parse(text, &ns))
	{
		ph_log_error("invalid value \"%s\" of option --%s", text, option);
		ph_log_hint("Give a time since the run's first event, such as 0.1s, 250us or 5000 (ns).");
		return false;
	}
	snprintf(out, size, "%" PRId64, ns);
	*to = out;
	return true;
}

/* What an archive needs, and what it cannot be cut by. */
static bool
can_be_archive(const Export *what, const char *path)
{
	if (path != NULL && strcmp(path, "-") != 0 && what->trace.from == NULL &&
		what->trace.to == NULL)
		return true;
	ph_log_error("an archive needs --output FOLDER, and cannot be cut by --from and --to");
	return false;
}

/* Parquet goes to a file: its foot says where everything is. */
static bool
can_be_parquet(const char *path)
{
	if (path != NULL && strcmp(path, "-") != 0 && !is_no_file(path))
		return true;
	ph_log_error("Parquet needs --output FILE");
	return false;
}

/* As Arrow first, beside it. */
static PhExit
write_parquet(const Export *what, const char *path)
{
	Export rows = *what;
	char *arrow = ph_format("%s.arrow", path), *temporary = ph_format("%s.part", path);
	PhExit code = ph_export_parquet_ready();

	rows.format = "arrow";
	if (code == PH_EXIT_OK && (code = write_file(arrow, &rows)) == PH_EXIT_OK)
	{
		code = ph_export_parquet(arrow, temporary);
		unlink(arrow);
		if (code == PH_EXIT_OK && rename(temporary, path) != 0)
			code = cannot_write(path);
		if (code != PH_EXIT_OK)
			unlink(temporary);
	}
	free(arrow);
	free(temporary);
	return code;
}

static PhExit
write_output(const Export *what, const char *path)
{
	if (strcmp(what->format, "otf2") == 0)
		return ph_export_otf2(what->connection, what->trace.run_id, path);
	if (strcmp(what->format, "parquet") == 0)
		return write_parquet(what, path);
	if (path == NULL || strcmp(path, "-") == 0)
		return write_standard_output(what);
	return is_no_file(path) ? write_stream(path, what) : write_file(path, what);
}

/* One of a run and a query, which has rows only. */
static bool
is_one_thing(PhArguments *arguments, const Export *what)
{
	bool has_run = ph_cli_n_arguments(arguments) > 0;
	bool has_rows = strcmp(what->format, "csv") == 0 || strcmp(what->format, "arrow") == 0 ||
					strcmp(what->format, "parquet") == 0;

	if (has_run == (what->query != NULL))
	{
		ph_log_error(has_run ? "a run and a query are given" : "nothing to export");
		ph_log_hint("Give a run, or --query SQL; \"perfhouse runs\" lists the runs.");
		return false;
	}
	if (what->query == NULL || has_rows)
		return true;
	ph_log_error("rows of a query cannot be written as %s", what->format);
	ph_log_hint("Use --format csv, arrow or parquet.");
	return false;
}

static PhExit
open_and_write(PhArguments *arguments, Export *what, const char *path)
{
	PhExit code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &what->connection);

	if (code != PH_EXIT_OK)
		return code;
	if (what->query == NULL)
		code =
			ph_find_named_run(what->connection, ph_cli_argument(arguments, 0), &what->trace.run_id);
	if (code == PH_EXIT_OK)
		code = write_output(what, path);
	ph_pq_close(what->connection);
	return code;
}

static PhExit
export_query(PhArguments *arguments, Export *what)
{
	what->format = ph_cli_text(arguments, "format", "csv");
	if (!is_one_thing(arguments, what) || (strcmp(what->format, "parquet") == 0 &&
										   !can_be_parquet(ph_cli_text(arguments, "output", NULL))))
		return PH_EXIT_USAGE;
	return open_and_write(arguments, what, ph_cli_text(arguments, "output", NULL));
}

static PhExit
export_run(PhArguments *arguments, Export *what)
{
	const char *path = ph_cli_text(arguments, "output", NULL);
	char from[24], to[24];

	what->format = ph_cli_text(arguments, "format", "tree");
	if (!is_one_thing(arguments, what) || !ph_names_run(ph_cli_argument(arguments, 0)) ||
		!parse_time(arguments, "from", from, sizeof(from), &what->trace.from) ||
		!parse_time(arguments, "to", to, sizeof(to), &what->trace.to))
		return PH_EXIT_USAGE;
	if (strcmp(what->format, "otf2") == 0 && !can_be_archive(what, path))
		return PH_EXIT_USAGE;
	if (strcmp(what->format, "parquet") == 0 && !can_be_parquet(path))
		return PH_EXIT_USAGE;
	return open_and_write(arguments, what, path);
}

static PhExit
cmd_export(PhArguments *arguments)
{
	Export what = {.metric = ph_cli_text(arguments, "metric", NULL),
				   .table = ph_cli_text(arguments, "table", "profile")};
	PhAskedQuery query;
	PhArena arena;
	PhExit code;
	PhEnv env;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	code = ph_given_query(arguments, &arena, &query);
	what.query = query.text != NULL ? &query : NULL;
	if (code == PH_EXIT_OK)
		code = what.query != NULL ? export_query(arguments, &what) : export_run(arguments, &what);
	ph_arena_drop(&arena);
	return code;
}

static const PhParameter export_arguments[] = {
	{.name = "run", .type = PH_PARAMETER_RUN, .choices = ph_named_runs, .offer = PH_OFFER_RUNS},
	{.name = NULL}};

const PhCommand ph_command_export = {
	.name = "export",
	.help = "write a run's profile or trace, or rows of a query, in another format",
	.usage = "[RUN] [OPTION]...",
	.details = ph_help_export,
	.options = export_options,
	.min_arguments = 0,
	.max_arguments = 1,
	.uses_database = true,
	.arguments = export_arguments,
	.run = cmd_export,
};
