/*
 * test_comparison.c - what a comparison says of two profiles: planted changes, and none.
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
#include "support/rounds.h"

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
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	a = make(&env, 10, 5, 3);
	b = make(&env, 18, 5.5, 3.5);
	assert_int_equal(ph_compare(&arena, &a, 1, &b, 1, &rule, &comparison), PH_OK);
	assert_true(fabs(comparison.test.difference - 9) < 1e-12);
	assert_string_equal(comparison.functions[0].name, "kernel");
	assert_true(comparison.functions[0].before == 10 && comparison.functions[0].after == 18);
	assert_true(fabs(comparison.mpi_before - 5.0 / 21) < 1e-12);
	assert_int_equal(comparison.test.verdict, PH_VERDICT_UNKNOWN);
	ph_comparison_free(&env, &comparison);
	ph_arena_drop(&arena);
	ph_profile_free(&env, a);
	ph_profile_free(&env, b);
}

/* A run and itself. */
static void
nothing_changes_of_random_profiles(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(500); seed++)
	{
		Mixed input;
		PhProfile *profile;
		PhComparison comparison;
		PhArena arena;
		PhEnv env;
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		mixed_random(seed, true, &input);
		assert_int_equal(mixed_profile(&env, &input, NULL, &profile), PH_OK);
		assert_int_equal(ph_compare(&arena, &profile, 1, &profile, 1, &rule, &comparison), PH_OK);
		assert_true(comparison.test.difference == 0);
		for (uint32_t i = 0; i < comparison.n_functions; i++)
			assert_true(comparison.functions[i].before == comparison.functions[i].after);
		assert_int_equal(comparison.n_only_before + comparison.n_only_after, 0);
		ph_comparison_free(&env, &comparison);
		ph_arena_drop(&arena);
		ph_profile_free(&env, profile);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_a_planted_change),
		cmocka_unit_test(nothing_changes_of_random_profiles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
