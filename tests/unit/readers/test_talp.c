/*
 * test_talp.c - TALP's JSON: answers by hand, both forms of the list of regions, bad files.
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

#define SMALL TOOLS "small.talp.json"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
test_small(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, SMALL, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_nodes, 2);
	assert_int_equal(profile->n_metrics, 8);
	check_cost(profile, "elapsedTime", "[\"Application\"]", 0, 3, 1);
	check_cost(profile, "elapsedTime", "[\"Application\", \"solve\"]", 0, 2, 2);
	check_cost(profile, "usefulTime", "[\"Application\"]", 0, 20, 20);
	check_cost(profile, "usefulNormdApp", "[\"Application\"]", 0, 2.5, 2.5);
	check_cost(profile, "parallelEfficiency", "[\"Application\", \"solve\"]", 0, 0.75, 0.75);
	check_cost(profile, "numMpiCalls", "[\"Application\"]", 0, 200, 200);
	assert_int_equal(ph_profile_find_metric(profile, "ompLoadBalance"), PH_NONE);
	assert_string_equal(ph_meta_get(&run.meta, "talp.dlb_version"), "3.5.0");
	assert_int_equal(ph_run_completeness(&ph_reader_talp, &run), PH_COMPLETENESS_COMPLETE);
	done(&env, &run);
}

/* Before DLB 3.5 regions are a list, and have their names as a member. */
static void
test_list(void **state)
{
	static const char text[] =
		"{\"popMetrics\": [{\"name\": \"a\", \"elapsedTime\": 1000000000, \"averageIPC\": 1.5},"
		" {\"name\": \"b\", \"elapsedTime\": 4000000000}]}";
	PhEnv env;
	PhRunInput run;
	(void) state;
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_TALP, text, sizeof(text) - 1, &run), PH_OK);
	check_cost(run.profile, "elapsedTime", "[\"a\"]", 0, 1, 1);
	check_cost(run.profile, "elapsedTime", "[\"b\"]", 0, 4, 4);
	check_cost(run.profile, "averageIPC", "[\"a\"]", 0, 1.5, 1.5);
	done(&env, &run);
}

/* Since DLB 3.5 regions are in "Application"; TALP-Pages adds the source's version. */
static void
test_pages(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, PH_SOURCE_DIR "/tests/data/harness/talp-pages/strong/4x2/talp_4x2.json", &run);
	assert_int_equal(run.profile->n_nodes, 2);
	check_cost(run.profile, "elapsedTime", "[\"Global\"]", 0, 3, 1);
	check_cost(run.profile, "elapsedTime", "[\"Global\", \"solve\"]", 0, 2, 2);
	assert_int_equal(run.n_ranks, 4);
	assert_string_equal(ph_meta_get(&run.meta, "commit"), "3e01c40");
	assert_string_equal(ph_meta_get(&run.meta, "branch"), "main");
	assert_string_equal(ph_meta_get(&run.meta, "started_at"), "2026-11-28T08:00:00+0000");
	assert_string_equal(ph_meta_get(&run.meta, "talp.cpus"), "8");
	assert_null(ph_meta_get(&run.meta, "talp_pages.default_branch"));
	done(&env, &run);
}

static void
test_bad_values(void **state)
{
	static const BadCase cases[] = {
		{NULL, "{\"a\": 1}", PH_ERR_FORMAT, "there are no metrics of regions"},
		{NULL, "{\"popMetrics\": {}}", PH_ERR_VALUE, ""},
		{NULL, "{\"popMetrics\": [{\"elapsedTime\": 1}]}", PH_ERR_FORMAT,
		 "input:1:17: a region has no name"},
		{"\"solve\": {", "\"\": {", PH_ERR_FORMAT, "input:10:9: a region has no name"},
		{"0.75", "0.75x", PH_ERR_FORMAT, "input:16:"},
		{"\"avgCpus\": 7.5", "\"\": 7.5", PH_ERR_FORMAT, "a value has no name"},
	};
	(void) state;
	check_bad_cases(READ_TALP, SMALL, cases, COUNT(cases));
}

static bool
is_boundary(const char *text, size_t cut)
{
	return text[cut] == '\n' && text[cut + 1] == '\0'; /* behind the object */
}

static void
test_cuts(void **state)
{
	(void) state;
	check_unproven_cuts(READ_TALP, SMALL, is_boundary);
}

static void
test_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_TALP, SMALL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small), cmocka_unit_test(test_list),
		cmocka_unit_test(test_pages), cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_cuts),  cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
