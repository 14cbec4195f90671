/*
 * test_trace_waits.c - skeletons and wait states against plain searches; misuse; faults.
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
#include "support/skeleton.h"
#include "trace/waits.h"

#define N_TRACES 2000

static PhEnv env;
static CommTrace trace;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* ---- skeletons ---- */

static bool
is_end(uint32_t at, uint32_t seq)
{
	uint32_t kind = trace.events[at][seq].kind;
	return ph_is_send(kind) || ph_is_receive(kind) || trace.instance[at][seq] != PH_NONE;
}

static void
check_call(uint64_t seed, uint32_t at, const PhCommLocation *location, const PhCommEnd *end)
{
	uint32_t seq = enclosing_call(&trace, at, (uint32_t) end->seq);
	if (seq == PH_NONE)
	{
		assert_int_equal(end->call, PH_NONE);
		return;
	}
	const PhCommCall *call = &location->calls[end->call];
	if (call->seq != seq || call->enter != trace.events[at][seq].time ||
		call->region != trace.events[at][seq].region || call->leave != call_leave(&trace, at, seq))
		fail_msg("seed %llu: call of event %llu at %u", (unsigned long long) seed,
				 (unsigned long long) end->seq, at);
}

static void
check_end(const PhSkeleton *skeleton, uint32_t at, const PhCommEnd *end)
{
	const PhLink *truth = &trace.truth[at][end->seq];
	if (ph_is_receive(end->kind) && truth->location != PH_NONE)
	{
		const PhCommEnd *send = &skeleton->locations[end->partner_location].ends[end->partner];
		assert_int_equal(end->partner_location, truth->location);
		assert_int_equal(send->seq, truth->seq);
		assert_int_equal(send->partner_location, at);
		assert_ptr_equal(&skeleton->locations[at].ends[send->partner], end);
	}
	else if (ph_is_receive(end->kind))
		assert_int_equal(end->partner, PH_NONE);
	else if (!ph_is_send(end->kind))
		assert_int_equal(skeleton->collectives.members[end->partner].seq, end->seq);
}

static uint32_t
held_by(uint32_t at, uint32_t call)
{
	uint32_t holds = 0;
	for (uint32_t i = call; i < trace.n_events[at]; i++)
	{
		if (!is_end(at, i) || enclosing_call(&trace, at, i) != call)
			continue;
		if (ph_is_send(trace.events[at][i].kind))
			holds |= PH_HOLDS_SEND;
		else if (!ph_is_receive(trace.events[at][i].kind))
			holds |= PH_HOLDS_COLLECTIVE;
		else
			holds |= trace.truth[at][i].location == PH_NONE ? PH_HOLDS_UNMATCHED_RECEIVE
															: PH_HOLDS_RECEIVE;
	}
	return holds;
}

static void
check_location(uint64_t seed, const PhSkeleton *skeleton, uint32_t at)
{
	const PhCommLocation *location = &skeleton->locations[at];
	uint32_t n = 0;
	for (uint32_t i = 0; i < trace.n_events[at]; i++)
	{
		if (!is_end(at, i))
			continue;
		assert_true(n < location->n_ends);
		const PhCommEnd *end = &location->ends[n++];
		assert_int_equal(end->seq, i);
		assert_int_equal(end->time, trace.events[at][i].time);
		assert_int_equal(end->kind, trace.events[at][i].kind);
		check_call(seed, at, location, end);
		check_end(skeleton, at, end);
	}
	assert_int_equal(n, location->n_ends);
	for (uint32_t i = 0; i < location->n_calls; i++)
	{
		assert_true(i == 0 || location->calls[i - 1].seq < location->calls[i].seq);
		assert_int_equal(location->calls[i].holds, held_by(at, (uint32_t) location->calls[i].seq));
	}
	assert_int_equal(location->last_time, trace.events[at][trace.n_events[at] - 1].time);
	assert_int_equal(location->first_time, trace.events[at][0].time);
}

static void
test_skeletons(void **state)
{
	uint64_t n_messages = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhSkeleton *skeleton;
		if (seed % 2 == 0)
			comm_random(seed, 20 + (uint32_t) seed % 150, &trace);
		else
			comm_random_bare(seed, 20 + (uint32_t) seed % 150, &trace);
		must(skeleton_of(&env, &trace, seed, &skeleton));
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			check_location(seed, skeleton, at);
		n_messages += skeleton->counts.messages;
		ph_skeleton_free(skeleton);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_messages > N_TRACES);
}

/* ---- waits ---- */

static uint64_t
check_late_sender_order(const PhLateSender *rows, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
	{
		const PhLateSender *a = &rows[i - 1], *b = &rows[i];
		assert_true(a->wait > b->wait ||
					(a->wait == b->wait && (a->receiver_location < b->receiver_location ||
											(a->receiver_location == b->receiver_location &&
											 a->receive_seq < b->receive_seq))));
	}
	return n;
}

/* The row of one call, found in the plain way; wait 0: it did not wait. */
static PhLateSender
plain_late_sender(uint32_t at, uint32_t call)
{
	PhLateSender row;
	memset(&row, 0, sizeof(row));
	row.send_time = INT64_MIN;
	row.receive_enter = trace.events[at][call].time;
	row.receive_leave = call_leave(&trace, at, call);
	for (uint32_t i = call; i < trace.n_events[at]; i++)
	{
		const PhEvent *event = &trace.events[at][i];
		const PhLink *link = &trace.truth[at][i];
		if (!ph_is_receive(event->kind) || link->location == PH_NONE ||
			enclosing_call(&trace, at, i) != call)
			continue;
		row.n_messages++;
		row.n_late += link->time > row.receive_enter;
		if (link->time <= row.send_time)
			continue;
		row.send_time = link->time;
		row.receive_time = event->time;
		row.bytes = event->bytes;
		row.send_seq = link->seq;
		row.receive_seq = i;
		row.sender = event->peer;
		row.sender_location = link->location;
		row.comm = event->comm;
		row.tag = event->tag;
	}
	int64_t until = row.send_time < row.receive_leave ? row.send_time : row.receive_leave;
	row.wait = until > row.receive_enter ? until - row.receive_enter : 0;
	row.receiver = (uint32_t) trace.locations[at].rank;
	row.receiver_location = at;
	row.receive_region = trace.events[at][call].region;
	return row;
}

static void
check_late_senders(uint64_t seed, const PhLateSender *rows, uint32_t n)
{
	uint32_t n_expected = 0;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t call = 0; call < trace.n_events[at]; call++)
		{
			if (trace.events[at][call].kind != PH_EVENT_ENTER)
				continue;
			PhLateSender row = plain_late_sender(at, call);
			bool found = row.wait == 0;
			n_expected += !found;
			for (uint32_t i = 0; i < n && !found; i++)
				found = memcmp(&rows[i], &row,
							   offsetof(PhLateSender, n_late) + sizeof(row.n_late)) == 0;
			if (!found)
				fail_msg("seed %llu: call %u at %u", (unsigned long long) seed, call, at);
		}
	assert_int_equal(n, n_expected);
}

static void
check_late_receivers(uint64_t seed, const PhLateReceiver *rows, uint32_t n)
{
	uint32_t n_expected = 0;
	bool classes[65];
	rendezvous_classes(&trace, classes);
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
		{
			PhLink receive;
			int64_t until;
			bool found = !waited_for_receiver(&trace, classes, at, i, &until, &receive);
			n_expected += !found;
			for (uint32_t r = 0; r < n && !found; r++)
				found =
					rows[r].sender_location == at && rows[r].send_seq == i &&
					rows[r].receiver_location == receive.location &&
					rows[r].receive_seq == receive.seq &&
					rows[r].wait == until - trace.events[at][enclosing_call(&trace, at, i)].time;
			if (!found)
				fail_msg("seed %llu: event %u at %u", (unsigned long long) seed, i, at);
		}
	assert_int_equal(n, n_expected);
	for (uint32_t i = 1; i < n; i++)
		assert_true(rows[i - 1].wait >= rows[i].wait);
}

static void
check_collective_waits(uint64_t seed, const PhSkeleton *skeleton, const PhCollectiveWait *rows,
					   uint32_t n)
{
	uint32_t n_expected = 0;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
		{
			uint32_t cause;
			if (trace.instance[at][i] == PH_NONE)
				continue;
			int64_t until = collective_cause(&trace, at, i, &cause);
			int64_t enter = trace.begin[at][i];
			if (trace.events[at][i].kind == PH_EVENT_NB_COLLECTIVE_COMPLETE)
				enter = trace.events[at][enclosing_call(&trace, at, i)].time;
			until = until < trace.events[at][i].time ? until : trace.events[at][i].time;
			bool found = cause == PH_NONE || until <= enter;
			n_expected += !found;
			for (uint32_t r = 0; r < n && !found; r++)
			{
				const PhCollectiveMember *members = skeleton->collectives.members;
				found = rows[r].location == at && members[rows[r].member].seq == i &&
						members[rows[r].cause].location == cause && rows[r].enter == enter &&
						rows[r].wait == until - enter;
			}
			if (!found)
				fail_msg("seed %llu: event %u at %u", (unsigned long long) seed, i, at);
		}
	assert_int_equal(n, n_expected);
	for (uint32_t i = 1; i < n; i++)
		assert_true(rows[i - 1].wait >= rows[i].wait);
}

static void
test_waits(void **state)
{
	uint64_t n_senders = 0, n_receivers = 0, n_collectives = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhSkeleton *skeleton;
		PhArena arena;
		const PhLateSender *senders;
		const PhLateReceiver *receivers;
		const PhCollectiveWait *collectives;
		uint32_t n;
		comm_random(seed, 20 + (uint32_t) seed % 150, &trace);
		if (seed % 3 == 0)
			spoil_clocks(&trace, seed, 400);
		if (seed % 2 == 0)
			make_rendezvous(&trace);
		must(skeleton_of(&env, &trace, seed, &skeleton));
		ph_arena_init(&arena, &env);
		must(ph_late_senders(&arena, skeleton, &senders, &n));
		check_late_senders(seed, senders, n);
		n_senders += check_late_sender_order(senders, n);
		must(ph_late_receivers(&arena, skeleton, &receivers, &n));
		check_late_receivers(seed, receivers, n);
		n_receivers += n;
		must(ph_collective_waits(&arena, skeleton, &collectives, &n));
		check_collective_waits(seed, skeleton, collectives, n);
		n_collectives += n;
		ph_arena_drop(&arena);
		ph_skeleton_free(skeleton);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_senders > N_TRACES && n_receivers > 50 && n_collectives > N_TRACES / 2);
}

/* Every collective operation of the application depends on somebody, those of handles do not. */
static void
test_flows(void **state)
{
	(void) state;
	for (uint32_t operation = 0; operation <= PH_COLLECTIVE_COUNT; operation++)
		assert_int_equal(ph_collective_flow(operation) != PH_FLOW_NONE,
						 ph_collective_is_application(operation) &&
							 operation < PH_COLLECTIVE_CREATE_HANDLE);
}

static void
test_misuse(void **state)
{
	PhSkeleton *skeleton;
	PhEvent send = {.kind = PH_EVENT_SEND}, receive = {.kind = PH_EVENT_RECV};
	PhLink links[] = {{1, 0, 0}, {0, 1, 0}, {0, 9, 0}, {77, 0, 0}};
	(void) state;
	comm_random(5, 100, &trace);
	for (uint32_t i = 0; i < 4; i++)
	{
		must(ph_skeleton_new(&env, &trace.model, &skeleton));
		must(ph_skeleton_add_event(skeleton, 0, 0, &send, NULL, NULL));
		must(ph_skeleton_add_event(skeleton, 0, 1, &receive, NULL, &links[i]));
		assert_int_equal(ph_skeleton_finish(skeleton), PH_ERR_FORMAT);
		assert_int_equal(ph_skeleton_finish(skeleton), PH_ERR_VALUE);
		assert_int_equal(ph_skeleton_add_event(skeleton, 0, 1, &send, NULL, NULL), PH_ERR_VALUE);
		ph_skeleton_free(skeleton);
	}
	must(ph_skeleton_new(&env, &trace.model, &skeleton));
	links[0] = (PhLink){0, 0, 0};
	must(ph_skeleton_add_event(skeleton, 0, 0, &send, NULL, NULL));
	must(ph_skeleton_add_event(skeleton, 0, 1, &receive, NULL, &links[0]));
	must(ph_skeleton_add_event(skeleton, 0, 2, &receive, NULL, &links[0]));
	assert_int_equal(ph_skeleton_link(skeleton, 0, links, 1), PH_ERR_VALUE);
	assert_int_equal(ph_skeleton_add_event(skeleton, trace.model.n_locations, 0, &send, NULL, NULL),
					 PH_ERR_VALUE);
	assert_int_equal(ph_skeleton_finish(skeleton), PH_ERR_FORMAT); /* received twice */
	ph_skeleton_free(skeleton);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
wait_in(PhEnv *in, void *user)
{
	PhSkeleton *skeleton;
	PhArena arena;
	const PhLateSender *senders;
	const PhLateReceiver *receivers;
	const PhCollectiveWait *collectives;
	uint32_t n;
	PH_TRY(skeleton_of(in, &trace, *(uint64_t *) user, &skeleton));
	ph_arena_init(&arena, in);
	PhStatus status = ph_late_senders(&arena, skeleton, &senders, &n);
	if (status == PH_OK)
		status = ph_late_receivers(&arena, skeleton, &receivers, &n);
	if (status == PH_OK)
		status = ph_collective_waits(&arena, skeleton, &collectives, &n);
	ph_arena_drop(&arena);
	ph_skeleton_free(skeleton);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	comm_random(3, 1200, &trace);
	for (uint64_t seed = 0; seed < 4; seed++)
	{
		uint64_t feed = seed * 97;
		assert_string_equal(fault_env_try_allocations(wait_in, &feed, 0), "");
		assert_string_equal(fault_env_try_interrupts(wait_in, &feed, 0), "");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_skeletons), cmocka_unit_test(test_waits),
		cmocka_unit_test(test_flows),	  cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
