/*
 * sort.c - bottom-up merge sort, whose halves that are in order already are copied.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/sort.h"

#include <string.h>

static PhStatus
merge_runs(PhEnv *env, const uint32_t *from, uint32_t *to, size_t start, size_t middle, size_t end,
		   PhCompareFunction compare, const void *context)
{
	size_t left = start, right = middle;
	if (middle >= end || compare(context, from[middle - 1], from[middle]) <= 0)
	{
		memcpy(to + start, from + start, (end - start) * sizeof(*to));
		return ph_env_poll(env);
	}
	for (size_t at = start; at < end; at++)
	{
		PH_TRY(ph_env_poll(env));
		bool take_left =
			left < middle && (right >= end || compare(context, from[left], from[right]) <= 0);
		to[at] = take_left ? from[left++] : from[right++];
	}
	return PH_OK;
}

/* So few that each is best put right where it belongs. */
#define FEW_ITEMS 8

static void
sort_few(uint32_t *items, uint32_t n, PhCompareFunction compare, const void *context)
{
	for (uint32_t i = 1; i < n; i++)
	{
		uint32_t item = items[i], at = i;
		for (; at > 0 && compare(context, items[at - 1], item) > 0; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

PhStatus
ph_sort(PhEnv *env, uint32_t *items, uint32_t n, uint32_t *buffer, PhCompareFunction compare,
		const void *context)
{
	uint32_t *from = items, *to = buffer;
	if (n <= FEW_ITEMS)
	{
		sort_few(items, n, compare, context);
		return ph_env_poll(env);
	}
	for (size_t width = 1; width < n; width *= 2)
	{
		for (size_t start = 0; start < n; start += 2 * width)
		{
			size_t middle = start + width < n ? start + width : n;
			size_t end = start + 2 * width < n ? start + 2 * width : n;
			PH_TRY(merge_runs(env, from, to, start, middle, end, compare, context));
		}
		uint32_t *swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
	return PH_OK;
}

PhStatus
ph_sort_indices(PhArena *arena, uint32_t n, PhCompareFunction compare, const void *context,
				uint32_t **items)
{
	uint32_t *order, *buffer;
	PH_TRY(PH_NEW(arena, n, &order));
	PH_TRY(PH_NEW(arena, n, &buffer));
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	PH_TRY(ph_sort(arena->env, order, n, buffer, compare, context));
	*items = order;
	return PH_OK;
}
