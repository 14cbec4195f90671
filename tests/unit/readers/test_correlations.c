/*
 * test_correlations.c - numbers of calls by correlation beside a list that is looked through.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "readers/spans/correlations.h"
#include "support/fault_env.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_SEQUENCES rounds(300)
#define MOST 700

static RandomNumbers numbers;

/*
 * What profilers might count: one by one, with repeats, exchanged neighbours, gaps that are small
 * or large, several counters by turns, numbers at random, and the largest there are.
 */
static uint64_t
next_correlation(uint32_t kind, uint64_t *counters)
{
	uint32_t of = kind == 4 ? numbers_below(&numbers, 3) : 0;
	uint64_t step = 1;
	if (kind == 1)
		step = numbers_below(&numbers, 3) == 0 ? 0 : 1;
	else if (kind == 2 && numbers_below(&numbers, 50) == 0)
		step = 100000;
	else if (kind == 3)
		return UINT64_MAX - numbers_below(&numbers, 1000);
	else if (kind == 5)
		return (uint64_t) numbers_below(&numbers, UINT32_MAX) << numbers_below(&numbers, 33);
	else if (kind == 6)
		step = 1 + numbers_below(&numbers, 12);
	counters[of] += step;
	return counters[of] - (numbers_below(&numbers, 4) == 0 ? counters[of] > 5 : 0);
}

typedef struct Sequence
{
	uint64_t keys[MOST];
	uint32_t n;
} Sequence;

static void
make_sequence(uint32_t kind, Sequence *out)
{
	uint64_t counters[3] = {numbers_below(&numbers, 100), 1u << 30, UINT64_C(1) << 50};
	out->n = 1 + numbers_below(&numbers, MOST);
	for (uint32_t i = 0; i < out->n; i++)
		out->keys[i] = next_correlation(kind, counters);
}

/* 1 + the place of the first of these that is the key; 0: none is. */
static uint32_t
slow_find(const Sequence *sequence, uint32_t n, uint64_t key)
{
	for (uint32_t i = 0; i < n; i++)
		if (sequence->keys[i] == key)
			return i + 1;
	return 0;
}

static PhStatus
enter_all(PhEnv *env, void *user)
{
	const Sequence *sequence = user;
	PhArena arena;
	PhCorrelations correlations;
	PhStatus status = PH_OK;
	uint32_t number;
	ph_arena_init(&arena, env);
	ph_correlations_init(&correlations, &arena);
	for (uint32_t i = 0; i < sequence->n && status == PH_OK; i++)
	{
		uint64_t other = sequence->keys[i] + numbers_below(&numbers, 5) - 2;
		status = ph_correlations_enter(&correlations, sequence->keys[i], i + 1, &number);
		if (status != PH_OK)
			break;
		assert_int_equal(number, slow_find(sequence, i + 1, sequence->keys[i]));
		status = ph_correlations_enter(&correlations, other, 0, &number);
		if (status == PH_OK)
			assert_int_equal(number, slow_find(sequence, i + 1, other));
	}
	ph_correlations_free(&correlations);
	ph_arena_drop(&arena);
	return status;
}

static void
test_sequences(void **state)
{
	(void) state;
	numbers.state = 11;
	for (uint32_t i = 0; i < N_SEQUENCES; i++)
	{
		Sequence sequence;
		PhEnv env;
		ph_env_init_malloc(&env);
		make_sequence(i % 7, &sequence);
		assert_int_equal(enter_all(&env, &sequence), PH_OK);
		assert_int_equal(env.bytes, 0);
		if (i < 14)
			assert_string_equal(fault_env_try_allocations(enter_all, &sequence, 0), "");
	}
}

/* Of correlations that are close the array takes four bytes each, not a table's slots. */
static void
test_memory(void **state)
{
	PhEnv env;
	PhArena arena;
	PhCorrelations correlations;
	uint32_t number;
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	ph_correlations_init(&correlations, &arena);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(ph_correlations_enter(&correlations, 7000 + i, i + 1, &number), PH_OK);
	assert_true(env.bytes < 100000 * 4 * 3 / 2);
	/* after a gap the array is where the others are */
	for (uint32_t i = 0; i < 1000000; i++)
		assert_int_equal(
			ph_correlations_enter(&correlations, UINT64_C(1) << 40 | i, 100001 + i, &number),
			PH_OK);
	assert_true(correlations.n_near > 700000);
	ph_correlations_free(&correlations);
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sequences),
									   cmocka_unit_test(test_memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
