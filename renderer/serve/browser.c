/*
 * browser.c - show an address in the person's browser.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/browser.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/log.h"
#include "system/paths.h"

static bool
is_set(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0';
}

/* In a grandchild, so that nobody has to wait for it. */
static void
start(const char *program, const char *address)
{
	pid_t child = fork();

	if (child == 0)
	{
		int nothing = open("/dev/null", O_RDWR);

		if (fork() != 0)
			_exit(0);
		setsid();
		for (int i = 0; i < 3; i++)
			dup2(nothing, i);
		execl(program, program, address, (char *) NULL);
		_exit(127);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

void
ph_browser_open(const char *address)
{
	const char *own = getenv("BROWSER");
	const char *const names[] = {own != NULL ? own : "", "xdg-open", "open", "sensible-browser"};
	char *program = NULL;

	if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") && !is_set("BROWSER"))
	{
		ph_log_info("there is no display here; open the address in a browser of yours");
		return;
	}
	for (size_t i = 0; program == NULL && i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i][0] != '\0')
			program = names[i][0] == '/' ? ph_strdup(names[i]) : ph_path_find_program(names[i]);
	if (program == NULL)
		ph_log_warning("no browser was found; open the address in one");
	else
		start(program, address);
	free(program);
}
