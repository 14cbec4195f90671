/*
 * test_formula.c - formulas of derived metrics and units: what is read, what is refused, and that
 * values of a whole are those of the formula over sums.
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

#include "base/unit.h"
#include "metrics/derived_metric.h"
#include "metrics/formula.h"
#include "profile/ops.h"
#include "support/mixed.h"

/* The formula's value where a, b and c are these. */
static double
evaluate(const PhFormula *formula, double a, double b, double c)
{
	double over = 0, under = formula->constant;
	for (uint32_t i = 0; i < formula->n_names; i++)
	{
		double value = formula->names[i][0] == 'a' ? a : formula->names[i][0] == 'b' ? b : c;
		over += formula->over[i] * value;
		under += formula->under[i] * value;
	}
	return over / under;
}

static void
reads_what_can_be_aggregated(void **unused)
{
	const double a = 7, b = 4, c = 3;
	const struct
	{
		const char *text;
		double value;
		bool is_ratio;
	} cases[] = {
		{"a", a, false},
		{" a + b ", a + b, false},
		{"a - b - c", a - b - c, false},
		{"a - (b - c)", a - (b - c), false},
		{"-a + 2 * b", -a + 2 * b, false},
		{"- -a", a, false},
		{"2e3 * a / 4", 2e3 * a / 4, false},
		{"(1 + 2) * 3 * a", 9 * a, false},
		{"a / b", a / b, true},
		{"100 * a / (b + c)", 100 * a / (b + c), true},
		{"(a + b) / c", (a + b) / c, true},
		{"1 - a / b", 1 - a / b, true},
		{"a / b + 2 * c / b", a / b + 2 * c / b, true},
		{"a / (b / 2)", a / (b / 2), true},
		{"\"a\" / \"b\"", a / b, true},
		{"a / b * 3", a / b * 3, true},
	};
	(void) unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		PhEnv env;
		PhArena arena;
		PhFormula formula;
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		if (ph_formula_parse(&arena, cases[i].text, &formula) != PH_OK)
			fail_msg("%s: %s", cases[i].text, env.error.message);
		if (!agree(evaluate(&formula, a, b, c), cases[i].value, 1e-12))
			fail_msg("%s is %g", cases[i].text, evaluate(&formula, a, b, c));
		assert_int_equal(formula.is_ratio, cases[i].is_ratio);
		ph_arena_drop(&arena);
		assert_int_equal(env.bytes, 0);
	}
}

static void
refuses_the_rest(void **unused)
{
	static const struct
	{
		const char *text, *message;
	} cases[] = {
		{"", "byte 1: the formula ends"},
		{"a +", "byte 4: the formula ends"},
		{"a b", "byte 3: an operator is wanted"},
		{"(a", "byte 1: a parenthesis that is not closed"},
		{"a)", "byte 2: a parenthesis that was not opened"},
		{"a / 0", "division by 0"},
		{"a / (b - b)", "division by 0"},
		{"a * b", "byte 3: metrics are multiplied"},
		{"a / b / c", "metrics are multiplied"},
		{"a + 1", "a number is added"},
		{"a / (b + 1)", "a number is added"},
		{"1 / a", "no metric"},
		{"0 * a", "no metric"},
		{"3", "no metric"},
		{"\"a", "a name that does not end"},
		{"\"\"", "an empty name"},
		{"0x10 * a", "not a number"},
		{"1e999 * a", "not a number"},
		{"a $ b", "an operator is wanted"},
	};
	(void) unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		PhEnv env;
		PhArena arena;
		PhFormula formula;
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		assert_int_equal(ph_formula_parse(&arena, cases[i].text, &formula), PH_ERR_VALUE);
		if (strstr(env.error.message, cases[i].message) == NULL)
			fail_msg("%s: %s", cases[i].text, env.error.message);
		ph_arena_drop(&arena);
		assert_int_equal(env.bytes, 0);
	}
}

static void
depth_has_a_limit(void **unused)
{
	char *text = malloc(PH_FORMULA_MAX);
	PhEnv env;
	PhArena arena;
	PhFormula formula;
	(void) unused;
	memset(text, '(', PH_FORMULA_MAX - 1);
	text[PH_FORMULA_MAX - 1] = '\0';
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_formula_parse(&arena, text, &formula), PH_ERR_VALUE);
	assert_non_null(strstr(env.error.message, "too deep"));
	ph_arena_drop(&arena);
	free(text);
}

/* Node by node and for the whole: the formula over the operands' sums. */
static void
derived_metrics_follow_their_operands(void **unused)
{
	(void) unused;
	for (uint64_t seed = 1; seed <= 40; seed++)
	{
		static Mixed mixed;
		PhEnv env;
		PhProfile *profile, *ratio, *sum;
		ph_env_init_malloc(&env);
		mixed_random(seed, false, &mixed);
		assert_int_equal(mixed_profile(&env, &mixed, NULL, &profile), PH_OK);
		assert_int_equal(ph_profile_derive(&env, profile, "r", "3 * count / time", NULL, &ratio),
						 PH_OK);
		assert_int_equal(ph_profile_derive(&env, profile, "s", "time - 0.5 * time", NULL, &sum),
						 PH_OK);
		uint32_t r = ph_profile_find_metric(ratio, "r"), s = ph_profile_find_metric(sum, "s");
		assert_int_equal(ratio->metrics[r].kind, PH_METRIC_RATIO);
		assert_string_equal(ph_profile_string(ratio, ratio->metrics[r].unit), "count/s");
		assert_int_equal(sum->metrics[s].kind, PH_METRIC_FLOW);
		assert_string_equal(ph_profile_string(sum, sum->metrics[s].unit), "s");
		assert_int_equal(ph_profile_check(&env, ratio), PH_OK);
		assert_int_equal(ph_profile_check(&env, sum), PH_OK);
		for (uint32_t node = 0; node < profile->n_nodes; node++)
		{
			double time = ph_profile_mean(profile, MIXED_TIME, node, PH_COST_INCLUSIVE);
			double count = ph_profile_mean(profile, MIXED_COUNT, node, PH_COST_INCLUSIVE);
			double found = ph_profile_mean(ratio, r, node, PH_COST_INCLUSIVE);
			assert_true(agree(found, time == 0 ? (double) NAN : 3 * count / time, 1e-9));
			assert_true(agree(ph_profile_mean(sum, s, node, PH_COST_INCLUSIVE), time / 2, 1e-9));
		}
		assert_true(
			agree(ph_profile_total(sum, s), ph_profile_total(profile, MIXED_TIME) / 2, 1e-9));
		ph_profile_free(&env, ratio);
		ph_profile_free(&env, sum);
		ph_profile_free(&env, profile);
		assert_int_equal(env.bytes, 0);
	}
}

/* The same profile in two units: their difference is 0, whichever comes first. */
static void
algebra_converts_units(void **unused)
{
	static Mixed mixed;
	PhEnv env;
	PhProfile *profile, *other, *difference, *refused;
	(void) unused;
	ph_env_init_malloc(&env);
	mixed_random(3, false, &mixed);
	assert_int_equal(mixed_profile(&env, &mixed, NULL, &profile), PH_OK);
	assert_int_equal(ph_profile_with_unit(&env, profile, MIXED_TIME, "us", &other), PH_OK);
	assert_true(agree(ph_profile_total(other, MIXED_TIME),
					  ph_profile_total(profile, MIXED_TIME) * 1e6, 1e-12));
	for (int turned = 0; turned < 2; turned++)
	{
		assert_int_equal(ph_profile_arithmetic(&env, turned ? other : profile,
											   turned ? profile : other, PH_SUBTRACT, &difference),
						 PH_OK);
		double scale = ph_profile_total(turned ? other : profile, MIXED_TIME);
		assert_true(fabs(ph_profile_total(difference, 0)) <= 1e-12 * scale);
		assert_string_equal(ph_profile_string(difference, difference->metrics[0].unit),
							turned ? "us" : "s");
		ph_profile_free(&env, difference);
		assert_int_equal(
			ph_profile_diff(&env, turned ? other : profile, turned ? profile : other, &difference),
			PH_OK);
		assert_true(agree(ph_profile_total(difference->before, 0),
						  ph_profile_total(difference->after, 0), 1e-12));
		assert_string_equal(
			ph_profile_string(difference->after, difference->after->metrics[0].unit),
			turned ? "us" : "s");
		ph_profile_free(&env, difference);
	}
	assert_int_equal(ph_profile_with_unit(&env, profile, MIXED_TIME, "bytes", &refused),
					 PH_ERR_CONFLICT);
	assert_int_equal(ph_profile_derive(&env, profile, "x", "time + count", NULL, &refused),
					 PH_ERR_CONFLICT);
	assert_int_equal(ph_profile_derive(&env, profile, "x", "time / nothing", NULL, &refused),
					 PH_ERR_NOT_FOUND);
	assert_int_equal(ph_profile_derive(&env, profile, "time", "2 * time", NULL, &refused),
					 PH_ERR_CONFLICT);
	ph_profile_free(&env, other);
	ph_profile_free(&env, profile);
	assert_int_equal(env.bytes, 0);
}

static void
units_have_dimensions(void **unused)
{
	double factor;
	(void) unused;
	assert_true(ph_unit_factor("usec", "s", &factor) && agree(factor, 1e-6, 1e-12));
	assert_true(ph_unit_factor("h", "min", &factor) && factor == 60);
	assert_true(ph_unit_factor("MiB", "bytes", &factor) && factor == 1048576);
	assert_true(ph_unit_factor("widgets", "widgets", &factor) && factor == 1);
	assert_false(ph_unit_factor("s", "bytes", &factor));
	assert_false(ph_unit_factor("", "s", &factor));
	assert_false(ph_unit_factor("KB", "bytes", &factor)); /* 1000 or 1024 */
	assert_string_equal(ph_unit_readable("ns", 45684021244.0, &factor), "s");
	assert_true(agree(factor, 1e-9, 1e-12));
	assert_string_equal(ph_unit_readable("us", 574976.5, &factor), "ms");
	assert_string_equal(ph_unit_readable("s", 0, &factor), "s");
	assert_string_equal(ph_unit_readable("bytes", 3e7, &factor), "MiB");
	assert_string_equal(ph_unit_readable("widgets", 3e7, &factor), "widgets");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_can_be_aggregated),
		cmocka_unit_test(refuses_the_rest),
		cmocka_unit_test(depth_has_a_limit),
		cmocka_unit_test(derived_metrics_follow_their_operands),
		cmocka_unit_test(algebra_converts_units),
		cmocka_unit_test(units_have_dimensions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
