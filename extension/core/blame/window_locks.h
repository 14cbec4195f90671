/*
 * window_locks.h - waits for locks of windows.
 *
 * MPI does not say in which order a lock was taken, so the times of its records do. A wait is
 * certain only where who had it gave it back after it was asked for and before it was got, and one
 * of both had it alone; who has it at one time with somebody else that should not got it later than
 * his record says (libraries may take a lock when it is used), and is left out.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_WINDOW_LOCKS_H
#define PH_BLAME_WINDOW_LOCKS_H

#include "blame/thread_waits.h"

/* skeleton: finished. Numbers of intervals begin at first_interval. O(locks log locks). In arena.
 */
PhStatus ph_window_lock_waits_find(PhArena *arena, const PhSkeleton *skeleton,
								   uint32_t first_interval, PhThreadWaits *out) PH_MUST_CHECK;

#endif
