/*
 * fn_waits.c - waits of one kind as rows: late senders, late receivers, waits in collectives.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "blame/wait_rows.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/skeletons.h"

static void
put_late_sender(PhRows *rows, const PhTraceRun *trace, const PhLateSender *one)
{
	ph_rows_index(rows, "sender", one->sender);
	ph_rows_index(rows, "receiver", one->receiver);
	ph_rows_text(rows, "receive_region", ph_trace_region_name(trace, one->receive_region));
	ph_rows_bigint(rows, "receive_enter", one->receive_enter);
	ph_rows_bigint(rows, "send_time", one->send_time);
	ph_rows_bigint(rows, "receive_time", one->receive_time);
	ph_rows_bigint(rows, "wait", one->wait);
	ph_rows_int(rows, "tag", one->tag);
	ph_rows_bigint(rows, "bytes", (int64) one->bytes);
	ph_rows_index(rows, "communicator", one->comm);
	ph_rows_index(rows, "receiver_location", one->receiver_location);
	ph_rows_bigint(rows, "receive_seq", (int64) one->receive_seq);
	ph_rows_index(rows, "sender_location", one->sender_location);
	ph_rows_bigint(rows, "send_seq", (int64) one->send_seq);
	ph_rows_bigint(rows, "receive_leave", one->receive_leave);
	ph_rows_int(rows, "n_messages", (int32) one->n_messages);
	ph_rows_int(rows, "n_late", (int32) one->n_late);
	ph_rows_put(rows);
}

/* Begins rows about the waits of the run in argument 0, and finds them. */
static PhTraceRun *
begin_waits(FunctionCallInfo fcinfo, PhRows *rows, const PhSkeleton **skeleton, PhWaitStates *waits)
{
	ph_rows_begin(rows, fcinfo);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhArena *arena = &trace->scratch->arena;
	*skeleton = ph_trace_skeleton(trace, PH_KEEP_CAME | PH_KEEP_ENVELOPES);
	PH_CHECK(arena->env, ph_wait_states_find(arena, *skeleton, waits));
	return trace;
}

PH_FUNCTION(ph_trace_late_senders)
{
	PhRows rows;
	const PhLateSender *found = NULL;
	uint32 n = 0;
	PhWaitStates waits;
	const PhSkeleton *skeleton;
	PhTraceRun *trace = begin_waits(fcinfo, &rows, &skeleton, &waits);
	PhArena *arena = &trace->scratch->arena;
	PH_CHECK(arena->env, ph_late_senders(arena, skeleton, &waits, &found, &n));
	for (uint32 i = 0; i < n; i++)
		put_late_sender(&rows, trace, &found[i]);
	ph_trace_end(trace);
	return (Datum) 0;
}

static void
put_late_receiver(PhRows *rows, const PhTraceRun *trace, const PhLateReceiver *one)
{
	ph_rows_index(rows, "sender", one->sender);
	ph_rows_index(rows, "receiver", one->receiver);
	ph_rows_text(rows, "send_region", ph_trace_region_name(trace, one->send_region));
	ph_rows_bigint(rows, "send_enter", one->send_enter);
	ph_rows_bigint(rows, "receive_enter", one->receive_enter);
	ph_rows_bigint(rows, "send_leave", one->send_leave);
	ph_rows_bigint(rows, "wait", one->wait);
	ph_rows_int(rows, "tag", one->tag);
	ph_rows_bigint(rows, "bytes", (int64) one->bytes);
	ph_rows_index(rows, "communicator", one->comm);
	ph_rows_index(rows, "sender_location", one->sender_location);
	ph_rows_bigint(rows, "send_seq", (int64) one->send_seq);
	ph_rows_index(rows, "receiver_location", one->receiver_location);
	ph_rows_bigint(rows, "receive_seq", (int64) one->receive_seq);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_late_receivers)
{
	PhRows rows;
	const PhLateReceiver *found = NULL;
	uint32 n = 0;
	PhWaitStates waits;
	const PhSkeleton *skeleton;
	PhTraceRun *trace = begin_waits(fcinfo, &rows, &skeleton, &waits);
	PhArena *arena = &trace->scratch->arena;
	PH_CHECK(arena->env, ph_late_receivers(arena, skeleton, &waits, &found, &n));
	for (uint32 i = 0; i < n; i++)
		put_late_receiver(&rows, trace, &found[i]);
	ph_trace_end(trace);
	return (Datum) 0;
}

static void
put_collective_wait(PhRows *rows, const PhSkeleton *skeleton, const PhCollectiveWait *one)
{
	const PhCollectiveMember *member = &skeleton->collectives.members[one->member];
	const PhCollectiveMember *cause = &skeleton->collectives.members[one->cause];
	ph_rows_bigint(rows, "collective", one->instance);
	ph_rows_text(rows, "operation", ph_collective_name(member->operation));
	ph_rows_index(rows, "communicator", member->comm);
	ph_rows_index(rows, "rank", member->rank);
	ph_rows_bigint(rows, "enter", one->enter);
	ph_rows_bigint(rows, "wait", one->wait);
	ph_rows_index(rows, "cause", cause->rank);
	ph_rows_bigint(rows, "cause_enter", cause->enter);
	ph_rows_index(rows, "location", one->location);
	ph_rows_bigint(rows, "seq", (int64) member->seq);
	ph_rows_index(rows, "cause_location", cause->location);
	ph_rows_new_bool(rows, "inferred",
					 member->evidence == PH_INFERRED || cause->evidence == PH_INFERRED);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_collective_waits)
{
	PhRows rows;
	const PhCollectiveWait *found = NULL;
	uint32 n = 0;
	PhWaitStates waits;
	const PhSkeleton *skeleton;
	PhTraceRun *trace = begin_waits(fcinfo, &rows, &skeleton, &waits);
	PhArena *arena = &trace->scratch->arena;
	PH_CHECK(arena->env, ph_collective_waits(arena, skeleton, &waits, &found, &n));
	for (uint32 i = 0; i < n; i++)
		put_collective_wait(&rows, skeleton, &found[i]);
	ph_trace_end(trace);
	return (Datum) 0;
}
