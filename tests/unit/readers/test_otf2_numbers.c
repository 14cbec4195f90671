/*
 * test_otf2_numbers.c - the arithmetic of the OTF2 reader: ticks to nanoseconds, numbers of
 * definitions to positions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "readers/otf2/archive.h"

/* ---- ticks ---- */

static int64_t
slow_ns(uint64_t time, uint64_t offset, uint64_t resolution)
{
	__extension__ typedef __int128 Wide;
	Wide product = ((Wide) time - (Wide) offset) * 1000000000;
	Wide ns = product / (Wide) resolution;

	return (int64_t) (product < 0 && product % (Wide) resolution != 0 ? ns - 1 : ns);
}

static void
converts_ticks_exactly(void **state)
{
	static const uint64_t resolutions[] = {1,		   3,			1000,		 1000000,
										   999999937,  1000000000,	1000000001,	 2000000645,
										   3999999999, 18446744073, 18446744074, 100000000000};
	uint64_t random = 12345;

	(void) state;
	for (size_t r = 0; r < sizeof(resolutions) / sizeof(resolutions[0]); r++)
	{
		uint64_t offset = r % 2 == 0 ? 0 : UINT64_C(9960445677715);
		uint64_t time = offset < 5000 ? 0 : offset - 5000;
		PhTicks ticks;

		assert_true(ph_ticks_init(&ticks, offset, resolutions[r]));
		for (int i = 0; i < 20000; i++)
		{
			uint64_t most = resolutions[r] > 1000000 ? UINT64_C(1) << 40 : UINT64_C(1) << 20;

			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			time += (random >> 33) % (i % 100 == 0 ? most : 3000);
			assert_int_equal(ph_ticks_ns(&ticks, time), slow_ns(time, offset, resolutions[r]));
		}
	}
}

static void
knows_the_limits_of_time(void **state)
{
	PhTicks ticks;

	(void) state;
	assert_false(ph_ticks_init(&ticks, 0, 0));
	assert_true(ph_ticks_init(&ticks, 0, 1));
	assert_int_equal(ph_ticks_ns(&ticks, UINT64_MAX), PH_TICKS_OUT_OF_RANGE);
	assert_true(ph_ticks_init(&ticks, 0, 2000000000));
	assert_int_equal(ph_ticks_ns(&ticks, UINT64_MAX - 1), PH_TICKS_OUT_OF_RANGE);
	assert_int_equal(ph_ticks_ns(&ticks, 3), 1);
	/* the last second before ticks wrap around */
	assert_true(ph_ticks_init(&ticks, UINT64_MAX - 10, 1000000000));
	assert_int_equal(ph_ticks_ns(&ticks, UINT64_MAX), 10);
	assert_int_equal(ph_ticks_ns(&ticks, UINT64_MAX - 5), 5);
}

/* ---- numbers of definitions ---- */

static void
finds_positions_of_any_numbers(void **state)
{
	static const uint32_t dense[] = {3, 0, 2};
	static const uint32_t sparse[] = {4000000000u, 7, UINT32_MAX - 1, 0};
	static const uint32_t twice[] = {1, 2, 1};
	static const uint32_t far_twice[] = {3000000000u, 2, 3000000000u};
	PhOtf2Ids ids;
	PhArena arena;
	PhEnv env;

	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_otf2_ids_make(&arena, dense, 3, "thing", &ids), PH_OK);
	assert_int_equal(ph_otf2_find(&ids, 3), 0);
	assert_int_equal(ph_otf2_find(&ids, 0), 1);
	assert_int_equal(ph_otf2_find(&ids, 1), PH_NONE);
	assert_int_equal(ph_otf2_find(&ids, 4), PH_NONE);
	assert_int_equal(ph_otf2_ids_make(&arena, sparse, 4, "thing", &ids), PH_OK);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(ph_otf2_find(&ids, sparse[i]), i);
	assert_int_equal(ph_otf2_find(&ids, UINT32_MAX), PH_NONE);
	assert_int_equal(ph_otf2_find(&ids, 8), PH_NONE);
	assert_int_equal(ph_otf2_ids_make(&arena, dense, 0, "thing", &ids), PH_OK);
	assert_int_equal(ph_otf2_find(&ids, 0), PH_NONE);
	assert_int_equal(ph_otf2_ids_make(&arena, twice, 3, "thing", &ids), PH_ERR_FORMAT);
	assert_string_equal(env.error.message, "thing 1 is defined twice");
	assert_int_equal(ph_otf2_ids_make(&arena, far_twice, 3, "thing", &ids), PH_ERR_FORMAT);
	ph_arena_drop(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(converts_ticks_exactly),
		cmocka_unit_test(knows_the_limits_of_time),
		cmocka_unit_test(finds_positions_of_any_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
