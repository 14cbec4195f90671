/*
 * fn_trust.c - what a trace holds and how far to trust it, as rows.
 *
 * What was counted when the trace was loaded, and what only its calls show.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "trace/collectives.h"
#include "trace/reader.h"
#include "trace/skeleton.h"
#include "trace/untold.h"

static const char counted_sql[] =
	"SELECT t.n_locations::text, t.n_events::text, t.duration::text || ' ns', t.clock,"
	" t.clock <> 'uncorrected' OR t.reversed_messages = 0, t.n_messages, t.unmatched_sends,"
	" t.unmatched_receives, t.reversed_messages, t.worst_reversal::text || ' ns',"
	" t.open_calls, t.unknown_records"
	" FROM perfhouse.trace t WHERE t.run_id = $1";

typedef struct Counted
{
	char *locations, *events, *duration, *clock, *worst;
	bool clock_is_good;
	int64 messages, lost_sends, lost_receives, reversed, open_calls, unknown_records;
	MemoryContext context; /* of the texts */
} Counted;

static void
receive_counted(void *user, TupleTableSlot *slot)
{
	Counted *out = user;
	MemoryContext kept = out->context;
	out->locations = ph_slot_text(slot, 0, kept);
	out->events = ph_slot_text(slot, 1, kept);
	out->duration = ph_slot_text(slot, 2, kept);
	out->clock = ph_slot_text(slot, 3, kept);
	out->clock_is_good = DatumGetBool(slot->tts_values[4]);
	out->messages = ph_slot_bigint(slot, 5, 0);
	out->lost_sends = ph_slot_bigint(slot, 6, 0);
	out->lost_receives = ph_slot_bigint(slot, 7, 0);
	out->reversed = ph_slot_bigint(slot, 8, 0);
	out->worst = ph_slot_text(slot, 9, kept);
	out->open_calls = ph_slot_bigint(slot, 10, 0);
	out->unknown_records = ph_slot_bigint(slot, 11, 0);
}

/* ---- what calls show ---- */

typedef struct Shown
{
	PhCollectives *collectives;
	PhUntold *untold;
	PhSkeleton *skeleton; /* NULL: there are no windows */
} Shown;

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Shown *shown = user;
	PhEnv *env = &trace->scratch->env;
	if (shown->skeleton != NULL)
		PH_CHECK(env,
				 ph_skeleton_add_chunk(shown->skeleton, &chunk->chunk, trace->reader, NULL, 0));
	PH_CHECK(env, ph_untold_add_chunk(shown->untold, &chunk->chunk, trace->reader));
	PH_CHECK(env, ph_collectives_add_chunk(shown->collectives, &chunk->chunk, trace->reader));
}

static void
read_calls(PhTraceRun *trace, PhCollectiveRows *collectives, PhUntoldCalls *untold,
		   PhWindowCounts *windows)
{
	Shown shown = {0};
	PhEnv *env = &trace->scratch->env;
	PhChunkQuery query = {.window = ph_window_all()};
	PH_CHECK(env, ph_collectives_new(env, &trace->model, &shown.collectives));
	query.want = ph_collectives_wants(shown.collectives);
	PH_CHECK(env, ph_untold_new(&trace->scratch->arena, &trace->model, &shown.untold));
	if (ph_trace_has_windows(&trace->model))
		PH_CHECK(env, ph_skeleton_new(env, &trace->model, &shown.skeleton));
	ph_trace_chunks(trace, &query, add_chunk, &shown);
	if (shown.skeleton != NULL)
	{
		PH_CHECK(env, ph_skeleton_finish(shown.skeleton));
		*windows = shown.skeleton->windows;
	}
	PH_CHECK(env, ph_collectives_group(shown.collectives, collectives));
	*untold = ph_untold_count(shown.untold);
}

static int64
count_inferred(const PhCollectiveRows *collectives)
{
	int64 n = 0;
	for (uint32 i = 0; i < collectives->n_instances; i++)
		n += collectives->instances[i].n_inferred > 0;
	return n;
}

/* ---- rows ---- */

static void
put_item(PhRows *rows, const char *item, const char *value, bool trusted)
{
	ph_rows_text(rows, "item", item);
	ph_rows_text(rows, "value", value);
	ph_rows_bool(rows, "trusted", trusted);
	ph_rows_put(rows);
}

static void
put_count(PhRows *rows, const char *item, int64 count, bool trusted)
{
	put_item(rows, item, psprintf(INT64_FORMAT, count), trusted);
}

/* What is amiss unless there is none. */
static void
put_odd(PhRows *rows, const char *item, int64 count)
{
	put_count(rows, item, count, count == 0);
}

static void
put_messages(PhRows *rows, const Counted *counted)
{
	put_count(rows, "messages", counted->messages, true);
	put_odd(rows, "sends that nobody received", counted->lost_sends);
	put_odd(rows, "receives that nobody sent", counted->lost_receives);
	put_odd(rows, "messages received before they were sent", counted->reversed);
	put_item(rows, "worst of these", counted->worst, counted->reversed == 0);
}

/* Where there is one-sided communication. */
static void
put_windows(PhRows *rows, const PhWindowCounts *windows)
{
	put_count(rows, "one-sided operations", (int64) windows->operations, true);
	put_count(rows, "locks of windows", (int64) windows->locks, true);
	put_count(rows, "begins and ends of epochs of windows", (int64) windows->epochs, true);
	put_odd(rows, "of these without a counterpart", (int64) windows->lonely);
}

static void
put_shown(PhRows *rows, PhTraceRun *trace)
{
	PhCollectiveRows all;
	PhUntoldCalls untold;
	PhWindowCounts windows = {0};
	read_calls(trace, &all, &untold, &windows);
	int64 inferred = count_inferred(&all);
	put_odd(rows, "calls of sends without records", (int64) untold.sends);
	put_odd(rows, "calls of receives without records", (int64) untold.receives);
	put_count(rows, "collectives", all.n_instances, true);
	put_count(rows, "of these inferred from calls", inferred, true);
	put_odd(rows, "calls of collectives without records, not inferred", (int64) all.n_unknown);
	if (ph_trace_has_windows(&trace->model))
		put_windows(rows, &windows);
	if (untold.epochs > 0)
		put_odd(rows, "calls for epochs of windows without records", (int64) untold.epochs);
}

PH_FUNCTION(ph_trace_summary)
{
	PhRows rows;
	Counted counted = {0};
	ph_rows_begin(&rows, fcinfo);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	counted.context = trace->scratch->context;
	ph_query_rows(counted_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0),
				  receive_counted, &counted);
	put_item(&rows, "locations", counted.locations, true);
	put_item(&rows, "events", counted.events, true);
	put_item(&rows, "duration", counted.duration, true);
	put_item(&rows, "clock", counted.clock, counted.clock_is_good);
	put_messages(&rows, &counted);
	put_shown(&rows, trace);
	put_odd(&rows, "calls not left at the end", counted.open_calls);
	put_odd(&rows, "records not understood", counted.unknown_records);
	ph_trace_end(trace);
	return (Datum) 0;
}
