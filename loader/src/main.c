/*
 * main.c - perfhouse: load runs into the warehouse, list, compare and export them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "cli.h"
#include "cmd_render.h"
#include "commands.h"
#include "interrupt.h"
#include "log.h"

static const PhCommand *const commands[] = {&ph_command_init,
											&ph_command_up,
											&ph_command_down,
											&ph_command_status,
											&ph_command_doctor,
											&ph_command_psql,
											&ph_command_load,
											&ph_command_runs,
											&ph_command_show,
											&ph_command_tag,
											&ph_command_exclude,
											&ph_command_rm,
											&ph_command_export,
											&ph_command_report,
											&ph_command_compare,
											&ph_command_render,
											NULL};

static const PhProgram program = {
	.name = "perfhouse",
	.summary = "A performance data warehouse for parallel programs.",
	.commands = commands,
	.footer =
		"Start: perfhouse load FOLDER, then perfhouse runs, perfhouse report RUN, perfhouse psql.\n"
		"Without --db, PERFHOUSE_DB or PG* variables a private PostgreSQL server is used; it "
		"starts\n"
		"by itself and keeps its data below PERFHOUSE_HOME (default ~/.local/share/perfhouse).",
};

int
main(int argc, char **argv)
{
	ph_log_init("perfhouse");
	ph_interrupt_install();
	if (argc > 1 && strcmp(argv[1], "render") == 0)
		return ph_cmd_render(argv + 1);
	return ph_cli_main(&program, argc, argv);
}
