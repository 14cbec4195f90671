/*
 * check.c - rows of a trace compared with each other by queries, and its chunks decoded.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/query_rows.h"
#include "trace/check.h"
#include "trace/reader.h"
#include "trace/sql.h"

static const char exists_sql[] =
	"SELECT FROM perfhouse.trace WHERE run_id = $1"
	" UNION ALL SELECT FROM perfhouse.run WHERE run_id = $1 AND n_events IS NOT NULL"
	" UNION ALL (SELECT FROM perfhouse.trace_chunk WHERE run_id = $1 LIMIT 1)";

/* No row: the events are there. */
static const char dropped_sql[] =
	"SELECT CASE WHEN EXISTS (SELECT FROM perfhouse.trace_chunk WHERE run_id = $1)"
	" OR EXISTS (SELECT FROM perfhouse.message_chunk WHERE run_id = $1)"
	" OR EXISTS (SELECT FROM perfhouse.launch_chunk WHERE run_id = $1)"
	" OR EXISTS (SELECT FROM perfhouse.logical_chunk WHERE run_id = $1)"
	" OR EXISTS (SELECT FROM perfhouse.trace_tile WHERE run_id = $1)"
	" THEN 'there are chunks, although the events were dropped' END"
	" FROM perfhouse.trace WHERE run_id = $1 AND events_dropped_at IS NOT NULL";

/* Queries that return what is wrong, or null. */
static const char *const chunks_sql[] = {
	"SELECT CASE WHEN NOT EXISTS (SELECT FROM perfhouse.trace WHERE run_id = $1)"
	" THEN 'there is no row in perfhouse.trace' END",
	"SELECT format('chunk %s of location %s does not follow the one before it', chunk_no,"
	" location_id) FROM (SELECT location_id, chunk_no, chunk_no <> row_number() OVER w - 1"
	" OR first_seq <> coalesce(sum(n_events) OVER (PARTITION BY location_id ORDER BY chunk_no"
	" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)"
	" OR t_prev <> coalesce(lag(t_last) OVER w, t_first) AS is_bad"
	" FROM perfhouse.trace_chunk WHERE run_id = $1"
	" WINDOW w AS (PARTITION BY location_id ORDER BY chunk_no)) c"
	" WHERE is_bad ORDER BY location_id, chunk_no LIMIT 1",
	"SELECT CASE WHEN t.n_events <> c.n_events"
	" THEN format('the trace row counts %s events, the chunks have %s', t.n_events, c.n_events)"
	" WHEN t.duration <> c.last THEN format('the trace row says that it lasts %s ns, the chunks"
	" end at %s', t.duration, c.last)"
	" WHEN c.location >= t.n_locations THEN format('a chunk is of location %s of %s', c.location,"
	" t.n_locations) END FROM perfhouse.trace t,"
	" (SELECT coalesce(sum(n_events), 0) AS n_events, coalesce(max(t_last), 0) AS last,"
	" coalesce(max(location_id), -1) AS location FROM perfhouse.trace_chunk WHERE run_id = $1) c"
	" WHERE t.run_id = $1",
	"SELECT CASE WHEN r.n_events IS DISTINCT FROM t.n_events"
	" THEN format('the run counts %s events of its trace, the trace row %s',"
	" coalesce(r.n_events::text, 'no'), t.n_events) END FROM perfhouse.trace t"
	" JOIN perfhouse.run r ON r.run_id = t.run_id WHERE t.run_id = $1",
	"SELECT format('links of chunk %s of location %s have no chunk', m.chunk_no, m.location_id)"
	" FROM perfhouse.message_chunk m WHERE m.run_id = $1 AND NOT EXISTS (SELECT FROM"
	" perfhouse.trace_chunk c WHERE (c.run_id, c.location_id, c.chunk_no)"
	" = (m.run_id, m.location_id, m.chunk_no)) ORDER BY m.location_id, m.chunk_no LIMIT 1",
	"SELECT format('launches of chunk %s of location %s have no chunk of as many activities',"
	" m.chunk_no, m.location_id) FROM perfhouse.launch_chunk m WHERE m.run_id = $1"
	" AND NOT EXISTS (SELECT FROM perfhouse.trace_chunk c WHERE (c.run_id, c.location_id,"
	" c.chunk_no, c.n_enter) = (m.run_id, m.location_id, m.chunk_no, m.n_links))"
	" ORDER BY m.location_id, m.chunk_no LIMIT 1"};

/* Rows of before have no sums; a run has them or not. */
static const char sums_sql[] =
	"SELECT " PH_SUMMED_CHUNK_COLUMNS " FROM perfhouse.trace_chunk c"
	" WHERE c.run_id = $1 AND EXISTS (SELECT FROM perfhouse.trace_chunk o"
	" WHERE o.run_id = $1 AND o.crc IS NOT NULL)"
	" ORDER BY c.location_id, c.chunk_no";
static const char link_sums_sql[] =
	"SELECT " PH_SELECT(message_chunk, "c.") ", c.crc FROM perfhouse.message_chunk c"
											 " WHERE c.run_id = $1 AND EXISTS (SELECT FROM"
											 " perfhouse.message_chunk o WHERE o.run_id = $1"
											 " AND o.crc IS NOT NULL)"
											 " ORDER BY c.location_id, c.chunk_no";

static const char launch_sums_sql[] =
	"SELECT " PH_SELECT(launch_chunk, "c.") " FROM perfhouse.launch_chunk c WHERE c.run_id = $1"
											" ORDER BY c.location_id, c.chunk_no";

static const char messages_sql[] = "SELECT n_messages FROM perfhouse.trace WHERE run_id = $1";

typedef struct Decoding
{
	MemoryContext context;
	PhTraceFindings *findings;
	int64 n_messages; /* links with both ends */
} Decoding;

static void
receive_detail(void *user, TupleTableSlot *slot)
{
	Decoding *decoding = user;
	if (decoding->findings->chunks == NULL)
		decoding->findings->chunks = ph_slot_text(slot, 0, decoding->context);
}

static void
note_sum(Decoding *decoding, char **finding, uint32 location, uint32 chunk_no, int64 said,
		 uint32 crc)
{
	if (*finding != NULL || said == crc)
		return;
	MemoryContext old = MemoryContextSwitchTo(decoding->context);
	*finding =
		psprintf("chunk %u of location %u: the checksum is of another row", chunk_no, location);
	MemoryContextSwitchTo(old);
}

static void
receive_sum(void *user, TupleTableSlot *slot)
{
	Decoding *decoding = user;
	PhChunk chunk;
	ph_trace_slot_chunk(slot, PH_WANT_ALL, &chunk);
	note_sum(decoding, &decoding->findings->events, chunk.location, chunk.chunk_no,
			 ph_slot_bigint(slot, PH_SLOT_CHUNK_CRC, -1), ph_chunk_crc(&chunk));
}

static void
receive_link_sum(void *user, TupleTableSlot *slot)
{
	Decoding *decoding = user;
	PhLinkChunk chunk;
	ph_trace_slot_links(slot, &chunk);
	note_sum(decoding, &decoding->findings->links, chunk.location, chunk.chunk_no,
			 ph_slot_bigint(slot, PH_N_COLUMNS(message_chunk), -1), ph_link_chunk_crc(&chunk));
}

static void
receive_messages(void *user, TupleTableSlot *slot)
{
	Decoding *decoding = user;
	int64 said = ph_slot_bigint(slot, 0, 0);
	MemoryContext old = MemoryContextSwitchTo(decoding->context);
	if (decoding->findings->links == NULL && said != decoding->n_messages)
		decoding->findings->links =
			psprintf("the trace row counts " INT64_FORMAT " messages, the links " INT64_FORMAT,
					 said, decoding->n_messages);
	MemoryContextSwitchTo(old);
}

/* Keep the first finding; true when the status is one. */
static bool
note(Decoding *decoding, char **finding, const PhTraceRun *trace, PhStatus status)
{
	if (status != PH_OK && *finding == NULL)
		*finding = MemoryContextStrdup(decoding->context, trace->scratch->env.error.message);
	return status != PH_OK;
}

static void
check_regions(Decoding *decoding, const PhTraceRun *trace, const PhTraceChunk *chunk)
{
	uint32 depth;
	const uint32 *regions = ph_chunk_enter_regions(trace->reader);
	const PhOpenCall *stack = ph_chunk_stack(trace->reader, &depth);
	uint32 highest = 0;
	for (uint32 i = 0; i < chunk->chunk.n_enter; i++)
		highest = Max(highest, regions[i]);
	for (uint32 i = 0; i < depth; i++)
		highest = Max(highest, stack[i].region);
	bool any = chunk->chunk.n_enter + depth > 0;
	if (!any || highest < trace->model.n_regions || decoding->findings->events != NULL)
		return;
	MemoryContext old = MemoryContextSwitchTo(decoding->context);
	decoding->findings->events =
		psprintf("chunk %u of location %u has a call of region %u of %u", chunk->chunk.chunk_no,
				 chunk->chunk.location, highest, trace->model.n_regions);
	MemoryContextSwitchTo(old);
}

static void
check_links(Decoding *decoding, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhArena arena;
	const PhLink *links = NULL;
	uint32_t n = 0;
	ph_arena_init(&arena, &trace->scratch->env);
	PhStatus status =
		ph_links_of_chunk(&arena, &chunk->chunk, trace->reader, chunk->links, &links, &n);
	if (!note(decoding, &decoding->findings->links, trace, status) && chunk->links.size > 0)
	{
		for (uint32 i = 0; i < n; i++)
			decoding->n_messages += links[i].location != PH_NONE;
		if (n != chunk->n_links)
			(void) note(decoding, &decoding->findings->links, trace,
						ph_fail(&trace->scratch->env, PH_ERR_FORMAT,
								"chunk %u of location %u has %u receives and %u links",
								chunk->chunk.chunk_no, chunk->chunk.location, n, chunk->n_links));
	}
	ph_arena_drop(&arena);
}

static void
check_launches(Decoding *decoding, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhArena arena;
	const PhLink *links = NULL;
	uint32_t n = 0;
	ph_arena_init(&arena, &trace->scratch->env);
	(void) note(
		decoding, &decoding->findings->links, trace,
		ph_launches_of_chunk(&arena, &chunk->chunk, trace->reader, chunk->links, &links, &n));
	ph_arena_drop(&arena);
}

/* Chunks of streams come a second time, with what launched them. */
static void
check_stream(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Decoding *decoding = user;
	if (!ph_location_is_stream(&trace->model.locations[chunk->chunk.location]))
		return;
	PhStatus status = ph_chunk_reader_open(trace->reader, &chunk->chunk, PH_WANT_CALLS);
	if (!note(decoding, &decoding->findings->events, trace, status))
		check_launches(decoding, trace, chunk);
}

static void
check_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Decoding *decoding = user;
	PhStatus status = ph_chunk_reader_open(trace->reader, &chunk->chunk, PH_WANT_ALL);
	if (note(decoding, &decoding->findings->events, trace, status))
		return;
	check_regions(decoding, trace, chunk);
	check_links(decoding, trace, chunk);
}

static void
check_bytes(Decoding *decoding, int64 run_id)
{
	PhTraceRun *trace = ph_trace_begin_in_any_state(run_id, PH_TRACE_REGIONS);
	PhChunkQuery query = {
		.window = ph_window_all(), .want = PH_WANT_ALL, .with_links = true, .leave_closed = true};
	ph_trace_chunks(trace, &query, check_chunk, decoding);
	query.with_launches = true;
	if (trace->n_streams > 0)
		ph_trace_chunks(trace, &query, check_stream, decoding);
	ph_query_rows(messages_sql, ph_query_parameters(run_id, InvalidOid, (Datum) 0),
				  receive_messages, decoding);
	ph_trace_end(trace);
}

static void
receive_nothing(void *user, TupleTableSlot *slot)
{
}

bool
ph_run_has_trace(int64 run_id)
{
	return ph_query_rows(exists_sql, ph_query_parameters(run_id, InvalidOid, (Datum) 0),
						 receive_nothing, NULL) > 0;
}

PhTraceFindings
ph_check_trace(int64 run_id)
{
	PhTraceFindings findings = {.chunks = NULL};
	Decoding decoding = {.context = CurrentMemoryContext, .findings = &findings};
	ParamListInfo run = ph_query_parameters(run_id, InvalidOid, (Datum) 0);
	findings.is_dropped = ph_query_rows(dropped_sql, run, receive_detail, &decoding) > 0;
	if (findings.is_dropped)
		return findings;
	for (int i = 0; i < (int) lengthof(chunks_sql); i++)
		ph_query_rows(chunks_sql[i], run, receive_detail, &decoding);
	ph_query_rows(sums_sql, run, receive_sum, &decoding);
	ph_query_rows(link_sums_sql, run, receive_link_sum, &decoding);
	ph_query_rows(launch_sums_sql, run, receive_link_sum, &decoding);
	if (findings.chunks == NULL)
		check_bytes(&decoding, run_id);
	else
	{
		if (findings.events == NULL)
			findings.events = pstrdup("not known while chunks are amiss");
		if (findings.links == NULL)
			findings.links = pstrdup("not known while chunks are amiss");
	}
	return findings;
}
