/*
 * reader.c - chunks of logical structure, read and checked one by one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "logical/compute.h"
#include "logical/reader.h"
#include "server/compat.h"
#include "server/query_rows.h"

static const char logical_sql[] =
	"SELECT version, n_events, n_phases, last_step FROM perfhouse.logical WHERE run_id = $1";

static const char chunks_sql[] =
	"SELECT " PH_LOGICAL_COLUMNS
	" FROM perfhouse.logical_chunk WHERE run_id = $1 AND step_last >= $2 AND step_first < $3"
	" AND location_id <= $5 AND coalesce(last_location, location_id) >= $4"
	" ORDER BY location_id, chunk_no";

static void
receive_logical(void *user, TupleTableSlot *slot)
{
	PhLogicalStored *stored = user;
	stored->version = ph_slot_int(slot, 0, 0);
	stored->n_events = ph_slot_bigint(slot, 1, 0);
	stored->n_phases = ph_slot_int(slot, 2, 0);
	stored->last_step = ph_slot_int(slot, 3, -1);
}

PhLogicalStored
ph_logical_begin_as_traced(int64 run_id, uint32 parts)
{
	PhLogicalStored stored = {.trace = ph_trace_begin(run_id, parts)};
	ParamListInfo parameters = ph_query_parameters(run_id, InvalidOid, (Datum) 0);
	if (ph_query_rows(logical_sql, parameters, receive_logical, &stored) == 0)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND),
				 errmsg("run " INT64_FORMAT " has no logical steps", run_id),
				 errhint("Assign them: SELECT perfhouse.assign_logical_steps(" INT64_FORMAT ").",
						 run_id)));
	stored.timelines = ph_timelines_read(stored.trace);
	stored.stride = stored.timelines != NULL ? 1 : PH_STEP_STRIDE;
	return stored;
}

PhLogicalStored
ph_logical_begin(int64 run_id, uint32 parts)
{
	PhLogicalStored stored = ph_logical_begin_as_traced(run_id, parts);
	if (stored.timelines != NULL)
		ph_timelines_install(stored.timelines, stored.trace);
	return stored;
}

/* Chunks of one block are decoded once, as long as they take less than this; else by member. */
#define MOST_DECODED ((Size) 128 << 20)

/* A chunk of the block at hand; several wait for each other, as events are given by location. */
typedef struct KeptChunk
{
	PhLogicalChunk chunk;
	PhLogicalCodec *codec; /* NULL: it is decoded again for every location */
	PhLogicalBlock block;
} KeptChunk;

typedef struct LogicalStream
{
	const PhLogicalStored *stored;
	const PhStepWindow *window;
	PhLogicalCodec *codec;
	uint32 want;
	PhLogicalFunction function;
	void *user;
	MemoryContext context; /* of what is kept */
	MemoryContext call;	   /* of one call of the function */
	KeptChunk *kept;
	int n_kept, room;
} LogicalStream;

void
ph_logical_slot_chunk(const TupleTableSlot *slot, uint32 want, PhLogicalChunk *chunk)
{
	chunk->location = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, location_id), 0);
	chunk->n_members =
		(uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, last_location), (int32) chunk->location) -
		chunk->location + 1;
	chunk->chunk_no = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, chunk_no), 0);
	chunk->format = ph_slot_int(slot, PH_SLOT(logical_chunk, format), 0);
	chunk->n_events = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, n_events), 0);
	chunk->n_ends = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, n_ends), 0);
	chunk->first_seq = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, first_seq), 0);
	chunk->step_first = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, step_first), 0);
	chunk->step_last = (uint32) ph_slot_int(slot, PH_SLOT(logical_chunk, step_last), 0);
	chunk->t_first = ph_slot_bigint(slot, PH_SLOT(logical_chunk, t_first), 0);
	chunk->t_last = ph_slot_bigint(slot, PH_SLOT(logical_chunk, t_last), 0);
	chunk->places = ph_slot_bytes(slot, PH_SLOT(logical_chunk, places), true);
	chunk->metrics =
		ph_slot_bytes(slot, PH_SLOT(logical_chunk, metrics), (want & PH_LOGICAL_WANT_METRICS) != 0);
	chunk->causes =
		ph_slot_bytes(slot, PH_SLOT(logical_chunk, causes), (want & PH_LOGICAL_WANT_CAUSES) != 0);
	chunk->ends = ph_slot_bytes(slot, PH_SLOT(logical_chunk, ends),
								(want & (PH_LOGICAL_WANT_ENDS | PH_LOGICAL_WANT_CAUSES)) != 0);
	chunk->counters = ph_slot_bytes(slot, PH_SLOT(logical_chunk, counters),
									(want & PH_LOGICAL_WANT_COUNTERS) != 0);
	chunk->tasks = ph_slot_bytes(slot, PH_LOGICAL_TASKS, (want & PH_LOGICAL_WANT_TASKS) != 0);
}

static bool
location_exists(const PhTraceRun *trace, uint32 location)
{
	return location == PH_NONE || location < trace->model.n_locations;
}

/* Numbers that the core's decoder leaves to us. */
static void
check_block(const PhLogicalStored *stored, const PhLogicalBlock *block)
{
	PhTraceRun *trace = stored->trace;
	const PhLogicalEvents *events = &block->events;
	bool is_sound = block->location < trace->model.n_locations &&
					block->n_members <= trace->model.n_locations - block->location;
	for (uint32 i = 0; i < events->n_events && is_sound; i++)
		is_sound = events->phase[i] < (uint32) stored->n_phases &&
				   (int64) events->step[i] <= stored->last_step;
	for (uint32 i = 0; i < events->n_events && is_sound && events->earliest_location != NULL; i++)
		is_sound = location_exists(trace, events->earliest_location[i]) &&
				   location_exists(trace, events->binding_location[i]);
	for (uint32 e = 0; e < events->n_ends && is_sound && events->peer_location != NULL; e++)
		is_sound = location_exists(trace, events->peer_location[e]);
	for (uint32 i = 0; i < events->n_events && is_sound && events->processor != NULL; i++)
		is_sound =
			stored->timelines != NULL && events->processor[i] < stored->timelines->n_processors;
	if (!is_sound)
		ereport(
			ERROR,
			(errcode(PH_ERRCODE_BAD_PROFILE),
			 errmsg("logical steps of run " INT64_FORMAT
					": there is no such location, phase or step",
					trace->run_id),
			 errhint("Assign them anew: SELECT perfhouse.assign_logical_steps(" INT64_FORMAT ").",
					 trace->run_id)));
}

#define ALL_BYTES                                                                                  \
	(PH_LOGICAL_WANT_METRICS | PH_LOGICAL_WANT_CAUSES | PH_LOGICAL_WANT_COUNTERS |                 \
	 PH_LOGICAL_WANT_TASKS)

/* Who has all bytes of a row anyway looks at its checksum; that costs a hundredth of decoding. */
static void
check_sum(const LogicalStream *stream, const TupleTableSlot *slot, const PhLogicalChunk *chunk)
{
	int column = PH_SLOT(logical_chunk, crc);
	if ((stream->want & ALL_BYTES) != ALL_BYTES || chunk->format > PH_LOGICAL_BLOCK_FORMAT ||
		ph_slot_is_null(slot, column) ||
		ph_slot_bigint(slot, column, 0) == ph_logical_chunk_crc(chunk))
		return;
	ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE),
					errmsg("chunk %u of location %u of logical time is damaged: the checksum is of "
						   "another row",
						   chunk->chunk_no, chunk->location),
					errhint("Assign the run's logical steps anew.")));
}

static bool
is_wanted(const LogicalStream *stream, uint32 location)
{
	const bool *locations = stream->window->locations;
	return locations == NULL ||
		   (location < stream->stored->trace->model.n_locations && locations[location]);
}

static void
decode(LogicalStream *stream, PhLogicalCodec *codec, const PhLogicalChunk *chunk,
	   PhLogicalBlock *block)
{
	PH_CHECK(&stream->stored->trace->scratch->env,
			 ph_logical_decode_block(codec, chunk, stream->want, block));
	check_block(stream->stored, block);
}

static void
give_member(LogicalStream *stream, const PhLogicalBlock *block, uint32 member)
{
	PhLogicalEvents events;
	ph_logical_member(block, member, &events);
	if (events.n_events > 0)
		stream->function(stream->user, stream->stored->trace, &events);
}

/* ---- blocks of several chunks ---- */

static PhBytes
keep_bytes(PhBytes bytes)
{
	if (bytes.size == 0)
		return bytes;
	void *copy = palloc_extended(bytes.size, MCXT_ALLOC_HUGE);
	memcpy(copy, bytes.data, bytes.size);
	return (PhBytes){copy, bytes.size};
}

static void
keep_chunk(LogicalStream *stream, const PhLogicalChunk *chunk)
{
	MemoryContext old = MemoryContextSwitchTo(stream->context);
	if (stream->n_kept == stream->room)
	{
		stream->room = Max(2 * stream->room, 64);
		stream->kept = stream->kept == NULL
						   ? palloc(stream->room * sizeof(KeptChunk))
						   : repalloc_huge(stream->kept, stream->room * sizeof(KeptChunk));
	}
	KeptChunk *kept = &stream->kept[stream->n_kept++];
	*kept = (KeptChunk){.chunk = *chunk};
	PhBytes *groups[] = {&kept->chunk.places, &kept->chunk.metrics,	 &kept->chunk.causes,
						 &kept->chunk.ends,	  &kept->chunk.counters, &kept->chunk.tasks};
	for (int group = 0; group < lengthof(groups); group++)
		*groups[group] = keep_bytes(*groups[group]);
	MemoryContextSwitchTo(old);
}

static void
give_kept_member(LogicalStream *stream, KeptChunk *kept, uint32 member)
{
	CHECK_FOR_INTERRUPTS();
	MemoryContext old = MemoryContextSwitchTo(stream->call);
	if (member < kept->block.n_members)
		give_member(stream, &kept->block, member);
	MemoryContextSwitchTo(old);
	MemoryContextReset(stream->call);
}

static void
decode_kept(LogicalStream *stream)
{
	PhEnv *env = &stream->stored->trace->scratch->env;
	Size limit = env->bytes + MOST_DECODED;
	for (int i = 0; i < stream->n_kept && env->bytes < limit; i++)
	{
		KeptChunk *kept = &stream->kept[i];
		PH_CHECK(env, ph_logical_codec_new(env, &kept->codec));
		decode(stream, kept->codec, &kept->chunk, &kept->block);
	}
}

/* The block is one chunk: decoded once, in the stream's own codec. */
static void
give_only(LogicalStream *stream, KeptChunk *kept)
{
	decode(stream, stream->codec, &kept->chunk, &kept->block);
	for (uint32 m = 0; m < kept->block.n_members; m++)
		if (is_wanted(stream, kept->chunk.location + m))
			give_kept_member(stream, kept, m);
}

/* Several chunks: each location's events from all of them. */
static void
give_by_location(LogicalStream *stream)
{
	uint32 n_members = 0, first = stream->kept[0].chunk.location;
	for (int i = 0; i < stream->n_kept; i++)
		n_members = Max(n_members, stream->kept[i].chunk.n_members);
	decode_kept(stream);
	for (uint32 m = 0; m < n_members; m++)
		for (int i = 0; i < stream->n_kept && is_wanted(stream, first + m); i++)
		{
			KeptChunk *kept = &stream->kept[i];
			if (kept->codec == NULL)
				decode(stream, stream->codec, &kept->chunk, &kept->block);
			give_kept_member(stream, kept, m);
		}
	for (int i = 0; i < stream->n_kept; i++)
		ph_logical_codec_free(stream->kept[i].codec);
}

/* Gives the events of the block's locations, one location after the other. */
static void
give_kept(LogicalStream *stream)
{
	if (stream->n_kept == 1)
		give_only(stream, &stream->kept[0]);
	else if (stream->n_kept > 1)
		give_by_location(stream);
	MemoryContextResetOnly(stream->context);
	stream->kept = NULL;
	stream->n_kept = stream->room = 0;
}

static void
receive_chunk(void *user, TupleTableSlot *slot)
{
	LogicalStream *stream = user;
	PhLogicalChunk chunk;
	ph_logical_slot_chunk(slot, PH_LOGICAL_WANT_PLACES, &chunk);
	if (stream->n_kept > 0 && stream->kept[0].chunk.location != chunk.location)
		give_kept(stream);
	ph_logical_slot_chunk(slot, stream->want, &chunk);
	check_sum(stream, slot, &chunk);
	if (chunk.n_members > 1)
	{
		keep_chunk(stream, &chunk);
		return;
	}
	if (!is_wanted(stream, chunk.location))
		return;
	PhLogicalBlock block;
	decode(stream, stream->codec, &chunk, &block);
	give_member(stream, &block, 0);
}

/* The first and the last location that is wanted; none: last before first. */
static void
wanted_range(const PhTraceRun *trace, const bool *locations, int64 range[2])
{
	uint32 first = 0, end = trace->model.n_locations;
	while (locations != NULL && first < end && !locations[first])
		first++;
	while (locations != NULL && end > first && !locations[end - 1])
		end--;
	range[0] = first;
	range[1] = locations == NULL ? PG_INT32_MAX : (int64) end - 1;
}

static void
stream_computed(const PhLogicalStored *stored, const PhStepWindow *window,
				PhLogicalFunction function, void *user)
{
	const PhLogicalRun *run = stored->computed;
	PhLogicalCodec *codec;
	PhLogicalEvents events;
	PH_CHECK(&run->trace->scratch->env, ph_logical_codec_new(&run->trace->scratch->env, &codec));
	for (uint32 first = 0; first < run->model.n_events; first += events.n_events)
	{
		CHECK_FOR_INTERRUPTS();
		ph_logical_run_extract(run, codec, first, &events);
		if (window->locations == NULL || window->locations[events.location])
			function(user, stored->trace, &events);
	}
	ph_logical_codec_free(codec);
}

void
ph_logical_chunks(const PhLogicalStored *stored, const PhStepWindow *window, uint32 want,
				  PhLogicalFunction function, void *user)
{
	if (stored->computed != NULL)
	{
		stream_computed(stored, window, function, user);
		return;
	}
	PhEnv *env = &stored->trace->scratch->env;
	LogicalStream stream = {.stored = stored,
							.window = window,
							.want = want,
							.function = function,
							.user = user,
							.context = AllocSetContextCreate(stored->trace->scratch->context,
															 "perfhouse chunks of a block",
															 ALLOCSET_DEFAULT_SIZES)};
	stream.call = AllocSetContextCreate(stream.context, "perfhouse rows", ALLOCSET_DEFAULT_SIZES);
	ParamListInfo parameters = makeParamList(5);
	int64 numbers[5] = {stored->trace->run_id, window->from, window->to};
	wanted_range(stored->trace, window->locations, &numbers[3]);
	for (int i = 0; i < 5; i++)
		parameters->params[i] = (ParamExternData){
			.value = Int64GetDatum(numbers[i]), .pflags = PARAM_FLAG_CONST, .ptype = INT8OID};
	PH_CHECK(env, ph_logical_codec_new(env, &stream.codec));
	ph_query_rows(chunks_sql, parameters, receive_chunk, &stream);
	give_kept(&stream);
	ph_logical_codec_free(stream.codec);
	MemoryContextDelete(stream.context);
}
