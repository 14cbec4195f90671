/*
 * test_logical_chains.c - sweeps over grids are one phase each; what repeats with the same ranks is
 * not.
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

#include "base/min_max.h"
#include "support/fault_env.h"
#include "support/logical.h"

#define MAX_RANKS 20

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* Sweeps from the first rank of a grid to the last, plane by plane, with an Allreduce after each.
 */
typedef struct Sweeps
{
	uint32_t width, height, n_planes, n_sweeps;
	RandomNumbers *numbers; /* what a call takes more */
	int64_t time[MAX_RANKS];
	int64_t sent[MAX_RANKS][2]; /* by rank and direction: the last send */
	TestTrace trace;
} Sweeps;

static void
call(Sweeps *sweeps, uint32_t rank, PhEventKind kind, uint32_t region)
{
	sweeps->time[rank] += 5 + numbers_below(sweeps->numbers, 40);
	add_event(&sweeps->trace, rank, kind, sweeps->time[rank])->region = region;
}

static void
message(Sweeps *sweeps, uint32_t rank, bool sends, uint32_t peer, uint32_t direction)
{
	uint32_t region = sends ? TEST_SEND : TEST_RECV;
	call(sweeps, rank, PH_EVENT_ENTER, region);
	if (sends)
		sweeps->sent[rank][direction] = sweeps->time[rank];
	else
		sweeps->time[rank] = PH_MAX(sweeps->time[rank], sweeps->sent[peer][direction] + 1);
	PhEvent *event =
		add_event(&sweeps->trace, rank, sends ? PH_EVENT_SEND : PH_EVENT_RECV, sweeps->time[rank]);
	event->peer = peer;
	event->comm = 0;
	event->bytes = 64;
	call(sweeps, rank, PH_EVENT_LEAVE, region);
}

/* A rank's plane: what comes from left and above, then to the right and below, a call each. */
static void
do_plane(Sweeps *sweeps, uint32_t rank)
{
	uint32_t x = rank % sweeps->width, y = rank / sweeps->width;
	for (int sends = 0; sends < 2; sends++)
	{
		bool beside = sends ? x + 1 < sweeps->width : x > 0;
		bool beyond = sends ? y + 1 < sweeps->height : y > 0;
		call(sweeps, rank, PH_EVENT_ENTER, TEST_EXCHANGE);
		if (beside)
			message(sweeps, rank, sends, sends ? rank + 1 : rank - 1, 0);
		if (beyond)
			message(sweeps, rank, sends, sends ? rank + sweeps->width : rank - sweeps->width, 1);
		call(sweeps, rank, PH_EVENT_LEAVE, TEST_EXCHANGE);
	}
}

static void
do_reduction(Sweeps *sweeps, uint32_t n_ranks)
{
	int64_t last = 0;
	for (uint32_t r = 0; r < n_ranks; r++)
		last = PH_MAX(sweeps->time[r], last);
	for (uint32_t r = 0; r < n_ranks; r++)
	{
		call(sweeps, r, PH_EVENT_ENTER, TEST_ALLREDUCE);
		add_event(&sweeps->trace, r, PH_EVENT_COLLECTIVE_BEGIN, sweeps->time[r]);
		sweeps->time[r] = PH_MAX(last, sweeps->time[r]) + 50;
		PhEvent *end = add_event(&sweeps->trace, r, PH_EVENT_COLLECTIVE_END, sweeps->time[r]);
		end->comm = 0;
		end->operation = 1;
		call(sweeps, r, PH_EVENT_LEAVE, TEST_ALLREDUCE);
	}
}

static void
make_sweeps(Sweeps *sweeps)
{
	uint32_t n_ranks = sweeps->width * sweeps->height;
	empty_trace(n_ranks, &sweeps->trace);
	memset(sweeps->time, 0, sizeof(sweeps->time));
	for (uint32_t r = 0; r < n_ranks; r++)
		call(sweeps, r, PH_EVENT_ENTER, TEST_MAIN);
	for (uint32_t s = 0; s < sweeps->n_sweeps; s++)
	{
		for (uint32_t k = 0; k < sweeps->n_planes; k++)
			for (uint32_t r = 0; r < n_ranks; r++)
				do_plane(sweeps, r);
		do_reduction(sweeps, n_ranks);
	}
	for (uint32_t r = 0; r < n_ranks; r++)
		call(sweeps, r, PH_EVENT_LEAVE, TEST_MAIN);
}

static void
build(const Sweeps *sweeps, bool super_phases, PhLogicalModel *model, PhLogical *logical)
{
	PhLogicalOptions options;
	ph_logical_options_default(&options);
	options.super_phases = super_phases;
	must(make_model(&env, &sweeps->trace, &options, NULL, model));
	must(ph_logical_build(&env, model, &options, logical));
	assert_string_equal(check_logical_invariants(logical, &options), "");
}

static uint32_t
n_of_reason(const PhLogical *logical, PhMergeReason reason)
{
	uint32_t n = 0;
	for (uint32_t p = 0; p < logical->n_phases; p++)
		n += logical->reason[p] == reason;
	return n;
}

/* Events that share phase and step with another one, as a share of all. */
static double
share_with_peers(const PhLogical *logical)
{
	uint32_t n = 0, n_events = logical->model->n_events;
	for (uint32_t a = 0; a < n_events; a++)
	{
		bool has_peer = false;
		for (uint32_t b = 0; b < n_events && !has_peer; b++)
			has_peer = a != b && logical->phase[a] == logical->phase[b] &&
					   logical->step[a] == logical->step[b];
		n += has_peer;
	}
	return (double) n / n_events;
}

/* Each antidiagonal hands a plane on to the next one: all of it is one phase, on all ranks. */
static void
a_sweep_is_one_phase(void **state)
{
	(void) state;
	for (uint32_t seed = 1; seed <= 60; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(6700417)};
		Sweeps sweeps = {.numbers = &numbers,
						 .width = 2 + seed % 3,
						 .height = 2 + seed % 4,
						 .n_planes = 1 + seed % 5,
						 .n_sweeps = 1 + seed % 3};
		uint32_t n_ranks = sweeps.width * sweeps.height;
		uint32_t diagonals = sweeps.width + sweeps.height - 2;
		PhLogicalModel model, small_model;
		PhLogical logical, small;
		make_sweeps(&sweeps);
		build(&sweeps, true, &model, &logical);
		build(&sweeps, false, &small_model, &small);
		assert_int_equal(logical.n_phases, 2 * sweeps.n_sweeps);
		assert_int_equal(n_of_reason(&logical, PH_MERGE_CHAIN), sweeps.n_sweeps);
		for (uint32_t p = 0; p < logical.n_phases; p++)
			assert_int_equal(logical.first_member[p + 1] - logical.first_member[p], n_ranks);
		assert_int_equal(small.n_phases, sweeps.n_sweeps * (1 + sweeps.n_planes * diagonals));
		assert_int_equal(n_of_reason(&small, PH_MERGE_CHAIN), 0);
		if (sweeps.n_planes > 2)
			assert_true(share_with_peers(&logical) > share_with_peers(&small));
		ph_logical_free(&logical);
		ph_logical_free(&small);
		ph_logical_model_free(&model);
		ph_logical_model_free(&small_model);
		test_trace_free(&sweeps.trace);
	}
	assert_int_equal(env.bytes, 0);
}

/* The same two of three ranks again and again: nobody gets a peer by uniting that. */
static void
iterations_of_the_same_ranks_stay_apart(void **state)
{
	RandomNumbers numbers = {99};
	Sweeps sweeps = {.numbers = &numbers, .width = 3, .height = 1};
	PhLogicalModel model;
	PhLogical logical;
	(void) state;
	empty_trace(3, &sweeps.trace);
	for (uint32_t k = 0; k < 4; k++)
		for (uint32_t r = 0; r < 2; r++)
		{
			call(&sweeps, r, PH_EVENT_ENTER, TEST_EXCHANGE);
			message(&sweeps, r, r == 0, 1 - r, 0);
			call(&sweeps, r, PH_EVENT_LEAVE, TEST_EXCHANGE);
		}
	message(&sweeps, 2, true, 2, 0);
	message(&sweeps, 2, false, 2, 0);
	build(&sweeps, true, &model, &logical);
	assert_int_equal(n_of_reason(&logical, PH_MERGE_CHAIN), 0);
	assert_true(logical.n_phases >= 5);
	ph_logical_free(&logical);
	ph_logical_model_free(&model);
	test_trace_free(&sweeps.trace);
}

static PhStatus
whole_work(PhEnv *faulty, void *user)
{
	const Sweeps *sweeps = user;
	PhLogicalOptions options;
	PhLogicalModel model;
	PhLogical logical;
	ph_logical_options_default(&options);
	PH_TRY(make_model(faulty, &sweeps->trace, &options, NULL, &model));
	PhStatus status = ph_logical_build(faulty, &model, &options, &logical);
	if (status == PH_OK)
		ph_logical_free(&logical);
	ph_logical_model_free(&model);
	return status;
}

static void
fails_cleanly(void **state)
{
	RandomNumbers numbers = {7};
	Sweeps sweeps = {.numbers = &numbers, .width = 4, .height = 4, .n_planes = 40, .n_sweeps = 2};
	(void) state;
	make_sweeps(&sweeps);
	assert_string_equal(fault_env_try_allocations(whole_work, &sweeps, 0), "");
	assert_string_equal(fault_env_try_interrupts(whole_work, &sweeps, 0), "");
	test_trace_free(&sweeps.trace);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sweep_is_one_phase),
		cmocka_unit_test(iterations_of_the_same_ranks_stay_apart),
		cmocka_unit_test(fails_cleanly),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
