/*
 * supernode_vectors.c - vectors over columns of supernodes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "supergraph/supernode_vectors.h"

double *
ph_supernode_vector(PhScratch *scratch, const PhSupergraph *graph, uint32 node, uint32 metric,
					PhCost cost)
{
	double *vector = NULL;
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, graph->profile->n_columns, &vector));
	ph_supergraph_node_vector(graph, node, metric, cost, vector);
	return vector;
}

bool *
ph_supernode_presence(PhScratch *scratch, const PhSupergraph *graph)
{
	const PhProfile *profile = graph->profile;
	uint32 width = profile->n_columns;
	bool *has = NULL;
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, (size_t) graph->n_supernodes * width, &has));
	for (uint32 n = 0; n < profile->n_nodes; n++)
	{
		bool *row = has + (size_t) graph->segments[graph->segment_of[n]].supernode * width;
		PH_CHECK(&scratch->env, ph_env_poll(&scratch->env));
		for (uint32 c = 0; c < width; c++)
			row[c] = row[c] || ph_profile_is_present(profile, n, c);
	}
	return has;
}

static void
find_extremes(const double *vector, uint32 n, double *min, double *max)
{
	*min = n > 0 ? vector[0] : 0;
	*max = *min;
	for (uint32 c = 1; c < n; c++)
	{
		*min = Min(*min, vector[c]);
		*max = Max(*max, vector[c]);
	}
}

PhExtremes
ph_supernode_extremes(PhScratch *scratch, const PhSupergraph *graph, uint32 metric)
{
	PhExtremes extremes;
	PhArena *arena = &scratch->arena;
	uint32 n_columns = graph->profile->n_columns;
	double *vector = NULL;
	double ignored;
	PH_CHECK(&scratch->env, PH_NEW(arena, graph->n_supernodes, &extremes.inclusive_min));
	PH_CHECK(&scratch->env, PH_NEW(arena, graph->n_supernodes, &extremes.inclusive_max));
	PH_CHECK(&scratch->env, PH_NEW(arena, graph->n_supernodes, &extremes.exclusive_max));
	PH_CHECK(&scratch->env, PH_NEW(arena, n_columns, &vector));
	for (uint32 v = 0; v < graph->n_supernodes; v++)
	{
		ph_supergraph_node_vector(graph, v, metric, PH_COST_INCLUSIVE, vector);
		find_extremes(vector, n_columns, &extremes.inclusive_min[v], &extremes.inclusive_max[v]);
		ph_supergraph_node_vector(graph, v, metric, PH_COST_EXCLUSIVE, vector);
		find_extremes(vector, n_columns, &ignored, &extremes.exclusive_max[v]);
		PH_CHECK(&scratch->env, ph_env_poll(&scratch->env));
	}
	return extremes;
}
