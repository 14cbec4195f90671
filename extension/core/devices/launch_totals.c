/*
 * launch_totals.c - see launch_totals.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/launch_totals.h"

#include "base/min_max.h"

void
ph_launch_totals_begin(PhArena *arena, const PhTraceModel *model, int64_t long_call,
					   int64_t long_delay, PhLaunchTotals *out)
{
	*out = (PhLaunchTotals){
		.arena = arena, .model = model, .long_call = long_call, .long_delay = long_delay};
	ph_map_init(&out->places, arena);
}

static PhStatus
find_total(PhLaunchTotals *totals, int32_t rank, uint32_t region, PhLaunchTotal **out)
{
	uint32_t *place;
	PH_TRY(ph_map_enter(&totals->places, ph_map_key((uint32_t) rank, region), totals->list.count,
						&place));
	if (*place == totals->list.count)
	{
		PH_TRY(PH_ROOM(totals->arena, &totals->list));
		totals->list.items[totals->list.count++] =
			(PhLaunchTotal){.rank = rank, .region = region, .max_delay = INT64_MIN};
	}
	*out = &totals->list.items[*place];
	return PH_OK;
}

static void
add_launch(const PhLaunchTotals *totals, PhLaunchTotal *total, const PhDeviceActivity *activity,
		   const PhLaunchingCall *call, uint32_t queue)
{
	int64_t duration = activity->end - activity->start, called = call->leave - call->enter;
	int64_t delay = activity->start - activity->call;
	total->n++;
	total->n_short += duration < called;
	total->n_long_calls += called > totals->long_call;
	total->n_delayed += delay > totals->long_delay;
	total->calls += called;
	total->durations += duration;
	total->delays += delay;
	total->max_delay = PH_MAX(total->max_delay, delay);
	total->max_queue = PH_MAX(total->max_queue, queue);
}

PhStatus
ph_launch_totals_add(PhLaunchTotals *totals, const PhDeviceActivity *activities,
					 const uint32_t *order, uint32_t n, const uint32_t *queue,
					 const PhLaunchingCall *calls)
{
	PhLaunchTotal *total = NULL; /* most are of the one before */
	for (uint32_t i = 0; i < n; i++)
	{
		const PhDeviceActivity *activity = &activities[order[i]];
		PH_TRY(ph_env_poll(totals->arena->env));
		if (activity->launch == PH_NONE || calls[activity->launch].region == PH_NONE)
			continue;
		const PhLaunchingCall *call = &calls[activity->launch];
		int32_t rank = totals->model->locations[activity->location].rank;
		if (total == NULL || total->rank != rank || total->region != call->region)
			PH_TRY(find_total(totals, rank, call->region, &total));
		add_launch(totals, total, activity, call, queue[i]);
	}
	return PH_OK;
}
