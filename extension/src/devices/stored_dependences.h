/*
 * stored_dependences.h - what streams and the host of a stored trace waited for of each other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_STORED_DEPENDENCES_H
#define PH_DEVICES_STORED_DEPENDENCES_H

#include "postgres.h"

#include "blame/wait_states.h"
#include "trace/tables.h"

/* Besides the waits (in place), those of streams and for them, where the trace has any; in the
 * trace's arena. The trace was begun with regions. */
void ph_stored_dependences(PhTraceRun *trace, PhWaitStates *waits);

#endif
