/*
 * window_holds.c - see window_holds.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/window_holds.h"

#include "base/sort.h"

typedef struct Finder
{
	const PhSkeleton *skeleton;
	PhArena *scratch;
	PhWindowHolds *out;
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
	const PhWindowHold *a = (const PhWindowHold *) context + x;
	const PhWindowHold *b = (const PhWindowHold *) context + y;
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
	uint32_t n_locations = finder->skeleton->n_locations, n = 0;
	PH_TRY(PH_NEW(finder->scratch, (size_t) n_locations + 1, &finder->out->first));
	for (uint32_t at = 0; at < n_locations; at++)
	{
		const PhWindowLocks *locks = &finder->skeleton->locations[at].locks;
		finder->out->first[at] = n;
		if (locks->count > PH_NONE - 1 - n)
			return ph_fail(finder->scratch->env, PH_ERR_LIMIT, "too many locks of windows");
		for (uint32_t i = 0; i < locks->count; i++)
			n += locks->items[i].is_acquired;
	}
	finder->out->first[n_locations] = finder->out->n = n;
	return PH_NEW(finder->scratch, n, &finder->out->holds);
}

/* Who gives a lock back ends the hold that he got last; a process has few at a time. */
static PhStatus
find_holds(Finder *finder, uint32_t at)
{
	const PhWindowLocks *locks = &finder->skeleton->locations[at].locks;
	PhWindowHold *holds = finder->out->holds;
	uint32_t first = finder->out->first[at], n = first, oldest_open = first;
	for (uint32_t i = 0; i < locks->count; i++)
	{
		const PhWindowLock *lock = &locks->items[i];
		PH_TRY(ph_env_poll(finder->scratch->env));
		if (lock->is_acquired)
			holds[n++] = (PhWindowHold){lock, NULL, at, PH_NONE};
		for (uint32_t k = n; !lock->is_acquired && k-- > oldest_open;)
			if (holds[k].back == NULL && compare_locks(holds[k].got, lock) == 0)
			{
				holds[k].back = lock;
				break;
			}
		while (oldest_open < n && holds[oldest_open].back != NULL)
			oldest_open++;
	}
	return PH_OK;
}

/* ---- who blocked whom ---- */

/* Of two holds the one that lasted longer; PH_NONE: there is none. */
static uint32_t
longer(const PhWindowHold *holds, uint32_t x, uint32_t y)
{
	if (x == PH_NONE || y == PH_NONE)
		return x == PH_NONE ? y : x;
	if (holds[x].back == NULL || holds[y].back == NULL)
		return holds[x].back == NULL ? x : y;
	return holds[y].back->time > holds[x].back->time ? y : x;
}

static void
find_blockers(PhWindowHolds *out)
{
	uint32_t longest = PH_NONE, longest_alone = PH_NONE;
	for (uint32_t i = 0; i < out->n; i++)
	{
		uint32_t index = out->order[i];
		PhWindowHold *hold = &out->holds[index];
		if (ph_window_hold_is_first(out, i))
			longest = longest_alone = PH_NONE;
		hold->blocker = hold->got->is_exclusive ? longest : longest_alone;
		longest = longer(out->holds, longest, index);
		if (hold->got->is_exclusive)
			longest_alone = longer(out->holds, longest_alone, index);
	}
}

bool
ph_window_hold_is_first(const PhWindowHolds *holds, uint32_t place)
{
	return place == 0 || compare_locks(holds->holds[holds->order[place - 1]].got,
									   holds->holds[holds->order[place]].got) != 0;
}

const PhWindowHold *
ph_window_hold_blocker(const PhWindowHolds *holds, const PhWindowHold *hold)
{
	if (hold->blocker == PH_NONE)
		return NULL;
	const PhWindowHold *blocker = &holds->holds[hold->blocker];
	return blocker->back != NULL && blocker->back->time <= hold->got->time ? blocker : NULL;
}

PhStatus
ph_window_holds_find(PhArena *arena, const PhSkeleton *skeleton, PhWindowHolds *out)
{
	Finder finder = {.skeleton = skeleton, .scratch = arena, .out = out};
	PH_TRY(count_holds(&finder));
	for (uint32_t at = 0; at < skeleton->n_locations; at++)
		PH_TRY(find_holds(&finder, at));
	PH_TRY(ph_sort_indices(arena, out->n, compare_holds, out->holds, &out->order));
	find_blockers(out);
	return PH_OK;
}
