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

static PhStatus
add(Edges *edges, uint32_t wait, uint32_t delay, int64_t ns)
{
	const PhWait *waits = edges->input->waits->waits;
	uint32_t node = edges->wait_nodes[wait], *victim, *found;
	if (ns <= 0)
		return PH_OK;
	PH_TRY(ph_map_enter(&edges->victims, ph_map_key(waits[wait].victim, node), edges->victims.count,
						&victim));
	PH_TRY(ph_map_enter(&edges->edges, ph_map_key(*victim, delay), edges->all.count, &found));
	if (*found == edges->all.count)
	{
		PhBlameEdge edge = {.origin_node = PH_NONE,
							.origin = PH_NONE,
							.victim_node = node,
							.victim = waits[wait].victim};
		if (delay != PH_NONE)
		{
			edge.origin_node = edges->blame->delays[delay].node;
			edge.origin = edges->blame->delays[delay].location;
		}
		PH_TRY(PH_ROOM(edges->env, &edges->all));
		edges->all.items[edges->all.count++] = edge;
	}
	edges->all.items[*found].ns += ns;
	if (waits[wait].is_inferred && waits[wait].kind != PH_WAIT_DEVICE)
		edges->all.items[*found].inferred += ns;
	edges->all.items[*found].n_waits++;
	return PH_OK;
}

static PhStatus
share_out(Edges *edges, uint32_t index)
{
	const PhWait *wait = &edges->input->waits->waits[index];
	const PhWaitOrigins *origins = &edges->blame->origins[index];
	int64_t left = wait->to - wait->from;
	if (wait->passage != PH_NO_PASSAGE || wait->to <= edges->input->from ||
		wait->to > edges->input->to)
		return PH_OK;
	for (uint32_t i = 0; i < PH_WAIT_ORIGINS && origins->largest[i].delay != PH_NONE; i++)
	{
		double share = (double) (wait->to - wait->from) * (double) origins->largest[i].share;
		int64_t ns = share < (double) left ? (int64_t) share : left;
		PH_TRY(add(edges, index, origins->largest[i].delay, ns));
		left -= ns;
	}
	return add(edges, index, PH_NONE, left);
}

#define COMPARE(x, y)                                                                              \
	if ((x) != (y))                                                                                \
	return (x) < (y) ? -1 : 1

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
		return a->victim_node == PH_NONE ||
					   (b->victim_node != PH_NONE && keys[a->victim_node] < keys[b->victim_node])
				   ? -1
				   : 1;
	if (a->origin_node != b->origin_node)
		return keys[a->origin_node] < keys[b->origin_node] ? -1 : 1;
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
