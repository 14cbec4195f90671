/*
 * blocks.c - a computed structure cut into blocks: neighbouring locations between two steps.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "logical/store/computed.h"

#define MOST_MEMBERS 4096
#define MOST_ENDS (1 << 17) /* a block ends before the step that goes beyond, unless it is one */

struct PhLogicalBlocks
{
	PhEnv *env;
	PhArena arena;
	const PhLogicalMetrics *metrics;
	PhLogicalCounters counters;
	uint32_t most;				  /* events of a chunk */
	uint32_t timeline, n_members; /* of the block at hand; n_members 0: it is done */
	uint32_t chunk_no;
	uint32_t n_left;	 /* events of it */
	uint32_t *at, *stop; /* by member: the next event, and the one behind the chunk */
	PhBuffer marks;		 /* words of 64 buckets, then how many are marked before each word */
	PhBuffer numbers;	 /* by bucket of the chunk: the metrics' */
	struct PhLogicalOrigin origin;
};

PhStatus
ph_logical_blocks_new(PhEnv *env, const PhLogicalMetrics *metrics,
					  const PhLogicalCounters *counters, uint32_t most, PhLogicalBlocks **out)
{
	void *memory;
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhLogicalBlocks), &memory));
	PhLogicalBlocks *blocks = memory;
	blocks->env = env;
	blocks->metrics = metrics;
	blocks->counters = *counters;
	blocks->most = most == 0 ? PH_LOGICAL_BLOCK_EVENTS : most;
	ph_arena_init(&blocks->arena, env);
	PhStatus status = PH_NEW(&blocks->arena, MOST_MEMBERS, &blocks->at);
	if (status == PH_OK)
		status = PH_NEW(&blocks->arena, MOST_MEMBERS, &blocks->stop);
	if (status == PH_OK)
		*out = blocks;
	else
		ph_logical_blocks_free(blocks);
	return status;
}

void
ph_logical_blocks_free(PhLogicalBlocks *blocks)
{
	if (blocks == NULL)
		return;
	PhEnv *env = blocks->env;
	ph_buffer_free(env, &blocks->marks);
	ph_buffer_free(env, &blocks->numbers);
	ph_arena_drop(&blocks->arena);
	ph_env_free(env, blocks, 1, sizeof(PhLogicalBlocks));
}

/* ---- members ---- */

static uint32_t
events_of(const PhLogicalModel *model, uint32_t timeline)
{
	return model->timeline_first[timeline + 1] - model->timeline_first[timeline];
}

/* Neighbouring locations from blocks->timeline on: so many, or all that fit into one chunk. */
static void
begin_block(PhLogicalBlocks *blocks)
{
	const PhLogicalModel *model = blocks->metrics->logical->model;
	uint32_t first = blocks->timeline, n = 1;
	uint64_t n_events = events_of(model, first);
	while (first + n < model->n_timelines && n < MOST_MEMBERS &&
		   model->timeline_location[first + n] == model->timeline_location[first] + n)
	{
		uint32_t more = events_of(model, first + n);
		if (n >= PH_LOGICAL_BLOCK_MEMBERS && n_events + more > blocks->most)
			break;
		n_events += more;
		n++;
	}
	for (uint32_t m = 0; m < n; m++)
		blocks->at[m] = model->timeline_first[first + m];
	blocks->n_members = n;
	blocks->n_left = (uint32_t) n_events;
	blocks->chunk_no = 0;
}

/* ---- windows ---- */

/* The first bucket behind a chunk in which nobody has more than `most` events. */
static uint32_t
window_end(const PhLogicalBlocks *blocks, uint32_t most)
{
	const PhLogicalModel *model = blocks->metrics->logical->model;
	uint32_t end = PH_NONE;
	for (uint32_t m = 0; m < blocks->n_members; m++)
	{
		uint32_t last = model->timeline_first[blocks->timeline + m + 1];
		if (last - blocks->at[m] > most)
			end = PH_MIN(end, ph_logical_bucket(blocks->metrics, blocks->at[m] + most));
	}
	return end;
}

/* Sets where every member stops; returns how many events there are up to there. */
static uint32_t
find_stops(PhLogicalBlocks *blocks, uint32_t end, uint32_t most, uint64_t *n_ends)
{
	const PhLogicalModel *model = blocks->metrics->logical->model;
	uint32_t n = 0;
	*n_ends = 0;
	for (uint32_t m = 0; m < blocks->n_members; m++)
	{
		uint32_t last = model->timeline_first[blocks->timeline + m + 1];
		uint32_t at = blocks->at[m], stop = at;
		while (stop < last && stop - at < most && ph_logical_bucket(blocks->metrics, stop) < end)
			stop++;
		blocks->stop[m] = stop;
		*n_ends += model->first_end[stop] - model->first_end[at];
		n += stop - at;
	}
	return n;
}

/*
 * The members' events up to a step, so many that the chunk is full. Buckets ascend along a
 * timeline, so there are some; were it not so, the step would be no limit.
 */
static void
choose_window(PhLogicalBlocks *blocks)
{
	uint32_t most = PH_MAX(blocks->most / blocks->n_members, 1);
	uint64_t n_ends;
	if (blocks->n_left <= blocks->most)
		most = blocks->most;
	for (;; most /= 2)
	{
		uint32_t n = find_stops(blocks, window_end(blocks, most), most, &n_ends);
		if (n == 0)
			n = find_stops(blocks, PH_NONE, most, &n_ends);
		if (n_ends <= MOST_ENDS || most == 1)
			return;
	}
}

/* ---- buckets ---- */

static void
bucket_range(const PhLogicalBlocks *blocks, uint32_t *first, uint32_t *last)
{
	*first = PH_NONE;
	*last = 0;
	for (uint32_t m = 0; m < blocks->n_members; m++)
		for (uint32_t e = blocks->at[m]; e < blocks->stop[m]; e++)
		{
			uint32_t bucket = ph_logical_bucket(blocks->metrics, e);
			*first = PH_MIN(*first, bucket);
			*last = PH_MAX(*last, bucket);
		}
}

/* Numbers the buckets of the chunk's events from 0, in their order. */
static PhStatus
number_buckets(PhLogicalBlocks *blocks, PhLogicalBlock *block)
{
	uint32_t first, last, n = 0, i = 0;
	bucket_range(blocks, &first, &last);
	size_t n_words = (last - first) / 64 + 1;
	PH_TRY(ph_buffer_reserve(blocks->env, &blocks->marks, n_words * 12));
	uint64_t *words = (uint64_t *) (void *) blocks->marks.data;
	uint32_t *before = (uint32_t *) (void *) (words + n_words);
	memset(words, 0, n_words * sizeof(*words));
	for (uint32_t m = 0; m < blocks->n_members; m++)
		for (uint32_t e = blocks->at[m]; e < blocks->stop[m]; e++)
		{
			uint32_t bucket = ph_logical_bucket(blocks->metrics, e) - first;
			block->bucket[i++] = bucket;
			words[bucket / 64] |= (uint64_t) 1 << bucket % 64;
		}
	for (size_t w = 0; w < n_words; w++)
	{
		before[w] = n;
		n += (uint32_t) __builtin_popcountll(words[w]);
	}
	PH_TRY(ph_buffer_reserve(blocks->env, &blocks->numbers, n * sizeof(uint32_t)));
	uint32_t *numbers = (uint32_t *) (void *) blocks->numbers.data;
	while (i-- > 0)
	{
		uint32_t bucket = block->bucket[i];
		uint64_t lower = words[bucket / 64] & (((uint64_t) 1 << bucket % 64) - 1);
		block->bucket[i] = before[bucket / 64] + (uint32_t) __builtin_popcountll(lower);
		numbers[block->bucket[i]] = first + bucket;
	}
	block->n_buckets = n;
	blocks->origin = (struct PhLogicalOrigin){blocks->metrics, blocks->at, numbers};
	block->origin = &blocks->origin;
	return PH_OK;
}

/* ---- chunks ---- */

static PhStatus
make_room(const PhLogicalBlocks *blocks, PhLogicalCodec *codec, PhLogicalBlock *block)
{
	const PhLogicalModel *model = blocks->metrics->logical->model;
	uint32_t n = 0, n_ends = 0;
	for (uint32_t m = 0; m < blocks->n_members; m++)
	{
		n += blocks->stop[m] - blocks->at[m];
		n_ends += model->first_end[blocks->stop[m]] - model->first_end[blocks->at[m]];
	}
	*block = (PhLogicalBlock){.location = model->timeline_location[blocks->timeline]};
	block->events = (PhLogicalEvents){.n_events = n, .n_ends = n_ends};
	PH_TRY(ph_logical_make_members(codec, blocks->n_members, n, block));
	return ph_logical_make_room(codec, PH_LOGICAL_WANT_ALL & ~PH_LOGICAL_WANT_TASKS,
								blocks->counters.values[0] != NULL, &block->events);
}

static void
fill_block(const PhLogicalBlocks *blocks, PhLogicalBlock *block)
{
	const PhLogicalModel *model = blocks->metrics->logical->model;
	for (uint32_t m = 0; m < blocks->n_members; m++)
	{
		uint32_t at = blocks->at[m], stop = blocks->stop[m];
		PhLogicalEvents member;
		block->first_event[m + 1] = block->first_event[m] + stop - at;
		block->first_end[m + 1] =
			block->first_end[m] + model->first_end[stop] - model->first_end[at];
		block->first_seq[m] = at - model->timeline_first[blocks->timeline + m];
		ph_logical_member(block, m, &member);
		if (member.n_events > 0)
			ph_computed_fill(blocks->metrics, &blocks->counters, at, &member);
	}
}

static void
go_on(PhLogicalBlocks *blocks, uint32_t n_events)
{
	for (uint32_t m = 0; m < blocks->n_members; m++)
		blocks->at[m] = blocks->stop[m];
	blocks->chunk_no++;
	blocks->n_left -= n_events;
	if (blocks->n_left > 0)
		return;
	blocks->timeline += blocks->n_members;
	blocks->n_members = 0;
}

PhStatus
ph_logical_blocks_next(PhLogicalBlocks *blocks, PhLogicalCodec *codec, PhLogicalChunk *out,
					   bool *done)
{
	PhLogicalBlock block;
	*done = blocks->timeline == blocks->metrics->logical->model->n_timelines;
	if (*done)
		return PH_OK;
	PH_TRY(ph_env_poll_now(blocks->env));
	if (blocks->n_members == 0)
		begin_block(blocks);
	choose_window(blocks);
	PH_TRY(make_room(blocks, codec, &block));
	fill_block(blocks, &block);
	PH_TRY(number_buckets(blocks, &block));
	PH_TRY(ph_logical_encode_block(codec, &block, out));
	out->chunk_no = blocks->chunk_no;
	go_on(blocks, block.events.n_events);
	return PH_OK;
}
