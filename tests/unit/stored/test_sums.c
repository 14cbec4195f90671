/*
 * test_sums.c - values that are sums of others to the bit are so again after a change of units.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/seconds.h"
#include "stored/sums.h"
#include "support/mixed.h"

static double
children_of(const PhProfile *profile, uint32_t metric, uint32_t node, uint32_t column)
{
	uint32_t children[MIXED_MOST_NODES], n = 0;
	double sum = 0;
	for (uint32_t c = node + 1; c < profile->subtree_end[node]; c = profile->subtree_end[c])
		children[n++] = c;
	while (n-- > 0)
		sum += ph_profile_cell(profile, metric, children[n], column, PH_COST_INCLUSIVE);
	return sum;
}

/* Bit 0: exclusive follows, bit 1: inclusive follows. */
static unsigned
what_follows(const PhProfile *profile, uint32_t metric, uint32_t node, uint32_t column)
{
	double children = children_of(profile, metric, node, column);
	double inclusive = ph_profile_cell(profile, metric, node, column, PH_COST_INCLUSIVE);
	double exclusive = ph_profile_cell(profile, metric, node, column, PH_COST_EXCLUSIVE);
	return (exclusive == fmax(inclusive - children, 0)) | (inclusive == exclusive + children) << 1;
}

/* To the bit, or as decimals: rounded as printed numbers are. */
static bool
follows(const PhProfile *profile, uint32_t metric, uint32_t node, uint32_t column)
{
	double children = children_of(profile, metric, node, column);
	double inclusive = ph_profile_cell(profile, metric, node, column, PH_COST_INCLUSIVE);
	double exclusive = ph_profile_cell(profile, metric, node, column, PH_COST_EXCLUSIVE);
	char sum[40], whole[40], rest[40], own[40];
	if (what_follows(profile, metric, node, column) != 0)
		return true;
	snprintf(sum, sizeof(sum), "%.13g", exclusive + children);
	snprintf(whole, sizeof(whole), "%.13g", inclusive);
	snprintf(rest, sizeof(rest), "%.9g", fmax(inclusive - children, 0));
	snprintf(own, sizeof(own), "%.9g", exclusive);
	return strcmp(sum, whole) == 0 || strcmp(rest, own) == 0;
}

static void
sums_outlast_a_factor(void **state)
{
	static Mixed mixed;
	PhEnv env;
	(void) state;
	ph_env_init_malloc(&env);
	uint32_t n_changed = 0;
	for (uint64_t seed = 1; seed <= 300; seed++)
	{
		PhProfile *before, *after;
		PhArena arena;
		PhSums sums;
		mixed_random(seed, false, &mixed);
		assert_int_equal(mixed_profile(&env, &mixed, NULL, &before), PH_OK);
		assert_int_equal(mixed_profile(&env, &mixed, NULL, &after), PH_OK);
		ph_arena_init(&arena, &env);
		assert_int_equal(ph_sums_find(&arena, after, &sums), PH_OK);
		assert_int_equal(ph_metric_scale(&env, after, MIXED_TIME, 1e-6), PH_OK);
		for (uint32_t node = 0; node < before->n_nodes; node++)
			for (uint32_t column = 0; column < before->n_columns; column++)
				n_changed += what_follows(after, MIXED_TIME, node, column) <
							 what_follows(before, MIXED_TIME, node, column);
		assert_int_equal(ph_sums_restore(&arena, after, sums), PH_OK);
		assert_int_equal(ph_profile_check(&env, after), PH_OK);
		for (uint32_t node = 0; node < before->n_nodes; node++)
			for (uint32_t column = 0; column < before->n_columns; column++)
			{
				unsigned was = what_follows(before, MIXED_TIME, node, column);
				if (!ph_profile_is_present(before, node, column))
					continue;
				if (was != 0)
					assert_true(follows(after, MIXED_TIME, node, column));
				for (PhCost cost = PH_COST_INCLUSIVE; cost <= PH_COST_EXCLUSIVE; cost++)
					assert_true(agree(
						ph_profile_cell(after, MIXED_TIME, node, column, cost),
						ph_profile_cell(before, MIXED_TIME, node, column, cost) * 1e-6, 1e-9));
			}
		ph_arena_drop(&arena);
		ph_profile_free(&env, before);
		ph_profile_free(&env, after);
	}
	assert_true(n_changed > 100); /* else nothing was tested */
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sums_outlast_a_factor)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
