/*
 * test_logical_input.c - which calls become events, by hand-made records: sends and receives in one
 * call, several in one call, groups, collectives that do not block, threads, what is missing.
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

static PhEnv env;
static TestTrace trace;
static PhLogicalOptions options;
static PhLogicalModel model;
static PhLogical logical;
static int64_t now[8];

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ------------------------------------------------------------------------------------ writing */

static int
set_up(void **state)
{
	(void) state;
	memset(now, 0, sizeof(now));
	memset(&model, 0, sizeof(model));
	memset(&logical, 0, sizeof(logical));
	ph_logical_options_default(&options);
	empty_trace(4, &trace);
	return 0;
}

static int
tear_down(void **state)
{
	(void) state;
	ph_logical_free(&logical);
	ph_logical_model_free(&model);
	test_trace_free(&trace);
	return env.bytes == 0 ? 0 : -1;
}

static PhEvent *
put(uint32_t location, PhEventKind kind)
{
	return add_event(&trace, location, kind, now[location] += 10);
}

static void
enter(uint32_t location, uint32_t region)
{
	put(location, PH_EVENT_ENTER)->region = region;
}

static void
leave(uint32_t location, uint32_t region)
{
	put(location, PH_EVENT_LEAVE)->region = region;
}

static void
transfer(uint32_t location, PhEventKind kind, uint32_t peer, int32_t tag, uint64_t request)
{
	PhEvent *event = put(location, kind);
	event->peer = peer;
	event->tag = tag;
	event->comm = 0;
	event->request = request;
	event->bytes = 100 + (uint64_t) tag;
}

static void
request(uint32_t location, PhEventKind kind, uint64_t number)
{
	put(location, kind)->request = number;
}

static void
isend(uint32_t location, uint32_t peer, int32_t tag, uint64_t number)
{
	enter(location, TEST_ISEND);
	transfer(location, PH_EVENT_ISEND, peer, tag, number);
	leave(location, TEST_ISEND);
}

static void
receive(uint32_t location, uint32_t peer, int32_t tag)
{
	enter(location, TEST_RECV);
	transfer(location, PH_EVENT_RECV, peer, tag, 0);
	leave(location, TEST_RECV);
}

static void
complete_collective(uint32_t location, uint32_t comm, uint64_t number)
{
	PhEvent *event = put(location, PH_EVENT_NB_COLLECTIVE_COMPLETE);
	event->comm = comm;
	event->operation = PH_COLLECTIVE_BARRIER;
	event->request = number;
}

static void
collective(uint32_t location, uint32_t comm)
{
	enter(location, TEST_ALLREDUCE);
	put(location, PH_EVENT_COLLECTIVE_BEGIN);
	PhEvent *event = put(location, PH_EVENT_COLLECTIVE_END);
	event->comm = comm;
	event->operation = PH_COLLECTIVE_ALLREDUCE;
	leave(location, TEST_ALLREDUCE);
}

static void
build(void)
{
	must(make_model(&env, &trace, &options, NULL, &model));
	must(ph_logical_build(&env, &model, &options, &logical));
	assert_string_equal(check_logical_invariants(&logical, &options), "");
}

static uint32_t
n_messages_of(uint32_t event)
{
	return model.first_end[event + 1] - model.first_end[event];
}

/* The event at the other end of an event's first message. */
static uint32_t
partner(uint32_t event)
{
	uint32_t m = model.message_of_end[model.first_end[event]];
	return model.kind[event] == PH_COMM_SEND ? model.receive_event[m] : model.send_event[m];
}

/* -------------------------------------------------------------------------------------- events */

static void
sendrecv_is_a_send_and_a_receive(void **state)
{
	(void) state;
	for (uint32_t r = 0; r < 4; r++)
	{
		enter(r, TEST_SENDRECV);
		transfer(r, PH_EVENT_SEND, (r + 1) % 4, 1, 0);
		transfer(r, PH_EVENT_RECV, (r + 3) % 4, 1, 0);
		leave(r, TEST_SENDRECV);
	}
	build();
	assert_int_equal(model.n_events, 8);
	assert_int_equal(logical.n_phases, 1);
	for (uint32_t e = 0; e < 8; e += 2)
	{
		assert_int_equal(model.kind[e], PH_COMM_SEND);
		assert_int_equal(model.kind[e + 1], PH_COMM_RECEIVE);
		assert_int_equal(model.enter[e], model.enter[e + 1]);
		assert_int_equal(model.exit[e], model.exit[e + 1]);
		assert_int_equal(logical.step[e], 0);
		assert_int_equal(logical.step[e + 1], 2);
		assert_int_equal(partner(e), (e + 3) % 8);
	}
	assert_int_equal(logical.reason[0], PH_MERGE_MESSAGE);
}

/* Ends of the chain have only one half; nothing but the call itself keeps the halves together. */
static void
halves_of_a_sendrecv_are_one_phase(void **state)
{
	(void) state;
	for (int i = 0; i < 2; i++)
		for (uint32_t r = 0; r < 4; r++)
		{
			enter(r, TEST_SENDRECV);
			if (r < 3)
				transfer(r, PH_EVENT_SEND, r + 1, 1, 0);
			if (r > 0)
				transfer(r, PH_EVENT_RECV, r - 1, 1, 0);
			leave(r, TEST_SENDRECV);
		}
	build();
	assert_int_equal(model.n_events, 12);
	assert_int_equal(logical.n_phases, 2);
	for (uint32_t e = 0; e < 12; e++)
	{
		uint32_t seq = e - model.timeline_first[model.timeline[e]];
		bool both = model.timeline[e] == 1 || model.timeline[e] == 2;
		bool second = both && model.kind[e] == PH_COMM_RECEIVE;
		assert_int_equal(model.flags[e] & PH_COMM_SAME_CALL, second ? PH_COMM_SAME_CALL : 0);
		assert_int_equal(logical.phase[e], seq / (both ? 2 : 1));
		assert_int_equal(logical.step[e],
						 4 * (int32_t) logical.phase[e] + 2 * (model.kind[e] == PH_COMM_RECEIVE));
	}
}

/* Two iterations of an exchange between collectives, made in a call of this region. */
static void
two_iterations(uint32_t region)
{
	for (uint32_t r = 0; r < 4; r++)
	{
		enter(r, TEST_MAIN);
		enter(r, region);
		for (int32_t i = 0; i < 2; i++)
		{
			enter(r, TEST_SEND);
			transfer(r, PH_EVENT_SEND, r ^ 1, i, 0);
			leave(r, TEST_SEND);
			receive(r, r ^ 1, i);
			collective(r, 0);
			collective(r, 0);
		}
		leave(r, region);
		leave(r, TEST_MAIN);
	}
}

/* The whole program groups exchanges, but no collective with what is before and after it. */
static void
collectives_of_the_program_are_phases(void **state)
{
	(void) state;
	two_iterations(TEST_WORK);
	build();
	assert_int_equal(logical.n_phases, 2 * (2 + 2));
	for (uint32_t p = 0; p < logical.n_phases; p++)
		assert_int_equal(logical.reason[p], p % 4 < 2 ? PH_MERGE_MESSAGE : PH_MERGE_COLLECTIVE);
}

static void
calls_of_a_part_group_collectives(void **state)
{
	(void) state;
	two_iterations(TEST_WORK);
	two_iterations(TEST_WORK);
	build();
	assert_int_equal(logical.n_phases, 2);
}

static void
compat_groups_whole_programs(void **state)
{
	(void) state;
	options.compat = true;
	two_iterations(TEST_WORK);
	build();
	assert_int_equal(logical.n_phases, 1);
}

static void
startall_and_waitall_are_one_event_each(void **state)
{
	(void) state;
	enter(0, TEST_WAIT); /* any MPI call may start several sends */
	for (int32_t i = 0; i < 3; i++)
		transfer(0, PH_EVENT_ISEND, 1 + (uint32_t) i, i, 1 + (uint64_t) i);
	leave(0, TEST_WAIT);
	for (uint32_t r = 1; r < 4; r++)
		isend(r, 0, 7, 1);
	enter(0, TEST_WAITALL);
	for (uint32_t r = 1; r < 4; r++)
	{
		transfer(0, PH_EVENT_IRECV, r, 7, 10 + r);
		request(0, PH_EVENT_ISEND_COMPLETE, r);
	}
	leave(0, TEST_WAITALL);
	for (uint32_t r = 1; r < 4; r++)
		receive(r, 0, (int32_t) r - 1);
	build();
	assert_int_equal(model.n_events, 8);
	assert_int_equal(model.kind[0], PH_COMM_SEND);
	assert_int_equal(n_messages_of(0), 3);
	assert_int_equal(model.kind[1], PH_COMM_RECEIVE);
	assert_int_equal(n_messages_of(1), 3);
	assert_int_equal(model.notes.unmatched_sends, 0);
}

static void
isends_are_coalesced_until_another_call_is_left(void **state)
{
	(void) state;
	enter(0, TEST_MAIN);
	isend(0, 1, 1, 1);
	isend(0, 2, 1, 2);
	enter(0, TEST_ISEND); /* to nobody: no record */
	leave(0, TEST_ISEND);
	isend(0, 3, 1, 3);
	enter(0, TEST_IRECV);
	leave(0, TEST_IRECV);
	isend(0, 1, 2, 4);
	leave(0, TEST_MAIN);
	for (uint32_t r = 1; r < 4; r++)
		receive(r, 0, 1);
	receive(1, 0, 2);
	build();
	assert_int_equal(model.timeline_first[1], 2);
	assert_int_equal(n_messages_of(0), 3);
	assert_int_equal(n_messages_of(1), 1);
	assert_int_equal(model.flags[0] & PH_COMM_COALESCED, PH_COMM_COALESCED);
	assert_int_equal(model.caller[0], model.caller[1]);
	assert_int_equal(model.call_comms[model.caller[0]], 4);
}

static void
isends_stay_apart_when_asked(void **state)
{
	(void) state;
	options.coalesce_isends = false;
	isend(0, 1, 1, 1);
	isend(0, 1, 2, 2);
	receive(1, 0, 1);
	receive(1, 0, 2);
	build();
	assert_int_equal(model.timeline_first[1], 2);
	assert_int_equal(model.flags[0], PH_COMM_NONBLOCKING);
}

/* ------------------------------------------------------------------------------------- groups */

/* From the first send to the call that completes the last one, that call excluded. */
static void
wait_groups_end_where_the_last_send_completes(void **state)
{
	(void) state;
	options.call_tree_merge = false;
	options.coalesce_isends = false;
	isend(0, 1, 1, 1);
	collective(0, 0);
	isend(0, 1, 2, 2);
	enter(0, TEST_WAIT);
	request(0, PH_EVENT_ISEND_COMPLETE, 2);
	leave(0, TEST_WAIT);
	receive(0, 2, 5);
	enter(0, TEST_WAIT);
	request(0, PH_EVENT_ISEND_COMPLETE, 1);
	leave(0, TEST_WAIT);
	receive(0, 2, 6);
	build();
	const uint8_t waited[] = {0, PH_COMM_WAITED, PH_COMM_WAITED, PH_COMM_WAITED, 0};
	assert_int_equal(model.n_events, 5);
	for (uint32_t e = 0; e < 5; e++)
		assert_int_equal(model.flags[e] & PH_COMM_WAITED, waited[e]);
	assert_int_equal(logical.n_phases, 2);
	assert_int_equal(logical.reason[0], PH_MERGE_WAIT_GROUP);
	assert_int_equal(logical.reason[1], PH_MERGE_NONE);
}

static void
waitall_groups_need_no_completions(void **state)
{
	(void) state;
	for (int heuristic = 0; heuristic < 2; heuristic++)
	{
		tear_down(state);
		set_up(state);
		options.call_tree_merge = false;
		options.coalesce_isends = false;
		options.waitall_groups = heuristic == 1;
		isend(0, 1, 1, 1);
		isend(0, 1, 2, 2);
		enter(0, TEST_WAITALL);
		leave(0, TEST_WAITALL);
		isend(0, 1, 3, 3);
		build();
		assert_int_equal(model.n_events, 3);
		assert_int_equal(logical.n_phases, heuristic == 1 ? 2 : 3);
	}
}

static void
calls_that_communicate_are_one_phase(void **state)
{
	(void) state;
	for (uint32_t i = 0; i < 2; i++)
	{
		enter(0, TEST_EXCHANGE);
		isend(0, 1, (int32_t) i, 1 + i);
		receive(0, 1, (int32_t) i);
		leave(0, TEST_EXCHANGE);
		enter(1, TEST_EXCHANGE);
		isend(1, 0, (int32_t) i, 1 + i);
		receive(1, 0, (int32_t) i);
		leave(1, TEST_EXCHANGE);
	}
	build();
	assert_int_equal(logical.n_phases, 2);
	assert_int_equal(logical.reasons[0] & 1u << (PH_MERGE_CALL - 1), 1u << (PH_MERGE_CALL - 1));
	assert_int_equal(logical.reason[0], PH_MERGE_MESSAGE);
	assert_string_equal(ph_merge_reason_name(PH_MERGE_MESSAGE), "message");
}

static void
phases_by_function(void **state)
{
	(void) state;
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t r = 0; r < 4; r++)
		{
			enter(r, TEST_EXCHANGE);
			collective(r, 0);
			collective(r, 0);
			leave(r, TEST_EXCHANGE);
		}
	options.phase_function = "exch";
	build();
	assert_int_equal(logical.n_phases, 3);
	PhLogicalModel none;
	options.phase_function = "nowhere";
	assert_int_equal(make_model(&env, &trace, &options, NULL, &none), PH_ERR_NOT_FOUND);
}

/* -------------------------------------------------------------------------------- collectives */

static void
sub_communicators_are_told_apart(void **state)
{
	(void) state;
	/* the even ranks have one of their own before the one of all, and after */
	collective(0, 1);
	collective(0, 0);
	collective(0, 1);
	collective(1, 0);
	collective(2, 1);
	collective(2, 0);
	collective(2, 1);
	collective(3, 0);
	build();
	assert_int_equal(model.n_collectives, 3);
	assert_int_equal(model.collective[0], model.collective[4]);
	assert_int_equal(model.collective[1], model.collective[3]);
	assert_int_equal(model.collective[1], model.collective[7]);
	assert_int_equal(logical.step[1], logical.step[7]);
	assert_int_equal(logical.n_phases, 3);
	assert_int_equal(logical.reason[0], PH_MERGE_COLLECTIVE);
}

/* A communicator of one rank is another one on every rank. */
static void
own_communicators_join_nobody(void **state)
{
	(void) state;
	for (uint32_t r = 0; r < 4; r++)
		collective(r, 2);
	build();
	assert_int_equal(model.n_collectives, 4);
	assert_int_equal(logical.n_phases, 4);
}

static void
nonblocking_collectives_are_events_where_they_complete(void **state)
{
	(void) state;
	for (uint32_t r = 0; r < 4; r++)
	{
		enter(r, TEST_IALLREDUCE);
		request(r, PH_EVENT_NB_COLLECTIVE_REQUEST, 1);
		leave(r, TEST_IALLREDUCE);
		enter(r, TEST_WAIT);
		complete_collective(r, 0, 1);
		leave(r, TEST_WAIT);
	}
	build();
	assert_int_equal(model.n_events, 4);
	assert_int_equal(model.n_collectives, 1);
	assert_int_equal(model.region[0], TEST_WAIT);
	assert_int_equal(model.notes.unpaired_collectives, 0);
}

/* Two that complete in another order on each side depend on each other: legal, but in a circle. */
static void
collectives_in_a_circle_fall_apart(void **state)
{
	(void) state;
	for (uint32_t r = 0; r < 4; r += 2)
	{
		enter(r, TEST_WAIT);
		complete_collective(r, r == 0 ? 0 : 1, 1);
		leave(r, TEST_WAIT);
		enter(r, TEST_WAIT);
		complete_collective(r, r == 0 ? 1 : 0, 2);
		leave(r, TEST_WAIT);
	}
	build();
	assert_int_equal(model.n_collectives, 2);
	assert_int_equal(logical.n_phases, 1);
	assert_int_equal(logical.split_collectives, 2);
	assert_int_equal(logical.step[0], 0);
	assert_int_equal(logical.step[1], 2);
}

/* -------------------------------------------------------------------------- threads and losses */

/* Four locations are two threads on each of two ranks; messages go to the rank. */
static void
threads_belong_to_their_ranks(void **state)
{
	(void) state;
	for (uint32_t l = 0; l < 4; l++)
	{
		trace.model.locations[l].rank = (int32_t) l / 2;
		trace.model.locations[l].thread = (int32_t) l % 2;
	}
	trace.model.n_ranks = 2;
	now[1] = 1000; /* the second thread sends later */
	isend(1, 1, 1, 1);
	isend(0, 1, 1, 1);
	now[2] = 5000;
	now[3] = 3000; /* and the second one receives earlier */
	receive(2, 0, 1);
	receive(3, 0, 1);
	build();
	assert_int_equal(model.n_events, 4);
	assert_int_equal(model.timeline_rank[2], 1);
	assert_int_equal(partner(0), 3);
	assert_int_equal(partner(1), 2);
}

static void
posting_order_decides(void **state)
{
	(void) state;
	for (int compat = 0; compat < 2; compat++)
	{
		tear_down(state);
		set_up(state);
		options.compat = compat == 1;
		options.coalesce_isends = false;
		isend(0, 1, 1, 1);
		isend(0, 1, 1, 2);
		for (uint64_t number = 1; number < 3; number++)
		{
			enter(1, TEST_IRECV);
			request(1, PH_EVENT_IRECV_REQUEST, number);
			leave(1, TEST_IRECV);
		}
		for (uint64_t number = 2; number > 0; number--)
		{
			enter(1, TEST_WAIT);
			transfer(1, PH_EVENT_IRECV, 0, 1, number);
			leave(1, TEST_WAIT);
		}
		build();
		/* the second receive to be posted completed first */
		assert_int_equal(partner(0), compat == 1 ? 2 : 3);
		assert_int_equal(partner(1), compat == 1 ? 3 : 2);
	}
}

static void
unmatched_messages_are_kept(void **state)
{
	(void) state;
	isend(0, 1, 1, 1);
	receive(2, 3, 9);
	build();
	assert_int_equal(model.n_events, 2);
	assert_int_equal(model.n_messages, 2);
	assert_int_equal(model.notes.unmatched_sends, 1);
	assert_int_equal(model.notes.unmatched_receives, 1);
	assert_int_equal(partner(0), PH_NONE);
	assert_int_equal(partner(1), PH_NONE);
	assert_int_equal(model.bytes[1], 109);
	assert_int_equal(model.tag[1], 9);
}

static void
records_without_a_call_are_moments(void **state)
{
	(void) state;
	enter(0, TEST_MAIN);
	transfer(0, PH_EVENT_SEND, 1, 1, 0);
	leave(0, TEST_MAIN);
	transfer(1, PH_EVENT_RECV, 0, 1, 0);
	build();
	assert_int_equal(model.n_events, 2);
	assert_int_equal(model.enter[0], model.exit[0]);
	assert_int_equal(model.region[0], TEST_MAIN);
	assert_int_equal(model.region[1], PH_NONE);
	assert_int_equal(model.flags[1] & PH_COMM_NO_CALL, PH_COMM_NO_CALL);
	assert_int_equal(model.notes.calls_without_region, 2);
}

/* Two sends; the counter is 10, 40, 90, 160 at enter, leave, enter, leave. */
static void
count_sends(bool is_accumulated)
{
	PhTraceMetric metric = {.metric_class = 4,
							.member = 1,
							.type = PH_TRACE_UINT64,
							.is_accumulated = is_accumulated,
							.scale = 1};
	uint64_t values[4][2];
	trace.model.metrics = &metric;
	trace.model.n_metrics = 1;
	options.counter = 0;
	for (uint32_t i = 0; i < 4; i++)
	{
		values[i][0] = 77;
		values[i][1] = 10 * (i + 1) * (i + 1);
		PhEvent *event = put(0, PH_EVENT_METRIC);
		event->operation = 4;
		event->values = values[i];
		event->n_values = 2;
		if (i % 2 == 0)
			enter(0, TEST_SEND);
		else
		{
			transfer(0, PH_EVENT_SEND, 1, (int32_t) i, 0);
			leave(0, TEST_SEND);
		}
	}
	build();
	assert_int_equal(model.n_events, 2);
	assert_true(model.counter_inside[0] == 30);
	assert_true(model.counter_before[1] == 50 && model.counter_inside[1] == 70);
	trace.model.metrics = NULL;
}

static void
counters_grow_inside_and_before(void **state)
{
	(void) state;
	count_sends(true);
	assert_true(model.counter_before[0] == 10);
}

/* Memory in use, say: what it begins with did not grow. */
static void
levels_grow_from_where_they_begin(void **state)
{
	(void) state;
	enter(0, TEST_MAIN);
	count_sends(false);
	assert_true(model.counter_before[0] == 0);
}

static void
wrong_use_is_refused(void **state)
{
	PhLogicalInput *input;
	PhEvent event = {.kind = PH_EVENT_ENTER};
	(void) state;
	must(ph_logical_input_new(&env, &trace.model, &options, &input));
	assert_int_equal(ph_logical_input_event(input, &event), PH_ERR_VALUE);
	must(ph_logical_input_location(input, 1));
	must(ph_logical_input_location(input, 0));
	assert_int_equal(ph_logical_input_location(input, 1), PH_ERR_VALUE);
	assert_int_equal(ph_logical_input_location(input, 4), PH_ERR_VALUE);
	event.region = TEST_REGIONS;
	must(ph_logical_input_location(input, 2));
	assert_int_equal(ph_logical_input_event(input, &event), PH_ERR_FORMAT);
	ph_logical_input_free(input);
	options.counter = 0;
	assert_int_equal(ph_logical_input_new(&env, &trace.model, &options, &input), PH_ERR_VALUE);
}

/* No events at all: an empty structure, not a failure. */
static void
empty_traces_are_fine(void **state)
{
	PhLogicalMetrics metrics;
	(void) state;
	enter(0, TEST_MAIN);
	leave(0, TEST_MAIN);
	build();
	assert_int_equal(model.n_events, 0);
	assert_int_equal(logical.n_phases, 0);
	assert_int_equal(logical.last_step, -1);
	must(ph_logical_metrics_build(&env, &logical, &metrics));
	assert_int_equal(metrics.n_buckets, 0);
	ph_logical_metrics_free(&metrics);
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		test(sendrecv_is_a_send_and_a_receive),
		test(halves_of_a_sendrecv_are_one_phase),
		test(collectives_of_the_program_are_phases),
		test(calls_of_a_part_group_collectives),
		test(compat_groups_whole_programs),
		test(startall_and_waitall_are_one_event_each),
		test(isends_are_coalesced_until_another_call_is_left),
		test(isends_stay_apart_when_asked),
		test(wait_groups_end_where_the_last_send_completes),
		test(waitall_groups_need_no_completions),
		test(calls_that_communicate_are_one_phase),
		test(phases_by_function),
		test(sub_communicators_are_told_apart),
		test(own_communicators_join_nobody),
		test(nonblocking_collectives_are_events_where_they_complete),
		test(collectives_in_a_circle_fall_apart),
		test(threads_belong_to_their_ranks),
		test(posting_order_decides),
		test(unmatched_messages_are_kept),
		test(records_without_a_call_are_moments),
		test(counters_grow_inside_and_before),
		test(levels_grow_from_where_they_begin),
		test(wrong_use_is_refused),
		test(empty_traces_are_fine),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
