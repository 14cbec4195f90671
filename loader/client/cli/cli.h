/*
 * cli.h - command lines as data: subcommands, each with a table of options.
 *
 * --help and --version work everywhere and are printed from the tables. Unknown commands and
 * options name the nearest one. An option may have an environment twin, read when the option is not
 * given. Options may stand before or after the arguments; "--" ends them; short options may be
 * glued to their value.
 *
 * A command's run function gets what was parsed, logs its own errors, returns a PhExit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CLI_CLI_H
#define PH_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/values.h"
#include "system/exit_codes.h"

typedef struct PhArguments PhArguments;

typedef struct PhCommand
{
	const char *name;
	const char *help;			  /* one line */
	const char *usage;			  /* after the name, e.g. "PATH... [OPTION]..." */
	const char *details;		  /* below the options (docs/help, cli/help_text.h); may be NULL */
	const PhParameter *options;	  /* NULL: none */
	const PhParameter *arguments; /* one after the other, for completion; NULL: none */
	int min_arguments;
	int max_arguments;	/* -1: any number */
	bool uses_database; /* adds the connection options (--db) */
	bool passes_rest;	/* words after "--", or from an unknown letter on, are another program's */
	PhExit (*run)(PhArguments *arguments);
} PhCommand;

#define PH_TOPIC_WORDS 4

/* What "help NAME" tells that is no command. */
typedef struct PhHelpTopic
{
	const char *name; /* NULL ends a list */
	const char *text; /* of docs/help; NULL: words */
	const char *const
		*words; /* the command line that tells it; fewer than PH_TOPIC_WORDS, then NULL */
} PhHelpTopic;

typedef struct PhProgram
{
	const char *name;
	const char *summary;			  /* one sentence */
	const char *noun;				  /* what its commands are called: "command" */
	const char *usage;				  /* after the name: "COMMAND [ARGUMENT]..." */
	const PhCommand *const *commands; /* in the order of help; NULL ends */
	const char *footer;				  /* below the list of commands (docs/help); may be NULL */
	const PhHelpTopic *topics;		  /* NULL: none */
	bool shares_options; /* the commands take much the same: the manual explains each once */
} PhProgram;

/* Index of the command's name: options that every command has may stand before it. */
int ph_cli_command_index(int argc, char **argv);

/* NULL: there is no such command. */
const PhCommand *ph_cli_find(const PhProgram *program, const char *name);

/* Parse and run; returns the exit code. Handles --help, --version, help COMMAND and help TOPIC. */
int ph_cli_main(const PhProgram *program, int argc, char **argv);

/* Which command was parsed. */
const PhCommand *ph_cli_command(const PhArguments *arguments);

const PhValues *ph_cli_values(const PhArguments *arguments);

/* Values by option name; asking for a name that is not in the table is a programming error
 * (aborts). text: NULL when absent. */
bool ph_cli_flag(const PhArguments *arguments, const char *name);
bool ph_cli_given(const PhArguments *arguments, const char *name);
const char *ph_cli_text(const PhArguments *arguments, const char *name, const char *fallback);
double ph_cli_number(const PhArguments *arguments, const char *name, double fallback);
int64_t ph_cli_integer(const PhArguments *arguments, const char *name, int64_t fallback);
size_t ph_cli_list(const PhArguments *arguments, const char *name, const char *const **values);

/* An option of type INTEGERS as SQL's array literal, which the caller frees; NULL when absent. */
char *ph_cli_integers(const PhArguments *arguments, const char *name);

/* An option of type DURATION, in ns; false when absent. */
bool ph_cli_duration(const PhArguments *arguments, const char *name, int64_t *ns);

/* Positional arguments, and those after "--" apart. */
size_t ph_cli_n_arguments(const PhArguments *arguments);
const char *ph_cli_argument(const PhArguments *arguments, size_t index);
size_t ph_cli_n_rest(const PhArguments *arguments);
const char *ph_cli_rest(const PhArguments *arguments, size_t index);

/* --db of commands with uses_database; NULL when absent. */
const char *ph_cli_db(const PhArguments *arguments);

/* Log a usage error with a hint to --help; returns PH_EXIT_USAGE. */
PhExit ph_cli_usage_error(const PhArguments *arguments, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A run id: a positive integer. False and an error message otherwise. */
bool ph_cli_parse_run(const char *text, int64_t *out);

/* --help */
void ph_cli_print_program_help(FILE *stream, const PhProgram *program);
void ph_cli_print_command_help(FILE *stream, const PhProgram *program, const PhCommand *command);

/* The manual of a program, or of one command that has a page of its own. */
void ph_cli_print_program_manual(FILE *stream, const PhProgram *program);
void ph_cli_print_command_manual(FILE *stream, const PhProgram *program, const PhCommand *command);

/* Parse without running. NULL: *problem says why not. */
PhArguments *ph_cli_read(const PhProgram *program, const PhCommand *command, int argc, char **argv,
						 PhProblem *problem);
/* The same with the problem logged: PH_EXIT_OK and *out, or PH_EXIT_USAGE. */
PhExit ph_cli_parse(const PhProgram *program, const PhCommand *command, int argc, char **argv,
					PhArguments **out);
void ph_cli_free(PhArguments *arguments);

#endif
