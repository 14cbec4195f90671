/*
 * test_exact_sum.c - exact sums are the same in any order, and those beyond doubles stay small.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "profile/exact_sum.h"

#define MOST 200

static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static double
sum_of(const double *values, size_t n)
{
	PhExactSum sum;

	ph_exact_reset(&sum);
	for (size_t i = 0; i < n; i++)
		ph_exact_add(&sum, values[i]);
	return ph_exact_value(&sum);
}

/* Of any magnitude and sign. */
static double
any_value(uint64_t *state)
{
	double value = ldexp((double) (next(state) >> 11), (int) (next(state) % 1800) - 950);

	return next(state) % 2 == 0 ? value : -value;
}

static void
order_does_not_matter(void **unused)
{
	uint64_t state = 42;
	double values[MOST];

	(void) unused;
	for (int round = 0; round < 2000; round++)
	{
		size_t n = 1 + next(&state) % MOST;

		for (size_t i = 0; i < n; i++)
			values[i] = any_value(&state);
		double before = sum_of(values, n);
		for (size_t i = n - 1; i > 0; i--)
		{
			size_t other = next(&state) % (i + 1);
			double value = values[i];

			values[i] = values[other];
			values[other] = value;
		}
		assert_true(sum_of(values, n) == before);
	}
}

static void
what_is_lost_comes_back(void **unused)
{
	const double values[] = {1e300, 1, -1e300, 1e-300, -1};

	(void) unused;
	assert_true(sum_of(values, 5) == 1e-300);
}

/* Single bits that are not next to each other: more of them than a sum has parts. */
static void
many_parts_of_few_bits(void **unused)
{
	PhExactSum sum;

	(void) unused;
	ph_exact_reset(&sum);
	for (int bit = -1000; bit < 1000; bit += 2)
	{
		ph_exact_add(&sum, ldexp(1, bit));
		assert_true(sum.n < PH_EXACT_PARTS);
	}
	for (int bit = -998; bit < 1000; bit += 2)
		ph_exact_add(&sum, -ldexp(1, bit));
	assert_true(ph_exact_value(&sum) == ldexp(1, -1000));
}

/* More addends than there are parts. */
static void
infinite_sums_have_one_part(void **unused)
{
	PhExactSum sum;

	(void) unused;
	ph_exact_reset(&sum);
	for (int i = 0; i < 1000; i++)
	{
		ph_exact_add(&sum, i % 3 == 0 ? 1e-200 : DBL_MAX);
		assert_in_range(sum.n, 1, 2);
	}
	assert_true(isinf(ph_exact_value(&sum)));
	for (int i = 0; i < 1000; i++)
	{
		ph_exact_add(&sum, -INFINITY);
		assert_int_equal(sum.n, 1);
	}
	assert_true(isnan(ph_exact_value(&sum)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_does_not_matter), cmocka_unit_test(what_is_lost_comes_back),
		cmocka_unit_test(many_parts_of_few_bits), cmocka_unit_test(infinite_sums_have_one_part)};
	return cmocka_run_group_tests_name("exact sums", tests, NULL, NULL);
}
