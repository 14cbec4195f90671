/*
 * dependences.c - see dependences.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/dependences.h"

#include "base/min_max.h"
#include "base/sort.h"
#include "devices/stream_waits.h"

typedef struct Finder
{
	PhArena *arena;
	const PhDeviceWork *work;
	const PhDeviceActivity *list;
	PH_VECTOR(PhWait) waits;
	uint32_t *recorded; /* by activity: what it waited for; NULL: nothing was recorded */
} Finder;

static PhStatus
add_wait(Finder *finder, PhWait wait)
{
	if (wait.from > wait.to)
		wait.from = wait.to;
	wait.release = wait.to;
	wait.call = PH_NONE;
	if (wait.kind != PH_WAIT_DEVICE)
		wait.awaited_region = PH_NONE;
	PH_TRY(PH_ROOM(finder->arena, &finder->waits));
	finder->waits.items[finder->waits.count++] = wait;
	return PH_OK;
}

int64_t
ph_device_launched_at(const PhDeviceWork *work, const PhDeviceActivity *activity)
{
	if (activity->launch == PH_NONE || activity->call > activity->start)
		return PH_NO_TIME;
	const PhLaunchingCall *call = &work->calls[activity->launch];
	return call->region != PH_NONE && call->leave <= activity->start ? call->leave : activity->call;
}

/* ---- activities in order of their ends ---- */

typedef struct ByEnd
{
	const PhDeviceActivity *list;
	const uint32_t *place; /* in the order by start */
} ByEnd;

static int
compare_ends(const void *context, uint32_t x, uint32_t y)
{
	const ByEnd *by_end = context;
	int64_t a = by_end->list[x].end, b = by_end->list[y].end;
	if (a != b)
		return a < b ? -1 : 1;
	return (by_end->place[x] > by_end->place[y]) - (by_end->place[x] < by_end->place[y]);
}

/* The same activities as order, sorted by end. */
static PhStatus
sort_by_end(const Finder *finder, const uint32_t *order, const uint32_t *place, uint32_t n,
			uint32_t *ended, uint32_t *buffer)
{
	ByEnd by_end = {finder->list, place};
	for (uint32_t i = 0; i < n; i++)
		ended[i] = order[i];
	return ph_sort(finder->arena->env, ended, n, buffer, compare_ends, &by_end);
}

/* ---- streams ---- */

/* A device's activities, by start and by end, and how far a sweep by start has come. */
typedef struct Sweep
{
	const uint32_t *order, *ended, *place;
	uint32_t n, n_ended;
	uint32_t *last; /* by stream: its activity that ended last so far; PH_NONE */
	uint32_t *touched;
	uint32_t latest, before; /* that ended last on the device, and last of another stream */
} Sweep;

/* What was over when the i-th activity began. Of one instant, what comes before it. */
static void
sweep_to(const Finder *finder, Sweep *sweep, uint32_t at)
{
	const uint32_t *stream_of = finder->work->devices->stream_of;
	int64_t start = finder->list[at].start;
	for (; sweep->n_ended < sweep->n; sweep->n_ended++)
	{
		uint32_t other = sweep->ended[sweep->n_ended];
		const PhDeviceActivity *over = &finder->list[other];
		if (over->end > start || (over->end == start && sweep->place[other] >= sweep->place[at]))
			return;
		sweep->last[stream_of[over->location]] = other;
		if (sweep->latest != PH_NONE &&
			stream_of[finder->list[sweep->latest].location] != stream_of[over->location])
			sweep->before = sweep->latest;
		sweep->latest = other;
	}
}

/* The activity of another stream of the device that ended last so far; PH_NONE. */
static uint32_t
last_of_others(const Finder *finder, const Sweep *sweep, uint32_t stream)
{
	const uint32_t *stream_of = finder->work->devices->stream_of;
	if (sweep->latest == PH_NONE || stream_of[finder->list[sweep->latest].location] != stream)
		return sweep->latest;
	return sweep->before;
}

static PhStatus
wait_for_host(Finder *finder, uint32_t at, int64_t free_at)
{
	const PhDeviceActivity *activity = &finder->list[at];
	return add_wait(
		finder, (PhWait){.from = free_at == PH_NO_TIME ? activity->call : free_at,
						 .to = ph_device_launched_at(finder->work, activity),
						 .victim = activity->location,
						 .awaited = finder->work->launches->calls.items[activity->launch].location,
						 .end = at,
						 .instance = PH_NONE,
						 .region = activity->region});
}

static PhStatus
wait_for_activity(Finder *finder, uint32_t at, int64_t since, uint32_t other, bool is_inferred)
{
	const PhDeviceActivity *activity = &finder->list[at];
	return add_wait(finder, (PhWait){.from = since == PH_NO_TIME ? activity->start : since,
									 .to = finder->list[other].end,
									 .victim = activity->location,
									 .awaited = finder->list[other].location,
									 .end = at,
									 .instance = PH_NONE,
									 .region = activity->region,
									 .is_inferred = is_inferred});
}

/* What an activity came behind: its launch, its own stream, or another one. */
static PhStatus
look_at_activity(Finder *finder, const Sweep *sweep, uint32_t at)
{
	uint32_t recorded = finder->recorded == NULL ? PH_NONE : finder->recorded[at];
	const PhDeviceActivity *activity = &finder->list[at];
	uint32_t stream = finder->work->devices->stream_of[activity->location];
	uint32_t before = sweep->last[stream], other = last_of_others(finder, sweep, stream);
	int64_t free_at = before == PH_NONE ? PH_NO_TIME : finder->list[before].end;
	int64_t launched = ph_device_launched_at(finder->work, activity);
	if (recorded != PH_NONE && finder->list[recorded].end > PH_MAX(free_at, launched))
		return wait_for_activity(finder, at, free_at, recorded, false);
	if (other != PH_NONE && finder->list[other].end > PH_MAX(free_at, launched) &&
		activity->start - finder->list[other].end <= finder->work->near)
		return wait_for_activity(finder, at, free_at, other, true);
	if (launched > free_at)
		return wait_for_host(finder, at, free_at);
	if (before != PH_NONE && finder->list[before].location != activity->location)
		return wait_for_activity(finder, at, free_at, before, false);
	return PH_OK;
}

static PhStatus
look_at_device(Finder *finder, Sweep *sweep, uint32_t *last)
{
	sweep->last = last;
	sweep->n_ended = 0;
	sweep->latest = sweep->before = PH_NONE;
	for (uint32_t i = 0; i < sweep->n; i++)
	{
		PH_TRY(ph_env_poll(finder->arena->env));
		sweep_to(finder, sweep, sweep->order[i]);
		PH_TRY(look_at_activity(finder, sweep, sweep->order[i]));
	}
	return PH_OK;
}

static PhStatus
find_stream_waits(Finder *finder)
{
	const PhDevices *devices = finder->work->devices;
	uint32_t n = finder->work->activities->list.count;
	uint32_t *order, *first, *ended, *buffer, *place, *last;
	PH_TRY(ph_activities_order(finder->arena, finder->work->activities, devices->device_of,
							   devices->n_devices, &order, &first));
	PH_TRY(PH_NEW(finder->arena, n, &ended));
	PH_TRY(PH_NEW(finder->arena, n, &buffer));
	PH_TRY(PH_NEW(finder->arena, n, &place));
	PH_TRY(PH_NEW(finder->arena, devices->n_streams, &last));
	for (uint32_t i = 0; i < n; i++)
		place[order[i]] = i;
	for (uint32_t i = 0; i < devices->n_streams; i++)
		last[i] = PH_NONE;
	for (uint32_t d = 0; d < devices->n_devices; d++)
	{
		Sweep sweep = {.order = order + first[d],
					   .ended = ended,
					   .place = place,
					   .n = first[d + 1] - first[d]};
		PH_TRY(sort_by_end(finder, sweep.order, place, sweep.n, ended, buffer));
		PH_TRY(look_at_device(finder, &sweep, last));
	}
	return PH_OK;
}

/* ---- the host ---- */

/* Ranks count from 0; PH_NONE: the location has none. */
static uint32_t
rank_of(const Finder *finder, uint32_t location)
{
	int32_t rank = finder->work->model->locations[location].rank;
	return rank >= 0 && (uint32_t) rank < finder->work->model->n_ranks ? (uint32_t) rank : PH_NONE;
}

/* The last of these, sorted by end, that ended up to this time; PH_NONE. */
static uint32_t
last_ended(const Finder *finder, const uint32_t *ended, uint32_t n, int64_t time)
{
	uint32_t low = 0, high = n;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (finder->list[ended[middle]].end <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? PH_NONE : ended[low - 1];
}

static PhStatus
look_at_sync(Finder *finder, const PhHostCall *call, const uint32_t *order, const uint32_t *first)
{
	uint32_t rank = rank_of(finder, call->location);
	if (rank == PH_NONE)
		return PH_OK;
	uint32_t last =
		last_ended(finder, order + first[rank], first[rank + 1] - first[rank], call->leave);
	if (last == PH_NONE || finder->list[last].end <= call->enter)
		return PH_OK;
	return add_wait(finder, (PhWait){.from = call->enter,
									 .to = finder->list[last].end,
									 .victim = call->location,
									 .awaited = finder->list[last].location,
									 .kind = PH_WAIT_DEVICE,
									 .end = last,
									 .seq = call->seq,
									 .instance = PH_NONE,
									 .region = call->region,
									 .awaited_region = finder->list[last].region,
									 .is_inferred = true});
}

typedef struct OfRank
{
	ByEnd by_end;
	const uint32_t *rank; /* by activity */
} OfRank;

static int
compare_in_rank(const void *context, uint32_t x, uint32_t y)
{
	const OfRank *of_rank = context;
	if (of_rank->rank[x] != of_rank->rank[y])
		return of_rank->rank[x] < of_rank->rank[y] ? -1 : 1;
	return compare_ends(&of_rank->by_end, x, y);
}

/* Activities by rank and end: of rank r order[first[r]] up to order[first[r + 1]]. */
static PhStatus
order_by_rank(Finder *finder, uint32_t **order, uint32_t **first)
{
	uint32_t n = finder->work->activities->list.count, n_ranks = finder->work->model->n_ranks;
	uint32_t *rank, *place;
	PH_TRY(PH_NEW(finder->arena, n, &rank));
	PH_TRY(PH_NEW(finder->arena, n, &place));
	PH_TRY(PH_NEW(finder->arena, (size_t) n_ranks + 2, first));
	for (uint32_t i = 0; i < n; i++)
	{
		place[i] = i;
		rank[i] = rank_of(finder, finder->list[i].location);
		(*first)[PH_MIN(rank[i], n_ranks) + 1]++;
	}
	for (uint32_t r = 0; r <= n_ranks; r++)
		(*first)[r + 1] += (*first)[r];
	OfRank of_rank = {{finder->list, place}, rank};
	return ph_sort_indices(finder->arena, n, compare_in_rank, &of_rank, order);
}

static PhStatus
find_host_waits(Finder *finder)
{
	uint32_t *order, *first;
	PH_TRY(order_by_rank(finder, &order, &first));
	for (uint32_t i = 0; i < finder->work->syncs->list.count; i++)
	{
		PH_TRY(ph_env_poll(finder->arena->env));
		PH_TRY(look_at_sync(finder, &finder->work->syncs->list.items[i], order, first));
	}
	return PH_OK;
}

/* A call that returned after the copy that it launched had ended, had waited for it. */
static PhStatus
find_copy_waits(Finder *finder)
{
	const PhDeviceWork *work = finder->work;
	for (uint32_t i = 0; i < work->activities->list.count; i++)
	{
		const PhDeviceActivity *copy = &finder->list[i];
		bool is_copy = work->kinds[copy->region] == PH_ACTIVITY_COPY;
		const PhLaunchingCall *call = copy->launch == PH_NONE ? NULL : &work->calls[copy->launch];
		const PhLaunchCall *launch;
		PH_TRY(ph_env_poll(finder->arena->env));
		if (!is_copy || call == NULL || call->region == PH_NONE || copy->end > call->leave ||
			copy->end <= call->enter)
			continue;
		launch = &work->launches->calls.items[copy->launch];
		PH_TRY(add_wait(finder, (PhWait){.from = call->enter,
										 .to = copy->end,
										 .victim = launch->location,
										 .awaited = copy->location,
										 .kind = PH_WAIT_DEVICE,
										 .end = i,
										 .seq = launch->seq,
										 .instance = PH_NONE,
										 .region = call->region,
										 .awaited_region = copy->region}));
	}
	return PH_OK;
}

/* ---- collectives ---- */

static PhStatus
find_collective_waits(Finder *finder)
{
	const PhDeviceCollectives *found = finder->work->collectives;
	for (uint32_t i = 0; i < found->n_members; i++)
	{
		const PhDeviceActivity *member = &finder->list[found->members[i].activity];
		uint32_t last = found->instances[found->members[i].instance].last;
		if (found->members[i].wait == 0)
			continue;
		PH_TRY(add_wait(finder,
						(PhWait){.from = member->start,
								 .to = member->start + found->members[i].wait,
								 .victim = member->location,
								 .awaited = finder->list[found->members[last].activity].location,
								 .end = found->members[i].activity,
								 .instance = found->members[i].instance,
								 .region = member->region,
								 .is_inferred = true}));
	}
	return PH_OK;
}

/* ---- all ---- */

static int
compare_waits(const void *context, uint32_t x, uint32_t y)
{
	const PhWait *a = &((const PhWait *) context)[x], *b = &((const PhWait *) context)[y];
	if (a->victim != b->victim)
		return a->victim < b->victim ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return (a->from < b->from) - (a->from > b->from);
}

static PhStatus
sort_waits(Finder *finder, uint32_t n_locations, PhWaitStates *out)
{
	uint32_t *order, *first;
	PhWait *sorted;
	PH_TRY(PH_NEW(finder->arena, finder->waits.count, &sorted));
	PH_TRY(PH_NEW(finder->arena, (size_t) n_locations + 1, &first));
	PH_TRY(ph_sort_indices(finder->arena, finder->waits.count, compare_waits, finder->waits.items,
						   &order));
	for (uint32_t i = 0; i < finder->waits.count; i++)
	{
		sorted[i] = finder->waits.items[order[i]];
		first[sorted[i].victim + 1]++;
	}
	for (uint32_t i = 0; i < n_locations; i++)
		first[i + 1] += first[i];
	*out = (PhWaitStates){
		.n = finder->waits.count, .n_locations = n_locations, .waits = sorted, .first = first};
	return PH_OK;
}

PhStatus
ph_device_dependences(PhArena *arena, const PhDeviceWork *work, const PhWaitStates *waits,
					  PhWaitStates *out)
{
	Finder finder = {.arena = arena, .work = work, .list = work->activities->list.items};
	for (uint32_t i = 0; i < waits->n; i++)
	{
		PH_TRY(PH_ROOM(arena, &finder.waits));
		finder.waits.items[finder.waits.count++] = waits->waits[i];
	}
	PH_TRY(ph_awaited_activities(arena, work->activities, &finder.recorded));
	PH_TRY(find_stream_waits(&finder));
	PH_TRY(find_host_waits(&finder));
	PH_TRY(find_copy_waits(&finder));
	PH_TRY(find_collective_waits(&finder));
	return sort_waits(&finder, waits->n_locations, out);
}
