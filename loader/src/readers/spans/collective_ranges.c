/*
 * collective_ranges.c - see collective_ranges.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/collective_ranges.h"

#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"

#define MOST_DEPTH 16 /* ranges of one collective around each other */

PhStatus
ph_collective_ranges_add_named(PhArena *arena, PhCollectiveRanges *ranges, const char *name,
							   const PhCollectiveRange *range)
{
	PhCollectiveRange added = *range;

	if (strcmp(name, "ncclGroupStart") == 0)
		added.kind = PH_RANGE_GROUP_START;
	else if (strcmp(name, "ncclGroupEnd") == 0)
		added.kind = PH_RANGE_GROUP_END;
	else
	{
		added.operation = ph_device_operation_of_call(name, strlen(name));
		if (added.operation == PH_DEVICE_UNTOLD && added.kind == PH_RANGE_NAMED)
			return PH_OK;
	}
	return ph_collective_ranges_add(arena, ranges, &added);
}

static int
compare_ranges(const void *context, uint32_t x, uint32_t y)
{
	const PhCollectiveRange *a = &((const PhCollectiveRange *) context)[x];
	const PhCollectiveRange *b = &((const PhCollectiveRange *) context)[y];

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

/* ---- groups ---- */

/* What the calls of a group, of which one of each kind has come, do together. */
static PhDeviceOperation
join_operations(uint32_t so_far, uint32_t next)
{
	if (so_far == PH_DEVICE_UNTOLD || so_far == next)
		return (PhDeviceOperation) next;
	if (ph_device_operation_matched(so_far) == PH_DEVICE_SEND_RECV &&
		ph_device_operation_matched(next) == PH_DEVICE_SEND_RECV)
		return PH_DEVICE_SEND_RECV;
	return PH_DEVICE_COALESCED;
}

/* The call at the end of a group is of what came since its start, if that was recorded; else of
 * the call before it. */
static void
close_groups(PhCollectiveRange *sorted, uint32_t n)
{
	PhCollectiveRange group = {0}; /* of the calls so far */

	for (uint32_t i = 0; i < n; i++)
	{
		PhCollectiveRange *range = &sorted[i];

		if (i > 0 && range->track != sorted[i - 1].track)
			group = (PhCollectiveRange){0};
		if (range->kind == PH_RANGE_GROUP_END)
		{
			range->communicator = group.communicator;
			range->operation = group.operation;
		}
		if (range->kind == PH_RANGE_GROUP_START || range->kind == PH_RANGE_GROUP_END)
			group = (PhCollectiveRange){.kind = range->kind};
		else
		{
			bool is_open = group.kind == PH_RANGE_GROUP_START;

			group.communicator = range->communicator;
			group.operation =
				is_open ? join_operations(group.operation, range->operation) : range->operation;
		}
	}
}

/* ---- order ---- */

static void
find_around(PhCollectiveRange *sorted, uint32_t i)
{
	uint32_t around = i > 0 && sorted[i - 1].track == sorted[i].track ? i - 1 : PH_NONE;

	while (around != PH_NONE && sorted[around].end < sorted[i].start)
		around = sorted[around].around;
	sorted[i].around = around;
}

PhStatus
ph_collective_ranges_sort(PhArena *arena, PhCollectiveRanges *ranges)
{
	uint32_t n = ranges->list.count;
	uint32_t *order;
	PhCollectiveRange *sorted;

	PH_TRY(ph_sort_indices(arena, n, compare_ranges, ranges->list.items, &order));
	PH_TRY(PH_NEW(arena, n, &sorted));
	for (uint32_t i = 0; i < n; i++)
	{
		sorted[i] = ranges->list.items[order[i]];
		find_around(sorted, i);
	}
	close_groups(sorted, n);
	ranges->list.items = sorted;
	ranges->list.capacity = n;
	return PH_OK;
}

/* ---- look-up ---- */

/* The last range that has begun by that time on the thread; PH_NONE: none has. */
static uint32_t
last_begun(const PhCollectiveRanges *ranges, uint32_t track, int64_t time)
{
	const PhCollectiveRange *list = ranges->list.items;
	uint32_t low = 0;
	uint32_t high = ranges->list.count;

	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (list[middle].track < track ||
			(list[middle].track == track && list[middle].start <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && list[low - 1].track == track ? low - 1 : PH_NONE;
}

/* How much the operation of a range counts; 0: it has none. */
static int
weight_of(const PhCollectiveRange *range)
{
	bool is_part = ph_device_operation_matched(range->operation) == PH_DEVICE_SEND_RECV;

	if (range->kind == PH_RANGE_GROUP_START || range->operation == PH_DEVICE_UNTOLD)
		return 0;
	return is_part ? 1 : range->kind == PH_RANGE_TOLD ? 3 : 2;
}

PhCollectiveRange
ph_collective_ranges_find(const PhCollectiveRanges *ranges, uint32_t track, int64_t time)
{
	const PhCollectiveRange *list = ranges->list.items;
	PhCollectiveRange found = {0};
	int weight = 0, depth = 0;

	for (uint32_t at = last_begun(ranges, track, time); at != PH_NONE && depth < MOST_DEPTH;
		 at = list[at].around, depth++)
	{
		const PhCollectiveRange *range = &list[at];

		if (range->end < time)
			continue;
		if (found.communicator == 0)
			found.communicator = range->communicator;
		if (found.bytes == 0)
			found.bytes = range->bytes;
		if (weight_of(range) >= PH_MAX(weight, 1))
		{
			weight = weight_of(range);
			found.operation = range->operation;
		}
	}
	return found;
}
