/*
 * test_logical_stability.c - what stays of structures when times change, against plain comparisons.
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

#include "logical/stability.h"
#include "support/fault_env.h"
#include "support/logical.h"
#include "support/rounds.h"
#include "support/tasks.h"
#include "tasks/stability.h"

#define ROUNDS rounds(400)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ---- comparing ---- */

static bool
same_group(const PhLogical *logical, uint32_t a, uint32_t b, bool by_step)
{
	return logical->phase[a] == logical->phase[b] &&
		   (!by_step || logical->step[a] == logical->step[b]);
}

/* An event's group is kept when any other is in it in both structures or in neither. */
static bool
keeps_group(const PhLogical *a, const PhLogical *b, uint32_t event, bool by_step)
{
	for (uint32_t e = 0; e < a->model->n_events; e++)
		if (same_group(a, event, e, by_step) != same_group(b, event, e, by_step))
			return false;
	return true;
}

/* Groups are counted at their first events. */
static void
count_plainly(const PhLogical *a, const PhLogical *b, bool by_step, uint32_t *n, uint32_t *n_kept)
{
	*n = *n_kept = 0;
	for (uint32_t e = 0; e < a->model->n_events; e++)
	{
		bool is_first = true;
		for (uint32_t f = 0; f < e; f++)
			is_first = is_first && !same_group(a, f, e, by_step);
		*n += is_first;
		*n_kept += is_first && keeps_group(a, b, e, by_step);
	}
}

static void
what_is_kept_equals_a_plain_count(void **state)
{
	uint32_t n_lost = 0, n_kept = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(7919)};
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel model;
		PhLogical a, b;
		PhStability found = {0};
		uint32_t n, kept;
		random_program(&numbers, random_program_shape(&numbers), &trace);
		ph_logical_options_default(&options);
		must(make_model(&env, &trace, &options, NULL, &model));
		must(ph_logical_build(&env, &model, &options, &a));
		options.call_tree_merge = false;
		options.align_sends = seed % 2 == 0;
		must(ph_logical_build(&env, &model, &options, &b));
		must(ph_stability_compare(&env, &a, NULL, &b, NULL, &found));
		count_plainly(&a, &b, false, &n, &kept);
		assert_int_equal(found.n_phases, n);
		assert_int_equal(found.n_phases_kept, kept);
		count_plainly(&a, &b, true, &n, &kept);
		assert_int_equal(found.n_steps, n);
		assert_int_equal(found.n_steps_kept, kept);
		n_lost += n - kept;
		n_kept += kept;
		ph_logical_free(&a);
		ph_logical_free(&b);
		ph_logical_model_free(&model);
		test_trace_free(&trace);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_lost > met_in_rounds(100) && n_kept > met_in_rounds(1000));
}

/* ---- processes ---- */

static void
little_changes_of_programs(void **state)
{
	uint32_t n_moved = 0, n_lost = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(104729)};
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel model;
		PhLogical logical;
		PhStability none, some, again;
		random_program(&numbers, random_program_shape(&numbers), &trace);
		random_logical_options(&numbers, &options);
		must(make_model(&env, &trace, &options, NULL, &model));
		must(ph_logical_build(&env, &model, &options, &logical));
		must(ph_logical_stability(&env, &logical, &options, 0, seed, &none));
		assert_int_equal(none.n_moved, 0);
		assert_int_equal(none.n_phases_kept, logical.n_phases);
		assert_int_equal(none.n_steps_kept, none.n_steps);
		must(ph_logical_stability(&env, &logical, &options, 1000000, seed, &some));
		must(ph_logical_stability(&env, &logical, &options, 1000000, seed, &again));
		assert_memory_equal(&some, &again, sizeof(some));
		assert_true(some.n_phases_kept <= some.n_phases && some.n_steps_kept <= some.n_steps);
		if (some.n_moved == 0)
			assert_int_equal(some.n_steps_kept, some.n_steps);
		n_moved += some.n_moved > 0;
		n_lost += some.n_steps - some.n_steps_kept;
		ph_logical_free(&logical);
		ph_logical_model_free(&model);
		test_trace_free(&trace);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_moved > 10 && n_lost > 0);
}

static void
add_call(TestTrace *trace, uint32_t rank, bool sends, uint32_t peer, int64_t enter, int64_t leave)
{
	uint32_t region = sends ? TEST_SEND : TEST_RECV;
	add_event(trace, rank, PH_EVENT_ENTER, enter)->region = region;
	PhEvent *event = add_event(trace, rank, sends ? PH_EVENT_SEND : PH_EVENT_RECV, leave);
	event->peer = peer;
	event->comm = 0;
	add_event(trace, rank, PH_EVENT_LEAVE, leave)->region = region;
}

/*
 * Rank 0 receives from 1 and 2, 10 ns apart: within 1 ns they stay as they are, within 1000 ns they
 * come in another order for some seed, though not where the second one was sent too late.
 */
static void
only_what_was_on_its_way_may_come_first(void **state)
{
	(void) state;
	for (int is_late = 0; is_late < 2; is_late++)
	{
		TestTrace trace;
		PhLogicalOptions options;
		PhLogicalModel model;
		PhLogical logical;
		PhStability found;
		uint32_t n_moved = 0;
		empty_trace(3, &trace);
		add_call(&trace, 1, true, 0, 0, 5);
		add_call(&trace, 2, true, 0, is_late ? 105 : 0, 107);
		add_call(&trace, 0, false, 1, 0, 100);
		add_call(&trace, 0, false, 2, 101, 110);
		ph_logical_options_default(&options);
		must(make_model(&env, &trace, &options, NULL, &model));
		must(ph_logical_build(&env, &model, &options, &logical));
		for (uint64_t seed = 0; seed < 20; seed++)
		{
			must(ph_logical_stability(&env, &logical, &options, 1, seed, &found));
			assert_int_equal(found.n_moved, 0);
			must(ph_logical_stability(&env, &logical, &options, 1000, seed, &found));
			n_moved += found.n_moved;
		}
		assert_int_equal(n_moved > 0, !is_late);
		ph_logical_free(&logical);
		ph_logical_model_free(&model);
		test_trace_free(&trace);
	}
}

/* ---- tasks ---- */

static void
little_changes_of_tasks(void **state)
{
	uint32_t n_moved = 0, n_lost = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		TaskShape shape = {.max_chares = 8, .max_processors = 4, .max_blocks = 30};
		PhTaskTrace trace;
		PhTaskStructure structure;
		PhTaskOptions options;
		PhStability none, some;
		random_tasks(&env, seed, shape, false, &trace);
		ph_task_options_default(&options);
		must(ph_task_structure_build(&env, &trace, &options, &structure));
		must(ph_task_stability(&env, &structure, &options, 0, seed, &none));
		assert_int_equal(none.n_moved, 0);
		assert_int_equal(none.n_phases_kept, structure.logical.n_phases);
		assert_int_equal(none.n_steps_kept, none.n_steps);
		must(ph_task_stability(&env, &structure, &options, 100000, seed, &some));
		n_moved += some.n_moved;
		n_lost += some.n_phases - some.n_phases_kept + some.n_steps - some.n_steps_kept;
		ph_task_structure_free(&structure);
		ph_task_trace_free(&trace);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_moved > 10 && n_lost > 10);
}

/* ---- faults ---- */

static PhStatus
whole_work(PhEnv *faulty, void *user)
{
	const PhLogical *logical = user;
	PhLogicalOptions options;
	PhStability found;
	ph_logical_options_default(&options);
	return ph_logical_stability(faulty, logical, &options, 1000, 1, &found);
}

static void
fails_cleanly(void **state)
{
	RandomNumbers numbers = {4711};
	ProgramShape shape = {.max_ranks = 6, .max_actions = 200};
	TestTrace trace;
	PhLogicalOptions options;
	PhLogicalModel model;
	PhLogical logical;
	(void) state;
	random_program(&numbers, shape, &trace);
	ph_logical_options_default(&options);
	must(make_model(&env, &trace, &options, NULL, &model));
	must(ph_logical_build(&env, &model, &options, &logical));
	assert_string_equal(fault_env_try_allocations(whole_work, &logical, 0), "");
	assert_string_equal(fault_env_try_interrupts(whole_work, &logical, 0), "");
	ph_logical_free(&logical);
	ph_logical_model_free(&model);
	test_trace_free(&trace);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_kept_equals_a_plain_count),
		cmocka_unit_test(little_changes_of_programs),
		cmocka_unit_test(only_what_was_on_its_way_may_come_first),
		cmocka_unit_test(little_changes_of_tasks),
		cmocka_unit_test(fails_cleanly),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
