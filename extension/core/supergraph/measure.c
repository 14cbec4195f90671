/*
 * measure.c - vectors over columns of supernodes and edges (docs/design/supergraph.md 3.2).
 *
 * Flow is added up. A metric that is not additive is combined as its definition says (min, max,
 * mean, sum) over the cells in which it is present. A ratio is the quotient of two sums.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "supergraph/internal.h"

/* Which members of a supernode count. */
typedef enum Part
{
	PART_MEMBERS, /* all */
	PART_ENTRIES, /* entries of its segments */
	PART_SOURCES, /* entries that are roots */
	PART_EDGE	  /* entries whose caller is in a given supernode */
} Part;

typedef struct Selection
{
	const PhSupergraph *graph;
	Part part;
	uint32_t supernode;
	uint32_t caller; /* PART_EDGE */
} Selection;

static bool
is_selected(const Selection *selection, uint32_t node)
{
	const PhSupergraph *graph = selection->graph;
	const PhSegment *segment = &graph->segments[graph->segment_of[node]];
	if (selection->part == PART_MEMBERS)
		return true;
	if (segment->entry != node)
		return false;
	if (selection->part == PART_ENTRIES)
		return true;
	if (selection->part == PART_SOURCES)
		return segment->parent == PH_NONE;
	return segment->parent != PH_NONE &&
		   graph->segments[segment->parent].supernode == selection->caller;
}

/* The first selected node at or after place *at of the members, or PH_NONE. */
static uint32_t
next_selected(const Selection *selection, uint32_t *at)
{
	const PhSupergraph *graph = selection->graph;
	while (*at < graph->member_start[selection->supernode + 1])
	{
		uint32_t node = graph->members[(*at)++];
		if (is_selected(selection, node))
			return node;
	}
	return PH_NONE;
}

static void
flow_vector(const Selection *selection, uint32_t metric, PhCost cost, double *out)
{
	const PhProfile *profile = selection->graph->profile;
	uint32_t at = selection->graph->member_start[selection->supernode];
	uint32_t node;
	memset(out, 0, profile->n_columns * sizeof(*out));
	while ((node = next_selected(selection, &at)) != PH_NONE)
		for (uint32_t column = 0; column < profile->n_columns; column++)
			out[column] += ph_profile_cell(profile, metric, node, column, cost);
}

/* One column of a metric that is not additive. */
static double
combined_value(const Selection *selection, uint32_t metric, PhCost cost, uint32_t column)
{
	const PhProfile *profile = selection->graph->profile;
	PhCombine combine = (PhCombine) profile->metrics[metric].combine;
	uint32_t at = selection->graph->member_start[selection->supernode];
	uint32_t node;
	uint32_t count = 0;
	double result = 0;
	while ((node = next_selected(selection, &at)) != PH_NONE)
	{
		if (!ph_profile_is_present(profile, node, column))
			continue;
		double value = ph_profile_cell(profile, metric, node, column, cost);
		bool smaller = combine == PH_COMBINE_MIN && value < result;
		bool larger = combine == PH_COMBINE_MAX && value > result;
		if (combine == PH_COMBINE_SUM || combine == PH_COMBINE_MEAN)
			result += value;
		else if (count == 0 || smaller || larger)
			result = value;
		count++;
	}
	return combine == PH_COMBINE_MEAN && count > 0 ? result / count : result;
}

static double
ratio_value(const Selection *selection, uint32_t metric, PhCost cost, uint32_t column)
{
	const PhProfile *profile = selection->graph->profile;
	const PhMetric *ratio = &profile->metrics[metric];
	uint32_t at = selection->graph->member_start[selection->supernode];
	uint32_t node;
	double numerator = 0;
	double denominator = 0;
	while ((node = next_selected(selection, &at)) != PH_NONE)
	{
		numerator += ph_profile_cell(profile, ratio->numerator, node, column, cost);
		denominator += ph_profile_cell(profile, ratio->denominator, node, column, cost);
	}
	return ph_ratio(numerator, denominator);
}

static void
measure(const Selection *selection, uint32_t metric, PhCost cost, double *out)
{
	const PhProfile *profile = selection->graph->profile;
	uint8_t kind = profile->metrics[metric].kind;
	if (kind == PH_METRIC_FLOW)
	{
		flow_vector(selection, metric, cost, out);
		return;
	}
	for (uint32_t column = 0; column < profile->n_columns; column++)
		out[column] = kind == PH_METRIC_RATIO ? ratio_value(selection, metric, cost, column)
											  : combined_value(selection, metric, cost, column);
}

void
ph_supergraph_node_vector(const PhSupergraph *graph, uint32_t node, uint32_t metric, PhCost cost,
						  double *out)
{
	Part part = cost == PH_COST_INCLUSIVE ? PART_ENTRIES : PART_MEMBERS;
	measure(&(Selection){graph, part, node, PH_NONE}, metric, cost, out);
}

void
ph_supergraph_edge_vector(const PhSupergraph *graph, uint32_t edge, uint32_t metric, double *out)
{
	const PhSuperedge *ends = &graph->edges[edge];
	measure(&(Selection){graph, PART_EDGE, ends->target, ends->source}, metric, PH_COST_INCLUSIVE,
			out);
}

void
ph_supergraph_source_vector(const PhSupergraph *graph, uint32_t node, uint32_t metric, double *out)
{
	measure(&(Selection){graph, PART_SOURCES, node, PH_NONE}, metric, PH_COST_INCLUSIVE, out);
}
