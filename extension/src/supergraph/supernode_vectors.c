/*
 * supernode_vectors.c - vectors over columns of supernodes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "profile/stored_values.h"
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

static PhExtremes
new_extremes(PhScratch *scratch, uint32 n)
{
	PhExtremes extremes;
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &extremes.inclusive_min));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &extremes.inclusive_max));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &extremes.exclusive_max));
	return extremes;
}

static PhExtremes
extremes_of_values(PhScratch *scratch, const PhSupergraph *graph, uint32 metric)
{
	PhExtremes extremes = new_extremes(scratch, graph->n_supernodes);
	uint32 n_columns = graph->profile->n_columns;
	bool is_ratio = graph->profile->metrics[metric].kind == PH_METRIC_RATIO;
	PhSupergraphRow row = ph_supernode_row(scratch, graph);
	double ignored;
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

/* ---- of packed rows ---- */

/* Vectors of all supernodes, [supernode * n_columns + column]. */
typedef struct Vectors
{
	const PhSupergraph *graph;
	uint32 n_columns;
	double *inclusive, *exclusive;
} Vectors;

static void
add_values(double *to, const double *from, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		to[i] += from[i];
}

static PhStatus
add_row(void *user, const PhStreamedRow *row)
{
	const Vectors *vectors = user;
	const PhSegment *segment = &vectors->graph->segments[vectors->graph->segment_of[row->node]];
	size_t start = (size_t) segment->supernode * vectors->n_columns;
	PhRunWalk walk = {0};
	uint32 first, n, cell = 0;
	for (; ph_block_next_run(row->block, row->row, &walk, &first, &n); cell += n)
	{
		size_t at = start + row->stripe * PH_STRIPE_COLUMNS + first;
		add_values(vectors->exclusive + at, row->exclusive + cell, n);
		if (segment->entry == row->node)
			add_values(vectors->inclusive + at, row->inclusive + cell, n);
	}
	return PH_OK;
}

static void
find_range(const double *vector, uint32 n, double *min, double *max)
{
	*min = *max = n > 0 ? vector[0] : NAN;
	for (uint32 i = 1; i < n; i++)
	{
		*min = vector[i] < *min ? vector[i] : *min;
		*max = vector[i] > *max ? vector[i] : *max;
	}
}

static PhExtremes
extremes_of_rows(PhScratch *scratch, PhValue *value, uint32 metric)
{
	const PhSupergraph *graph = value->graph;
	PhExtremes extremes = new_extremes(scratch, graph->n_supernodes);
	Vectors vectors = {.graph = graph, .n_columns = graph->profile->n_columns};
	size_t n = (size_t) graph->n_supernodes * vectors.n_columns;
	double ignored;
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &vectors.inclusive));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &vectors.exclusive));
	ph_value_stream(value, metric, false, add_row, &vectors);
	for (uint32 v = 0; v < graph->n_supernodes; v++)
	{
		size_t start = (size_t) v * vectors.n_columns;
		find_range(vectors.inclusive + start, vectors.n_columns, &extremes.inclusive_min[v],
				   &extremes.inclusive_max[v]);
		find_range(vectors.exclusive + start, vectors.n_columns, &ignored,
				   &extremes.exclusive_max[v]);
	}
	return extremes;
}

PhExtremes
ph_supernode_extremes(PhScratch *scratch, PhValue *value, uint32 metric)
{
	const PhSupergraph *graph = value->graph;
	bool is_flow = graph->profile->metrics[metric].kind == PH_METRIC_FLOW;
	if (value->stored != NULL && is_flow && graph->n_supernodes < graph->profile->n_nodes / 8)
		return extremes_of_rows(scratch, value, metric);
	ph_value_unpack(value);
	return extremes_of_values(scratch, graph, metric);
}
