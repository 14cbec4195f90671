/*
 * sort_keys.c - radix sort by bytes, lowest first; bytes that all keys share are skipped.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "trace/internal.h"

#define PH_DIGITS 8

static uint32_t
digit_of(uint64_t key, uint32_t digit)
{
	return (uint32_t) (key >> (8 * digit)) & 0xFF;
}

/* Move the items to where their digit belongs; counts become the places. */
static PhStatus
scatter(PhEnv *env, const PhKeyed *from, uint32_t n, uint32_t digit, uint32_t counts[256],
		PhKeyed *to)
{
	uint32_t place = 0;
	for (uint32_t value = 0; value < 256; value++)
	{
		uint32_t count = counts[value];
		counts[value] = place;
		place += count;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll_at(env, i));
		to[counts[digit_of(from[i].key, digit)]++] = from[i];
	}
	return PH_OK;
}

PhStatus
ph_trace_sort_keys(PhEnv *env, PhKeyed *items, uint32_t n, PhKeyed *buffer)
{
	uint32_t counts[PH_DIGITS][256] = {{0}};
	PhKeyed *from = items, *to = buffer;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t digit = 0; digit < PH_DIGITS; digit++)
			counts[digit][digit_of(items[i].key, digit)]++;
	for (uint32_t digit = 0; digit < PH_DIGITS; digit++)
	{
		if (n == 0 || counts[digit][digit_of(items[0].key, digit)] == n)
			continue;
		PH_TRY(scatter(env, from, n, digit, counts[digit], to));
		PhKeyed *swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
	return PH_OK;
}

PhStatus
ph_trace_order_keys(PhArena *scratch, PhKeyed *keyed, uint32_t n, PhCompareFunction compare,
					const void *context, uint32_t **order)
{
	PhKeyed *room;
	uint32_t *items, *buffer;
	PH_TRY(PH_NEW(scratch, n, &room));
	PH_TRY(ph_trace_sort_keys(scratch->env, keyed, n, room));
	PH_TRY(PH_NEW(scratch, n, &items));
	PH_TRY(PH_NEW(scratch, n, &buffer));
	for (uint32_t i = 0; i < n; i++)
		items[i] = keyed[i].item;
	for (uint32_t start = 0, end; start < n; start = end)
	{
		for (end = start + 1; end < n && keyed[end].key == keyed[start].key; end++)
			;
		if (end - start > 1)
			PH_TRY(ph_sort(scratch->env, items + start, end - start, buffer, compare, context));
	}
	*order = items;
	return PH_OK;
}
