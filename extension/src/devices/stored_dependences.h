/*
 * stored_dependences.h - what streams and the host of a stored trace waited for of each other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_STORED_DEPENDENCES_H
#define PH_DEVICES_STORED_DEPENDENCES_H

#include "postgres.h"

#include "devices/host_waits.h"
#include "trace/tables.h"

/* Besides the waits (in place), those of streams and for them, where the trace has any; in the
 * trace's arena. The trace was begun with regions. */
void ph_stored_dependences(PhTraceRun *trace, PhWaitStates *waits);

/* Of these only those of threads for devices, beside the waits that are known; likewise. */
const PhHostWait *ph_stored_host_waits(PhTraceRun *trace, const PhWaitStates *waits, uint32 *n);

#endif
