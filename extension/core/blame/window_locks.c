/*
 * window_locks.c - see window_locks.h: who held a lock, in the order of time, and who came
 * meanwhile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/window_locks.h"

#include "base/sort.h"
#include "base/vector.h"

/* From a record that a lock was got to the one that it was given back. */
typedef struct Hold
{
	const PhWindowLock *got;
	const PhWindowLock *back; /* NULL: not recorded */
	uint32_t location;
	uint32_t blocker; /* the hold whose end it waited for; PH_NONE */
} Hold;

typedef struct Finder
{
	const PhSkeleton *skeleton;
	PhArena *scratch;
	uint32_t n;
	Hold *holds;	 /* by location, in event order */
	uint32_t *first; /* by location; n_locations + 1 */
	uint32_t *order; /* by lock, then time */
} Finder;

static int
compare_locks(const PhWindowLock *a, const PhWindowLock *b)
{
	if (a->window != b->window)
		return a->window < b->window ? -1 : 1;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int
compare_holds(const void *context, uint32_t x, uint32_t y)
{
	const Hold *a = (const Hold *) context + x, *b = (const Hold *) context + y;
	int by_lock = compare_locks(a->got, b->got);
	if (by_lock != 0)
		return by_lock;
	if (a->got->time != b->got->time)
		return a->got->time < b->got->time ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* ---- holds ---- */

static PhStatus
count_holds(Finder *finder)
{
	uint32_t n_locations = finder->skeleton->n_locations;
	PH_TRY(PH_NEW(finder->scratch, (size_t) n_locations + 1, &finder->first));
	for (uint32_t at = 0; at < n_locations; at++)
	{
		const PhWindowLocks *locks = &finder->skeleton->locations[at].locks;
		finder->first[at] = finder->n;
		if (locks->count > PH_NONE - 1 - finder->n)
			return ph_fail(finder->scratch->env, PH_ERR_LIMIT, "too many locks of windows");
		for (uint32_t i = 0; i < locks->count; i++)
			finder->n += locks->items[i].is_acquired;
	}
	finder->first[n_locations] = finder->n;
	return PH_NEW(finder->scratch, finder->n, &finder->holds);
}

/* Who gives a lock back ends the hold that he got last; a process has few at a time. */
static PhStatus
find_holds(Finder *finder, uint32_t at)
{
	const PhWindowLocks *locks = &finder->skeleton->locations[at].locks;
	uint32_t first = finder->first[at], n = first, oldest_open = first;
	for (uint32_t i = 0; i < locks->count; i++)
	{
		const PhWindowLock *lock = &locks->items[i];
		PH_TRY(ph_env_poll(finder->scratch->env));
		if (lock->is_acquired)
			finder->holds[n++] = (Hold){lock, NULL, at, PH_NONE};
		for (uint32_t k = n; !lock->is_acquired && k-- > oldest_open;)
			if (finder->holds[k].back == NULL && compare_locks(finder->holds[k].got, lock) == 0)
			{
				finder->holds[k].back = lock;
				break;
			}
		while (oldest_open < n && finder->holds[oldest_open].back != NULL)
			oldest_open++;
	}
	return PH_OK;
}

/* ---- who waited ---- */

/* Of two holds the one that lasted longer; PH_NONE: there is none. */
static uint32_t
longer(const Finder *finder, uint32_t x, uint32_t y)
{
	if (x == PH_NONE || y == PH_NONE)
		return x == PH_NONE ? y : x;
	if (finder->holds[x].back == NULL || finder->holds[y].back == NULL)
		return finder->holds[x].back == NULL ? x : y;
	return finder->holds[y].back->time > finder->holds[x].back->time ? y : x;
}

static void
find_blockers(Finder *finder)
{
	uint32_t longest = PH_NONE, longest_alone = PH_NONE;
	for (uint32_t i = 0; i < finder->n; i++)
	{
		uint32_t index = finder->order[i];
		Hold *hold = &finder->holds[index];
		if (i > 0 && compare_locks(finder->holds[finder->order[i - 1]].got, hold->got) != 0)
			longest = longest_alone = PH_NONE;
		hold->blocker = hold->got->is_exclusive ? longest : longest_alone;
		longest = longer(finder, longest, index);
		if (hold->got->is_exclusive)
			longest_alone = longer(finder, longest_alone, index);
	}
}

/* Certain, and some time. */
static bool
has_waited(const Finder *finder, const Hold *hold)
{
	if (hold->blocker == PH_NONE)
		return false;
	const Hold *blocker = &finder->holds[hold->blocker];
	return blocker->back != NULL && blocker->location != hold->location &&
		   blocker->back->time > hold->got->since && blocker->back->time <= hold->got->time;
}

/* All of it is blamed on what the blocker did with the lock. */
static void
describe(const Finder *finder, const Hold *hold, PhWait *wait, PhWaitInterval *interval)
{
	const Hold *blocker = &finder->holds[hold->blocker];
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
list_waits(const Finder *finder, PhArena *arena, uint32_t first_interval, PhThreadWaits *out)
{
	PhWait *waits;
	PhWaitInterval *intervals;
	uint32_t *first;
	PH_TRY(PH_NEW(arena, finder->n, &waits));
	PH_TRY(PH_NEW(arena, finder->n, &intervals));
	PH_TRY(PH_NEW(arena, (size_t) finder->skeleton->n_locations + 1, &first));
	out->n = 0;
	for (uint32_t at = 0; at < finder->skeleton->n_locations; at++)
	{
		first[at] = out->n;
		for (uint32_t i = finder->first[at]; i < finder->first[at + 1]; i++)
		{
			PhWait wait;
			PhWaitInterval interval;
			if (!has_waited(finder, &finder->holds[i]))
				continue;
			describe(finder, &finder->holds[i], &wait, &interval);
			bool is_same_call = out->n > first[at] && waits[out->n - 1].seq == wait.seq;
			if (is_same_call && waits[out->n - 1].to >= wait.to)
				continue;
			out->n -= is_same_call;
			wait.end = first_interval + out->n;
			intervals[out->n] = interval;
			waits[out->n++] = wait;
		}
	}
	first[finder->skeleton->n_locations] = out->n;
	*out = (PhThreadWaits){out->n, waits, intervals, first};
	return PH_OK;
}

static PhStatus
find_all(Finder *finder)
{
	PH_TRY(count_holds(finder));
	for (uint32_t at = 0; at < finder->skeleton->n_locations; at++)
		PH_TRY(find_holds(finder, at));
	PH_TRY(
		ph_sort_indices(finder->scratch, finder->n, compare_holds, finder->holds, &finder->order));
	find_blockers(finder);
	return PH_OK;
}

PhStatus
ph_window_lock_waits_find(PhArena *arena, const PhSkeleton *skeleton, uint32_t first_interval,
						  PhThreadWaits *out)
{
	PhArena scratch;
	Finder finder = {.skeleton = skeleton, .scratch = &scratch};
	ph_arena_init(&scratch, arena->env);
	PhStatus status = find_all(&finder);
	if (status == PH_OK)
		status = list_waits(&finder, arena, first_interval, out);
	ph_arena_drop(&scratch);
	return status;
}
