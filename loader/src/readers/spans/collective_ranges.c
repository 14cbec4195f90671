/*
 * collective_ranges.c - see collective_ranges.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/collective_ranges.h"

#include "base/min_max.h"
#include "base/sort.h"

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
		bool is_first = i == 0 || sorted[i - 1].track != ranges->list.items[order[i]].track;

		sorted[i] = ranges->list.items[order[i]];
		sorted[i].reach = is_first ? sorted[i].end : PH_MAX(sorted[i].end, sorted[i - 1].reach);
		if (sorted[i].communicator == 0 && !is_first)
			sorted[i].communicator = sorted[i - 1].communicator;
	}
	ranges->list.items = sorted;
	ranges->list.capacity = n;
	return PH_OK;
}

uint32_t
ph_collective_ranges_find(const PhCollectiveRanges *ranges, uint32_t track, int64_t time)
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
	while (low > 0 && list[low - 1].track == track && list[low - 1].reach >= time)
		if (list[--low].end >= time)
			return list[low].communicator;
	return 0;
}
