/*
 * activities.c - see activities.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "devices/activities.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "trace/chunk/device_records.h"

PhActivityKind
ph_activity_kind(const PhTraceRegion *region)
{
	static const char *const libraries[] = {"nccl", "rccl", "hccl", "ccl_"};
	if (strcmp(region->role, PH_ROLE_COPY) == 0)
		return PH_ACTIVITY_COPY;
	if (strcmp(region->role, PH_ROLE_SET) == 0)
		return PH_ACTIVITY_SET;
	if (strcmp(region->role, PH_ROLE_COLLECTIVE) == 0)
		return PH_ACTIVITY_COMMUNICATION;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (strstr(region->name, libraries[i]) != NULL)
			return PH_ACTIVITY_COMMUNICATION;
	return PH_ACTIVITY_COMPUTE;
}

PhDeviceOperation
ph_device_activity_operation(const PhDeviceActivity *activity, const PhTraceRegion *region)
{
	if (activity->operation != PH_DEVICE_UNTOLD)
		return (PhDeviceOperation) activity->operation;
	return ph_device_operation_of_call(region->name, strlen(region->name));
}

/* ---- devices and streams ---- */

static int
compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_devices(const PhTraceLocation *a, const PhTraceLocation *b)
{
	return a->rank != b->rank ? compare_numbers(a->rank, b->rank)
							  : compare_numbers(a->stream.device, b->stream.device);
}

static int
compare_streams(const PhTraceLocation *a, const PhTraceLocation *b)
{
	int order = compare_devices(a, b);
	if (order == 0)
		order = compare_numbers(a->stream.context, b->stream.context);
	return order != 0 ? order : compare_numbers(a->stream.stream, b->stream.stream);
}

/* What is no stream comes last. */
static int
compare_locations(const void *context, uint32_t x, uint32_t y)
{
	const PhTraceLocation *a = &((const PhTraceLocation *) context)[x],
						  *b = &((const PhTraceLocation *) context)[y];
	if (ph_location_is_stream(a) != ph_location_is_stream(b))
		return ph_location_is_stream(a) ? -1 : 1;
	return ph_location_is_stream(a) ? compare_streams(a, b) : 0;
}

PhStatus
ph_devices_find(PhArena *arena, const PhTraceModel *model, PhDevices *out)
{
	PhDevices devices = {0};
	uint32_t n = model->n_locations, *sorted;
	uint32_t **arrays[] = {&devices.device_of, &devices.stream_of, &devices.device_location,
						   &devices.stream_location};
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		PH_TRY(PH_NEW(arena, n, arrays[i]));
	PH_TRY(ph_sort_indices(arena, n, compare_locations, model->locations, &sorted));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t at = sorted[i];
		const PhTraceLocation *location = &model->locations[at];
		const PhTraceLocation *before = i == 0 ? NULL : &model->locations[sorted[i - 1]];
		devices.device_of[at] = devices.stream_of[at] = PH_NONE;
		if (!ph_location_is_stream(location))
			continue;
		if (before == NULL || compare_devices(before, location) != 0)
			devices.device_location[devices.n_devices++] = at;
		if (before == NULL || compare_streams(before, location) != 0)
			devices.stream_location[devices.n_streams++] = at;
		devices.device_of[at] = devices.n_devices - 1;
		devices.stream_of[at] = devices.n_streams - 1;
	}
	*out = devices;
	return PH_OK;
}

/* ---- a chunk ---- */

static PhStatus
begin(PhEnv *env, PhActivities *activities, PhDeviceActivity activity)
{
	PH_TRY(PH_ROOM(env, &activities->list));
	PH_TRY(ph_indices_add(env, &activities->open, activities->list.count));
	activities->list.items[activities->list.count++] = activity;
	return PH_OK;
}

/* What is open at the chunk's start is known from the chunk before, if it was added. */
static PhStatus
resume(PhEnv *env, PhActivities *activities, const PhChunk *chunk, const PhChunkReader *reader)
{
	uint32_t depth;
	const PhOpenCall *stack = ph_chunk_stack(reader, &depth);
	bool follows = activities->location == chunk->location && activities->open.count == depth;
	activities->location = chunk->location;
	if (follows)
		return PH_OK;
	activities->open.count = 0;
	for (uint32_t i = 0; i < depth; i++)
		PH_TRY(begin(env, activities,
					 (PhDeviceActivity){.location = chunk->location,
										.region = stack[i].region,
										.launch = PH_NONE,
										.communicator = PH_NONE,
										.start = stack[i].enter,
										.call = PH_NO_TIME}));
	return PH_OK;
}

static PhStatus
enter(PhEnv *env, PhActivities *activities, const PhChunk *chunk, int64_t time, uint32_t region,
	  const PhLink *link, const PhLaunches *launches)
{
	PhDeviceActivity activity = {.location = chunk->location,
								 .region = region,
								 .launch = PH_NONE,
								 .communicator = PH_NONE,
								 .start = time,
								 .end = time,
								 .call = PH_NO_TIME};
	if (link != NULL && link->location != PH_NONE)
		activity.call = link->time;
	if (launches != NULL && link != NULL && link->location != PH_NONE)
		activity.launch = ph_launches_find(launches, link->location, link->seq);
	return begin(env, activities, activity);
}

/* Later versions may know more of them. */
static uint8_t
operation_of(uint64_t value)
{
	return value < PH_DEVICE_OPERATION_COUNT ? (uint8_t) value : PH_DEVICE_UNTOLD;
}

static PhStatus
take_record(PhEnv *env, PhActivities *activities, const PhOperandArrays *extras, uint32_t extra,
			uint32_t value)
{
	uint32_t n = extras->n_values[extra], at;
	PhDeviceActivity *activity;
	PhAwaited awaited;
	if (extras->operation[extra] != PH_RECORD_ACTIVITY || activities->open.count == 0)
		return PH_OK;
	at = activities->open.items[activities->open.count - 1];
	activity = &activities->list.items[at];
	if (n > PH_ACTIVITY_BYTES)
		activity->bytes =
			PH_MIN(extras->values[value + PH_ACTIVITY_BYTES], PH_MOST_ACTIVITY_BYTES) &
			PH_MOST_ACTIVITY_BYTES;
	if (n > PH_ACTIVITY_COMMUNICATOR)
		activity->communicator = (uint32_t) extras->values[value + PH_ACTIVITY_COMMUNICATOR] - 1;
	if (n > PH_ACTIVITY_OPERATION)
		activity->operation = operation_of(extras->values[value + PH_ACTIVITY_OPERATION]);
	if (!ph_activity_awaited(extras->values + value, n, activity->start, &awaited))
		return PH_OK;
	PH_TRY(PH_ROOM(env, &activities->awaited));
	activities->awaited.items[activities->awaited.count++] =
		(PhAwaitedActivity){at, awaited.location, awaited.end};
	return PH_OK;
}

PhStatus
ph_activities_add_chunk(PhEnv *env, PhActivities *activities, const PhChunk *chunk,
						const PhChunkReader *reader, const PhLink *links,
						const PhLaunches *launches)
{
	const uint8_t *kinds = ph_chunk_kinds(reader);
	const int64_t *times = ph_chunk_times(reader);
	const uint32_t *regions = ph_chunk_enter_regions(reader);
	const PhOperandArrays *extras = ph_chunk_extras(reader);
	uint32_t n_entered = 0, extra = 0, value = 0;
	PH_TRY(resume(env, activities, chunk, reader));
	PH_TRY(ph_env_poll(env));
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		if (kinds[i] == PH_EVENT_ENTER)
		{
			PH_TRY(enter(env, activities, chunk, times[i], regions[n_entered],
						 links == NULL ? NULL : &links[n_entered], launches));
			n_entered++;
		}
		else if (kinds[i] == PH_EVENT_LEAVE)
			activities->list.items[activities->open.items[--activities->open.count]].end = times[i];
		else if (kinds[i] >= PH_EVENT_METRIC && extras != NULL)
		{
			PH_TRY(take_record(env, activities, extras, extra, value));
			value += extras->n_values[extra++];
		}
	}
	for (uint32_t i = 0; i < activities->open.count; i++)
		activities->list.items[activities->open.items[i]].end = chunk->t_last;
	return PH_OK;
}

void
ph_activities_window(PhActivities *activities, int64_t from, int64_t to)
{
	uint32_t n = 0, next = 0, n_awaited = 0;
	for (uint32_t i = 0; i < activities->list.count; i++)
	{
		const PhDeviceActivity *activity = &activities->list.items[i];
		bool is_in = activity->start < to && activity->end >= from;
		for (; next < activities->awaited.count && activities->awaited.items[next].activity == i;
			 next++)
		{
			if (!is_in)
				continue;
			activities->awaited.items[n_awaited] = activities->awaited.items[next];
			activities->awaited.items[n_awaited++].activity = n;
		}
		if (is_in)
			activities->list.items[n++] = *activity;
	}
	activities->list.count = n;
	activities->awaited.count = n_awaited;
}

void
ph_activities_free(PhEnv *env, PhActivities *activities)
{
	PH_VECTOR_FREE(env, &activities->list);
	PH_VECTOR_FREE(env, &activities->awaited);
	PH_VECTOR_FREE(env, &activities->open);
}

/* ---- in order ---- */

static bool
is_before(const PhDeviceActivity *list, uint32_t x, uint32_t y)
{
	const PhDeviceActivity *a = &list[x], *b = &list[y];
	if (a->start != b->start)
		return a->start < b->start;
	return a->end != b->end ? a->end < b->end : x < y;
}

/* Where the stretch that begins at `at` and is in order ends. */
static uint32_t
end_of_stretch(const PhDeviceActivity *list, const uint32_t *items, uint32_t n, uint32_t at)
{
	while (at + 1 < n && !is_before(list, items[at + 1], items[at]))
		at++;
	return at + 1 < n ? at + 1 : n;
}

static void
merge_stretches(const PhDeviceActivity *list, const uint32_t *from, uint32_t first, uint32_t middle,
				uint32_t end, uint32_t *to)
{
	uint32_t left = first, right = middle;
	for (uint32_t i = first; i < end; i++)
	{
		bool is_right = left == middle || (right < end && is_before(list, from[right], from[left]));
		to[i] = is_right ? from[right++] : from[left++];
	}
}

/*
 * Natural merge sort: neighbouring stretches are merged until there is one. The result is in items
 * or in buffer.
 */
static PhStatus
sort_stretches(PhEnv *env, const PhDeviceActivity *list, uint32_t *items, uint32_t *buffer,
			   uint32_t n, uint32_t **out)
{
	uint32_t n_merges;
	do
	{
		n_merges = 0;
		for (uint32_t at = 0; at < n;)
		{
			uint32_t middle = end_of_stretch(list, items, n, at);
			uint32_t end = middle < n ? end_of_stretch(list, items, n, middle) : n;
			PH_TRY(ph_env_poll(env));
			if (at == 0 && middle == n)
				break;
			merge_stretches(list, items, at, middle, end, buffer);
			at = end;
			n_merges++;
		}
		if (n_merges > 0)
		{
			uint32_t *swap = items;
			items = buffer;
			buffer = swap;
		}
	} while (n_merges > 1);
	*out = items;
	return PH_OK;
}

PhStatus
ph_activities_order(PhArena *arena, const PhActivities *activities, const uint32_t *group_of,
					uint32_t n_groups, uint32_t **order, uint32_t **first)
{
	const PhDeviceActivity *list = activities->list.items;
	uint32_t n = activities->list.count, *buffer, *next, *sorted;
	PH_TRY(PH_NEW(arena, (size_t) n_groups + 1, first));
	PH_TRY(PH_NEW(arena, (size_t) n_groups + 1, &next));
	PH_TRY(PH_NEW(arena, n, order));
	PH_TRY(PH_NEW(arena, n, &buffer));
	for (uint32_t i = 0; i < n; i++)
		(*first)[group_of[list[i].location] + 1]++;
	for (uint32_t g = 0; g < n_groups; g++)
		(*first)[g + 1] += (*first)[g];
	memcpy(next, *first, ((size_t) n_groups + 1) * sizeof(*next));
	for (uint32_t i = 0; i < n; i++)
		(*order)[next[group_of[list[i].location]]++] = i;
	for (uint32_t g = 0; g < n_groups; g++)
	{
		uint32_t at = (*first)[g], count = (*first)[g + 1] - at;
		PH_TRY(sort_stretches(arena->env, list, *order + at, buffer + at, count, &sorted));
		if (sorted != *order + at)
			memcpy(*order + at, sorted, count * sizeof(*sorted));
	}
	return PH_OK;
}
