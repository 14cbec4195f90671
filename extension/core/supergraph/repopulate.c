/*
 * repopulate.c - bring back what a filter removed (docs/design/supergraph.md 1 and 4).
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

#include "base/name_set.h"
#include "base/text.h"
#include "profile/internal.h"
#include "profile/ops.h"
#include "supergraph/internal.h"

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
	PhImage before, now;
	bool *keep;
	PH_TRY(ph_image_find(arena, whole, graph->profile, &before));
	PH_TRY(ph_image_find(arena, whole, finer, &now));
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
	return ph_arena_printf(arena, out, "repopulate: %.*s down to share %g", ph_text_fit(where, 200),
						   where, share);
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

/*
 * Builds the graph of the richer profile and does the refinements of the old one again, by name;
 * one whose supernode is gone does nothing. Takes the profile over.
 */
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
