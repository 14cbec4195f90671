/*
 * test_seconds.c - times in seconds: random profiles in random units of time have the same seconds.
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

#include "base/unit.h"
#include "profile/internal.h"
#include "profile/ops.h"
#include "profile/seconds.h"
#include "support/mixed.h"

static const char *const units[] = {"us", "ns", "ms", "usec", "MSEC", "min", "hours", "sec", "s"};

#define N_UNITS (sizeof(units) / sizeof(units[0]))

static void
assert_same_values(const PhProfile *a, const PhProfile *b)
{
	for (uint32_t m = 0; m < a->n_metrics; m++)
		for (uint32_t node = 0; node < a->n_nodes; node++)
			for (uint32_t column = 0; column < a->n_columns; column++)
				for (PhCost cost = PH_COST_INCLUSIVE; cost <= PH_COST_OWN; cost++)
					assert_true(agree(ph_profile_cell(a, m, node, column, cost),
									  ph_profile_cell(b, m, node, column, cost), 1e-12));
}

static void
units_of_time_become_seconds(void **unused)
{
	static Mixed mixed;
	PhEnv env;
	(void) unused;
	ph_env_init_malloc(&env);
	for (uint64_t seed = 1; seed <= 30; seed++)
	{
		const char *unit = units[seed % N_UNITS];
		PhProfile *profile, *other;
		PhUnitMeaning meaning;
		uint32_t where;
		assert_true(ph_unit_meaning(unit, &meaning));
		mixed_random(seed, false, &mixed);
		assert_int_equal(mixed_profile(&env, &mixed, NULL, &profile), PH_OK);
		assert_int_equal(ph_profile_with_unit(&env, profile, MIXED_TIME, unit, &other), PH_OK);
		assert_int_equal(ph_profile_to_seconds(&env, other), PH_OK);
		assert_int_equal(ph_profile_check(&env, other), PH_OK);
		assert_true(flow_holds(other, 1e-9, &where));
		assert_string_equal(ph_profile_string(other, other->metrics[MIXED_TIME].unit), "s");
		assert_string_equal(ph_profile_string(other, other->metrics[MIXED_RATE].unit),
							meaning.factor == 1 ? "1/s" : "count/s");
		assert_string_equal(ph_profile_string(other, other->metrics[MIXED_PEAK].unit), "bytes");
		assert_same_values(profile, other);
		ph_profile_free(&env, other);
		ph_profile_free(&env, profile);
		assert_int_equal(env.bytes, 0);
	}
}

/* 3 us are the float next to 0.000003 s, not one beside it. */
static void
whole_numbers_are_divided(void **unused)
{
	static Mixed mixed;
	PhEnv env;
	PhProfile *profile;
	(void) unused;
	ph_env_init_malloc(&env);
	mixed_random(7, true, &mixed);
	assert_int_equal(mixed_profile(&env, &mixed, NULL, &profile), PH_OK);
	const PhMetric *metric = &profile->metrics[MIXED_TIME];
	for (uint32_t i = 0; i < ph_profile_cells(profile); i++)
		metric->inclusive[i] = 1234567 + i;
	profile->strings[metric->unit] = "ns";
	assert_int_equal(ph_profile_to_seconds(&env, profile), PH_OK);
	for (uint32_t i = 0; i < ph_profile_cells(profile); i++)
		assert_true(metric->inclusive[i] == (1234567 + i) / 1e9);
	ph_profile_free(&env, profile);
	assert_int_equal(env.bytes, 0);
}

static void
too_large_values_are_refused(void **unused)
{
	static Mixed mixed;
	PhEnv env;
	PhProfile *profile;
	(void) unused;
	ph_env_init_malloc(&env);
	mixed_random(8, true, &mixed);
	assert_int_equal(mixed_profile(&env, &mixed, NULL, &profile), PH_OK);
	profile->metrics[MIXED_TIME].exclusive[0] = 1e306;
	profile->strings[profile->metrics[MIXED_TIME].unit] = "h";
	assert_int_equal(ph_profile_to_seconds(&env, profile), PH_ERR_VALUE);
	ph_profile_free(&env, profile);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_of_time_become_seconds),
		cmocka_unit_test(whole_numbers_are_divided),
		cmocka_unit_test(too_large_values_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
