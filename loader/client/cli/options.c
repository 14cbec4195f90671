/*
 * options.c - the options that a command takes, its own and those of all.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cli/internal.h"

const PhParameter ph_cli_common_options[] = {
	{.name = "quiet", .letter = 'q', .help = "only warnings and errors"},
	{.name = "verbose", .letter = 'v', .help = "also what is done in detail"},
	{.name = "help", .letter = 'h', .help = "this text"},
	{.name = "version", .help = "version of the program"},
	{0},
};

const PhParameter ph_cli_database_options[] = {
	{.name = "db",
	 .letter = 'd',
	 .type = PH_PARAMETER_TEXT,
	 .value = "CONNINFO",
	 .environment = "PERFHOUSE_DB",
	 .help = "database (conninfo or URI); default: PG* variables, else the embedded server"},
	{0},
};

size_t
ph_cli_option_tables(const PhCommand *command, const PhParameter *tables[PH_MOST_TABLES])
{
	size_t n = 0;

	if (command->options != NULL)
		tables[n++] = command->options;
	if (command->uses_database)
		tables[n++] = ph_cli_database_options;
	tables[n++] = ph_cli_common_options;
	return n;
}
