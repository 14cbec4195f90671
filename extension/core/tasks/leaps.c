/*
 * leaps.c - order the parts that share entities, so that each entity has one way through.
 *
 * Parts whose predecessors are done wait in a queue at each of their entities, ordered by when they
 * started; a part is done once it is the first at all of them. All that can be done at one time
 * are a leap: they share no entity. As the queues have one common order, the first of all parts
 * that wait can always be done, so this ends, with one answer, in O(members log members). From part
 * to part along each entity run edges, so each part is followed on all its entities. Method:
 * docs/design/logical-time.md 2.6; SC'15 3.1.4, algorithm 5.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/sort.h"
#include "tasks/parts.h"

typedef struct Leaps
{
	PhTaskParts *parts;
	PhArena arena;
	const PhGraph *graph;
	uint32_t *rank; /* by part: its place in the common order */

	uint32_t *first, *member;	/* entities of each part, ascending */
	uint32_t *slot, *n_waiting; /* queues are heaps: waiting[slot[entity]..], by rank */
	uint32_t *waiting;
	uint32_t *last; /* by entity: the part done last */

	uint32_t *before; /* by part: predecessors that are not done */
	uint32_t *firsts; /* by part: entities at which it is the first */
	uint32_t *leap;
	uint32_t *arriving, *ready;
	uint32_t n_arriving, n_ready;
	PhIndices from, to; /* edges that are added */
} Leaps;

/* ----------------------------------------------------------------------------- order by start
 */

/*
 * Mean time of each part's sources. Times are divided by the count before they are added, quotients
 * and remainders apart, because their sum could overflow.
 */
typedef struct Starts
{
	uint32_t *count;
	int64_t *time;
	uint32_t *lowest; /* event */
} Starts;

static bool
is_start(const PhTaskParts *parts, uint32_t e)
{
	return ph_task_is_source(parts, e) && ph_task_starts_part(parts, e);
}

static PhStatus
find_starts(const Leaps *leaps, PhArena *temporary, Starts *out)
{
	const PhTaskParts *parts = leaps->parts;
	int64_t *rest;
	PH_TRY(PH_NEW(temporary, parts->n_parts, &out->count));
	PH_TRY(PH_NEW(temporary, parts->n_parts, &out->time));
	PH_TRY(PH_NEW(temporary, parts->n_parts, &out->lowest));
	PH_TRY(PH_NEW(temporary, parts->n_parts, &rest));
	for (uint32_t e = parts->n_events; e-- > 0;)
		out->lowest[parts->part[e]] = e;
	for (uint32_t e = 0; e < parts->n_events; e++)
		if (is_start(parts, e))
			out->count[parts->part[e]]++;
	for (uint32_t e = 0; e < parts->n_events; e++)
	{
		uint32_t p = parts->part[e];
		int64_t time = ph_task_time(parts, e), n = out->count[p];
		if (n > 0 && is_start(parts, e))
		{
			out->time[p] += time / n;
			rest[p] += time % n;
		}
		else if (n == 0 && (e == out->lowest[p] || time < out->time[p]))
			out->time[p] = time;
	}
	for (uint32_t p = 0; p < parts->n_parts; p++)
		if (out->count[p] > 0)
			out->time[p] += rest[p] / out->count[p];
	return PH_OK;
}

static int
compare_starts(const void *context, uint32_t x, uint32_t y)
{
	const Starts *starts = context;
	if (starts->time[x] != starts->time[y])
		return starts->time[x] < starts->time[y] ? -1 : 1;
	return starts->lowest[x] < starts->lowest[y] ? -1 : starts->lowest[x] > starts->lowest[y];
}

static PhStatus
rank_parts(Leaps *leaps)
{
	PhArena temporary;
	Starts starts;
	uint32_t n = leaps->parts->n_parts, *order = NULL;
	PH_TRY(PH_NEW(&leaps->arena, n, &leaps->rank));
	ph_arena_init(&temporary, leaps->parts->env);
	PhStatus status = find_starts(leaps, &temporary, &starts);
	if (status == PH_OK)
		status = ph_sort_indices(&temporary, n, compare_starts, &starts, &order);
	for (uint32_t i = 0; status == PH_OK && i < n; i++)
		leaps->rank[order[i]] = i;
	ph_arena_drop(&temporary);
	return status;
}

/* -------------------------------------------------------------------------- members and queues
 */

/* Entities of each part, and how many parts each entity has. */
static PhStatus
list_members(Leaps *leaps)
{
	const PhTaskParts *parts = leaps->parts;
	uint32_t n = parts->n_parts, *seen, *count;
	PH_TRY(PH_NEW(&leaps->arena, (size_t) n + 2, &leaps->first));
	PH_TRY(PH_NEW(&leaps->arena, n, &seen));
	PH_TRY(PH_NEW(&leaps->arena, (size_t) parts->n_entities + 1, &count));
	uint32_t *next = leaps->first + 1;
	for (int pass = 0; pass < 2; pass++)
	{
		memset(seen, 0, n * sizeof(*seen));
		for (uint32_t e = 0; e < parts->n_events; e++)
		{
			uint32_t p = parts->part[e], entity = parts->entity[e];
			PH_TRY(ph_env_poll(parts->env));
			if (seen[p] == entity + 1)
				continue;
			seen[p] = entity + 1;
			if (pass == 0)
			{
				next[p + 1]++;
				count[entity + 1]++;
			}
			else
				leaps->member[next[p]++] = entity;
		}
		for (uint32_t p = 0; pass == 0 && p < n; p++)
			next[p + 1] += next[p];
		if (pass == 0)
			PH_TRY(PH_NEW(&leaps->arena, next[n], &leaps->member));
	}
	for (uint32_t entity = 0; entity < parts->n_entities; entity++)
		count[entity + 1] += count[entity];
	leaps->slot = count;
	return PH_NEW(&leaps->arena, leaps->first[n], &leaps->waiting);
}

static uint32_t
first_waiting(const Leaps *leaps, uint32_t entity)
{
	return leaps->n_waiting[entity] == 0 ? PH_NONE : leaps->waiting[leaps->slot[entity]];
}

static void
swap(uint32_t *heap, uint32_t i, uint32_t j)
{
	uint32_t part = heap[i];
	heap[i] = heap[j];
	heap[j] = part;
}

static void
enqueue(Leaps *leaps, uint32_t entity, uint32_t part)
{
	uint32_t *heap = leaps->waiting + leaps->slot[entity], i = leaps->n_waiting[entity]++;
	heap[i] = part;
	for (; i > 0 && leaps->rank[heap[i]] < leaps->rank[heap[(i - 1) / 2]]; i = (i - 1) / 2)
		swap(heap, i, (i - 1) / 2);
}

static void
dequeue(Leaps *leaps, uint32_t entity)
{
	uint32_t *heap = leaps->waiting + leaps->slot[entity], n = --leaps->n_waiting[entity], i = 0;
	heap[0] = heap[n];
	while (2 * i + 1 < n)
	{
		uint32_t child = 2 * i + 1;
		if (child + 1 < n && leaps->rank[heap[child + 1]] < leaps->rank[heap[child]])
			child++;
		if (leaps->rank[heap[i]] < leaps->rank[heap[child]])
			break;
		swap(heap, i, child);
		i = child;
	}
}

/* ---------------------------------------------------------------------------------------- leaps
 */

static uint32_t
n_members(const Leaps *leaps, uint32_t part)
{
	return leaps->first[part + 1] - leaps->first[part];
}

/*
 * The part has become the first at one more of its entities. When it is the first at all of them it
 * goes to the list of those that are ready.
 */
static void
step_up(Leaps *leaps, uint32_t part)
{
	if (++leaps->firsts[part] == n_members(leaps, part))
		leaps->ready[leaps->n_ready++] = part;
}

static void
arrive(Leaps *leaps, uint32_t part)
{
	for (uint32_t i = leaps->first[part]; i < leaps->first[part + 1]; i++)
	{
		uint32_t entity = leaps->member[i], before = first_waiting(leaps, entity);
		enqueue(leaps, entity, part);
		if (first_waiting(leaps, entity) != part)
			continue;
		if (before != PH_NONE)
			leaps->firsts[before]--;
		step_up(leaps, part);
	}
}

static PhStatus
add_edge(Leaps *leaps, uint32_t from, uint32_t to)
{
	PH_TRY(ph_indices_add(leaps->parts->env, &leaps->from, from));
	return ph_indices_add(leaps->parts->env, &leaps->to, to);
}

static PhStatus
leave_queues(Leaps *leaps, uint32_t part)
{
	for (uint32_t i = leaps->first[part]; i < leaps->first[part + 1]; i++)
	{
		uint32_t entity = leaps->member[i];
		if (leaps->last[entity] != PH_NONE)
			PH_TRY(add_edge(leaps, leaps->last[entity], part));
		leaps->last[entity] = part;
		dequeue(leaps, entity);
		if (leaps->n_waiting[entity] > 0)
			step_up(leaps, first_waiting(leaps, entity));
	}
	return PH_OK;
}

static PhStatus
finish_part(Leaps *leaps, uint32_t part)
{
	const PhGraph *graph = leaps->graph;
	PH_TRY(leave_queues(leaps, part));
	for (uint32_t i = graph->first[part]; i < graph->first[part + 1]; i++)
		if (--leaps->before[graph->target[i]] == 0)
			leaps->arriving[leaps->n_arriving++] = graph->target[i];
	return PH_OK;
}

/*
 * Empties the list of ready parts into now[]. A part that was first everywhere may have been
 * overtaken at an entity by one that arrived later and started earlier: it is dropped from the list
 * and will come again.
 */
static uint32_t
take_ready(Leaps *leaps, uint32_t *now)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < leaps->n_ready; i++)
	{
		uint32_t part = leaps->ready[i];
		if (leaps->firsts[part] != n_members(leaps, part))
			continue;
		leaps->firsts[part] = 0;
		now[n++] = part;
	}
	leaps->n_ready = 0;
	return n;
}

/*
 * One leap: parts whose predecessors are all done join the queues of their entities; those that are
 * then first in all of their queues are the leap, and leave the queues.
 */
static PhStatus
do_leap(Leaps *leaps, uint32_t number, uint32_t *now, uint32_t *n_done)
{
	uint32_t n_arriving = leaps->n_arriving;
	leaps->n_arriving = 0;
	for (uint32_t i = 0; i < n_arriving; i++)
	{
		PH_TRY(ph_env_poll(leaps->parts->env));
		arrive(leaps, leaps->arriving[i]);
	}
	uint32_t n = take_ready(leaps, now);
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(leaps->parts->env));
		leaps->leap[now[i]] = number;
		PH_TRY(finish_part(leaps, now[i]));
	}
	*n_done += n;
	return PH_OK;
}

static PhStatus
prepare(Leaps *leaps)
{
	const PhGraph *graph = leaps->graph;
	const PhTaskParts *parts = leaps->parts;
	uint32_t n = parts->n_parts;
	PH_TRY(rank_parts(leaps));
	PH_TRY(list_members(leaps));
	PH_TRY(PH_NEW(&leaps->arena, parts->n_entities, &leaps->n_waiting));
	PH_TRY(PH_NEW(&leaps->arena, parts->n_entities, &leaps->last));
	PH_TRY(PH_NEW(&leaps->arena, n, &leaps->before));
	PH_TRY(PH_NEW(&leaps->arena, n, &leaps->firsts));
	PH_TRY(PH_NEW(&leaps->arena, n, &leaps->leap));
	PH_TRY(PH_NEW(&leaps->arena, n, &leaps->arriving));
	PH_TRY(PH_NEW(&leaps->arena, (size_t) leaps->first[n] + n, &leaps->ready));
	for (uint32_t entity = 0; entity < parts->n_entities; entity++)
		leaps->last[entity] = PH_NONE;
	for (uint32_t i = 0; i < graph->n_edges; i++)
		leaps->before[graph->target[i]]++;
	for (uint32_t p = 0; p < n; p++)
		if (leaps->before[p] == 0)
			leaps->arriving[leaps->n_arriving++] = p;
	return PH_OK;
}

static PhStatus
find_leaps(Leaps *leaps)
{
	uint32_t n = leaps->parts->n_parts, n_done = 0, *now;
	PH_TRY(prepare(leaps));
	PH_TRY(PH_NEW(&leaps->arena, n, &now));
	for (uint32_t number = 0; n_done < n; number++)
	{
		uint32_t before = n_done;
		PH_TRY(do_leap(leaps, number, now, &n_done));
		if (n_done == before)
			return ph_fail(leaps->parts->env, PH_ERR_INTERNAL,
						   "%u parts of a trace of tasks wait for each other", n - n_done);
	}
	return PH_OK;
}

/* --------------------------------------------------------------------------------------- result
 */

typedef struct LeapOrder
{
	const uint32_t *leap, *rank;
} LeapOrder;

static int
compare_leaps(const void *context, uint32_t x, uint32_t y)
{
	const LeapOrder *order = context;
	if (order->leap[x] != order->leap[y])
		return order->leap[x] < order->leap[y] ? -1 : 1;
	return order->rank[x] < order->rank[y] ? -1 : order->rank[x] > order->rank[y];
}

/* number: by old part. */
static void
tell_edges(const Leaps *leaps, const uint32_t *number, PhGraphBuilder *builder)
{
	const PhGraph *graph = leaps->graph;
	for (uint32_t p = 0; p < graph->n_nodes; p++)
		for (uint32_t i = graph->first[p]; i < graph->first[p + 1]; i++)
			ph_graph_edge(builder, number[p], number[graph->target[i]]);
	for (uint32_t i = 0; i < leaps->from.count; i++)
		ph_graph_edge(builder, number[leaps->from.items[i]], number[leaps->to.items[i]]);
}

/*
 * Renumbers parts by (leap, place in the common order), so that all edges go to greater numbers,
 * and makes the graph of the given edges and those along entities.
 */
static PhStatus
renumber(Leaps *leaps, PhArena *arena, PhGraph *out, uint32_t **leap)
{
	PhTaskParts *parts = leaps->parts;
	uint32_t n = parts->n_parts, *order, *number;
	PhGraphBuilder builder;
	LeapOrder context = {leaps->leap, leaps->rank};
	PH_TRY(ph_sort_indices(&leaps->arena, n, compare_leaps, &context, &order));
	PH_TRY(PH_NEW(&leaps->arena, n, &number));
	PH_TRY(PH_NEW(arena, n, leap));
	for (uint32_t i = 0; i < n; i++)
	{
		number[order[i]] = i;
		(*leap)[i] = leaps->leap[order[i]];
	}
	PhStatus status = ph_graph_begin(arena, n, &builder);
	if (status == PH_OK)
	{
		tell_edges(leaps, number, &builder);
		status = ph_graph_fill(&builder);
	}
	if (status == PH_OK)
	{
		tell_edges(leaps, number, &builder);
		status = ph_graph_end(&builder, true, out);
	}
	ph_graph_builder_free(&builder);
	PH_TRY(status);
	return ph_task_parts_regroup(parts, number, n, PH_MERGE_NONE);
}

PhStatus
ph_task_parts_enforce(PhTaskParts *parts, PhArena *arena, PhGraph *graph, uint32_t **leap)
{
	PhGraph given;
	Leaps leaps;
	memset(&leaps, 0, sizeof(leaps));
	leaps.parts = parts;
	leaps.graph = &given;
	ph_arena_init(&leaps.arena, parts->env);
	PhStatus status = ph_task_parts_graph(parts, &leaps.arena, &given);
	if (status == PH_OK)
		status = find_leaps(&leaps);
	if (status == PH_OK)
		status = renumber(&leaps, arena, graph, leap);
	PH_VECTOR_FREE(parts->env, &leaps.from);
	PH_VECTOR_FREE(parts->env, &leaps.to);
	ph_arena_drop(&leaps.arena);
	return status;
}
