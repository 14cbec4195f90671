/*
 * stored_dependences.h - what streams and the host of a stored trace waited for of each other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_STORED_DEPENDENCES_H
#define PH_BLAME_STORED_DEPENDENCES_H

#include "postgres.h"

#include "blame/dependences.h"
#include "devices/stored.h"

/* Everything of a trace's devices that waits need; in the trace's scratch memory. */
typedef struct PhStoredWork
{
	PhStoredActivities stored;
	PhHostCalls syncs;
	PhDeviceCollectives collectives;
	PhDeviceWork work;
} PhStoredWork;

/* NULL: the trace has no streams. The trace was begun with regions. */
PhStoredWork *ph_stored_work(PhTraceRun *trace);

/* Besides the waits, those of streams and for them. */
PhWaitStates ph_stored_dependences(const PhStoredWork *work, const PhWaitStates *waits);

#endif
