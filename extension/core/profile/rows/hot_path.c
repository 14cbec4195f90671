/*
 * hot_path.c - from a root down to the hot spot (docs/design/supergraph.md 7).
 *
 * A difference is followed where its amount is largest, whatever its sign.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "profile/rows/rows.h"

typedef struct Walk
{
	PhEnv *env;
	const PhProfile *profile;
	uint32_t metric;
	double share;
} Walk;

static double
weight(const Walk *walk, uint32_t node)
{
	double value = ph_profile_mean(walk->profile, walk->metric, node, PH_COST_INCLUSIVE);
	if (isnan(value))
		return 0;
	return walk->profile->metrics[walk->metric].is_signed ? fabs(value) : value;
}

/* The heaviest of the siblings in [first, end), the first one of equals; PH_NONE: there is none. */
static PhStatus
find_heaviest(const Walk *walk, uint32_t first, uint32_t end, uint32_t *out, double *heaviest)
{
	uint32_t best = PH_NONE;
	for (uint32_t node = first; node < end; node = walk->profile->subtree_end[node])
	{
		PH_TRY(ph_env_poll(walk->env));
		double value = weight(walk, node);
		if (best != PH_NONE && value <= *heaviest)
			continue;
		best = node;
		*heaviest = value;
	}
	*out = best;
	return PH_OK;
}

/*
 * Writes the hot path from a node on: as long as the heaviest child weighs more than 0 and at least
 * `share` of the node.
 */
static PhStatus
walk_down(const Walk *walk, uint32_t node, uint32_t *path, uint32_t *n_path)
{
	double value = weight(walk, node);
	uint32_t count = 0;
	while (node != PH_NONE)
	{
		uint32_t child;
		double next = 0;
		path[count++] = node;
		PH_TRY(find_heaviest(walk, node + 1, walk->profile->subtree_end[node], &child, &next));
		bool hot = next > 0 && next >= walk->share * value;
		node = hot ? child : PH_NONE;
		value = next;
	}
	*n_path = count;
	return PH_OK;
}

static uint32_t
deepest(const PhProfile *profile)
{
	uint32_t depth = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (profile->depth[node] > depth)
			depth = profile->depth[node];
	return depth;
}

PhStatus
ph_rows_hot_path(PhArena *arena, const PhProfile *profile, uint32_t metric, double share,
				 uint32_t start, uint32_t **nodes, uint32_t *n_nodes)
{
	Walk walk = {arena->env, profile, metric, share};
	uint32_t *path;
	double value;
	if (!(share >= 0 && share <= 1))
		return ph_fail(arena->env, PH_ERR_VALUE,
					   "the share of a hot path must be from 0 to 1, not %g", share);
	if (start != PH_NONE && start >= profile->n_nodes)
		return ph_fail(arena->env, PH_ERR_NOT_FOUND, "the profile has no node %u, only 0 to %u",
					   start, profile->n_nodes - 1);
	if (start == PH_NONE)
		PH_TRY(find_heaviest(&walk, 0, profile->n_nodes, &start, &value));
	PH_TRY(PH_NEW(arena, (size_t) deepest(profile) + 1, &path));
	PH_TRY(walk_down(&walk, start, path, n_nodes));
	*nodes = path;
	return PH_OK;
}
