/*
 * block_decode.c - compressed columns of format 2 back to blocks, whatever the bytes are.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/store/block.h"
#include "trace/chunk/frames.h"

/* ---- memory ---- */

PhStatus
ph_logical_make_members(PhLogicalCodec *codec, uint32_t n_members, uint32_t n_events,
						PhLogicalBlock *out)
{
	size_t n = (size_t) 3 * n_members + 2 + n_events;
	PH_TRY(ph_buffer_reserve(codec->env, &codec->members, n * sizeof(uint32_t)));
	uint32_t *at = (uint32_t *) (void *) codec->members.data;
	out->n_members = n_members;
	out->first_event = at;
	out->first_end = at + n_members + 1;
	out->first_seq = at + 2 * n_members + 2;
	out->bucket = at + 3 * n_members + 2;
	memset(at, 0, n * sizeof(uint32_t));
	return PH_OK;
}

/* ---- places ---- */

static PhStatus
read_members(PhGroupReader *reader, const PhLogicalChunk *chunk, PhLogicalBlock *block)
{
	uint64_t n = 0;
	ph_group_read(reader, block->n_members);
	for (uint32_t m = 0; m < block->n_members; m++)
	{
		n += reader->wide[m];
		if (n > chunk->n_events)
			return ph_group_bad(reader->codec->env, "locations");
		block->first_event[m + 1] = (uint32_t) n;
	}
	ph_group_read(reader, block->n_members);
	for (uint32_t m = 0; m < block->n_members; m++)
		block->first_seq[m] = (uint32_t) reader->wide[m];
	return n == chunk->n_events ? PH_OK : ph_group_bad(reader->codec->env, "locations");
}

/* Phases and steps of buckets stand in the places of the first events until they are told. */
static PhStatus
read_buckets(PhGroupReader *reader, PhLogicalBlock *block)
{
	PhLogicalEvents *events = &block->events;
	uint32_t n = events->n_events, *phase = (uint32_t *) (void *) reader->codec->sides.data;
	uint64_t before = 0;
	ph_group_read(reader, 1);
	if (reader->wide[0] > n)
		return ph_group_bad(reader->codec->env, "buckets");
	block->n_buckets = (uint32_t) reader->wide[0];
	uint32_t *const columns[] = {phase, phase + block->n_buckets};
	for (int c = 0; c < 2; c++)
	{
		uint64_t number = 0;
		ph_group_read(reader, block->n_buckets);
		for (uint32_t b = 0; b < block->n_buckets; b++)
			number = columns[c][b] = (uint32_t) (number + ph_unzigzag(reader->wide[b]));
	}
	ph_group_read(reader, n);
	for (uint32_t i = 0; i < n; i++)
	{
		before += ph_unzigzag(reader->wide[i]);
		if (before >= block->n_buckets)
			return ph_group_bad(reader->codec->env, "buckets");
		block->bucket[i] = (uint32_t) before;
		events->phase[i] = columns[0][before];
		events->step[i] = columns[1][before];
	}
	return PH_OK;
}

static void
read_numbers(PhGroupReader *reader, uint32_t *numbers, size_t n, uint32_t less)
{
	ph_group_read(reader, n);
	for (size_t i = 0; i < n; i++)
		numbers[i] = (uint32_t) reader->wide[i] - less;
}

static void
split_flags(uint32_t *kind, uint32_t *flags, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		flags[i] = kind[i] >> 2;
		kind[i] &= 3;
	}
}

/* Kinds, flags, regions and numbers of ends; the streams of times to stream. */
static PhStatus
read_classes(PhGroupReader *reader, PhLogicalEvents *events, uint32_t *stream)
{
	uint32_t kind[PH_BLOCK_CLASSES], flags[PH_BLOCK_CLASSES], region[PH_BLOCK_CLASSES],
		ends_of[PH_BLOCK_CLASSES], n = events->n_events;
	ph_group_read(reader, 1);
	uint64_t n_classes = reader->wide[0];
	if (n_classes > PH_BLOCK_CLASSES)
		return ph_group_bad(reader->codec->env, "places");
	read_numbers(reader, n_classes > 0 ? kind : events->kind, n_classes > 0 ? n_classes : n, 0);
	read_numbers(reader, n_classes > 0 ? region : events->region, n_classes > 0 ? n_classes : n, 1);
	read_numbers(reader, n_classes > 0 ? ends_of : events->ends_of, n_classes > 0 ? n_classes : n,
				 0);
	if (n_classes == 0)
	{
		split_flags(events->kind, events->flags, n);
		memcpy(stream, events->kind, n * sizeof(uint32_t));
		return PH_OK;
	}
	split_flags(kind, flags, (uint32_t) n_classes);
	ph_group_read(reader, n);
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t c = reader->wide[i];
		if (c >= n_classes)
			return ph_group_bad(reader->codec->env, "places");
		stream[i] = (uint32_t) c;
		events->kind[i] = kind[c];
		events->flags[i] = flags[c];
		events->region[i] = region[c];
		events->ends_of[i] = ends_of[c];
	}
	return PH_OK;
}

/* The frames of each stream, brought into order of events, to numbers. */
static void
read_streams(PhGroupReader *reader, const uint32_t *stream, uint32_t n, int64_t *numbers)
{
	uint32_t first[PH_BLOCK_STREAMS + 1] = {0};
	for (uint32_t i = 0; i < n; i++)
		first[stream[i] + 1]++;
	for (uint32_t s = 0; s < PH_BLOCK_STREAMS; s++)
	{
		first[s + 1] += first[s];
		ph_group_read_frames(reader, reader->wide + first[s], first[s + 1] - first[s]);
	}
	for (uint32_t i = 0; i < n; i++)
		numbers[i] = (int64_t) reader->wide[first[stream[i]]++];
}

static void
read_times(PhGroupReader *reader, PhLogicalBlock *block, const uint32_t *stream)
{
	PhLogicalEvents *events = &block->events;
	uint64_t begin = 0;
	read_streams(reader, stream, events->n_events, events->enter);
	read_streams(reader, stream, events->n_events, events->leave);
	for (uint32_t m = 0; m < block->n_members; m++)
	{
		uint64_t before = begin;
		for (uint32_t i = block->first_event[m]; i < block->first_event[m + 1]; i++)
		{
			uint64_t enter = before + (uint64_t) events->enter[i];
			before = enter + (uint64_t) events->leave[i];
			events->enter[i] = (int64_t) enter;
			events->leave[i] = (int64_t) before;
		}
		if (block->first_event[m] < block->first_event[m + 1])
			begin = (uint64_t) events->enter[block->first_event[m]];
	}
}

static void
place_ends(PhLogicalBlock *block)
{
	uint32_t end = 0;
	for (uint32_t m = 0; m < block->n_members; m++)
	{
		for (uint32_t i = block->first_event[m]; i < block->first_event[m + 1]; i++)
			end += block->events.ends_of[i];
		block->first_end[m + 1] = end;
	}
}

static PhStatus
decode_places(PhLogicalCodec *codec, const PhLogicalChunk *chunk, size_t most,
			  PhLogicalBlock *block)
{
	PhGroupReader reader;
	uint32_t *stream = (uint32_t *) (void *) codec->spare.data;
	PH_TRY(ph_buffer_reserve(codec->env, &codec->sides, most * 2 * sizeof(uint32_t)));
	PH_TRY(ph_group_open(codec, chunk->places, most, PH_BLOCK_COLUMNS, &reader));
	PH_TRY(read_members(&reader, chunk, block));
	PH_TRY(read_buckets(&reader, block));
	PH_TRY(read_classes(&reader, &block->events, stream));
	for (uint32_t i = 0; i < block->events.n_events; i++)
		if (stream[i] >= PH_BLOCK_STREAMS)
			return ph_group_bad(codec->env, "places");
	read_times(&reader, block, stream);
	PH_TRY(ph_group_close(&reader, "places"));
	if (!ph_logical_places_are_sound(&block->events))
		return ph_group_bad(codec->env, "places");
	place_ends(block);
	return PH_OK;
}

/* ---- metrics ---- */

static void
read_sides(PhGroupReader *reader, const PhLogicalBlock *block, PhBlockSides *sides)
{
	for (int side = 0; side < PH_SIDES; side++)
	{
		bool global = side == PH_SIDE_GLOBAL_OUT || side == PH_SIDE_GLOBAL_IN;
		const int64_t *told = sides->side[global ? side - PH_SIDE_GLOBAL_OUT : side];
		ph_group_read_rest(reader, block->n_buckets);
		for (uint32_t b = 0; b < block->n_buckets; b++)
			sides->side[side][b] = (int64_t) ((uint64_t) told[b] + ph_unzigzag(reader->wide[b]));
	}
}

static void
read_values(PhGroupReader *reader, PhLogicalBlock *block, const PhBlockSides *sides)
{
	PhLogicalEvents *events = &block->events;
	for (int c = 0; c < PH_BLOCK_VALUES; c++)
	{
		PhBlockColumn column = ph_block_columns[c];
		int64_t *values = (column.is_aggregate ? events->aggregate : events->value)[column.metric];
		for (uint32_t m = 0; m < block->n_members; m++)
			ph_block_tell(block, sides, column, block->first_event[m], block->first_event[m + 1],
						  (uint64_t *) values);
		if (!ph_group_read_rest(reader, events->n_events))
			continue;
		for (uint32_t i = 0; i < events->n_events; i++)
			values[i] = (int64_t) ((uint64_t) values[i] + ph_unzigzag(reader->wide[i]));
	}
}

static void
read_by_bucket(PhGroupReader *reader, const PhLogicalBlock *block, uint32_t *told,
			   uint32_t *numbers)
{
	ph_group_read_rest(reader, block->n_buckets);
	for (uint32_t b = 0; b < block->n_buckets; b++)
		told[b] += (uint32_t) ph_unzigzag(reader->wide[b]);
	for (uint32_t i = 0; i < block->events.n_events; i++)
		numbers[i] = told[block->bucket[i]];
	if (!ph_group_read_rest(reader, block->events.n_events))
		return;
	for (uint32_t i = 0; i < block->events.n_events; i++)
		numbers[i] += (uint32_t) reader->wide[i];
}

static PhStatus
decode_metrics(PhLogicalCodec *codec, PhBytes bytes, size_t most, PhLogicalBlock *block,
			   PhBlockSides *sides)
{
	PhGroupReader reader;
	PH_TRY(ph_group_open(codec, bytes, most, 2 * PH_BLOCK_COLUMNS, &reader));
	read_sides(&reader, block, sides);
	read_values(&reader, block, sides);
	read_by_bucket(&reader, block, sides->n_peers, block->events.n_peers);
	return ph_group_close(&reader, "metrics");
}

/* ---- causes ---- */

/* The numbers that codes do not tell: locations and seqs, one behind the other. */
static uint32_t
read_told(PhGroupReader *reader, const uint32_t *codes, uint32_t n, uint64_t *told)
{
	uint32_t n_told = 0;
	for (uint32_t i = 0; i < n; i++)
		n_told += codes[i] == PH_BINDING_TOLD;
	for (int c = 0; c < 2; c++)
	{
		ph_group_read(reader, n_told);
		memcpy(told + (size_t) c * n_told, reader->wide, n_told * sizeof(uint64_t));
	}
	return n_told;
}

/* The event that binds event i of the member; false: there is no such code. */
static bool
read_binding(PhLogicalEvents *member, uint32_t i, uint32_t end, uint32_t code, uint32_t *bound,
			 uint32_t *bound_seq)
{
	uint32_t *location = &member->binding_location[i], *seq = &member->binding_seq[i];
	switch (code)
	{
		case PH_BINDING_NONE:
			*location = PH_NONE;
			*seq = 0;
			return true;
		case PH_BINDING_PREVIOUS:
			*location = member->location;
			*seq = member->first_seq + i - 1;
			return true;
		case PH_BINDING_BUCKET:
		case PH_BINDING_TOLD:
			*location = *bound - 1;
			*seq = *bound_seq;
			return true;
		default:
			if (code >= PH_BINDING_CODES || code - PH_BINDING_END >= member->ends_of[i])
				return false;
			*location = member->peer_location[end + code - PH_BINDING_END];
			*seq = member->peer_seq[end + code - PH_BINDING_END];
			return true;
	}
}

static bool
read_bindings(const PhLogicalBlock *block, PhBlockSides *sides, const uint32_t *codes,
			  const uint64_t *locations, const uint64_t *seqs)
{
	for (uint32_t m = 0; m < block->n_members; m++)
	{
		PhLogicalEvents member;
		ph_logical_member(block, m, &member);
		for (uint32_t i = 0, end = 0; i < member.n_events; end += member.ends_of[i++])
		{
			uint32_t bucket = block->bucket[block->first_event[m] + i];
			uint32_t code = codes[block->first_event[m] + i];
			if (code == PH_BINDING_TOLD)
			{
				sides->bound[bucket] = member.location + 1 + (uint32_t) ph_unzigzag(*locations++);
				sides->bound_seq[bucket] = member.first_seq + i + (uint32_t) ph_unzigzag(*seqs++);
			}
			if (!read_binding(&member, i, end, code, &sides->bound[bucket],
							  &sides->bound_seq[bucket]))
				return false;
		}
	}
	return true;
}

static PhStatus
decode_causes(PhLogicalCodec *codec, PhBytes bytes, size_t most, PhLogicalBlock *block,
			  PhBlockSides *sides)
{
	PhGroupReader reader;
	uint32_t n = block->events.n_events;
	uint64_t *told = (uint64_t *) (void *) codec->spare.data;
	uint32_t *codes = (uint32_t *) (void *) (told + 2 * most);
	PH_TRY(ph_group_open(codec, bytes, most, PH_BLOCK_COLUMNS, &reader));
	read_by_bucket(&reader, block, sides->earliest, block->events.earliest_location);
	read_numbers(&reader, codes, n, 0);
	uint32_t n_told = read_told(&reader, codes, n, told);
	PH_TRY(ph_group_close(&reader, "causes"));
	return read_bindings(block, sides, codes, told, told + n_told)
			   ? PH_OK
			   : ph_group_bad(codec->env, "causes");
}

/* ---- ends ---- */

typedef enum Own
{
	OWN_LOCATION,
	OWN_SEQ,
	OWN_STEP
} Own;

static void
read_from_own(PhGroupReader *reader, const PhLogicalBlock *block, uint32_t *numbers, Own own)
{
	const PhLogicalEvents *events = &block->events;
	uint32_t end = 0;
	ph_group_read(reader, events->n_ends);
	for (uint32_t m = 0; m < block->n_members; m++)
		for (uint32_t i = block->first_event[m]; i < block->first_event[m + 1]; i++)
		{
			uint32_t base = events->step[i];
			if (own == OWN_SEQ)
				base = block->first_seq[m] + i - block->first_event[m];
			else if (own == OWN_LOCATION)
				base = block->location + m; /* + 1 - 1 */
			for (uint32_t k = 0; k < events->ends_of[i]; k++, end++)
				numbers[end] = base + (uint32_t) ph_unzigzag(reader->wide[end]);
		}
}

static PhStatus
decode_ends(PhLogicalCodec *codec, PhBytes bytes, PhLogicalBlock *block)
{
	PhGroupReader reader;
	PhLogicalEvents *events = &block->events;
	uint32_t n = events->n_ends;
	PH_TRY(ph_group_open(codec, bytes, n, END_COLUMNS, &reader));
	read_from_own(&reader, block, events->peer_location, OWN_LOCATION);
	read_from_own(&reader, block, events->peer_seq, OWN_SEQ);
	read_from_own(&reader, block, events->peer_step, OWN_STEP);
	ph_group_read(&reader, n);
	for (uint32_t i = 0; i < n; i++)
		events->tag[i] = (int32_t) ph_unzigzag(reader.wide[i]);
	ph_group_read(&reader, n);
	memcpy(events->bytes, reader.wide, n * sizeof(uint64_t));
	return ph_group_close(&reader, "messages");
}

/* ---- the chunk ---- */

static PhStatus
check_numbers(PhEnv *env, const PhLogicalChunk *chunk, uint32_t want)
{
	if (chunk->n_events > PH_LOGICAL_MAX_EVENTS || chunk->n_ends > PH_LOGICAL_MAX_ENDS ||
		chunk->n_members > PH_LOGICAL_MAX_MEMBERS || chunk->n_members == 0)
		return ph_group_bad(env, "numbers");
	if ((want & PH_LOGICAL_WANT_ENDS) != 0 && !ph_logical_ends_are_plausible(chunk))
		return ph_group_bad(env, "messages");
	return PH_OK;
}

static PhStatus
decode_told(PhLogicalCodec *codec, const PhLogicalChunk *chunk, uint32_t want, size_t most,
			PhLogicalBlock *block)
{
	PhBlockSides sides;
	if ((want & (PH_LOGICAL_WANT_METRICS | PH_LOGICAL_WANT_CAUSES)) == 0)
		return PH_OK;
	PH_TRY(ph_block_sides(codec, block, &sides));
	if ((want & PH_LOGICAL_WANT_METRICS) != 0)
		PH_TRY(decode_metrics(codec, chunk->metrics, most, block, &sides));
	if ((want & PH_LOGICAL_WANT_CAUSES) != 0)
		PH_TRY(decode_causes(codec, chunk->causes, most, block, &sides));
	return PH_OK;
}

static PhStatus
decode_block(PhLogicalCodec *codec, const PhLogicalChunk *chunk, uint32_t want, PhLogicalBlock *out)
{
	PhLogicalBlock block = {.location = chunk->location};
	size_t most = (size_t) chunk->n_events + chunk->n_members + PH_BLOCK_CLASSES;
	bool counters = (want & PH_LOGICAL_WANT_COUNTERS) != 0 && chunk->counters.size > 0;
	if ((want & PH_LOGICAL_WANT_CAUSES) != 0)
		want |= PH_LOGICAL_WANT_ENDS;
	want &= ~(uint32_t) PH_LOGICAL_WANT_TASKS;
	PH_TRY(check_numbers(codec->env, chunk, want));
	block.events = (PhLogicalEvents){
		.location = chunk->location, .n_events = chunk->n_events, .n_ends = chunk->n_ends};
	PH_TRY(ph_logical_make_members(codec, chunk->n_members, chunk->n_events, &block));
	PH_TRY(ph_logical_make_room(codec, want, counters, &block.events));
	PH_TRY(ph_buffer_reserve(codec->env, &codec->spare, most * (2 * sizeof(uint64_t) + 4)));
	PH_TRY(decode_places(codec, chunk, most, &block));
	if ((want & PH_LOGICAL_WANT_ENDS) != 0)
		PH_TRY(decode_ends(codec, chunk->ends, &block));
	PH_TRY(decode_told(codec, chunk, want, most, &block));
	if (counters)
		PH_TRY(ph_logical_decode_counters(codec, chunk->counters, &block.events));
	*out = block;
	return PH_OK;
}

PhStatus
ph_logical_decode_block(PhLogicalCodec *codec, const PhLogicalChunk *chunk, uint32_t want,
						PhLogicalBlock *out)
{
	if (chunk->format == PH_LOGICAL_BLOCK_FORMAT)
		return decode_block(codec, chunk, want, out);
	PhLogicalBlock block = {.location = chunk->location};
	PH_TRY(ph_logical_make_members(codec, 1, 0, &block));
	PH_TRY(ph_logical_decode(codec, chunk, want, &block.events));
	block.first_event[1] = block.events.n_events;
	block.first_end[1] = block.events.n_ends;
	block.first_seq[0] = chunk->first_seq;
	*out = block;
	return PH_OK;
}
