/*
 * iterations.c - columns by iteration, and statistics of nodes over the units of each.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/iterations.h"

#include <math.h>

#include "base/sort.h"
#include "profile/cells.h"

static int
compare_columns(const void *context, uint32_t x, uint32_t y)
{
	const PhColumn *columns = context;
	int64_t a = columns[x].iteration, b = columns[y].iteration;
	return a != b ? (a > b) - (a < b) : (x > y) - (x < y);
}

/* Different numbers, ascending. */
static PhStatus
sort_numbers(PhArena *arena, const PhProfile *profile, PhIterations *out)
{
	uint32_t *order;
	PH_TRY(ph_sort_indices(arena, profile->n_columns, compare_columns, profile->columns, &order));
	PH_TRY(PH_NEW(arena, profile->n_columns, &out->number));
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		int64_t number = profile->columns[order[i]].iteration;
		if (number != PH_NO_ITERATION && (out->n == 0 || out->number[out->n - 1] != number))
			out->number[out->n++] = number;
	}
	return PH_OK;
}

static uint32_t
place_of(const PhIterations *iterations, int64_t number)
{
	uint32_t low = 0, high = iterations->n;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		if (iterations->number[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

PhStatus
ph_iterations_find(PhArena *arena, const PhProfile *profile, PhIterations *out)
{
	PhIterations found = {0};
	PH_TRY(sort_numbers(arena, profile, &found));
	PH_TRY(PH_NEW(arena, found.n, &found.n_columns));
	PH_TRY(PH_NEW(arena, profile->n_columns, &found.place));
	for (uint32_t c = 0; c < profile->n_columns; c++)
	{
		int64_t number = profile->columns[c].iteration;
		found.place[c] = number == PH_NO_ITERATION ? PH_NONE : place_of(&found, number);
		if (found.place[c] != PH_NONE)
			found.n_columns[found.place[c]]++;
	}
	*out = found;
	return PH_OK;
}

static void
begin_costs(const PhIterations *iterations, bool is_ratio, PhIterationCost *out)
{
	for (uint32_t i = 0; i < iterations->n; i++)
		out[i] = (PhIterationCost){.divisor = is_ratio ? 0 : iterations->n_columns[i],
								   .min = NAN,
								   .max = NAN,
								   .worst = PH_NONE};
}

/* One unit's value in its iteration; a ratio adds up its parts. */
static void
add_cell(const PhProfile *profile, uint32_t metric, size_t cell, uint32_t column, PhCost cost,
		 PhIterationCost *out)
{
	const PhMetric *of = &profile->metrics[metric];
	bool is_ratio = of->kind == PH_METRIC_RATIO;
	double sum = ph_profile_value(profile, is_ratio ? of->numerator : metric, cell, cost);
	double divisor = is_ratio ? ph_profile_value(profile, of->denominator, cell, cost) : 1;
	double value = divisor == 0 ? NAN : sum / divisor;
	out->n_present++;
	out->sum += sum;
	if (is_ratio)
		out->divisor += divisor;
	if (!(value <= out->max) && !isnan(value))
	{
		out->max = value;
		out->worst = column;
	}
	out->min = fmin(out->min, value);
}

/* Units without the node have 0 of what adds up, and nothing of a ratio. */
static void
end_costs(const PhIterations *iterations, bool is_ratio, PhIterationCost *out)
{
	for (uint32_t i = 0; i < iterations->n; i++)
	{
		out[i].mean = out[i].divisor == 0 ? NAN : out[i].sum / out[i].divisor;
		if (is_ratio || out[i].n_present == iterations->n_columns[i])
			continue;
		out[i].min = fmin(out[i].min, 0);
		if (out[i].worst == PH_NONE)
			out[i].max = 0;
	}
}

void
ph_iterations_cost(const PhProfile *profile, const PhIterations *iterations, uint32_t metric,
				   uint32_t node, PhCost cost, PhIterationCost *out)
{
	bool is_ratio = profile->metrics[metric].kind == PH_METRIC_RATIO;
	PhRowWalk walk = ph_row_walk(profile, node);
	begin_costs(iterations, is_ratio, out);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32_t c = 0; c < span.n; c++)
		{
			uint32_t at = iterations->place[span.first + c];
			if (at != PH_NONE)
				add_cell(profile, metric, span.cell + c, span.first + c, cost, &out[at]);
		}
	end_costs(iterations, is_ratio, out);
}
