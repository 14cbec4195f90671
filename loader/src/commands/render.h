/*
 * render.h - handing over to the renderer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_RENDER_H
#define PH_COMMANDS_RENDER_H

#include "system/exit_codes.h"

/* Become perfhouse-render with these arguments (argv[0] is its name); returns only on failure. */
PhExit ph_cmd_render(char **argv);

#endif
