/*
 * test_iterations.c - costs by iteration on random profiles, against sums over all columns.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "profile/iterations.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/profile_case.h"
#include "support/rounds.h"

#define N_INPUTS rounds(2000)

/* What the columns of one iteration add up to, asked cell by cell. */
static PhIterationCost
slow_cost(const PhProfile *profile, int64_t iteration, uint32_t metric, uint32_t node)
{
	const PhMetric *of = &profile->metrics[metric];
	bool is_ratio = of->kind == PH_METRIC_RATIO;
	PhIterationCost cost = {.min = NAN, .max = NAN, .worst = PH_NONE};
	for (uint32_t c = 0; c < profile->n_columns; c++)
	{
		if (profile->columns[c].iteration != iteration)
			continue;
		bool present = ph_profile_is_present(profile, node, c);
		double value = ph_profile_cell(profile, metric, node, c, PH_COST_INCLUSIVE);
		cost.n_present += present;
		cost.divisor +=
			is_ratio ? ph_profile_cell(profile, of->denominator, node, c, PH_COST_INCLUSIVE) : 1;
		cost.sum +=
			is_ratio ? ph_profile_cell(profile, of->numerator, node, c, PH_COST_INCLUSIVE) : value;
		if ((is_ratio && !present) || isnan(value))
			continue;
		cost.min = fmin(cost.min, value);
		if (present && !(value <= cost.max))
			cost.worst = c;
		cost.max = fmax(cost.max, value);
	}
	cost.mean = cost.divisor == 0 ? NAN : cost.sum / cost.divisor;
	return cost;
}

static bool
same(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static uint32_t
check_metric(const PhProfile *profile, const PhIterations *iterations, uint32_t metric)
{
	PhIterationCost costs[MIXED_MOST_COLUMNS];
	uint32_t n_worst = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		ph_iterations_cost(profile, iterations, metric, node, PH_COST_INCLUSIVE, costs);
		for (uint32_t i = 0; i < iterations->n; i++)
		{
			PhIterationCost slow = slow_cost(profile, iterations->number[i], metric, node);
			assert_int_equal(costs[i].n_present, slow.n_present);
			assert_true(same(costs[i].mean, slow.mean));
			assert_true(same(costs[i].min, slow.min));
			if (slow.max > 0 || isnan(slow.max))
			{
				assert_true(same(costs[i].max, slow.max));
				assert_int_equal(costs[i].worst, slow.worst);
				n_worst++;
			}
		}
	}
	return n_worst;
}

static void
costs_are_those_of_all_columns(void **state)
{
	(void) state;
	uint32_t n_found = 0, n_worst = 0;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *profile = case_mixed(seed, true);
		PhArena arena;
		PhIterations iterations;
		ph_arena_init(&arena, &case_env);
		assert_int_equal(ph_iterations_find(&arena, profile, &iterations), PH_OK);
		for (uint32_t i = 1; i < iterations.n; i++)
			assert_true(iterations.number[i - 1] < iterations.number[i]);
		for (uint32_t c = 0; c < profile->n_columns; c++)
			if (profile->columns[c].iteration == PH_NO_ITERATION)
				assert_int_equal(iterations.place[c], PH_NONE);
			else
				assert_true(iterations.number[iterations.place[c]] ==
							profile->columns[c].iteration);
		for (uint32_t m = 0; m < profile->n_metrics; m++)
			n_worst += check_metric(profile, &iterations, m);
		n_found += iterations.n > 1;
		ph_arena_drop(&arena);
		ph_profile_free(&case_env, profile);
	}
	assert_true(n_found > met_in_rounds(100));
	assert_true(n_worst > met_in_rounds(1000));
}

static PhStatus
find_iterations(PhEnv *fault, void *user)
{
	PhArena arena;
	PhIterations iterations;
	ph_arena_init(&arena, fault);
	PhStatus status = ph_iterations_find(&arena, user, &iterations);
	ph_arena_drop(&arena);
	return status;
}

static void
finding_may_run_out_of_memory(void **state)
{
	(void) state;
	PhProfile *profile = case_mixed(31, false);
	assert_string_equal(fault_env_try_allocations(find_iterations, profile, 0), "");
	ph_profile_free(&case_env, profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(costs_are_those_of_all_columns, case_begin, case_end),
		cmocka_unit_test_setup_teardown(finding_may_run_out_of_memory, case_begin, case_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
