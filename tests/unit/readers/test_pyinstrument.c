/*
 * test_pyinstrument.c - pyinstrument's JSON: answers by hand, Hatchet's numbers of a real one.
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
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

#define SMALL TOOLS "small.pyinstrument.json"
#define REAL                                                                                       \
	SHARED "/data/peers/hatchet/pyinstrument-hatchet-json/pyinstrument-hatchet-profile.json"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Equal siblings are one node; [self] is none. */
static void
test_small(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, SMALL, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_nodes, 3);
	check_cost(profile, "time", "[\"<module>\"]", 0, 1.5, 0.5);
	check_cost(profile, "time", "[\"<module>\", \"solve\"]", 0, 1, 0.25);
	check_cost(profile, "time", "[\"<module>\", \"solve\", \"d\u00f6t\"]", 0, 0.75, 0.75);
	uint32_t dot = find_node(profile, "[\"<module>\", \"solve\", \"d\u00f6t\"]");
	assert_string_equal(ph_profile_string(profile, ph_profile_region(profile, dot)->file),
						"linalg/dot.py");
	assert_int_equal(ph_profile_region(profile, dot)->line, 3);
	assert_string_equal(ph_meta_get(&run.meta, "application"), "model.py");
	assert_string_equal(ph_meta_get(&run.meta, "started_at"), "1601984370.032729");
	assert_int_equal(ph_run_completeness(&ph_reader_pyinstrument, &run), PH_COMPLETENESS_COMPLETE);
	done(&env, &run);
}

/* Sums are those of Hatchet 2026.2. */
static void
test_real(void **state)
{
	PhEnv env;
	PhRunInput run;
	double self = 0, total = 0;
	(void) state;
	skip_without_shared();
	must_read(&env, REAL, &run);
	const PhProfile *profile = run.profile;
	uint32_t time = find_metric(profile, "time");
	for (uint32_t i = 0; i < profile->n_nodes; i++)
	{
		self += ph_profile_cell(profile, time, i, 0, PH_COST_EXCLUSIVE);
		total += ph_profile_cell(profile, time, i, 0, PH_COST_INCLUSIVE);
	}
	assert_int_equal(profile->n_nodes, 110);
	assert_true(fabs(self - 0.478150) < 1e-5);
	assert_true(fabs(total - 3.518396) < 1e-5);
	done(&env, &run);
}

static void
test_bad_values(void **state)
{
	static const BadCase cases[] = {
		{NULL, "{\"sample_count\": 0, \"start_time\": 1, \"root_frame\": null}", PH_ERR_VALUE,
		 "nothing was sampled"},
		{"\"time\": 0.5", "\"time\": -0.5", PH_ERR_FORMAT, "input:19:11: a time is negative"},
		{"\"time\": 0.5", "\"time\": \"x\"", PH_ERR_FORMAT, "input:19:"},
		{"\"time\": 0.5, ", "", PH_ERR_FORMAT, "input:19:11: a frame has no function or no time"},
		{"\"function\": \"solve\", ", "", PH_ERR_FORMAT, "input:14:7: a frame has no function"},
		{"\"function\": \"solve\"", "\"function\": \"s\xff\"", PH_ERR_FORMAT, "UTF-8"},
		{"\"line_no\": 7", "\"line_no\": {}", PH_ERR_FORMAT, "input:15:"},
	};
	(void) state;
	check_bad_cases(READ_PYINSTRUMENT, SMALL, cases, COUNT(cases));
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
	check_unproven_cuts(READ_PYINSTRUMENT, SMALL, is_no_boundary);
}

/* Children below children below ... */
static void
test_depth(void **state)
{
	static const char begin[] = "{\"sample_count\": 1, \"start_time\": 1, \"root_frame\": ";
	static const char frame[] = "{\"function\": \"f\", \"time\": 1, \"children\": [";
	enum
	{
		DEPTH = 20000
	};
	char *text = calloc(1, sizeof(begin) + DEPTH * sizeof(frame) + 2 * DEPTH + 8), *at = text;
	PhEnv env;
	PhRunInput run;
	(void) state;
	at = stpcpy(at, begin);
	for (int i = 0; i < DEPTH; i++)
		at = stpcpy(at, frame);
	for (int i = 0; i < DEPTH; i++)
		at = stpcpy(at, "]}");
	strcpy(at, "}");
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_PYINSTRUMENT, text, strlen(text), &run), PH_OK);
	assert_int_equal(run.profile->n_nodes, DEPTH);
	done(&env, &run);
	free(text);
}

static void
test_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_PYINSTRUMENT, SMALL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),	   cmocka_unit_test(test_real),
		cmocka_unit_test(test_bad_values), cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_depth),	   cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
