/*
 * node_table.c - nodes of a tree by call path id.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "profile/node_table.h"

PhNodeTable
ph_node_table(const PhProfile *tree, MemoryContext context)
{
	PhNodeTable table;
	uint32 size = 16;
	while (size / 2 < tree->n_nodes)
		size *= 2;
	table.mask = size - 1;
	table.ids = tree->callpath_id;
	table.slots = MemoryContextAllocHuge(context, sizeof(uint32) * size);
	memset(table.slots, 0, sizeof(uint32) * size);
	for (uint32 n = 0; n < tree->n_nodes; n++)
	{
		uint32 slot = (uint32) ph_hash_mix(table.ids[n]) & table.mask;
		while (table.slots[slot] != 0)
			slot = (slot + 1) & table.mask;
		table.slots[slot] = n + 1;
	}
	return table;
}
