/*
 * test_variance.c - shares of variance on random groups, against sums over pairs of elements.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "statistics/variance.h"
#include "support/fault_env.h"
#include "support/forest.h"
#include "support/profile_case.h"
#include "support/rounds.h"

#define N_INPUTS rounds(3000)
#define MOST 40

typedef struct Sample
{
	uint32_t n, n_groups;
	double values[MOST];
	uint32_t groups[MOST];
} Sample;

/* Whole numbers around a large mean, with gaps; in some inputs one group lies higher. */
static Sample
random_sample(uint64_t seed)
{
	Random random = {seed};
	Sample sample = {.n = random_below(&random, MOST), .n_groups = 1 + random_below(&random, 6)};
	uint32_t higher = random_below(&random, 12);
	for (uint32_t i = 0; i < sample.n; i++)
	{
		uint32_t group = random_below(&random, sample.n_groups + 1);
		sample.groups[i] = group == sample.n_groups ? PH_NONE : group;
		sample.values[i] = 1e6 + random_below(&random, 10) + (group == higher ? 20 : 0);
		if (random_below(&random, 15) == 0)
			sample.values[i] = NAN;
	}
	return sample;
}

/*
 * The sum of squares around the mean of some elements, which is that of the differences of all
 * their pairs by their number. group PH_NONE: of all.
 */
static double
squares_of(const Sample *sample, uint32_t group, uint32_t *n)
{
	double sum = 0;
	*n = 0;
	for (uint32_t i = 0; i < sample->n; i++)
	{
		if (sample->groups[i] == PH_NONE || isnan(sample->values[i]) ||
			(group != PH_NONE && sample->groups[i] != group))
			continue;
		(*n)++;
		for (uint32_t k = 0; k < i; k++)
			if (sample->groups[k] != PH_NONE && !isnan(sample->values[k]) &&
				(group == PH_NONE || sample->groups[k] == group))
				sum += (sample->values[i] - sample->values[k]) *
					   (sample->values[i] - sample->values[k]);
	}
	return *n > 0 ? sum / *n : 0;
}

static void
shares_are_those_of_pairs(void **state)
{
	(void) state;
	uint32_t n_known = 0, n_planted = 0;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		Sample sample = random_sample(seed);
		PhArena arena;
		PhVarianceShare share;
		uint32_t n, n_in, n_groups = 0;
		double all = squares_of(&sample, PH_NONE, &n), within = 0;
		for (uint32_t g = 0; g < sample.n_groups; g++)
		{
			within += squares_of(&sample, g, &n_in);
			n_groups += n_in > 0;
		}
		ph_arena_init(&arena, &case_env);
		assert_int_equal(ph_variance_explain(&arena, sample.values, sample.groups, sample.n,
											 sample.n_groups, &share),
						 PH_OK);
		assert_int_equal(share.n, n);
		assert_int_equal(share.n_groups, n_groups);
		assert_int_equal(!isnan(share.share), n_groups >= 2 && n > n_groups && all > 0);
		if (!isnan(share.share))
		{
			assert_true(fabs(share.share - (1 - within / all)) < 1e-9);
			assert_true(share.adjusted >= 0 && share.adjusted <= share.share + 1e-12);
			assert_true(share.p_value >= 0 && share.p_value <= 1);
			assert_true(share.extreme_share <= share.share + 1e-9);
			n_known++;
			n_planted += share.p_value < 1e-6;
		}
		ph_arena_drop(&arena);
	}
	assert_true(n_known > met_in_rounds(1000));
	assert_true(n_planted > met_in_rounds(300));
}

/* By R: oneway.test(v ~ g, var.equal = TRUE): F = 150, 1 and 4 degrees, p = 0.000255. */
static void
known_answers(void **state)
{
	(void) state;
	const double values[] = {1, 1.1, 0.9, 2, 2.1, 1.9}, same[] = {3, 3, 3, 3, 3, 3};
	const double apart[] = {1, 1, 1, 2, 2, 2};
	const uint32_t groups[] = {0, 0, 0, 1, 1, 1};
	PhArena arena;
	PhVarianceShare share;
	ph_arena_init(&arena, &case_env);
	assert_int_equal(ph_variance_explain(&arena, values, groups, 6, 2, &share), PH_OK);
	assert_true(fabs(share.share - 1.5 / 1.54) < 1e-12);
	assert_true(fabs(share.p_value - 0.000255) < 1e-6);
	assert_true(fabs(share.mean_in - 1) < 1e-12 && fabs(share.mean_out - 2) < 1e-12);
	assert_int_equal(share.n_in, 3);
	assert_int_equal(ph_variance_explain(&arena, apart, groups, 6, 2, &share), PH_OK);
	assert_true(share.share == 1 && share.p_value == 0);
	assert_int_equal(ph_variance_explain(&arena, same, groups, 6, 2, &share), PH_OK);
	assert_true(isnan(share.share));
	ph_arena_drop(&arena);
}

static PhStatus
explain_some(PhEnv *fault, void *user)
{
	const Sample *sample = user;
	PhArena arena;
	PhVarianceShare share;
	ph_arena_init(&arena, fault);
	PhStatus status = ph_variance_explain(&arena, sample->values, sample->groups, sample->n,
										  sample->n_groups, &share);
	ph_arena_drop(&arena);
	return status;
}

static void
explaining_may_run_out_of_memory(void **state)
{
	(void) state;
	Sample sample = random_sample(5);
	assert_string_equal(fault_env_try_allocations(explain_some, &sample, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(shares_are_those_of_pairs, case_begin, case_end),
		cmocka_unit_test_setup_teardown(known_answers, case_begin, case_end),
		cmocka_unit_test_setup_teardown(explaining_may_run_out_of_memory, case_begin, case_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
