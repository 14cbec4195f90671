/*
 * device_intervals.c - see device_intervals.h: every wait is a meeting of its two locations, and
 * those of each pair are found by time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/device_intervals.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "base/table.h"

typedef struct Meeting
{
	uint64_t pair;
	int64_t time;
} Meeting;

/* A location in a collective. */
typedef struct Membership
{
	uint32_t location, instance;
	int64_t end; /* of its activity */
} Membership;

/* Of two locations' collectives so many are looked at for one that had both. */
#define MOST_OTHERS 64

typedef struct Finder
{
	const PhDeviceMeetings *input;
	Meeting *meetings; /* by pair, time */
	uint32_t n_members;
	Membership *members; /* by location, instance */
} Finder;

static uint64_t
pair_of(uint32_t x, uint32_t y)
{
	return ph_map_key(PH_MIN(x, y), PH_MAX(x, y));
}

/* ---- collecting ---- */

static int
compare_meetings(const void *context, uint32_t x, uint32_t y)
{
	const Meeting *a = &((const Meeting *) context)[x], *b = &((const Meeting *) context)[y];
	if (a->pair != b->pair)
		return a->pair < b->pair ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

static PhStatus
collect_meetings(Finder *finder, PhArena *scratch)
{
	uint32_t *order, n = finder->input->n;
	Meeting *unsorted;
	PH_TRY(PH_NEW(scratch, n, &unsorted));
	PH_TRY(PH_NEW(scratch, n, &finder->meetings));
	for (uint32_t i = 0; i < n; i++)
	{
		const PhWait *wait = &finder->input->waits[i].wait;
		unsorted[i] = (Meeting){pair_of(wait->victim, wait->awaited), wait->to};
	}
	PH_TRY(ph_sort_indices(scratch, n, compare_meetings, unsorted, &order));
	for (uint32_t i = 0; i < n; i++)
		finder->meetings[i] = unsorted[order[i]];
	return PH_OK;
}

static int
compare_members(const void *context, uint32_t x, uint32_t y)
{
	const Membership *a = &((const Membership *) context)[x];
	const Membership *b = &((const Membership *) context)[y];
	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	return (a->instance > b->instance) - (a->instance < b->instance);
}

static PhStatus
collect_members(Finder *finder, PhArena *scratch)
{
	const PhDeviceCollectives *found = finder->input->work->collectives;
	uint32_t *order, n = found->n_members;
	Membership *unsorted;
	PH_TRY(PH_NEW(scratch, n, &unsorted));
	PH_TRY(PH_NEW(scratch, n, &finder->members));
	for (uint32_t i = 0; i < n; i++)
	{
		const PhDeviceActivity *activity =
			&finder->input->work->activities->list.items[found->members[i].activity];
		unsorted[i] = (Membership){activity->location, found->members[i].instance, activity->end};
	}
	PH_TRY(ph_sort_indices(scratch, n, compare_members, unsorted, &order));
	for (uint32_t i = 0; i < n; i++)
		finder->members[i] = unsorted[order[i]];
	finder->n_members = n;
	return PH_OK;
}

/* ---- asking ---- */

/* When both met last, at this time or before; PH_NO_TIME: never. */
static int64_t
last_meeting(const Finder *finder, uint32_t x, uint32_t y, int64_t time)
{
	uint64_t pair = pair_of(x, y);
	uint32_t low = 0, high = finder->input->n;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		const Meeting *meeting = &finder->meetings[middle];
		if (meeting->pair < pair || (meeting->pair == pair && meeting->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && finder->meetings[low - 1].pair == pair ? finder->meetings[low - 1].time
															 : PH_NO_TIME;
}

/* The first membership of a location in this instance or a later one. */
static uint32_t
find_member(const Finder *finder, uint32_t location, uint32_t instance)
{
	uint32_t low = 0, high = finder->n_members;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		const Membership *member = &finder->members[middle];
		if (member->location < location ||
			(member->location == location && member->instance < instance))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* When both left the last collective before this one that both were in. */
static int64_t
last_collective(const Finder *finder, const PhWait *wait)
{
	uint32_t at = find_member(finder, wait->victim, wait->instance);
	for (uint32_t i = 0; i < MOST_OTHERS && at > 0; i++)
	{
		const Membership *own = &finder->members[--at];
		if (own->location != wait->victim)
			break;
		uint32_t place = find_member(finder, wait->awaited, own->instance);
		if (place == finder->n_members)
			continue;
		const Membership *other = &finder->members[place];
		if (other->location == wait->awaited && other->instance == own->instance)
			return PH_MIN(own->end, other->end);
	}
	return PH_NO_TIME;
}

static bool
is_lane(const Finder *finder, uint32_t location)
{
	return finder->input->work->devices->stream_of[location] != PH_NONE;
}

static int64_t
begin_of(const Finder *finder, uint32_t location)
{
	const PhCommLocation *place = &finder->input->skeleton->locations[location];
	bool is_known = !is_lane(finder, location) && place->first_time != PH_NO_TIME;
	return is_known ? place->main_from : finder->input->begin;
}

/*
 * Of a lane and another one of its process: who launched what the first one does next met the other
 * one since the first one was ready for it. PH_NO_TIME: did not.
 */
static int64_t
common_launch(const Finder *finder, const PhDeviceWait *waiting)
{
	const PhWait *wait = &waiting->wait;
	if (waiting->launcher == PH_NONE || !is_lane(finder, wait->awaited))
		return PH_NO_TIME;
	int64_t met = last_meeting(finder, wait->awaited, waiting->launcher, wait->to);
	return met >= waiting->idle_since ? met : PH_NO_TIME;
}

static PhWaitInterval
interval_of(const Finder *finder, const PhDeviceWait *waiting)
{
	const PhWait *wait = &waiting->wait;
	PhWaitInterval interval = {begin_of(finder, wait->victim), begin_of(finder, wait->awaited)};
	int64_t parted;
	if (wait->instance != PH_NONE)
		parted = last_collective(finder, wait);
	else
		parted = PH_MAX(last_meeting(finder, wait->victim, wait->awaited, wait->from),
						common_launch(finder, waiting));
	if (parted != PH_NO_TIME)
		interval.victim_from = interval.awaited_from = parted;
	interval.victim_from = PH_MIN(interval.victim_from, wait->from);
	interval.awaited_from = PH_MIN(interval.awaited_from, wait->release);
	return interval;
}

static PhStatus
find(Finder *finder, PhArena *scratch, PhWaitInterval *out)
{
	PH_TRY(collect_meetings(finder, scratch));
	PH_TRY(collect_members(finder, scratch));
	for (uint32_t i = 0; i < finder->input->n; i++)
	{
		PH_TRY(ph_env_poll(scratch->env));
		out[i] = interval_of(finder, &finder->input->waits[i]);
	}
	return PH_OK;
}

PhStatus
ph_device_intervals(PhArena *arena, const PhDeviceMeetings *input, PhWaitInterval *out)
{
	Finder finder = {.input = input};
	PhArena scratch;
	ph_arena_init(&scratch, arena->env);
	PhStatus status = find(&finder, &scratch, out);
	ph_arena_drop(&scratch);
	return status;
}
