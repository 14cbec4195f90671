/*
 * test_chiefs.c - ranks that stand out, against all divisions one by one; planted ones; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "blame/chiefs.h"
#include "support/fault_env.h"
#include "support/forest.h"
#include "support/rounds.h"

#define MOST 16384
#define N_CASES rounds(2000)

static PhEnv env;
static double amounts[MOST];
static bool is_chief[MOST];

static uint32_t
find(uint32_t n)
{
	uint32_t n_chiefs = 99;
	PhArena arena;
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_chiefs(&arena, n, amounts, is_chief, &n_chiefs), PH_OK);
	ph_arena_drop(&arena);
	return n_chiefs;
}

/* ---- all divisions ---- */

typedef struct Group
{
	uint32_t n;
	double sum, squares;
} Group;

static Group
group_of(uint32_t n, double least, double below)
{
	Group group = {0, 0, 0};
	for (uint32_t i = 0; i < n; i++)
		if (amounts[i] >= least && amounts[i] < below)
		{
			group.n++;
			group.sum += amounts[i];
			group.squares += amounts[i] * amounts[i];
		}
	return group;
}

/* Of the squares of a group what is about its mean. */
static double
scatter(const Group *group)
{
	return group->n == 0 ? 0 : group->squares - group->sum * group->sum / group->n;
}

/* The largest amount from which on there are few that have half of all, and half as much again as
 * is fair. */
static double
plain_half(uint32_t n)
{
	double largest = 1e30;
	for (uint32_t i = 0; i < n; i++)
	{
		Group more = group_of(n, amounts[i], 1e30), all = group_of(n, -1, 1e30);
		bool is_largest = largest == 1e30 || amounts[i] > largest;
		if (2 * more.n <= n && 2 * more.sum >= all.sum && more.sum * n >= 1.5 * more.n * all.sum &&
			is_largest)
			largest = amounts[i];
	}
	return largest;
}

/* The least amount of those that stand out; above all of them: none do. */
static double
plain_least(uint32_t n)
{
	double best = 1e30, division = 0, least = 1e30;
	for (uint32_t i = 0; i < n; i++)
	{
		Group more = group_of(n, amounts[i], 1e30), less = group_of(n, -1, amounts[i]);
		double scatters = scatter(&more) + scatter(&less);
		if (less.n == 0 || scatters > best + 1e-4 ||
			(scatters > best - 1e-4 && amounts[i] <= division)) /* of equal ones that with fewer */
			continue;
		best = scatters;
		division = amounts[i];
		double ratio = more.sum / more.n / (less.sum / less.n),
			   share = more.sum / (more.sum + less.sum);
		bool is_out = (share >= 0.5 && ratio >= 2) || (share >= 0.2 && ratio >= 3);
		least = 2 * more.n <= n && is_out ? amounts[i] : 1e30;
	}
	return least < 1e30 ? least : plain_half(n);
}

static void
test_random_amounts(void **state)
{
	Random random = {77};
	uint32_t n_found = 0;
	(void) state;
	for (uint32_t round = 0; round < N_CASES; round++)
	{
		uint32_t n = 1 + random_below(&random, 40), most = 1 + random_below(&random, 60),
				 counted = 0;
		for (uint32_t i = 0; i < n; i++)
			amounts[i] =
				1 + random_below(&random, random_below(&random, 5) == 0 ? 20 * most : most);
		uint32_t n_chiefs = find(n);
		double least = plain_least(n);
		for (uint32_t i = 0; i < n; i++)
		{
			assert_int_equal(is_chief[i], amounts[i] >= least);
			counted += is_chief[i];
		}
		assert_int_equal(n_chiefs, counted);
		n_found += n_chiefs > 0;
	}
	assert_true(n_found > N_CASES / 10 && n_found < N_CASES);
}

/* ---- planted ones ---- */

static void
fill(uint32_t n, uint32_t seed)
{
	Random random = {seed};
	for (uint32_t i = 0; i < n; i++)
		amounts[i] = 50 + random_below(&random, 101);
}

/* One of 16,384 with a quarter of it all, thirty-two with half, every other one, and nobody; a row.
 */
static void
test_planted(void **state)
{
	(void) state;
	fill(MOST, 1);
	assert_int_equal(find(MOST), 0);
	amounts[777] = 100.0 * MOST / 3;
	assert_int_equal(find(MOST), 1);
	assert_true(is_chief[777]);
	fill(MOST, 2);
	for (uint32_t i = 128; i < 160; i++)
		amounts[i] = 100.0 * MOST / 32;
	assert_int_equal(find(MOST), 32);
	assert_true(is_chief[128] && is_chief[159] && !is_chief[160]);
	fill(MOST, 3);
	for (uint32_t i = 1; i < MOST; i += 2)
		amounts[i] += 900;
	assert_int_equal(find(MOST), MOST / 2);
	for (uint32_t i = 0; i < 32; i++)
		amounts[i] = i; /* a cascade */
	assert_int_equal(find(32), 16);
	assert_true(is_chief[16] && !is_chief[15]);
	fill(8, 4);
	amounts[2] = 300;
	assert_int_equal(find(8), 1);
}

static void
test_few(void **state)
{
	(void) state;
	assert_int_equal(find(0), 0);
	amounts[0] = 7;
	assert_int_equal(find(1), 0);
	amounts[1] = 7;
	assert_int_equal(find(2), 0);
	amounts[0] = 0;
	assert_int_equal(find(2), 1);
	assert_true(is_chief[1]);
	amounts[1] = 0;
	assert_int_equal(find(2), 0);
}

/* ---- faults ---- */

static PhStatus
try_chiefs(PhEnv *faulty, void *user)
{
	PhArena arena;
	uint32_t n_chiefs;
	(void) user;
	ph_arena_init(&arena, faulty);
	PhStatus status = ph_chiefs(&arena, 64, amounts, is_chief, &n_chiefs);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	fill(64, 5);
	assert_string_equal(fault_env_try_allocations(try_chiefs, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_amounts),
									   cmocka_unit_test(test_planted), cmocka_unit_test(test_few),
									   cmocka_unit_test(test_faults)};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
