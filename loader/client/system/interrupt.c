/*
 * interrupt.c - SIGINT and SIGTERM as a flag.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "system/exit_codes.h"

/* Lock-free, so that the handler may write what all threads read. */
static atomic_int interrupted;

static void
note_signal(int signal_number)
{
	(void) signal_number;
	if (interrupted)
		_exit(PH_EXIT_INTERRUPTED);
	interrupted = 1;
}

void
ph_interrupt_install(void)
{
	struct sigaction action = {.sa_handler = note_signal};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* a reader that went away is a write error, not a death */
	signal(SIGPIPE, SIG_IGN);
}

bool
ph_interrupted(void)
{
	return interrupted != 0;
}

void
ph_interrupt_set(bool value)
{
	interrupted = value ? 1 : 0;
}

bool
ph_interrupt_poll(void *user)
{
	(void) user;
	return ph_interrupted();
}
