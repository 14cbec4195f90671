/*
 * test_gprof.c - gprof's report: lines, answers by hand, the real one's sums, cuts.
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
#include "readers/gprof/lines.h"
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

#define SMALL DATA "small.gprof.txt"
#define REAL SHARED "/data/own/profiles/gprof/lulesh-serial.gprof.txt"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static PhSlice
slice(const char *text)
{
	return (PhSlice){text, strlen(text)};
}

static void
test_lines(void **state)
{
	static const struct
	{
		const char *line;
		PhGprofLine expected;
		const char *name;
	} cases[] = {
		{"[1]    100.0    0.00    0.61                 main [1]",
		 {.is_own = true, .index = 1, .has_times = true, .children = 0.61},
		 "main"},
		{"[3]     86.7    0.05    0.27       1+286     fib [3]",
		 {.is_own = true,
		  .index = 3,
		  .has_times = true,
		  .self = 0.05,
		  .children = 0.27,
		  .calls = 1,
		  .recursive = 286},
		 "fib"},
		{"[4]     12.7    0.00    0.04       2+40      <cycle 1 as a whole> [4]",
		 {.is_own = true,
		  .is_cycle = true,
		  .index = 4,
		  .has_times = true,
		  .children = 0.04,
		  .calls = 2,
		  .recursive = 40},
		 "<cycle 1 as a whole>"},
		{"                0.00    0.57      40/80          A::operator[](int) const [2]",
		 {.index = 2, .has_times = true, .children = 0.57, .calls = 40},
		 "A::operator[](int) const"},
		{"                                  20             odd <cycle 1> [6]",
		 {.index = 6, .calls = 20},
		 "odd"},
		{"                                  20             4 [6]", {.index = 6, .calls = 20}, "4"},
	};
	static const char *const none[] = {
		"",
		"[1]",
		"main [1]",
		"[1] 100.0 main [1]",
		"[1] 100.0 0.1 main [1]",
		"0.1 1/2 main [1]",
		"0.1 0.2 -1/2 main [1]",
		"0.1 0.2 1/x main [1]",
		"0.1 0.2 1/2 main",
		"0.1 0.2 1/2 main [x]",
		"0.1 0.2 1/2 main [-1]",
		"0.1 0.2 1/2 main [99999999999]",
	};
	PhGprofLine line;
	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		const PhGprofLine *expected = &cases[i].expected;
		if (!ph_gprof_line(slice(cases[i].line), &line))
			fail_msg("\"%s\" is taken for no line", cases[i].line);
		assert_true(ph_slice_is(line.name, cases[i].name));
		assert_true(line.is_own == expected->is_own && line.is_cycle == expected->is_cycle);
		assert_true(line.index == expected->index && line.has_times == expected->has_times);
		assert_true(line.self == expected->self && line.children == expected->children);
		assert_true(line.calls == expected->calls && line.recursive == expected->recursive);
	}
	for (size_t i = 0; i < COUNT(none); i++)
		if (ph_gprof_line(slice(none[i]), &line))
			fail_msg("\"%s\" is taken for a line", none[i]);
}

static void
test_small(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, SMALL, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_nodes, 11);
	check_cost(profile, "time", "[\"main\"]", 0, 0.31, 0);
	check_cost(profile, "time", "[\"main\", \"spin\"]", 0, 0.31 * 2 / 331, 0.31 * 2 / 331);
	check_cost(profile, "time", "[\"main\", \"fib\", \"spin\"]", 0, 0.31 * 287 / 331,
			   0.31 * 287 / 331);
	check_cost(profile, "time", "[\"main\", \"even\", \"spin\"]", 0, 0.31 * 21 / 331,
			   0.31 * 21 / 331);
	check_cost(profile, "calls", "[\"main\", \"fib\"]", 0, 574, 1);
	check_cost(profile, "calls", "[\"main\", \"fib\", \"fib\"]", 0, 286, 286);
	check_cost(profile, "calls", "[\"main\", \"even\", \"odd\"]", 0, 20, 20);
	check_cost(profile, "calls", "[\"main\", \"odd\"]", 0, 42, 1);
	check_cost(profile, "primitive calls", "[\"main\", \"fib\"]", 0, 332, 1);
	check_cost(profile, "time (inclusive)", "[\"main\", \"fib\"]", 0, 0.27, 0.27);
	check_cost(profile, "time (inclusive)", "[\"main\", \"even\"]", 0, 0.02, 0.02);
	assert_string_equal(ph_meta_get(&run.meta, "gprof.sample_seconds"), "0.01");
	assert_int_equal(ph_run_completeness(&ph_reader_gprof, &run), PH_COMPLETENESS_COMPLETE);
	done(&env, &run);
}

/* Times and calls of functions are those of the flat profile, which the reader does not look at. */
static void
test_real(void **state)
{
	static const struct
	{
		const char *name;
		double self, calls;
	} flat[] = {
		{"CalcHourglassControlForElems(Domain&, double*, double)", 0.07, 40},
		{"std::vector<double, std::allocator<double> >::operator[](unsigned long)", 0.04,
		 107252620},
		{"Domain::numNode()", 0.04, 27947},
		{"Domain::fz(int)", 0.02, 5860880},
		{"FABS(double)", 0, 19330510},
	};
	PhEnv env;
	PhRunInput run;
	double total = 0;
	(void) state;
	skip_without_shared();
	must_read(&env, REAL, &run);
	const PhProfile *profile = run.profile;
	uint32_t time = find_metric(profile, "time"), calls = find_metric(profile, "calls");
	assert_int_equal(run.n_missing, 0);
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		total += ph_profile_cell(profile, time, i, 0, PH_COST_EXCLUSIVE);
	assert_true(fabs(total - 0.61) < 0.05); /* 248 numbers that are rounded to 0.01 */
	for (size_t k = 0; k < COUNT(flat); k++)
	{
		double sums[2] = {0};
		for (uint32_t i = 0; i < profile->n_nodes; i++)
		{
			if (strcmp(ph_profile_node_name(profile, i), flat[k].name) != 0)
				continue;
			sums[0] += ph_profile_cell(profile, time, i, 0, PH_COST_EXCLUSIVE);
			sums[1] += ph_profile_cell(profile, calls, i, 0, PH_COST_EXCLUSIVE);
		}
		if (fabs(sums[0] - flat[k].self) > 1e-12 || sums[1] != flat[k].calls)
			fail_msg("%s: %g, %g", flat[k].name, sums[0], sums[1]);
	}
	done(&env, &run);
}

static void
test_bad_lines(void **state)
{
	static const BadCase cases[] = {
		{NULL, "", PH_ERR_UNSUPPORTED, "the report has no call graph"},
		{NULL, "Flat profile:\n\n", PH_ERR_UNSUPPORTED, "the report has no call graph"},
		{"0.00    0.00       2/331", "0.00    nan        2/331", PH_ERR_FORMAT,
		 "input:17: expected"},
		{"main [2]", "main 2", PH_ERR_FORMAT, "input:17: expected times, calls, a name"},
		{"main [2]", "[2]", PH_ERR_FORMAT, "input:17: a function has no name"},
		{"main [2]", "m\xffin [2]", PH_ERR_FORMAT, "input:17: a name is not valid UTF-8"},
		{"-----------------------------------------------\n", "", PH_ERR_FORMAT,
		 "input:23: an entry has two functions"},
		{"     1+286     fib [3]", "     1+286     fib [1]", PH_ERR_FORMAT, "two entries"},
		{"[2]    100.0    0.00    0.31                 main [2]\n", "--------\n", PH_ERR_FORMAT,
		 ""},
		{"[1]    100.0    0.31    0.00     331         spin [1]\n", "", PH_ERR_FORMAT,
		 "input:21: an entry ends before its function comes"},
	};
	(void) state;
	check_bad_cases(READ_GPROF, SMALL, cases, COUNT(cases));
}

static bool
is_no_boundary(const char *text, size_t cut)
{
	(void) text;
	(void) cut;
	return false;
}

static void
test_cuts(void **state)
{
	(void) state;
	check_unproven_cuts(READ_GPROF, SMALL, is_no_boundary);
}

static void
test_detection(void **state)
{
	static const struct
	{
		const char *text;
		bool is_report;
	} cases[] = {
		{"Flat profile:\n\nEach sample counts as 0.01 seconds.\n  %   cumulative   self", true},
		{"\t\t     Call graph (explanation follows)\n\n\ngranularity: each sample hit", true},
		{"Flat profile: none\n", false},
		{"Call graph of the program\n", false},
		{"\n\n", false},
		{"", false},
	};
	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(ph_reader_gprof.detect_file("a", (const uint8_t *) cases[i].text,
													 strlen(cases[i].text)),
						 cases[i].is_report);
}

static void
test_no_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_GPROF, SMALL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	  cmocka_unit_test(test_small),
		cmocka_unit_test(test_real),	  cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_cuts),	  cmocka_unit_test(test_detection),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
