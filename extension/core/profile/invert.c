/*
 * invert.c - bottom-up view: functions as roots, their callers below them.
 *
 * Every node's path to its root is walked into a trie. A node's own cost stays where its path ends,
 * so inclusive = exclusive + children holds: the inclusive cost of a root is the function's
 * exclusive cost, that of its children the part that each caller is responsible for.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "profile/ops.h"
#include "profile/regroup.h"
#include "profile/tree.h"

#define PH_INVERT_STEPS ((uint64_t) 1 << 25) /* sum of the lengths of all paths */

/* The trie, and which node passes where. */
typedef struct Trie
{
	uint32_t n, capacity, region_capacity;
	uint32_t *parent;
	uint32_t *region;
	uint32_t *end_of; /* per old node: where its path ends */
	uint32_t n_steps;
	uint32_t *step_trie; /* per step of every path: trie node */
	uint32_t *step_node; /* and old node */
} Trie;

static PhStatus
enter_child(PhArena *arena, Trie *trie, PhMap *children, uint32_t parent, uint32_t region,
			uint32_t *out)
{
	uint32_t *known;
	PH_TRY(ph_map_enter(children, ph_map_key(parent, region), trie->n, &known));
	*out = *known;
	if (*known < trie->n)
		return PH_OK;
	PH_TRY(PH_GROW(arena, &trie->parent, trie->n, &trie->capacity));
	PH_TRY(PH_GROW(arena, &trie->region, trie->n, &trie->region_capacity));
	trie->parent[trie->n] = parent;
	trie->region[trie->n++] = region;
	return PH_OK;
}

static PhStatus
walk_up(PhArena *arena, const PhProfile *profile, Trie *trie, PhMap *children, uint32_t node)
{
	uint32_t at = PH_NONE;
	for (uint32_t up = node; up != PH_NONE; up = profile->parent[up])
	{
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(enter_child(arena, trie, children, at, profile->region[up], &at));
		trie->step_trie[trie->n_steps] = at;
		trie->step_node[trie->n_steps++] = node;
	}
	trie->end_of[node] = at;
	return PH_OK;
}

/*
 * Puts the path of every node, read from the node up to its root, into a trie, whose roots are the
 * functions and whose children are callers. The work is the sum of all depths, so it is limited.
 */
static PhStatus
build_trie(PhArena *arena, const PhProfile *profile, Trie *trie)
{
	uint64_t steps = 0;
	PhMap children;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		steps += (uint64_t) profile->depth[node] + 1;
	if (steps > PH_INVERT_STEPS)
		return ph_fail_hint(arena->env, PH_ERR_LIMIT,
							"Filter the profile first, or take a subtree.",
							"inverting takes %llu steps, the limit is %llu",
							(unsigned long long) steps, (unsigned long long) PH_INVERT_STEPS);
	ph_map_init(&children, arena);
	PH_TRY(PH_NEW(arena, profile->n_nodes, &trie->end_of));
	PH_TRY(PH_NEW(arena, steps, &trie->step_trie));
	PH_TRY(PH_NEW(arena, steps, &trie->step_node));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		PH_TRY(walk_up(arena, profile, trie, &children, node));
	return PH_OK;
}

/* Members by new node of the steps: which old nodes pass through it. */
static PhStatus
passing_members(PhMaker *maker, const Trie *trie, const uint32_t *place, PhMembers *members)
{
	uint32_t *node_of;
	PH_TRY(PH_NEW(&maker->scratch, trie->n_steps, &node_of));
	for (uint32_t i = 0; i < trie->n_steps; i++)
		node_of[i] = place[trie->step_trie[i]];
	PH_TRY(ph_tree_members(&maker->scratch, trie->n_steps, node_of, maker->profile->n_nodes,
						   &members->start, &members->items));
	for (uint32_t i = 0; i < trie->n_steps; i++)
		members->items[i] = trie->step_node[members->items[i]];
	return PH_OK;
}

/*
 * The bottom-up tree: a node's own cost goes to where its path ends in the trie, while values,
 * presence and marks concern all nodes of the trie that the path passes.
 */
static PhStatus
invert_parts(PhMaker *maker, const PhProfile *profile)
{
	PhArena *scratch = &maker->scratch;
	Trie trie = {0};
	uint32_t *place;
	PhRegroup regroup = {.from = profile};
	PH_TRY(build_trie(scratch, profile, &trie));
	PH_TRY(PH_NEW(scratch, trie.n, &place));
	PhTreeInput input = {trie.n,		   trie.parent,		trie.region, profile->n_regions,
						 profile->regions, profile->strings};
	PH_TRY(ph_tree_build(maker, &input, place));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		trie.end_of[node] = place[trie.end_of[node]];
	PH_TRY(ph_tree_members(scratch, profile->n_nodes, trie.end_of, maker->profile->n_nodes,
						   &regroup.own.start, &regroup.own.items));
	PH_TRY(passing_members(maker, &trie, place, &regroup.same));
	return ph_regroup(maker, &regroup, "invert: callers below functions");
}

static PhStatus
invert_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	(void) arguments;
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = invert_parts(&maker, profile);
	return ph_maker_end(&maker, status, out);
}

PhStatus
ph_profile_invert(PhEnv *env, const PhProfile *profile, PhProfile **out)
{
	return ph_reduce(env, profile, invert_one, NULL, out);
}
