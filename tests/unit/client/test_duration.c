/*
 * test_duration.c - times as people write them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "system/duration.h"

static void
test_times_with_units(void **unused)
{
	static const struct
	{
		const char *text;
		int64_t ns;
	} cases[] = {{"0", 0},
				 {"5000", 5000},
				 {"250us", 250000},
				 {"0.1s", 100000000},
				 {"5 ms", 5000000},
				 {"1.5ns", 2},
				 {"-2us", -2000},
				 {"1min", 60000000000},
				 {"2h", INT64_C(7200000000000)},
				 {"1e3us", 1000000},
				 {"3\xc2\xb5s", 3000}};
	int64_t ns;

	(void) unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		assert_true(ph_duration_parse(cases[i].text, &ns));
		assert_int_equal(ns, cases[i].ns);
	}
}

static void
test_what_is_no_time(void **unused)
{
	static const char *const texts[] = {"",		"s",   "ten",	 "5 parsecs", "1s2",
										"1e30", "nan", "1e400s", "0.1 s s",	  "inf"};
	int64_t ns;

	(void) unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(ph_duration_parse(texts[i], &ns));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_with_units),
		cmocka_unit_test(test_what_is_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
