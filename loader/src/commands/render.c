/*
 * render.c - perfhouse render and serve: handed over, word for word, to perfhouse-render.
 *
 * The renderer is a program of its own, so that a login node can do without Cairo.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "commands/render.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "system/log.h"
#include "system/paths.h"

PhExit
ph_cmd_render(char **argv)
{
	char *program = ph_path_sibling_program("perfhouse-render");
	if (program == NULL)
	{
		ph_log_error("perfhouse-render was not found beside perfhouse nor on PATH");
		ph_log_hint("Build it with make renderer, or install the package that has it.");
		return PH_EXIT_NOT_FOUND;
	}
	execv(program, argv);
	ph_log_error("%s: cannot be started: %s", program, strerror(errno));
	PhExit code = ph_exit_from_errno(errno);
	free(program);
	return code;
}

/* Reached only through `perfhouse help serve`: main hands over before the line is parsed. */
static PhExit
run_serve(PhArguments *arguments)
{
	(void) arguments;
	static char name[] = "perfhouse-render";
	static char serve[] = "serve";
	static char help[] = "--help";
	char *argv[] = {name, serve, help, NULL};
	return ph_cmd_render(argv);
}

/* Likewise. */
static PhExit
run_bundle(PhArguments *arguments)
{
	(void) arguments;
	static char name[] = "perfhouse-render";
	static char bundle[] = "bundle";
	static char help[] = "--help";
	char *argv[] = {name, bundle, help, NULL};
	return ph_cmd_render(argv);
}

/* Likewise. */
static PhExit
run_render(PhArguments *arguments)
{
	(void) arguments;
	static char name[] = "perfhouse-render";
	static char help[] = "--help";
	char *argv[] = {name, help, NULL};
	return ph_cmd_render(argv);
}

const PhCommand ph_command_render = {
	.name = "render",
	.help = "draw a picture: sankey, flame, histogram ... (perfhouse render --help)",
	.usage = "VIEW [OPTION]... -o FILE.{svg,png,pdf}",
	.max_arguments = -1,
	.uses_database = true,
	.run = run_render};

const PhCommand ph_command_serve = {
	.name = "serve",
	.help = "pages, pictures and data over HTTP (perfhouse serve --help)",
	.usage = "[--port N] [--open] [OPTION]...",
	.max_arguments = -1,
	.uses_database = true,
	.run = run_serve};

const PhCommand ph_command_bundle = {
	.name = "bundle",
	.help = "pages of runs as files that need no server (perfhouse bundle --help)",
	.usage = "RUN... --output FOLDER",
	.max_arguments = -1,
	.uses_database = true,
	.run = run_bundle};
