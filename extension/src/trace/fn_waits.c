/*
 * fn_waits.c - wait states as rows: late senders, late receivers, waits in collectives.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/compat.h"
#include "server/rowio.h"
#include "trace/skeletons.h"
#include "trace/waits.h"

static void
put_late_sender(PhRows *rows, const PhTraceRun *trace, const PhLateSender *one)
{
	ph_rows_index(rows, one->sender);
	ph_rows_index(rows, one->receiver);
	ph_rows_text(rows, ph_trace_region_name(trace, one->receive_region));
	ph_rows_bigint(rows, one->receive_enter);
	ph_rows_bigint(rows, one->send_time);
	ph_rows_bigint(rows, one->receive_time);
	ph_rows_bigint(rows, one->wait);
	ph_rows_int(rows, one->tag);
	ph_rows_bigint(rows, (int64) one->bytes);
	ph_rows_index(rows, one->comm);
	ph_rows_index(rows, one->receiver_location);
	ph_rows_bigint(rows, (int64) one->receive_seq);
	ph_rows_index(rows, one->sender_location);
	ph_rows_bigint(rows, (int64) one->send_seq);
	ph_rows_bigint(rows, one->receive_leave);
	ph_rows_int(rows, (int32) one->n_messages);
	ph_rows_int(rows, (int32) one->n_late);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_late_senders)
{
	PhRows rows;
	const PhLateSender *found = NULL;
	uint32 n = 0;
	ph_rows_begin(&rows, fcinfo, 17);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhArena *arena = &trace->scratch->arena;
	const PhSkeleton *skeleton = ph_trace_skeleton(trace);
	PH_CHECK(arena->env, ph_late_senders(arena, skeleton, &found, &n));
	for (uint32 i = 0; i < n; i++)
		put_late_sender(&rows, trace, &found[i]);
	ph_trace_end(trace);
	return (Datum) 0;
}

static void
put_late_receiver(PhRows *rows, const PhTraceRun *trace, const PhLateReceiver *one)
{
	ph_rows_index(rows, one->sender);
	ph_rows_index(rows, one->receiver);
	ph_rows_text(rows, ph_trace_region_name(trace, one->send_region));
	ph_rows_bigint(rows, one->send_enter);
	ph_rows_bigint(rows, one->receive_enter);
	ph_rows_bigint(rows, one->send_leave);
	ph_rows_bigint(rows, one->wait);
	ph_rows_int(rows, one->tag);
	ph_rows_bigint(rows, (int64) one->bytes);
	ph_rows_index(rows, one->comm);
	ph_rows_index(rows, one->sender_location);
	ph_rows_bigint(rows, (int64) one->send_seq);
	ph_rows_index(rows, one->receiver_location);
	ph_rows_bigint(rows, (int64) one->receive_seq);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_late_receivers)
{
	PhRows rows;
	const PhLateReceiver *found = NULL;
	uint32 n = 0;
	ph_rows_begin(&rows, fcinfo, 14);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhArena *arena = &trace->scratch->arena;
	const PhSkeleton *skeleton = ph_trace_skeleton(trace);
	PH_CHECK(arena->env, ph_late_receivers(arena, skeleton, &found, &n));
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
	ph_rows_bigint(rows, one->instance);
	ph_rows_text(rows, ph_collective_name(member->operation));
	ph_rows_index(rows, member->comm);
	ph_rows_index(rows, member->rank);
	ph_rows_bigint(rows, one->enter);
	ph_rows_bigint(rows, one->wait);
	ph_rows_index(rows, cause->rank);
	ph_rows_bigint(rows, cause->enter);
	ph_rows_index(rows, one->location);
	ph_rows_bigint(rows, (int64) member->seq);
	ph_rows_index(rows, cause->location);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_collective_waits)
{
	PhRows rows;
	const PhCollectiveWait *found = NULL;
	uint32 n = 0;
	ph_rows_begin(&rows, fcinfo, 11);
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_COMMUNICATORS);
	PhArena *arena = &trace->scratch->arena;
	const PhSkeleton *skeleton = ph_trace_skeleton(trace);
	PH_CHECK(arena->env, ph_collective_waits(arena, skeleton, &found, &n));
	for (uint32 i = 0; i < n; i++)
		put_collective_wait(&rows, skeleton, &found[i]);
	ph_trace_end(trace);
	return (Datum) 0;
}
