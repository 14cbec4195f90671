/*
 * device_collection.c - see device_collection.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "blame/device_collection.h"

#include "base/sort.h"
#include "devices/usage.h"

static const PhLaunches no_launches = {{NULL, 0, 0}};

void
ph_device_collection_free(PhDeviceCollection *collection)
{
	ph_activities_free(collection->env, &collection->activities);
	ph_host_calls_free(collection->env, &collection->syncs);
}

PhStatus
ph_device_collection_add(PhDeviceCollection *collection, const PhChunk *chunk,
						 const PhChunkReader *reader, const PhLink *links)
{
	return ph_activities_add_chunk(collection->env, &collection->activities, chunk, reader, links,
								   collection->launches);
}

PhStatus
ph_device_collection_merge(PhDeviceCollection *collection, PhDeviceCollection *other)
{
	uint32_t n = collection->activities.list.count;
	for (uint32_t i = 0; i < other->activities.list.count; i++)
	{
		PH_TRY(PH_ROOM(collection->env, &collection->activities.list));
		collection->activities.list.items[collection->activities.list.count++] =
			other->activities.list.items[i];
	}
	for (uint32_t i = 0; i < other->activities.awaited.count; i++)
	{
		PhAwaitedActivity awaited = other->activities.awaited.items[i];
		awaited.activity += n;
		PH_TRY(PH_ROOM(collection->env, &collection->activities.awaited));
		collection->activities.awaited.items[collection->activities.awaited.count++] = awaited;
	}
	other->activities.list.count = other->activities.awaited.count = 0;
	return PH_OK;
}

static int
compare_locations(const void *context, uint32_t x, uint32_t y)
{
	const PhDeviceActivity *list = context;
	if (list[x].location != list[y].location)
		return list[x].location < list[y].location ? -1 : 1;
	return (x > y) - (x < y);
}

/* Numbers of activities after they were sorted: place order[i] became i. */
static void
renumber_awaited(PhActivities *activities, const uint32_t *order, uint32_t *place)
{
	for (uint32_t i = 0; i < activities->list.count; i++)
		place[order[i]] = i;
	for (uint32_t i = 0; i < activities->awaited.count; i++)
		activities->awaited.items[i].activity = place[activities->awaited.items[i].activity];
}

/* Threads have read lanes in any order. */
static PhStatus
sort_by_lane(PhDeviceCollection *collection)
{
	uint32_t n = collection->activities.list.count, *order, *place = NULL;
	PhDeviceActivity *items = collection->activities.list.items, *copy = NULL;
	PhArena scratch;
	ph_arena_init(&scratch, collection->env);
	PhStatus status = ph_sort_indices(&scratch, n, compare_locations, items, &order);
	if (status == PH_OK)
		status = PH_NEW(&scratch, n, &copy);
	if (status == PH_OK)
		status = PH_NEW(&scratch, n, &place);
	for (uint32_t i = 0; i < n && status == PH_OK; i++)
		copy[i] = items[order[i]];
	for (uint32_t i = 0; i < n && status == PH_OK; i++)
		items[i] = copy[i];
	if (status == PH_OK)
		renumber_awaited(&collection->activities, order, place);
	ph_arena_drop(&scratch);
	return status;
}

PhStatus
ph_device_collection_begin(PhDeviceCollection *collection, PhArena *arena)
{
	const PhTraceModel *model = collection->model;
	if (collection->launches == NULL)
		collection->launches = &no_launches;
	uint32_t n_calls = collection->launches->calls.count;
	for (uint32_t i = 0; i < collection->activities.list.count; i++)
		if (collection->activities.list.items[i].region >= model->n_regions)
			return ph_fail(collection->env, PH_ERR_FORMAT, "an activity is of an unknown region");
	PH_TRY(sort_by_lane(collection));
	PH_TRY(PH_NEW(arena, model->n_regions, &collection->synchronises));
	PH_TRY(PH_NEW(arena, model->n_regions, &collection->kinds));
	for (uint32_t i = 0; i < model->n_regions; i++)
	{
		collection->synchronises[i] = ph_call_synchronises(model->regions[i].name);
		collection->kinds[i] = ph_activity_kind(&model->regions[i]);
	}
	PH_TRY(PH_NEW(arena, n_calls, &collection->calls));
	for (uint32_t i = 0; i < n_calls; i++)
		collection->calls[i].region = PH_NONE;
	return PH_OK;
}

PhStatus
ph_device_collection_calls(PhDeviceCollection *collection, const PhChunk *chunk,
						   PhChunkReader *reader)
{
	PH_TRY(ph_chunk_reader_open(reader, chunk, PH_WANT_CALLS));
	PH_TRY(ph_host_calls_add_chunk(collection->env, &collection->syncs, collection->synchronises,
								   collection->model->n_regions, chunk, reader));
	PH_TRY(ph_chunk_reader_open(reader, chunk, PH_WANT_CALLS));
	ph_launching_calls_add_chunk(collection->launches, collection->calls, chunk, reader);
	return PH_OK;
}

PhStatus
ph_device_collection_finish(PhDeviceCollection *collection, PhArena *arena)
{
	PH_TRY(ph_devices_find(arena, collection->model, &collection->devices));
	PH_TRY(ph_device_collectives_find(arena, &collection->activities, collection->kinds,
									  collection->model, &collection->collectives));
	collection->work = (PhDeviceWork){.model = collection->model,
									  .devices = &collection->devices,
									  .kinds = collection->kinds,
									  .activities = &collection->activities,
									  .launches = collection->launches,
									  .calls = collection->calls,
									  .syncs = &collection->syncs,
									  .collectives = &collection->collectives,
									  .near = PH_LAUNCH_GAP};
	return PH_OK;
}
