/*
 * test_sketch.c - sketches against sorted numbers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "statistics/sketch.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_ROUNDS rounds(2000)
#define MOST 300
#define MOMENTS_END (4 + 5 * 8)

static RandomNumbers numbers = {4711};
static PhEnv env;
static PhArena arena;

/* Numbers of one of several kinds: like run times, few distinct, wide, of both signs, anything. */
static void
random_numbers(double *values, uint32_t n, uint32_t kind)
{
	for (uint32_t i = 0; i < n; i++)
	{
		double uniform = numbers_below(&numbers, 1u << 30) / (double) (1u << 30);
		bool minus = numbers_below(&numbers, 2) == 1;
		switch (kind % 5)
		{
			case 0:
				values[i] = 10 + uniform;
				break;
			case 1:
				values[i] = numbers_below(&numbers, 4);
				break;
			case 2:
				values[i] = exp(uniform * 20 - 10);
				break;
			case 3:
				values[i] = (minus ? -1 : 1) * uniform * uniform;
				break;
			default:
				values[i] = (minus ? -1 : 1) * exp(uniform * 1400 - 700);
		}
	}
}

static int
compare(const void *x, const void *y)
{
	double a = *(const double *) x, b = *(const double *) y;
	return (a > b) - (a < b);
}

static PhSketch
sketch_of(const double *values, size_t n)
{
	PhSketch sketch;
	assert_int_equal(ph_sketch_of(&arena, values, n, &sketch), PH_OK);
	return sketch;
}

static void
assert_near(double value, double expected, double size)
{
	if (!(fabs(value - expected) <= 1e-9 * size))
		fail_msg("%.17g, expected %.17g", value, expected);
}

/* The order statistics next to the quantile, each within the error of the sketch. */
static void
assert_quantile(const PhSketch *sketch, const PhSketchSteps *steps, const double *sorted,
				uint32_t n, double q)
{
	double place = q * (n - 1);
	uint32_t k = (uint32_t) place, next = k + 1 < n ? k + 1 : k;
	double expected = sorted[k] + (sorted[next] - sorted[k]) * (place - k);
	double error =
		ph_sketch_relative_error(sketch) * (1 + 1e-9) * fmax(fabs(sorted[k]), fabs(sorted[next]));
	double found = ph_sketch_quantile(steps, q);
	if (!(fabs(found - expected) <= error + 1e-12 * fabs(expected)))
		fail_msg("quantile %g of %u: %.17g, expected %.17g +- %g", q, n, found, expected, error);
}

static void
quantiles_are_as_near_as_it_says(void **state)
{
	(void) state;
	for (uint32_t round = 0; round < N_ROUNDS; round++)
	{
		double values[MOST], sum = 0, m2 = 0, size = 0;
		uint32_t n = 1 + numbers_below(&numbers, MOST), n_absent = numbers_below(&numbers, 3);
		PhSketchSteps steps;
		n = n + n_absent > MOST ? MOST - n_absent : n;
		random_numbers(values, n, round);
		PhSketch sketch = sketch_of(values, n);
		assert_int_equal(ph_sketch_steps(&arena, &sketch, n_absent, &steps), PH_OK);
		assert_true((ph_sketch_relative_error(&sketch) == 0) == (n <= PH_SKETCH_EXACT));
		memset(values + n, 0, n_absent * sizeof(double));
		n += n_absent;
		qsort(values, n, sizeof(double), compare);
		assert_true(steps.n == n && steps.min == values[0] && steps.max == values[n - 1]);
		for (uint32_t i = 0; i <= 20; i++)
			assert_quantile(&sketch, &steps, values, n, i / 20.0);
		for (uint32_t i = 0; i < n; i++)
			sum += values[i];
		for (uint32_t i = 0; i < n; i++)
		{
			m2 += (values[i] - sum / n) * (values[i] - sum / n);
			size += fabs(values[i]);
		}
		assert_near(sketch.sum, sum, size);
		if (n > 1 && isfinite(m2))
			assert_near(ph_sketch_sd(&sketch, n_absent), sqrt(m2 / (n - 1)), size);
	}
}

/* Buckets and numbers, which follow the moments, do not depend on how it was put together. */
static void
merges_in_any_order(void **state)
{
	(void) state;
	for (uint32_t round = 0; round < N_ROUNDS; round++)
	{
		double values[MOST];
		uint32_t n = numbers_below(&numbers, round % 3 == 0 ? 40 : MOST);
		uint8_t *bytes, *other_bytes;
		size_t size, other_size;
		random_numbers(values, n, round / 3);
		PhSketch whole = sketch_of(values, n), merged = {0};
		for (uint32_t i = n; i > 1; i--)
		{
			uint32_t k = numbers_below(&numbers, i);
			double kept = values[k];
			values[k] = values[i - 1];
			values[i - 1] = kept;
		}
		for (uint32_t i = 0, length; i < n; i += length)
		{
			length = 1 + numbers_below(&numbers, n - i);
			PhSketch part = sketch_of(values + i, length);
			PhSketch *first = round % 2 == 0 ? &part : &merged;
			PhSketch *second = round % 2 == 0 ? &merged : &part;
			assert_int_equal(ph_sketch_merge(&arena, first, second, &merged), PH_OK);
		}
		assert_int_equal(ph_sketch_write(&arena, &whole, &bytes, &size), PH_OK);
		assert_int_equal(ph_sketch_write(&arena, &merged, &other_bytes, &other_size), PH_OK);
		assert_int_equal(size, other_size);
		size_t moments_end = n <= PH_SKETCH_EXACT ? 4 : MOMENTS_END;
		assert_memory_equal(bytes, other_bytes, n <= PH_SKETCH_EXACT ? 4 : 12);
		assert_memory_equal(bytes + moments_end, other_bytes + moments_end, size - moments_end);
		assert_true(whole.min == merged.min && whole.max == merged.max);
		assert_near(merged.sum, whole.sum, n * fmax(fabs(whole.min), fabs(whole.max)));
		if (isfinite(whole.m2))
			assert_near(merged.m2, whole.m2, n * pow(fmax(fabs(whole.min), fabs(whole.max)), 2));
	}
}

static void
histograms_count_all(void **state)
{
	(void) state;
	for (uint32_t round = 0; round < N_ROUNDS; round++)
	{
		double values[PH_SKETCH_EXACT];
		uint32_t n = 1 + numbers_below(&numbers, PH_SKETCH_EXACT);
		uint32_t n_bins = 1 + numbers_below(&numbers, 9);
		uint64_t *counts, expected[9] = {0};
		PhSketchSteps steps;
		random_numbers(values, n, round % 4);
		PhSketch sketch = sketch_of(values, n);
		assert_int_equal(ph_sketch_steps(&arena, &sketch, 0, &steps), PH_OK);
		assert_int_equal(ph_sketch_histogram(&arena, &steps, n_bins, &counts), PH_OK);
		double width = steps.max / n_bins - steps.min / n_bins;
		for (uint32_t i = 0; i < n; i++)
		{
			double place = width > 0 ? (values[i] - steps.min) / width : 0;
			expected[place >= n_bins ? n_bins - 1 : (uint32_t) place]++;
		}
		assert_memory_equal(counts, expected, n_bins * sizeof(uint64_t));
	}
}

/* What was written is read as it was; other bytes are refused or read, and never kill. */
static void
reads_what_it_wrote(void **state)
{
	(void) state;
	for (uint32_t round = 0; round < N_ROUNDS; round++)
	{
		double values[MOST];
		uint32_t n = numbers_below(&numbers, MOST);
		uint8_t *bytes, *again;
		size_t size, again_size;
		PhSketch back;
		random_numbers(values, n, round);
		PhSketch sketch = sketch_of(values, n);
		assert_int_equal(ph_sketch_write(&arena, &sketch, &bytes, &size), PH_OK);
		assert_int_equal(ph_sketch_read(&arena, bytes, size, &back), PH_OK);
		assert_int_equal(ph_sketch_write(&arena, &back, &again, &again_size), PH_OK);
		assert_int_equal(size, again_size);
		assert_memory_equal(bytes, again, size);
		assert_int_equal(ph_sketch_read(&arena, bytes, size - 1, &back), PH_ERR_FORMAT);
		bytes[numbers_below(&numbers, (uint32_t) size)] ^=
			(uint8_t) (1 << numbers_below(&numbers, 8));
		uint8_t *exact = malloc(size);
		memcpy(exact, bytes, size);
		if (ph_sketch_read(&arena, exact, size, &back) == PH_OK)
		{
			PhSketchSteps steps;
			assert_int_equal(ph_sketch_steps(&arena, &back, 1, &steps), PH_OK);
			(void) ph_sketch_quantile(&steps, 0.5);
		}
		free(exact);
	}
}

/* Small where vectors are large: this is why runs are rolled up. */
static void
stays_small(void **state)
{
	(void) state;
	double *values = malloc(100000 * sizeof(double));
	uint8_t *bytes;
	size_t size;
	for (uint32_t kind = 0; kind < 5; kind++)
	{
		random_numbers(values, 100000, kind);
		PhSketch sketch = sketch_of(values, 100000);
		assert_true(sketch.n_negative + sketch.n_positive <= PH_SKETCH_BUCKETS);
		assert_int_equal(ph_sketch_write(&arena, &sketch, &bytes, &size), PH_OK);
		assert_true(size < 3000);
		if (kind < 2)
			assert_true(ph_sketch_relative_error(&sketch) < 0.00501);
	}
	random_numbers(values, 64, 0);
	PhSketch sketch = sketch_of(values, 64);
	assert_int_equal(ph_sketch_write(&arena, &sketch, &bytes, &size), PH_OK);
	assert_true(size < 120);
	free(values);
}

static void
knows_its_limits(void **state)
{
	(void) state;
	double values[] = {NAN, 3, NAN, -0.0, 1}, infinite = INFINITY;
	double extremes[] = {DBL_MAX, -DBL_MAX, 4.9e-324, -4.9e-324, 0, 1, 2, 3, 4,
						 5,		  6,		7,		  DBL_MIN,	 9, 8, 7, 5, -DBL_MAX};
	PhSketch sketch = sketch_of(values, 5);
	PhSketchSteps steps;
	assert_true(sketch.n == 3 && sketch.min == 0 && !signbit(sketch.min) && sketch.sum == 4);
	/* what is lost beside a large number is not lost in the end */
	sketch = sketch_of((double[]){1, 1e100, 1, -1e100}, 4);
	assert_true(sketch.sum == 2);
	assert_int_equal(ph_sketch_of(&arena, &infinite, 1, &sketch), PH_ERR_VALUE);
	sketch = sketch_of(values, 1);
	assert_true(sketch.n == 0 && isnan(ph_sketch_sd(&sketch, 1)));
	assert_int_equal(ph_sketch_steps(&arena, &sketch, 0, &steps), PH_OK);
	assert_true(isnan(ph_sketch_quantile(&steps, 0.5)));
	assert_int_equal(ph_sketch_steps(&arena, &sketch, 3, &steps), PH_OK);
	assert_true(ph_sketch_quantile(&steps, 0.5) == 0);
	sketch = sketch_of(extremes, 18);
	assert_int_equal(ph_sketch_steps(&arena, &sketch, 0, &steps), PH_OK);
	assert_true(ph_sketch_quantile(&steps, 0) == -DBL_MAX &&
				ph_sketch_quantile(&steps, 1) == DBL_MAX);
	assert_true(isnan(ph_sketch_quantile(&steps, 1.5)) && isnan(ph_sketch_quantile(&steps, NAN)));
}

static PhStatus
make_and_merge(PhEnv *of, void *user)
{
	PhArena work;
	PhSketch a, b, c;
	PhSketchSteps steps;
	uint64_t *counts;
	uint8_t *bytes;
	size_t size;
	PhStatus status;
	ph_arena_init(&work, of);
	status = ph_sketch_of(&work, user, 40, &a);
	if (status == PH_OK)
		status = ph_sketch_of(&work, user, 9, &b);
	if (status == PH_OK)
		status = ph_sketch_merge(&work, &a, &b, &c);
	if (status == PH_OK)
		status = ph_sketch_write(&work, &c, &bytes, &size);
	if (status == PH_OK)
		status = ph_sketch_read(&work, bytes, size, &a);
	if (status == PH_OK)
		status = ph_sketch_steps(&work, &a, 1, &steps);
	if (status == PH_OK)
		status = ph_sketch_histogram(&work, &steps, 5, &counts);
	ph_arena_drop(&work);
	return status;
}

static void
survives_faults(void **state)
{
	(void) state;
	double values[40];
	random_numbers(values, 40, 3);
	assert_string_equal(fault_env_try_allocations(make_and_merge, values, 0), "");
}

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
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(quantiles_are_as_near_as_it_says, set_up, tear_down),
		cmocka_unit_test_setup_teardown(merges_in_any_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(histograms_count_all, set_up, tear_down),
		cmocka_unit_test_setup_teardown(reads_what_it_wrote, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stays_small, set_up, tear_down),
		cmocka_unit_test_setup_teardown(knows_its_limits, set_up, tear_down),
		cmocka_unit_test(survives_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
