/*
 * stream_waits.c - see stream_waits.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/stream_waits.h"

#include "base/min_max.h"
#include "base/sort.h"

static int
compare_in_location(const void *context, uint32_t x, uint32_t y)
{
	const PhDeviceActivity *a = &((const PhDeviceActivity *) context)[x];
	const PhDeviceActivity *b = &((const PhDeviceActivity *) context)[y];
	if (a->location != b->location)
		return a->location < b->location ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* The activity that ended there and then, in an order by location and end; PH_NONE. */
static uint32_t
find_awaited(const PhActivities *activities, const uint32_t *order,
			 const PhAwaitedActivity *awaited)
{
	const PhDeviceActivity *list = activities->list.items;
	uint32_t n = activities->list.count, low = 0, high = n;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		const PhDeviceActivity *at = &list[order[middle]];
		if (at->location < awaited->location ||
			(at->location == awaited->location && at->end < awaited->end))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == n || list[order[low]].location != awaited->location ||
		list[order[low]].end != awaited->end)
		return PH_NONE;
	return order[low];
}

/* A stream cannot have waited for what ends behind the begin. */
PhStatus
ph_awaited_activities(PhArena *arena, const PhActivities *activities, uint32_t **out)
{
	const PhDeviceActivity *list = activities->list.items;
	uint32_t *order, *found;
	*out = NULL;
	if (activities->awaited.count == 0)
		return PH_OK;
	PH_TRY(ph_sort_indices(arena, activities->list.count, compare_in_location, list, &order));
	PH_TRY(PH_NEW(arena, activities->list.count, &found));
	for (uint32_t i = 0; i < activities->list.count; i++)
		found[i] = PH_NONE;
	for (uint32_t i = 0; i < activities->awaited.count; i++)
	{
		const PhAwaitedActivity *awaited = &activities->awaited.items[i];
		if (awaited->end <= list[awaited->activity].start)
			found[awaited->activity] = find_awaited(activities, order, awaited);
	}
	*out = found;
	return PH_OK;
}

/* By activity when its stream was free for it; INT64_MIN: it is the first. */
static PhStatus
find_free(PhArena *arena, const PhActivities *activities, const PhDevices *devices, int64_t **out)
{
	uint32_t *order, *first;
	PH_TRY(ph_activities_order(arena, activities, devices->stream_of, devices->n_streams, &order,
							   &first));
	PH_TRY(PH_NEW(arena, activities->list.count, out));
	for (uint32_t stream = 0; stream < devices->n_streams; stream++)
	{
		int64_t reach = INT64_MIN, before = INT64_MIN, start = INT64_MIN;
		for (uint32_t i = first[stream]; i < first[stream + 1]; i++)
		{
			const PhDeviceActivity *activity = &activities->list.items[order[i]];
			before = activity->start > start ? reach : before; /* of one instant: of all alike */
			start = activity->start;
			(*out)[order[i]] = before;
			reach = PH_MAX(reach, activity->end);
		}
	}
	return PH_OK;
}

PhStatus
ph_stream_waits(PhArena *arena, const PhActivities *activities, const PhDevices *devices,
				PhStreamWait **out, uint32_t *n)
{
	uint32_t *awaited;
	int64_t *free_at;
	*n = activities->awaited.count;
	PH_TRY(ph_awaited_activities(arena, activities, &awaited));
	PH_TRY(find_free(arena, activities, devices, &free_at));
	PH_TRY(PH_NEW(arena, *n, out));
	for (uint32_t i = 0; i < *n; i++)
	{
		const PhAwaitedActivity *of = &activities->awaited.items[i];
		const PhDeviceActivity *activity = &activities->list.items[of->activity];
		int64_t since = PH_MAX(free_at[of->activity], activity->call); /* both INT64_MIN: unknown */
		int64_t until = PH_MIN(of->end, activity->start);
		(*out)[i] = (PhStreamWait){of->activity, awaited[of->activity], of->location, of->end,
								   since == INT64_MIN ? 0 : PH_MAX(until - since, 0)};
	}
	return PH_OK;
}
