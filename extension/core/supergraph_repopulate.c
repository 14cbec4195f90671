/*
 * supergraph_repopulate.c - bring back what a filter removed (supergraph.md 1 and 4).
 *
 * A filter is a view with a parameter, so repopulating asks again: the unfiltered tree that the
 * profile carries is spliced with a smaller share, for all nodes or for those whose cost one
 * supernode absorbed; then the graph is built and its refinements are done again by name. The
 * placement takes the heaviest first, so what comes back, which is light, hardly ever moves what
 * was there.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "name_set.h"
#include "profile_internal.h"
#include "profile_ops.h"
#include "supergraph_internal.h"

/* Which node of a filtered profile every node of the unfiltered one belongs to. */
typedef struct Image
{
	uint32_t *node; /* itself, or its nearest ancestor that was kept */
	bool *kept;
} Image;

/* Children of a profile by (parent, region). */
static PhStatus
index_children(PhArena *arena, const PhProfile *profile, PhMap *map)
{
	ph_map_init(map, arena);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t *found;
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(ph_map_enter(map, ph_map_key(profile->parent[node], profile->region[node]), node,
							&found));
	}
	return PH_OK;
}

/* The regions of one profile by their number in another, PH_NONE where it has none. */
static PhStatus
match_regions(PhArena *arena, const PhProfile *from, const PhProfile *to, uint32_t **out)
{
	PhMap ids;
	ph_map_init(&ids, arena);
	PH_TRY(PH_NEW(arena, from->n_regions, out));
	for (uint32_t i = 0; i < to->n_regions; i++)
	{
		uint32_t *index;
		PH_TRY(ph_map_enter(&ids, to->regions[i].region_id, i, &index));
	}
	for (uint32_t i = 0; i < from->n_regions; i++)
	{
		uint32_t *index;
		PH_TRY(ph_map_enter(&ids, from->regions[i].region_id, PH_NONE, &index));
		(*out)[i] = *index;
	}
	return PH_OK;
}

/*
 * A filter removes a function as a whole, roots excepted; hence a node was kept exactly when its
 * nearest kept ancestor has a child with its identity in the filtered profile.
 */
static PhStatus
find_image(PhArena *arena, const PhProfile *whole, const PhProfile *filtered, Image *out)
{
	PhMap children;
	uint32_t *region;
	PH_TRY(index_children(arena, filtered, &children));
	PH_TRY(match_regions(arena, whole, filtered, &region));
	PH_TRY(PH_NEW(arena, whole->n_nodes, &out->node));
	PH_TRY(PH_NEW(arena, whole->n_nodes, &out->kept));
	for (uint32_t node = 0; node < whole->n_nodes; node++)
	{
		uint32_t parent = whole->parent[node];
		uint32_t above = parent == PH_NONE ? PH_NONE : out->node[parent];
		uint32_t *child;
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(ph_map_enter(&children, ph_map_key(above, region[whole->region[node]]), PH_NONE,
							&child));
		out->kept[node] = *child != PH_NONE;
		out->node[node] = out->kept[node] ? *child : above;
	}
	return PH_OK;
}

/* Whether the supernode absorbed what belongs to this node of its profile. */
static bool
is_below(const PhSupergraph *graph, uint32_t supernode, uint32_t image)
{
	if (supernode == PH_NONE)
		return true;
	return image != PH_NONE && graph->segments[graph->segment_of[image]].supernode == supernode;
}

/* Nodes to keep now: those kept before, and those that reach the share where they are wanted. */
static PhStatus
choose_nodes(PhArena *arena, const PhSupergraph *graph, uint32_t supernode, const PhProfile *finer,
			 bool **out, bool *all)
{
	const PhProfile *whole = graph->profile->unfiltered;
	Image before, now;
	bool *keep;
	PH_TRY(find_image(arena, whole, graph->profile, &before));
	PH_TRY(find_image(arena, whole, finer, &now));
	PH_TRY(PH_NEW(arena, whole->n_nodes, &keep));
	*all = true;
	for (uint32_t node = 0; node < whole->n_nodes; node++)
	{
		bool wanted = now.kept[node] && is_below(graph, supernode, before.node[node]);
		keep[node] = before.kept[node] || wanted;
		*all = *all && keep[node];
	}
	*out = keep;
	return PH_OK;
}

static PhStatus
make_note(PhArena *arena, const PhSupergraph *graph, uint32_t node, double share, const char **out)
{
	const char *where = node == PH_NONE ? "everywhere" : graph->supernodes[node].name;
	return ph_arena_printf(arena, out, "repopulate: %.200s down to share %g", where, share);
}

static uint32_t
flow_metric(const PhProfile *profile)
{
	for (uint32_t metric = 0; metric < profile->n_metrics; metric++)
		if (profile->metrics[metric].kind == PH_METRIC_FLOW)
			return metric;
	return 0;
}

/* The richer profile; it carries the unfiltered one unless all is back. */
static PhStatus
make_profile(PhEnv *env, PhArena *scratch, const PhSupergraph *graph, uint32_t node, double share,
			 PhProfile **out)
{
	const PhProfile *whole = graph->profile->unfiltered;
	PhProfile *finer, *made;
	bool *keep;
	bool all;
	const char *note;
	PH_TRY(make_note(scratch, graph, node, share, &note));
	PH_TRY(ph_profile_filter(env, whole, share, PH_STAT_MEAN, flow_metric(whole), PH_COST_INCLUSIVE,
							 &finer));
	PhStatus status = choose_nodes(scratch, graph, node, finer, &keep, &all);
	ph_profile_free(env, finer);
	PH_TRY(status);
	PH_TRY(ph_profile_splice(env, whole, keep, note, &made));
	if (all)
	{
		ph_profile_free(env, made->unfiltered);
		made->unfiltered = NULL;
	}
	*out = made;
	return PH_OK;
}

static PhStatus
rebuild(PhEnv *env, const PhSupergraph *graph, PhProfile *profile, PhSupergraph **out)
{
	PhGroupBy by;
	PhSupergraph *made;
	PhStatus status = ph_group_by_parse(env, graph->group_by, &by);
	if (status == PH_OK)
		status = ph_supergraph_build(env, profile, by, NULL, &made);
	if (status != PH_OK)
	{
		ph_profile_free(env, profile);
		return status;
	}
	for (uint32_t i = 0; i < graph->n_steps && status == PH_OK; i++)
		status = ph_supergraph_replay(env, &graph->steps[i], &made);
	if (status == PH_OK)
		*out = made;
	else
		ph_supergraph_free(env, made);
	return status;
}

PhStatus
ph_supergraph_repopulate(PhEnv *env, const PhSupergraph *graph, uint32_t node, double share,
						 PhSupergraph **out)
{
	PhProfile *profile;
	PhArena scratch;
	if (!(share >= 0 && share <= 1))
		return ph_fail(env, PH_ERR_VALUE, "share %g is not between 0 and 1", share);
	if (graph->profile->unfiltered == NULL)
		return ph_supergraph_copy(env, graph, out);
	ph_arena_init(&scratch, env);
	PhStatus status = make_profile(env, &scratch, graph, node, share, &profile);
	ph_arena_drop(&scratch);
	PH_TRY(status);
	return rebuild(env, graph, profile, out);
}
