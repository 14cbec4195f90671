/*
 * intersect.c - the part of a tree that another profile, or every column, has too.
 *
 * A node's ancestors are present where it is, so what is left is the tree without some subtrees.
 * Their cost is absorbed by the node that they hung below, as a filter does; whole trees that are
 * not in common go with their cost, since nobody is left to have it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "profile/ops.h"
#include "profile/regroup.h"
#include "profile/tree.h"

typedef struct Intersection
{
	const bool *keep;
	const char *note;
} Intersection;

/*
 * As splicing a filter's result, but trees whose root is not kept go with all their cost, as no
 * ancestor is left to absorb it.
 */
static PhStatus
intersect_parts(PhMaker *maker, const PhProfile *profile, const Intersection *intersection)
{
	PhArena *scratch = &maker->scratch;
	uint32_t n = profile->n_nodes, *node_of, *same_of;
	bool *is_absorbed;
	PhRegroup regroup = {.from = profile, .keep_inclusive = true};
	PH_TRY(PH_NEW(scratch, n, &node_of));
	PH_TRY(PH_NEW(scratch, n, &same_of));
	PH_TRY(PH_NEW(scratch, n, &is_absorbed));
	PH_TRY(ph_regroup_tree(maker, profile, intersection->keep, node_of));
	for (uint32_t node = 0; node < n; node++)
	{
		bool kept = intersection->keep[node];
		is_absorbed[node] = !kept;
		same_of[node] = kept ? node_of[node] : PH_NONE;
		if (!kept && node_of[node] != PH_NONE)
			regroup.is_absorbed = is_absorbed;
	}
	uint32_t n_new = maker->profile->n_nodes;
	PH_TRY(ph_tree_members(scratch, n, node_of, n_new, &regroup.own.start, &regroup.own.items));
	PH_TRY(ph_tree_members(scratch, n, same_of, n_new, &regroup.same.start, &regroup.same.items));
	return ph_regroup(maker, &regroup, intersection->note);
}

static PhStatus
intersect_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = intersect_parts(&maker, profile, arguments);
	return ph_maker_end(&maker, status, out);
}

static PhStatus
keep_common(PhEnv *env, const PhProfile *profile, const bool *keep, const char *what,
			PhProfile **out)
{
	char note[96];
	uint32_t n_kept = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		n_kept += keep[node];
	if (n_kept == 0)
		return ph_fail(env, PH_ERR_NOT_FOUND, "the %s have no node in common", what);
	snprintf(note, sizeof(note), "intersect: %u of %u nodes, which the %s have in common", n_kept,
			 profile->n_nodes, what);
	Intersection intersection = {keep, note};
	return ph_reduce(env, profile, intersect_one, &intersection, out);
}

/*
 * Both trees are in pre-order with siblings in order of identity, so one walk through both meets
 * every pair: what is compared always hangs below a pair, or is a root.
 */
PhStatus
ph_profile_pair_nodes(PhEnv *env, const PhProfile *a, const PhProfile *b, uint32_t *node_of)
{
	uint32_t i = 0, j = 0;
	memset(node_of, 0xff, a->n_nodes * sizeof(*node_of));
	while (i < a->n_nodes && j < b->n_nodes)
	{
		int order = (a->depth[i] < b->depth[j]) - (a->depth[i] > b->depth[j]);
		PH_TRY(ph_env_poll(env));
		if (order == 0)
			order = ph_region_compare(a, ph_profile_region(a, i), b, ph_profile_region(b, j));
		if (order < 0)
			i = a->subtree_end[i];
		else if (order > 0)
			j = b->subtree_end[j];
		else
			node_of[i++] = j++;
	}
	return PH_OK;
}

static PhStatus
find_common(PhArena *scratch, const PhProfile *a, const PhProfile *b, bool **keep)
{
	uint32_t *node_of;
	PH_TRY(PH_NEW(scratch, a->n_nodes, keep));
	PH_TRY(PH_NEW(scratch, a->n_nodes, &node_of));
	PH_TRY(ph_profile_pair_nodes(scratch->env, a, b, node_of));
	for (uint32_t node = 0; node < a->n_nodes; node++)
		(*keep)[node] = node_of[node] != PH_NONE && ph_profile_n_present(a, node) > 0 &&
						ph_profile_n_present(b, node_of[node]) > 0;
	return PH_OK;
}

PhStatus
ph_profile_intersect(PhEnv *env, const PhProfile *a, const PhProfile *b, PhProfile **out)
{
	PhArena scratch;
	bool *keep;
	ph_arena_init(&scratch, env);
	PhStatus status = find_common(&scratch, a, b, &keep);
	if (status == PH_OK)
		status = keep_common(env, a, keep, "profiles", out);
	ph_arena_drop(&scratch);
	return status;
}

static PhStatus
find_everywhere(PhArena *scratch, const PhProfile *profile, bool **keep)
{
	PH_TRY(PH_NEW(scratch, profile->n_nodes, keep));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		(*keep)[node] = ph_profile_n_present(profile, node) == profile->n_columns;
	return PH_OK;
}

PhStatus
ph_profile_intersect_columns(PhEnv *env, const PhProfile *profile, PhProfile **out)
{
	PhArena scratch;
	bool *keep;
	ph_arena_init(&scratch, env);
	PhStatus status = find_everywhere(&scratch, profile, &keep);
	if (status == PH_OK)
		status = keep_common(env, profile, keep, "columns", out);
	ph_arena_drop(&scratch);
	return status;
}
