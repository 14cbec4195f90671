/*
 * node_table.h - nodes of a tree by call path id.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_NODE_TABLE_H
#define PH_PROFILE_NODE_TABLE_H

#include "postgres.h"

#include "base/hash.h"
#include "profile/profile.h"

/* Open addressing, node + 1 in each used slot. */
typedef struct PhNodeTable
{
	uint32 mask;
	uint32 *slots;
	const uint64_t *ids;
} PhNodeTable;

/* Refers to the tree's ids; the slots are in context. */
PhNodeTable ph_node_table(const PhProfile *tree, MemoryContext context);

/* The node, or PH_NONE. */
static inline uint32
ph_node_table_find(const PhNodeTable *table, uint64 callpath_id)
{
	uint32 slot = (uint32) ph_hash_mix(callpath_id) & table->mask;
	for (; table->slots[slot] != 0; slot = (slot + 1) & table->mask)
		if (table->ids[table->slots[slot] - 1] == callpath_id)
			return table->slots[slot] - 1;
	return PH_NONE;
}

#endif
