/*
 * means.c - means over columns of all supernodes and edges in one pass.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/table.h"
#include "supergraph/internal.h"

static PhStatus
make_room(PhArena *arena, const PhSupergraph *graph, PhSupergraphMeans *means)
{
	PH_TRY(PH_NEW(arena, graph->n_supernodes, &means->inclusive));
	PH_TRY(PH_NEW(arena, graph->n_supernodes, &means->exclusive));
	PH_TRY(PH_NEW(arena, graph->n_supernodes, &means->absorbed));
	PH_TRY(PH_NEW(arena, graph->n_supernodes, &means->residual));
	PH_TRY(PH_NEW(arena, graph->n_supernodes, &means->source));
	return PH_NEW(arena, graph->n_edges, &means->weight);
}

/* The edge of a segment with a caller; edges are sorted by (source, target). */
static uint32_t
find_edge(const PhSupergraph *graph, uint32_t source, uint32_t target)
{
	uint32_t low = 0;
	uint32_t high = graph->n_edges;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		const PhSuperedge *edge = &graph->edges[middle];
		if (edge->source < source || (edge->source == source && edge->target < target))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
add_entry(const PhSupergraph *graph, const PhSegment *segment, double inclusive,
		  PhSupergraphMeans *means)
{
	means->inclusive[segment->supernode] += inclusive;
	if (segment->parent == PH_NONE)
		means->source[segment->supernode] += inclusive;
	else
	{
		uint32_t caller = graph->segments[segment->parent].supernode;
		means->weight[find_edge(graph, caller, segment->supernode)] += inclusive;
	}
}

static PhStatus
flow_means(PhArena *arena, const PhSupergraph *graph, uint32_t metric, PhSupergraphMeans *means)
{
	const PhProfile *profile = graph->profile;
	bool absorbs = profile->metrics[metric].absorbed != NULL;
	bool has_residual =
		profile->metrics[metric].residual != NULL || profile->metrics[metric].mean_residual != NULL;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		const PhSegment *segment = &graph->segments[graph->segment_of[node]];
		uint32_t at = segment->supernode;
		PH_TRY(ph_env_poll(arena->env));
		means->exclusive[at] += ph_profile_mean(profile, metric, node, PH_COST_EXCLUSIVE);
		if (absorbs)
			means->absorbed[at] += ph_profile_mean(profile, metric, node, PH_COST_ABSORBED);
		if (has_residual)
			means->residual[at] += ph_profile_mean(profile, metric, node, PH_COST_RESIDUAL);
		if (segment->entry == node)
			add_entry(graph, segment, ph_profile_mean(profile, metric, node, PH_COST_INCLUSIVE),
					  means);
	}
	return PH_OK;
}

/* Over all n columns; those that the row lacks count 0. */
static double
mean(const PhSupergraphRow *row, uint32_t n)
{
	double sum = 0;
	for (uint32_t run = 0; run < row->runs.count; run++)
		for (uint32_t i = 0; i < row->runs.items[run].n; i++)
			sum += row->values[row->runs.items[run].first + i];
	return n == 0 ? 0 : sum / n;
}

/* Not additive: the mean of the vector of every supernode and edge. */
static PhStatus
value_means(PhArena *arena, const PhSupergraph *graph, uint32_t metric, PhSupergraphMeans *means)
{
	uint32_t n = graph->profile->n_columns;
	PhSupergraphRow row;
	PH_TRY(ph_supergraph_row_init(&row, arena, n));
	for (uint32_t i = 0; i < graph->n_supernodes; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(ph_supergraph_node_row(&row, graph, i, metric, PH_COST_INCLUSIVE));
		means->inclusive[i] = mean(&row, n);
		PH_TRY(ph_supergraph_node_row(&row, graph, i, metric, PH_COST_EXCLUSIVE));
		means->exclusive[i] = mean(&row, n);
		PH_TRY(ph_supergraph_source_row(&row, graph, i, metric));
		means->source[i] = mean(&row, n);
	}
	for (uint32_t i = 0; i < graph->n_edges; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		PH_TRY(ph_supergraph_edge_row(&row, graph, i, metric));
		means->weight[i] = mean(&row, n);
	}
	return PH_OK;
}

static PhStatus
stored_means(PhArena *arena, const PhSupergraph *graph, uint32_t metric, PhSupergraphMeans *means)
{
	PH_TRY(make_room(arena, graph, means));
	if (graph->profile->metrics[metric].kind == PH_METRIC_FLOW)
		return flow_means(arena, graph, metric, means);
	return value_means(arena, graph, metric, means);
}

static void
divide(double *numerator, const double *denominator, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		numerator[i] = ph_ratio(numerator[i], denominator[i]);
}

PhStatus
ph_supergraph_means(PhArena *arena, const PhSupergraph *graph, uint32_t metric,
					PhSupergraphMeans *out)
{
	const PhMetric *definition = &graph->profile->metrics[metric];
	PhSupergraphMeans means;
	PhSupergraphMeans below;
	if (definition->kind != PH_METRIC_RATIO)
	{
		PH_TRY(stored_means(arena, graph, metric, &means));
		*out = means;
		return PH_OK;
	}
	PH_TRY(stored_means(arena, graph, definition->numerator, &means));
	PH_TRY(stored_means(arena, graph, definition->denominator, &below));
	divide(means.inclusive, below.inclusive, graph->n_supernodes);
	divide(means.exclusive, below.exclusive, graph->n_supernodes);
	divide(means.absorbed, below.absorbed, graph->n_supernodes);
	divide(means.residual, below.residual, graph->n_supernodes);
	divide(means.source, below.source, graph->n_supernodes);
	divide(means.weight, below.weight, graph->n_edges);
	*out = means;
	return PH_OK;
}
