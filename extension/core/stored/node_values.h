/*
 * node_values.h - one node's values in all columns of a stored run, without the rest of the run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_NODE_VALUES_H
#define PH_STORED_NODE_VALUES_H

#include "stored/value_block.h"

/* Gets a block of the metric, valid until the next call; *out NULL: it is not stored. */
typedef PhStatus (*PhFetchBlock)(void *user, uint32_t number, uint32_t stripe,
								 const PhStoredBlock **out);

typedef struct PhNodeRequest
{
	const PhProfile *tree; /* a skeleton will do */
	uint32_t node;
	uint32_t n_columns; /* of the stored run */
	bool is_flow, is_signed;
	PhFetchBlock fetch;
	void *user;
} PhNodeRequest;

/*
 * exclusive, inclusive: n_columns values, 0 where the node is absent; present: as many, zeroed, set
 * where it is. The same bits as ph_block_fill's. Costs the rows from which the two follow, of which
 * the writer sees to it that there are few, and scratch memory in the arena.
 */
PhStatus ph_node_values(PhArena *arena, const PhNodeRequest *request, double *exclusive,
						double *inclusive, bool *present) PH_MUST_CHECK;

#endif
