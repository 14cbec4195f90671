/*
 * test_gprof2dot.c - gprof2dot's graphs: answers by hand, Hatchet's numbers of a real one, cuts.
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
#include "readers/gprof/dot_lines.h"
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

#define SMALL TOOLS "small.dot"
#define PYTHON TOOLS "python.dot"
#define REAL SHARED "/data/peers/hatchet/gprof2dot-cpi/callgrind.dot.64042.0.1"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
test_small(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, SMALL, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_nodes, 6);
	assert_string_equal(ph_profile_string(profile, profile->metrics[0].unit), "%");
	check_cost(profile, "time", "[\"(below main)\"]", 0, 100, 0.5);
	check_cost(profile, "time", "[\"(below main)\", \"main\"]", 0, 99.5, 9.5);
	check_cost(profile, "time", "[\"(below main)\", \"main\", \"solve\"]", 0, 82.5, 60);
	check_cost(profile, "time",
			   "[\"(below main)\", \"main\", \"solve\", \"operator \"\"_km(double)\"]", 0, 22.5,
			   22.5);
	check_cost(profile, "time", "[\"(below main)\", \"main\", \"operator \"\"_km(double)\"]", 0,
			   7.5, 7.5);
	check_cost(profile, "calls", "[\"(below main)\", \"main\", \"solve\", \"solve\"]", 0, 5, 5);
	check_cost(profile, "time (inclusive)", "[\"(below main)\", \"main\", \"solve\"]", 0, 80, 80);
	assert_int_equal(ph_run_completeness(&ph_reader_gprof2dot, &run), PH_COMPLETENESS_COMPLETE);
	done(&env, &run);
}

static void
test_python(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, PYTHON, &run);
	check_cost(run.profile, "time", "[\"work\"]", 0, 100, 25);
	check_cost(run.profile, "time", "[\"work\", \"<built-in method time.sleep>\"]", 0, 75, 75);
	assert_int_equal(ph_profile_region(run.profile, 0)->line, 7);
	done(&env, &run);
}

/* Sums over functions, and single ones, are those of Hatchet 2026.2. */
static void
test_real(void **state)
{
	static const struct
	{
		const char *name;
		double self, total;
	} functions[] = {
		{"MPIR_Bcast_MV2", 0.08, 9.51},
		{"log2", 0.1, 1.89},
		{"main", 53.77, 97.94},
		{"psm2_mq_ipeek2", 0.25, 0.28},
		{"psm_progress_wait", 0.83, 3.77},
		{"vfprintf", 0.08, 0.17},
	};
	PhEnv env;
	PhRunInput run;
	(void) state;
	skip_without_shared();
	must_read(&env, REAL, &run);
	const PhProfile *profile = run.profile;
	uint32_t time = find_metric(profile, "time"), given = find_metric(profile, "time (inclusive)");
	double all = 0;
	for (uint32_t i = 0; i < profile->n_nodes; i++)
		all += ph_profile_cell(profile, time, i, 0, PH_COST_EXCLUSIVE);
	assert_true(fabs(all - 99.07) < 1e-9);
	for (size_t k = 0; k < COUNT(functions); k++)
	{
		double self = 0, total = 0;
		for (uint32_t i = 0; i < profile->n_nodes; i++)
			if (strcmp(ph_profile_node_name(profile, i), functions[k].name) == 0)
			{
				self += ph_profile_cell(profile, time, i, 0, PH_COST_EXCLUSIVE);
				total = fmax(total, ph_profile_cell(profile, given, i, 0, PH_COST_EXCLUSIVE));
			}
		if (fabs(self - functions[k].self) > 1e-9 || fabs(total - functions[k].total) > 1e-9)
			fail_msg("%s: %g, %g", functions[k].name, self, total);
	}
	done(&env, &run);
}

static void
test_bad_lines(void **state)
{
	static const BadCase cases[] = {
		{NULL, "", PH_ERR_VALUE, ""},
		{"main -> solve", "main => solve", PH_ERR_FORMAT, "input:9: neither a function nor a call"},
		{"80.00%\\n(60.00%)", "80.00%\\n(nan%)", PH_ERR_FORMAT, ""},
		{"label=\"a.out\\nmain", "label=\"a.out\\nm\xff", PH_ERR_FORMAT,
		 "input:8: a name is not valid UTF-8"},
		{"\tsolve [color", "\tmain [color", PH_ERR_FORMAT, "input:11: a function comes a second"},
		{"main [color", "\"\" [color", PH_ERR_FORMAT, "input:8: a function has no id"},
		{"\tmain -> solve [label=\"80.00%\\n3×\"];", "\tmain -> solve [label=\"80.00%\\n3×];",
		 PH_ERR_FORMAT, "input:9: neither"},
		{"label=\"a.out\\nmain", "label=\"a\\nb\\nc\\nd\\ne\\nf\\ng\\nmain", PH_ERR_FORMAT,
		 "input:8: neither"},
		{"}\n", "}\nmain [label=\"x\"];\n", PH_ERR_FORMAT,
		 "input:16: something follows the end of the graph"},
	};
	(void) state;
	check_bad_cases(READ_GPROF2DOT, SMALL, cases, COUNT(cases));
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
	check_unproven_cuts(READ_GPROF2DOT, SMALL, is_no_boundary);
}

static void
test_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_GPROF2DOT, SMALL);
}

/* Graphs of other programs are not taken. */
static void
test_detection(void **state)
{
	static const char other[] = "digraph G {\n  main -> solve [label=\"3\"];\n}\n";
	(void) state;
	assert_false(ph_reader_gprof2dot.detect_file("a", (const uint8_t *) other, strlen(other)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),	  cmocka_unit_test(test_python),
		cmocka_unit_test(test_real),	  cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_cuts),	  cmocka_unit_test(test_memory),
		cmocka_unit_test(test_detection),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
