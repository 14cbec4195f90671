/*
 * result.c - what a call tree holds: nodes, cells, a profile; trees of threads together.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "trace/tree/internal.h"

#define NS_PER_SECOND 1e9
#define MOST_NAME 300

uint32_t
ph_trace_tree_n_nodes(const PhTraceTree *tree)
{
	return tree->n_nodes;
}

uint32_t
ph_trace_tree_parent(const PhTraceTree *tree, uint32_t node)
{
	return tree->parent[node];
}

uint32_t
ph_trace_tree_region(const PhTraceTree *tree, uint32_t node)
{
	return tree->region[node];
}

bool
ph_trace_tree_has_calls(const PhTraceTree *tree, uint32_t location)
{
	return location < tree->n_has_calls && tree->has_calls[location];
}

uint64_t
ph_trace_tree_resets(const PhTraceTree *tree)
{
	return tree->n_resets;
}

/* ---- trees of threads ---- */

static PhStatus
merge_nodes(PhTraceTree *tree, const PhTraceTree *other, uint32_t *node_of)
{
	for (uint32_t i = 0; i < other->n_nodes; i++)
	{
		uint32_t parent = other->parent[i];
		PH_TRY(ph_tree_child(tree, parent == PH_NONE ? PH_NONE : node_of[parent], other->region[i],
							 &node_of[i]));
		PH_TRY(ph_env_poll(tree->env));
	}
	return PH_OK;
}

static PhStatus
merge_cells(PhTraceTree *tree, const PhTraceTree *other, const uint32_t *node_of)
{
	size_t n_metrics = tree->n_metrics;
	for (uint32_t i = 0; i < other->n_cells; i++)
	{
		uint32_t cell;
		const PhTreeCell *its = &other->cells[i];
		PH_TRY(ph_tree_add_cell(tree, node_of[its->node], its->location, &cell));
		tree->cells[cell].visits = its->visits;
		tree->cells[cell].exclusive = its->exclusive;
		memcpy(tree->growth + cell * n_metrics, other->growth + i * n_metrics,
			   n_metrics * sizeof(double));
		PH_TRY(ph_env_poll(tree->env));
	}
	return PH_OK;
}

PhStatus
ph_trace_tree_merge(PhTraceTree *tree, PhTraceTree *other)
{
	uint32_t *node_of;
	if (tree->n_metrics != other->n_metrics)
		return ph_fail(tree->env, PH_ERR_INTERNAL, "call trees of different traces");
	PH_TRY(PH_NEW(&tree->arena, other->n_nodes, &node_of));
	PH_TRY(merge_nodes(tree, other, node_of));
	PH_TRY(merge_cells(tree, other, node_of));
	PH_TRY(ph_teams_merge(tree, other));
	PH_TRY(ph_tree_devices_merge(tree, other, node_of));
	for (uint32_t i = 0; i < tree->n_metrics; i++)
		tree->metrics[i].is_recorded |= other->metrics[i].is_recorded;
	tree->n_resets += other->n_resets;
	/* what was added belongs to no location at hand */
	tree->location = PH_NONE;
	tree->first_cell = tree->n_cells;
	return PH_OK;
}

/* ---- cells in order ---- */

static int
compare_cells(const void *context, uint32_t x, uint32_t y)
{
	const PhTreeCell *a = &((const PhTreeCell *) context)[x],
					 *b = &((const PhTreeCell *) context)[y];
	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

PhStatus
ph_trace_tree_cells(PhTraceTree *tree, const PhTreeCell **cells, size_t *n)
{
	PhArena scratch;
	uint32_t *order;
	ph_arena_init(&scratch, tree->env);
	PhStatus status = ph_sort_indices(&scratch, tree->n_cells, compare_cells, tree->cells, &order);
	if (status == PH_OK)
		status = PH_RESERVE(tree->env, &tree->merged, (size_t) tree->n_cells + 1);
	PhTreeCell *merged = tree->merged.items;
	size_t n_merged = 0;
	for (uint32_t i = 0; status == PH_OK && i < tree->n_cells; i++)
	{
		const PhTreeCell *cell = &tree->cells[order[i]];
		PhTreeCell *last = n_merged == 0 ? NULL : &merged[n_merged - 1];
		if (last != NULL && last->location == cell->location && last->node == cell->node)
		{
			last->visits += cell->visits;
			last->exclusive += cell->exclusive;
		}
		else
			merged[n_merged++] = *cell;
	}
	ph_arena_drop(&scratch);
	if (status != PH_OK)
		return status;
	*cells = merged;
	*n = n_merged;
	return PH_OK;
}

/* ---- the profile ---- */

/* Everything that is known while values go into a builder. */
typedef struct Filling
{
	PhTraceTree *tree;
	const PhTreePlaces *places;
	PhProfileBuilder *builder;
	uint32_t *nodes;   /* builder's node by node; PH_NONE: not yet */
	uint32_t *metrics; /* builder's metric by metric; PH_NONE: never recorded */
	uint32_t time, visits;
	uint32_t *costs; /* builder's metric by metric of places */
} Filling;

static PhStatus
add_metric(Filling *filling, const char *name, const char *unit, uint32_t *out)
{
	PhMetricSpec spec = {
		.name = name, .unit = unit, .kind = PH_METRIC_FLOW, .given = PH_GIVEN_EXCLUSIVE};
	return ph_builder_add_metric(filling->builder, &spec, out);
}

/* Names of metrics that a trace's profile has besides its own. */
static bool
is_ours(const char *name)
{
	static const char *const ours[] = {
		"time",		   "visits",		   "wait",			"wait caused", "gpu time",
		"gpu kernels", "on critical path", "gpu copy bytes"};
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (strcmp(name, ours[i]) == 0)
			return true;
	return false;
}

/* A metric of the trace with such a name must not be taken for it. */
static PhStatus
add_trace_metric(Filling *filling, const PhTreeMetric *metric, uint32_t *out)
{
	char name[MOST_NAME];
	*out = PH_NONE;
	if (!metric->is_recorded)
		return PH_OK;
	snprintf(name, sizeof(name), "%s metric", metric->name);
	/* as profiles of the same tools have it */
	const char *unit = strcmp(metric->unit, "#") == 0 ? "count" : metric->unit;
	bool is_taken = !metric->is_ours && is_ours(metric->name);
	return add_metric(filling, is_taken ? name : metric->name, unit, out);
}

static PhStatus
add_metrics(Filling *filling)
{
	PhTraceTree *tree = filling->tree;
	PH_TRY(add_metric(filling, "time", "s", &filling->time));
	PH_TRY(add_metric(filling, "visits", "count", &filling->visits));
	for (uint32_t i = 0; i < tree->n_metrics; i++)
		PH_TRY(add_trace_metric(filling, &tree->metrics[i], &filling->metrics[i]));
	for (uint32_t i = 0; i < filling->places->n_costs; i++)
		PH_TRY(add_metric(filling, filling->places->costs[i].name, "s", &filling->costs[i]));
	return PH_OK;
}

static PhStatus
find_region(const Filling *filling, uint32_t node, uint32_t *out)
{
	uint32_t region = filling->tree->region[node];
	const PhTreePlaces *places = filling->places;
	if (region >= places->n_regions || places->regions[region] == PH_NONE)
		return ph_fail(filling->tree->env, PH_ERR_VALUE, "region %u is called, but not defined",
					   region);
	*out = places->regions[region];
	return PH_OK;
}

static PhStatus
find_column(const Filling *filling, uint32_t location, uint32_t *out)
{
	const PhTreePlaces *places = filling->places;
	if (location >= places->n_locations || places->columns[location] == PH_NONE)
		return ph_fail(filling->tree->env, PH_ERR_VALUE,
					   "location %u has calls, but is not defined", location);
	*out = places->columns[location];
	return PH_OK;
}

/* Nodes that have cells, and those around them, which come first. */
static PhStatus
add_nodes(Filling *filling)
{
	PhTraceTree *tree = filling->tree;
	for (uint32_t i = 0; i < tree->n_nodes; i++)
		filling->nodes[i] = PH_NONE;
	for (uint32_t i = 0; i < tree->n_cells; i++)
		filling->nodes[tree->cells[i].node] = 0;
	for (uint32_t i = tree->n_nodes; i-- > 0;)
	{
		if (filling->nodes[i] != PH_NONE && tree->parent[i] != PH_NONE)
			filling->nodes[tree->parent[i]] = 0;
	}
	for (uint32_t i = 0; i < tree->n_nodes; i++)
	{
		uint32_t region = PH_NONE, parent = tree->parent[i];
		if (filling->nodes[i] == PH_NONE)
			continue;
		PH_TRY(find_region(filling, i, &region));
		PH_TRY(ph_builder_add_node(filling->builder,
								   parent == PH_NONE ? PH_NONE : filling->nodes[parent], region,
								   &filling->nodes[i]));
		PH_TRY(ph_env_poll(tree->env));
	}
	return PH_OK;
}

static PhStatus
add_cell(Filling *filling, uint32_t cell)
{
	uint32_t column = PH_NONE;
	PhTraceTree *tree = filling->tree;
	PhProfileBuilder *builder = filling->builder;
	const PhTreeCell *its = &tree->cells[cell];
	uint32_t node = filling->nodes[its->node];
	PH_TRY(find_column(filling, its->location, &column));
	PH_TRY(ph_builder_add_value(builder, filling->time, node, column, PH_COST_EXCLUSIVE,
								(double) its->exclusive / NS_PER_SECOND));
	PH_TRY(ph_builder_add_value(builder, filling->visits, node, column, PH_COST_EXCLUSIVE,
								(double) its->visits));
	for (uint32_t i = 0; i < tree->n_metrics; i++)
	{
		double grew = tree->growth[(size_t) cell * tree->n_metrics + i] * tree->metrics[i].scale;
		if (grew > 0)
			PH_TRY(ph_builder_add_value(builder, filling->metrics[i], node, column,
										PH_COST_EXCLUSIVE, grew));
	}
	return ph_env_poll(tree->env);
}

static PhStatus
add_costs(Filling *filling, const PhTreeCosts *costs, uint32_t metric)
{
	for (uint32_t i = 0; i < costs->n; i++)
	{
		const PhTreeCost *cost = &costs->items[i];
		uint32_t column = PH_NONE;
		PH_TRY(find_column(filling, cost->location, &column));
		PH_TRY(ph_builder_add_value(filling->builder, metric, filling->nodes[cost->node], column,
									PH_COST_EXCLUSIVE, (double) cost->ns / NS_PER_SECOND));
		PH_TRY(ph_env_poll(filling->tree->env));
	}
	return PH_OK;
}

PhStatus
ph_trace_tree_to_builder(PhTraceTree *tree, const PhTreePlaces *places, PhProfileBuilder *builder)
{
	Filling filling = {.tree = tree, .places = places, .builder = builder};
	PH_TRY(PH_NEW(&tree->arena, tree->n_nodes, &filling.nodes));
	PH_TRY(PH_NEW(&tree->arena, tree->n_metrics, &filling.metrics));
	PH_TRY(PH_NEW(&tree->arena, places->n_costs, &filling.costs));
	PH_TRY(add_metrics(&filling));
	PH_TRY(add_nodes(&filling));
	for (uint32_t i = 0; i < tree->n_cells; i++)
		PH_TRY(add_cell(&filling, i));
	for (uint32_t i = 0; i < places->n_costs; i++)
		PH_TRY(add_costs(&filling, &places->costs[i], filling.costs[i]));
	return PH_OK;
}
