/*
 * test_change_point.c - change points: Otava's golden vectors, the laws of the default method, its
 * error rates; Student's t; false discovery rates.
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
#include "support/fault_env.h"
#include "support/random_profile.h"

#define MOST 400
#define N_SERIES 2000

static RandomNumbers numbers;
static PhEnv env;
static PhArena arena;

static int
set_up(void **state)
{
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	return 0;
}

static int
tear_down(void **state)
{
	(void) state;
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
	return 0;
}

static PhChangePoints
search(const double *series, uint32_t n, PhChangeOptions options)
{
	PhChangePoints points;
	if (ph_change_points(&arena, series, n, &options, &points) != PH_OK)
		fail_msg("%s", env.error.message);
	return points;
}

static PhChangeOptions
defaults(void)
{
	return (PhChangeOptions){.max_p = (double) NAN};
}

static PhChangeOptions
otava(uint32_t window, double max_p)
{
	return (PhChangeOptions){.mode = PH_CHANGE_OTAVA, .window = window, .max_p = max_p};
}

/* splitmix64: error rates need better numbers than a linear congruence */
static double
uniform(void)
{
	static uint64_t state = 77;
	uint64_t z = state += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return ((double) ((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double
normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static void
assert_ratio(double value, double expected, double tolerance)
{
	if (!(fabs(value / expected - 1) <= tolerance))
		fail_msg("%.17g, expected %.17g", value, expected);
}

/* ---- Student's t ---- */

/* Exact forms of 1, 2 and 4 degrees; tails far out from the leading term. */
static void
tails_of_student_are_exact(void **state)
{
	(void) state;
	for (double t = 0.01; t < 1e6; t *= 1.7)
	{
		assert_ratio(ph_student_two_sided(t, 1), 2 * atan(1 / t) / M_PI, 1e-9);
		double two = 2 / (sqrt(2 + t * t) * (t + sqrt(2 + t * t)));
		assert_ratio(ph_student_two_sided(-t, 2), two, 1e-9);
	}
	assert_ratio(ph_student_two_sided(2.7764451051977987, 4), 0.05, 1e-9);
	assert_ratio(ph_student_two_sided(1.9599639845400545, 1e9), 0.05, 1e-6);
	assert_ratio(ph_student_two_sided(1.9599639845400545, INFINITY), 0.05, 1e-9);
	assert_true(ph_student_two_sided(0, 5) == 1);
	assert_true(ph_student_two_sided(INFINITY, 5) == 0);
	assert_true(isnan(ph_student_two_sided((double) NAN, 5)));
	assert_true(isnan(ph_student_two_sided(1, 0)));
}

static void
quantiles_invert_tails(void **state)
{
	(void) state;
	for (double degrees = 0.5; degrees < 1e4; degrees *= 1.9)
		for (double p = 1e-30; p <= 1; p *= 31)
			assert_ratio(ph_student_two_sided(ph_student_two_sided_quantile(p, degrees), degrees),
						 p, 1e-8);
}

/* I_x(a, b) against the integral by Simpson's rule. */
static void
incomplete_beta_is_the_integral(void **state)
{
	(void) state;
	for (uint32_t k = 0; k < 200; k++)
	{
		double a = 3 + uniform() * 30, b = 3 + uniform() * 30, x = uniform(), sum = 0;
		enum
		{
			STEPS = 4000
		};
		double constant = exp(lgamma(a + b) - lgamma(a) - lgamma(b));
		for (int i = 0; i <= STEPS; i++)
		{
			double at = x * i / STEPS;
			sum += pow(at, a - 1) * pow(1 - at, b - 1) *
				   (i == 0 || i == STEPS ? 1
					: i % 2 == 1		 ? 4
										 : 2);
		}
		double expected = constant * sum * x / STEPS / 3;
		assert_true(fabs(ph_incomplete_beta(x, a, b) - expected) < 1e-6);
	}
}

/* ---- Otava ---- */

static const double short_series[] = {0.3,	2.4,   1.5,	  -0.9,	 -0.5,	99.7,  98.3,
									  99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0};

static void
finds_the_points_of_the_short_series(void **state)
{
	(void) state;
	PhChangePoints points = search(short_series, 14, otava(0, (double) NAN));
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
	PhChangePoints points = search(series, n, otava(0, (double) NAN));
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
	PhChangePoints points = search(series, n, otava(30, max_p));
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
			values[i] = 100 + normal() + (i / 9 % 3) * 4;
		PhChangePoints points = search(values, n, otava(window, 0.01));
		uint32_t n_plain = plain_otava(values, n, window, 0.01, plain);
		assert_int_equal(points.n, n_plain);
		for (uint32_t i = 0; i < n_plain; i++)
		{
			assert_int_equal(points.points[i].index, plain[i].index);
			assert_ratio(points.points[i].p, plain[i].p, 1e-8);
			assert_ratio(points.points[i].mean_after, plain[i].mean_after, 1e-9);
		}
		n_found += n_plain;
		ph_arena_drop(&arena);
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
	assert_int_equal(search(same, 9, otava(0, (double) NAN)).n, 0);
	assert_int_equal(search(same, 0, otava(0, (double) NAN)).n, 0);
	assert_int_equal(search(same, 1, otava(0, (double) NAN)).n, 0);
	PhChangePoints points = search(steps, 10, otava(0, (double) NAN));
	assert_int_equal(points.n, 1);
	assert_true(points.points[0].index == 5 && points.points[0].p == 0);
	points = search(holes, 10, otava(0, (double) NAN));
	assert_true(points.n == 1 && points.points[0].index == 5);
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
			level = 100 + 8 * normal();
		last = shape == 1 ? 0.6 * last + normal() : shape == 2 ? 0 : normal();
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
		PhNoise noise = {.sd = 0.2 + uniform(), .autocorrelation = 0.9 * uniform(), .degrees = n};
		PhChangePoint *points;
		for (uint32_t i = 0; i < n; i++)
			values[i] = normal() + (i < at ? 0 : 5 * uniform());
		double r = noise.autocorrelation, variance = noise.sd * noise.sd * (1 - r * r);
		for (uint32_t i = 4; i + 4 <= n; i++)
		{
			double score = plain_score(values, n, i, r, variance);
			best = fabs(score) > fabs(best) ? score : best;
		}
		double p = ph_change_rate(best, noise.degrees), max_p = exp(-12 * uniform());
		assert_int_equal(
			ph_change_search(&arena, values, NULL, n, &noise, max_p, 0, &points, &n_points), PH_OK);
		if (fabs(p / max_p - 1) > 1e-6)
			assert_int_equal(n_points, p <= max_p);
		if (n_points == 1)
			assert_ratio(points[0].score, best, 1e-8);
		n_found += n_points;
		ph_arena_drop(&arena);
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
		PhNoise noise = {.sd = 0.5 + uniform(), .degrees = n};
		PhChangePoint *points;
		PlainSplit splits[200];
		bool is_point[100] = {false};
		noise.autocorrelation = numbers_below(&numbers, 2) * 0.8 * uniform();
		for (uint32_t i = 0; i < n; i++)
		{
			level = numbers_below(&numbers, 8) == 0 ? 20 * uniform() : level;
			values[i] = level + normal();
		}
		double max_p = exp(-10 * uniform());
		uint32_t n_plain = plain_candidates(values, n, &noise, max_p, splits);
		n_plain = plain_search(splits, n_plain, is_point);
		assert_int_equal(
			ph_change_search(&arena, values, NULL, n, &noise, max_p, 0, &points, &n_points), PH_OK);
		assert_int_equal(n_points, n_plain);
		for (uint32_t i = 0; i < n_points; i++)
			assert_true(is_point[points[i].index]);
		n_found += n_points;
		ph_arena_drop(&arena);
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
			PhChangePoints points =
				search(values, n, (PhChangeOptions){.max_p = limits[l], .min_magnitude = 0.01});
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
		ph_arena_drop(&arena);
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
		PhChangePoints a = search(values, n, defaults());
		PhChangePoints b = search(moved, n, defaults());
		assert_int_equal(a.n, b.n);
		for (uint32_t i = 0; i < a.n; i++)
		{
			assert_int_equal(a.points[i].index, b.points[i].index);
			assert_true(a.points[i].p == b.points[i].p);
			assert_true(a.points[i].mean_before * 4 == b.points[i].mean_before);
		}
		ph_arena_drop(&arena);
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
		PhChangePoints points = search(values, n, defaults());
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
		ph_arena_drop(&arena);
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
		PhChangePoints points = search(values, n, options);
		for (uint32_t i = 0; i < points.n; i++)
		{
			uint32_t at = points.points[i].index, before = at - 1;
			while (isnan(values[before]))
				before--;
			assert_true(groups[at] != groups[before]);
		}
		ph_arena_drop(&arena);
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
				values[i] = 100 + normal() + (i >= 120 && i < 120 + run ? 500 : 0);
			found += search(values, 200, defaults()).n;
			ph_arena_drop(&arena);
		}
		/* 20 000 change-free values: 6 are expected */
		assert_true(found < 15);
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
		double last = normal();
		for (uint32_t i = 0; i < 1000; i++)
			values[i] = 100 + normal();
		plain += search(values, 1000, defaults()).n;
		for (uint32_t i = 0; i < 1000; i++)
			values[i] = 100 + (last = 0.5 * last + sqrt(0.75) * normal());
		correlated += search(values, 1000, defaults()).n;
		ph_arena_drop(&arena);
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
		double values[104], last = normal();
		bool correlated = k % 2 == 1;
		for (uint32_t i = 0; i < 104; i++)
		{
			last = correlated ? 0.5 * last + sqrt(0.75) * normal() : normal();
			values[i] = 100 + last + (i >= 100 ? 5 : 0);
		}
		PhChangePoints points = search(values, 104, defaults());
		for (uint32_t i = 0; i < points.n; i++)
			if (points.points[i].index >= 99 && points.points[i].index <= 101)
			{
				found[correlated]++;
				break;
			}
		ph_arena_drop(&arena);
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
	assert_int_equal(search(flat, 40, defaults()).n, 0);
	assert_int_equal(search(flat, 0, defaults()).n, 0);
	assert_int_equal(search(flat, 7, defaults()).n, 0);
	PhChangePoints points = search(step, 40, defaults());
	assert_true(points.n == 1 && points.points[0].index == 20);
	for (uint32_t i = 0; i < 40; i++)
		step[i] = (double) NAN;
	assert_int_equal(search(step, 40, defaults()).n, 0);
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
		assert_int_equal(ph_change_points(&arena, infinite, 2, &bad[i], &points), PH_ERR_VALUE);
	assert_int_equal(ph_change_points(&arena, infinite, 3, &options, &points), PH_ERR_VALUE);
	assert_string_equal(env.error.message, "value 2 of the series is infinite");
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
		double p[40], sorted[40], q[40], level = uniform();
		uint32_t n = numbers_below(&numbers, 40), tests = n + numbers_below(&numbers, 20);
		uint32_t discoveries = 0, counted = 0;
		for (uint32_t i = 0; i < n; i++)
			sorted[i] = p[i] = pow(uniform(), 3);
		qsort(sorted, n, sizeof(*sorted), compare_numbers);
		for (uint32_t i = 0; i < n; i++)
			if (sorted[i] <= (i + 1) * level / tests)
				discoveries = i + 1;
		assert_int_equal(ph_false_discovery_rates(&arena, p, n, tests, q), PH_OK);
		for (uint32_t i = 0; i < n; i++)
		{
			counted += q[i] <= level;
			assert_true(q[i] >= p[i] * (1 - 1e-12) && q[i] <= 1);
		}
		assert_int_equal(counted, discoveries);
		ph_arena_drop(&arena);
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
		work.values[i] = normal() + (i / 50 % 2) * 10;
	work.n = 300;
	assert_string_equal(fault_env_try_allocations(find_in_both_modes, &work, 0), "");
	work.n = 9000;
	assert_string_equal(fault_env_try_interrupts(find_in_both_modes, &work, 5), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tails_of_student_are_exact),
		cmocka_unit_test(quantiles_invert_tails),
		cmocka_unit_test(incomplete_beta_is_the_integral),
		cmocka_unit_test_setup_teardown(finds_the_points_of_the_short_series, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reproduces_the_golden_points, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reproduces_the_window_of_30, set_up, tear_down),
		cmocka_unit_test_setup_teardown(agrees_with_a_plain_otava, set_up, tear_down),
		cmocka_unit_test_setup_teardown(otava_takes_odd_series, set_up, tear_down),
		cmocka_unit_test_setup_teardown(takes_the_best_split, set_up, tear_down),
		cmocka_unit_test_setup_teardown(agrees_with_a_plain_search, set_up, tear_down),
		cmocka_unit_test_setup_teardown(is_monotone_in_sensitivity, set_up, tear_down),
		cmocka_unit_test_setup_teardown(obeys_shifts_and_factors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(describes_its_segments, set_up, tear_down),
		cmocka_unit_test_setup_teardown(splits_between_groups_only, set_up, tear_down),
		cmocka_unit_test_setup_teardown(leaves_outliers_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keeps_its_error_rates, set_up, tear_down),
		cmocka_unit_test_setup_teardown(finds_steps_soon, set_up, tear_down),
		cmocka_unit_test_setup_teardown(takes_odd_series, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_cannot_be, set_up, tear_down),
		cmocka_unit_test_setup_teardown(false_discovery_rates_step_up, set_up, tear_down),
		cmocka_unit_test(survives_faults),
	};
	numbers = (RandomNumbers){20260721};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
