/*
 * cmd_export.c - perfhouse export: a run's profile in another format.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "export_profile.h"
#include "interrupt.h"
#include "log.h"
#include "paths.h"
#include "profile_fetch.h"
#include "profile_rows.h"
#include "warehouse.h"

static const char *const formats[] = {"folded", "json", "csv", "dot", "tree", NULL};

static const PhOption export_options[] = {
	{"format", 'f', PH_OPTION_TEXT, "FORMAT", NULL,
	 "folded, json, csv, dot or tree (default: tree)", formats},
	{"metric", 'm', PH_OPTION_TEXT, "NAME", NULL,
	 "of one metric (default: json and csv all of them, else the primary one)", NULL},
	{"output", 'o', PH_OPTION_TEXT, "FILE", NULL, "write there instead of standard output", NULL},
	{NULL, 0, PH_OPTION_FLAG, NULL, NULL, NULL, NULL}};

static const char export_details[] =
	"folded   stacks for flamegraph.pl and speedscope: own cost summed over ranks, times in us\n"
	"json     Hatchet's literal form, graph and dataframe; perfhouse load reads it back\n"
	"csv      a row a node and rank\n"
	"dot      the call tree for Graphviz\n"
	"tree     the call tree as text: mean over ranks\n";

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
write_profile(FILE *out, PhEnv *env, const PhProfile *profile, const char *format)
{
	if (strcmp(format, "folded") == 0)
		ph_export_folded(out, profile, 0);
	else if (strcmp(format, "json") == 0)
		ph_export_json(out, profile);
	else if (strcmp(format, "csv") == 0)
		ph_export_csv(out, profile);
	else if (strcmp(format, "dot") == 0)
		ph_export_dot(out, profile, 0);
	else
		return write_tree(out, env, profile);
	return PH_EXIT_OK;
}

static PhExit
cannot_write(const char *path)
{
	int error = errno;

	ph_log_error("%s: cannot write: %s", path, strerror(error));
	return ph_exit_from_errno(error);
}

/* A file is complete or not there: written under another name first. */
static PhExit
write_file(const char *path, PhEnv *env, const PhProfile *profile, const char *format)
{
	char *temporary = ph_format("%s.part", path);
	FILE *out = fopen(temporary, "w");
	PhExit code;

	if (out == NULL)
		code = cannot_write(temporary);
	else
	{
		code = write_profile(out, env, profile, format);
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
write_standard_output(PhEnv *env, const PhProfile *profile, const char *format)
{
	PhExit code = write_profile(stdout, env, profile, format);

	if ((fflush(stdout) | ferror(stdout)) != 0 && code == PH_EXIT_OK)
		code = cannot_write("standard output");
	return code;
}

static PhExit
cmd_export(PhArguments *arguments)
{
	const char *format = ph_cli_text(arguments, "format", "tree");
	const char *path = ph_cli_text(arguments, "output", NULL);
	bool all = strcmp(format, "json") == 0 || strcmp(format, "csv") == 0;
	PhConnection *connection = NULL;
	PhProfile *profile = NULL;
	PhEnv env;
	int64_t run_id;
	PhExit code;

	if (!ph_cli_parse_run(ph_cli_argument(arguments, 0), &run_id))
		return PH_EXIT_USAGE;
	code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
		return code;
	ph_env_init_malloc(&env);
	env.interrupt = ph_interrupt_poll;
	code =
		ph_profile_fetch(&env, connection, run_id,
						 ph_cli_text(arguments, "metric", all ? PH_ALL_METRICS : NULL), &profile);
	ph_pq_close(connection);
	if (code == PH_EXIT_OK)
		code = path != NULL && strcmp(path, "-") != 0
				   ? write_file(path, &env, profile, format)
				   : write_standard_output(&env, profile, format);
	ph_profile_free(&env, profile);
	return code;
}

const PhCommand ph_command_export = {
	.name = "export",
	.help = "write a run's profile in another format",
	.usage = "RUN [OPTION]...",
	.details = export_details,
	.options = export_options,
	.min_arguments = 1,
	.max_arguments = 1,
	.uses_database = true,
	.run = cmd_export,
};
