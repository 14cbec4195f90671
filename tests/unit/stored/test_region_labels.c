/*
 * test_region_labels.c - labels come as they were written; bytes that end too early are refused.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "stored/region_labels.h"

/* Two regions: -5 with a module and without a line, 7 with all else. */
static const uint8_t two[] = "\xff\xff\xff\xff\xff\xff\xff\xfb\0\0\0\1\xff\xff\xff\xff"
							 "m\0\0\0"
							 "\0\0\0\0\0\0\0\7\0\0\0\0\0\0\1\2"
							 "\0/a/b.c\0openmp";
#define FIRST_SIZE 20

static void
labels_come_back(void **state)
{
	(void) state;
	PhEnv env;
	PhRegionLabel label;
	PhBytes rest = {two, sizeof(two)};
	ph_env_init_malloc(&env);
	assert_int_equal(ph_region_label_take(&env, &rest, &label), PH_OK);
	assert_int_equal(label.region_id, -5);
	assert_int_equal(label.local_id, 1);
	assert_int_equal(label.line, -1);
	assert_string_equal(label.module, "m");
	assert_string_equal(label.raw_file, "");
	assert_string_equal(label.paradigm, "");
	assert_int_equal(ph_region_label_take(&env, &rest, &label), PH_OK);
	assert_int_equal(label.region_id, 7);
	assert_int_equal(label.local_id, 0);
	assert_int_equal(label.line, 258);
	assert_string_equal(label.module, "");
	assert_string_equal(label.raw_file, "/a/b.c");
	assert_string_equal(label.paradigm, "openmp");
	assert_int_equal(rest.size, 0);
}

/* In memory of their own, so that a read beyond them is seen. */
static void
cut_ones_are_refused(void **state)
{
	(void) state;
	for (size_t size = 1; size < sizeof(two); size++)
	{
		PhEnv env;
		PhRegionLabel label;
		uint8_t *bytes = malloc(size);
		PhBytes rest = {bytes, size};
		assert_non_null(bytes);
		memcpy(bytes, two, size);
		ph_env_init_malloc(&env);
		PhStatus status = ph_region_label_take(&env, &rest, &label);
		assert_int_equal(status, size < FIRST_SIZE ? PH_ERR_FORMAT : PH_OK);
		if (status == PH_OK && rest.size > 0)
			assert_int_equal(ph_region_label_take(&env, &rest, &label), PH_ERR_FORMAT);
		free(bytes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_come_back),
		cmocka_unit_test(cut_ones_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
