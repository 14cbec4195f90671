/*
 * test_gathered.c - what names of metrics tell: families over ranks, and the number of calls.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "profile/gathered.h"

static void
names_tell_family_and_part(void **unused)
{
	static const struct
	{
		const char *name, *family;
		PhFamilyPart part;
	} cases[] = {
		{"Max time/rank", "time", PH_PART_MAX},
		{"Min time/rank", "time", PH_PART_MIN},
		{"Avg time/rank", "time", PH_PART_MEAN},
		{"Total time", "time", PH_PART_TOTAL},
		{"time", "time", PH_PART_TOTAL},
		{"Calls/rank (avg)", "Calls", PH_PART_MEAN},
		{"Calls/rank (max)", "Calls", PH_PART_MAX},
		{"Calls (total)", "Calls", PH_PART_TOTAL},
		{"max#sum#time.duration", "time", PH_PART_MAX},
		{"avg#sum#time.duration", "time", PH_PART_MEAN},
		{"sum#sum#time.duration", "time", PH_PART_TOTAL},
		{"sum#region.count", "region.count", PH_PART_TOTAL},
		{"max#time.duration", "", PH_PART_TOTAL}, /* within a rank */
		{"Message size (max)", "", PH_PART_MAX},  /* not over ranks */
		{"minutes", "minutes", PH_PART_TOTAL},
		{"", "", PH_PART_TOTAL},
		{"a name that is much longer than any family of metrics over ranks will ever be", "",
		 PH_PART_TOTAL},
	};
	(void) unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		char family[PH_FAMILY_MAX];
		PhFamilyPart part = ph_metric_family(cases[i].name, family);
		if (strcmp(family, cases[i].family) != 0 || part != cases[i].part)
			fail_msg("\"%s\" is part %d of \"%s\"", cases[i].name, part, family);
	}
}

static void
some_names_count_calls(void **unused)
{
	(void) unused;
	assert_int_equal(ph_names_calls("visits"), 0);
	assert_int_equal(ph_names_calls("calls"), 1);
	assert_int_equal(ph_names_calls("Calls (total)"), 1);
	assert_int_equal(ph_names_calls("sum#region.count"), 2);
	assert_int_equal(ph_names_calls("count"), PH_NONE);
	assert_int_equal(ph_names_calls("Calls/rank (max)"), PH_NONE);
	assert_int_equal(ph_names_calls("cube visits"), PH_NONE);
	assert_int_equal(ph_names_calls("time"), PH_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_tell_family_and_part),
		cmocka_unit_test(some_names_count_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
