/*
 * test_speedscope.c - speedscope's JSON: answers by hand, bad members, cuts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/completeness.h"
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

#define SMALL DATA "small.speedscope.json"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
test_read(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, SMALL, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_nodes, 5);
	assert_int_equal(profile->n_metrics, 2);
	assert_string_equal(profile->strings[profile->metrics[0].name], "time");
	assert_int_equal(profile->n_columns, 3);
	assert_int_equal(profile->columns[1].thread, 1);
	assert_string_equal(profile->strings[profile->columns[1].name], "worker");
	check_cost(profile, "time", "[\"main\"]", 0, 0.008, 0);
	check_cost(profile, "time", "[\"main\", \"graph\"]", 0, 0.008, 0.002);
	check_cost(profile, "time", "[\"main\", \"graph\", \"w\xc3\xb6rk\"]", 0, 0.002, 0.002);
	check_cost(profile, "time", "[\"main\", \"graph\", \"graph\"]", 0, 0.004, 0.004);
	check_cost(profile, "time", "[\"main\"]", 1, 10, 6.5);
	check_cost(profile, "time", "[\"main\", \"w\xc3\xb6rk\"]", 1, 3.5, 3.5);
	check_cost(profile, "bytes", "[\"main\"]", 2, 4096, 4096);
	const PhRegion *work =
		ph_profile_region(profile, find_node(profile, "[\"main\", \"w\xc3\xb6rk\"]"));
	assert_string_equal(profile->strings[work->file], "lib/work.py");
	assert_string_equal(ph_meta_get(&run.meta, "speedscope.exporter"), "by hand");
	assert_string_equal(ph_meta_get(&run.meta, "speedscope.name"), "a small one");
	assert_int_equal(ph_run_completeness(&ph_reader_speedscope, &run), PH_COMPLETENESS_COMPLETE);
	done(&env, &run);
}

static void
test_bad_members(void **state)
{
	static const BadCase cases[] = {
		{NULL, "", PH_ERR_FORMAT, "truncated"},
		{NULL, "{}", PH_ERR_FORMAT, "there are no shared frames, or no profiles"},
		{NULL, "[]", PH_ERR_FORMAT, "expected \"{\""},
		{"\"frames\"", "\"frame\"", PH_ERR_FORMAT, "there are no shared frames"},
		{"\"milliseconds\"", "\"parsecs\"", PH_ERR_FORMAT, "input:3:53: a unit that is not known"},
		{"[0, 1, 2], [0, 1], []", "[0, 1, 4], [0, 1], []", PH_ERR_FORMAT,
		 "input:4:22: there is no such frame"},
		{"[0, 1, 2], [0, 1], []", "[0, 1, -1], [0, 1], []", PH_ERR_FORMAT,
		 "there is no such frame"},
		{"[0, 1, 2], [0, 1], []", "[0, 1, 1.5], [0, 1], []", PH_ERR_FORMAT, "input:4:"},
		{"[0, 1, 2], [0, 1], []", "[0, 1, 2], 7, []", PH_ERR_FORMAT, "expected \"[\""},
		{"[1.5, 2, 9", "[1.5, 2", PH_ERR_FORMAT, "not as many weights as samples"},
		{"[1.5, 2, 9", "[1.5, 2, 3, 9", PH_ERR_FORMAT, "not as many weights as samples"},
		{"[1.5, 2, 9", "[1.5, -2, 9", PH_ERR_FORMAT, "input:5:22: a weight is negative"},
		{"[1.5, 2, 9", "[1.5, \"2\", 9", PH_ERR_FORMAT, "expected"},
		{"\"weights\": [1.5", "\"heights\": [1.5", PH_ERR_FORMAT, "neither events nor samples"},
		{"\"C\", \"frame\": 2, \"at\": 103.5", "\"C\", \"frame\": 0, \"at\": 103.5", PH_ERR_FORMAT,
		 "input:8:4: a call ends that is not the innermost"},
		{"\"C\", \"frame\": 2, \"at\": 103.5", "\"C\", \"frame\": 2, \"at\": 100.5", PH_ERR_FORMAT,
		 "time runs backwards"},
		{"\"C\", \"frame\": 2, \"at\": 103.5", "\"X\", \"frame\": 2, \"at\": 103.5", PH_ERR_FORMAT,
		 "lacks type, frame or time"},
		{"\"C\", \"frame\": 2, \"at\": 103.5", "\"C\", \"at\": 103.5", PH_ERR_FORMAT,
		 "lacks type, frame or time"},
		{"\"C\", \"frame\": 2, \"at\": 103.5", "\"C\", \"frame\": 2", PH_ERR_FORMAT,
		 "lacks type, frame or time"},
		{"\"C\", \"frame\": 0", "\"O\", \"frame\": 0", PH_ERR_FORMAT, "calls do not end"},
		{"\"graph\"", "\"gr\xffph\"", PH_ERR_FORMAT, "UTF-8"},
		{"\"graph\"", "7", PH_ERR_FORMAT, "expected"},
		{"Index\": null}", "Index\": null} x", PH_ERR_FORMAT, "end of the file"},
	};
	(void) state;
	check_bad_cases(READ_SPEEDSCOPE, SMALL, cases, COUNT(cases));
}

/* Blanks behind the last bracket may be missing. */
static bool
is_whole_value(const char *text, size_t cut)
{
	return strcmp(text + cut, "\n") == 0;
}

static void
test_cuts(void **state)
{
	(void) state;
	check_unproven_cuts(READ_SPEEDSCOPE, SMALL, is_whole_value);
}

static void
test_no_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_SPEEDSCOPE, SMALL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_bad_members),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
