/*
 * test_table.c - tables of call paths: answers by hand, bad lines, cuts.
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

#define SMALL DATA "small.csv"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OPERATOR "[\"main\", \"operator<<(A, \\\"x\\\")\"]"

static void
test_read(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, SMALL, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_nodes, 3);
	assert_int_equal(profile->n_metrics, 3);
	assert_string_equal(profile->strings[profile->metrics[0].name], "time");
	assert_string_equal(profile->strings[profile->metrics[0].unit], "s");
	assert_string_equal(profile->strings[profile->metrics[1].name], "cache misses, L2");
	assert_int_equal(profile->n_columns, 3);
	assert_int_equal(profile->columns[0].rank, PH_NO_NUMBER);
	assert_int_equal(profile->columns[2].rank, 1);
	check_cost(profile, "time", "[\"main\"]", 1, 4.0, 1.5);
	check_cost(profile, "time", "[\"main\", \"solve\"]", 1, 2.5, 2.5);
	check_cost(profile, "time", "[\"main\"]", 2, 1.25, 1.0);
	check_cost(profile, "cache misses, L2", "[\"main\"]", 1, 7, 7);
	check_cost(profile, "cache misses, L2", "[\"main\", \"solve\"]", 0, 5, 5);
	check_cost(profile, "calls", "[\"main\"]", 1, 3, 1);
	uint32_t node = 0;
	while (strncmp(ph_profile_node_name(profile, node), "operator", 8) != 0)
		node++;
	assert_string_equal(ph_profile_node_name(profile, node), "operator<<(A, \"x\")");
	assert_true(ph_profile_cell(profile, 1, node, 2, PH_COST_EXCLUSIVE) == 1000);
	assert_int_equal(run.n_missing, 0);
	assert_int_equal(ph_run_completeness(&ph_reader_table, &run), PH_COMPLETENESS_UNKNOWN);
	done(&env, &run);
}

static void
test_bad_lines(void **state)
{
	static const BadCase cases[] = {
		{NULL, "", PH_ERR_VALUE, ""},
		{NULL, "callpath,rank\n", PH_ERR_FORMAT, "input:1: the columns are not callpath, rank"},
		{"callpath,", "path,", PH_ERR_FORMAT, "input:1: the columns are not callpath, rank"},
		{"time (inc) [s]", "time [s]", PH_ERR_FORMAT, "input:1: a metric has two columns"},
		{",thread,", ",rank,", PH_ERR_FORMAT, "input:1: there are two columns of ranks or threads"},
		{"time (inc) [s]", "time (inc) [ms]", PH_ERR_FORMAT, "have two units"},
		{"time (inc) [s]", "", PH_ERR_FORMAT, "a column has no name"},
		{"time (inc) [s]", "t\xffme", PH_ERR_FORMAT, "input:1: a name is not valid UTF-8"},
		{"7,3", "7", PH_ERR_FORMAT, "input:2: a row of 6 fields, there are 7 columns"},
		{"7,3", "7,3,", PH_ERR_FORMAT, "input:2: a row of 8 fields, there are 7 columns"},
		{"7,3", "7,-3", PH_ERR_FORMAT, "input:2: a value is no number, or negative"},
		{"7,3", "7,nan", PH_ERR_FORMAT, "input:2: a value is no number, or negative"},
		{"7,3", "7,1e999", PH_ERR_FORMAT, "input:2: a value is no number, or negative"},
		{"solve,0", "solve,-1", PH_ERR_FORMAT, "input:3: a rank or thread is no whole number"},
		{"solve,0", "solve,x", PH_ERR_FORMAT, "input:3: a rank or thread is no whole number"},
		{"main;solve", "main;", PH_ERR_FORMAT, "input:3: a frame of the call path has no name"},
		{"main;solve", "ma\xffn", PH_ERR_FORMAT, "input:3: a name is not valid UTF-8"},
		{"x\"\")\",", "x\"\"),", PH_ERR_FORMAT, "input:4: a quoted field does not end"},
		{"x\"\")\",", "x\"\")\"y,", PH_ERR_FORMAT, "input:4: something follows a quoted field"},
	};
	(void) state;
	check_bad_cases(READ_TABLE, SMALL, cases, COUNT(cases));
}

static bool
ends_line(const char *text, size_t cut)
{
	return cut > 0 && text[cut - 1] == '\n';
}

static void
test_cuts(void **state)
{
	(void) state;
	check_unproven_cuts(READ_TABLE, SMALL, ends_line);
}

static void
test_detection(void **state)
{
	static const char *const others[] = {"path,size\n", "callpath\n", "call", "", "a,callpath,b\n"};
	static const char good[] = "callpath,time\n";
	(void) state;
	assert_true(ph_reader_table.detect_file("a", (const uint8_t *) good, strlen(good)));
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(
			ph_reader_table.detect_file("a", (const uint8_t *) others[i], strlen(others[i])));
}

static void
test_no_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_TABLE, SMALL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),	  cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_cuts),	  cmocka_unit_test(test_detection),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
