/*
 * levels.h - inclusive values on their way up a tree whose nodes come from the last to the first.
 *
 * When a node comes all its children have been, and the sums under way belong to its ancestors
 * alone: one row a depth is enough, and only those exist that were needed. Sums are in the order of
 * derive.c, so their bits are the same.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STORED_LEVELS_H
#define PH_STORED_LEVELS_H

#include "stored/value_block.h"

typedef struct PhLevels
{
	PhArena *arena;
	uint32_t width; /* columns of the stripe */
	uint32_t n;
	double **rows; /* [level][column]: inclusive values of the children of the node above */
	bool *is_used; /* the row says something; else it is all 0, whatever it holds */
} PhLevels;

/* Room for n levels and of this width at most. */
PhStatus ph_levels_new(PhArena *arena, uint32_t n, uint32_t width, PhLevels *out) PH_MUST_CHECK;

/* Back to where no node has been. */
void ph_levels_clear(PhLevels *levels);

/*
 * What the children of a node on the level cost, by cell of its row: in room, which has place for
 * them, or where it is.
 */
const double *ph_levels_children(const PhLevels *levels, uint32_t level, const PhStoredBlock *block,
								 const PhStoredRow *row, double *room);

/* The node's children have been used, and its own inclusive values, by cell, are its parent's. */
PhStatus ph_levels_hand_up(PhLevels *levels, uint32_t level, const PhStoredBlock *block,
						   const PhStoredRow *row, const double *inclusive) PH_MUST_CHECK;

#endif
