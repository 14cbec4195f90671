/*
 * interrupt.h - SIGINT and SIGTERM as a flag that loops poll.
 *
 * The second signal ends the process at once. While a query runs, database/pq.c sees the flag and
 * cancels it on the server.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_INTERRUPT_H
#define PH_SYSTEM_INTERRUPT_H

#include <stdbool.h>

void ph_interrupt_install(void);
bool ph_interrupted(void);

/* For tests, and for what goes on after an interrupt that was handled. */
void ph_interrupt_set(bool interrupted);

/* As PhEnv.interrupt; user is ignored. */
bool ph_interrupt_poll(void *user);

#endif
