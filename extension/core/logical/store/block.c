/*
 * block.c - what a block's times tell of its metrics.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/store/block.h"

#include <string.h>

#include "base/min_max.h"

void
ph_logical_member(const PhLogicalBlock *block, uint32_t member, PhLogicalEvents *out)
{
	const uint32_t first = block->first_event[member], end = block->first_end[member];
	*out = block->events;
	out->location = block->location + member;
	out->first_seq = block->first_seq[member];
	out->n_events = block->first_event[member + 1] - first;
	out->n_ends = block->first_end[member + 1] - end;
	uint32_t **const numbers[] = {&out->kind,
								  &out->flags,
								  &out->region,
								  &out->ends_of,
								  &out->phase,
								  &out->step,
								  &out->n_peers,
								  &out->earliest_location,
								  &out->binding_location,
								  &out->binding_seq,
								  &out->processor,
								  &out->block};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		*numbers[i] = *numbers[i] == NULL ? NULL : *numbers[i] + first;
	int64_t **const times[] = {&out->enter, &out->leave, &out->share, &out->idle, &out->imbalance};
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		*times[i] = *times[i] == NULL ? NULL : *times[i] + first;
	for (int m = 0; m < PH_LOGICAL_METRICS && out->value[0] != NULL; m++)
	{
		out->value[m] += first;
		out->aggregate[m] += first;
	}
	for (int c = 0; c < PH_LOGICAL_COUNTERS && out->counter[0] != NULL; c++)
		out->counter[c] += first;
	if (out->peer_location == NULL)
		return;
	out->peer_location += end;
	out->peer_seq += end;
	out->peer_step += end;
	out->tag += end;
	out->bytes += end;
}

/* ---- sides ---- */

static PhStatus
make_sides(PhLogicalCodec *codec, uint32_t n, PhBlockSides *out)
{
	uint32_t **const numbers[] = {&out->n_peers,   &out->earliest, &out->first,
								  &out->first_gap, &out->bound,	   &out->bound_seq};
	size_t n_numbers = sizeof(numbers) / sizeof(*numbers);
	PH_TRY(ph_buffer_reserve(codec->env, &codec->sides, n * (PH_SIDES * 8 + n_numbers * 4) + 1));
	uint8_t *at = codec->sides.data;
	for (int side = 0; side < PH_SIDES; side++, at += n * sizeof(int64_t))
		out->side[side] = (int64_t *) (void *) at;
	for (size_t i = 0; i < n_numbers; i++, at += n * sizeof(uint32_t))
		*numbers[i] = (uint32_t *) (void *) at;
	memset(codec->sides.data, 0, (size_t) (at - codec->sides.data));
	memset(out->first_gap, 0xff, n * sizeof(uint32_t)); /* of buckets without events, too */
	return PH_OK;
}

static int64_t
difference(int64_t a, int64_t b)
{
	return (int64_t) ((uint64_t) a - (uint64_t) b);
}

/* The time between an event and the one before it in the block; a member's first has none. */
static int64_t
gap(const PhLogicalEvents *events, uint32_t i)
{
	return PH_MAX(difference(events->enter[i], events->leave[i - 1]), 0);
}

static void
begin_bucket(PhBlockSides *sides, const PhLogicalEvents *events, uint32_t b, uint32_t i,
			 uint32_t location)
{
	sides->side[PH_SIDE_OUT][b] = events->leave[i];
	sides->side[PH_SIDE_IN][b] = events->enter[i];
	sides->side[PH_SIDE_DURATION][b] = difference(events->leave[i], events->enter[i]);
	sides->earliest[b] = location;
	sides->first[b] = i;
}

static void
join_bucket(PhBlockSides *sides, const PhLogicalEvents *events, uint32_t b, uint32_t i,
			uint32_t location)
{
	int64_t *in = &sides->side[PH_SIDE_IN][b], *least = &sides->side[PH_SIDE_DURATION][b];
	if (events->leave[i] < sides->side[PH_SIDE_OUT][b])
	{
		sides->side[PH_SIDE_OUT][b] = events->leave[i];
		sides->earliest[b] = location;
	}
	*in = PH_MIN(*in, events->enter[i]);
	*least = PH_MIN(*least, difference(events->leave[i], events->enter[i]));
}

static void
add_member(PhBlockSides *sides, const PhLogicalBlock *block, uint32_t member)
{
	const PhLogicalEvents *events = &block->events;
	uint32_t first = block->first_event[member];
	for (uint32_t i = first; i < block->first_event[member + 1]; i++)
	{
		uint32_t b = block->bucket[i];
		if (sides->n_peers[b]++ == 0)
			begin_bucket(sides, events, b, i, block->location + member);
		else
			join_bucket(sides, events, b, i, block->location + member);
		if (i == first)
			continue;
		int64_t between = gap(events, i), *least = &sides->side[PH_SIDE_GAP][b];
		if (sides->first_gap[b] == PH_NONE || between < *least)
			*least = between;
		if (sides->first_gap[b] == PH_NONE)
			sides->first_gap[b] = i;
	}
}

PhStatus
ph_block_sides(PhLogicalCodec *codec, const PhLogicalBlock *block, PhBlockSides *out)
{
	PH_TRY(make_sides(codec, block->n_buckets, out));
	for (uint32_t member = 0; member < block->n_members; member++)
		add_member(out, block, member);
	for (uint32_t b = 0; b < block->n_buckets; b++)
	{
		out->side[PH_SIDE_GLOBAL_OUT][b] = out->side[PH_SIDE_OUT][b];
		out->side[PH_SIDE_GLOBAL_IN][b] = out->side[PH_SIDE_IN][b];
	}
	return PH_OK;
}

/* ---- values ---- */

const PhBlockColumn ph_block_columns[PH_BLOCK_VALUES] = {{PH_LATENESS, false},
														 {PH_LATENESS, true},
														 {PH_GLOBAL_LATENESS, false},
														 {PH_GLOBAL_LATENESS, true},
														 {PH_DIFFERENTIAL, false},
														 {PH_DIFFERENTIAL, true},
														 {PH_GLOBAL_DIFFERENTIAL, false},
														 {PH_GLOBAL_DIFFERENTIAL, true},
														 {PH_DURATION, false},
														 {PH_DURATION, true}};

static void
tell_lateness(const PhLogicalBlock *block, const int64_t *side, const int64_t *times, uint32_t from,
			  uint32_t to, uint64_t *told)
{
	for (uint32_t i = from; i < to; i++)
		told[i] = (uint64_t) times[i] - (uint64_t) side[block->bucket[i]];
}

/*
 * A differential lateness is what did not come from before: of a receive that is usually nothing,
 * as it came with the message.
 */
static void
tell_differential(const PhLogicalEvents *events, PhLogicalMetric base, uint32_t from, uint32_t to,
				  uint64_t *told)
{
	const int64_t *own = events->value[base], *before = events->aggregate[base];
	for (uint32_t i = from; i < to; i++)
		told[i] =
			events->kind[i] == PH_COMM_RECEIVE ? 0 : ph_logical_rest(own[i], PH_MAX(before[i], 0));
}

static void
tell_aggregate_differential(const PhLogicalEvents *events, PhLogicalMetric base, uint32_t from,
							uint32_t to, uint64_t *told)
{
	const int64_t *own = events->value[base], *before = events->aggregate[base];
	for (uint32_t i = from; i < to; i++)
		told[i] = ph_logical_rest(before[i], i > from ? own[i - 1] : 0);
}

/* The differential lateness among all is that of the phase where no other phase shares the step. */
static void
tell_global_differential(const PhLogicalBlock *block, const PhBlockSides *sides, uint32_t from,
						 uint32_t to, uint64_t *told)
{
	const PhLogicalEvents *events = &block->events;
	tell_differential(events, PH_GLOBAL_LATENESS, from, to, told);
	for (uint32_t i = from; i < to; i++)
	{
		uint32_t b = block->bucket[i];
		if (sides->side[PH_SIDE_OUT][b] == sides->side[PH_SIDE_GLOBAL_OUT][b] &&
			sides->side[PH_SIDE_IN][b] == sides->side[PH_SIDE_GLOBAL_IN][b])
			told[i] = (uint64_t) events->value[PH_DIFFERENTIAL][i];
	}
}

static void
tell_duration(const PhLogicalBlock *block, const PhBlockSides *sides, bool is_aggregate,
			  uint32_t from, uint32_t to, uint64_t *told)
{
	const PhLogicalEvents *events = &block->events;
	const int64_t *least = sides->side[is_aggregate ? PH_SIDE_GAP : PH_SIDE_DURATION];
	for (uint32_t i = from; i < to; i++)
	{
		int64_t lasts = difference(events->leave[i], events->enter[i]);
		if (is_aggregate)
			lasts = i > from ? gap(events, i) : 0;
		told[i] = (uint64_t) lasts - (uint64_t) least[block->bucket[i]];
	}
}

void
ph_block_tell(const PhLogicalBlock *block, const PhBlockSides *sides, PhBlockColumn column,
			  uint32_t from, uint32_t to, uint64_t *told)
{
	const PhLogicalEvents *events = &block->events;
	bool global = column.metric == PH_GLOBAL_LATENESS || column.metric == PH_GLOBAL_DIFFERENTIAL;
	PhLogicalMetric base = global ? PH_GLOBAL_LATENESS : PH_LATENESS;
	PhBlockSide out = global ? PH_SIDE_GLOBAL_OUT : PH_SIDE_OUT;
	PhBlockSide in = global ? PH_SIDE_GLOBAL_IN : PH_SIDE_IN;
	if (column.metric == base && column.is_aggregate)
		tell_lateness(block, sides->side[in], events->enter, from, to, told);
	else if (column.metric == base)
		tell_lateness(block, sides->side[out], events->leave, from, to, told);
	else if (column.metric == PH_DURATION)
		tell_duration(block, sides, column.is_aggregate, from, to, told);
	else if (column.is_aggregate)
		tell_aggregate_differential(events, base, from, to, told);
	else if (global)
		tell_global_differential(block, sides, from, to, told);
	else
		tell_differential(events, base, from, to, told);
}
