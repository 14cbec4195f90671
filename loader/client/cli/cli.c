/*
 * cli.c - find the subcommand, answer --help and --version, run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/internal.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"

const PhCommand *
ph_cli_find(const PhProgram *program, const char *name)
{
	for (const PhCommand *const *command = program->commands; *command != NULL; command++)
		if (strcmp((*command)->name, name) == 0)
			return *command;
	return NULL;
}

/* for_help: topics may be meant, too. */
static int
unknown_command(const PhProgram *program, const char *name, bool for_help)
{
	const char **names;
	const char *nearest;
	size_t n_commands = 0, n_topics = 0, n = 0;

	while (program->commands[n_commands] != NULL)
		n_commands++;
	while (for_help && program->topics != NULL && program->topics[n_topics].name != NULL)
		n_topics++;
	names = ph_must_alloc(n_commands + n_topics, sizeof(char *));
	for (size_t i = 0; i < n_commands; i++)
		names[n++] = program->commands[i]->name;
	for (size_t i = 0; i < n_topics; i++)
		names[n++] = program->topics[i].name;
	nearest = ph_nearest_word(name, names, n);
	ph_log_error("unknown %s \"%s\"", program->noun, name);
	if (nearest != NULL)
		ph_log_hint("Did you mean \"%s\"?", nearest);
	else
		ph_log_hint("\"%s --help\" lists the %ss.", program->name, program->noun);
	free(names);
	return PH_EXIT_USAGE;
}

static int
print_version(const PhProgram *program)
{
	printf("%s %s\n", program->name, PH_VERSION);
	return PH_EXIT_OK;
}

static int
print_topic(const PhProgram *program, const PhHelpTopic *topic)
{
	char *argv[PH_TOPIC_WORDS + 1] = {(char *) program->name};
	int argc = 1;

	if (topic->text != NULL)
	{
		ph_cli_print_text(stdout, topic->text);
		return PH_EXIT_OK;
	}
	for (; argc < PH_TOPIC_WORDS && topic->words[argc - 1] != NULL; argc++)
		argv[argc] = (char *) topic->words[argc - 1];
	return ph_cli_main(program, argc, argv);
}

static int
print_help(const PhProgram *program, const char *name)
{
	const PhCommand *command;

	if (name == NULL)
	{
		ph_cli_print_program_help(stdout, program);
		return PH_EXIT_OK;
	}
	for (const PhHelpTopic *topic = program->topics; topic && topic->name; topic++)
		if (strcmp(topic->name, name) == 0)
			return print_topic(program, topic);
	command = ph_cli_find(program, name);
	if (command == NULL)
		return unknown_command(program, name, true);
	ph_cli_print_command_help(stdout, program, command);
	return PH_EXIT_OK;
}

static PhExit
run_parsed(PhArguments *arguments)
{
	if (ph_cli_flag(arguments, "quiet"))
		ph_log_set_level(PH_LOG_WARNING);
	if (ph_cli_flag(arguments, "verbose"))
		ph_log_set_level(PH_LOG_DEBUG);
	ph_interrupt_install();
	return ph_cli_command(arguments)->run(arguments);
}

/* Why an earlier write to stdout failed: its errno is gone, but a pipe tells that nobody reads. */
static int
output_error(void)
{
	struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};

	if (!ferror(stdout))
		return 0;
	return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) ? EPIPE : EIO;
}

/* What was printed must have arrived: a full disk behind stdout is an error. */
static PhExit
close_output(PhExit code)
{
	int error = output_error();

	if (fflush(stdout) != 0)
		error = errno;
	if (error != 0 && code == PH_EXIT_OK)
	{
		ph_log_write_error("standard output", error);
		return ph_exit_from_errno(error);
	}
	return code;
}

static PhExit
run_command(const PhProgram *program, const PhCommand *command, int argc, char **argv)
{
	PhArguments *arguments;
	PhExit code = ph_cli_parse(program, command, argc, argv, &arguments);

	if (code != PH_EXIT_OK)
		return code;
	if (ph_cli_flag(arguments, "help"))
		ph_cli_print_command_help(stdout, program, command);
	else if (ph_cli_flag(arguments, "version"))
		print_version(program);
	else
		code = run_parsed(arguments);
	ph_cli_free(arguments);
	return close_output(code);
}

int
ph_cli_command_index(int argc, char **argv)
{
	int at = 1;

	while (at < argc && argv[at][0] == '-')
		at += strcmp(argv[at], "--db") == 0 || strcmp(argv[at], "-d") == 0 ? 2 : 1;
	return at;
}

static PhExit
run_found(const PhProgram *program, const PhCommand *command, int at, int argc, char **argv)
{
	char **rest = ph_must_alloc((size_t) argc, sizeof(char *));
	PhExit code;
	int n = 0;

	for (int i = 1; i < argc; i++)
		if (i != at)
			rest[n++] = argv[i];
	code = run_command(program, command, n, rest);
	free(rest);
	return code;
}

int
ph_cli_main(const PhProgram *program, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const PhCommand *command;
	int at;

	ph_log_init(program->name);
	if (word == NULL)
	{
		ph_cli_print_program_help(stderr, program);
		return PH_EXIT_USAGE;
	}
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		return close_output(print_version(program));
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
		return close_output(print_help(program, argc > 2 ? argv[2] : NULL));
	if (strcmp(word, "--man") == 0)
	{
		ph_cli_print_program_manual(stdout, program);
		return close_output(PH_EXIT_OK);
	}
	at = ph_cli_command_index(argc, argv);
	if (at >= argc)
	{
		ph_log_error("there is no %s", program->noun);
		ph_log_hint("\"%s --help\" lists the %ss.", program->name, program->noun);
		return PH_EXIT_USAGE;
	}
	command = ph_cli_find(program, argv[at]);
	if (command == NULL)
		return unknown_command(program, argv[at], false);
	return run_found(program, command, at, argc, argv);
}
