/*
 * test_repeat_test.c - verdicts from repeats: known quantiles, known answers, honesty under noise.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "statistics/repeat_test.h"
#include "statistics/student_t.h"

static void
knows_student_quantiles(void **state)
{
	static const double table[][2] = {{1, 12.7062}, {2, 4.30265},  {3, 3.18245},  {4, 2.77645},
									  {5, 2.57058}, {10, 2.22814}, {30, 2.04227}, {1000, 1.96234}};
	(void) state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_true(fabs(ph_student_two_sided_quantile(0.05, table[i][0]) / table[i][1] - 1) <
					1e-3);
}

/* P(|T| <= t) by Simpson's rule: slow and sure. */
static double
probability(double t, double degrees)
{
	enum
	{
		STEPS = 2000
	};
	double h = t / STEPS;
	double sum = 1 + pow(1 + t * t / degrees, -(degrees + 1) / 2);
	for (int i = 1; i < STEPS; i++)
		sum += pow(1 + i * h * i * h / degrees, -(degrees + 1) / 2) * (i % 2 == 1 ? 4 : 2);
	return 2 * exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2)) / sqrt(degrees * M_PI) * sum *
		   h / 3;
}

static void
quantiles_of_fractional_degrees_are_right(void **state)
{
	(void) state;
	for (double degrees = 1; degrees < 60; degrees += 0.7)
		assert_true(
			fabs(probability(ph_student_two_sided_quantile(0.05, degrees), degrees) - 0.95) < 1e-3);
}

static void
gives_no_verdict_below_three(void **state)
{
	const double a[] = {1, 1, 1};
	const double b[] = {9, 9, 9};
	PhRepeatTest test;
	(void) state;
	ph_repeat_test(a, 2, b, 3, 0.02, &test);
	assert_int_equal(test.verdict, PH_VERDICT_UNKNOWN);
	assert_int_equal(test.repeats_needed, 3);
	ph_repeat_test(a, 1, b, 1, 0.02, &test);
	assert_int_equal(test.verdict, PH_VERDICT_UNKNOWN);
	assert_true(isnan(test.sd_a) && isnan(test.low));
	assert_true(test.difference == 8 && test.relative == 8);
}

static void
tells_clear_changes(void **state)
{
	const double a[] = {10.0, 10.1, 9.9};
	const double slower[] = {12.0, 12.1, 11.9};
	const double same[] = {10.01, 10.0, 10.02};
	const double near_a[] = {10.0, 10.01, 9.99};
	PhRepeatTest test;
	(void) state;
	ph_repeat_test(a, 3, slower, 3, 0.02, &test);
	assert_int_equal(test.verdict, PH_VERDICT_SLOWER);
	assert_true(fabs(test.relative - 0.2) < 1e-12);
	/* Welch by hand: se = 0.1 * sqrt(2/3), 4 degrees */
	assert_true(fabs((test.high - test.low) / 2 - 2.77645 * 0.1 * sqrt(2.0 / 3)) < 1e-4);
	assert_int_equal(test.repeats_needed, 0);
	ph_repeat_test(slower, 3, a, 3, 0.02, &test);
	assert_int_equal(test.verdict, PH_VERDICT_FASTER);
	ph_repeat_test(near_a, 3, same, 3, 0.02, &test);
	assert_int_equal(test.verdict, PH_VERDICT_SAME);
}

static void
asks_for_repeats_under_noise(void **state)
{
	const double a[] = {10, 12, 8};
	const double b[] = {11, 13, 9};
	PhRepeatTest test;
	(void) state;
	ph_repeat_test(a, 3, b, 3, 0.02, &test);
	assert_int_equal(test.verdict, PH_VERDICT_UNKNOWN);
	/* 1.96 * 2 * sqrt(2 / n) < 1: about 31 */
	assert_in_range(test.repeats_needed, 28, 36);
}

static void
handles_constant_and_zero_values(void **state)
{
	const double zero[] = {0, 0, 0};
	const double five[] = {5, 5, 5};
	PhRepeatTest test;
	(void) state;
	ph_repeat_test(five, 3, five, 3, 0.02, &test);
	assert_int_equal(test.verdict, PH_VERDICT_SAME);
	ph_repeat_test(zero, 3, five, 3, 0.02, &test);
	assert_int_equal(test.verdict, PH_VERDICT_SLOWER);
	assert_true(isnan(test.relative));
	ph_repeat_test(zero, 3, zero, 3, 0.02, &test);
	assert_int_equal(test.verdict, PH_VERDICT_SAME);
}

/* splitmix64 */
static uint64_t
next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static double
normal(uint64_t *state)
{
	double sum = 0;
	for (int i = 0; i < 12; i++)
		sum += (double) (next_random(state) >> 11) * 0x1p-53;
	return sum - 6;
}

/* Without a real difference, slower or faster must be said in about 5 % of cases at most. */
static void
rarely_cries_wolf(void **state)
{
	uint64_t random = 42;
	int wrong = 0;
	(void) state;
	for (int round = 0; round < 2000; round++)
	{
		double a[4], b[4];
		PhRepeatTest test;
		for (int i = 0; i < 4; i++)
		{
			a[i] = 100 + 5 * normal(&random);
			b[i] = 100 + 5 * normal(&random);
		}
		ph_repeat_test(a, 4, b, 4, 0, &test);
		wrong += test.verdict == PH_VERDICT_SLOWER || test.verdict == PH_VERDICT_FASTER;
	}
	assert_in_range(wrong, 40, 140);
}

/* One run against five: the five say how far runs scatter. */
static void
a_single_run_has_a_verdict_when_the_spread_is_known(void **state)
{
	const double a[] = {10.0, 10.1, 9.9, 10.05, 9.95};
	const double slower[] = {11.0};
	const double same[] = {10.02};
	const PhRepeatRule alone = {.margin = 0.02};
	const PhRepeatRule pooled = {.margin = 0.02, .pools = true};
	PhRepeatTest test;
	(void) state;
	ph_repeat_test_by(a, 5, slower, 1, &alone, &test);
	assert_int_equal(test.verdict, PH_VERDICT_UNKNOWN);
	ph_repeat_test_by(a, 5, slower, 1, &pooled, &test);
	assert_int_equal(test.verdict, PH_VERDICT_SLOWER);
	/* by hand: sd of a, 4 degrees, 1 / 5 + 1 */
	assert_true(fabs(test.degrees - 4) < 1e-12 && isnan(test.sd_b));
	assert_true(fabs((test.high - test.low) / 2 - 2.776445 * test.sd_a * sqrt(1.2)) < 1e-6);
	ph_repeat_test_by(a, 5, same, 1, &pooled, &test);
	assert_int_equal(test.verdict, PH_VERDICT_UNKNOWN);
	assert_in_range(test.repeats_needed, 3, 10);
	/* four of them are too few to know it */
	ph_repeat_test_by(a, 4, slower, 1, &pooled, &test);
	assert_int_equal(test.verdict, PH_VERDICT_UNKNOWN);
	assert_int_equal(test.repeats_needed, PH_MIN_REPEATS);
}

static void
known_noise_judges_single_runs(void **state)
{
	const double a[] = {100}, b[] = {103}, far[] = {110};
	PhRepeatRule rule = {.margin = 0.02, .pools = true, .known_spread = 0.01, .known_degrees = 20};
	PhRepeatTest test;
	(void) state;
	ph_repeat_test_by(a, 1, b, 1, &rule, &test);
	assert_true(fabs(test.high - test.difference - 2.085963 * sqrt(2)) < 1e-5);
	assert_int_equal(test.verdict, PH_VERDICT_SLOWER);
	rule.known_spread = 0.04;
	ph_repeat_test_by(a, 1, b, 1, &rule, &test);
	assert_int_equal(test.verdict, PH_VERDICT_UNKNOWN);
	assert_in_range(test.repeats_needed, 8, 40);
	rule.known_degrees = 1;
	ph_repeat_test_by(a, 1, far, 1, &rule, &test);
	assert_int_equal(test.verdict, PH_VERDICT_UNKNOWN);
	assert_true(isnan(test.low));
}

/* Amounts of work: what is told of them is told for certain. */
static void
a_strict_rule_wants_the_whole_interval(void **state)
{
	const double a[] = {1000.0, 1000.1, 999.9, 1000.0};
	const double more[] = {1002.0, 1002.1, 1001.9, 1002.0};
	const double hardly[] = {1001.1, 1001.2, 1001.0, 1001.1};
	const double counted[] = {7, 7, 7};
	const double once_more[] = {8, 8, 8};
	const PhRepeatRule strict = {.margin = 0.001, .confidence = 0.99, .is_strict = true};
	const PhRepeatRule lax = {.margin = 0.001, .confidence = 0.99};
	PhRepeatTest test;
	(void) state;
	ph_repeat_test_by(a, 4, more, 4, &strict, &test);
	assert_int_equal(test.verdict, PH_VERDICT_SLOWER);
	ph_repeat_test_by(more, 4, a, 4, &strict, &test);
	assert_int_equal(test.verdict, PH_VERDICT_FASTER);
	ph_repeat_test_by(a, 4, hardly, 4, &lax, &test);
	assert_int_equal(test.verdict, PH_VERDICT_SLOWER);
	ph_repeat_test_by(a, 4, hardly, 4, &strict, &test);
	assert_int_equal(test.verdict, PH_VERDICT_UNKNOWN);
	assert_true(test.repeats_needed > 4);
	ph_repeat_test_by(counted, 3, counted, 3, &strict, &test);
	assert_int_equal(test.verdict, PH_VERDICT_SAME);
	ph_repeat_test_by(counted, 3, once_more, 3, &strict, &test);
	assert_int_equal(test.verdict, PH_VERDICT_SLOWER);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_student_quantiles),
		cmocka_unit_test(quantiles_of_fractional_degrees_are_right),
		cmocka_unit_test(gives_no_verdict_below_three),
		cmocka_unit_test(tells_clear_changes),
		cmocka_unit_test(asks_for_repeats_under_noise),
		cmocka_unit_test(handles_constant_and_zero_values),
		cmocka_unit_test(rarely_cries_wolf),
		cmocka_unit_test(a_single_run_has_a_verdict_when_the_spread_is_known),
		cmocka_unit_test(known_noise_judges_single_runs),
		cmocka_unit_test(a_strict_rule_wants_the_whole_interval),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
