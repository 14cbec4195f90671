/*
 * node_keys.h - an order of call paths that does not depend on how they are numbered.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_NODE_KEYS_H
#define PH_BLAME_NODE_KEYS_H

#include "trace/tree/tree.h"

/*
 * By node of the tree: a hash of the names of its regions, which loaders and stored traces have
 * alike, so that costs are rounded alike. In arena.
 */
PhStatus ph_node_keys(PhArena *arena, const PhTraceTree *tree, const PhTraceModel *model,
					  const uint64_t **out) PH_MUST_CHECK;

#endif
