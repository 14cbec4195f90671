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
#include "support/rounds.h"
#include "support/skeleton.h"
#include "trace/waits.h"

#define N_TRACES rounds(2000)

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
		uint32_t other = PH_HOLDS_COMPLETED_SEND | PH_HOLDS_POSTED_RECEIVE;
		assert_int_equal(location->holds[i] & ~other,
						 held_by(at, (uint32_t) location->calls[i].seq));
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

/* ---- rendezvous ---- */

/* Who needs the receiver, and when it came, as a plain search finds it. */
static void
check_rendezvous(uint64_t seed, const PhSkeleton *skeleton, const PhRendezvous *rendezvous,
				 const bool *classes, uint32_t *n_late)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < skeleton->locations[at].n_ends; i++)
		{
			const PhCommLocation *location = &skeleton->locations[at];
			const PhCommEnd *end = &location->ends[i];
			PhReceiverCame came;
			PlainReceiver receiver;
			if (!ph_is_send(end->kind) || end->partner == PH_NONE)
				continue;
			bool is_known = ph_receiver_came(skeleton, at, end, &came);
			PlainReceiver expected = receiver_of(&trace, at, (uint32_t) end->seq);
			bool waits = waited_for_receiver(&trace, classes, at, (uint32_t) end->seq, &receiver);
			if (is_known != (expected.call != PH_NONE))
				fail_msg("seed %llu: event %llu at %u", (unsigned long long) seed,
						 (unsigned long long) end->seq, at);
			if (!is_known)
				continue;
			assert_int_equal(came.time, expected.came);
			assert_int_equal(location->calls[came.sending].seq, expected.sending);
			assert_int_equal(ph_rendezvous_needs_receiver(rendezvous, at, end) &&
								 came.time < location->calls[came.sending].leave,
							 waits);
			*n_late += waits && came.time > location->calls[came.sending].enter;
		}
}

static void
test_rendezvous(void **state)
{
	uint32_t n_late = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhSkeleton *skeleton;
		PhArena arena;
		const PhRendezvous *rendezvous;
		bool classes[65];
		comm_random(seed, 20 + (uint32_t) seed % 400, &trace);
		if (seed % 3 == 0)
			spoil_clocks(&trace, seed, 400);
		if (seed % 2 == 0)
			make_rendezvous(&trace);
		if (seed % 5 == 0)
			make_synchronous(&trace);
		must(skeleton_of(&env, &trace, seed, &skeleton));
		ph_arena_init(&arena, &env);
		must(ph_rendezvous_find(&arena, skeleton, &rendezvous));
		rendezvous_classes(&trace, classes);
		check_rendezvous(seed, skeleton, rendezvous, classes, &n_late);
		ph_arena_drop(&arena);
		ph_skeleton_free(skeleton);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_late > met_in_rounds(30));
}

/* ---- what is kept of other ends ---- */

static void
stretch_times(int64_t factor)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			trace.events[at][i].time *= factor;
}

static void
compare_others(const PhSkeleton *kept, const PhSkeleton *plain, uint32_t at)
{
	for (uint32_t i = 0; i < plain->locations[at].n_ends; i++)
	{
		const PhCommEnd *end = &plain->locations[at].ends[i];
		if (!ph_is_send(end->kind) && !ph_is_message_receive(end))
			continue;
		assert_int_equal(ph_came(kept, at, i), ph_came(plain, at, i));
		if (end->met)
			assert_int_equal(ph_parted(kept, at, i), ph_parted(plain, at, i));
	}
}

/* Times that are too far away to be kept are looked up; some are as far as just fits, or not. */
static void
test_kept_times(void **state)
{
	static const int64_t factors[] = {1, (int64_t) 1 << 26, (int64_t) 1 << 31, (int64_t) 1 << 40};
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhSkeleton *kept, *plain;
		comm_random(seed, 20 + (uint32_t) seed % 150, &trace);
		stretch_times(factors[seed % 4]);
		must(skeleton_of(&env, &trace, 1, &kept));
		must(skeleton_of(&env, &trace, 3, &plain));
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
		{
			assert_non_null(kept->locations[at].others);
			assert_null(plain->locations[at].others);
			compare_others(kept, plain, at);
		}
		ph_skeleton_free(kept);
		ph_skeleton_free(plain);
	}
	assert_int_equal(env.bytes, 0);
}

/* Every collective operation of the application depends on somebody, those of handles do not. */
static void
test_flows(void **state)
{
	(void) state;
	for (uint32_t operation = 0; operation <= PH_COLLECTIVE_COUNT; operation++)
		assert_int_equal(ph_collective_flow(operation) != PH_FLOW_NONE,
						 ph_collective_is_application(operation));
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
	const PhRendezvous *rendezvous;
	uint32_t *causes;
	PH_TRY(skeleton_of(in, &trace, *(uint64_t *) user, &skeleton));
	ph_arena_init(&arena, in);
	PhStatus status = ph_rendezvous_find(&arena, skeleton, &rendezvous);
	if (status == PH_OK)
		status = ph_collective_causes(&arena, skeleton, &causes);
	ph_arena_drop(&arena);
	ph_skeleton_free(skeleton);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	comm_random(3, 4000, &trace);
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
		cmocka_unit_test(test_skeletons),  cmocka_unit_test(test_rendezvous),
		cmocka_unit_test(test_kept_times), cmocka_unit_test(test_flows),
		cmocka_unit_test(test_misuse),	   cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
