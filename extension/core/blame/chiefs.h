/*
 * chiefs.h - the ranks that stand out among all by how much of something they have.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_CHIEFS_H
#define PH_BLAME_CHIEFS_H

#include "base/arena.h"

/*
 * Marks them, and counts them: of all divisions by size into those with more and those with less
 * the one that keeps both groups closest together (Otsu), if those with more are half of all at
 * most and have, of the whole,
 *  - half, and on average twice as much as the others, or
 *  - a fifth, and on average three times as much.
 * Else the fewest that have half, if they have half as much again as so many would if all had the
 * same: of amounts that fall evenly. Else none stands out. Equal amounts are never divided.
 * amounts: numbers of 0 or more. O(n log n). Does not depend on the order.
 */
PhStatus ph_chiefs(PhArena *arena, uint32_t n, const double *amounts, bool *is_chief,
				   uint32_t *n_chiefs) PH_MUST_CHECK;

#endif
