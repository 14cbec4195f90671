/*
 * block_encode.c - blocks of logical time to compressed columns (format 2).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "logical/store/computed.h"
#include "trace/chunk/frames.h"

/* What events are alike in but for time: few in a block. */
typedef struct Classes
{
	uint32_t n; /* 0: there are too many */
	uint32_t kind_flags[PH_BLOCK_CLASSES], region[PH_BLOCK_CLASSES], ends_of[PH_BLOCK_CLASSES];
	uint32_t after[PH_BLOCK_CLASSES]; /* the class that followed it last */
	uint32_t *of;					  /* by event: class or, without any, kind */
} Classes;

/* ---- places ---- */

static bool
is_class(const Classes *classes, uint32_t c, const PhLogicalEvents *events, uint32_t i)
{
	return classes->kind_flags[c] == (events->kind[i] | events->flags[i] << 2) &&
		   classes->region[c] == events->region[i] && classes->ends_of[c] == events->ends_of[i];
}

/* The class of event i, a new one if need be; PH_NONE: there are too many. */
static uint32_t
find_class(Classes *classes, const PhLogicalEvents *events, uint32_t i)
{
	for (uint32_t c = 0; c < classes->n; c++)
		if (is_class(classes, c, events, i))
			return c;
	if (classes->n == PH_BLOCK_CLASSES)
		return PH_NONE;
	uint32_t c = classes->n++;
	classes->kind_flags[c] = events->kind[i] | events->flags[i] << 2;
	classes->region[c] = events->region[i];
	classes->ends_of[c] = events->ends_of[i];
	classes->after[c] = 0;
	return c;
}

static void
classify(const PhLogicalEvents *events, Classes *classes)
{
	uint32_t before = 0;
	classes->n = 0;
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		uint32_t c = classes->n > 0 ? classes->after[before] : 0;
		if (classes->n == 0 || !is_class(classes, c, events, i))
			c = find_class(classes, events, i);
		if (c == PH_NONE)
		{
			classes->n = 0;
			memcpy(classes->of, events->kind, events->n_events * sizeof(uint32_t));
			return;
		}
		classes->after[before] = c;
		classes->of[i] = before = c;
	}
}

static void
write_numbers(PhGroupWriter *writer, const uint32_t *numbers, size_t n, uint32_t added)
{
	for (size_t i = 0; i < n; i++)
		writer->wide[i] = (uint32_t) (numbers[i] + added);
	ph_group_write(writer, n);
}

static void
write_classes(PhGroupWriter *writer, const PhLogicalEvents *events, const Classes *classes)
{
	uint32_t n = events->n_events;
	writer->wide[0] = classes->n;
	ph_group_write(writer, 1);
	if (classes->n > 0)
	{
		write_numbers(writer, classes->kind_flags, classes->n, 0);
		write_numbers(writer, classes->region, classes->n, 1);
		write_numbers(writer, classes->ends_of, classes->n, 0);
		write_numbers(writer, classes->of, n, 0);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		writer->wide[i] = events->kind[i] | events->flags[i] << 2;
	ph_group_write(writer, n);
	write_numbers(writer, events->region, n, 1);
	write_numbers(writer, events->ends_of, n, 0);
}

static void
write_members(PhGroupWriter *writer, const PhLogicalBlock *block)
{
	for (uint32_t m = 0; m < block->n_members; m++)
		writer->wide[m] = block->first_event[m + 1] - block->first_event[m];
	ph_group_write(writer, block->n_members);
	write_numbers(writer, block->first_seq, block->n_members, 0);
}

/* The first event of each bucket, to first; 0 where there is none. */
static void
find_firsts(const PhLogicalBlock *block, uint32_t *first)
{
	memset(first, 0, block->n_buckets * sizeof(*first));
	for (uint32_t i = block->events.n_events; i-- > 0;)
		first[block->bucket[i]] = i;
}

static void
write_buckets(PhGroupWriter *writer, const PhLogicalBlock *block, const uint32_t *first)
{
	const PhLogicalEvents *events = &block->events;
	const uint32_t *const columns[] = {events->phase, events->step};
	uint32_t before_bucket = 0;
	writer->wide[0] = block->n_buckets;
	ph_group_write(writer, 1);
	for (int c = 0; c < 2; c++)
	{
		uint64_t before = 0;
		for (uint32_t b = 0; b < block->n_buckets; before = columns[c][first[b++]])
			writer->wide[b] = ph_zigzag(columns[c][first[b]] - before);
		ph_group_write(writer, block->n_buckets);
	}
	for (uint32_t i = 0; i < events->n_events; before_bucket = block->bucket[i++])
		writer->wide[i] = ph_zigzag((uint64_t) block->bucket[i] - before_bucket);
	ph_group_write(writer, events->n_events);
}

/* Numbers by event, brought into order of streams; the frames of each stream. */
static void
write_streams(PhGroupWriter *writer, const uint32_t *stream, uint32_t n, uint64_t *sorted)
{
	uint32_t first[PH_BLOCK_STREAMS + 1] = {0};
	for (uint32_t i = 0; i < n; i++)
		first[stream[i] + 1]++;
	for (uint32_t s = 0; s < PH_BLOCK_STREAMS; s++)
		first[s + 1] += first[s];
	for (uint32_t i = 0; i < n; i++)
		sorted[first[stream[i]]++] = writer->wide[i];
	for (uint32_t s = 0, done = 0; s < PH_BLOCK_STREAMS; done = first[s++])
		ph_group_write_frames(writer, sorted + done, first[s] - done);
}

static void
write_times(PhGroupWriter *writer, const PhLogicalBlock *block, const uint32_t *stream)
{
	const PhLogicalEvents *events = &block->events;
	uint64_t *sorted = (uint64_t *) (void *) writer->codec->spare.data, begin = 0;
	for (uint32_t m = 0; m < block->n_members; m++)
	{
		uint64_t before = begin;
		for (uint32_t i = block->first_event[m]; i < block->first_event[m + 1]; i++)
		{
			writer->wide[i] = (uint64_t) events->enter[i] - before;
			before = (uint64_t) events->leave[i];
		}
		if (block->first_event[m] < block->first_event[m + 1])
			begin = (uint64_t) events->enter[block->first_event[m]];
	}
	write_streams(writer, stream, events->n_events, sorted);
	for (uint32_t i = 0; i < events->n_events; i++)
		writer->wide[i] = (uint64_t) events->leave[i] - (uint64_t) events->enter[i];
	write_streams(writer, stream, events->n_events, sorted);
}

static PhStatus
encode_places(PhLogicalCodec *codec, const PhLogicalBlock *block, uint32_t *scratch, size_t most,
			  PhBytes *out)
{
	PhGroupWriter writer;
	Classes classes = {.of = scratch};
	PH_TRY(ph_group_begin(codec, most, PH_BLOCK_COLUMNS, &writer));
	write_members(&writer, block);
	find_firsts(block, scratch);
	write_buckets(&writer, block, scratch);
	classify(&block->events, &classes);
	write_classes(&writer, &block->events, &classes);
	write_times(&writer, block, classes.of);
	return ph_group_end(&writer, 0, out);
}

/* ---- metrics ---- */

static int64_t
gap_before(const PhLogicalEvents *events, uint32_t i)
{
	int64_t between = (int64_t) ((uint64_t) events->enter[i] - (uint64_t) events->leave[i - 1]);
	return between > 0 ? between : 0;
}

/* What a side of bucket b must be, for its first event's values to follow from it. */
static uint64_t
true_side(const PhLogicalEvents *events, const PhBlockSides *sides, PhBlockSide side, uint32_t b)
{
	uint32_t i = sides->first[b], after = sides->first_gap[b];
	uint64_t enter = (uint64_t) events->enter[i], leave = (uint64_t) events->leave[i];
	switch (side)
	{
		case PH_SIDE_OUT:
			return leave - (uint64_t) events->value[PH_LATENESS][i];
		case PH_SIDE_IN:
			return enter - (uint64_t) events->aggregate[PH_LATENESS][i];
		case PH_SIDE_GLOBAL_OUT:
			return leave - (uint64_t) events->value[PH_GLOBAL_LATENESS][i];
		case PH_SIDE_GLOBAL_IN:
			return enter - (uint64_t) events->aggregate[PH_GLOBAL_LATENESS][i];
		case PH_SIDE_DURATION:
			return leave - enter - (uint64_t) events->value[PH_DURATION][i];
		default:
			if (after == PH_NONE)
				return (uint64_t) sides->side[PH_SIDE_GAP][b];
			return (uint64_t) gap_before(events, after) -
				   (uint64_t) events->aggregate[PH_DURATION][after];
	}
}

/* Sides become the true ones; what they differ in is written, of global ones from the phase's. */
static void
write_sides(PhGroupWriter *writer, const PhLogicalBlock *block, PhBlockSides *sides)
{
	for (int side = 0; side < PH_SIDES; side++)
	{
		bool global = side == PH_SIDE_GLOBAL_OUT || side == PH_SIDE_GLOBAL_IN;
		const int64_t *told = sides->side[global ? side - PH_SIDE_GLOBAL_OUT : side];
		for (uint32_t b = 0; b < block->n_buckets; b++)
		{
			uint64_t is = true_side(&block->events, sides, (PhBlockSide) side, b);
			writer->wide[b] = ph_zigzag(is - (uint64_t) told[b]);
			sides->side[side][b] = (int64_t) is;
		}
		ph_group_write_rest(writer, block->n_buckets);
	}
}

static void
write_values(PhGroupWriter *writer, const PhLogicalBlock *block, const PhBlockSides *sides)
{
	const PhLogicalEvents *events = &block->events;
	for (int c = 0; c < PH_BLOCK_VALUES; c++)
	{
		PhBlockColumn column = ph_block_columns[c];
		const int64_t *values =
			(column.is_aggregate ? events->aggregate : events->value)[column.metric];
		for (uint32_t m = 0; m < block->n_members; m++)
			ph_block_tell(block, sides, column, block->first_event[m], block->first_event[m + 1],
						  writer->wide);
		for (uint32_t i = 0; i < events->n_events; i++)
			writer->wide[i] = ph_zigzag((uint64_t) values[i] - writer->wide[i]);
		ph_group_write_rest(writer, events->n_events);
	}
}

/* Numbers by event, which are mostly those of their bucket's first event, from told ones. */
static void
write_by_bucket(PhGroupWriter *writer, const PhLogicalBlock *block, const PhBlockSides *sides,
				const uint32_t *numbers, const uint32_t *told)
{
	for (uint32_t b = 0; b < block->n_buckets; b++)
		writer->wide[b] = ph_zigzag((uint64_t) (uint32_t) (numbers[sides->first[b]] - told[b]));
	ph_group_write_rest(writer, block->n_buckets);
	for (uint32_t i = 0; i < block->events.n_events; i++)
		writer->wide[i] = (uint32_t) (numbers[i] - numbers[sides->first[block->bucket[i]]]);
	ph_group_write_rest(writer, block->events.n_events);
}

static PhStatus
encode_metrics(PhLogicalCodec *codec, const PhLogicalBlock *block, PhBlockSides *sides, size_t most,
			   PhBytes *out)
{
	PhGroupWriter writer;
	PH_TRY(ph_group_begin(codec, most, 2 * PH_BLOCK_COLUMNS, &writer));
	if (block->origin != NULL)
	{
		ph_computed_sides(&writer, block, sides);
		ph_computed_values(&writer, block, sides);
		ph_computed_peers(&writer, block, sides);
		return ph_group_end(&writer, 1, out);
	}
	write_sides(&writer, block, sides);
	write_values(&writer, block, sides);
	write_by_bucket(&writer, block, sides, block->events.n_peers, sides->n_peers);
	return ph_group_end(&writer, 1, out);
}

/* ---- causes ---- */

static uint32_t
binding_code(const PhLogicalEvents *member, const PhBlockSides *sides, uint32_t bucket, uint32_t i,
			 uint32_t end)
{
	uint32_t location = member->binding_location[i], seq = member->binding_seq[i];
	if (location == PH_NONE && seq == 0)
		return PH_BINDING_NONE;
	if (location == member->location && seq == member->first_seq + i - 1)
		return PH_BINDING_PREVIOUS;
	for (uint32_t k = 0; k < member->ends_of[i] && k < PH_BINDING_CODES - PH_BINDING_END; k++)
		if (member->peer_location[end + k] == location && member->peer_seq[end + k] == seq)
			return PH_BINDING_END + k;
	if (sides->bound[bucket] == location + 1 && sides->bound_seq[bucket] == seq)
		return PH_BINDING_BUCKET;
	return PH_BINDING_TOLD;
}

/* Codes to wide, what they do not tell to locations and seqs; returns how many are told. */
static uint32_t
code_bindings(PhGroupWriter *writer, const PhLogicalBlock *block, PhBlockSides *sides,
			  uint64_t *locations, uint64_t *seqs)
{
	uint32_t n_told = 0;
	for (uint32_t m = 0; m < block->n_members; m++)
	{
		PhLogicalEvents member;
		ph_logical_member(block, m, &member);
		for (uint32_t i = 0, end = 0; i < member.n_events; end += member.ends_of[i++])
		{
			uint32_t bucket = block->bucket[block->first_event[m] + i];
			uint32_t code = binding_code(&member, sides, bucket, i, end);
			writer->wide[block->first_event[m] + i] = code;
			if (code != PH_BINDING_TOLD)
				continue;
			locations[n_told] = ph_zigzag((uint64_t) (uint32_t) (member.binding_location[i] + 1) -
										  (uint64_t) (uint32_t) (member.location + 1));
			seqs[n_told++] =
				ph_zigzag((uint64_t) member.binding_seq[i] - (uint32_t) (member.first_seq + i));
			sides->bound[bucket] = member.binding_location[i] + 1;
			sides->bound_seq[bucket] = member.binding_seq[i];
		}
	}
	return n_told;
}

static PhStatus
encode_causes(PhLogicalCodec *codec, const PhLogicalBlock *block, PhBlockSides *sides, size_t most,
			  PhBytes *out)
{
	PhGroupWriter writer;
	uint64_t *locations = (uint64_t *) (void *) codec->spare.data, *seqs = locations + most;
	PH_TRY(ph_group_begin(codec, most, PH_BLOCK_COLUMNS, &writer));
	if (block->origin != NULL)
		ph_computed_earliest(&writer, block, sides);
	else
		write_by_bucket(&writer, block, sides, block->events.earliest_location, sides->earliest);
	uint32_t n_told = code_bindings(&writer, block, sides, locations, seqs);
	ph_group_write(&writer, block->events.n_events);
	memcpy(writer.wide, locations, n_told * sizeof(uint64_t));
	ph_group_write(&writer, n_told);
	memcpy(writer.wide, seqs, n_told * sizeof(uint64_t));
	ph_group_write(&writer, n_told);
	return ph_group_end(&writer, 2, out);
}

/* ---- ends and counters ---- */

/* Peers' numbers by end as differences from the event's own: seq, step, or location + 1. */
typedef enum Own
{
	OWN_LOCATION,
	OWN_SEQ,
	OWN_STEP
} Own;

static void
write_from_own(PhGroupWriter *writer, const PhLogicalBlock *block, const uint32_t *numbers, Own own)
{
	const PhLogicalEvents *events = &block->events;
	uint32_t end = 0;
	for (uint32_t m = 0; m < block->n_members; m++)
		for (uint32_t i = block->first_event[m]; i < block->first_event[m + 1]; i++)
		{
			uint32_t added = own == OWN_LOCATION, base = events->step[i];
			if (own == OWN_SEQ)
				base = block->first_seq[m] + i - block->first_event[m];
			else if (own == OWN_LOCATION)
				base = block->location + m + 1;
			for (uint32_t k = 0; k < events->ends_of[i]; k++, end++)
				writer->wide[end] = ph_zigzag((uint64_t) (uint32_t) (numbers[end] + added) - base);
		}
	ph_group_write(writer, events->n_ends);
}

static PhStatus
encode_ends(PhLogicalCodec *codec, const PhLogicalBlock *block, PhBytes *out)
{
	const PhLogicalEvents *events = &block->events;
	PhGroupWriter writer;
	uint32_t n = events->n_ends;
	PH_TRY(ph_group_begin(codec, n, END_COLUMNS, &writer));
	write_from_own(&writer, block, events->peer_location, OWN_LOCATION);
	write_from_own(&writer, block, events->peer_seq, OWN_SEQ);
	write_from_own(&writer, block, events->peer_step, OWN_STEP);
	for (uint32_t i = 0; i < n; i++)
		writer.wide[i] = ph_zigzag((uint64_t) events->tag[i]);
	ph_group_write(&writer, n);
	memcpy(writer.wide, events->bytes, n * sizeof(uint64_t));
	ph_group_write(&writer, n);
	return ph_group_end(&writer, 3, out);
}

/* ---- the chunk ---- */

static PhStatus
check_numbers(PhEnv *env, const PhLogicalBlock *block)
{
	const PhLogicalEvents *events = &block->events;
	if (events->n_events > PH_LOGICAL_MAX_EVENTS || events->n_ends > PH_LOGICAL_MAX_ENDS ||
		block->n_members > PH_LOGICAL_MAX_MEMBERS)
		return ph_fail(env, PH_ERR_LIMIT,
					   "%u events of %u locations with %u messages are too many for a chunk",
					   events->n_events, block->n_members, events->n_ends);
	return PH_OK;
}

PhStatus
ph_logical_encode_block(PhLogicalCodec *codec, const PhLogicalBlock *block, PhLogicalChunk *out)
{
	const PhLogicalEvents *events = &block->events;
	PhLogicalChunk chunk = {.location = block->location,
							.n_members = block->n_members,
							.format = PH_LOGICAL_BLOCK_FORMAT,
							.n_events = events->n_events,
							.n_ends = events->n_ends};
	PhBlockSides sides;
	PH_TRY(check_numbers(codec->env, block));
	for (uint32_t m = 0; m < block->n_members; m++)
		chunk.first_seq += block->first_seq[m];
	size_t most = events->n_events + block->n_members + PH_BLOCK_CLASSES;
	PH_TRY(ph_buffer_reserve(codec->env, &codec->spare, most * (2 * sizeof(uint64_t) + 4)));
	ph_logical_find_spans(events, &chunk);
	PH_TRY(ph_block_sides(codec, block, &sides));
	PH_TRY(encode_places(codec, block,
						 (uint32_t *) (void *) (codec->spare.data + most * 2 * sizeof(uint64_t)),
						 most, &chunk.places));
	PH_TRY(encode_metrics(codec, block, &sides, most, &chunk.metrics));
	PH_TRY(encode_causes(codec, block, &sides, most, &chunk.causes));
	PH_TRY(encode_ends(codec, block, &chunk.ends));
	PH_TRY(ph_logical_encode_counters(codec, events, &chunk.counters));
	*out = chunk;
	return PH_OK;
}
