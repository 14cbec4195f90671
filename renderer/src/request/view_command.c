/*
 * view_command.c - the views as the commands of `perfhouse render`.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/view_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "texts.h"

#define MOST_WORDS 512
#define MOST_VIEWS 48

/* A command and the options that it points to. */
typedef struct ViewCommand
{
	PhCommand command;
	PhParameterSet options;
} ViewCommand;

/* On command lines a run may be the latest one. */
static void
name_latest(PhParameter *parameters)
{
	for (PhParameter *p = parameters; p->name != NULL; p++)
	{
		p->may_be_named = p->type == PH_PARAMETER_RUN;
		if (strcmp(p->name, "run") == 0)
			p->help = "run to draw: its number, latest (loaded last) or latest:FILTER";
	}
}

static void
make_command(const PhView *view, PhExit (*run)(PhArguments *arguments), ViewCommand *out)
{
	char words[MOST_WORDS];

	snprintf(words, sizeof(words), "%s %s", view->options, ph_view_common);
	ph_parameters_choose(words, &out->options);
	name_latest(out->options.items);
	out->command = (PhCommand){.name = view->name,
							   .help = view->summary,
							   .usage = "[OPTION]... -o FILE.{svg,png,pdf}",
							   .details = view->details,
							   .options = out->options.items,
							   .uses_database = true,
							   .run = run};
}

const PhProgram *
ph_render_program(PhExit (*run)(PhArguments *arguments))
{
	static ViewCommand made[MOST_VIEWS];
	static const PhCommand *commands[MOST_VIEWS + 1];
	static const PhProgram program = {.name = "perfhouse render",
									  .summary = "pictures of performance profiles and traces",
									  .noun = "view",
									  .usage = "VIEW [OPTION]... -o FILE.{svg,png,pdf}",
									  .commands = commands,
									  .footer = ph_help_render,
									  .shares_options = true};
	size_t n = 0;

	for (const PhView *const *view = ph_views; *view != NULL; view++, n++)
	{
		if (n == MOST_VIEWS)
			abort();
		make_command(*view, run, &made[n]);
		commands[n] = &made[n].command;
	}
	commands[n] = NULL;
	return &program;
}
