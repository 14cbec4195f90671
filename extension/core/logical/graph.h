/*
 * graph.h - graphs of partitions and of events in compressed rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_GRAPH_H
#define PH_LOGICAL_GRAPH_H

#include "logical/model.h"

/* Edges of node v go to target[first[v]..first[v + 1]). */
typedef struct PhGraph
{
	uint32_t n_nodes, n_edges;
	uint32_t *first, *target;
} PhGraph;

/*
 * A graph from edges that are told twice: ph_graph_begin, all edges, ph_graph_fill, all edges
 * again, ph_graph_end, which removes repeats. ascending: targets sorted, else in order of telling.
 */
typedef struct PhGraphBuilder
{
	PhArena *arena; /* of the result */
	PhArena temporary;
	PhGraph graph;
	uint32_t *next;
	bool filling;
} PhGraphBuilder;

PhStatus ph_graph_begin(PhArena *arena, uint32_t n_nodes, PhGraphBuilder *out) PH_MUST_CHECK;
PhStatus ph_graph_fill(PhGraphBuilder *builder) PH_MUST_CHECK;
PhStatus ph_graph_end(PhGraphBuilder *builder, bool ascending, PhGraph *out) PH_MUST_CHECK;
/* Give up, or be done: frees what the builder itself holds; fine at any time after the beginning.
 */
void ph_graph_builder_free(PhGraphBuilder *builder);

static inline void
ph_graph_edge(PhGraphBuilder *builder, uint32_t from, uint32_t to)
{
	if (builder->filling)
		builder->graph.target[builder->next[from]++] = to;
	else
		builder->next[from + 1]++;
}

/*
 * Edge p -> q where an event of part p is directly followed by one of part q on its timeline;
 * each once. ascending: targets sorted. O(events).
 */
PhStatus ph_graph_of_parts(PhArena *arena, const PhLogicalModel *model, const uint32_t *part,
						   uint32_t n_parts, bool ascending, PhGraph *out) PH_MUST_CHECK;

/* Edges the other way round, sources of each node ascending. */
PhStatus ph_graph_transpose(PhArena *arena, const PhGraph *graph, PhGraph *out) PH_MUST_CHECK;

/*
 * Strongly connected components (Tarjan 1972, iterative): component[v], numbered so that every edge
 * between two goes to the greater number. O(nodes + edges).
 */
PhStatus ph_graph_components(PhEnv *env, const PhGraph *graph, uint32_t *component,
							 uint32_t *n_components) PH_MUST_CHECK;

/* Longest way from a source, for a graph whose edges all go to greater numbers. */
void ph_graph_leaps(const PhGraph *graph, uint32_t *leap);

/* Disjoint sets with path halving; the lower root stays, so results do not depend on order. */
static inline uint32_t
ph_set_find(uint32_t *parent, uint32_t x)
{
	while (parent[x] != x)
	{
		parent[x] = parent[parent[x]];
		x = parent[x];
	}
	return x;
}

/* True when they were two sets. */
static inline bool
ph_set_unite(uint32_t *parent, uint32_t x, uint32_t y)
{
	x = ph_set_find(parent, x);
	y = ph_set_find(parent, y);
	if (x == y)
		return false;
	if (x < y)
		parent[y] = x;
	else
		parent[x] = y;
	return true;
}

#endif
