/*
 * test_distribution.c - histogram, fit, box plot, selection and vector statistics against slow
 * references on random vectors.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/select.h"
#include "statistics/distribution.h"
#include "statistics/vector_stats.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_VECTORS rounds(3000)
#define MOST 200

static RandomNumbers numbers;

static bool
close_to(double x, double y)
{
	return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= 1e-9 * (1 + fabs(x) + fabs(y));
}

#define assert_close(x, y)                                                                         \
	do                                                                                             \
	{                                                                                              \
		if (!close_to(x, y))                                                                       \
			fail_msg("%s = %.17g, expected %.17g", #x, (double) (x), (double) (y));                \
	} while (0)

/* Few distinct values, many, negative, huge, equal, with holes. */
static uint32_t
random_vector(double *values)
{
	uint32_t n = numbers_below(&numbers, MOST), shape = numbers_below(&numbers, 6);
	for (uint32_t i = 0; i < n; i++)
	{
		double unit = numbers_below(&numbers, 1000003) / 1000003.0;
		values[i] = shape == 0	 ? numbers_below(&numbers, 4)
					: shape == 1 ? 42.5
					: shape == 2 ? (unit - 0.5) * 1e150
					: shape == 3 ? -unit
								 : unit * 100;
		if (shape == 4 && numbers_below(&numbers, 5) == 0)
			values[i] = (double) NAN;
	}
	return n;
}

static int
compare(const void *x, const void *y)
{
	double a = *(const double *) x, b = *(const double *) y;
	return a < b ? -1 : a > b;
}

/* The numbers among values in order; how many. */
static uint32_t
sorted_numbers(const double *values, uint32_t n, double *sorted)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			sorted[count++] = values[i];
	qsort(sorted, count, sizeof(*sorted), compare);
	return count;
}

static double
quantile(const double *sorted, uint32_t n, double q)
{
	double place = q * (n - 1);
	uint32_t low = (uint32_t) place;
	uint32_t high = low + 1 < n ? low + 1 : low;
	return sorted[low] + (sorted[high] - sorted[low]) * (place - low);
}

static void
check_histogram(PhArena *arena, const double *values, uint32_t n, const double *sorted,
				uint32_t count)
{
	uint32_t n_bins = 1 + numbers_below(&numbers, 30), total = 0;
	PhHistogram histogram;
	assert_int_equal(ph_histogram(arena, values, n, n_bins, &histogram), PH_OK);
	assert_int_equal(histogram.n_bins, n_bins);
	for (uint32_t bin = 0; bin < n_bins; bin++)
		total += histogram.counts[bin];
	assert_int_equal(total, count);
	if (count == 0)
		return;
	assert_true(histogram.min == sorted[0] && histogram.max == sorted[count - 1]);
	double width = histogram.max / n_bins - histogram.min / n_bins;
	uint32_t *counts = calloc(n_bins, sizeof(*counts));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t bin = histogram.bin_of[i];
		if (isnan(values[i]))
		{
			assert_int_equal(bin, UINT32_MAX);
			continue;
		}
		counts[bin]++;
		double slack = 1e-9 * (fabs(histogram.min) + fabs(histogram.max));
		assert_true(values[i] >= histogram.min + width * bin - slack);
		assert_true(values[i] <= histogram.min + width * (bin + 1) + slack);
	}
	assert_memory_equal(counts, histogram.counts, n_bins * sizeof(*counts));
	free(counts);
}

static void
check_stats(PhArena *arena, const double *values, uint32_t n, const double *sorted, uint32_t count)
{
	PhVectorStats stats;
	assert_int_equal(ph_vector_stats(arena, values, n, &stats), PH_OK);
	assert_int_equal(stats.n, count);
	if (count == 0)
	{
		assert_true(isnan(stats.mean) && isnan(stats.max) && isnan(stats.median));
		assert_int_equal(stats.argmax, PH_NONE);
		return;
	}
	double sum = 0, squares = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += sorted[i];
	for (uint32_t i = 0; i < count; i++)
		squares += (sorted[i] - sum / count) * (sorted[i] - sum / count);
	assert_close(stats.mean, sum / count);
	assert_close(stats.sd, count > 1 ? sqrt(squares / (count - 1)) : (double) NAN);
	assert_close(stats.median, quantile(sorted, count, 0.5));
	assert_true(values[stats.argmin] == sorted[0] && stats.min == sorted[0]);
	assert_true(values[stats.argmax] == sorted[count - 1] && stats.max == sorted[count - 1]);
	for (uint32_t i = 0; i < stats.argmax; i++)
		assert_false(values[i] == stats.max);
	assert_close(stats.imbalance_range, sorted[count - 1] - sorted[0]);
	assert_close(stats.lost, (stats.max - stats.mean) * count);
	if (stats.mean != 0)
		assert_close(stats.imbalance_ratio, stats.imbalance_excess + 1);
}

static void
check_box(PhArena *arena, const double *values, uint32_t n, const double *sorted, uint32_t count)
{
	PhBox box;
	assert_int_equal(ph_box(arena, values, n, &box), PH_OK);
	assert_int_equal(box.n, count);
	if (count == 0)
	{
		assert_int_equal(box.n_outliers, 0);
		assert_true(isnan(box.median) && isnan(box.lower_whisker));
		return;
	}
	double low = quantile(sorted, count, 0.25), high = quantile(sorted, count, 0.75);
	assert_close(box.lower_quartile, low);
	assert_close(box.upper_quartile, high);
	assert_close(box.median, quantile(sorted, count, 0.5));
	double fence_low = box.lower_quartile - 1.5 * (box.upper_quartile - box.lower_quartile);
	double fence_high = box.upper_quartile + 1.5 * (box.upper_quartile - box.lower_quartile);
	uint32_t outliers = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		if (isnan(values[i]))
			continue;
		if (values[i] < fence_low || values[i] > fence_high)
			assert_int_equal(box.outliers[outliers++], i);
		else
			assert_true(values[i] >= box.lower_whisker && values[i] <= box.upper_whisker);
	}
	assert_int_equal(outliers, box.n_outliers);
	assert_true(box.lower_whisker >= fence_low && box.upper_whisker <= fence_high);
}

static void
check_selection(const double *values, uint32_t n, const double *sorted, uint32_t count)
{
	double copy[MOST];
	if (count == 0)
		return;
	uint32_t k = numbers_below(&numbers, count), kept = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(values[i]))
			copy[kept++] = values[i];
	assert_true(ph_select(copy, count, k) == sorted[k]);
	qsort(copy, count, sizeof(*copy), compare);
	assert_memory_equal(copy, sorted, count * sizeof(*copy));
}

static void
test_random_vectors(void **unused)
{
	(void) unused;
	PhEnv env;
	PhArena arena;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	numbers.state = 11;
	for (uint32_t i = 0; i < N_VECTORS; i++)
	{
		double values[MOST], sorted[MOST];
		uint32_t n = random_vector(values);
		uint32_t count = sorted_numbers(values, n, sorted);
		check_histogram(&arena, values, n, sorted, count);
		check_stats(&arena, values, n, sorted, count);
		check_box(&arena, values, n, sorted, count);
		check_selection(values, n, sorted, count);
		ph_arena_drop(&arena);
	}
}

/* Normal equations in long double. */
static void
reference_fit(const double *x, const double *y, uint32_t n, PhFit *out)
{
	long double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		sx += x[i];
		sy += y[i];
		sxx += (long double) x[i] * x[i];
		syy += (long double) y[i] * y[i];
		sxy += (long double) x[i] * y[i];
	}
	long double vx = n * sxx - sx * sx, vy = n * syy - sy * sy, cov = n * sxy - sx * sy;
	out->slope = (double) (cov / vx);
	out->intercept = (double) ((sy - cov / vx * sx) / n);
	out->r = (double) (cov / sqrtl(vx * vy));
}

static void
test_random_fits(void **unused)
{
	(void) unused;
	numbers.state = 13;
	for (uint32_t round = 0; round < N_VECTORS; round++)
	{
		double x[MOST], y[MOST];
		uint32_t n = 3 + numbers_below(&numbers, MOST - 3);
		double slope = (double) numbers_below(&numbers, 21) - 10;
		for (uint32_t i = 0; i < n; i++)
		{
			x[i] = numbers_below(&numbers, 1000) + (i == 0 ? 0.5 : 0);
			y[i] = slope * x[i] + numbers_below(&numbers, 100) + (i == 1 ? 0.25 : 0);
		}
		PhFit fit, expected;
		ph_linear_fit(x, y, n, &fit);
		reference_fit(x, y, n, &expected);
		assert_int_equal(fit.n, n);
		assert_close(fit.slope, expected.slope);
		assert_true(fabs(fit.intercept - expected.intercept) <= 1e-6);
		assert_close(fit.r, expected.r);
		assert_close(fit.r_squared, expected.r * expected.r);
	}
}

static void
test_fits_without_variance_are_undefined(void **unused)
{
	(void) unused;
	double x[] = {0.1, 0.1, 0.1, (double) NAN}, y[] = {1, 2, 3, 4};
	PhFit fit;
	ph_linear_fit(x, y, 4, &fit);
	assert_int_equal(fit.n, 3);
	assert_true(isnan(fit.slope) && isnan(fit.r) && isnan(fit.r_squared) && isnan(fit.intercept));
	ph_linear_fit(y, x, 4, &fit);
	assert_true(isnan(fit.slope));
	ph_linear_fit(x, y, 0, &fit);
	assert_int_equal(fit.n, 0);
	assert_true(isnan(fit.slope));
}

static void
test_edges(void **unused)
{
	(void) unused;
	PhEnv env;
	PhArena arena;
	PhHistogram histogram;
	double values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10};
	double extremes[] = {-1.7e308, 0, 1.7e308};
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_histogram(&arena, values, 10, 5, &histogram), PH_OK);
	const uint32_t expected[] = {2, 2, 2, 2, 2};
	assert_memory_equal(histogram.counts, expected, sizeof(expected));
	assert_int_equal(ph_histogram(&arena, extremes, 3, 4, &histogram), PH_OK);
	const uint32_t spread[] = {1, 0, 1, 1};
	assert_memory_equal(histogram.counts, spread, sizeof(spread));
	assert_int_equal(ph_histogram(&arena, values, 10, 0, &histogram), PH_ERR_VALUE);
	assert_int_equal(ph_histogram(&arena, values, 10, 1000001, &histogram), PH_ERR_VALUE);
	ph_arena_drop(&arena);
}

static PhStatus
all_of_them(PhEnv *env, void *user)
{
	enum
	{
		N = 20000
	};
	static double values[N];
	(void) user;
	PhArena arena;
	PhHistogram histogram;
	PhVectorStats stats;
	PhBox box;
	for (uint32_t i = 0; i < N; i++)
		values[i] = i % 1009;
	ph_arena_init(&arena, env);
	PhStatus status = ph_histogram(&arena, values, N, 20, &histogram);
	if (status == PH_OK)
		status = ph_vector_stats(&arena, values, N, &stats);
	if (status == PH_OK)
		status = ph_box(&arena, values, N, &box);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **unused)
{
	(void) unused;
	assert_string_equal(fault_env_try_allocations(all_of_them, NULL, 0), "");
	assert_string_equal(fault_env_try_interrupts(all_of_them, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_vectors),
		cmocka_unit_test(test_random_fits),
		cmocka_unit_test(test_fits_without_variance_are_undefined),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
