/*
 * test_logical_order.c - logical structure does not depend on the order of locations, nor on the
 * numbers of ranks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/logical.h"

#define MAX_EVENTS 400

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static void
assert_same(const PhLogical *a, const PhLogical *b)
{
	uint32_t n = a->model->n_events;
	assert_int_equal(n, b->model->n_events);
	assert_int_equal(a->n_phases, b->n_phases);
	assert_int_equal(a->n_edges, b->n_edges);
	assert_memory_equal(a->phase, b->phase, n * sizeof(uint32_t));
	assert_memory_equal(a->step, b->step, n * sizeof(int32_t));
	assert_memory_equal(a->binding, b->binding, n * sizeof(uint32_t));
	assert_memory_equal(a->reason, b->reason, a->n_phases);
	assert_memory_equal(a->edge_target, b->edge_target, a->n_edges * sizeof(uint32_t));
	assert_memory_equal(a->model->enter, b->model->enter, n * sizeof(int64_t));
	assert_memory_equal(a->model->message_of_end, b->model->message_of_end,
						a->model->n_ends * sizeof(uint32_t));
}

static void
shuffle(RandomNumbers *numbers, uint32_t *items, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		items[i] = i;
	for (uint32_t i = n; i > 1; i--)
	{
		uint32_t j = numbers_below(numbers, i), swap = items[i - 1];
		items[i - 1] = items[j];
		items[j] = swap;
	}
}

static void
order_of_locations_changes_nothing(void **state)
{
	(void) state;
	for (uint32_t seed = 1; seed <= 300; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(31337)};
		uint32_t order[32];
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel one, other;
		PhLogical first, second;
		random_program(&numbers, random_program_shape(&numbers), &trace);
		random_logical_options(&numbers, &options);
		shuffle(&numbers, order, trace.model.n_locations);
		must(make_model(&env, &trace, &options, NULL, &one));
		must(make_model(&env, &trace, &options, order, &other));
		must(ph_logical_build(&env, &one, &options, &first));
		must(ph_logical_build(&env, &other, &options, &second));
		assert_same(&first, &second);
		ph_logical_free(&first);
		ph_logical_free(&second);
		ph_logical_model_free(&one);
		ph_logical_model_free(&other);
		test_trace_free(&trace);
	}
}

/* Give every rank another number; parity stays, for the communicators go by it. */
static void
relabel(TestTrace *trace, const uint32_t *new_rank)
{
	for (uint32_t l = 0; l < trace->model.n_locations; l++)
	{
		trace->model.locations[l].rank = (int32_t) new_rank[trace->model.locations[l].rank];
		for (uint32_t e = 0; e < trace->n_events[l]; e++)
			if (trace->events[l][e].peer != PH_NONE)
				trace->events[l][e].peer = new_rank[trace->events[l][e].peer];
	}
}

static void
assert_permuted(const PhLogical *a, const PhLogical *b)
{
	const PhLogicalModel *x = a->model, *y = b->model;
	uint32_t number[MAX_EVENTS];
	memset(number, 0xff, sizeof(number));
	assert_int_equal(x->n_events, y->n_events);
	for (uint32_t s = 0; s < x->n_timelines; s++)
	{
		uint32_t t = 0;
		while (y->timeline_location[t] != x->timeline_location[s])
			t++;
		for (uint32_t i = 0; i < x->timeline_first[s + 1] - x->timeline_first[s]; i++)
		{
			uint32_t e = x->timeline_first[s] + i, f = y->timeline_first[t] + i;
			uint32_t *expected = &number[a->phase[e]];
			assert_int_equal(a->step[e], b->step[f]);
			if (*expected == PH_NONE)
				*expected = b->phase[f];
			assert_int_equal(*expected, b->phase[f]);
		}
	}
}

static void
names_of_ranks_do_not_matter(void **state)
{
	(void) state;
	for (uint32_t seed = 1; seed <= 500; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(99991)};
		uint32_t new_rank[8];
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel one, other;
		PhLogical first, second;
		ProgramShape shape = random_program_shape(&numbers);
		shape.threads = false;
		random_program(&numbers, shape, &trace);
		random_logical_options(&numbers, &options);
		uint32_t n = trace.model.n_ranks, half = (n + 1) / 2;
		shuffle(&numbers, new_rank, half);
		for (uint32_t r = n; r-- > 0;)
			new_rank[r] = r % 2 == 0 ? 2 * new_rank[r / 2] : r;
		must(make_model(&env, &trace, &options, NULL, &one));
		must(ph_logical_build(&env, &one, &options, &first));
		relabel(&trace, new_rank);
		must(make_model(&env, &trace, &options, NULL, &other));
		must(ph_logical_build(&env, &other, &options, &second));
		if (first.split_collectives == 0)
			assert_permuted(&first, &second);
		ph_logical_free(&first);
		ph_logical_free(&second);
		ph_logical_model_free(&one);
		ph_logical_model_free(&other);
		test_trace_free(&trace);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_locations_changes_nothing),
		cmocka_unit_test(names_of_ranks_do_not_matter),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
