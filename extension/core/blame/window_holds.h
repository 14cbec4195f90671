/*
 * window_holds.h - who held a lock of a window, and whom that kept from getting it.
 *
 * MPI does not say in which order a lock was taken, so the times of its records do. Who has it at
 * one time with somebody else that should not got it later than his record says (libraries may take
 * a lock when it is used): whom such a hold kept waiting is not known.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_WINDOW_HOLDS_H
#define PH_BLAME_WINDOW_HOLDS_H

#include "trace/skeleton.h"

/* From a record that a lock was got to the one that it was given back. */
typedef struct PhWindowHold
{
	const PhWindowLock *got;
	const PhWindowLock *back; /* NULL: not recorded */
	uint32_t location;
	uint32_t blocker; /* of the earlier ones that it cannot be together with the one that lasted
						 longest; PH_NONE */
} PhWindowHold;

typedef struct PhWindowHolds
{
	uint32_t n;
	PhWindowHold *holds; /* by location, in event order */
	uint32_t *first;	 /* by location; n_locations + 1 */
	uint32_t *order;	 /* by lock, then time */
} PhWindowHolds;

/* Is the hold at a place of `order` the first one of its lock? */
bool ph_window_hold_is_first(const PhWindowHolds *holds, uint32_t place);

/* Its blocker, if that certainly gave the lock back before it was got; else NULL. */
const PhWindowHold *ph_window_hold_blocker(const PhWindowHolds *holds, const PhWindowHold *hold);

/* skeleton: finished. O(locks log locks). In arena. */
PhStatus ph_window_holds_find(PhArena *arena, const PhSkeleton *skeleton,
							  PhWindowHolds *out) PH_MUST_CHECK;

#endif
