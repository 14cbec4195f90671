/*
 * mcp.c - perfhouse mcp: tools for agents, over standard input and output.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>

#include "commands/commands.h"
#include "mcp/server.h"
#include "texts.h"

static PhExit
run_mcp(PhArguments *arguments)
{
	return ph_mcp_serve(stdin, stdout, ph_cli_db(arguments));
}

const PhCommand ph_command_mcp = {.name = "mcp",
								  .help = "answer agents by the Model Context Protocol (stdio)",
								  .usage = "",
								  .details = ph_help_mcp,
								  .max_arguments = 0,
								  .uses_database = true,
								  .run = run_mcp};
