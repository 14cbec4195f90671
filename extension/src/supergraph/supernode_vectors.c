/*
 * supernode_vectors.c - vectors over columns of supernodes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

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

PhSupergraphRow
ph_supernode_row(PhScratch *scratch, const PhSupergraph *graph)
{
	PhSupergraphRow row;
	PH_CHECK(&scratch->env,
			 ph_supergraph_row_init(&row, &scratch->arena, graph->profile->n_columns));
	return row;
}

/* Of n columns, those that the row lacks count 0; values that are not a number do not count. */
static void
find_extremes(const PhSupergraphRow *row, uint32 n, bool is_ratio, double *min, double *max)
{
	*min = *max = row->n < n && !is_ratio ? 0 : NAN;
	for (uint32 run = 0; run < row->runs.count; run++)
		for (uint32 i = 0; i < row->runs.items[run].n; i++)
		{
			double value = row->values[row->runs.items[run].first + i];
			if (isnan(*min) || value < *min)
				*min = value;
			if (isnan(*max) || value > *max)
				*max = value;
		}
}

PhExtremes
ph_supernode_extremes(PhScratch *scratch, const PhSupergraph *graph, uint32 metric)
{
	PhExtremes extremes;
	PhArena *arena = &scratch->arena;
	uint32 n_columns = graph->profile->n_columns;
	bool is_ratio = graph->profile->metrics[metric].kind == PH_METRIC_RATIO;
	PhSupergraphRow row = ph_supernode_row(scratch, graph);
	double ignored;
	PH_CHECK(&scratch->env, PH_NEW(arena, graph->n_supernodes, &extremes.inclusive_min));
	PH_CHECK(&scratch->env, PH_NEW(arena, graph->n_supernodes, &extremes.inclusive_max));
	PH_CHECK(&scratch->env, PH_NEW(arena, graph->n_supernodes, &extremes.exclusive_max));
	for (uint32 v = 0; v < graph->n_supernodes; v++)
	{
		PH_CHECK(&scratch->env, ph_supergraph_node_row(&row, graph, v, metric, PH_COST_INCLUSIVE));
		find_extremes(&row, n_columns, is_ratio, &extremes.inclusive_min[v],
					  &extremes.inclusive_max[v]);
		PH_CHECK(&scratch->env, ph_supergraph_node_row(&row, graph, v, metric, PH_COST_EXCLUSIVE));
		find_extremes(&row, n_columns, is_ratio, &ignored, &extremes.exclusive_max[v]);
		PH_CHECK(&scratch->env, ph_env_poll(&scratch->env));
	}
	return extremes;
}
