/*
 * test_replay_ranks.c - which ranks a change is about, as text.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/changes.h"

static PhEnv env;

static void
test_ranks(void **state)
{
	(void) state;
	static const struct
	{
		const char *ranks;
		uint32_t rank, distance;
		PhStatus status;
		bool is;
	} cases[] = {{NULL, 5, 1, PH_OK, true},			{"odd", 5, 1, PH_OK, true},
				 {"even", 5, 1, PH_OK, false},		{"odd", 9, 8, PH_OK, true},
				 {"odd", 17, 8, PH_OK, false},		{"odd", 3, 0, PH_OK, true},
				 {"0", 0, 1, PH_OK, true},			{"1,4-7", 6, 1, PH_OK, true},
				 {"1,4-7", 3, 1, PH_OK, false},		{"", 0, 1, PH_ERR_VALUE, false},
				 {"a", 0, 1, PH_ERR_VALUE, false},	{"1,", 0, 1, PH_ERR_VALUE, false},
				 {"1-", 0, 1, PH_ERR_VALUE, false}, {"99999999999", 0, 1, PH_ERR_VALUE, false},
				 {"1 2", 0, 1, PH_ERR_VALUE, false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
	{
		bool is = false;
		PhStatus status =
			ph_rank_is_one_of(&env, cases[i].ranks, cases[i].rank, cases[i].distance, &is);
		assert_int_equal(status, cases[i].status);
		assert_int_equal(is, cases[i].is);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks)};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
