/*
 * device_waits.c - see device_waits.h: passages of lanes, beside the waits of the host.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/device_waits.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "base/vector.h"
#include "blame/device_intervals.h"
#include "blame/host_waits.h"

typedef struct Finder
{
	PhArena *arena;
	const PhDeviceWork *work;
	const PhDeviceActivity *list;
	const PhWaitStates *all;
	const uint32_t *behind; /* by activity: what of another lane it came behind, into all */
	const uint32_t *member; /* by activity: its wait in a collective, likewise */
	int64_t begin;
	uint32_t *order, *first; /* activities by lane, start */
	int64_t *began;			 /* by place in order: of lanes when one was launched while idle */
	uint32_t *n_began;		 /* by lane: as many from first on */
	PH_VECTOR(PhDeviceWait) found;
} Finder;

/* ---- lanes ---- */

static bool
is_lane(const Finder *finder, uint32_t location)
{
	return finder->work->devices->stream_of[location] != PH_NONE;
}

static PhStatus
note_causes(Finder *finder)
{
	uint32_t n = finder->work->activities->list.count, *behind, *member;
	PH_TRY(PH_NEW(finder->arena, n, &behind));
	PH_TRY(PH_NEW(finder->arena, n, &member));
	for (uint32_t i = 0; i < n; i++)
		behind[i] = member[i] = PH_NONE;
	for (uint32_t i = 0; i < finder->all->n; i++)
	{
		const PhWait *wait = &finder->all->waits[i];
		if (!is_lane(finder, wait->victim))
			continue;
		if (wait->instance != PH_NONE)
			member[wait->end] = i;
		else if (is_lane(finder, wait->awaited))
			behind[wait->end] = i;
	}
	finder->behind = behind;
	finder->member = member;
	return PH_OK;
}

/* Where a lane is while its activities are looked at. */
typedef struct Lane
{
	uint32_t location;
	int64_t idle_since; /* the end of its activities so far */
	int64_t covered;	/* passages so far end there */
	uint32_t launcher;	/* of the activity at hand; PH_NONE */
} Lane;

static uint32_t
launcher_of(const Finder *finder, const PhDeviceActivity *activity)
{
	return activity->launch == PH_NONE
			   ? PH_NONE
			   : finder->work->launches->calls.items[activity->launch].location;
}

/* Without what passages before it have. */
static PhStatus
add_passage(Finder *finder, Lane *lane, PhWait wait, PhPassage passage)
{
	wait.from = PH_MAX(wait.from, lane->covered);
	if (wait.from >= wait.to)
		return PH_OK;
	wait.victim = lane->location;
	wait.release = wait.to;
	wait.call = PH_NONE;
	wait.kind = PH_WAIT_DEVICE;
	wait.passage = (uint8_t) passage;
	lane->covered = wait.to;
	PH_TRY(PH_ROOM(finder->arena, &finder->found));
	finder->found.items[finder->found.count++] =
		(PhDeviceWait){wait, lane->idle_since, lane->launcher};
	return PH_OK;
}

/* When a lane was launched what ended its idle time, at this time or before; PH_NO_TIME: never. */
static int64_t
last_begin(const Finder *finder, uint32_t lane, int64_t time)
{
	const int64_t *began = finder->began + finder->first[lane];
	uint32_t low = 0, high = finder->n_began[lane];
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (began[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? PH_NO_TIME : began[low - 1];
}

/*
 * What it came behind: until that began, both waited to be launched. If that went on already there
 * was no use in an earlier launch.
 */
static PhStatus
look_behind(Finder *finder, Lane *lane, PhWait wait, int64_t launched)
{
	const PhWait *behind = &finder->all->waits[finder->behind[wait.end]];
	int64_t began = last_begin(finder, behind->awaited, behind->to);
	wait.to = PH_MIN(launched, began);
	PH_TRY(add_passage(finder, lane, wait, PH_PASSAGE_LAUNCH));
	wait.from = PH_MAX(wait.from, wait.to);
	wait.to = PH_MIN(behind->to, finder->list[wait.end].start);
	wait.awaited = behind->awaited;
	wait.is_inferred = behind->is_inferred;
	return add_passage(finder, lane, wait, PH_PASSAGE_LANE);
}

/* Until it was launched, or what it came behind was over; then in its collective. */
static PhStatus
look_at_activity(Finder *finder, Lane *lane, uint32_t at)
{
	const PhDeviceActivity *activity = &finder->list[at];
	int64_t launched = ph_device_launched_at(finder->work, activity);
	lane->launcher = launcher_of(finder, activity);
	PhWait wait = {.from = lane->idle_since,
				   .to = launched,
				   .awaited = lane->launcher,
				   .end = at,
				   .region = activity->region,
				   .awaited_region = PH_NONE,
				   .instance = PH_NONE};
	if (finder->behind[at] != PH_NONE)
		PH_TRY(look_behind(finder, lane, wait, launched));
	else
		PH_TRY(add_passage(finder, lane, wait, PH_PASSAGE_LAUNCH));
	if (finder->member[at] != PH_NONE)
		PH_TRY(add_passage(finder, lane, finder->all->waits[finder->member[at]],
						   PH_PASSAGE_COLLECTIVE));
	lane->idle_since = PH_MAX(lane->idle_since, activity->end);
	return PH_OK;
}

/* A lane is idle until it is launched something. */
static void
note_begins(Finder *finder, uint32_t at)
{
	int64_t idle_since = finder->begin;
	for (uint32_t i = finder->first[at]; i < finder->first[at + 1]; i++)
	{
		const PhDeviceActivity *activity = &finder->list[finder->order[i]];
		int64_t launched = ph_device_launched_at(finder->work, activity);
		if (launched > idle_since)
			finder->began[finder->first[at] + finder->n_began[at]++] = launched;
		idle_since = PH_MAX(idle_since, activity->end);
	}
}

/* Lanes are by location already, one a group. */
static PhStatus
order_activities(Finder *finder)
{
	uint32_t n_locations = finder->work->model->n_locations, *own;
	PH_TRY(PH_NEW(finder->arena, n_locations, &own));
	for (uint32_t i = 0; i < n_locations; i++)
		own[i] = i;
	PH_TRY(ph_activities_order(finder->arena, finder->work->activities, own, n_locations,
							   &finder->order, &finder->first));
	PH_TRY(PH_NEW(finder->arena, finder->work->activities->list.count, &finder->began));
	PH_TRY(PH_NEW(finder->arena, n_locations, &finder->n_began));
	for (uint32_t at = 0; at < n_locations; at++)
		note_begins(finder, at);
	return ph_env_poll_now(finder->arena->env);
}

static PhStatus
find_passages(Finder *finder)
{
	PH_TRY(order_activities(finder));
	for (uint32_t at = 0; at < finder->work->model->n_locations; at++)
	{
		Lane lane = {at, finder->begin, INT64_MIN, PH_NONE};
		for (uint32_t i = finder->first[at]; i < finder->first[at + 1]; i++)
		{
			PH_TRY(ph_env_poll(finder->arena->env));
			PH_TRY(look_at_activity(finder, &lane, finder->order[i]));
		}
	}
	return PH_OK;
}

/* ---- all ---- */

static PhStatus
add_host_waits(Finder *finder)
{
	const PhWait *waits;
	uint32_t n;
	PH_TRY(ph_device_host_waits(finder->arena, finder->all, &waits, &n));
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(PH_ROOM(finder->arena, &finder->found));
		finder->found.items[finder->found.count++] =
			(PhDeviceWait){waits[i], waits[i].from, PH_NONE};
	}
	return PH_OK;
}

/* When locations that compute left MPI_Init, or began, at the earliest. */
static int64_t
begin_of_run(const Finder *finder, const PhSkeleton *skeleton)
{
	int64_t begin = INT64_MAX;
	for (uint32_t i = 0; i < skeleton->n_locations; i++)
		if (skeleton->locations[i].first_time != PH_NO_TIME && !is_lane(finder, i))
			begin = PH_MIN(begin, skeleton->locations[i].main_from);
	for (uint32_t i = 0; i < skeleton->n_locations && begin == INT64_MAX; i++)
		if (skeleton->locations[i].first_time != PH_NO_TIME)
			begin = skeleton->locations[i].first_time;
	return begin;
}

static bool
is_before(const PhWait *wait, const PhWait *other)
{
	return wait->victim < other->victim ||
		   (wait->victim == other->victim && wait->from < other->from);
}

/* Both by victim, then time; the end of what is new is its interval from here on. */
static PhStatus
merge(Finder *finder, const PhWaitStates *waits, PhWaitStates *out)
{
	uint32_t n = waits->n + finder->found.count, old = 0, new = 0, *first;
	PhWait *merged;
	PH_TRY(PH_NEW(finder->arena, n, &merged));
	PH_TRY(PH_NEW(finder->arena, (size_t) waits->n_locations + 1, &first));
	for (uint32_t i = 0; i < n; i++)
	{
		const PhDeviceWait *found = &finder->found.items[new];
		bool is_new = old == waits->n ||
					  (new < finder->found.count &&is_before(&found->wait, &waits->waits[old]));
		merged[i] = is_new ? found->wait : waits->waits[old];
		if (is_new)
			merged[i].end = waits->n_intervals + new;
		new += is_new;
		old += !is_new;
		first[merged[i].victim + 1]++;
	}
	for (uint32_t i = 0; i < waits->n_locations; i++)
		first[i + 1] += first[i];
	out->waits = merged;
	out->n = n;
	out->first = first;
	return PH_OK;
}

/* Waits of the host come by location, passages as well, and lanes are no host. */
static int
compare_found(const void *context, uint32_t x, uint32_t y)
{
	const PhDeviceWait *found = context;
	if (found[x].wait.victim != found[y].wait.victim)
		return found[x].wait.victim < found[y].wait.victim ? -1 : 1;
	return (x > y) - (x < y);
}

static PhStatus
sort_found(Finder *finder)
{
	uint32_t *order, n = finder->found.count;
	PhDeviceWait *sorted;
	PH_TRY(PH_NEW(finder->arena, n, &sorted));
	PH_TRY(ph_sort_indices(finder->arena, n, compare_found, finder->found.items, &order));
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = finder->found.items[order[i]];
	finder->found.items = sorted;
	finder->found.capacity = n;
	return PH_OK;
}

static PhStatus
join_intervals(Finder *finder, const PhSkeleton *skeleton, const PhWaitStates *waits,
			   PhWaitStates *out)
{
	PhDeviceMeetings input = {.work = finder->work,
							  .skeleton = skeleton,
							  .begin = finder->begin,
							  .n = finder->found.count,
							  .waits = finder->found.items};
	uint32_t n = waits->n_intervals + finder->found.count;
	PhWaitInterval *intervals;
	PH_TRY(PH_NEW(finder->arena, n, &intervals));
	for (uint32_t i = 0; i < waits->n_intervals; i++)
		intervals[i] = waits->intervals[i];
	PH_TRY(ph_device_intervals(finder->arena, &input, intervals + waits->n_intervals));
	out->intervals = intervals;
	out->n_intervals = n;
	return PH_OK;
}

PhStatus
ph_device_waits_find(PhArena *arena, const PhDeviceWork *work, const PhSkeleton *skeleton,
					 const PhWaitStates *waits, const PhWaitStates *all, PhWaitStates *out)
{
	Finder finder = {
		.arena = arena, .work = work, .list = work->activities->list.items, .all = all};
	*out = (PhWaitStates){.n_locations = waits->n_locations};
	finder.begin = begin_of_run(&finder, skeleton);
	PH_TRY(note_causes(&finder));
	PH_TRY(add_host_waits(&finder));
	PH_TRY(find_passages(&finder));
	PH_TRY(sort_found(&finder));
	PH_TRY(join_intervals(&finder, skeleton, waits, out));
	return merge(&finder, waits, out);
}
