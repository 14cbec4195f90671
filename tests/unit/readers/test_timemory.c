/*
 * test_timemory.c - timemory's JSON: labels, answers by hand, Hatchet's numbers of a real one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/completeness.h"
#include "readers/timemory/timemory.h"
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

#define SMALL TOOLS "small.timemory.json"
#define REAL SHARED "/data/peers/hatchet/timemory/wall.tree.json"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OUTER "[\"solve/outer\"]"
#define EXCHANGE "[\"solve/outer\", \"exchange\"]"

static void
test_labels(void **state)
{
	static const struct
	{
		const char *label, *name, *tail, *file;
		int32_t line;
	} cases[] = {
		{"solve@solve.cpp:114/outer-loop-0", "solve", "outer-loop-0", "solve.cpp", 114},
		{"solve/solve.cpp:114", "solve", "", "solve.cpp", 114},
		{"main@/home/u/a.cpp:12//x", "main", "x", "/home/u/a.cpp", 12},
		{"inner loop  [solve/solve.cpp:9]", "inner loop", "", "solve.cpp", 9},
		{"[solve(int)][solve.cpp]", "solve(int)", "", "solve.cpp", PH_NO_NUMBER},
		{"solve:114/inner", "solve", "inner", "", 114},
		{"generate_history/do-sleep", "generate_history/do-sleep", "", "", PH_NO_NUMBER},
		{"std::sort", "std::sort", "", "", PH_NO_NUMBER},
		{"a::b:7x", "a::b:7x", "", "", PH_NO_NUMBER},
		{"operator[]", "operator[]", "", "", PH_NO_NUMBER},
		{":7", ":7", "", "", PH_NO_NUMBER},
		{"@a:7", "@a", "", "", 7},
		{"x:99999999999", "x:99999999999", "", "", PH_NO_NUMBER},
		{"", "", "", "", PH_NO_NUMBER},
	};
	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		PhTimemoryName name = ph_timemory_name((PhSlice){cases[i].label, strlen(cases[i].label)});
		if (!ph_slice_is(name.name, cases[i].name) || !ph_slice_is(name.tail, cases[i].tail) ||
			!ph_slice_is(name.file, cases[i].file) || name.line != cases[i].line)
			fail_msg("\"%s\": \"%.*s\", \"%.*s\", \"%.*s\", %d", cases[i].label,
					 (int) name.name.size, name.name.text, (int) name.tail.size, name.tail.text,
					 (int) name.file.size, name.file.text, (int) name.line);
	}
}

static uint32_t
find_column(const PhProfile *profile, int32_t rank, int32_t thread)
{
	for (uint32_t i = 0; i < profile->n_columns; i++)
		if (profile->columns[i].rank == rank && profile->columns[i].thread == thread)
			return i;
	fail_msg("no column of rank %d, thread %d", (int) rank, (int) thread);
	return 0;
}

static void
test_small(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, SMALL, &run);
	const PhProfile *profile = run.profile;
	uint32_t first = find_column(profile, 0, 0), second = find_column(profile, 1, 0);
	uint32_t both = find_column(profile, 0, PH_NO_NUMBER); /* threads 1 and 2 together */
	assert_int_equal(profile->n_nodes, 2);
	assert_int_equal(profile->n_metrics, 4);
	check_cost(profile, "wall_clock", OUTER, first, 4, 1.5 + 2.5);
	check_cost(profile, "wall_clock", OUTER, second, 3, 3);
	check_cost(profile, "wall_clock", EXCHANGE, both, 2.5, 2.5);
	check_cost(profile, "laps", OUTER, second, 2, 2);
	check_cost(profile, "Total_cycles", OUTER, first, 8301, 8301);
	check_cost(profile, "L2_misses", OUTER, first, -4, -4);
	assert_string_equal(
		ph_profile_string(profile, profile->metrics[find_metric(profile, "wall_clock")].unit), "s");
	assert_int_equal(ph_run_completeness(&ph_reader_timemory, &run), PH_COMPLETENESS_COMPLETE);
	done(&env, &run);
}

/* Sums are those of Hatchet 2026.2. */
static void
test_real(void **state)
{
	static const double expected[][3] = {{58.636469722, 117.775102043, 35},
										 {55.180332771, 110.862501415, 35}};
	PhEnv env;
	PhRunInput run;
	(void) state;
	skip_without_shared();
	must_read(&env, REAL, &run);
	const PhProfile *profile = run.profile;
	uint32_t time = find_metric(profile, "wall_clock"), laps = find_metric(profile, "laps");
	assert_int_equal(profile->n_nodes, 14);
	assert_int_equal(profile->n_columns, 2);
	for (uint32_t k = 0; k < 2; k++)
	{
		double sums[3] = {0};
		for (uint32_t i = 0; i < profile->n_nodes; i++)
		{
			sums[0] += ph_profile_cell(profile, time, i, k, PH_COST_EXCLUSIVE);
			sums[1] += ph_profile_cell(profile, time, i, k, PH_COST_INCLUSIVE);
			sums[2] += ph_profile_cell(profile, laps, i, k, PH_COST_EXCLUSIVE);
		}
		for (size_t j = 0; j < 3; j++)
			if (fabs(sums[j] - expected[k][j]) > 1e-8)
				fail_msg("rank %u: %.9f, not %.9f", k, sums[j], expected[k][j]);
	}
	done(&env, &run);
}

static void
test_bad_values(void **state)
{
	static const BadCase cases[] = {
		{NULL, "{\"timemory\": {}}", PH_ERR_FORMAT, "nothing was measured"},
		{"\"node\": {\"hash\": 5", "\"knot\": {\"hash\": 5", PH_ERR_FORMAT,
		 "input:19:19: a tree has children before its node"},
		{"\"prefix\": \"exchange\", ", "", PH_ERR_FORMAT, "input:19:19: a node has no prefix"},
		{"[8301.0, -4.0]", "[8301.0]", PH_ERR_FORMAT, "a node has not as many sums"},
		{"[8301.0, -4.0]", "[8301.0, \"x\"]", PH_ERR_FORMAT, "input:46:"},
		{"\"mpi_size\": 2, \"thread", "\"mpi_size\": -2, \"thread", PH_ERR_FORMAT,
		 "the number of ranks is out of range"},
		{"\"Total_cycles\", \"L2_misses\"", "\"a\", \"a\"", PH_ERR_CONFLICT, ""},
	};
	(void) state;
	check_bad_cases(READ_TIMEMORY, SMALL, cases, COUNT(cases));
}

static bool
is_no_boundary(const char *text, size_t cut)
{
	return text[cut] == '\n' && text[cut + 1] == '\0'; /* behind the object */
}

static void
test_cuts(void **state)
{
	(void) state;
	check_unproven_cuts(READ_TIMEMORY, SMALL, is_no_boundary);
}

static void
test_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_TIMEMORY, SMALL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels), cmocka_unit_test(test_small),
		cmocka_unit_test(test_real),   cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_cuts),   cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
