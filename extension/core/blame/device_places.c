/*
 * device_places.c - see device_places.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/device_places.h"

#include "base/min_max.h"

typedef struct Finder
{
	PhArena *arena;
	const PhDeviceActivity *list;
	PhTraceTree *tree;
	PhTreeWatch watch;
	void *user;
	PhDevicePlaces *out;
} Finder;

static PhStatus
add_time(Finder *finder, uint32_t lane, uint32_t node, uint32_t home, int64_t ns)
{
	PhDevicePlaces *out = finder->out;
	uint32_t *place;
	PH_TRY(ph_map_enter(&out->of, ph_map_key(lane, node), out->n, &place));
	if (*place == out->n)
	{
		PH_TRY(PH_GROW(finder->arena, &out->taken, out->n, &out->capacity));
		PH_TRY(PH_GROW(finder->arena, &out->homes, out->n, &out->home_room));
		out->homes[out->n] = home;
		out->taken[out->n++] = (PhTreeCost){.node = node, .location = lane};
	}
	out->taken[*place].ns += ns;
	return PH_OK;
}

static PhStatus
tell_of(Finder *finder, uint32_t at, int64_t *told)
{
	const PhDeviceActivity *activity = &finder->list[at];
	int64_t from = PH_MAX(activity->start, *told);
	uint32_t node = PH_NONE, home = PH_NONE;
	if (from >= activity->end)
		return PH_OK;
	PH_TRY(ph_trace_tree_place_activity(finder->tree, activity->location, activity->launch,
										activity->region, &node, &home));
	PH_TRY(add_time(finder, activity->location, node, home, activity->end - from));
	*told = activity->end;
	return finder->watch(finder->user, activity->location, &(PhStretch){from, activity->end, node},
						 1);
}

PhStatus
ph_device_places_find(PhArena *arena, const PhActivities *activities, const PhTraceModel *model,
					  PhTraceTree *tree, PhTreeWatch watch, void *user, PhDevicePlaces *out)
{
	Finder finder = {arena, activities->list.items, tree, watch, user, out};
	uint32_t *own, *order, *first;
	*out = (PhDevicePlaces){0};
	ph_map_init(&out->of, arena);
	PH_TRY(PH_NEW(arena, model->n_locations, &own));
	for (uint32_t i = 0; i < model->n_locations; i++)
		own[i] = i;
	PH_TRY(ph_activities_order(arena, activities, own, model->n_locations, &order, &first));
	for (uint32_t at = 0; at < model->n_locations; at++)
	{
		int64_t told = INT64_MIN;
		out->n_lanes += first[at] < first[at + 1];
		for (uint32_t i = first[at]; i < first[at + 1]; i++)
		{
			PH_TRY(ph_env_poll(arena->env));
			PH_TRY(tell_of(&finder, order[i], &told));
		}
	}
	return PH_OK;
}

PhStatus
ph_device_place(PhDevicePlaces *places, uint32_t location, uint32_t node, uint32_t *home)
{
	uint32_t *place;
	PH_TRY(ph_map_enter(&places->of, ph_map_key(location, node), PH_NONE, &place));
	*home = *place == PH_NONE ? location : places->homes[*place];
	return PH_OK;
}
