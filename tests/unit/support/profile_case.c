/*
 * profile_case.c - what tests of profile operations share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/mixed.h"
#include "support/profile_case.h"

PhEnv case_env;

int
case_begin(void **state)
{
	(void) state;
	ph_env_init_malloc(&case_env);
	return 0;
}

int
case_end(void **state)
{
	(void) state;
	assert_int_equal(case_env.bytes, 0);
	return 0;
}

PhProfile *
case_mixed(uint64_t seed, bool whole)
{
	Mixed input;
	PhProfile *profile;
	mixed_random(seed, whole, &input);
	assert_int_equal(mixed_profile(&case_env, &input, NULL, &profile), PH_OK);
	return profile;
}

void
case_sound(const PhProfile *profile)
{
	uint32_t where = 0;
	if (ph_profile_check(&case_env, profile) != PH_OK)
		fail_msg("%s", case_env.error.message);
	if (!flow_holds(profile, 1e-7, &where))
		fail_msg("flow is broken at node %u", where);
}
