/*
 * test_two_sample.c - correlation and rank tests against plain counting.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "statistics/two_sample.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_VECTORS rounds(2000)

static RandomNumbers numbers = {99};
static PhEnv env;
static PhArena arena;

static void
assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * (1 + fabs(expected))))
		fail_msg("%.17g, expected %.17g", value, expected);
}

/* Few distinct values, or all distinct. */
static void
random_values(double *values, uint32_t n, bool distinct)
{
	for (uint32_t i = 0; i < n; i++)
		values[i] = distinct ? numbers_below(&numbers, 1u << 30) : numbers_below(&numbers, 6);
}

/* Share of all divisions into n_a and n_b whose U is as far from the middle. */
static double
count_divisions(const double *all, uint32_t n_a, uint32_t n_b, double u)
{
	uint32_t n = n_a + n_b, extreme = 0, divisions = 0;
	double middle = n_a * n_b / 2.0;
	for (uint32_t set = 0; set < 1u << n; set++)
	{
		double count = 0;
		if ((uint32_t) __builtin_popcount(set) != n_b)
			continue;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t k = 0; k < n; k++)
				count += (set >> i & 1) && !(set >> k & 1) && all[i] > all[k];
		divisions++;
		extreme += fabs(count - middle) >= fabs(u - middle);
	}
	return (double) extreme / divisions;
}

static void
ranks_as_plain_counting_does(void **state)
{
	(void) state;
	for (uint32_t round = 0; round < N_VECTORS; round++)
	{
		double all[20], u = 0;
		uint32_t n_a = 1 + numbers_below(&numbers, 5), n_b = 1 + numbers_below(&numbers, 5);
		bool distinct = round % 2 == 0, ties = false;
		PhMannWhitney test;
		random_values(all, n_a + n_b, distinct);
		for (uint32_t i = 0; i < n_a + n_b; i++)
			for (uint32_t k = 0; k < i; k++)
				ties = ties || all[i] == all[k];
		for (uint32_t i = 0; i < n_a; i++)
			for (uint32_t k = 0; k < n_b; k++)
				u += all[n_a + k] > all[i] ? 1 : all[n_a + k] == all[i] ? 0.5 : 0;
		assert_int_equal(ph_mann_whitney(&arena, all, n_a, all + n_a, n_b, &test), PH_OK);
		assert_near(test.u, u);
		assert_near(test.share, u / n_a / n_b);
		assert_near(test.effect, 2 * u / n_a / n_b - 1);
		assert_int_equal(test.is_exact, !ties);
		assert_true(test.p >= 0 && test.p <= 1);
		if (!ties && round % 20 == 0)
			assert_near(test.p, count_divisions(all, n_a, n_b, u));
		ph_arena_drop(&arena);
	}
}

/* The exact test is near the normal law, which is what larger samples get. */
static void
exact_and_normal_meet(void **state)
{
	(void) state;
	for (uint32_t round = 0; round < 200; round++)
	{
		double a[41], b[21];
		uint32_t n_b = round % 2 == 0 ? 20 : 21; /* 41 values are too many for the exact test */
		PhMannWhitney test;
		random_values(a, 20, true);
		random_values(b, n_b, true);
		for (uint32_t i = 20; i < 41; i++)
			a[i] = (double) NAN;
		assert_int_equal(ph_mann_whitney(&arena, a, 41, b, n_b, &test), PH_OK);
		assert_int_equal(test.n_a, 20);
		assert_int_equal(test.is_exact, n_b == 20);
		double sd = sqrt(20.0 * n_b * (21 + n_b) / 12);
		double distance = fmax(fabs(test.u - 10.0 * n_b) - 0.5, 0);
		assert_true(fabs(test.p - erfc(distance / sd / sqrt(2))) < (test.is_exact ? 0.01 : 1e-12));
		ph_arena_drop(&arena);
	}
}

/* Ranks by counting, Pearson's formula on them. */
static void
correlates_as_plain_sums_do(void **state)
{
	(void) state;
	for (uint32_t round = 0; round < N_VECTORS; round++)
	{
		double v[2][30], ranks[2][30], r[2];
		uint32_t n = 3 + numbers_below(&numbers, 27);
		PhCorrelation found;
		random_values(v[0], n, round % 2 == 0);
		random_values(v[1], n, round % 3 == 0);
		for (uint32_t side = 0; side < 2; side++)
			for (uint32_t i = 0; i < n; i++)
			{
				ranks[side][i] = 0.5;
				for (uint32_t k = 0; k < n; k++)
					ranks[side][i] += v[side][k] < v[side][i]	 ? 1
									  : v[side][k] == v[side][i] ? 0.5
																 : 0;
			}
		for (uint32_t of_ranks = 0; of_ranks < 2; of_ranks++)
		{
			double(*x)[30] = of_ranks ? ranks : v;
			long double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
			for (uint32_t i = 0; i < n; i++)
			{
				a += x[0][i], b += x[1][i];
				aa += (long double) x[0][i] * x[0][i], bb += (long double) x[1][i] * x[1][i];
				ab += (long double) x[0][i] * x[1][i];
			}
			long double p = n * aa - a * a, q = n * bb - b * b;
			r[of_ranks] = p > 0 && q > 0 ? (double) ((n * ab - a * b) / sqrtl(p) / sqrtl(q)) : NAN;
		}
		assert_int_equal(ph_correlation(&arena, v[0], v[1], n, &found), PH_OK);
		if (isnan(r[0]))
			assert_true(isnan(found.pearson) && isnan(found.spearman) && isnan(found.pearson_p));
		else
		{
			assert_true(fabs(found.pearson - r[0]) < 1e-7);
			assert_true(fabs(found.spearman - r[1]) < 1e-9);
			assert_true(found.pearson_p >= 0 && found.pearson_p <= 1);
		}
		ph_arena_drop(&arena);
	}
}

static void
knows_its_limits(void **state)
{
	const double x[] = {1, 2, 3, NAN}, y[] = {2, 4, 6, 1};
	PhCorrelation found;
	PhMannWhitney test;
	(void) state;
	assert_int_equal(ph_correlation(&arena, x, y, 4, &found), PH_OK);
	assert_int_equal(found.n, 3);
	assert_near(found.pearson, 1);
	assert_near(found.spearman, 1);
	assert_true(found.pearson_p < 1e-6);
	assert_int_equal(ph_correlation(&arena, x, y, 2, &found), PH_OK);
	assert_true(isnan(found.pearson));
	assert_int_equal(ph_mann_whitney(&arena, x, 3, y, 0, &test), PH_OK);
	assert_true(isnan(test.p) && isnan(test.u) && test.n_b == 0);
}

static PhStatus
test_both(PhEnv *fault, void *user)
{
	PhArena own;
	PhCorrelation found;
	PhMannWhitney test;
	double *values = user;
	ph_arena_init(&own, fault);
	PhStatus status = ph_correlation(&own, values, values + 10, 10, &found);
	if (status == PH_OK)
		status = ph_mann_whitney(&own, values, 10, values + 10, 10, &test);
	ph_arena_drop(&own);
	return status;
}

static void
survives_faults(void **state)
{
	double values[20];
	(void) state;
	random_values(values, 20, true);
	assert_string_equal(fault_env_try_allocations(test_both, values, 0), "");
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
		cmocka_unit_test_setup_teardown(ranks_as_plain_counting_does, set_up, tear_down),
		cmocka_unit_test_setup_teardown(exact_and_normal_meet, set_up, tear_down),
		cmocka_unit_test_setup_teardown(correlates_as_plain_sums_do, set_up, tear_down),
		cmocka_unit_test_setup_teardown(knows_its_limits, set_up, tear_down),
		cmocka_unit_test(survives_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
