/*
 * test_run_numbers.c - numbers of a whole run as metrics: where they stand, and what stays as it
 * was.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/numbers.h"
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

static const PhProfileNumber numbers[] = {
	{"bandwidth", "GB/s", 12.5}, {"time", "s", 99}, {"bandwidth", "GB/s", 3}, {"drift", "", -1}};

/* Of small.cali: main is the only root. */
static void
test_added(void **state)
{
	PhEnv env;
	PhRunInput run;
	PhProfile *more;
	(void) state;
	must_read(&env, DATA "small.cali", &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(ph_profile_with_numbers(&env, profile, 4, numbers, &more), PH_OK);
	assert_int_equal(ph_profile_check(&env, more), PH_OK);
	assert_int_equal(more->n_metrics, profile->n_metrics + 2);
	for (uint32_t node = 0; node < more->n_nodes; node++)
		for (uint32_t column = 0; column < more->n_columns; column++)
			for (int cost = PH_COST_EXCLUSIVE; cost <= PH_COST_INCLUSIVE; cost++)
			{
				bool here =
					ph_profile_is_present(more, node, column) && more->parent[node] == PH_NONE;
				double bandwidth = ph_profile_cell(more, 1, node, column, (PhCost) cost);
				assert_true(!here || bandwidth == 12.5);
				assert_true(here || bandwidth == 0 || isnan(bandwidth));
				double old = ph_profile_cell(profile, 0, node, column, (PhCost) cost);
				double kept = ph_profile_cell(more, 0, node, column, (PhCost) cost);
				assert_true(old == kept || (isnan(old) && isnan(kept)));
			}
	assert_int_equal(more->metrics[1].kind, PH_METRIC_VALUE);
	assert_true(more->metrics[2].is_signed);
	ph_profile_free(&env, more);
	done(&env, &run);
}

static void
add_root(PhProfileBuilder *builder, const char *name, double value)
{
	PhRegionSpec spec = {.kind = PH_KIND_REGION, .name = name, .line = PH_NO_NUMBER};
	uint32_t region, node;
	assert_int_equal(ph_builder_add_region(builder, &spec, &region), PH_OK);
	assert_int_equal(ph_builder_add_node(builder, PH_NONE, region, &node), PH_OK);
	assert_int_equal(ph_builder_add_value(builder, 0, node, 0, PH_COST_EXCLUSIVE, value), PH_OK);
}

static void
test_dearest_root(void **state)
{
	PhMetricSpec time = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	PhColumnSpec unit = {.kind = PH_COLUMN_UNIT,
						 .iteration = PH_NO_ITERATION,
						 .rank = PH_NO_NUMBER,
						 .thread = PH_NO_NUMBER};
	PhProfileBuilder *builder;
	PhProfile *profile, *more;
	uint32_t index;
	PhEnv env;
	(void) state;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_builder_new(&env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &time, &index), PH_OK);
	assert_int_equal(ph_builder_add_column(builder, &unit, &index), PH_OK);
	add_root(builder, "a", 1);
	add_root(builder, "main", 7);
	add_root(builder, "z", 2);
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	assert_int_equal(ph_profile_with_numbers(&env, profile, 1, numbers, &more), PH_OK);
	check_cost(more, "bandwidth", "[\"main\"]", 0, 12.5, 12.5);
	check_cost(more, "bandwidth", "[\"a\"]", 0, 0, 0);
	ph_profile_free(&env, more);
	ph_profile_free(&env, profile);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_added),
									   cmocka_unit_test(test_dearest_root)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
