/*
 * clusters.c - the nodes of a cluster tree in pre-order.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/clusters.h"

void
clusters_preorder(const PhClusters *clusters, uint32_t *nodes, uint32_t *depths)
{
	uint32_t stack[2 * PH_CLUSTER_LEAVES], depth[2 * PH_CLUSTER_LEAVES], n_stack = 0, n = 0;
	if (clusters->n_nodes > 0)
	{
		stack[n_stack] = clusters->n_nodes - 1;
		depth[n_stack++] = 0;
	}
	while (n_stack > 0)
	{
		uint32_t node = stack[--n_stack], level = depth[n_stack];
		nodes[n] = node;
		depths[n++] = level;
		for (int side = 1; side >= 0 && clusters->child[0][node] != PH_NONE; side--)
		{
			stack[n_stack] = clusters->child[side][node];
			depth[n_stack++] = level + 1;
		}
	}
}
