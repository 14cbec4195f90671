/*
 * test_reach.c - graphs that stay acyclic: both methods against depth-first search.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/reach.h"
#include "support/fault_env.h"
#include "support/forest.h"
#include "support/rounds.h"

#define N_GRAPHS rounds(2000)
#define MOST 60

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static bool
reaches(bool edge[MOST][MOST], uint32_t from, uint32_t to)
{
	bool seen[MOST] = {false};
	uint32_t stack[MOST], depth = 0;
	stack[depth++] = from;
	seen[from] = true;
	while (depth > 0)
	{
		uint32_t at = stack[--depth];
		if (at == to)
			return true;
		for (uint32_t next = 0; next < MOST; next++)
			if (edge[at][next] && !seen[next])
			{
				seen[next] = true;
				stack[depth++] = next;
			}
	}
	return false;
}

/* Vertices and edges in turns, so that late vertices get edges from and to early ones. */
static void
try_graph(uint64_t seed, PhReachMethod method, uint32_t *n_refused)
{
	static bool edge[MOST][MOST];
	Random random = {seed * 31 + 7};
	uint32_t n = 1, most = 2 + random_below(&random, MOST - 1);
	PhArena arena;
	PhReach reach;
	memset(edge, 0, sizeof(edge));
	ph_arena_init(&arena, &env);
	ph_reach_init(&reach, &arena, method);
	must(ph_reach_add_vertex(&reach));
	for (uint32_t i = 0; i < 6 * most; i++)
	{
		bool added;
		if (n < most && random_below(&random, 3) == 0)
		{
			must(ph_reach_add_vertex(&reach));
			n++;
		}
		uint32_t source = random_below(&random, n), target = random_below(&random, n);
		bool closes = reaches(edge, target, source);
		must(ph_reach_add_edge(&reach, source, target, &added));
		if (added == closes)
			fail_msg("seed %llu: edge %u -> %u", (unsigned long long) seed, source, target);
		edge[source][target] = edge[source][target] || added;
		*n_refused += closes ? 1 : 0;
	}
	ph_arena_drop(&arena);
}

static void
test_random_graphs(void **state)
{
	uint32_t n_refused = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_GRAPHS; seed++)
	{
		try_graph(seed, PH_REACH_CLOSURE, &n_refused);
		try_graph(seed, PH_REACH_ORDER, &n_refused);
	}
	assert_true(n_refused > 10 * N_GRAPHS);
	assert_int_equal(env.bytes, 0);
}

/* Larger than a chunk of a closure, and always against the order: gaps must be spread anew. */
static void
test_backward_chain(void **state)
{
	enum
	{
		LENGTH = 3000
	};
	(void) state;
	for (int method = PH_REACH_CLOSURE; method <= PH_REACH_ORDER; method++)
	{
		PhArena arena;
		PhReach reach;
		bool added;
		ph_arena_init(&arena, &env);
		ph_reach_init(&reach, &arena, (PhReachMethod) method);
		for (uint32_t i = 0; i < LENGTH; i++)
			must(ph_reach_add_vertex(&reach));
		for (uint32_t i = LENGTH - 1; i > 0; i--)
		{
			must(ph_reach_add_edge(&reach, i, 0, &added));
			assert_true(added);
		}
		for (uint32_t i = LENGTH - 1; i > 1; i--)
		{
			must(ph_reach_add_edge(&reach, i, i - 1, &added));
			assert_true(added);
		}
		must(ph_reach_add_edge(&reach, 1, LENGTH - 1, &added));
		assert_false(added);
		must(ph_reach_add_edge(&reach, 0, LENGTH / 2, &added));
		assert_false(added);
		ph_arena_drop(&arena);
	}
}

static void
test_choice(void **state)
{
	(void) state;
	assert_int_equal(ph_reach_choose(12, 130), PH_REACH_CLOSURE);
	assert_int_equal(ph_reach_choose(3000, 100000), PH_REACH_CLOSURE);
	assert_int_equal(ph_reach_choose(50000, 100000), PH_REACH_ORDER);
}

static PhStatus
work(PhEnv *faulty, void *user)
{
	PhArena arena;
	PhReach reach;
	PhStatus status = PH_OK;
	ph_arena_init(&arena, faulty);
	ph_reach_init(&reach, &arena, *(PhReachMethod *) user);
	for (uint32_t i = 0; i < 400 && status == PH_OK; i++)
		status = ph_reach_add_vertex(&reach);
	for (uint32_t i = 0; i < 8000 && status == PH_OK; i++)
	{
		bool added;
		status = ph_reach_add_edge(&reach, 399 - i % 400, i * 7 % 400, &added);
	}
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **state)
{
	PhReachMethod closure = PH_REACH_CLOSURE, order = PH_REACH_ORDER;
	(void) state;
	assert_string_equal(fault_env_try_allocations(work, &closure, 0), "");
	assert_string_equal(fault_env_try_allocations(work, &order, 0), "");
	assert_string_equal(fault_env_try_interrupts(work, &closure, 0), "");
	assert_string_equal(fault_env_try_interrupts(work, &order, 0), "");
}

static int
set_up(void **state)
{
	(void) state;
	ph_env_init_malloc(&env);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_graphs),
		cmocka_unit_test(test_backward_chain),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
