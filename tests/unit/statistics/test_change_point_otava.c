/*
 * test_change_point_otava.c - change points as Otava finds them: its golden vectors, and a plain
 * implementation.
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
#include <json-c/json.h>

#include "statistics/change_point_internal.h"
#include "statistics/student_t.h"
#include "support/random_profile.h"
#include "support/rounds.h"
#include "support/series.h"

#define MOST 400
#define N_SERIES rounds(2000)

static RandomNumbers numbers;

static PhChangeOptions
otava(uint32_t window, double max_p)
{
	return (PhChangeOptions){.mode = PH_CHANGE_OTAVA, .window = window, .max_p = max_p};
}

static const double short_series[] = {0.3,	2.4,   1.5,	  -0.9,	 -0.5,	99.7,  98.3,
									  99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0};

static void
finds_the_points_of_the_short_series(void **state)
{
	(void) state;
	PhChangePoints points = find_points(short_series, 14, otava(0, (double) NAN));
	assert_int_equal(points.n, 2);
	assert_int_equal(points.points[0].index, 5);
	assert_int_equal(points.points[1].index, 8);
	assert_ratio(points.points[0].mean_before, 0.56, 1e-12);
	assert_ratio(points.points[1].mean_after, 149.35, 1e-12);
}

/* The public series that Otava tests itself with; n of them, or 0 when it is not at hand. */
static uint32_t
read_series(double *series, uint32_t most)
{
	json_object *root =
		json_object_from_file(PH_SOURCE_DIR "/../shared/oracle/otava/tigerbeetle.json");
	json_object *list;
	uint32_t n = 0;
	if (root == NULL || !json_object_object_get_ex(root, "series", &list))
		return 0;
	for (; n < json_object_array_length(list) && n < most; n++)
		series[n] = json_object_get_double(json_object_array_get_idx(list, n));
	json_object_put(root);
	return n;
}

typedef struct Golden
{
	uint32_t index;
	double before, after, p; /* 0: not recorded */
} Golden;

static const Golden golden[] = {
	{15, 26000.67, 23679.78, 3.05072e-07},	{61, 0, 24514.1, 4.82827e-22},
	{71, 0, 28431.75, 2.77169e-33},			{95, 0, 27268.27, 1.83413e-22},
	{117, 0, 27711.57, 6.64713e-06},		{131, 0, 28639.35, 1.20313e-06},
	{192, 28485.54, 29006.35, 4.28563e-08}, {212, 0, 29449.82, 9.17976e-06}};

static void
reproduces_the_golden_points(void **state)
{
	double series[MOST];
	uint32_t n = read_series(series, MOST);
	(void) state;
	if (n == 0)
		skip();
	PhChangePoints points = find_points(series, n, otava(0, (double) NAN));
	assert_int_equal(points.n, sizeof(golden) / sizeof(golden[0]));
	for (uint32_t i = 0; i < points.n; i++)
	{
		assert_int_equal(points.points[i].index, golden[i].index);
		assert_ratio(points.points[i].p, golden[i].p, 5e-6); /* recorded with six digits */
		assert_true(fabs(points.points[i].mean_after - golden[i].after) < 0.0051);
		if (golden[i].before > 0)
			assert_true(fabs(points.points[i].mean_before - golden[i].before) < 0.0051);
	}
}

static void
assert_indices(const double *series, uint32_t n, double max_p, const char *expected)
{
	char text[400] = "";
	PhChangePoints points = find_points(series, n, otava(30, max_p));
	for (uint32_t i = 0; i < points.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u ", points.points[i].index);
	assert_string_equal(text, expected);
}

static void
reproduces_the_window_of_30(void **state)
{
	double series[MOST];
	uint32_t n = read_series(series, MOST);
	(void) state;
	if (n == 0)
		skip();
	assert_indices(series, n, 0.01, "15 26 61 71 95 117 131 142 148 165 169 192 212 260 ");
	assert_indices(series, n, 0.001, "15 61 71 95 117 131 142 148 192 212 260 ");
	assert_indices(series, n, 0.0001, "71 95 117 131 142 148 192 212 ");
}

/* Q by its definition. */
static double
slow_divergence(const double *values, uint32_t start, uint32_t tau, uint32_t end)
{
	double across = 0, left = 0, right = 0, n = tau - start, m = end - tau;
	for (uint32_t i = start; i < end; i++)
		for (uint32_t k = i + 1; k < end; k++)
		{
			double distance = fabs(values[i] - values[k]);
			if (k < tau)
				left += distance;
			else if (i >= tau)
				right += distance;
			else
				across += distance;
		}
	return 2 / (m + n) * across - (n > 1 ? 2 * m / (m + n) / (n - 1) * left : 0) -
		   (m > 1 ? 2 * n / (m + n) / (m - 1) * right : 0);
}

/* One point of the plain implementation. */
typedef struct PlainPoint
{
	uint32_t index;
	double p, mean_before, mean_after;
} PlainPoint;

static void
plain_moments(const double *values, uint32_t start, uint32_t end, double *mean, double *variance)
{
	*mean = *variance = 0;
	for (uint32_t i = start; i < end; i++)
		*mean += values[i] / (end - start);
	for (uint32_t i = start; i < end; i++)
		*variance += (values[i] - *mean) * (values[i] - *mean) / (end - start);
}

static void
plain_test(const double *values, uint32_t start, uint32_t end, PlainPoint *point)
{
	double n = point->index - start, m = end - point->index, v, w;
	plain_moments(values, start, point->index, &point->mean_before, &v);
	plain_moments(values, point->index, end, &point->mean_after, &w);
	double pooled = ((n - 1) * v + (m - 1) * w) / (n + m - 2);
	double t = (point->mean_before - point->mean_after) / sqrt(pooled * (1 / n + 1 / m));
	point->p = n + m <= 2 || isnan(t) ? 1 : ph_student_two_sided(t, n + m - 2);
}

/* Borders of [start, end) in is_point, which gets the points that divisive search finds. */
static uint32_t
plain_window(const double *values, uint32_t start, uint32_t end, double max_p, bool *is_point)
{
	uint32_t last = 0;
	bool here[MOST + 1] = {false};
	for (;;)
	{
		double best = -INFINITY;
		uint32_t place = 0, from = 0, to = 0;
		for (uint32_t s = start; s < end;)
		{
			uint32_t e = s + 1;
			while (e < end && !here[e])
				e++;
			for (uint32_t tau = s + 1; tau < e; tau++)
				for (uint32_t k = tau + 1; k <= e; k++)
					if (slow_divergence(values, s, tau, k) > best)
					{
						best = slow_divergence(values, s, tau, k);
						place = tau, from = s, to = e;
					}
			s = e;
		}
		PlainPoint point = {.index = place};
		if (place > 0)
			plain_test(values, from, to, &point);
		if (place == 0 || point.p > max_p)
			return last;
		here[place] = is_point[place] = true;
		last = place > last ? place : last;
	}
}

static uint32_t
plain_otava(const double *values, uint32_t n, uint32_t window, double max_p, PlainPoint *points)
{
	bool is_point[MOST] = {false};
	uint32_t n_points = 0;
	for (uint32_t start = 0; start < n;)
	{
		uint32_t end = start + window < n ? start + window : n;
		uint32_t last = plain_window(values, start, end, max_p * 10, is_point);
		start = last > start + window / 2 ? last : start + window / 2;
	}
	for (uint32_t i = 0; i < n; i++)
		if (is_point[i])
			points[n_points++].index = i;
	for (uint32_t i = 0; i < n_points; i++)
		plain_test(values, i > 0 ? points[i - 1].index : 0,
				   i + 1 < n_points ? points[i + 1].index : n, &points[i]);
	while (n_points > 0)
	{
		uint32_t worst = 0;
		for (uint32_t i = 1; i < n_points; i++)
			worst = points[i].p > points[worst].p ? i : worst;
		if (points[worst].p < max_p)
			break;
		n_points--;
		for (uint32_t i = worst; i < n_points; i++)
			points[i] = points[i + 1];
		for (uint32_t i = worst; i < n_points && i < worst + 2; i++)
			plain_test(values, i > 0 ? points[i - 1].index : 0,
					   i + 1 < n_points ? points[i + 1].index : n, &points[i]);
	}
	return n_points;
}

static void
agrees_with_a_plain_otava(void **state)
{
	uint32_t n_found = 0;
	(void) state;
	for (uint32_t k = 0; k < N_SERIES; k++)
	{
		double values[60];
		PlainPoint plain[60];
		uint32_t n = numbers_below(&numbers, 60), window = 4 + numbers_below(&numbers, 9);
		for (uint32_t i = 0; i < n; i++)
			values[i] = 100 + random_normal() + (i / 9 % 3) * 4;
		PhChangePoints points = find_points(values, n, otava(window, 0.01));
		uint32_t n_plain = plain_otava(values, n, window, 0.01, plain);
		assert_int_equal(points.n, n_plain);
		for (uint32_t i = 0; i < n_plain; i++)
		{
			assert_int_equal(points.points[i].index, plain[i].index);
			assert_ratio(points.points[i].p, plain[i].p, 1e-8);
			assert_ratio(points.points[i].mean_after, plain[i].mean_after, 1e-9);
		}
		n_found += n_plain;
		ph_arena_drop(&series_arena);
	}
	assert_true(n_found > N_SERIES);
}

static void
otava_takes_odd_series(void **state)
{
	const double same[] = {5, 5, 5, 5, 5, 5, 5, 5, 5};
	const double steps[] = {1, 1, 1, 1, 1, 9, 9, 9, 9, 9};
	const double holes[] = {NAN, 1, NAN, 1.1, 0.9, 9, 9.1, NAN, 8.9, 9};
	(void) state;
	assert_int_equal(find_points(same, 9, otava(0, (double) NAN)).n, 0);
	assert_int_equal(find_points(same, 0, otava(0, (double) NAN)).n, 0);
	assert_int_equal(find_points(same, 1, otava(0, (double) NAN)).n, 0);
	PhChangePoints points = find_points(steps, 10, otava(0, (double) NAN));
	assert_int_equal(points.n, 1);
	assert_true(points.points[0].index == 5 && points.points[0].p == 0);
	points = find_points(holes, 10, otava(0, (double) NAN));
	assert_true(points.n == 1 && points.points[0].index == 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_the_points_of_the_short_series, series_set_up,
										series_tear_down),
		cmocka_unit_test_setup_teardown(reproduces_the_golden_points, series_set_up,
										series_tear_down),
		cmocka_unit_test_setup_teardown(reproduces_the_window_of_30, series_set_up,
										series_tear_down),
		cmocka_unit_test_setup_teardown(agrees_with_a_plain_otava, series_set_up, series_tear_down),
		cmocka_unit_test_setup_teardown(otava_takes_odd_series, series_set_up, series_tear_down),
	};
	numbers = (RandomNumbers){20260721};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
