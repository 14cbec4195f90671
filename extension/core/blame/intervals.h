/*
 * intervals.h - since when two locations went separate ways before one of them waited.
 *
 * Delay analysis compares what both did since their last common synchronisation (D. Böhme,
 * M. Geimer, F. Wolf, L. Arnold, Identifying the root causes of wait states in large-scale parallel
 * applications, ICPP 2010; TOPC 2016): a matched message between the two, in either direction, or a
 * collective that both were in. Of a wait in a collective: the last collective of that
 * communicator. Without any: from where they left MPI_Init on.
 *
 * Two things differ from the paper, because messages are mostly buffered. Both must have been in
 * their calls at one time: a message that waits for its receiver synchronises nobody; taken as if
 * it did, it hides how late the receiver was then. And both intervals begin when the first of the
 * two left its call, not each with its own leave: who stays there goes on waiting for somebody
 * else, which is what the other one will wait for next. So what the awaited location did, less what
 * the victim did, is the wait at least. For the same reason threads of a team parted when the fork,
 * or the last thread at a barrier, let all of them go on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_INTERVALS_H
#define PH_BLAME_INTERVALS_H

#include "blame/wait_states.h"

/*
 * By wait: the victim's goes to wait->from, the awaited location's to wait->release, never
 * backwards. Those of waits among threads are known (wait_states.h). O(ends + waits x communicators
 * of the victim that do not have the awaited location). In arena.
 */
PhStatus ph_wait_intervals(PhArena *arena, const PhSkeleton *skeleton, const PhWaitStates *waits,
						   const PhWaitInterval **out) PH_MUST_CHECK;

#endif
