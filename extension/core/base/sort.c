/*
 * sort.c - bottom-up merge sort, whose halves that are in order already are copied; exact sums.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/sort.h"

#include <math.h>
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

/* The same sum in the fewest parts (Shewchuk's COMPRESS): each has all the bits that it can hold.
 */
static void
compress(PhExactSum *sum)
{
	double large[PH_EXACT_PARTS], rest = sum->parts[sum->n - 1], lost;
	uint32_t first = sum->n, kept = 0;
	for (uint32_t i = sum->n - 1; i-- > 0;)
	{
		rest = ph_two_sum(rest, sum->parts[i], &lost);
		if (lost == 0)
			continue;
		large[--first] = rest;
		rest = lost;
	}
	for (uint32_t i = first; i < sum->n; i++)
	{
		rest = ph_two_sum(large[i], rest, &lost);
		if (lost != 0)
			sum->parts[kept++] = lost;
	}
	sum->parts[kept] = rest;
	sum->n = kept + 1;
}

void
ph_exact_add(PhExactSum *sum, double value)
{
	uint32_t kept = 0;
	if (sum->n >= PH_EXACT_PARTS - 1)
		compress(sum);
	for (uint32_t i = 0; i < sum->n; i++)
	{
		double lost;
		value = ph_two_sum(value, sum->parts[i], &lost);
		if (lost != 0)
			sum->parts[kept++] = lost;
	}
	if (!isfinite(
			value)) /* nothing was lost that counts; what ph_two_sum says of it is no number */
		kept = 0;
	sum->parts[kept] = value;
	sum->n = kept + 1;
}

/*
 * The sum, rounded once, to nearest even. Parts grow in magnitude and do not overlap, so adding
 * them from the largest down is exact until a rounding error appears; all that is left is smaller.
 * That rest matters in one case: when the error is exactly half a unit in the last place, the sign
 * of the next part decides which way to round.
 */
double
ph_exact_value(const PhExactSum *sum)
{
	if (sum->n == 0)
		return 0;
	uint32_t at = sum->n - 1;
	double total = sum->parts[at], lost = 0;
	while (at > 0 && lost == 0)
		total = ph_two_sum(total, sum->parts[--at], &lost);
	/*
	 * exactly half way between two doubles, and the next part has the same sign: the true sum is
	 * beyond the middle
	 */
	if (at > 0 && lost != 0 && signbit(lost) == signbit(sum->parts[at - 1]))
	{
		double twice = lost * 2, moved = total + twice;
		if (twice == moved - total)
			total = moved;
	}
	return total + 0.0;
}
