/*
 * main.c - perfhouse: load runs into the warehouse, list, compare and export them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "cli/cli.h"
#include "commands/commands.h"
#include "commands/render.h"
#include "completion/complete.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/settings.h"
#include "texts.h"

static const PhCommand *const commands[] = {
	&ph_command_init,	 &ph_command_up,		  &ph_command_down,			&ph_command_status,
	&ph_command_doctor,	 &ph_command_projects,	  &ph_command_psql,			&ph_command_conninfo,
	&ph_command_view,	 &ph_command_load,		  &ph_command_copy,			&ph_command_run,
	&ph_command_spool,	 &ph_command_jobs,		  &ph_command_measure_next, &ph_command_runs,
	&ph_command_show,	 &ph_command_set,		  &ph_command_tag,			&ph_command_exclude,
	&ph_command_rm,		 &ph_command_retention,	  &ph_command_export,		&ph_command_report,
	&ph_command_compare, &ph_command_explain,	  &ph_command_gate,			&ph_command_trace,
	&ph_command_commits, &ph_command_regressions, &ph_command_alias,		&ph_command_application,
	&ph_command_metric,	 &ph_command_query,		  &ph_command_render,		&ph_command_serve,
	&ph_command_bundle,	 &ph_command_mcp,		  &ph_command_completion,	NULL};

static const char *const list_formats[] = {"load", "--formats", NULL};

static const PhHelpTopic topics[] = {
	{.name = "filters", .text = ph_help_topics_filters},
	{.name = "formats", .words = list_formats},
	{.name = "paths", .text = ph_help_topics_paths},
	{.name = NULL},
};

static const PhProgram program = {
	.name = "perfhouse",
	.summary = "a performance data warehouse for parallel programs",
	.noun = "command",
	.usage = "COMMAND [ARGUMENT]...",
	.commands = commands,
	.footer = ph_help_perfhouse,
	.topics = topics,
};

static bool
is_renderers(const char *word)
{
	return strcmp(word, "render") == 0 || strcmp(word, "serve") == 0 || strcmp(word, "bundle") == 0;
}

/* The words from position at on, then the options before it: the renderer wants its view first.
 * After `render` comes the view, `serve` and `bundle` are words of their own. */
static char **
options_last(int argc, char **argv, int at)
{
	char **words = ph_must_alloc((size_t) argc + 1, sizeof(char *));
	int n = 0;

	if (strcmp(argv[at], "render") != 0)
		words[n++] = argv[0];
	for (int i = at; i < argc; i++)
		words[n++] = argv[i];
	for (int i = 1; i < at; i++)
		words[n++] = argv[i];
	words[n] = NULL;
	return words;
}

/* perfhouse complete WORD...: the renderer completes the words of its commands, which it gets as
 * if it was called itself. */
static int
complete(int argc, char **argv)
{
	int at = 1 + ph_cli_command_index(argc - 1, argv + 1);

	if (at >= argc - 1 || !is_renderers(argv[at]))
	{
		ph_complete(&program, (const char *const *) argv + 2, (size_t) argc - 2);
		return PH_EXIT_OK;
	}
	if (strcmp(argv[at], "render") == 0)
		memmove(argv + at, argv + at + 1, (size_t) (argc - at) * sizeof(char *));
	return ph_cmd_render(argv);
}

/* perfhouse view add NAME is perfhouse query add NAME: no file that somebody looks at is called so
 * (else ./add). */
static void
spell_queries(int argc, char **argv, int at)
{
	static const char *const verbs[] = {"add", "list", "show", "remove", "dashboard"};
	static char query[] = "query";

	if (at + 1 >= argc || strcmp(argv[at], "view") != 0)
		return;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(argv[at + 1], verbs[i]) == 0)
			argv[at] = query;
}

/* help COMMAND WORD... is COMMAND WORD... --help, also of what the renderer has. */
static void
spell_help(int argc, char **argv)
{
	static char option[] = "--help";

	if (argc < 3 || strcmp(argv[1], "help") != 0 || ph_cli_find(&program, argv[2]) == NULL)
		return;
	memmove(argv + 1, argv + 2, (size_t) (argc - 2) * sizeof(char *));
	argv[argc - 1] = option;
}

int
main(int argc, char **argv)
{
	int at;

	spell_help(argc, argv);
	at = ph_cli_command_index(argc, argv);
	ph_log_init("perfhouse");
	ph_settings_read();
	if (argc > 1 && strcmp(argv[1], "complete") == 0)
		return complete(argc, argv);
	ph_interrupt_install();
	spell_queries(argc, argv, at);
	if (at < argc && is_renderers(argv[at]))
		return ph_cmd_render(options_last(argc, argv, at));
	return ph_cli_main(&program, argc, argv);
}
