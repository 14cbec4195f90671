/*
 * packed.h - the values of a profile as columns of bytes: what data frames are made of.
 *
 * A row a cell costs more to send than to make. Columns are little-endian numbers, one an existing
 * cell, by node, then by column of the profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_PACKED_H
#define PH_PROFILE_PACKED_H

#include "base/bytes.h"
#include "profile/profile.h"

/* Nodes [first, end), which have n cells. */
typedef struct PhNodeBlock
{
	uint32_t first, end;
	size_t n;
} PhNodeBlock;

/* The nodes from this one on that have at most so many cells together; at least one of them. */
PhNodeBlock ph_profile_block(const PhProfile *profile, uint32_t first, size_t most_cells);

/* The node and the column of each cell of the block, 4 n bytes each. */
void ph_pack_places(const PhProfile *profile, const PhNodeBlock *block, PhByteWriter *nodes,
					PhByteWriter *columns);

/* A cost of each cell of the block, 8 n bytes; NaN where it is undefined. */
void ph_pack_cost(const PhProfile *profile, uint32_t metric, PhCost cost, const PhNodeBlock *block,
				  PhByteWriter *values);

/* Whether any cell may have an absorbed cost: only of filtered profiles. */
bool ph_profile_has_absorbed(const PhProfile *profile, uint32_t metric);

#endif
