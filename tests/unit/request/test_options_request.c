/*
 * test_options_request.c - options of views as parameters of requests.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "request/options.h"

static PhEnv env;
static PhArena arena;
static PhOptions options;
static PhProblem error;

static const char accepted[] = "run group-by metric-y ranks filter split-caller icicle no-messages";

static bool
parse(const char *name, const char *value)
{
	error = (PhProblem){.parameter = NULL};
	return ph_options_request(&options, &arena, accepted, ph_view_common, "this view", &name,
							  &value, 1, &error);
}

static void
test_values(void **unused)
{
	static const char *const names[] = {"run",	 "group_by",	 "metric_y", "ranks",
										"title", "split_caller", "icicle",	 "split_caller"};
	static const char *const values[] = {"7",	  "function", "PAPI=x", "0-2,5",
										 "a & b", "f--x",	  "true",	""};

	(void) unused;
	assert_true(ph_options_request(&options, &arena, accepted, ph_view_common, "this view", names,
								   values, 8, &error));
	assert_string_equal(ph_option_text(&options, "run"), "7");
	assert_string_equal(ph_option_text(&options, "group-by"), "function");
	assert_string_equal(ph_option_text(&options, "metric-y"), "PAPI=x");
	assert_string_equal(ph_option_text(&options, "ranks"), "0-2,5");
	assert_string_equal(ph_option_text(&options, "title"), "a & b");
	assert_int_equal(options.values.n_given, 7); /* an empty value is none */
	assert_true(ph_option_flag(&options, "icicle"));
	assert_int_equal(ph_option_count(&options, "bins"), 20); /* the default */
}

static void
test_flags(void **unused)
{
	(void) unused;
	assert_true(parse("icicle", ""));
	assert_true(ph_option_flag(&options, "icicle"));
	assert_true(parse("icicle", "0"));
	assert_false(ph_option_flag(&options, "icicle"));
	assert_false(parse("icicle", "maybe"));
	assert_string_equal(error.parameter, "icicle");
	assert_true(parse("no_messages", "1"));
	assert_true(ph_option_flag(&options, "no-messages"));
}

static void
test_what_is_refused(void **unused)
{
	static const char *const unknown[] = {
		"rows",	 "save_rows", "save-rows", "module_map", "output", "type", "db",   "help",
		"quiet", "verbose",	  "nope",	   "group-by",	 "",	   "vs",   "run ", "run run"};

	(void) unused;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
	{
		assert_false(parse(unknown[i], "1"));
		assert_string_equal(error.parameter, unknown[i]);
		assert_non_null(strstr(error.message, "unknown parameter"));
		assert_non_null(strstr(error.hint, "group_by"));
		assert_null(strstr(error.hint, "save_rows"));
	}
	assert_false(parse("group_by", "nope"));
	assert_string_equal(error.message, "invalid value \"nope\" of parameter group_by");
	assert_false(parse("ranks", "3-1"));
	assert_false(parse("ranks", "0-3999999,0-3999999")); /* few bytes, many ranks */
	assert_false(parse("run", "1 OR 1=1"));
}

static void
test_words(void **unused)
{
	static const char *const cases[][2] = {
		{"invalid value \"x\" of option --group-by", "invalid value \"x\" of parameter group_by"},
		{"two runs are needed: --run and --vs", "two runs are needed: run and vs"},
		{"use --save-rows.", "use save_rows."},
		{"a -- b --- c", "a -- b --- c"},
		{"", ""}};

	(void) unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(ph_options_request_words(&arena, cases[i][0]), cases[i][1]);
	assert_null(ph_options_request_words(&arena, NULL));
}

static int
begin(void **unused)
{
	(void) unused;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	return 0;
}

static int
end(void **unused)
{
	(void) unused;
	ph_arena_drop(&arena);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
