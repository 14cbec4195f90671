/*
 * internal.h - what the parser and the help printer share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CLI_INTERNAL_H
#define PH_CLI_INTERNAL_H

#include "cli/cli.h"

/* Options that every command has. */
extern const PhParameter ph_cli_common_options[];
/* Options of commands with uses_database. */
extern const PhParameter ph_cli_database_options[];

/* The tables that apply to a command: its own, the connection's, the common ones. */
size_t ph_cli_option_tables(const PhCommand *command, const PhParameter *tables[PH_MOST_TABLES]);

/* Help, choices, range, default and environment twin in one line; malloc'ed. */
char *ph_cli_describe(const PhParameter *parameter);

/* A text of docs/help, as wide as the terminal. */
void ph_cli_print_text(FILE *stream, const char *text);

#endif
