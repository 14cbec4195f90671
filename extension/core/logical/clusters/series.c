/*
 * series.c - series of a phase's members: made, compared, averaged.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/clusters/series.h"

#include <math.h>

#include "base/min_max.h"

/* ------------------------------------------------------------------------------------------ making
 */

/*
 * Moves the value added last to its place by step (insertion). Values come in the order of events,
 * which is that of steps unless receives were reordered.
 */
static void
settle(PhSeries *series)
{
	uint32_t i = series->n - 1;
	int32_t step = series->step[i];
	double value = series->value[i];
	for (; i > 0 && series->step[i - 1] > step; i--)
	{
		series->step[i] = series->step[i - 1];
		series->value[i] = series->value[i - 1];
	}
	series->step[i] = step;
	series->value[i] = value;
}

static void
add_value(PhSeries *series, int32_t step, int64_t value)
{
	series->step[series->n] = step;
	series->value[series->n++] = (double) value;
	settle(series);
}

static PhStatus
series_of_member(PhArena *arena, const PhLogicalMetrics *metrics, const PhClusterOptions *options,
				 uint32_t first, uint32_t last, PhSeries *out)
{
	const PhLogical *logical = metrics->logical;
	size_t room = (size_t) (last - first + 1) * 2;
	PH_TRY(PH_NEW(arena, room, &out->step));
	PH_TRY(PH_NEW(arena, room, &out->value));
	for (uint32_t e = first; e <= last; e++)
	{
		PH_TRY(ph_env_poll(arena->env));
		if (!options->compat && logical->stride == PH_STEP_STRIDE)
			add_value(out, logical->step[e] - 1, ph_logical_aggregate(metrics, options->metric, e));
		add_value(out, logical->step[e], ph_logical_value(metrics, options->metric, e));
	}
	return PH_OK;
}

PhStatus
ph_series_of_phase(PhArena *arena, const PhLogicalMetrics *metrics, uint32_t phase,
				   const PhClusterOptions *options, PhSeriesSet *out)
{
	const PhLogical *logical = metrics->logical;
	uint32_t first = logical->first_member[phase];
	out->n = logical->first_member[phase + 1] - first;
	out->first_step = logical->first_step[phase];
	out->last_step = logical->last_step_of[phase];
	out->compat = options->compat;
	PH_TRY(PH_NEW(arena, out->n, &out->series));
	for (uint32_t i = 0; i < out->n; i++)
		PH_TRY(series_of_member(arena, metrics, options, logical->member_first[first + i],
								logical->member_last[first + i], &out->series[i]));
	return PH_OK;
}

/* --------------------------------------------------------------------------------------- distances
 */

static double
square(double x)
{
	return x * x;
}

/* Over the steps where one is active and both have begun. */
static double
distance_where_active(const PhSeries *a, const PhSeries *b)
{
	double sum = 0, n = 0;
	for (uint32_t i = 0, j = 0; i < a->n || j < b->n;)
	{
		bool left = j == b->n || (i < a->n && a->step[i] <= b->step[j]);
		bool right = i == a->n || (j < b->n && b->step[j] <= a->step[i]);
		i += left;
		j += right;
		if (i == 0 || j == 0)
			continue;
		sum += square(a->value[i - 1] - b->value[j - 1]);
		n++;
	}
	return n > 0 ? sum / n : 0;
}

/* The series' value at a step, found from where the last one was. */
static double
value_at(const PhSeries *series, uint32_t *at, int32_t step)
{
	while (*at + 1 < series->n && series->step[*at + 1] <= step)
		(*at)++;
	return series->value[*at];
}

static int32_t
later_start(const PhSeries *a, const PhSeries *b)
{
	return PH_MAX(a->step[0], b->step[0]);
}

/*
 * Ravel's distance: over every stride from where the later of the two begins to the phase's end,
 * with the last one counted twice, as Ravel does.
 */
static double
distance_to_the_end(const PhSeriesSet *set, const PhSeries *a, const PhSeries *b)
{
	double sum = 0, n = 0, last = 0;
	uint32_t i = 0, j = 0;
	for (int32_t step = later_start(a, b); step <= set->last_step; step += PH_STEP_STRIDE)
	{
		last = square(value_at(a, &i, step) - value_at(b, &j, step));
		sum += last;
		n++;
	}
	return (sum + last) / (n + 1);
}

double
ph_series_distance(const PhSeriesSet *set, const PhSeries *a, const PhSeries *b)
{
	return set->compat ? distance_to_the_end(set, a, b) : distance_where_active(a, b);
}

double
ph_series_distance_by_index(const PhSeriesSet *set, const PhSeries *a, const PhSeries *b)
{
	double sum = 0, n = 0;
	uint32_t i = 0, j = 0;
	int32_t start = later_start(a, b);
	for (int32_t step = 0; start + step <= set->last_step; step += PH_STEP_STRIDE)
	{
		sum += square(value_at(a, &i, a->step[0] + step) - value_at(b, &j, b->step[0] + step));
		n++;
	}
	double skipped = (double) (start - set->first_step) / PH_STEP_STRIDE;
	return n > skipped ? sum / (n - skipped) : sum;
}

/* ------------------------------------------------------------------------------------------- means
 */

PhStatus
ph_series_mean(PhArena *arena, const PhSeriesSet *set, const uint32_t *members, uint32_t n,
			   PhSeries *out)
{
	PhArena temporary;
	int32_t first = INT32_MAX;
	double *sum = NULL;
	uint32_t *count = NULL, active = 0;
	for (uint32_t m = 0; m < n; m++)
		if (set->series[members[m]].step[0] < first)
			first = set->series[members[m]].step[0];
	size_t span = n == 0 ? 0 : (size_t) (set->last_step - first) + 1;
	ph_arena_init(&temporary, arena->env);
	PhStatus status = PH_NEW(&temporary, span, &sum);
	if (status == PH_OK)
		status = PH_NEW(&temporary, span, &count);
	for (uint32_t m = 0; status == PH_OK && m < n; m++)
	{
		const PhSeries *series = &set->series[members[m]];
		for (uint32_t i = 0; i < series->n; i++)
		{
			sum[series->step[i] - first] += series->value[i];
			active += count[series->step[i] - first]++ == 0;
		}
		status = ph_env_poll(arena->env);
	}
	out->n = 0;
	if (status == PH_OK)
		status = PH_NEW(arena, active, &out->step);
	if (status == PH_OK)
		status = PH_NEW(arena, active, &out->value);
	for (size_t s = 0; status == PH_OK && s < span; s++)
		if (count[s] > 0)
		{
			out->step[out->n] = first + (int32_t) s;
			double mean = sum[s] / count[s];
			out->value[out->n++] = set->compat ? trunc(mean) : mean;
		}
	ph_arena_drop(&temporary);
	return status;
}
