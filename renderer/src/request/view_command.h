/*
 * view_command.h - a view as a command of `perfhouse render`: its parameters are the command's
 * options.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_VIEW_COMMAND_H
#define PH_REQUEST_VIEW_COMMAND_H

#include "cli/cli.h"
#include "request/view.h"

typedef struct PhViewCommand
{
	PhCommand command;
	PhParameterSet options; /* that command points to: not to be copied */
} PhViewCommand;

extern const PhProgram ph_render_program;

/* run gets the arguments; ph_cli_command() names the view. */
void ph_view_command(const PhView *view, PhExit (*run)(PhArguments *arguments), PhViewCommand *out);

#endif
