/*
 * metrics.c - metrics of tasks: one pass over blocks, one over idle times, one over phases.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tasks/metrics.h"

#include <string.h>

#include "base/min_max.h"

typedef struct Builder
{
	PhEnv *env;
	PhTaskMetrics *out;
	const PhTaskStructure *structure;
	const PhTaskTrace *trace;
	PhArena temporary;
	uint32_t *place; /* by event of the trace: its number in the model */
} Builder;

static PhStatus
allocate(Builder *builder)
{
	PhTaskMetrics *out = builder->out;
	PhArena *arena = &out->arena;
	uint32_t n = builder->structure->model.n_events;
	uint32_t n_blocks = builder->trace->count[PH_TASK_BLOCKS];
	uint32_t n_phases = builder->structure->logical.n_phases;
	PH_TRY(PH_NEW(arena, n, &out->sub_begin));
	PH_TRY(PH_NEW(arena, n, &out->sub_end));
	PH_TRY(PH_NEW(arena, n, &out->differential));
	PH_TRY(PH_NEW(arena, n, &out->idle));
	PH_TRY(PH_NEW(arena, n, &out->imbalance));
	PH_TRY(PH_NEW(arena, n, &out->n_peers));
	PH_TRY(PH_NEW(arena, n, &out->shortest));
	PH_TRY(PH_NEW(arena, n_blocks, &out->block_idle));
	PH_TRY(PH_NEW(arena, n_blocks, &out->block_differential));
	PH_TRY(PH_NEW(arena, n_blocks, &out->block_imbalance));
	PH_TRY(PH_NEW(arena, n_phases, &out->phase_imbalance));
	PH_TRY(PH_NEW(arena, n_phases, &out->phase_idle));
	PH_TRY(PH_NEW(arena, n_phases, &out->phase_differential));
	PH_TRY(PH_NEW(arena, n_phases, &out->most_loaded));
	PH_TRY(PH_NEW(arena, n_phases, &out->least_loaded));
	PH_TRY(PH_NEW(arena, (size_t) n_phases + 1, &out->first_load));
	PH_TRY(PH_NEW(&builder->temporary, n, &builder->place));
	for (uint32_t e = 0; e < n; e++)
		builder->place[builder->structure->event[e]] = e;
	return PH_OK;
}

static void
raise(int64_t *most, int64_t value)
{
	if (*most < value)
		*most = value;
}

/* ----------------------------------------------------------------------------------- sub-blocks
 */

static int64_t
leave_of(const Builder *builder, uint32_t event)
{
	return builder->structure->model.exit[builder->place[event]];
}

static void
set_share(Builder *builder, uint32_t event, int64_t begin, int64_t end)
{
	builder->out->sub_begin[builder->place[event]] = begin;
	builder->out->sub_end[builder->place[event]] = PH_MAX(end, begin);
}

/* Shares a serial block's time out among its events (docs/design/logical-time.md 3.2). */
static void
share_out(Builder *builder, uint32_t block)
{
	const PhTaskTrace *trace = builder->trace;
	uint32_t first = trace->block_first_event[block], next = trace->block_first_event[block + 1];
	int64_t end = trace->block_end[block];
	if (first == next)
		return;
	bool is_started = trace->event_kind[first] == PH_TASK_RECEIVE;
	for (uint32_t e = first; e < next; e++)
	{
		int64_t begin = e == first ? trace->block_begin[block] : leave_of(builder, e - 1);
		bool gets_rest = e + 1 == next && !is_started;
		set_share(builder, e, begin, gets_rest ? end : leave_of(builder, e));
	}
	if (is_started && next - first > 1)
		set_share(builder, first, leave_of(builder, next - 1), end);
	else if (is_started)
		set_share(builder, first, trace->event_time[first], PH_MAX(end, leave_of(builder, first)));
}

/* ------------------------------------------------------------------------------------ differences
 */

/* Buckets are the steps of phases; few are empty. */
static PhStatus
list_buckets(Builder *builder, uint32_t **first, uint32_t **shortest, uint32_t **count)
{
	const PhLogical *logical = &builder->structure->logical;
	PH_TRY(PH_NEW(&builder->temporary, (size_t) logical->n_phases + 1, first));
	for (uint32_t p = 0; p < logical->n_phases; p++)
		(*first)[p + 1] =
			(*first)[p] + (uint32_t) (logical->last_step_of[p] - logical->first_step[p]) + 1;
	uint32_t n = (*first)[logical->n_phases];
	PH_TRY(PH_NEW(&builder->temporary, n, shortest));
	PH_TRY(PH_NEW(&builder->temporary, n, count));
	for (uint32_t b = 0; b < n; b++)
		(*shortest)[b] = PH_NONE;
	return PH_OK;
}

static uint32_t
bucket_of(const PhLogical *logical, const uint32_t *first, uint32_t e)
{
	uint32_t phase = logical->phase[e];
	return first[phase] + (uint32_t) (logical->step[e] - logical->first_step[phase]);
}

static int64_t
duration_of(const PhTaskMetrics *metrics, uint32_t e)
{
	return metrics->sub_end[e] - metrics->sub_begin[e];
}

/*
 * Finds each bucket's shortest event, the lowest of equals, and every event's duration less that
 * one's.
 */
static PhStatus
compare_peers(Builder *builder)
{
	PhTaskMetrics *out = builder->out;
	const PhLogical *logical = &builder->structure->logical;
	uint32_t n = builder->structure->model.n_events, *first, *shortest, *count;
	PH_TRY(list_buckets(builder, &first, &shortest, &count));
	for (uint32_t e = 0; e < n; e++)
	{
		uint32_t b = bucket_of(logical, first, e);
		PH_TRY(ph_env_poll(builder->env));
		count[b]++;
		if (shortest[b] == PH_NONE || duration_of(out, e) < duration_of(out, shortest[b]))
			shortest[b] = e;
	}
	for (uint32_t e = 0; e < n; e++)
	{
		uint32_t b = bucket_of(logical, first, e);
		PH_TRY(ph_env_poll(builder->env));
		out->n_peers[e] = count[b];
		out->shortest[e] = shortest[b];
		out->differential[e] = duration_of(out, e) - duration_of(out, shortest[b]);
	}
	return PH_OK;
}

/* ------------------------------------------------------------------------------------------- idle
 */

/*
 * Whether an event has waited in an idle time: the block of what it waited for began before the
 * idle time's end, or not; UNKNOWN when it is not known what it waited for.
 */
typedef enum Waiting
{
	WAITED,
	CAME_LATER,
	UNKNOWN
} Waiting;

static Waiting
waited_in(const PhTaskTrace *trace, uint32_t event, int64_t idle_end)
{
	uint32_t partner = trace->event_partner[event];
	if (partner == PH_NONE)
		return UNKNOWN;
	return trace->block_begin[trace->event_block[partner]] < idle_end ? WAITED : CAME_LATER;
}

/* The first event at or after a time among events [from, to) of one processor. */
static uint32_t
first_event_after(const PhTaskTrace *trace, uint32_t from, uint32_t to, int64_t time)
{
	while (from < to && trace->event_time[from] < time)
		from++;
	return from;
}

/*
 * The event after an idle time has waited in it, and so have the first events of blocks after that,
 * up to one that waited for something later, or to the next idle time (whose own would replace it).
 */
static void
spread_idle(Builder *builder, uint32_t idle, uint32_t from, uint32_t to, int64_t until)
{
	const PhTaskTrace *trace = builder->trace;
	int64_t end = trace->idle_end[idle], length = end - trace->idle_begin[idle];
	for (uint32_t e = from; e < to && trace->event_time[e] < until; e++)
	{
		bool is_first = e == trace->block_first_event[trace->event_block[e]];
		Waiting waiting = e == from ? WAITED : waited_in(trace, e, end);
		if (e != from && !is_first)
			continue;
		if (waiting == CAME_LATER)
			return;
		if (waiting == WAITED)
			builder->out->idle[builder->place[e]] = length;
	}
}

/* Events of a processor are neighbours, as are its idle times. */
static PhStatus
find_idle(Builder *builder)
{
	const PhTaskTrace *trace = builder->trace;
	uint32_t n_idles = trace->count[PH_TASK_IDLES], n_blocks = trace->count[PH_TASK_BLOCKS];
	uint32_t block = 0, at = 0, to = 0, processor = PH_NONE;
	for (uint32_t i = 0; i < n_idles; i++)
	{
		PH_TRY(ph_env_poll(builder->env));
		if (trace->idle_processor[i] != processor)
		{
			processor = trace->idle_processor[i];
			while (block < n_blocks && trace->block_processor[block] < processor)
				block++;
			at = trace->block_first_event[block];
			while (block < n_blocks && trace->block_processor[block] == processor)
				block++;
			to = trace->block_first_event[block];
		}
		bool is_last = i + 1 == n_idles || trace->idle_processor[i + 1] != processor;
		at = first_event_after(trace, at, to, trace->idle_end[i]);
		spread_idle(builder, i, at, to, is_last ? INT64_MAX : trace->idle_end[i + 1]);
	}
	return PH_OK;
}

/* -------------------------------------------------------------------------------------- imbalance
 */

/* Loads of one phase: by processor, and which ones have any. */
typedef struct Loads
{
	int64_t *load;
	uint32_t *used, n_used; /* processors, in no order */
	bool *is_used;
} Loads;

static void
add_load(Loads *loads, uint32_t processor, int64_t duration)
{
	if (!loads->is_used[processor])
		loads->used[loads->n_used++] = processor;
	loads->is_used[processor] = true;
	loads->load[processor] += duration;
}

/* A few numbers, ascending: insertion where there are few, else a walk over all processors. */
static void
sort_used(Loads *loads, uint32_t n_processors)
{
	uint32_t n = 0;
	if (loads->n_used > 32)
	{
		for (uint32_t q = 0; q < n_processors; q++)
			if (loads->is_used[q])
				loads->used[n++] = q;
		return;
	}
	for (uint32_t i = 1; i < loads->n_used; i++)
	{
		uint32_t processor = loads->used[i], j = i;
		for (; j > 0 && loads->used[j - 1] > processor; j--)
			loads->used[j] = loads->used[j - 1];
		loads->used[j] = processor;
	}
}

/* The lowest processor without load, as `used` is ascending; n_processors: all have some. */
static uint32_t
first_unused(const Loads *loads, uint32_t n_processors)
{
	uint32_t q = 0;
	while (q < loads->n_used && loads->used[q] == q)
		q++;
	return loads->n_used == n_processors ? n_processors : q;
}

static void
put_loads(Builder *builder, Loads *loads, uint32_t phase)
{
	PhTaskMetrics *out = builder->out;
	uint32_t n_processors = builder->trace->count[PH_TASK_PROCESSORS];
	uint32_t at = out->first_load[phase], most, least;
	sort_used(loads, n_processors);
	most = least = loads->used[0];
	for (uint32_t i = 0; i < loads->n_used; i++)
	{
		uint32_t q = loads->used[i];
		out->load_processor[at] = q;
		out->load[at++] = loads->load[q];
		most = loads->load[q] > loads->load[most] ? q : most;
		least = loads->load[q] < loads->load[least] ? q : least;
	}
	uint32_t unused = first_unused(loads, n_processors);
	if (unused < n_processors && (loads->load[least] > 0 || unused < least))
		least = unused;
	out->first_load[phase + 1] = at;
	out->most_loaded[phase] = most;
	out->least_loaded[phase] = least;
	out->phase_imbalance[phase] = loads->load[most] - loads->load[least];
}

/* The phase's events, by member. */
static PhStatus
balance_phase(Builder *builder, Loads *loads, uint32_t phase)
{
	PhTaskMetrics *out = builder->out;
	const PhLogical *logical = &builder->structure->logical;
	uint32_t first = logical->first_member[phase], next = logical->first_member[phase + 1];
	loads->n_used = 0;
	for (uint32_t m = first; m < next; m++)
		for (uint32_t e = logical->member_first[m]; e <= logical->member_last[m]; e++)
		{
			PH_TRY(ph_env_poll(builder->env));
			add_load(loads, ph_task_processor(builder->structure, e), duration_of(out, e));
		}
	put_loads(builder, loads, phase);
	int64_t least = loads->load[out->least_loaded[phase]];
	for (uint32_t m = first; m < next; m++)
		for (uint32_t e = logical->member_first[m]; e <= logical->member_last[m]; e++)
			out->imbalance[e] = loads->load[ph_task_processor(builder->structure, e)] - least;
	for (uint32_t i = 0; i < loads->n_used; i++)
	{
		loads->load[loads->used[i]] = 0;
		loads->is_used[loads->used[i]] = false;
	}
	return PH_OK;
}

/* Rows of loads: at most one by event, and by (phase, processor). */
static PhStatus
balance(Builder *builder)
{
	PhTaskMetrics *out = builder->out;
	const PhLogical *logical = &builder->structure->logical;
	uint32_t n_processors = builder->trace->count[PH_TASK_PROCESSORS];
	size_t room = 0;
	Loads loads = {.n_used = 0};
	for (uint32_t p = 0; p < logical->n_phases; p++)
		room += PH_MIN(logical->n_events_of[p], n_processors);
	PH_TRY(PH_NEW(&out->arena, room, &out->load_processor));
	PH_TRY(PH_NEW(&out->arena, room, &out->load));
	PH_TRY(PH_NEW(&builder->temporary, n_processors, &loads.load));
	PH_TRY(PH_NEW(&builder->temporary, n_processors, &loads.used));
	PH_TRY(PH_NEW(&builder->temporary, n_processors, &loads.is_used));
	for (uint32_t p = 0; p < logical->n_phases; p++)
		PH_TRY(balance_phase(builder, &loads, p));
	return PH_OK;
}

/* ----------------------------------------------------------------------------------------- levels
 */

/* What events have, for their blocks and phases. */
static PhStatus
sum_up(Builder *builder)
{
	PhTaskMetrics *out = builder->out;
	const PhTaskStructure *structure = builder->structure;
	for (uint32_t e = 0; e < structure->model.n_events; e++)
	{
		uint32_t block = builder->trace->event_block[structure->event[e]];
		uint32_t phase = structure->logical.phase[e];
		PH_TRY(ph_env_poll(builder->env));
		raise(&out->block_idle[block], out->idle[e]);
		raise(&out->block_imbalance[block], out->imbalance[e]);
		out->block_differential[block] += out->differential[e];
		raise(&out->phase_idle[phase], out->idle[e]);
		raise(&out->phase_differential[phase], out->differential[e]);
	}
	return PH_OK;
}

static PhStatus
build(Builder *builder)
{
	PH_TRY(allocate(builder));
	for (uint32_t b = 0; b < builder->trace->count[PH_TASK_BLOCKS]; b++)
	{
		PH_TRY(ph_env_poll(builder->env));
		share_out(builder, b);
	}
	PH_TRY(compare_peers(builder));
	PH_TRY(find_idle(builder));
	PH_TRY(balance(builder));
	return sum_up(builder);
}

PhStatus
ph_task_metrics_build(PhEnv *env, const PhTaskStructure *structure, PhTaskMetrics *out)
{
	PhTaskMetrics metrics;
	memset(&metrics, 0, sizeof(metrics));
	metrics.structure = structure;
	ph_arena_init(&metrics.arena, env);
	Builder builder = {
		.env = env, .out = &metrics, .structure = structure, .trace = structure->trace};
	ph_arena_init(&builder.temporary, env);
	PhStatus status = build(&builder);
	ph_arena_drop(&builder.temporary);
	if (status == PH_OK)
		*out = metrics;
	else
		ph_task_metrics_free(&metrics);
	return status;
}

void
ph_task_metrics_free(PhTaskMetrics *metrics)
{
	ph_arena_drop(&metrics->arena);
	memset(metrics, 0, sizeof(*metrics));
}
