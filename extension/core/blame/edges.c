/*
 * edges.c - see edges.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/edges.h"

#include "base/sort.h"
#include "base/table.h"

typedef struct Edges
{
	PhEnv *env;
	const PhBlameInput *input;
	const PhBlame *blame;
	const uint32_t *wait_nodes;
	PhMap victims; /* (location, node) to a number */
	PhMap edges;   /* (victim, delay) to edge */
	PH_VECTOR(PhBlameEdge) all;
} Edges;

/* Who caused a part of a wait, and a number that nothing else has. */
typedef struct Origin
{
	uint32_t node, location;
	uint32_t number;
	bool is_own;
} Origin;

static const Origin unknown_origin = {PH_NONE, PH_NONE, PH_NONE, false};

/* Of one victim and its call path there is one such origin. */
static Origin
origin_itself(const Edges *edges, uint32_t wait)
{
	return (Origin){edges->wait_nodes[wait], edges->input->waits->waits[wait].victim, PH_NONE - 1,
					true};
}

static Origin
origin_of_delay(const Edges *edges, uint32_t delay)
{
	const PhDelay *its = &edges->blame->delays[delay];
	return (Origin){its->node, its->location, delay, false};
}

static Origin
origin_of_rest(const Edges *edges, uint32_t location)
{
	return (Origin){PH_NONE, location, edges->blame->n_delays + location, false};
}

static PhStatus
add(Edges *edges, uint32_t wait, Origin origin, int64_t ns)
{
	const PhWait *waits = edges->input->waits->waits;
	uint32_t node = edges->wait_nodes[wait], *victim, *found;
	if (ns <= 0)
		return PH_OK;
	PH_TRY(ph_map_enter(&edges->victims, ph_map_key(waits[wait].victim, node), edges->victims.count,
						&victim));
	PH_TRY(
		ph_map_enter(&edges->edges, ph_map_key(*victim, origin.number), edges->all.count, &found));
	if (*found == edges->all.count)
	{
		PH_TRY(PH_ROOM(edges->env, &edges->all));
		edges->all.items[edges->all.count++] = (PhBlameEdge){.origin_node = origin.node,
															 .origin = origin.location,
															 .victim_node = node,
															 .victim = waits[wait].victim,
															 .is_own = origin.is_own};
	}
	edges->all.items[*found].ns += ns;
	if (waits[wait].is_inferred && waits[wait].kind != PH_WAIT_DEVICE)
		edges->all.items[*found].inferred += ns;
	edges->all.items[*found].n_waits++;
	return PH_OK;
}

/* What of a wait of so many ns, of which so many are left, is its share; they are left no more. */
static int64_t
take_share(int64_t ns, float share, int64_t *left)
{
	double wanted = (double) ns * (double) share;
	int64_t taken = wanted < (double) *left ? (int64_t) wanted : *left;
	*left -= taken;
	return taken;
}

static PhStatus
share_out(Edges *edges, uint32_t index)
{
	const PhWait *wait = &edges->input->waits->waits[index];
	const PhWaitOrigins *origins = &edges->blame->origins[index];
	int64_t ns = wait->to - wait->from, left = ns;
	if (wait->passage != PH_NO_PASSAGE || wait->to <= edges->input->from ||
		wait->to > edges->input->to)
		return PH_OK;
	if (wait->kind == PH_WAIT_IO)
		return add(edges, index, origin_itself(edges, index), ns);
	for (uint32_t i = 0; i < PH_WAIT_ORIGINS && origins->largest[i].delay != PH_NONE; i++)
		PH_TRY(add(edges, index, origin_of_delay(edges, origins->largest[i].delay),
				   take_share(ns, origins->largest[i].share, &left)));
	for (uint32_t i = 0; i < PH_WAIT_RESTS && origins->rests[i].location != PH_NONE; i++)
		PH_TRY(add(edges, index, origin_of_rest(edges, origins->rests[i].location),
				   take_share(ns, origins->rests[i].share, &left)));
	return add(edges, index, unknown_origin, left);
}

#define COMPARE(x, y)                                                                              \
	if ((x) != (y))                                                                                \
	return (x) < (y) ? -1 : 1

static bool
is_node_before(const uint64_t *keys, uint32_t x, uint32_t y)
{
	return x == PH_NONE || (y != PH_NONE && keys[x] < keys[y]);
}

static int
compare_edges(const void *context, uint32_t x, uint32_t y)
{
	const Edges *edges = context;
	const PhBlameEdge *a = &edges->all.items[x], *b = &edges->all.items[y];
	const uint64_t *keys = edges->input->node_keys;
	COMPARE(b->ns, a->ns);
	COMPARE(a->victim, b->victim);
	COMPARE(a->origin, b->origin);
	if (a->victim_node != b->victim_node)
		return is_node_before(keys, a->victim_node, b->victim_node) ? -1 : 1;
	if (a->origin_node != b->origin_node)
		return is_node_before(keys, a->origin_node, b->origin_node) ? -1 : 1;
	COMPARE(a->is_own, b->is_own);
	return 0;
}

static PhStatus
collect(Edges *edges, PhArena *scratch, PhArena *arena, PhBlameEdge **out)
{
	uint32_t *order;
	ph_map_init(&edges->victims, scratch);
	ph_map_init(&edges->edges, scratch);
	for (uint32_t i = 0; i < edges->input->waits->n; i++)
	{
		PH_TRY(ph_env_poll(edges->env));
		PH_TRY(share_out(edges, i));
	}
	PH_TRY(ph_sort_indices(scratch, edges->all.count, compare_edges, edges, &order));
	PH_TRY(PH_NEW(arena, edges->all.count, out));
	for (uint32_t i = 0; i < edges->all.count; i++)
		(*out)[i] = edges->all.items[order[i]];
	return PH_OK;
}

PhStatus
ph_blame_edges(PhArena *arena, const PhBlameInput *input, const PhBlame *blame,
			   const uint32_t *wait_nodes, const PhBlameEdge **out, uint32_t *n)
{
	Edges edges = {.env = arena->env, .input = input, .blame = blame, .wait_nodes = wait_nodes};
	PhArena scratch;
	PhBlameEdge *sorted = NULL;
	ph_arena_init(&scratch, arena->env);
	PhStatus status = collect(&edges, &scratch, arena, &sorted);
	*out = sorted;
	*n = edges.all.count;
	PH_VECTOR_FREE(arena->env, &edges.all);
	ph_arena_drop(&scratch);
	return status;
}
