/*
 * view_command.c - a view as a command of `perfhouse render`.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/view_command.h"

#include <stdio.h>

#define MOST_WORDS 512

static const PhCommand *const no_commands[] = {NULL};

/* Commands are made of views when they are called for. */
const PhProgram ph_render_program = {
	.name = "perfhouse render", .summary = "pictures of runs", .commands = no_commands};

void
ph_view_command(const PhView *view, PhExit (*run)(PhArguments *arguments), PhViewCommand *out)
{
	char words[MOST_WORDS];

	snprintf(words, sizeof(words), "%s %s", view->options, ph_view_common);
	ph_parameters_choose(words, &out->options);
	out->command = (PhCommand){.name = view->name,
							   .help = view->summary,
							   .usage = "[OPTION]... -o FILE.{svg,png,pdf}",
							   .options = out->options.items,
							   .uses_database = true,
							   .run = run};
}
