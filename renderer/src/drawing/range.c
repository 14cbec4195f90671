/*
 * range.c - ranges of values for colours.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/range.h"

#include <math.h>
#include <stdlib.h>

#include "drawing/arena_must.h"

#define LEAST_VALUES 8
#define FAR_OUT 3.0
#define MIDDLE 0.98 /* the quantile that is always within, and its opposite */
#define AWAY 0.5

static int
compare_values(const void *a, const void *b)
{
	double left = *(const double *) a;
	double right = *(const double *) b;

	return left < right ? -1 : left > right;
}

/* Number of the last of the sorted values, ascending in sign direction, that is not far out. */
static uint32_t
last_within(const double *sorted, uint32_t n)
{
	double lower = sorted[(n - 1) / 4];
	double upper = sorted[3 * (n - 1) / 4];
	double fence = fmax(upper + FAR_OUT * (upper - lower), sorted[(uint32_t) (MIDDLE * (n - 1))]);
	uint32_t last = n - 1;

	while (last > 0 && sorted[last] > fence)
		last--;
	if (sorted[last] <= sorted[0] ||
		sorted[n - 1] - sorted[last] <= AWAY * (sorted[last] - sorted[0]))
		return n - 1;
	return last;
}

PhRange
ph_range_robust(PhArena *arena, const double *values, uint32_t n)
{
	double *sorted = ph_need(arena, (size_t) n + 1, sizeof(double));
	double *turned = ph_need(arena, (size_t) n + 1, sizeof(double));
	PhRange range = {0};
	uint32_t first, last, kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (isfinite(values[i]))
			sorted[kept++] = values[i];
	if (kept == 0)
		return range;
	qsort(sorted, kept, sizeof(double), compare_values);
	first = 0;
	last = kept - 1;
	if (kept >= LEAST_VALUES)
	{
		last = last_within(sorted, kept);
		for (uint32_t i = 0; i < kept; i++)
			turned[i] = -sorted[kept - 1 - i];
		first = kept - 1 - last_within(turned, kept);
	}
	range = (PhRange){sorted[first], sorted[last], first, kept - 1 - last};
	return range;
}

const char *
ph_range_beyond(PhArena *arena, uint32_t n)
{
	return n > 0 ? ph_need_format(arena, " (%u beyond)", n) : "";
}
