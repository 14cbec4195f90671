/*
 * runs.h - a stored trace that is replayed: its program, and when the functions ran that changes
 * are about.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_RUNS_H
#define PH_REPLAY_RUNS_H

#include "postgres.h"

#include "replay/changes.h"
#include "trace/skeletons.h"

typedef struct PhReplayedRun
{
	PhTraceRun *trace;
	PhSkeleton *skeleton;
	PhReplayProgram *program;
	PhReplayResult unchanged; /* the replay without a change */
} PhReplayedRun;

/*
 * In scratch memory of the trace, which was begun with regions and communicators. with_orders: some
 * changes are of orders.
 */
PhReplayedRun *ph_replayed_run(PhTraceRun *trace, bool with_orders);

/* An empty one; what is asked for is read by ph_replay_read_spans. */
PhSpans *ph_replay_spans(PhTraceRun *trace);
void ph_replay_read_spans(PhTraceRun *trace, PhSpans *spans);

/* The regions with this name; NULL: there are none. */
bool *ph_replay_regions(PhTraceRun *trace, const char *name);

/* PH002: the trace has no such function. */
_Noreturn void ph_replay_no_function(const PhTraceRun *trace, const char *name);

#endif
