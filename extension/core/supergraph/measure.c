/*
 * measure.c - vectors over columns of supernodes and edges (docs/design/supergraph.md 3.2).
 *
 * Flow is added up. A metric that is not additive is combined as its definition says (min, max,
 * mean, sum) over the cells in which it is present. A ratio is the quotient of two sums.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
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

/*
 * The last selected node before place *at of the members, or PH_NONE. From the last to the first,
 * as the rows of stored runs come: whoever adds those up as they come gets the same bits.
 */
static uint32_t
next_selected(const Selection *selection, uint32_t *at)
{
	const PhSupergraph *graph = selection->graph;
	while (*at > graph->member_start[selection->supernode])
	{
		uint32_t node = graph->members[--*at];
		if (is_selected(selection, node))
			return node;
	}
	return PH_NONE;
}

/* ---- adding up ---- */

/* What was found so far for columns from `first` on: values, and in how many nodes. */
typedef struct Found
{
	uint32_t first;
	double *values;
	uint32_t *counts; /* NULL: of flow, which needs none */
} Found;

static void
add_flow(const PhProfile *profile, uint32_t metric, PhCost cost, const PhRowSpan *span, double *to)
{
	const PhMetric *m = &profile->metrics[metric];
	const double *array = cost == PH_COST_INCLUSIVE	  ? m->inclusive
						  : cost == PH_COST_EXCLUSIVE ? m->exclusive
													  : NULL;
	for (uint32_t i = 0; array != NULL && i < span->n; i++)
		to[i] += array[span->cell + i];
	for (uint32_t i = 0; array == NULL && i < span->n; i++)
		to[i] += ph_profile_value(profile, metric, span->cell + i, cost);
}

/* One more value of a metric that is not additive. */
static double
combine(PhCombine how, uint32_t count, double result, double value)
{
	bool smaller = how == PH_COMBINE_MIN && value < result;
	bool larger = how == PH_COMBINE_MAX && value > result;
	if (how == PH_COMBINE_SUM || how == PH_COMBINE_MEAN)
		return result + value;
	return count == 0 || smaller || larger ? value : result;
}

static void
add_span(const PhProfile *profile, uint32_t metric, PhCost cost, const PhRowSpan *span,
		 const Found *found)
{
	PhCombine how = (PhCombine) profile->metrics[metric].combine;
	double *to = found->values + (span->first - found->first);
	if (found->counts == NULL)
	{
		add_flow(profile, metric, cost, span, to);
		return;
	}
	for (uint32_t i = 0; i < span->n; i++)
	{
		uint32_t *count = &found->counts[span->first - found->first + i];
		double value = ph_profile_value(profile, metric, span->cell + i, cost);
		to[i] = combine(how, *count, to[i], value);
		++*count;
	}
}

/* The cells of all selected nodes in the columns [found->first, end). */
static void
add_selected(const Selection *selection, uint32_t metric, PhCost cost, uint32_t end,
			 const Found *found)
{
	const PhProfile *profile = selection->graph->profile;
	uint32_t at = selection->graph->member_start[selection->supernode + 1];
	uint32_t node;
	while ((node = next_selected(selection, &at)) != PH_NONE)
	{
		PhRow row = ph_profile_row(profile, node);
		for (uint32_t i = ph_row_find_run(&row, 0, found->first); i < row.n_runs; i++)
		{
			PhRowSpan span = ph_row_span(&row, i);
			uint32_t skipped = span.first < found->first ? found->first - span.first : 0;
			if (span.first >= end)
				break;
			span = (PhRowSpan){span.first + skipped, span.n - skipped, span.cell + skipped};
			span.n = PH_MIN(span.n, end - span.first);
			add_span(profile, metric, cost, &span, found);
		}
	}
}

static double
settled(const PhMetric *metric, double value, uint32_t count)
{
	return metric->combine == PH_COMBINE_MEAN && count > 0 ? value / count : value;
}

/* ---- vectors ---- */

#define PH_STACK_COLUMNS 256 /* columns whose counts and denominators fit on the stack */

static void
value_block(const Selection *selection, uint32_t metric, PhCost cost, uint32_t first, uint32_t end,
			double *out)
{
	uint32_t counts[PH_STACK_COLUMNS] = {0};
	Found found = {first, out + first, counts};
	add_selected(selection, metric, cost, end, &found);
	for (uint32_t i = 0; i < end - first; i++)
		found.values[i] =
			settled(&selection->graph->profile->metrics[metric], found.values[i], counts[i]);
}

static void
ratio_block(const Selection *selection, const PhMetric *ratio, PhCost cost, uint32_t first,
			uint32_t end, double *out)
{
	double below[PH_STACK_COLUMNS] = {0};
	Found over = {first, out + first, NULL}, under = {first, below, NULL};
	add_selected(selection, ratio->numerator, cost, end, &over);
	add_selected(selection, ratio->denominator, cost, end, &under);
	for (uint32_t i = 0; i < end - first; i++)
		over.values[i] = ph_ratio(over.values[i], below[i]);
}

static void
measure(const Selection *selection, uint32_t metric, PhCost cost, double *out)
{
	const PhProfile *profile = selection->graph->profile;
	const PhMetric *m = &profile->metrics[metric];
	uint32_t n = profile->n_columns;
	memset(out, 0, n * sizeof(*out));
	if (m->kind == PH_METRIC_FLOW)
		add_selected(selection, metric, cost, n, &(Found){0, out, NULL});
	for (uint32_t first = 0; m->kind != PH_METRIC_FLOW && first < n; first += PH_STACK_COLUMNS)
	{
		uint32_t left = n - first;
		uint32_t end = first + PH_MIN(left, PH_STACK_COLUMNS);
		if (m->kind == PH_METRIC_RATIO)
			ratio_block(selection, m, cost, first, end, out);
		else
			value_block(selection, metric, cost, first, end, out);
	}
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

/* ---- columns that there are ---- */

PhStatus
ph_supergraph_row_init(PhSupergraphRow *row, PhArena *arena, uint32_t n_columns)
{
	*row = (PhSupergraphRow){.arena = arena};
	PH_TRY(ph_column_set_init(&row->set, arena, n_columns));
	PH_TRY(PH_NEW(arena, n_columns, &row->values));
	PH_TRY(PH_NEW(arena, n_columns, &row->below));
	return PH_NEW(arena, n_columns, &row->counts);
}

static void
clear_row(PhSupergraphRow *row)
{
	for (uint32_t i = 0; i < row->runs.count; i++)
	{
		uint32_t first = row->runs.items[i].first, n = row->runs.items[i].n;
		memset(row->values + first, 0, n * sizeof(*row->values));
		memset(row->below + first, 0, n * sizeof(*row->below));
		memset(row->counts + first, 0, n * sizeof(*row->counts));
	}
	row->runs.count = 0;
	row->n = 0;
}

/* The columns of all selected nodes. */
static PhStatus
find_columns(const Selection *selection, PhSupergraphRow *row)
{
	const PhProfile *profile = selection->graph->profile;
	uint32_t at = selection->graph->member_start[selection->supernode + 1];
	uint32_t node;
	while ((node = next_selected(selection, &at)) != PH_NONE)
	{
		PhRowWalk walk = ph_row_walk(profile, node);
		PH_TRY(ph_env_poll(row->arena->env));
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			ph_column_set_add(&row->set, span.first, span.n);
	}
	PH_TRY(ph_column_set_take(&row->set, row->arena, &row->runs));
	for (uint32_t i = 0; i < row->runs.count; i++)
		row->n += row->runs.items[i].n;
	return PH_OK;
}

static PhStatus
measure_row(const Selection *selection, uint32_t metric, PhCost cost, PhSupergraphRow *row)
{
	const PhProfile *profile = selection->graph->profile;
	const PhMetric *m = &profile->metrics[metric];
	bool is_ratio = m->kind == PH_METRIC_RATIO;
	clear_row(row);
	PH_TRY(find_columns(selection, row));
	Found found = {0, row->values, m->kind == PH_METRIC_VALUE ? row->counts : NULL};
	add_selected(selection, is_ratio ? m->numerator : metric, cost, profile->n_columns, &found);
	if (is_ratio)
		add_selected(selection, m->denominator, cost, profile->n_columns,
					 &(Found){0, row->below, NULL});
	for (uint32_t i = 0; i < row->runs.count && m->kind != PH_METRIC_FLOW; i++)
		for (uint32_t c = row->runs.items[i].first, n = 0; n < row->runs.items[i].n; c++, n++)
			row->values[c] = is_ratio ? ph_ratio(row->values[c], row->below[c])
									  : settled(m, row->values[c], row->counts[c]);
	return PH_OK;
}

PhStatus
ph_supergraph_node_row(PhSupergraphRow *row, const PhSupergraph *graph, uint32_t node,
					   uint32_t metric, PhCost cost)
{
	Part part = cost == PH_COST_INCLUSIVE ? PART_ENTRIES : PART_MEMBERS;
	return measure_row(&(Selection){graph, part, node, PH_NONE}, metric, cost, row);
}

PhStatus
ph_supergraph_edge_row(PhSupergraphRow *row, const PhSupergraph *graph, uint32_t edge,
					   uint32_t metric)
{
	const PhSuperedge *ends = &graph->edges[edge];
	return measure_row(&(Selection){graph, PART_EDGE, ends->target, ends->source}, metric,
					   PH_COST_INCLUSIVE, row);
}

PhStatus
ph_supergraph_source_row(PhSupergraphRow *row, const PhSupergraph *graph, uint32_t node,
						 uint32_t metric)
{
	return measure_row(&(Selection){graph, PART_SOURCES, node, PH_NONE}, metric, PH_COST_INCLUSIVE,
					   row);
}
