/*
 * thread_waits.h - waits of the threads of a process for each other.
 *
 * In a barrier of a team for the thread that came last; at the join for the one that ended its part
 * last; between the end of a team and the begin of the next one (an idle thread, which is in no
 * call) for the fork. The j-th team of one kind that a thread begins is the j-th one of its master;
 * the k-th barrier of a thread in a team is the k-th one of all. In a call for a lock for whoever
 * had it before (lock_holds.h). Linear in the marks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_THREAD_WAITS_H
#define PH_BLAME_THREAD_WAITS_H

#include "blame/wait_states.h"

/* Waits that no call that communicates has. */
typedef struct PhThreadWaits
{
	uint32_t n;
	const PhWait *waits;			 /* by victim, then time; end: their interval */
	const PhWaitInterval *intervals; /* by wait */
	const uint32_t *first;			 /* by location: its first one; n_locations + 1 */
} PhThreadWaits;

/* skeleton: finished. In arena. */
PhStatus ph_thread_waits_find(PhArena *arena, const PhSkeleton *skeleton,
							  PhThreadWaits *out) PH_MUST_CHECK;

#endif
