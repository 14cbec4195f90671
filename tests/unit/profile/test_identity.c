/*
 * test_identity.c - golden values of the stored ids: a change here breaks every warehouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/profile.h"

static void
regions_have_their_pinned_ids(void **state)
{
	(void) state;
	assert_int_equal(ph_hash_region(PH_KIND_FUNCTION, "main", NULL, NULL, PH_NO_NUMBER),
					 UINT64_C(0x46117121548580d9));
	assert_int_equal(ph_hash_region(PH_KIND_FUNCTION, "MPI_Send", "/lib/libmpi.so", "send.c", 12),
					 UINT64_C(0x69ab09756204ae20));
	assert_int_equal(ph_hash_region(PH_KIND_LOOP, "loop", NULL, "solve.c", 30),
					 UINT64_C(0x749f39a3063b67ad));
	assert_int_equal(ph_hash_region(PH_KIND_STATEMENT, "statement", "", "solve.c", 31),
					 UINT64_C(0x4f2d7485069e372b));
}

static void
call_paths_have_their_pinned_ids(void **state)
{
	(void) state;
	assert_int_equal(ph_hash_callpath(0, 1), UINT64_C(0x4cb6ccb0ac837395));
	assert_int_equal(ph_hash_callpath(UINT64_C(0xfedcba9876543210), UINT64_C(0x0123456789abcdef)),
					 UINT64_C(0xeac63fad5304912a));
}

static void
only_identity_counts(void **state)
{
	(void) state;
	uint64_t id = ph_hash_region(PH_KIND_FUNCTION, "f", "l", "x.c", 3);
	assert_int_equal(id, ph_hash_region(PH_KIND_FUNCTION, "f", "l", "x.c", 99));
	assert_int_equal(ph_hash_region(PH_KIND_FUNCTION, "f", NULL, "", 0),
					 ph_hash_region(PH_KIND_FUNCTION, "f", "", NULL, PH_NO_NUMBER));
	assert_int_not_equal(id, ph_hash_region(PH_KIND_REGION, "f", "l", "x.c", 3));
	/* what moves from one field into the next is another identity */
	assert_int_not_equal(ph_hash_region(PH_KIND_FUNCTION, "ab", "c", "", 0),
						 ph_hash_region(PH_KIND_FUNCTION, "a", "bc", "", 0));
	assert_int_not_equal(ph_hash_region(PH_KIND_LOOP, "f", "l", "x.c", 3),
						 ph_hash_region(PH_KIND_LOOP, "f", "l", "x.c", 4));
}

static void
call_paths_differ_by_parent_and_region(void **state)
{
	(void) state;
	assert_int_not_equal(ph_hash_callpath(1, 2), ph_hash_callpath(2, 1));
	assert_int_not_equal(ph_hash_callpath(0, 2), ph_hash_callpath(1, 2));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_have_their_pinned_ids),
		cmocka_unit_test(call_paths_have_their_pinned_ids),
		cmocka_unit_test(only_identity_counts),
		cmocka_unit_test(call_paths_differ_by_parent_and_region),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
