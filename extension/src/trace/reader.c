/*
 * reader.c - a stored trace, begun and ended, and its chunks one by one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "server/compat.h"
#include "server/query_rows.h"
#include "trace/reader.h"
#include "trace/sql.h"
#include "trace/tables.h"

/* The list is null where it would have all from $7 to $8: thousands of neighbours are then found by
 * the key, and compared with nothing. */
#define AT_LOCATIONS                                                                               \
	" AND c.location_id BETWEEN $7 AND $8"                                                         \
	" AND ($4::int4[] IS NULL OR c.location_id = ANY ($4::int4[]))"
#define IN_WINDOW " WHERE c.run_id = $1 AND c.t_last >= $2 AND c.t_first < $3" AT_LOCATIONS
#define FROM_BEFORE " WHERE c.run_id = $1 AND c.t_last >= $2 AND c.t_prev < $3" AT_LOCATIONS
#define BY_LOCATION " ORDER BY c.location_id, c.chunk_no"

static const char chunks_sql[] =
	"SELECT " PH_SUMMED_CHUNK_COLUMNS " FROM perfhouse.trace_chunk c" IN_WINDOW BY_LOCATION;

static const char chunks_from_before_sql[] =
	"SELECT " PH_SUMMED_CHUNK_COLUMNS " FROM perfhouse.trace_chunk c" FROM_BEFORE BY_LOCATION;

static const char linked_chunks_sql[] =
	"SELECT " PH_SUMMED_CHUNK_COLUMNS ", " PH_LINK_COLUMNS " FROM perfhouse.trace_chunk c"
	" LEFT JOIN perfhouse.message_chunk m USING (run_id, location_id, chunk_no)" IN_WINDOW
		BY_LOCATION;

static const char launched_chunks_sql[] =
	"SELECT " PH_SUMMED_CHUNK_COLUMNS ", " PH_LAUNCH_COLUMNS " FROM perfhouse.trace_chunk c"
	" LEFT JOIN perfhouse.launch_chunk m USING (run_id, location_id, chunk_no)" FROM_BEFORE
		BY_LOCATION;

/* Chunks of receives whose messages may be under way in the window: sent or received before its end
 * and after its start. Messages may be received before they were sent. */
#define MAY_BE_UNDER_WAY                                                                           \
	" least(m.t_send_min, c.t_first) < $3 AND greatest(m.t_send_max, c.t_last) >= $2"

/* These, and those whose sends may be theirs, from $5 to $6. */
static const char message_chunks_sql[] =
	"SELECT " PH_SUMMED_CHUNK_COLUMNS ", " PH_LINK_COLUMNS " FROM perfhouse.trace_chunk c"
	" LEFT JOIN perfhouse.message_chunk m USING (run_id, location_id, chunk_no)"
	" WHERE c.run_id = $1 AND c.n_message > 0"
	" AND ((c.t_last >= $5 AND c.t_first <= $6) OR (" MAY_BE_UNDER_WAY "))" BY_LOCATION;

static const char receiving_chunks_sql[] =
	"SELECT " PH_SUMMED_CHUNK_COLUMNS ", " PH_LINK_COLUMNS " FROM perfhouse.trace_chunk c"
	" JOIN perfhouse.message_chunk m USING (run_id, location_id, chunk_no)"
	" WHERE c.run_id = $1 AND" MAY_BE_UNDER_WAY BY_LOCATION;

static PhTraceRun *
begin(int64 run_id, uint32 parts, bool in_any_state)
{
	PhScratch *scratch = ph_scratch_begin();
	PhTraceRun *trace = MemoryContextAllocZero(scratch->context, sizeof(PhTraceRun));
	trace->scratch = scratch;
	trace->run_id = run_id;
	ph_require_warehouse();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	ph_trace_tables_read(trace, parts, in_any_state);
	PH_CHECK(&scratch->env, ph_chunk_reader_new(&scratch->env, &trace->reader));
	return trace;
}

PhTraceRun *
ph_trace_begin(int64 run_id, uint32 parts)
{
	return begin(run_id, parts, false);
}

PhTraceRun *
ph_trace_begin_in_any_state(int64 run_id, uint32 parts)
{
	return begin(run_id, parts, true);
}

void
ph_trace_end(PhTraceRun *trace)
{
	SPI_finish();
	ph_scratch_end(trace->scratch);
}

typedef struct SendTimes
{
	int64 first, last;
} SendTimes;

typedef struct ChunkStream
{
	PhTraceRun *trace;
	const PhChunkQuery *query;
	PhChunkFunction function;
	void *user;
} ChunkStream;

void
ph_trace_slot_links(const TupleTableSlot *slot, PhLinkChunk *chunk)
{
	*chunk = (PhLinkChunk){
		.location = (uint32) ph_slot_int(slot, PH_SLOT(message_chunk, location_id), 0),
		.chunk_no = (uint32) ph_slot_int(slot, PH_SLOT(message_chunk, chunk_no), 0),
		.n_links = (uint32) ph_slot_int(slot, PH_SLOT(message_chunk, n_links), 0),
		.send_min = ph_slot_bigint(slot, PH_SLOT(message_chunk, t_send_min), 0),
		.send_max = ph_slot_bigint(slot, PH_SLOT(message_chunk, t_send_max), 0),
		.links = ph_slot_bytes(slot, PH_SLOT(message_chunk, links), true)};
}

PhBytes
ph_trace_slot_stack(const TupleTableSlot *slot)
{
	return ph_slot_bytes(slot, PH_SLOT(trace_chunk, stack), true);
}

void
ph_trace_slot_chunk(const TupleTableSlot *slot, uint32 want, PhChunk *chunk)
{
	bool calls = (want & PH_WANT_CALLS) != 0, lengths = calls || (want & PH_WANT_LENGTHS) != 0;
	chunk->location = (uint32) ph_slot_int(slot, PH_SLOT(trace_chunk, location_id), 0);
	chunk->chunk_no = (uint32) ph_slot_int(slot, PH_SLOT(trace_chunk, chunk_no), 0);
	chunk->format = DatumGetInt16(slot->tts_values[PH_SLOT(trace_chunk, format)]);
	chunk->n_events = (uint32) ph_slot_int(slot, PH_SLOT(trace_chunk, n_events), 0);
	chunk->n_enter = (uint32) ph_slot_int(slot, PH_SLOT(trace_chunk, n_enter), 0);
	chunk->n_message = (uint32) ph_slot_int(slot, PH_SLOT(trace_chunk, n_message), 0);
	chunk->first_seq = (uint64) ph_slot_bigint(slot, PH_SLOT(trace_chunk, first_seq), 0);
	chunk->t_prev = ph_slot_bigint(slot, PH_SLOT(trace_chunk, t_prev), 0);
	chunk->t_first = ph_slot_bigint(slot, PH_SLOT(trace_chunk, t_first), 0);
	chunk->t_last = ph_slot_bigint(slot, PH_SLOT(trace_chunk, t_last), 0);
	chunk->stack = ph_slot_bytes(slot, PH_SLOT(trace_chunk, stack), lengths);
	chunk->dt =
		ph_slot_bytes(slot, PH_SLOT(trace_chunk, dt), lengths || (want & PH_WANT_TIMES) != 0);
	chunk->kind = ph_slot_bytes(slot, PH_SLOT(trace_chunk, kind), want != 0);
	chunk->region = ph_slot_bytes(slot, PH_SLOT(trace_chunk, region), calls);
	chunk->msg = ph_slot_bytes(slot, PH_SLOT(trace_chunk, msg), (want & PH_WANT_MESSAGES) != 0);
	chunk->extra = ph_slot_bytes(slot, PH_SLOT(trace_chunk, extra), (want & PH_WANT_EXTRA) != 0);
}

/* Nothing of a row is decoded that is not as it was stored; rows of before have no sum. */
static void
check_sum(PhTraceRun *trace, const TupleTableSlot *slot, int column, const PhChunk *chunk,
		  uint32 crc, const char *what)
{
	if (ph_slot_is_null(slot, column) || ph_slot_bigint(slot, column, 0) == crc)
		return;
	ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE),
					errmsg("%s chunk %u of location %u of run " INT64_FORMAT
						   " are damaged: the checksum is of another row",
						   what, chunk->chunk_no, chunk->location, trace->run_id),
					errhint("Load the trace again: perfhouse load --if-exists replace.")));
}

void
ph_trace_sound_chunk(PhTraceRun *trace, const TupleTableSlot *slot, uint32 want, PhChunk *chunk)
{
	bool has_sum = !ph_slot_is_null(slot, PH_SLOT_CHUNK_CRC);
	ph_trace_slot_chunk(slot, has_sum ? PH_WANT_ALL : want, chunk);
	if (has_sum)
		check_sum(trace, slot, PH_SLOT_CHUNK_CRC, chunk, ph_chunk_crc(chunk), "the events of");
}

static void
take_links(PhTraceRun *trace, const TupleTableSlot *slot, bool check, PhTraceChunk *chunk)
{
	chunk->n_links = (uint32) ph_slot_int(slot, PH_SLOT_N_LINKS, 0);
	chunk->links = ph_slot_bytes(slot, PH_SLOT_LINKS, true);
	PhLinkChunk stored = {.location = chunk->chunk.location,
						  .chunk_no = chunk->chunk.chunk_no,
						  .n_links = chunk->n_links,
						  .send_min = ph_slot_bigint(slot, PH_SLOT_SEND_MIN, 0),
						  .send_max = ph_slot_bigint(slot, PH_SLOT_SEND_MAX, 0),
						  .links = chunk->links};
	if (check)
		check_sum(trace, slot, PH_SLOT_LINKS_CRC, &chunk->chunk, ph_link_chunk_crc(&stored),
				  "the links of");
}

static void
receive_chunk(void *user, TupleTableSlot *slot)
{
	ChunkStream *stream = user;
	PhTraceRun *trace = stream->trace;
	const PhChunkQuery *query = stream->query;
	bool opens = query->want != 0 && !query->leave_closed;
	PhTraceChunk chunk = {.links = {NULL, 0}};
	if (opens)
		ph_trace_sound_chunk(trace, slot, query->want, &chunk.chunk);
	else
		ph_trace_slot_chunk(slot, query->want, &chunk.chunk);
	if (chunk.chunk.location >= trace->model.n_locations)
		ph_trace_refuse(trace, "a chunk belongs to a location that does not exist");
	int32 rank = trace->model.locations[chunk.chunk.location].rank;
	chunk.rank = rank < 0 ? PH_NONE : (uint32) rank;
	if (query->with_links || query->with_launches)
		take_links(trace, slot, opens, &chunk);
	if (opens)
		ph_trace_open(trace, &chunk, query->want);
	stream->function(stream->user, trace, &chunk);
}

/* The window's locations: from first to last, and as an array, which is null if that is all. */
typedef struct LocationRange
{
	int32 first, last;
	Datum ids;
	bool is_full;
} LocationRange;

static LocationRange
location_range(const PhTraceWindow *window)
{
	if (window->locations == NULL)
		return (LocationRange){.first = 0, .last = PG_INT32_MAX, .is_full = true};
	Datum *ids = palloc(sizeof(Datum) * Max(window->n_locations, 1));
	int n = 0;
	for (uint32 i = 0; i < window->n_locations; i++)
		if (window->locations[i])
			ids[n++] = Int32GetDatum((int32) i);
	LocationRange range = {.first = n == 0 ? 0 : DatumGetInt32(ids[0]),
						   .last = n == 0 ? -1 : DatumGetInt32(ids[n - 1])};
	range.is_full = range.last - range.first + 1 == n;
	if (!range.is_full)
		range.ids =
			PointerGetDatum(construct_array(ids, n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
	return range;
}

static ParamExternData
number_parameter(int64 value, Oid type)
{
	Datum datum = type == INT4OID ? Int32GetDatum((int32) value) : Int64GetDatum(value);
	return (ParamExternData){.value = datum, .pflags = PARAM_FLAG_CONST, .ptype = type};
}

/* $1 run, $2 and $3 window, $4 locations, $5 and $6 times of sends, $7 and $8 first and last
 * location. */
static ParamListInfo
chunk_parameters(const PhTraceRun *trace, const PhTraceWindow *window, const SendTimes *sends)
{
	ParamListInfo parameters = makeParamList(8);
	LocationRange range = location_range(window);
	parameters->params[0] = number_parameter(trace->run_id, INT8OID);
	parameters->params[1] = number_parameter(window->from, INT8OID);
	parameters->params[2] = number_parameter(window->to, INT8OID);
	parameters->params[3] = (ParamExternData){.value = range.ids,
											  .isnull = range.is_full,
											  .pflags = PARAM_FLAG_CONST,
											  .ptype = INT4ARRAYOID};
	parameters->params[4] = number_parameter(sends->first, INT8OID);
	parameters->params[5] = number_parameter(sends->last, INT8OID);
	parameters->params[6] = number_parameter(range.first, INT4OID);
	parameters->params[7] = number_parameter(range.last, INT4OID);
	return parameters;
}

static void
run_chunk_query(PhTraceRun *trace, const char *sql, const PhChunkQuery *query,
				const SendTimes *sends, PhChunkFunction function, void *user)
{
	ChunkStream stream = {trace, query, function, user};
	ph_query_rows(sql, chunk_parameters(trace, &query->window, sends), receive_chunk, &stream);
}

void
ph_trace_chunks(PhTraceRun *trace, const PhChunkQuery *query, PhChunkFunction function, void *user)
{
	const SendTimes none = {0, 0};
	const char *sql = query->with_links ? linked_chunks_sql : chunks_sql;
	if (query->from_before)
		sql = chunks_from_before_sql;
	if (query->with_launches)
		sql = launched_chunks_sql;
	run_chunk_query(trace, sql, query, &none, function, user);
}

/* What messages of a window are known by their receives. */
typedef struct UnderWay
{
	PhTraceWindow window;
	SendTimes sends;
} UnderWay;

static void
note_sends(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	UnderWay *found = user;
	PhArena arena;
	uint32 n_links;
	const uint8 *kinds = ph_chunk_kinds(trace->reader);
	const int64 *times = ph_chunk_times(trace->reader);
	ph_arena_init(&arena, &trace->scratch->env);
	const PhLink *link = ph_trace_links(trace, &arena, chunk, &n_links);
	for (uint32 i = 0; i < chunk->chunk.n_events; i++)
	{
		if (kinds[i] != PH_EVENT_RECV && kinds[i] != PH_EVENT_IRECV)
			continue;
		bool is_sent = link->location != PH_NONE;
		int64 sent = (link++)->time;
		if (!is_sent ||
			!ph_window_overlaps(&found->window, Min(sent, times[i]), Max(sent, times[i])))
			continue;
		found->sends.first = Min(found->sends.first, sent);
		found->sends.last = Max(found->sends.last, sent);
	}
	ph_arena_drop(&arena);
}

/*
 * The range of times in which those messages were sent that are under way in the window. Chunks of
 * receives say it (first and last time of their sends), so a first pass reads only these, and the
 * second one then reads, besides, the chunks that may hold the sends.
 */
static SendTimes
find_sends(PhTraceRun *trace, const PhTraceWindow *window)
{
	UnderWay found = {*window, {window->from, window->to}};
	PhChunkQuery query = {.window = *window, .want = PH_WANT_TIMES, .with_links = true};
	run_chunk_query(trace, receiving_chunks_sql, &query, &found.sends, note_sends, &found);
	return found.sends;
}

void
ph_trace_message_chunks(PhTraceRun *trace, const PhTraceWindow *window, PhChunkFunction function,
						void *user)
{
	SendTimes sends = {window->from, window->to};
	PhTraceWindow everywhere = {.from = window->from, .to = window->to};
	PhChunkQuery query = {
		.window = everywhere, .want = PH_WANT_CALLS | PH_WANT_MESSAGES, .with_links = true};
	if (window->from != PG_INT64_MIN || window->to != PG_INT64_MAX)
		sends = find_sends(trace, &everywhere);
	run_chunk_query(trace, message_chunks_sql, &query, &sends, function, user);
}

void
ph_trace_open(PhTraceRun *trace, const PhTraceChunk *chunk, uint32 want)
{
	PH_CHECK(&trace->scratch->env, ph_chunk_reader_open(trace->reader, &chunk->chunk, want));
}

const PhLink *
ph_trace_links(PhTraceRun *trace, PhArena *arena, const PhTraceChunk *chunk, uint32 *n_links)
{
	const PhLink *links = NULL;
	PH_CHECK(arena->env,
			 ph_links_of_chunk(arena, &chunk->chunk, trace->reader, chunk->links, &links, n_links));
	return links;
}
