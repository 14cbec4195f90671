/*
 * lock_holds.h - who held a lock before whom.
 *
 * Records of locks are numbered in the order in which the lock was taken, so that clocks are not
 * asked. Locks are of a rank and a paradigm.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_LOCK_HOLDS_H
#define PH_BLAME_LOCK_HOLDS_H

#include "trace/skeleton.h"

/* From an ACQUIRE to its RELEASE. */
typedef struct PhLockHold
{
	int64_t acquired, released; /* released: PH_NO_TIME: that was not recorded */
	uint32_t location;
	uint32_t region;   /* in which it was acquired; PH_NONE */
	uint32_t previous; /* the hold before; PH_NONE: not recorded */
} PhLockHold;

/* One a mark PH_MARK_ACQUIRE, in their order, by location. Linear in the marks. In arena. */
PhStatus ph_lock_holds_find(PhArena *arena, const PhSkeleton *skeleton,
							const PhLockHold **out) PH_MUST_CHECK;

#endif
