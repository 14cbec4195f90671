/*
 * test_logical_reorder.c - receives in order of their causes against a slow, literal rule; and what
 * every step is bound to.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/fault_env.h"
#include "support/logical.h"
#include "support/rounds.h"

#define MAX_EVENTS 400
#define ROUNDS rounds(2000)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ------------------------------------------------------------------------------- slow reference */

static bool
is_near(const PhLogical *logical, uint32_t e, uint32_t other)
{
	return logical->model->timeline[e] == logical->model->timeline[other] &&
		   logical->phase[e] == logical->phase[other];
}

/* The greatest weight before e on its timeline in its phase; only that of collectives, if asked. */
static int32_t
most_before(const PhLogical *logical, const int32_t *weight, uint32_t e, bool collectives)
{
	int32_t most = -1;
	for (uint32_t b = 0; b < e; b++)
		if (is_near(logical, e, b) && weight[b] > most &&
			(!collectives || logical->model->kind[b] == PH_COMM_COLLECTIVE))
			most = weight[b];
	return most;
}

static int32_t
weight_of(const PhLogical *logical, const int32_t *weight, uint32_t e)
{
	const PhLogicalModel *model = logical->model;
	int32_t most = most_before(logical, weight, e, false), cause = -1;
	if (model->kind[e] == PH_COMM_COLLECTIVE)
		for (uint32_t other = 0; other < model->n_events; other++)
			if (model->collective[e] != PH_NONE && model->collective[other] == model->collective[e])
			{
				int32_t theirs = most_before(logical, weight, other, false);
				most = theirs > most ? theirs : most;
			}
	if (model->kind[e] != PH_COMM_RECEIVE)
		return most + 1;
	bool caused = false;
	for (uint32_t m = 0; m < model->n_messages; m++)
		if (model->receive_event[m] == e && model->send_event[m] != PH_NONE)
		{
			caused = true;
			cause = weight[model->send_event[m]] > cause ? weight[model->send_event[m]] : cause;
		}
	int32_t floor = most_before(logical, weight, e, true);
	return (!caused ? most : cause > floor ? cause : floor) + 1;
}

static void
weigh(const PhLogical *logical, int32_t *weight)
{
	uint32_t n = logical->model->n_events;
	bool changed = true;
	for (uint32_t e = 0; e < n; e++)
		weight[e] = -1;
	while (changed)
	{
		changed = false;
		for (uint32_t e = 0; e < n; e++)
		{
			int32_t now = weight_of(logical, weight, e);
			changed = changed || now != weight[e];
			weight[e] = now;
		}
	}
}

static uint32_t
sender_of(const PhLogicalModel *model, uint32_t e)
{
	for (uint32_t i = model->first_end[e]; i < model->first_end[e + 1]; i++)
	{
		uint32_t from = model->send_event[model->message_of_end[i]];
		if (from != PH_NONE)
			return model->timeline[from];
	}
	return PH_NONE;
}

/* Is x before y, which is on the same timeline and after it in time? */
static bool
stays_before(const PhLogicalModel *model, const int32_t *weight, uint32_t x, uint32_t y)
{
	bool x_receives = model->kind[x] == PH_COMM_RECEIVE;
	bool y_receives = model->kind[y] == PH_COMM_RECEIVE;
	if (weight[x] != weight[y])
		return weight[x] < weight[y];
	if (x_receives != y_receives)
		return x_receives;
	return !x_receives || sender_of(model, x) <= sender_of(model, y);
}

static void
check_order(const PhLogical *logical, uint32_t seed, uint32_t *n_moved)
{
	const PhLogicalModel *model = logical->model;
	static int32_t weight[MAX_EVENTS];
	weigh(logical, weight);
	for (uint32_t y = 0; y < model->n_events; y++)
		for (uint32_t x = 0; x < y; x++)
		{
			if (!is_near(logical, x, y))
				continue;
			bool before = logical->step[x] < logical->step[y];
			if (logical->step[x] == logical->step[y] || before != stays_before(model, weight, x, y))
				fail_msg("seed %u: events %u and %u are at steps %d and %d", seed, x, y,
						 logical->step[x], logical->step[y]);
			if (!before && model->kind[y] != PH_COMM_RECEIVE)
				fail_msg("seed %u: event %u moved before %u", seed, y, x);
			*n_moved += !before;
		}
}

/* What is not at the first step of its phase is where it is because of an event before it there. */
static void
check_bindings(const PhLogical *logical, uint32_t seed)
{
	for (uint32_t e = 0; e < logical->model->n_events; e++)
	{
		uint32_t binding = logical->binding[e], phase = logical->phase[e];
		if (binding == PH_NONE
				? logical->step[e] != logical->first_step[phase]
				: logical->phase[binding] != phase || logical->step[binding] >= logical->step[e])
			fail_msg("seed %u: event %u at step %d is bound to %u", seed, e, logical->step[e],
					 binding);
	}
}

/* ---------------------------------------------------------------------------------------- tests */

static void
receives_follow_their_causes(void **state)
{
	uint32_t n_moved = 0, n_lost = 0;
	(void) state;
	for (uint32_t seed = 1; seed <= ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(15485863)};
		ProgramShape shape = {.max_ranks = 6, .max_actions = 40};
		PhLogicalOptions options;
		PhLogicalModel model;
		PhLogical logical;
		TestTrace trace;
		shape.loses_events = numbers_below(&numbers, 3) == 0;
		random_program(&numbers, shape, &trace);
		ph_logical_options_default(&options);
		options.reorder_receives = seed % 4 != 0;
		options.align_sends = numbers_below(&numbers, 2) == 0;
		options.call_tree_merge = numbers_below(&numbers, 2) == 0;
		must(make_model(&env, &trace, &options, NULL, &model));
		assert_true(model.n_events <= MAX_EVENTS);
		must(ph_logical_build(&env, &model, &options, &logical));
		check_bindings(&logical, seed);
		if (options.reorder_receives && logical.split_collectives + logical.cut_messages == 0)
			check_order(&logical, seed, &n_moved);
		n_lost += model.notes.unmatched_receives > 0;
		ph_logical_free(&logical);
		ph_logical_model_free(&model);
		test_trace_free(&trace);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_moved > ROUNDS / 4 && n_lost > ROUNDS / 8);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receives_follow_their_causes),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
