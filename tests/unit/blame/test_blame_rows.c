/*
 * test_blame_rows.c - late senders, late receivers and waits in collectives of random programs are
 * the waits that a plain search finds, with what their messages and collectives say; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "blame/wait_rows.h"
#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/skeleton.h"

#define N_TRACES rounds(600)

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhEnv env;
static CommTrace trace;

typedef struct Found
{
	const PhLateSender *senders;
	const PhLateReceiver *receivers;
	const PhCollectiveWait *collectives;
	uint32_t n_senders, n_receivers, n_collectives;
} Found;

static PhStatus
find_rows(PhArena *arena, const PhSkeleton *skeleton, Found *out)
{
	PhWaitStates waits;
	PH_TRY(ph_wait_states_find(arena, skeleton, &waits));
	PH_TRY(ph_late_senders(arena, skeleton, &waits, &out->senders, &out->n_senders));
	PH_TRY(ph_late_receivers(arena, skeleton, &waits, &out->receivers, &out->n_receivers));
	return ph_collective_waits(arena, skeleton, &waits, &out->collectives, &out->n_collectives);
}

/* How many messages a call received, and how many of their sends were entered after it. */
static void
count_plainly(const PhWait *wait, uint32_t *n, uint32_t *n_late)
{
	*n = *n_late = 0;
	for (uint32_t i = wait->call; i < trace.n_events[wait->victim]; i++)
	{
		PhLink sent = trace.truth[wait->victim][i];
		if (!ph_is_receive(trace.events[wait->victim][i].kind) || sent.location == PH_NONE ||
			enclosing_call(&trace, wait->victim, i) != wait->call)
			continue;
		(*n)++;
		*n_late += plain_enter(&trace, sent.location, (uint32_t) sent.seq) > wait->from;
	}
}

static bool
is_sender_row(const PhLateSender *row, const PhWait *wait)
{
	uint32_t n, n_late;
	const PhEvent *call = &trace.events[wait->victim][wait->call];
	const PhEvent *receive = &trace.events[wait->victim][row->receive_seq];
	PhLink sent = trace.truth[wait->victim][row->receive_seq];
	if (row->receiver_location != wait->victim || row->receive_enter != wait->from)
		return false;
	count_plainly(wait, &n, &n_late);
	return row->wait == wait->to - wait->from && row->receive_seq == wait->end &&
		   row->receive_region == call->region && row->receive_time == receive->time &&
		   row->receive_leave == call_leave(&trace, wait->victim, wait->call) &&
		   row->tag == receive->tag && row->bytes == receive->bytes && row->comm == receive->comm &&
		   row->sender == receive->peer && row->sender_location == sent.location &&
		   row->send_seq == sent.seq && row->send_time == sent.time && row->n_messages == n &&
		   row->n_late == n_late && row->receiver == (uint32_t) trace.locations[wait->victim].rank;
}

static bool
is_receiver_row(const PhLateReceiver *row, const PhWait *wait)
{
	const PhEvent *send = &trace.events[wait->victim][wait->end];
	PhLink receive = receiver_of(&trace, wait->victim, wait->end).receive;
	return row->sender_location == wait->victim && row->send_enter == wait->from &&
		   row->wait == wait->to - wait->from && row->send_seq == wait->end &&
		   row->send_leave == call_leave(&trace, wait->victim, wait->call) &&
		   row->send_region == trace.events[wait->victim][wait->call].region &&
		   row->receive_enter == wait->release && row->bytes == send->bytes &&
		   row->receiver == send->peer && row->receiver_location == receive.location &&
		   row->receive_seq == receive.seq && row->tag == send->tag && row->comm == send->comm;
}

static bool
is_collective_row(const PhSkeleton *skeleton, const PhCollectiveWait *row, const PhWait *wait)
{
	const PhCollectiveMember *members = skeleton->collectives.members;
	return row->location == wait->victim && row->enter == wait->from &&
		   row->wait == wait->to - wait->from && members[row->member].seq == wait->end &&
		   members[row->member].instance == row->instance &&
		   members[row->cause].instance == row->instance &&
		   members[row->cause].location == wait->awaited;
}

/* Each wait of a plain search is one row of its kind. */
static void
check_rows(uint64_t seed, const PhSkeleton *skeleton, const Found *found)
{
	uint32_t n[3] = {0};
	bool classes[65];
	rendezvous_classes(&trace, classes);
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t call = 0; call < trace.n_events[at]; call++)
		{
			if (trace.events[at][call].kind != PH_EVENT_ENTER)
				continue;
			PhWait wait = plain_wait(&trace, classes, at, call);
			bool is_found = wait.to <= wait.from;
			if (is_found)
				continue;
			for (uint32_t i = 0; i < found->n_senders && wait.kind == PH_WAIT_LATE_SENDER; i++)
				is_found = is_found || is_sender_row(&found->senders[i], &wait);
			for (uint32_t i = 0; i < found->n_receivers && wait.kind == PH_WAIT_LATE_RECEIVER; i++)
				is_found = is_found || is_receiver_row(&found->receivers[i], &wait);
			for (uint32_t i = 0; i < found->n_collectives && wait.kind == PH_WAIT_N_TO_N; i++)
				is_found = is_found || is_collective_row(skeleton, &found->collectives[i], &wait);
			if (!is_found)
				fail_msg("seed %llu: call %u at %u", (unsigned long long) seed, call, at);
			n[wait.kind == PH_WAIT_LATE_SENDER ? 0 : wait.kind == PH_WAIT_N_TO_N ? 2 : 1]++;
		}
	assert_int_equal(n[0], found->n_senders);
	assert_int_equal(n[1], found->n_receivers);
	assert_int_equal(n[2], found->n_collectives);
}

static void
check_order(const Found *found)
{
	for (uint32_t i = 1; i < found->n_senders; i++)
	{
		const PhLateSender *a = &found->senders[i - 1], *b = &found->senders[i];
		assert_true(a->wait > b->wait ||
					(a->wait == b->wait && (a->receiver_location < b->receiver_location ||
											(a->receiver_location == b->receiver_location &&
											 a->receive_seq < b->receive_seq))));
	}
	for (uint32_t i = 1; i < found->n_receivers; i++)
		assert_true(found->receivers[i - 1].wait >= found->receivers[i].wait);
	for (uint32_t i = 1; i < found->n_collectives; i++)
		assert_true(found->collectives[i - 1].wait >= found->collectives[i].wait);
}

static void
test_rows(void **state)
{
	uint64_t n_senders = 0, n_receivers = 0, n_collectives = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhSkeleton *skeleton;
		PhArena arena;
		Found found;
		comm_random(seed, 20 + (uint32_t) (seed * 37 % 400), &trace);
		if (seed % 3 == 0)
			spoil_clocks(&trace, seed, 400);
		if (seed % 2 == 0)
			make_rendezvous(&trace);
		if (seed % 5 == 0)
			make_synchronous(&trace);
		must(skeleton_of(&env, &trace, seed, &skeleton));
		ph_arena_init(&arena, &env);
		must(find_rows(&arena, skeleton, &found));
		check_rows(seed, skeleton, &found);
		check_order(&found);
		n_senders += found.n_senders;
		n_receivers += found.n_receivers;
		n_collectives += found.n_collectives;
		ph_arena_drop(&arena);
		ph_skeleton_free(skeleton);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_senders > N_TRACES / 4 && n_receivers > met_in_rounds(30) &&
				n_collectives > N_TRACES / 4);
}

static PhStatus
rows_in(PhEnv *in, void *user)
{
	PhSkeleton *skeleton;
	PhArena arena;
	Found found;
	PH_TRY(skeleton_of(in, &trace, *(uint64_t *) user, &skeleton));
	ph_arena_init(&arena, in);
	PhStatus status = find_rows(&arena, skeleton, &found);
	ph_arena_drop(&arena);
	ph_skeleton_free(skeleton);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	comm_random(3, 1200, &trace);
	for (uint64_t seed = 0; seed < 2; seed++)
	{
		uint64_t feed = seed * 97;
		assert_string_equal(fault_env_try_allocations(rows_in, &feed, 150), "");
		assert_string_equal(fault_env_try_interrupts(rows_in, &feed, 0), "");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
