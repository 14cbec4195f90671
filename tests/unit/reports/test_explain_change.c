/*
 * test_explain_change.c - the smallest subtree behind a change: planted changes and sums that add
 * up.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "profile/builder.h"
#include "profile/ops.h"
#include "reports/comparison.h"
#include "support/mixed.h"

static const PhRepeatRule rule = {.margin = 0.02};

/* main -> { solve -> { kernel, MPI_Wait }, output }, own costs as given. */
static PhProfile *
make(PhEnv *env, double kernel, double wait, double output)
{
	static const char *const names[] = {"main", "solve", "kernel", "MPI_Wait", "output"};
	const uint32_t parents[] = {PH_NONE, 0, 1, 1, 0};
	const double own[] = {1, 2, kernel, wait, output};
	const PhMetricSpec time = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	const PhColumnSpec rank = {.iteration = PH_NO_ITERATION, .thread = PH_NO_NUMBER};
	PhProfileBuilder *builder;
	PhProfile *profile;
	uint32_t metric, column, nodes[5];
	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &time, &metric), PH_OK);
	assert_int_equal(ph_builder_add_column(builder, &rank, &column), PH_OK);
	for (int i = 0; i < 5; i++)
	{
		const PhRegionSpec spec = {.name = names[i], .line = PH_NO_NUMBER};
		uint32_t region;
		assert_int_equal(ph_builder_add_region(builder, &spec, &region), PH_OK);
		assert_int_equal(ph_builder_add_node(builder,
											 parents[i] == PH_NONE ? PH_NONE : nodes[parents[i]],
											 region, &nodes[i]),
						 PH_OK);
		assert_int_equal(
			ph_builder_add_value(builder, metric, nodes[i], column, PH_COST_EXCLUSIVE, own[i]),
			PH_OK);
	}
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	return profile;
}

static void
finds_a_planted_change(void **state)
{
	PhEnv env;
	PhArena arena;
	PhComparison comparison;
	PhProfile *a, *b;
	const PhExplanation *explanation = &comparison.explanation;
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	a = make(&env, 10, 5, 3);
	b = make(&env, 18, 5.5, 3.5);
	assert_int_equal(ph_compare(&arena, &a, 1, &b, 1, &rule, &comparison), PH_OK);
	assert_true(fabs(explanation->total - 9) < 1e-12);
	assert_int_equal(explanation->n_path, 3);
	assert_string_equal(ph_profile_node_name(comparison.difference, explanation->path[2]),
						"kernel");
	assert_true(fabs(explanation->subtree - 8) < 1e-12);
	assert_true(fabs(explanation->elsewhere - 1) < 1e-12);
	assert_string_equal(comparison.functions[0].name, "kernel");
	assert_true(comparison.functions[0].before == 10 && comparison.functions[0].after == 18);
	assert_true(fabs(comparison.mpi_before - 5.0 / 21) < 1e-12);
	assert_int_equal(comparison.test.verdict, PH_VERDICT_UNKNOWN);
	ph_comparison_free(&env, &comparison);
	ph_arena_drop(&arena);
	ph_profile_free(&env, a);
	ph_profile_free(&env, b);
}

static void
stops_where_a_change_is_spread(void **state)
{
	PhEnv env;
	PhArena arena;
	PhComparison comparison;
	PhProfile *a, *b;
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	a = make(&env, 10, 5, 3);
	b = make(&env, 12, 7, 3);
	assert_int_equal(ph_compare(&arena, &a, 1, &b, 1, &rule, &comparison), PH_OK);
	/* both children of solve slowed down alike: solve is the answer */
	assert_int_equal(comparison.explanation.n_path, 2);
	assert_int_equal(comparison.explanation.n_parts, 3);
	assert_true(fabs(comparison.explanation.parts[0].change - 2) < 1e-12);
	ph_comparison_free(&env, &comparison);
	assert_int_equal(ph_compare(&arena, &a, 1, &a, 1, &rule, &comparison), PH_OK);
	assert_int_equal(comparison.explanation.n_path, 0);
	assert_true(comparison.explanation.total == 0);
	ph_comparison_free(&env, &comparison);
	ph_arena_drop(&arena);
	ph_profile_free(&env, a);
	ph_profile_free(&env, b);
}

/* Attributions add up, each step of the path explains enough of its parent, no sibling would do. */
static void
check_explanation(const PhProfile *difference, const PhExplanation *explanation)
{
	double scale = fabs(explanation->total), sum = 0, before = explanation->total;
	for (uint32_t i = 0; i < explanation->n_parts; i++)
	{
		sum += explanation->parts[i].change;
		scale += fabs(explanation->parts[i].change);
	}
	assert_true(fabs(sum - explanation->subtree) <= 1e-9 * scale);
	assert_true(fabs(explanation->subtree + explanation->elsewhere - explanation->total) <=
				1e-9 * scale);
	for (uint32_t i = 0; i < explanation->n_path; i++)
	{
		double change = ph_profile_mean(difference, 0, explanation->path[i], PH_COST_INCLUSIVE);
		assert_int_equal(difference->parent[explanation->path[i]],
						 i == 0 ? PH_NONE : explanation->path[i - 1]);
		assert_true(change / before >= PH_EXPLAIN_OF_PARENT);
		assert_true(change / explanation->total >= PH_EXPLAIN_OF_TOTAL);
		before = change;
	}
}

static void
adds_up_on_random_profiles(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < 2000; seed++)
	{
		Mixed inputs[2];
		PhProfile *profiles[2], *difference;
		PhExplanation explanation;
		PhArena arena;
		PhEnv env;
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		for (int i = 0; i < 2; i++)
		{
			mixed_random(seed * 2 + (uint64_t) i, true, &inputs[i]);
			assert_int_equal(mixed_profile(&env, &inputs[i], NULL, &profiles[i]), PH_OK);
		}
		assert_int_equal(ph_profile_diff(&env, profiles[0], profiles[1], &difference), PH_OK);
		assert_int_equal(ph_explain_change(&arena, difference, 0, &explanation), PH_OK);
		check_explanation(difference, &explanation);
		ph_arena_drop(&arena);
		for (int i = 0; i < 2; i++)
			ph_profile_free(&env, profiles[i]);
		ph_profile_free(&env, difference);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_a_planted_change),
		cmocka_unit_test(stops_where_a_change_is_spread),
		cmocka_unit_test(adds_up_on_random_profiles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
