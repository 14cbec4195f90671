/*
 * spool.c - perfhouse spool: deliver the loads that jobs kept while the database was away.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "pipeline/outbox.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "texts.h"

#define LOOK_SECONDS 2	 /* between looks at the folder */
#define RETRY_SECONDS 10 /* while the database is away */

static const PhParameter spool_options[] = {
	{.name = "watch",
	 .letter = 'w',
	 .help = "flush: go on until interrupted, also while the database is away"},
	{.name = NULL}};

static void
pause_for(int seconds)
{
	for (int i = 0; i < 10 * seconds && !ph_interrupted(); i++)
		usleep(100000);
}

static PhExit
flush_spool(const PhArguments *arguments, const char *folder)
{
	bool watches = ph_cli_flag(arguments, "watch");
	PhOutboxCounts counts = {0};
	PhExit code;

	for (;;)
	{
		code = ph_outbox_flush(folder, ph_cli_db(arguments), &counts);
		if (!watches || ph_interrupted() || !(code == PH_EXIT_OK || ph_outbox_should_wait(code)))
			break;
		pause_for(code == PH_EXIT_OK ? LOOK_SECONDS : RETRY_SECONDS);
		counts.waiting = 0;
	}
	if (watches && ph_interrupted())
		code = PH_EXIT_OK;
	printf("%zu delivered, %zu failed, %zu waiting\n", counts.delivered, counts.failed,
		   counts.waiting);
	if (code != PH_EXIT_OK)
		ph_log_error("what could not be delivered waits in %s", folder);
	return code == PH_EXIT_OK && counts.failed > 0 ? PH_EXIT_ERROR : code;
}

static PhExit
cmd_spool(PhArguments *arguments)
{
	const char *action = ph_cli_argument(arguments, 0);
	const char *folder = ph_cli_argument(arguments, 1);

	(void) setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(action, "flush") == 0)
		return flush_spool(arguments, folder);
	if (strcmp(action, "list") == 0)
		return ph_outbox_list(folder);
	return ph_cli_usage_error(arguments, "%s: the actions are flush and list", action);
}

static const char *const spool_actions[] = {"flush", "list", NULL};
static const PhParameter spool_arguments[] = {
	{.name = "action", .type = PH_PARAMETER_TEXT, .choices = spool_actions},
	{.name = "folder", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_FOLDERS},
	{.name = NULL}};

const PhCommand ph_command_spool = {
	.name = "spool",
	.help = "deliver loads that jobs kept while the database was away",
	.usage = "flush FOLDER | list FOLDER [OPTION]...",
	.details = ph_help_spool,
	.options = spool_options,
	.min_arguments = 2,
	.max_arguments = 2,
	.uses_database = true,
	.arguments = spool_arguments,
	.run = cmd_spool,
};
