/*
 * nodes.c - nodes and cells of a call tree, in arrays that grow together.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/tree/internal.h"

#include <string.h>

#define FIRST_NODES 256
#define N_NODE_ARRAYS 5
/* More than any machine runs: a damaged number must not cost memory. */
#define MOST_LOCATIONS (1u << 24)

/* All or none: an array that grew although a later one could not is freed with the old size. */
static PhStatus
grow_nodes(PhTraceTree *tree)
{
	uint32_t old = tree->node_capacity, capacity = old == 0 ? FIRST_NODES : 2 * old;
	uint32_t **arrays[N_NODE_ARRAYS] = {&tree->parent, &tree->region, &tree->last_child,
										&tree->follower, &tree->cell_of};
	void *grown[N_NODE_ARRAYS] = {NULL};
	PhStatus status = PH_OK;
	if (tree->n_nodes >= PH_NONE / 2)
		return ph_fail(tree->env, PH_ERR_LIMIT, "too many call paths");
	for (int i = 0; i < N_NODE_ARRAYS && status == PH_OK; i++)
		status = ph_env_alloc(tree->env, capacity, sizeof(uint32_t), &grown[i]);
	for (int i = 0; i < N_NODE_ARRAYS; i++)
	{
		if (status != PH_OK)
		{
			ph_env_free(tree->env, grown[i], capacity, sizeof(uint32_t));
			continue;
		}
		if (old > 0)
			memcpy(grown[i], *arrays[i], old * sizeof(uint32_t));
		ph_env_free(tree->env, *arrays[i], old, sizeof(uint32_t));
		*arrays[i] = grown[i];
	}
	tree->node_capacity = status == PH_OK ? capacity : old;
	return status;
}

PhStatus
ph_tree_find_child(PhTraceTree *tree, uint32_t parent, uint32_t region, uint32_t *out)
{
	uint32_t *node;
	if (tree->n_nodes == tree->node_capacity)
		PH_TRY(grow_nodes(tree));
	PH_TRY(ph_map_enter(&tree->children, ph_map_key(parent, region), tree->n_nodes, &node));
	*out = *node;
	if (*node < tree->n_nodes)
		return PH_OK;
	tree->parent[*node] = parent;
	tree->region[*node] = region;
	tree->last_child[*node] = tree->follower[*node] = tree->cell_of[*node] = PH_NONE;
	tree->n_nodes++;
	return PH_OK;
}

static PhStatus
grow_cells(PhTraceTree *tree)
{
	uint32_t old = tree->cell_capacity, capacity = old == 0 ? FIRST_NODES : 2 * old;
	void *cells, *growth = NULL;
	if (old >= PH_NONE / 2)
		return ph_fail(tree->env, PH_ERR_LIMIT, "too many call paths in too many locations");
	PH_TRY(ph_env_alloc(tree->env, capacity, sizeof(PhTreeCell), &cells));
	size_t n_growth = (size_t) capacity * tree->n_metrics;
	PhStatus status = ph_env_alloc(tree->env, n_growth, sizeof(double), &growth);
	if (status != PH_OK)
	{
		ph_env_free(tree->env, cells, capacity, sizeof(PhTreeCell));
		return status;
	}
	if (old > 0)
	{
		memcpy(cells, tree->cells, old * sizeof(PhTreeCell));
		memcpy(growth, tree->growth, (size_t) old * tree->n_metrics * sizeof(double));
	}
	ph_env_free(tree->env, tree->cells, old, sizeof(PhTreeCell));
	ph_env_free(tree->env, tree->growth, (size_t) old * tree->n_metrics, sizeof(double));
	tree->cells = cells;
	tree->growth = growth;
	tree->cell_capacity = capacity;
	return PH_OK;
}

/* Remember that a location has calls. */
static PhStatus
mark_location(PhTraceTree *tree, uint32_t location)
{
	uint32_t n = tree->n_has_calls == 0 ? FIRST_NODES : tree->n_has_calls;
	if (location >= MOST_LOCATIONS)
		return ph_fail(tree->env, PH_ERR_LIMIT, "location %u is beyond the %u that are supported",
					   location, MOST_LOCATIONS);
	while (n <= location)
		n *= 2;
	if (n > tree->n_has_calls)
	{
		PH_TRY(ph_env_resize(tree->env, (void **) &tree->has_calls, tree->n_has_calls, n,
							 sizeof(bool)));
		memset(tree->has_calls + tree->n_has_calls, 0, n - tree->n_has_calls);
		tree->n_has_calls = n;
	}
	tree->has_calls[location] = true;
	return PH_OK;
}

PhStatus
ph_tree_add_cell(PhTraceTree *tree, uint32_t node, uint32_t location, uint32_t *out)
{
	if (tree->n_cells == tree->cell_capacity)
		PH_TRY(grow_cells(tree));
	PH_TRY(mark_location(tree, location));
	*out = tree->n_cells++;
	tree->cells[*out] = (PhTreeCell){node, location, 0, 0};
	return PH_OK;
}
