/*
 * test_id_set.c - interning's set of ids finds what was added to it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/store/id_set.h"

static void
id_set_finds_what_was_added(void **state)
{
	PhIdSet set = {0};
	PhEnv env;
	(void) state;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_id_set_find(&set, 1, 1), PH_ID_NEW);
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(ph_id_set_add(&env, &set, i * 1024, i), PH_OK);
	for (uint64_t i = 0; i < 5000; i++)
	{
		assert_int_equal(ph_id_set_find(&set, i * 1024, i), PH_ID_KNOWN);
		assert_int_equal(ph_id_set_find(&set, i * 1024, i + 7), PH_ID_COLLISION);
		assert_int_equal(ph_id_set_find(&set, i * 1024 + 1, i), PH_ID_NEW);
	}
	assert_int_equal(set.n_used, 5000);
	assert_int_equal(ph_id_set_add(&env, &set, 1024, 1), PH_OK);
	assert_int_equal(set.n_used, 5000);
	ph_id_set_free(&env, &set);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(id_set_finds_what_was_added),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
