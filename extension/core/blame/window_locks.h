/*
 * window_locks.h - waits for locks of windows.
 *
 * A wait is certain only where who had it gave it back after it was asked for and before it was
 * got, and one of both had it alone (window_holds.h).
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
