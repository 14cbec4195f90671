/*
 * test_level.c - level and spread of measurements: planted ones are found, whatever steps there
 * are.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "statistics/level.h"
#include "support/fault_env.h"

#define LENGTH 32

/* splitmix64 */
static uint64_t
next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static double
normal(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double) (next_random(state) >> 11) * 0x1p-53;
	return sum - 6;
}

static PhLevel
level_of(const double *values, uint32_t n)
{
	PhEnv env;
	PhArena arena;
	PhLevel level;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_level_find(&arena, values, n, &level), PH_OK);
	ph_arena_drop(&arena);
	assert_int_equal(level.n, n);
	return level;
}

static void
says_what_it_does_not_know(void **state)
{
	const double values[] = {3, 5};
	const double constant[] = {7, 7, 7, 7, 7, 7, 7, 7};
	PhLevel level = level_of(values, 0);

	(void) state;
	assert_true(isnan(level.level) && isnan(level.spread) && level.degrees == 0);
	level = level_of(values, 2);
	assert_true(level.level == 4 && isnan(level.spread) && level.degrees == 0);
	level = level_of(constant, 8);
	assert_true(level.level == 7 && level.spread == 0 && level.degrees >= 4);
}

/* Of 500 series with a step of 20 times the noise and an outlier, both are found. */
static void
finds_planted_levels_and_spreads(void **state)
{
	uint64_t random = 9;
	int n_near = 0, n_right = 0;

	(void) state;
	for (int round = 0; round < 500; round++)
	{
		double values[LENGTH];
		int step = 4 + (int) (next_random(&random) % (LENGTH - 12 - 4));
		PhLevel level;

		for (int i = 0; i < LENGTH; i++)
			values[i] = (i < step ? 100 : 140) + 2 * normal(&random);
		values[next_random(&random) % LENGTH] += 60;
		level = level_of(values, LENGTH);
		n_right += level.spread > 1.2 && level.spread < 4;
		n_near += fabs(level.level - 140) < 4;
		assert_true(level.degrees > 4 && level.degrees <= LENGTH);
	}
	print_message("of 500: %d spreads within 0.6 to 2 times the planted one, %d levels\n", n_right,
				  n_near);
	assert_true(n_right >= 440);
	assert_true(n_near > 490);
}

/* Steps that come back and outliers, five of 25 values 20 times the noise away: each kind alone. */
static void
looks_between_steps(void **state)
{
	uint64_t random = 12;
	int n_right[2] = {0};

	(void) state;
	for (int round = 0; round < 1000; round++)
	{
		double values[25];
		int slow = 4 + (int) (next_random(&random) % 13);

		for (int i = 0; i < 25; i++)
			values[i] = 100 + 2 * normal(&random);
		for (int i = 0; i < 5; i++)
			values[round % 2 == 0 ? slow + i : (slow + 5 * i) % 25] += 40;
		double spread = level_of(values, 25).spread;
		n_right[round % 2] += spread > 1.2 && spread < 4;
	}
	print_message("of 500: %d with a block of slow values, %d with single ones\n", n_right[0],
				  n_right[1]);
	assert_true(n_right[0] >= 470 && n_right[1] >= 460);
}

/* What is no minority is noise: eight of 25 values that come at random. */
static void
takes_what_comes_often_for_noise(void **state)
{
	uint64_t random = 13;

	(void) state;
	for (int round = 0; round < 200; round++)
	{
		double values[25];

		for (int i = 0; i < 25; i++)
			values[i] = 100 + 2 * normal(&random) + (i % 3 == 1 ? 40 : 0);
		assert_true(level_of(values, 25).spread > 12);
	}
}

/* Without steps, of short series too: never far too much. */
static void
is_right_of_short_series(void **state)
{
	uint64_t random = 11;
	int n_right = 0;

	(void) state;
	for (int round = 0; round < 500; round++)
	{
		double values[8];
		PhLevel level;

		for (int i = 0; i < 8; i++)
			values[i] = 10 + normal(&random);
		level = level_of(values, 8);
		n_right += level.spread > 0.4 && level.spread < 2;
	}
	assert_true(n_right >= 480);
}

/* Neighbours that are alike hide part of the noise from differences: it is put back. */
static void
knows_of_autocorrelation(void **state)
{
	uint64_t random = 10;
	double spread = 0, correlation = 0;

	(void) state;
	for (int round = 0; round < 300; round++)
	{
		double values[LENGTH], last = normal(&random);
		PhLevel level;

		for (int i = 0; i < LENGTH; i++)
			values[i] = 50 + (last = 0.5 * last + sqrt(0.75) * normal(&random));
		level = level_of(values, LENGTH);
		spread += level.spread / 300;
		correlation += level.autocorrelation / 300;
	}
	print_message("AR(1), 0.5: spread %.2f, autocorrelation %.2f\n", spread, correlation);
	assert_true(spread > 0.75 && spread < 1.25);
	assert_true(correlation > 0.2 && correlation < 0.7);
}

static PhStatus
find_one(PhEnv *env, void *user)
{
	const double values[] = {1, 2, 3, 2, 1, 2, 3, 2, 1};
	PhArena arena;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = ph_level_find(&arena, values, 9, user);
	ph_arena_drop(&arena);
	return status;
}

static void
survives_failing_allocations(void **state)
{
	PhLevel level;

	(void) state;
	assert_string_equal(fault_env_try_allocations(find_one, &level, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_it_does_not_know),
		cmocka_unit_test(finds_planted_levels_and_spreads),
		cmocka_unit_test(looks_between_steps),
		cmocka_unit_test(takes_what_comes_often_for_noise),
		cmocka_unit_test(is_right_of_short_series),
		cmocka_unit_test(knows_of_autocorrelation),
		cmocka_unit_test(survives_failing_allocations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
