/*
 * test_flame_diff_boxes.c - differential flame graphs for pictures: of the union's call paths each
 * is drawn or counted, and no rise hides a fall.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "profile/rows/rows.h"
#include "support/fault_env.h"
#include "support/random_profile.h"

#define must(expression) assert_int_equal(expression, PH_OK)

static bool
close_to(double x, double y)
{
	return fabs(x - y) <= 1e-9 * (1 + fabs(x) + fabs(y));
}

/* What is left of all rises and falls when those of the rows are taken away. */
static void
check_signs(const PhFlameRow *whole, uint32_t n_whole, const PhFlameRow *rows, uint32_t n_rows)
{
	double more = 0, less = 0;
	for (uint32_t i = 0; i < n_whole; i++)
	{
		more += fmax(whole[i].self - whole[i].self_before, 0);
		less += fmax(whole[i].self_before - whole[i].self, 0);
	}
	for (uint32_t i = 0; i < n_rows; i++)
	{
		double change = rows[i].self - rows[i].self_before;
		more -= rows[i].n_others > 0 ? rows[i].more : fmax(change, 0);
		less -= rows[i].n_others > 0 ? rows[i].less : fmax(-change, 0);
	}
	assert_true(close_to(more, 0) && close_to(less, 0));
}

/* Rows in the order of a walk, each worth its self cost and the rows above it. */
static void
check_sums(const PhFlameRow *rows, uint32_t n_rows)
{
	for (uint32_t i = 0; i < n_rows; i++)
	{
		double sum = rows[i].self, before = rows[i].self_before;
		for (uint32_t j = i + 1; j < n_rows && rows[j].level > rows[i].level; j++)
			if (rows[j].level == rows[i].level + 1)
			{
				sum += rows[j].value;
				before += rows[j].value_before;
			}
		assert_true(close_to(sum, rows[i].value) && close_to(before, rows[i].value_before));
	}
}

static void
nothing_is_lost_or_cancels_out(void **state)
{
	uint32_t n_sums = 0, n_both = 0;
	PhEnv env;
	PhArena arena;
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (uint64_t seed = 1; seed <= 400; seed++)
	{
		RandomNumbers numbers = {seed};
		PhProfile *a, *b;
		PhFlameRow *whole, *rows;
		uint32_t n_whole, n_rows, n_paths = 0;
		double least = numbers_below(&numbers, 300) / 1000.0;
		must(random_profile(&env, &numbers, 40, 3, &a));
		must(random_profile(&env, &numbers, 40, 3, &b));
		must(ph_rows_flame_diff(&arena, a, b, "time", &whole, &n_whole));
		must(ph_rows_flame_diff_boxes(&arena, a, b, "time", least, &rows, &n_rows));
		for (uint32_t i = 0; i < n_rows; i++)
		{
			n_paths += rows[i].n_others > 0 ? rows[i].n_others : 1;
			n_sums += rows[i].n_others > 0;
			n_both += rows[i].n_others > 0 && rows[i].more > 0 && rows[i].less > 0;
			assert_true(rows[i].n_others > 0 || i == 0 || rows[i].value_before > 0 ||
						rows[i].value >= least * rows[0].value);
		}
		assert_int_equal(n_paths, n_whole);
		check_signs(whole, n_whole, rows, n_rows);
		check_sums(rows, n_rows);
		ph_profile_free(&env, a);
		ph_profile_free(&env, b);
		ph_arena_drop(&arena);
	}
	assert_true(n_sums > 100 && n_both > 0);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
fold(PhEnv *env, void *user)
{
	RandomNumbers numbers = {3};
	PhProfile *profile;
	PhFlameRow *rows;
	PhArena arena;
	uint32_t n_rows;
	(void) user;
	PH_TRY(random_profile(env, &numbers, 12, 2, &profile));
	ph_arena_init(&arena, env);
	PhStatus status = ph_rows_flame_diff_boxes(&arena, profile, profile, NULL, 0.1, &rows, &n_rows);
	ph_arena_drop(&arena);
	ph_profile_free(env, profile);
	return status;
}

static void
faults_leave_nothing(void **state)
{
	(void) state;
	assert_string_equal(fault_env_try_allocations(fold, NULL, 0), "");
	assert_string_equal(fault_env_try_interrupts(fold, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_or_cancels_out),
		cmocka_unit_test(faults_leave_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
