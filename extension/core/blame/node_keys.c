/*
 * node_keys.c - see node_keys.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/node_keys.h"

#include "base/hash.h"

PhStatus
ph_node_keys(PhArena *arena, const PhTraceTree *tree, const uint64_t *region_ids,
			 const uint64_t **out)
{
	uint32_t n = ph_trace_tree_n_nodes(tree);
	uint64_t *keys;
	PH_TRY(PH_NEW(arena, n, &keys));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t parent = ph_trace_tree_parent(tree, i);
		PH_TRY(ph_env_poll(arena->env));
		keys[i] = ph_hash_mix((parent == PH_NONE ? 0 : keys[parent]) +
							  region_ids[ph_trace_tree_region(tree, i)]);
	}
	*out = keys;
	return PH_OK;
}
