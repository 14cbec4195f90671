/*
 * test_serve_fair.c - whose job is next.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/fair.h"
#include "support/forest.h"

static void
test_order(void **unused)
{
	static const uint64_t idle[] = {0, 0, 0}, one[] = {7, 0, 0}, two[] = {7, 7, 0},
						  both[] = {7, 8, 0};
	static const uint64_t waiting[] = {7, 7, 8, 9};

	(void) unused;
	assert_int_equal(ph_fair_choose(waiting, 4, idle, 3), 0); /* who came first */
	assert_int_equal(ph_fair_choose(waiting, 4, one, 3), 2);  /* the first who has nothing */
	assert_int_equal(ph_fair_choose(waiting, 4, both, 3), 3);
	assert_int_equal(ph_fair_choose(waiting, 2, one, 3), 0); /* nobody else wants it */
	assert_int_equal(ph_fair_choose(waiting, 2, two, 3), 2); /* one is left for others */
	assert_int_equal(ph_fair_choose(waiting, 4, two, 3), 2);
	assert_int_equal(ph_fair_choose(waiting, 2, idle, 1), 0); /* a single worker is for all */
	assert_int_equal(ph_fair_choose(waiting, 0, idle, 3), 0);
}

/* However much one client asks for, every other waits for no more than its turn. */
static void
test_flood(void **unused)
{
	Random random = {11};

	(void) unused;
	for (int round = 0; round < 2000; round++)
	{
		uint64_t waiting[40], busy[8] = {0};
		size_t workers = 2 + random_below(&random, 6), n = 0, flooded = 0;

		for (; n < 39; n++)
			waiting[n] = random_below(&random, 8) == 0 ? 2 + random_below(&random, 5) : 1;
		waiting[n++] = 99;
		for (size_t w = 0; w < workers; w++)
		{
			size_t at = ph_fair_choose(waiting, n, busy, workers);

			if (at == n)
				break;
			busy[w] = waiting[at];
			flooded += waiting[at] == 1;
			n--;
			for (size_t i = at; i < n; i++)
				waiting[i] = waiting[i + 1];
		}
		assert_true(flooded < workers);
	}
}

static void
test_clients(void **unused)
{
	(void) unused;
	assert_true(ph_fair_client("abcd", 4, NULL) == ph_fair_client("abcd", 4, NULL));
	assert_true(ph_fair_client("abcd", 4, NULL) != ph_fair_client("abce", 4, NULL));
	assert_true(ph_fair_client("abcd", 4, "x") != ph_fair_client("abcd", 4, "y"));
	assert_true(ph_fair_client("", 0, NULL) != 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_flood),
									   cmocka_unit_test(test_clients)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
