/*
 * view_command.h - the views as the commands of `perfhouse render`: their parameters are options.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_VIEW_COMMAND_H
#define PH_REQUEST_VIEW_COMMAND_H

#include "cli/cli.h"
#include "request/view.h"

/* The program whose commands are the views; made once. run gets the arguments; ph_cli_command()
 * names the view. */
const PhProgram *ph_render_program(PhExit (*run)(PhArguments *arguments));

#endif
