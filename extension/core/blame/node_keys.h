/*
 * node_keys.h - an order of call paths that does not depend on how they are numbered.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_NODE_KEYS_H
#define PH_BLAME_NODE_KEYS_H

#include "trace/tree/tree.h"

/*
 * By node of the tree: a hash of its regions' ids, which are by region, not 0, and of content: so
 * costs are rounded alike at a load and of what was stored, in every archive of a trace. In arena.
 */
PhStatus ph_node_keys(PhArena *arena, const PhTraceTree *tree, const uint64_t *region_ids,
					  const uint64_t **out) PH_MUST_CHECK;

#endif
