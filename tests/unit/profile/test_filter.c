/*
 * test_filter.c - laws of the filter on random profiles, against a slow reference.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/internal.h"
#include "profile/ops.h"
#include "support/mixed.h"
#include "support/profile_case.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_INPUTS rounds(2000)
#define CLOSE 1e-9

static double
cell(const PhProfile *profile, uint32_t metric, uint32_t node, uint32_t column, PhCost cost)
{
	return ph_profile_cell(profile, metric, node, column, cost);
}

/* Sum of one cost over all nodes in a column. */
static double
sum_of(const PhProfile *profile, uint32_t metric, uint32_t column, PhCost cost)
{
	double sum = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		sum += cell(profile, metric, node, column, cost);
	return sum;
}

static double
roots_of(const PhProfile *profile, uint32_t metric, uint32_t column)
{
	double sum = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node = profile->subtree_end[node])
		sum += cell(profile, metric, node, column, PH_COST_INCLUSIVE);
	return sum;
}

static bool
is_outermost(const PhProfile *profile, uint32_t node)
{
	const char *name = ph_profile_node_name(profile, node);
	for (uint32_t up = profile->parent[node]; up != PH_NONE; up = profile->parent[up])
		if (strcmp(ph_profile_node_name(profile, up), name) == 0)
			return false;
	return true;
}

/* What a node counts: the size of its mean, or its largest value, or 0. */
static double
weight_of(const PhProfile *profile, uint32_t node, PhStat stat, PhCost cost)
{
	double most = 0;
	if (stat == PH_STAT_MEAN)
		return fabs(ph_profile_mean(profile, MIXED_TIME, node, cost));
	for (uint32_t i = 0; i < profile->n_columns; i++)
		most = fmax(most, cell(profile, MIXED_TIME, node, i, cost));
	return most;
}

/* T(f) of the function of a node, by looking at every node. */
static double
function_total(const PhProfile *profile, const char *name, PhStat stat, PhCost cost)
{
	double total = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (strcmp(ph_profile_node_name(profile, node), name) == 0 &&
			(cost == PH_COST_EXCLUSIVE || is_outermost(profile, node)))
			total += weight_of(profile, node, stat, cost);
	return total;
}

static double
forest_total(const PhProfile *profile, PhStat stat)
{
	double total = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node = profile->subtree_end[node])
		total += weight_of(profile, node, stat, PH_COST_INCLUSIVE);
	return total;
}

/* Does a function have a node that is no root? Roots stay whatever they count. */
static bool
has_function(const PhProfile *profile, const char *name)
{
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (profile->parent[node] != PH_NONE &&
			strcmp(ph_profile_node_name(profile, node), name) == 0)
			return true;
	return false;
}

static void
compare_with_slow_filter(const PhProfile *profile, const PhProfile *filtered, double share,
						 PhStat stat, PhCost cost)
{
	double threshold = share * forest_total(profile, stat);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		const char *name = ph_profile_node_name(profile, node);
		double total = function_total(profile, name, stat, cost);
		if (profile->parent[node] != PH_NONE && !agree(total, threshold, 1e-9))
			assert_int_equal(has_function(filtered, name), total > threshold);
	}
}

static void
filter_keeps_totals_and_is_monotone_and_idempotent(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		Random random = {seed};
		PhProfile *profile = case_mixed(seed, true), *filtered, *again, *less;
		double share = random_unit(&random) * 0.5;
		PhCost cost = seed % 3 == 0 ? PH_COST_EXCLUSIVE : PH_COST_INCLUSIVE;
		assert_int_equal(
			ph_profile_filter(&case_env, profile, share, PH_STAT_MEAN, 0, cost, &filtered), PH_OK);
		case_sound(filtered);
		compare_with_slow_filter(profile, filtered, share, PH_STAT_MEAN, cost);
		for (uint32_t m = MIXED_TIME; m <= MIXED_COUNT; m++)
			for (uint32_t column = 0; column < profile->n_columns; column++)
			{
				assert_true(agree(sum_of(profile, m, column, PH_COST_OWN),
								  sum_of(filtered, m, column, PH_COST_OWN), CLOSE));
				assert_true(agree(roots_of(profile, m, column), roots_of(filtered, m, column), 0));
			}
		assert_true(same_bytes(&case_env, filtered->unfiltered, profile));
		assert_int_equal(
			ph_profile_filter(&case_env, filtered, share, PH_STAT_MEAN, 0, cost, &again), PH_OK);
		assert_int_equal(again->n_nodes, filtered->n_nodes);
		assert_memory_equal(again->metrics[0].exclusive, filtered->metrics[0].exclusive,
							ph_profile_cells(filtered) * sizeof(double));
		assert_true(same_bytes(&case_env, again->unfiltered, profile));
		assert_int_equal(
			ph_profile_filter(&case_env, profile, share / 2, PH_STAT_MEAN, 0, cost, &less), PH_OK);
		/* the kept functions, not the nodes, are a subset: splicing moves nodes */
		for (uint32_t node = 0; node < filtered->n_nodes; node++)
		{
			bool kept = false;
			for (uint32_t i = 0; i < less->n_nodes; i++)
				kept = kept || strcmp(ph_profile_node_name(filtered, node),
									  ph_profile_node_name(less, i)) == 0;
			assert_true(kept);
		}
		ph_profile_free(&case_env, less);
		ph_profile_free(&case_env, again);
		ph_profile_free(&case_env, filtered);
		ph_profile_free(&case_env, profile);
	}
}

/* The share at which a function's total is the threshold, but for rounding, keeps it. */
static void
filter_keeps_what_is_at_the_threshold(void **state)
{
	uint32_t n_rounded_up = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *profile = case_mixed(seed, seed % 2 == 0), *filtered;
		PhStat stat = seed % 3 == 0 ? PH_STAT_MAX : PH_STAT_MEAN;
		const char *name = ph_profile_node_name(profile, profile->n_nodes - 1);
		double total = function_total(profile, name, stat, PH_COST_INCLUSIVE);
		double share = total / forest_total(profile, stat);
		if (profile->parent[profile->n_nodes - 1] != PH_NONE && share > 0 && share <= 1)
		{
			assert_int_equal(ph_profile_filter(&case_env, profile, share, stat, MIXED_TIME,
											   PH_COST_INCLUSIVE, &filtered),
							 PH_OK);
			assert_true(has_function(filtered, name));
			compare_with_slow_filter(profile, filtered, share, stat, PH_COST_INCLUSIVE);
			n_rounded_up += share * forest_total(profile, stat) > total;
			ph_profile_free(&case_env, filtered);
		}
		ph_profile_free(&case_env, profile);
	}
	assert_true(n_rounded_up > met_in_rounds(10));
}

/* What became faster counts as much as what became slower. */
static void
filter_of_differences_goes_by_size(void **state)
{
	uint32_t n_faster = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS / 4; seed++)
	{
		Random random = {seed};
		PhProfile *a = case_mixed(seed, true), *b = case_mixed(seed + N_INPUTS, true);
		PhProfile *diff, *filtered;
		double share = random_unit(&random) * 0.5;
		PhCost cost = seed % 2 == 0 ? PH_COST_EXCLUSIVE : PH_COST_INCLUSIVE;
		assert_int_equal(ph_profile_diff(&case_env, a, b, &diff), PH_OK);
		assert_int_equal(
			ph_profile_filter(&case_env, diff, share, PH_STAT_MEAN, MIXED_TIME, cost, &filtered),
			PH_OK);
		case_sound(filtered);
		compare_with_slow_filter(diff, filtered, share, PH_STAT_MEAN, cost);
		for (uint32_t node = 0; node < filtered->n_nodes; node++)
			n_faster += filtered->parent[node] != PH_NONE &&
						ph_profile_mean(filtered, MIXED_TIME, node, cost) < 0;
		ph_profile_free(&case_env, filtered);
		ph_profile_free(&case_env, diff);
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
	assert_true(n_faster > N_INPUTS / 4);
}

static void
filter_of_nothing_keeps_all(void **state)
{
	(void) state;
	PhProfile *profile = case_mixed(8, false), *filtered;
	assert_int_equal(
		ph_profile_filter(&case_env, profile, 0, PH_STAT_MAX, 0, PH_COST_INCLUSIVE, &filtered),
		PH_OK);
	assert_int_equal(filtered->n_nodes, profile->n_nodes);
	assert_true(filtered->provenance.share_filtered == 0);
	ph_profile_free(&case_env, filtered);
	ph_profile_free(&case_env, profile);
}

/* A ratio has no whole: the time in it tells which functions matter. */
static void
filter_of_a_ratio_goes_by_its_time(void **state)
{
	(void) state;
	PhProfile *profile = case_mixed(8, false), *by_rate, *by_time;
	assert_int_equal(ph_profile_filter(&case_env, profile, 0.9, PH_STAT_MEAN, MIXED_RATE,
									   PH_COST_INCLUSIVE, &by_rate),
					 PH_OK);
	assert_int_equal(ph_profile_filter(&case_env, profile, 0.9, PH_STAT_MEAN, MIXED_TIME,
									   PH_COST_INCLUSIVE, &by_time),
					 PH_OK);
	case_sound(by_rate);
	assert_true(by_time->n_nodes < profile->n_nodes);
	assert_true(same_bytes(&case_env, by_rate, by_time));
	ph_profile_free(&case_env, by_rate);
	ph_profile_free(&case_env, by_time);
	ph_profile_free(&case_env, profile);
}

static void
filter_refuses_what_makes_no_sense(void **state)
{
	(void) state;
	PhProfile *profile = case_mixed(8, false), *out = NULL;
	const double shares[] = {-0.1, 1.1, NAN};
	for (int i = 0; i < 3; i++)
		assert_int_equal(ph_profile_filter(&case_env, profile, shares[i], PH_STAT_MEAN, 0,
										   PH_COST_INCLUSIVE, &out),
						 PH_ERR_VALUE);
	assert_int_equal(
		ph_profile_filter(&case_env, profile, 0.1, PH_STAT_MEAN, 99, PH_COST_INCLUSIVE, &out),
		PH_ERR_NOT_FOUND);
	assert_int_equal(ph_profile_filter(&case_env, profile, 0.1, PH_STAT_MEAN, MIXED_PEAK,
									   PH_COST_INCLUSIVE, &out),
					 PH_ERR_VALUE);
	assert_int_equal(
		ph_profile_filter(&case_env, profile, 0.1, PH_STAT_MEAN, 0, PH_COST_ABSORBED, &out),
		PH_ERR_VALUE);
	assert_null(out);
	ph_profile_free(&case_env, profile);
}

int
main(void)
{
#define FILTER_TEST(f) cmocka_unit_test_setup_teardown(f, case_begin, case_end)
	const struct CMUnitTest tests[] = {
		FILTER_TEST(filter_keeps_totals_and_is_monotone_and_idempotent),
		FILTER_TEST(filter_keeps_what_is_at_the_threshold),
		FILTER_TEST(filter_of_differences_goes_by_size),
		FILTER_TEST(filter_of_nothing_keeps_all),
		FILTER_TEST(filter_of_a_ratio_goes_by_its_time),
		FILTER_TEST(filter_refuses_what_makes_no_sense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
