/*
 * window_locks.c - see window_locks.h: who held a lock, in the order of time, and who came
 * meanwhile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/window_locks.h"

#include "blame/window_holds.h"

/* Who kept a hold waiting, for certain and for some time; NULL: nobody. */
static const PhWindowHold *
waited_for(const PhWindowHolds *holds, const PhWindowHold *hold)
{
	const PhWindowHold *blocker = ph_window_hold_blocker(holds, hold);
	if (blocker == NULL || blocker->location == hold->location)
		return NULL;
	return blocker->back->time > hold->got->since ? blocker : NULL;
}

/* All of it is blamed on what the blocker did with the lock. */
static void
describe(const PhWindowHold *hold, const PhWindowHold *blocker, PhWait *wait,
		 PhWaitInterval *interval)
{
	*wait = (PhWait){.from = hold->got->since,
					 .to = blocker->back->time,
					 .release = blocker->back->time,
					 .victim = hold->location,
					 .awaited = blocker->location,
					 .call = PH_NONE,
					 .region = hold->got->region,
					 .awaited_region = blocker->back->region,
					 .seq = hold->got->seq,
					 .instance = PH_NONE,
					 .kind = PH_WAIT_WINDOW_LOCK};
	*interval = (PhWaitInterval){hold->got->since, blocker->got->time};
}

/* Of several locks that one call got the last one is the wait's. */
static PhStatus
list_waits(const PhWindowHolds *holds, uint32_t n_locations, PhArena *arena,
		   uint32_t first_interval, PhThreadWaits *out)
{
	PhWait *waits;
	PhWaitInterval *intervals;
	uint32_t *first;
	PH_TRY(PH_NEW(arena, holds->n, &waits));
	PH_TRY(PH_NEW(arena, holds->n, &intervals));
	PH_TRY(PH_NEW(arena, (size_t) n_locations + 1, &first));
	out->n = 0;
	for (uint32_t at = 0; at < n_locations; at++)
	{
		first[at] = out->n;
		for (uint32_t i = holds->first[at]; i < holds->first[at + 1]; i++)
		{
			PhWait wait;
			PhWaitInterval interval;
			const PhWindowHold *blocker = waited_for(holds, &holds->holds[i]);
			if (blocker == NULL)
				continue;
			describe(&holds->holds[i], blocker, &wait, &interval);
			bool is_same_call = out->n > first[at] && waits[out->n - 1].seq == wait.seq;
			if (is_same_call && waits[out->n - 1].to >= wait.to)
				continue;
			out->n -= is_same_call;
			wait.end = first_interval + out->n;
			intervals[out->n] = interval;
			waits[out->n++] = wait;
		}
	}
	first[n_locations] = out->n;
	*out = (PhThreadWaits){out->n, waits, intervals, first};
	return PH_OK;
}

PhStatus
ph_window_lock_waits_find(PhArena *arena, const PhSkeleton *skeleton, uint32_t first_interval,
						  PhThreadWaits *out)
{
	PhArena scratch;
	PhWindowHolds holds;
	ph_arena_init(&scratch, arena->env);
	PhStatus status = ph_window_holds_find(&scratch, skeleton, &holds);
	if (status == PH_OK)
		status = list_waits(&holds, skeleton->n_locations, arena, first_interval, out);
	ph_arena_drop(&scratch);
	return status;
}
