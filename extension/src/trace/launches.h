/*
 * launches.h - who launched the activities of a stored trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_LAUNCHES_H
#define PH_TRACE_LAUNCHES_H

#include "trace/reader.h"
#include "trace/tree/launches.h"

/* The calls that launched something, sorted; free with ph_launches_free. */
void ph_trace_launches(PhTraceRun *trace, PhEnv *env, PhLaunches *out);

/* By ENTER of a chunk that was asked for with_launches, and opened: the number of the call that
 * launched it; in arena. */
const uint32 *ph_trace_launched(PhTraceRun *trace, PhArena *arena, const PhLaunches *launches,
								const PhTraceChunk *chunk);

#endif
