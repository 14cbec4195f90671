/*
 * reorder.c - serial blocks within phases in the order of an idealised replay.
 *
 * A unit is what of a serial block lies in one phase, its receives first. Its weight is one more
 * than that of what it waits for, 0 when it waits for nothing; from there on its events count up.
 * Units are put into order of weight, then of where their first cause was, then of when that was in
 * the new order. Along a chare weights of units never fall, along a message they rise, so no order
 * contradicts a message. Method: docs/design/logical-time.md 2.7; SC'15 3.2.1.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/sort.h"
#include "tasks/replay.h"

typedef struct Replay
{
	const PhTaskParts *parts;
	const PhTaskEffects *effects;
	PhArena arena;
	uint32_t n_units, n_done;

	/* by event */
	uint32_t *unit;
	int32_t *weight;

	/* by unit, numbered in order of their heads */
	uint32_t *head;
	uint32_t *before;	/* what it waits for and is not done */
	int32_t *least;		/* the weight of its head */
	uint32_t *position; /* its first event's in the new order; PH_NONE: not yet there */
	uint32_t *queue;

	/* by entity: group of its collection, by group: extents of its indices */
	uint32_t *group;
	int32_t (*extent)[PH_TASK_DIMENSIONS];
} Replay;

/* ---------------------------------------------------------------------------------------- units
 */

/* Does the event begin a unit? What was received after a send waits on its own. */
static bool
begins_unit(const PhTaskParts *parts, uint32_t e)
{
	return ph_task_starts_part(parts, e) ||
		   ((parts->flags[e] & PH_TE_RECEIVE) != 0 &&
			(parts->flags[parts->link_prev[e]] & PH_TE_RECEIVE) == 0);
}

/* The next event of e's unit, PH_NONE: none. */
static uint32_t
next_of_unit(const Replay *replay, uint32_t e)
{
	uint32_t next = replay->parts->link_next[e];
	return next == PH_NONE || replay->unit[next] != replay->unit[e] ? PH_NONE : next;
}

/* The unit before e's in its block and part, PH_NONE: none. */
static uint32_t
unit_before(const Replay *replay, uint32_t head)
{
	return ph_task_starts_part(replay->parts, head) ? PH_NONE
													: replay->unit[replay->parts->link_prev[head]];
}

/*
 * Numbers units in the order of their heads. A unit goes on along its block until an event begins
 * another one.
 */
static PhStatus
find_units(Replay *replay)
{
	const PhTaskParts *parts = replay->parts;
	uint32_t n = 0;
	PH_TRY(PH_NEW(&replay->arena, parts->n_events, &replay->unit));
	PH_TRY(PH_NEW(&replay->arena, parts->n_events, &replay->weight));
	for (uint32_t e = 0; e < parts->n_events; e++)
		replay->unit[e] = begins_unit(parts, e) ? n++ : replay->unit[parts->link_prev[e]];
	replay->n_units = n;
	PH_TRY(PH_NEW(&replay->arena, n, &replay->head));
	PH_TRY(PH_NEW(&replay->arena, n, &replay->before));
	PH_TRY(PH_NEW(&replay->arena, n, &replay->least));
	PH_TRY(PH_NEW(&replay->arena, n, &replay->position));
	PH_TRY(PH_NEW(&replay->arena, n, &replay->queue));
	for (uint32_t e = parts->n_events; e-- > 0;)
		replay->head[replay->unit[e]] = e;
	for (uint32_t u = 0; u < n; u++)
		replay->position[u] = PH_NONE;
	return PH_OK;
}

/* -------------------------------------------------------------------------------------- weights
 */

static PhStatus
count_waits(Replay *replay)
{
	const PhTaskEffects *effects = replay->effects;
	for (uint32_t e = 0; e < replay->parts->n_events; e++)
	{
		PH_TRY(ph_env_poll(replay->parts->env));
		for (uint32_t i = effects->first[e]; i < effects->first[e + 1]; i++)
			if (replay->unit[effects->event[i]] != replay->unit[e])
				replay->before[replay->unit[effects->event[i]]]++;
	}
	for (uint32_t u = 0; u < replay->n_units; u++)
		if (unit_before(replay, replay->head[u]) != PH_NONE)
			replay->before[u]++;
	return PH_OK;
}

/*
 * The unit has one thing less to wait for, and weighs at least `weight`. A unit that was taken out
 * of turn to break a circle (before is 0 already) is done and stays as it is.
 */
static void
release(Replay *replay, uint32_t unit, int32_t weight, uint32_t *n_queue)
{
	if (replay->before[unit] == 0)
		return;
	if (replay->least[unit] < weight)
		replay->least[unit] = weight;
	if (--replay->before[unit] == 0)
		replay->queue[(*n_queue)++] = unit;
}

/*
 * Gives the unit's events weights that count up from the least it may have, and releases what they
 * cause: events in other units, and the next unit of its block.
 */
static PhStatus
weigh_unit(Replay *replay, uint32_t unit, uint32_t *n_queue)
{
	const PhTaskEffects *effects = replay->effects;
	int32_t weight = replay->least[unit];
	uint32_t last = PH_NONE;
	for (uint32_t e = replay->head[unit]; e != PH_NONE; e = next_of_unit(replay, e))
	{
		PH_TRY(ph_env_poll(replay->parts->env));
		replay->weight[e] = weight++;
		for (uint32_t i = effects->first[e]; i < effects->first[e + 1]; i++)
			if (replay->unit[effects->event[i]] != unit)
				release(replay, replay->unit[effects->event[i]], weight, n_queue);
		last = e;
	}
	uint32_t next = replay->parts->link_next[last];
	if (next != PH_NONE && !ph_task_starts_part(replay->parts, next))
		release(replay, replay->unit[next], weight, n_queue);
	return PH_OK;
}

/* In order of dependencies; where they go in a circle, the lowest unit goes first. */
static PhStatus
weigh(Replay *replay)
{
	uint32_t n_queue = 0, lowest = 0;
	PH_TRY(count_waits(replay));
	for (uint32_t u = 0; u < replay->n_units; u++)
		if (replay->before[u] == 0)
			replay->queue[n_queue++] = u;
	for (uint32_t i = 0; i < replay->n_units; i++)
	{
		if (i == n_queue)
		{
			while (replay->before[lowest] == 0)
				lowest++;
			replay->before[lowest] = 0;
			replay->queue[n_queue++] = lowest;
		}
		PH_TRY(weigh_unit(replay, replay->queue[i], &n_queue));
	}
	return PH_OK;
}

/* ----------------------------------------------------------------------------------------- ties
 */

/* Collections of chares and how far their indices go. */
static PhStatus
find_extents(Replay *replay)
{
	const PhTaskTrace *trace = replay->parts->trace;
	uint32_t n = replay->parts->n_entities, n_groups = 0;
	PH_TRY(PH_NEW(&replay->arena, n, &replay->group));
	PH_TRY(PH_NEW(&replay->arena, n, &replay->extent));
	for (uint32_t e = 0; e < n; e++)
	{
		bool same = e > 0 && trace->entity_is_runtime[e] == trace->entity_is_runtime[e - 1] &&
					trace->entity_type[e] == trace->entity_type[e - 1] &&
					trace->entity_collection[e] == trace->entity_collection[e - 1] &&
					trace->entity_dimensions[e] == trace->entity_dimensions[e - 1];
		n_groups += same ? 0 : 1;
		replay->group[e] = n_groups - 1;
		int32_t *extent = replay->extent[n_groups - 1];
		for (int d = 0; d < trace->entity_dimensions[e]; d++)
		{
			int32_t index = trace->entity_index[e][d];
			if (index >= extent[d] && index < INT32_MAX)
				extent[d] = index + 1;
		}
	}
	return PH_OK;
}

/* From the chare to the cause in one dimension, the shorter way round. */
static int64_t
offset_to(const Replay *replay, uint32_t entity, uint32_t cause, int d)
{
	const PhTaskTrace *trace = replay->parts->trace;
	int64_t extent = replay->extent[replay->group[entity]][d];
	int64_t offset = (int64_t) trace->entity_index[cause][d] - trace->entity_index[entity][d];
	if (2 * offset > extent)
		offset -= extent;
	else if (2 * offset <= -extent)
		offset += extent;
	return offset;
}

static int
compare_numbers(int64_t x, int64_t y)
{
	return x < y ? -1 : x > y;
}

/* Causes of one entity: those in its collection by where they are from it, then others. */
static int
compare_places(const Replay *replay, uint32_t entity, uint32_t x, uint32_t y)
{
	const PhTaskTrace *trace = replay->parts->trace;
	if (replay->parts->options->by_coordinates && !replay->parts->options->compat &&
		trace->entity_dimensions[entity] > 0)
	{
		bool x_near = replay->group[x] == replay->group[entity];
		bool y_near = replay->group[y] == replay->group[entity];
		if (x_near != y_near)
			return x_near ? -1 : 1;
		for (int d = 0; x_near && d < trace->entity_dimensions[entity]; d++)
		{
			int order =
				compare_numbers(offset_to(replay, entity, x, d), offset_to(replay, entity, y, d));
			if (order != 0)
				return order;
		}
	}
	return compare_numbers(x, y);
}

/* What set the unit off, PH_NONE: unknown. */
static uint32_t
cause_of(const Replay *replay, uint32_t unit)
{
	uint32_t head = replay->head[unit];
	return replay->parts->partner[head];
}

static uint32_t
position_of(const Replay *replay, uint32_t event)
{
	uint32_t unit = replay->unit[event], position = replay->position[unit];
	return position == PH_NONE
			   ? PH_NONE
			   : position + (uint32_t) (replay->weight[event] - replay->least[unit]);
}

/* Units of one weight. */
static int
compare_units(const void *context, uint32_t x, uint32_t y)
{
	const Replay *replay = context;
	const PhTaskParts *parts = replay->parts;
	uint32_t x_head = replay->head[x], y_head = replay->head[y];
	uint32_t x_cause = cause_of(replay, x), y_cause = cause_of(replay, y);
	int order = compare_numbers(parts->entity[x_head], parts->entity[y_head]);
	if (order == 0)
		order = compare_numbers(parts->part[x_head], parts->part[y_head]);
	if (order != 0)
		return order;
	if ((x_cause == PH_NONE) != (y_cause == PH_NONE))
		return x_cause == PH_NONE ? -1 : 1;
	if (x_cause != PH_NONE)
	{
		order = compare_places(replay, parts->entity[x_head], parts->entity[x_cause],
							   parts->entity[y_cause]);
		if (order == 0)
			order = compare_numbers(position_of(replay, x_cause), position_of(replay, y_cause));
	}
	return order != 0 ? order : compare_numbers(x, y);
}

/* ---------------------------------------------------------------------------------------- order
 */

/* Units by weight: first[weight]..first[weight + 1] of the queue. */
static PhStatus
sort_by_weight(Replay *replay, uint32_t **first, uint32_t *n_weights)
{
	uint32_t n = 0, *next;
	for (uint32_t u = 0; u < replay->n_units; u++)
		if ((uint32_t) replay->least[u] >= n)
			n = (uint32_t) replay->least[u] + 1;
	PH_TRY(PH_NEW(&replay->arena, (size_t) n + 2, first));
	next = *first + 1;
	for (uint32_t u = 0; u < replay->n_units; u++)
		next[replay->least[u] + 1]++;
	for (uint32_t w = 0; w < n; w++)
		next[w + 1] += next[w];
	for (uint32_t u = 0; u < replay->n_units; u++)
		replay->queue[next[replay->least[u]]++] = u;
	*n_weights = n;
	return PH_OK;
}

static PhStatus
put_units(Replay *replay, const uint32_t *units, uint32_t n, uint32_t *order)
{
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(replay->parts->env));
		replay->position[units[i]] = replay->n_done;
		for (uint32_t e = replay->head[units[i]]; e != PH_NONE; e = next_of_unit(replay, e))
			order[replay->n_done++] = e;
	}
	return PH_OK;
}

static PhStatus
order_units(Replay *replay, uint32_t *order)
{
	uint32_t *first, *buffer, n_weights;
	PH_TRY(find_units(replay));
	PH_TRY(weigh(replay));
	PH_TRY(find_extents(replay));
	PH_TRY(sort_by_weight(replay, &first, &n_weights));
	PH_TRY(PH_NEW(&replay->arena, replay->n_units, &buffer));
	for (uint32_t w = 0; w < n_weights; w++)
	{
		uint32_t n = first[w + 1] - first[w], *units = replay->queue + first[w];
		PH_TRY(ph_sort(replay->parts->env, units, n, buffer, compare_units, replay));
		PH_TRY(put_units(replay, units, n, order));
	}
	return PH_OK;
}

PhStatus
ph_task_replay(const PhTaskParts *parts, const PhTaskEffects *effects, uint32_t *order)
{
	Replay replay;
	memset(&replay, 0, sizeof(replay));
	replay.parts = parts;
	replay.effects = effects;
	ph_arena_init(&replay.arena, parts->env);
	PhStatus status = order_units(&replay, order);
	ph_arena_drop(&replay.arena);
	return status;
}
