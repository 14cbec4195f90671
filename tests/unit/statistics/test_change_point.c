/*
 * test_change_point.c - change points: the laws of the default method, its error rates; false
 * discovery rates.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "statistics/change_point_internal.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"
#include "support/series.h"

#define MOST 400
#define N_SERIES rounds(2000)

static RandomNumbers numbers;

static PhChangeOptions
defaults(void)
{
	return (PhChangeOptions){.max_p = (double) NAN};
}

/* ---- the default method ---- */

/* Levels, noise of several kinds, outliers, holes. */
static uint32_t
random_series(double *values)
{
	uint32_t n = numbers_below(&numbers, MOST), shape = numbers_below(&numbers, 6);
	double level = 100, last = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		if (numbers_below(&numbers, 40) == 0)
			level = 100 + 8 * random_normal();
		last = shape == 1 ? 0.6 * last + random_normal() : shape == 2 ? 0 : random_normal();
		values[i] = level + last;
		if (shape == 3 && numbers_below(&numbers, 10) == 0)
			values[i] += 50;
		if (shape == 4)
			values[i] = floor(values[i] / 4);
		if (shape == 5 && numbers_below(&numbers, 6) == 0)
			values[i] = (double) NAN;
	}
	return n;
}

static bool
contains(const PhChangePoints *points, const PhChangePoint *point)
{
	for (uint32_t i = 0; i < points->n; i++)
		if (points->points[i].index == point->index)
			return points->points[i].p == point->p;
	return false;
}

/* Of innovations from .. to - 1 around their mean; at least the noise's. */
static double
plain_variance(const double *innovations, uint32_t from, uint32_t to, double noise)
{
	double sum = 0, squares = 0, n = to - from;
	for (uint32_t i = from; i < to; i++)
	{
		sum += innovations[i];
		squares += innovations[i] * innovations[i];
	}
	return fmax((8 * noise + squares - sum * sum / n) / (8 + n - 1), noise);
}

/* Of the levels before and after `at`: values are levels with AR(1) noise. */
static double
plain_score(const double *values, uint32_t n, uint32_t at, double r, double noise)
{
	double innovations[MOST], sum_1 = 0, sum_2 = 0;
	for (uint32_t i = 1; i < n; i++)
		innovations[i] = values[i] - r * values[i - 1];
	for (uint32_t i = 1; i < n; i++)
		*(i < at ? &sum_1 : &sum_2) += i == at ? 0 : innovations[i];
	double a = 1 + (at - 1) * (1 - r) * (1 - r), c = 1 + (n - at - 1) * (1 - r) * (1 - r);
	double b_1 = (1 - r * r) * values[0] + (1 - r) * sum_1 - r * innovations[at];
	double b_2 = innovations[at] + (1 - r) * sum_2, det = a * c - r * r;
	double v_1 = plain_variance(innovations, 1, at, noise);
	double v_2 = plain_variance(innovations, at + 1, n, noise);
	return ((a - r) * b_2 - (c - r) * b_1) / det / sqrt((v_1 * c + v_2 * a - 2 * r * noise) / det);
}

/* So short that there is one interval: its point is that of the largest score of all splits. */
static void
takes_the_best_split(void **state)
{
	uint32_t n_found = 0;
	(void) state;
	for (uint32_t k = 0; k < N_SERIES; k++)
	{
		double values[11], best = 0;
		uint32_t n = 8 + numbers_below(&numbers, 4), at = numbers_below(&numbers, n), n_points;
		PhNoise noise = {
			.sd = 0.2 + random_uniform(), .autocorrelation = 0.9 * random_uniform(), .degrees = n};
		PhChangePoint *points;
		for (uint32_t i = 0; i < n; i++)
			values[i] = random_normal() + (i < at ? 0 : 5 * random_uniform());
		double r = noise.autocorrelation, variance = noise.sd * noise.sd * (1 - r * r);
		for (uint32_t i = 4; i + 4 <= n; i++)
		{
			double score = plain_score(values, n, i, r, variance);
			best = fabs(score) > fabs(best) ? score : best;
		}
		double p = ph_change_rate(best, noise.degrees), max_p = exp(-12 * random_uniform());
		assert_int_equal(
			ph_change_search(&series_arena, values, NULL, n, &noise, max_p, 0, &points, &n_points),
			PH_OK);
		if (fabs(p / max_p - 1) > 1e-6)
			assert_int_equal(n_points, p <= max_p);
		if (n_points == 1)
			assert_ratio(points[0].score, best, 1e-8);
		n_found += n_points;
		ph_arena_drop(&series_arena);
	}
	assert_in_range(n_found, N_SERIES / 10, N_SERIES * 9 / 10);
}

/* A point that the plain search found, and the interval that it was found in. */
typedef struct PlainSplit
{
	uint32_t start, end, at;
	double score;
	bool is_ruled_out;
} PlainSplit;

static PlainSplit
plain_split(const double *values, uint32_t start, uint32_t end, const PhNoise *noise)
{
	PlainSplit best = {.start = start, .end = end};
	double r = noise->autocorrelation;
	for (uint32_t at = start + 4; at + 4 <= end; at++)
	{
		double score = plain_score(values + start, end - start, at - start, r,
								   noise->sd * noise->sd * (1 - r * r));
		if (fabs(score) > fabs(best.score))
			best = (PlainSplit){.start = start, .end = end, .at = at, .score = score};
	}
	return best;
}

/* Candidates of all intervals: lengths n / sqrt 2^k, spread evenly, twice as many as fit. */
static uint32_t
plain_candidates(const double *values, uint32_t n, const PhNoise *noise, double max_p,
				 PlainSplit *splits)
{
	uint32_t n_splits = 0;
	for (uint32_t layer = 0; n / pow(sqrt(2), layer) >= 8; layer++)
	{
		double length = n / pow(sqrt(2), layer);
		uint32_t count = layer == 0 ? 1 : 2 * (uint32_t) ceil(pow(sqrt(2), layer)) - 1;
		for (uint32_t i = 0; i < count; i++)
		{
			double from = count == 1 ? 0 : i * (n - length) / (count - 1);
			uint32_t end = (uint32_t) ceil(from + length);
			PlainSplit split = plain_split(values, (uint32_t) from, end < n ? end : n, noise);
			if (split.at > 0 && ph_change_rate(split.score, noise->degrees) <= max_p)
				splits[n_splits++] = split;
		}
	}
	return n_splits;
}

/* Take the best, rule out every candidate whose interval has it inside, and so on. */
static uint32_t
plain_search(PlainSplit *splits, uint32_t n, bool *is_point)
{
	uint32_t n_points = 0;
	for (;;)
	{
		const PlainSplit *best = NULL;
		for (uint32_t i = 0; i < n; i++)
			if (!splits[i].is_ruled_out &&
				(best == NULL || fabs(splits[i].score) > fabs(best->score)))
				best = &splits[i];
		if (best == NULL)
			return n_points;
		uint32_t at = best->at;
		is_point[at] = true;
		n_points++;
		for (uint32_t i = 0; i < n; i++)
			if (splits[i].start < at && at < splits[i].end)
				splits[i].is_ruled_out = true;
	}
}

static void
agrees_with_a_plain_search(void **state)
{
	uint32_t n_found = 0;
	(void) state;
	for (uint32_t k = 0; k < N_SERIES; k++)
	{
		double values[100], level = 0;
		uint32_t n = 8 + numbers_below(&numbers, 93), n_points;
		PhNoise noise = {.sd = 0.5 + random_uniform(), .degrees = n};
		PhChangePoint *points;
		PlainSplit splits[200];
		bool is_point[100] = {false};
		noise.autocorrelation = numbers_below(&numbers, 2) * 0.8 * random_uniform();
		for (uint32_t i = 0; i < n; i++)
		{
			level = numbers_below(&numbers, 8) == 0 ? 20 * random_uniform() : level;
			values[i] = level + random_normal();
		}
		double max_p = exp(-10 * random_uniform());
		uint32_t n_plain = plain_candidates(values, n, &noise, max_p, splits);
		n_plain = plain_search(splits, n_plain, is_point);
		assert_int_equal(
			ph_change_search(&series_arena, values, NULL, n, &noise, max_p, 0, &points, &n_points),
			PH_OK);
		assert_int_equal(n_points, n_plain);
		for (uint32_t i = 0; i < n_points; i++)
			assert_true(is_point[points[i].index]);
		n_found += n_points;
		ph_arena_drop(&series_arena);
	}
	assert_true(n_found > 2 * N_SERIES);
}

static void
is_monotone_in_sensitivity(void **state)
{
	static const double limits[] = {1e-9, 1e-6, 1e-4, 3e-4, 1e-3, 1e-2, 0.1, 1};
	double values[MOST];
	uint32_t n_found = 0;
	(void) state;
	for (uint32_t k = 0; k < N_SERIES; k++)
	{
		uint32_t n = random_series(values);
		PhChangePoints last = {0};
		for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++)
		{
			PhChangePoints points = find_points(
				values, n, (PhChangeOptions){.max_p = limits[l], .min_magnitude = 0.01});
			for (uint32_t i = 0; i < last.n; i++)
				assert_true(contains(&points, &last.points[i]));
			for (uint32_t i = 0; i < points.n; i++)
			{
				assert_true(points.points[i].p <= limits[l]);
				if (l > 0 && points.points[i].p <= limits[l - 1])
					assert_true(contains(&last, &points.points[i]));
			}
			n_found += points.n;
			last = points;
		}
		ph_arena_drop(&series_arena);
	}
	assert_true(n_found > N_SERIES);
}

static void
obeys_shifts_and_factors(void **state)
{
	double values[MOST], moved[MOST];
	(void) state;
	for (uint32_t k = 0; k < N_SERIES; k++)
	{
		uint32_t n = random_series(values);
		for (uint32_t i = 0; i < n; i++)
			moved[i] = values[i] * 4;
		PhChangePoints a = find_points(values, n, defaults());
		PhChangePoints b = find_points(moved, n, defaults());
		assert_int_equal(a.n, b.n);
		for (uint32_t i = 0; i < a.n; i++)
		{
			assert_int_equal(a.points[i].index, b.points[i].index);
			assert_true(a.points[i].p == b.points[i].p);
			assert_true(a.points[i].mean_before * 4 == b.points[i].mean_before);
		}
		ph_arena_drop(&series_arena);
	}
}

/* Segments have the least length, means are of the known values between the points. */
static void
describes_its_segments(void **state)
{
	double values[MOST];
	(void) state;
	for (uint32_t k = 0; k < N_SERIES; k++)
	{
		uint32_t n = random_series(values);
		PhChangePoints points = find_points(values, n, defaults());
		for (uint32_t i = 0; i < points.n; i++)
		{
			uint32_t start = i == 0 ? 0 : points.points[i - 1].index, known = 0;
			double sum = 0;
			for (uint32_t at = start; at < points.points[i].index; at++)
				if (!isnan(values[at]))
				{
					sum += values[at];
					known++;
				}
			assert_int_equal(points.points[i].n_before, known);
			assert_true(known >= PH_CHANGE_MIN_SEGMENT || i > 0);
			assert_ratio(points.points[i].mean_before, sum / known, 1e-12);
			assert_false(isnan(values[points.points[i].index]));
			if (i > 0)
				assert_true(points.points[i].mean_before == points.points[i - 1].mean_after);
		}
		ph_arena_drop(&series_arena);
	}
}

static void
splits_between_groups_only(void **state)
{
	double values[MOST];
	uint32_t groups[MOST];
	(void) state;
	for (uint32_t k = 0; k < N_SERIES; k++)
	{
		uint32_t n = random_series(values), group = 0;
		PhChangeOptions options = {.max_p = 0.01, .groups = groups};
		for (uint32_t i = 0; i < n; i++)
			groups[i] = group += numbers_below(&numbers, 3) == 0;
		PhChangePoints points = find_points(values, n, options);
		for (uint32_t i = 0; i < points.n; i++)
		{
			uint32_t at = points.points[i].index, before = at - 1;
			while (isnan(values[before]))
				before--;
			assert_true(groups[at] != groups[before]);
		}
		ph_arena_drop(&series_arena);
	}
}

static void
leaves_outliers_alone(void **state)
{
	double values[200];
	(void) state;
	for (uint32_t run = 1; run < PH_CHANGE_MIN_SEGMENT; run++)
	{
		uint32_t found = 0;
		for (uint32_t k = 0; k < 100; k++)
		{
			for (uint32_t i = 0; i < 200; i++)
				values[i] = 100 + random_normal() + (i >= 120 && i < 120 + run ? 500 : 0);
			found += find_points(values, 200, defaults()).n;
			ph_arena_drop(&series_arena);
		}
		/* 20 000 change-free values: 6 are expected */
		assert_true(found < 15);
	}
}

/* Every tenth or twentieth value is an outlier, as of iterations that write files. */
static void
leaves_many_outliers_alone(void **state)
{
	double values[2000];
	(void) state;
	for (uint32_t period = 10; period <= 20; period += 10)
	{
		uint32_t found = 0;
		for (uint32_t k = 0; k < 100; k++)
		{
			for (uint32_t i = 0; i < 2000; i++)
				values[i] = 100 + random_normal() + (i % period == 9 ? 52 + random_normal() : 0);
			found += find_points(values, 2000, defaults()).n;
			ph_arena_drop(&series_arena);
		}
		/* 200,000 change-free values: 40 are expected */
		assert_true(found < 65);
	}
}

/* Expected and measured rates of change-free series; a loose bound on either side. */
static void
keeps_its_error_rates(void **state)
{
	double values[1000];
	uint32_t plain = 0, correlated = 0;
	(void) state;
	for (uint32_t k = 0; k < 400; k++)
	{
		double last = random_normal();
		for (uint32_t i = 0; i < 1000; i++)
			values[i] = 100 + random_normal();
		plain += find_points(values, 1000, defaults()).n;
		for (uint32_t i = 0; i < 1000; i++)
			values[i] = 100 + (last = 0.5 * last + sqrt(0.75) * random_normal());
		correlated += find_points(values, 1000, defaults()).n;
		ph_arena_drop(&series_arena);
	}
	assert_in_range(plain, 40, 400);
	assert_in_range(correlated, 40, 400);
}

static void
finds_steps_soon(void **state)
{
	uint32_t found[2] = {0, 0};
	(void) state;
	for (uint32_t k = 0; k < 2000; k++)
	{
		double values[104], last = random_normal();
		bool correlated = k % 2 == 1;
		for (uint32_t i = 0; i < 104; i++)
		{
			last = correlated ? 0.5 * last + sqrt(0.75) * random_normal() : random_normal();
			values[i] = 100 + last + (i >= 100 ? 5 : 0);
		}
		PhChangePoints points = find_points(values, 104, defaults());
		for (uint32_t i = 0; i < points.n; i++)
			if (points.points[i].index >= 99 && points.points[i].index <= 101)
			{
				found[correlated]++;
				break;
			}
		ph_arena_drop(&series_arena);
	}
	assert_true(found[0] >= 990);
	assert_true(found[1] >= 930);
}

static void
takes_odd_series(void **state)
{
	double flat[40], step[40];
	(void) state;
	for (uint32_t i = 0; i < 40; i++)
	{
		flat[i] = 1e300;
		step[i] = i < 20 ? 0 : 1e-9;
	}
	assert_int_equal(find_points(flat, 40, defaults()).n, 0);
	assert_int_equal(find_points(flat, 0, defaults()).n, 0);
	assert_int_equal(find_points(flat, 7, defaults()).n, 0);
	PhChangePoints points = find_points(step, 40, defaults());
	assert_true(points.n == 1 && points.points[0].index == 20);
	for (uint32_t i = 0; i < 40; i++)
		step[i] = (double) NAN;
	assert_int_equal(find_points(step, 40, defaults()).n, 0);
}

static void
refuses_what_cannot_be(void **state)
{
	static const PhChangeOptions bad[] = {{.max_p = 0},
										  {.max_p = 1.5},
										  {.max_p = 0.1, .min_magnitude = -1},
										  {.max_p = 0.1, .min_magnitude = NAN},
										  {.max_p = 0.1, .window = 1},
										  {.max_p = 0.1, .window = 5000}};
	double infinite[] = {1, 2, INFINITY};
	PhChangeOptions options = defaults();
	PhChangePoints points;
	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(ph_change_points(&series_arena, infinite, 2, &bad[i], &points),
						 PH_ERR_VALUE);
	assert_int_equal(ph_change_points(&series_arena, infinite, 3, &options, &points), PH_ERR_VALUE);
	assert_string_equal(series_env.error.message, "value 2 of the series is infinite");
}

/* ---- false discoveries ---- */

static int
compare_numbers(const void *x, const void *y)
{
	double a = *(const double *) x, b = *(const double *) y;
	return (a > b) - (a < b);
}

/* q <= level exactly for the largest k with p_(k) <= k level / m. */
static void
false_discovery_rates_step_up(void **state)
{
	(void) state;
	for (uint32_t k = 0; k < N_SERIES; k++)
	{
		double p[40], sorted[40], q[40], level = random_uniform();
		uint32_t n = numbers_below(&numbers, 40), tests = n + numbers_below(&numbers, 20);
		uint32_t discoveries = 0, counted = 0;
		for (uint32_t i = 0; i < n; i++)
			sorted[i] = p[i] = pow(random_uniform(), 3);
		qsort(sorted, n, sizeof(*sorted), compare_numbers);
		for (uint32_t i = 0; i < n; i++)
			if (sorted[i] <= (i + 1) * level / tests)
				discoveries = i + 1;
		assert_int_equal(ph_false_discovery_rates(&series_arena, p, n, tests, q), PH_OK);
		for (uint32_t i = 0; i < n; i++)
		{
			counted += q[i] <= level;
			assert_true(q[i] >= p[i] * (1 - 1e-12) && q[i] <= 1);
		}
		assert_int_equal(counted, discoveries);
		ph_arena_drop(&series_arena);
	}
}

/* ---- faults ---- */

typedef struct Work
{
	uint32_t n;
	double values[9000];
} Work;

static PhStatus
find_in_both_modes(PhEnv *fault, void *user)
{
	const Work *work = user;
	PhArena own;
	PhChangeOptions options = defaults();
	PhChangePoints points;
	ph_arena_init(&own, fault);
	PhStatus status = ph_change_points(&own, work->values, work->n, &options, &points);
	options.mode = PH_CHANGE_OTAVA;
	if (status == PH_OK)
		status = ph_change_points(&own, work->values, work->n, &options, &points);
	ph_arena_drop(&own);
	return status;
}

static void
survives_faults(void **state)
{
	static Work work;
	(void) state;
	for (uint32_t i = 0; i < 9000; i++)
		work.values[i] = random_normal() + (i / 50 % 2) * 10;
	work.n = 300;
	assert_string_equal(fault_env_try_allocations(find_in_both_modes, &work, 0), "");
	work.n = 9000;
	assert_string_equal(fault_env_try_interrupts(find_in_both_modes, &work, 5), "");
}

/* Between two looks at interrupts there are no thousands of long intervals or of windows. */
static void
looks_at_interrupts_between_long_intervals(void **state)
{
	static double values[20000];
	(void) state;
	for (uint32_t mode = 0; mode < 2; mode++)
	{
		FaultEnv fault;
		PhArena own;
		PhChangeOptions options = defaults();
		PhChangePoints points;
		for (uint32_t i = 0; i < 20000; i++)
			values[i] = random_normal() + (i / 25 % 2) * 10;
		options.mode = mode == 0 ? PH_CHANGE_DEFAULT : PH_CHANGE_OTAVA;
		fault_env_init(&fault);
		ph_arena_init(&own, &fault.env);
		uint32_t n = mode == 0 ? 20000 : 2000;

		assert_int_equal(ph_change_points(&own, values, n, &options, &points), PH_OK);
		assert_in_range(points.n, n / 50, n / 20);
		assert_in_range(fault.n_interrupts, mode == 0 ? 80 : 3 * points.n / 2, 10 * n);
		ph_arena_drop(&own);
		fault_env_drop(&fault);
	}
}

/* Half a degree of freedom a value, fewer where values follow their neighbours. */
static void
knows_noise_as_well_as_values_differ(void **state)
{
	(void) state;
	double values[300], last = 0;
	PhNoise noise = {.sd = (double) NAN, .degrees = (double) NAN};
	for (uint32_t i = 0; i < 300; i++)
	{
		last = 0.6 * last + random_normal();
		values[i] = 100 + last;
	}
	ph_change_residual_noise(values, 300, NULL, 0, &noise);
	double r = noise.autocorrelation;
	assert_true(r > 0.4 && r < 0.8);
	assert_true(fabs(noise.degrees - 150 * (1 - r * r)) < 1e-9);
	assert_true(noise.sd > 1 && noise.sd < 1.6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(takes_the_best_split, series_set_up, series_tear_down),
		cmocka_unit_test_setup_teardown(agrees_with_a_plain_search, series_set_up,
										series_tear_down),
		cmocka_unit_test_setup_teardown(is_monotone_in_sensitivity, series_set_up,
										series_tear_down),
		cmocka_unit_test_setup_teardown(obeys_shifts_and_factors, series_set_up, series_tear_down),
		cmocka_unit_test_setup_teardown(describes_its_segments, series_set_up, series_tear_down),
		cmocka_unit_test_setup_teardown(splits_between_groups_only, series_set_up,
										series_tear_down),
		cmocka_unit_test_setup_teardown(leaves_outliers_alone, series_set_up, series_tear_down),
		cmocka_unit_test_setup_teardown(leaves_many_outliers_alone, series_set_up,
										series_tear_down),
		cmocka_unit_test_setup_teardown(keeps_its_error_rates, series_set_up, series_tear_down),
		cmocka_unit_test_setup_teardown(finds_steps_soon, series_set_up, series_tear_down),
		cmocka_unit_test_setup_teardown(takes_odd_series, series_set_up, series_tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_cannot_be, series_set_up, series_tear_down),
		cmocka_unit_test_setup_teardown(knows_noise_as_well_as_values_differ, series_set_up,
										series_tear_down),
		cmocka_unit_test_setup_teardown(false_discovery_rates_step_up, series_set_up,
										series_tear_down),
		cmocka_unit_test(survives_faults),
		cmocka_unit_test(looks_at_interrupts_between_long_intervals),
	};
	numbers = (RandomNumbers){20260721};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
