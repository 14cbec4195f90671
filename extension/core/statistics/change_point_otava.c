/*
 * change_point_otava.c - change points as Apache Otava finds them.
 *
 * Windows slide over the series; in each, E-divisive (alpha = 1) splits the interval with the
 * largest statistic Q while Student's t with a relaxed limit accepts the split. The union of the
 * windows' points is merged bottom-up: the weakest goes, its neighbours are tested again.
 *
 * Q(start, tau, kappa) compares values[start..tau) with values[tau..kappa). With the sums of
 * distances from each value to the ones before it, each Q takes constant time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "statistics/change_point_internal.h"
#include "statistics/student_t.h"

/* One window: distances[k * (size + 1) + t] = sum of |v[i] - v[k]| for i < t <= k. */
typedef struct Window
{
	const double *values; /* of the window */
	uint32_t size;
	double *distances;
	double *left; /* room: sum of distances within [start, i) */
} Window;

/* The best split of [start, end) of a window. */
typedef struct Split
{
	uint32_t start, end;
	uint32_t index;
	double q;
} Split;

/* Splits of a window's intervals, by place; at most one more than there are points. */
typedef struct Splits
{
	Split *items;
	uint32_t n;
} Splits;

static double
distance_sum(const Window *window, uint32_t k, uint32_t from, uint32_t to)
{
	const double *row = window->distances + (size_t) k * (window->size + 1);
	return row[to] - row[from];
}

static void
measure_distances(Window *window)
{
	for (uint32_t k = 0; k < window->size; k++)
	{
		double *row = window->distances + (size_t) k * (window->size + 1);
		row[0] = 0;
		for (uint32_t i = 0; i < k; i++)
			row[i + 1] = row[i] + fabs(window->values[i] - window->values[k]);
	}
}

/* The statistic for m values left of the split and n right of it. */
static double
divergence(double across, double within_left, double within_right, double m, double n)
{
	double q = 2 / (m + n) * across;
	if (m > 1)
		q -= 2 * n / (m + n) / (m - 1) * within_left;
	if (n > 1)
		q -= 2 * m / (m + n) / (n - 1) * within_right;
	return q;
}

/* The first of the largest. */
static void
find_split(const Window *window, Split *split)
{
	double within_left = 0;
	split->q = -INFINITY;
	for (uint32_t tau = split->start + 1; tau < split->end; tau++)
	{
		double across = 0, within_right = 0;
		within_left += distance_sum(window, tau - 1, split->start, tau - 1);
		for (uint32_t k = tau; k < split->end; k++)
		{
			across += distance_sum(window, k, split->start, tau);
			within_right += distance_sum(window, k, tau, k);
			double q =
				divergence(across, within_left, within_right, tau - split->start, k + 1 - tau);
			if (q > split->q)
			{
				split->q = q;
				split->index = tau;
			}
		}
	}
}

/* Student's t between the two sides; an undefined one (equal constants) separates nothing. */
static void
test_point(const double *values, uint32_t start, uint32_t end, PhChangePoint *point)
{
	ph_change_describe_one(values, start, end, point);
	double n_1 = point->n_before, n_2 = point->n_after, degrees = n_1 + n_2 - 2;
	point->p = 1;
	point->score = 0;
	if (degrees < 1)
		return;
	double variance = ((n_1 - 1) * point->sd_before * point->sd_before +
					   (n_2 - 1) * point->sd_after * point->sd_after) /
					  degrees;
	double difference = point->mean_before - point->mean_after;
	double t = difference / sqrt(variance * (1 / n_1 + 1 / n_2));
	if (isnan(t))
		return;
	point->score = t;
	point->p = ph_student_two_sided(t, degrees);
}

/* Index of the interval with the largest Q, the first of equals; UINT32_MAX: none can be split. */
static uint32_t
best_interval(const Splits *splits)
{
	uint32_t best = UINT32_MAX;
	for (uint32_t i = 0; i < splits->n; i++)
		if (splits->items[i].end - splits->items[i].start > 1 &&
			(best == UINT32_MAX || splits->items[i].q > splits->items[best].q))
			best = i;
	return best;
}

static void
cut_interval(const Window *window, Splits *splits, uint32_t at)
{
	Split whole = splits->items[at];
	memmove(splits->items + at + 1, splits->items + at, (splits->n - at) * sizeof(*splits->items));
	splits->n++;
	splits->items[at] = (Split){.start = whole.start, .end = whole.index};
	splits->items[at + 1] = (Split){.start = whole.index, .end = whole.end};
	find_split(window, &splits->items[at]);
	find_split(window, &splits->items[at + 1]);
}

/*
 * Splits a window by E-divisive means: again and again the interval whose best split has the
 * largest Q, until Student's t between the two sides of that split exceeds max_p or nothing is left
 * to split.
 */
static PhStatus
split_window(PhEnv *env, const Window *window, double max_p, Splits *splits)
{
	splits->n = 1;
	splits->items[0] = (Split){.start = 0, .end = window->size};
	find_split(window, &splits->items[0]);
	for (;;)
	{
		uint32_t best = best_interval(splits);
		PhChangePoint point;
		PH_TRY(ph_env_poll_now(env)); /* a split takes the square of the window */
		if (best == UINT32_MAX)
			return PH_OK;
		const Split *split = &splits->items[best];
		point.index = split->index;
		test_point(window->values, split->start, split->end, &point);
		if (!(point.p <= max_p))
			return PH_OK;
		cut_interval(window, splits, best);
	}
}

/* All windows; is_point[i] marks what any of them found. */
static PhStatus
split_series(PhArena *arena, const double *values, uint32_t n, uint32_t size, double max_p,
			 bool *is_point)
{
	Window window = {0};
	Splits splits;
	PH_TRY(PH_NEW(arena, (size_t) size * (size + 1), &window.distances));
	PH_TRY(PH_NEW(arena, (size_t) size + 1, &splits.items));
	for (uint32_t start = 0; start < n;)
	{
		window.values = values + start;
		window.size = n - start < size ? n - start : size;
		measure_distances(&window);
		PH_TRY(split_window(arena->env, &window, max_p, &splits));
		uint32_t last = 0;
		for (uint32_t i = 1; i < splits.n; i++)
		{
			last = start + splits.items[i].start;
			is_point[last] = true;
		}
		start = last > start + size / 2 ? last : start + size / 2;
	}
	return PH_OK;
}

static void
test_again(const double *values, uint32_t n, PhChangePoint *points, uint32_t n_points, uint32_t i)
{
	if (i < n_points)
		test_point(values, i == 0 ? 0 : points[i - 1].index,
				   i + 1 == n_points ? n : points[i + 1].index, &points[i]);
}

static uint32_t
least_significant(const PhChangePoint *points, uint32_t n)
{
	uint32_t weakest = 0;
	for (uint32_t i = 1; i < n; i++)
		if (points[i].p > points[weakest].p)
			weakest = i;
	return weakest;
}

static uint32_t
least_changed(const PhChangePoint *points, uint32_t n)
{
	uint32_t weakest = 0;
	for (uint32_t i = 1; i < n; i++)
		if (points[i].magnitude < points[weakest].magnitude)
			weakest = i;
	return weakest;
}

/*
 * Takes the weakest away until all are strong. As in Otava the point before the one that went keeps
 * its old test and means, so that of two neighbours one's mean_after may differ from the other's
 * mean_before.
 */
static PhStatus
merge_points(PhEnv *env, const double *values, uint32_t n, double max_p, double min_magnitude,
			 PhChangePoint *points, uint32_t *n_points)
{
	while (*n_points > 0)
	{
		PH_TRY(ph_env_poll_now(env)); /* a step passes all points */
		uint32_t weakest = least_significant(points, *n_points);
		if (points[weakest].p < max_p)
		{
			weakest = least_changed(points, *n_points);
			if (points[weakest].magnitude > min_magnitude)
				return PH_OK;
		}
		(*n_points)--;
		memmove(points + weakest, points + weakest + 1, (*n_points - weakest) * sizeof(*points));
		test_again(values, n, points, *n_points, weakest);
		test_again(values, n, points, *n_points, weakest + 1);
	}
	return PH_OK;
}

/* Otava tests candidates with a milder limit than it keeps. */
static double
first_limit(double max_p)
{
	return max_p < 0.05 ? max_p * 10 : max_p < 0.5 ? max_p * 2 : max_p;
}

PhStatus
ph_change_otava(PhArena *arena, const double *values, uint32_t n, uint32_t window, double max_p,
				double min_magnitude, PhChangePoint **points, uint32_t *n_points)
{
	bool *is_point;
	PhChangePoint *found;
	uint32_t n_found = 0;
	PH_TRY(PH_NEW(arena, n, &is_point));
	PH_TRY(split_series(arena, values, n, window, first_limit(max_p), is_point));
	for (uint32_t i = 0; i < n; i++)
		n_found += is_point[i];
	PH_TRY(PH_NEW(arena, n_found, &found));
	n_found = 0;
	for (uint32_t i = 0; i < n; i++)
		if (is_point[i])
			found[n_found++].index = i;
	for (uint32_t i = 0; i < n_found; i++)
		test_again(values, n, found, n_found, i);
	PH_TRY(merge_points(arena->env, values, n, max_p, min_magnitude, found, &n_found));
	*points = found;
	*n_points = n_found;
	return PH_OK;
}
