/*
 * view.c - perfhouse view: files in a warehouse that is gone afterwards, and the pages over it.
 *
 * The steps are the commands themselves (init, load, serve), run one after the other on a home of
 * their own, so that they do what they do elsewhere and nothing else is touched.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "commands/commands.h"
#include "embedded/embedded.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "system/process.h"
#include "texts.h"

static const PhParameter view_options[] = {
	{.name = "port",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .most = 65535,
	 .fallback = "0",
	 .help = "port of the pages; 0: any free one"},
	{.name = "no-open", .help = "only print the address: start no browser"},
	{.name = NULL}};

/* ---- steps --------------------------------------------------------------------------------- */

/* Its status as the shell has it; a signal to us is handed on, and its end waited for. */
static int
wait_for(pid_t child)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	bool is_told = false;
	int status = 0;
	pid_t ended;

	while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR))
	{
		if (ph_interrupted() && !is_told)
			is_told = kill(child, SIGTERM) == 0;
		(void) nanosleep(&pause, NULL);
	}
	return ended < 0		   ? PH_EXIT_ERROR
		   : WIFEXITED(status) ? WEXITSTATUS(status)
							   : 128 + WTERMSIG(status);
}

/* A command of this program, its output and input being ours. */
static PhExit
run_command(const char *const *words)
{
	char *program = ph_path_sibling_program("perfhouse");
	pid_t child = program != NULL ? fork() : -1;

	if (child == 0)
	{
		execv(program, (char *const *) (uintptr_t) words);
		_exit(127);
	}
	free(program);
	if (child > 0)
		return (PhExit) wait_for(child);
	ph_log_error("perfhouse cannot be started: %s", strerror(errno));
	return PH_EXIT_ERROR;
}

/* It says nothing but what is wrong, in the home's log. */
static PhExit
make_warehouse(const char *home)
{
	char *program = ph_path_sibling_program("perfhouse");
	char *log = ph_format("%s/view.log", home);
	const char *words[] = {program, "init", NULL};
	PhExit code = PH_EXIT_NOT_FOUND;
	char *text;

	if (program != NULL)
		code = (PhExit) ph_process_run(NULL, log, words);
	text = code != PH_EXIT_OK ? ph_path_read_text(log) : NULL;

	if (code != PH_EXIT_OK)
		ph_log_error("perfhouse init: %s", text != NULL ? text : "it cannot be started");
	free(text);
	free(log);
	free(program);
	return code;
}

static PhExit
load_files(const PhArguments *arguments)
{
	size_t n = ph_cli_n_arguments(arguments), at = 0;
	const char **words = ph_must_alloc(n + 5, sizeof(*words));

	words[at++] = "perfhouse";
	words[at++] = "load";
	words[at++] = "--no-regressions";
	words[at++] = "--";
	for (size_t i = 0; i < n; i++)
		words[at++] = ph_cli_argument(arguments, i);
	PhExit code = run_command(words);
	free(words);
	return code;
}

static PhExit
serve_pages(const PhArguments *arguments)
{
	const char *open = ph_cli_flag(arguments, "no-open") ? NULL : "--open";
	const char *words[] = {"perfhouse", "serve", "--port", ph_cli_text(arguments, "port", "0"),
						   open,		NULL};

	return run_command(words);
}

/* ---- the command --------------------------------------------------------------------------- */

/* A new folder that is the home of all steps; NULL: it cannot be made. */
static char *
make_home(void)
{
	char *home = ph_format("%s/perfhouse-view-XXXXXX", ph_path_temporary());

	if (mkdtemp(home) != NULL)
	{
		setenv("PERFHOUSE_HOME", home, 1);
		unsetenv("PERFHOUSE_DB");
		return home;
	}
	ph_log_error("%s: %s", home, strerror(errno));
	free(home);
	return NULL;
}

static void
remove_home(void)
{
	PhEmbedded *embedded;

	if (ph_embedded_find(&embedded) != PH_EXIT_OK)
		return;
	(void) ph_embedded_remove(embedded);
	ph_embedded_free(embedded);
}

static PhExit
run_view(PhArguments *arguments)
{
	char *home = make_home();

	if (home == NULL)
		return PH_EXIT_UNREADABLE;
	ph_interrupt_install();
	PhExit code = make_warehouse(home);
	if (code == PH_EXIT_OK)
		code = load_files(arguments);
	if (code == PH_EXIT_OK)
		code = serve_pages(arguments);
	ph_interrupt_set(false); /* it has ended the pages, which is what was wanted */
	remove_home();
	free(home);
	return code;
}

const PhCommand ph_command_view = {
	.name = "view",
	.help = "look at files in a browser, without a warehouse of one's own",
	.usage = "[OPTION]... FILE...",
	.details = ph_help_view,
	.options = view_options,
	.min_arguments = 1,
	.max_arguments = -1,
	.run = run_view};
