/*
 * completion_command.c - perfhouse completion SHELL: the script that asks `complete`.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "completion/complete.h"
#include "system/log.h"
#include "texts.h"

static const char *const shells[] = {"bash", "zsh", "fish", NULL};
static const PhParameter arguments_taken[] = {
	{.name = "shell", .type = PH_PARAMETER_TEXT, .value = "SHELL", .choices = shells},
	{.name = NULL}};

static PhExit
run_completion(PhArguments *arguments)
{
	static const char *const scripts[] = {ph_completion_bash, ph_completion_zsh,
										  ph_completion_fish};
	const char *shell = ph_cli_argument(arguments, 0);

	for (size_t i = 0; shells[i] != NULL; i++)
		if (strcmp(shells[i], shell) == 0)
		{
			fputs(scripts[i], stdout);
			return PH_EXIT_OK;
		}
	return ph_cli_usage_error(
		arguments, "there is no completion for \"%s\", only for bash, zsh and fish", shell);
}

const PhCommand ph_command_completion = {.name = "completion",
										 .help = "print the script that completes words in a shell",
										 .usage = "bash|zsh|fish",
										 .details = ph_help_completion,
										 .arguments = arguments_taken,
										 .min_arguments = 1,
										 .max_arguments = 1,
										 .run = run_completion};
