/*
 * test_window_waits.c - waits of one-sided communication, their intervals and delay costs of random
 * programs against plain searches over the events; planted causes; nonsense; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/blamed.h"
#include "support/fault_env.h"
#include "support/plain_epochs.h"
#include "support/window_program.h"

#define N_TRACES 120

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhEnv env;
static CommTrace trace;
static Blamed test;

/* ---- plain: events ---- */

static const PhEvent *
event_of(uint32_t at, uint32_t seq)
{
	return &trace.events[at][seq];
}

static bool
is_record(uint32_t at, uint32_t seq, PhOtherRecord record)
{
	return event_of(at, seq)->kind == PH_EVENT_RMA && event_of(at, seq)->operation == record;
}

static uint32_t
region_around(uint32_t at, uint32_t seq)
{
	return event_of(at, enclosing_call(&trace, at, seq))->region;
}

static int64_t
entered(uint32_t at, uint32_t seq)
{
	return event_of(at, enclosing_call(&trace, at, seq))->time;
}

static int64_t
left(uint32_t at, uint32_t seq)
{
	return call_leave(&trace, at, enclosing_call(&trace, at, seq));
}

/* ---- plain: collectives ---- */

static bool
ends_collective(uint32_t at, uint32_t seq)
{
	return is_record(at, seq, PH_RECORD_RMA_COLLECTIVE_END) ||
		   event_of(at, seq)->kind == PH_EVENT_COLLECTIVE_END;
}

/* The k-th end of a collective of a communicator; PH_NONE. */
static uint32_t
kth_collective(uint32_t at, uint32_t comm, uint32_t k)
{
	for (uint32_t i = 0; i < trace.n_events[at]; i++)
		if (ends_collective(at, i) && event_of(at, i)->comm == comm && k-- == 0)
			return i;
	return PH_NONE;
}

static uint32_t
other_member(uint32_t at, uint32_t seq, uint32_t other)
{
	uint32_t k = 0;
	for (uint32_t i = 0; i < seq; i++)
		k += ends_collective(at, i) && event_of(at, i)->comm == event_of(at, seq)->comm;
	return kth_collective(other, event_of(at, seq)->comm, k);
}

static int64_t
begun(uint32_t at, uint32_t end)
{
	while (!is_record(at, end, PH_RECORD_RMA_COLLECTIVE_BEGIN) &&
		   event_of(at, end)->kind != PH_EVENT_COLLECTIVE_BEGIN)
		end--;
	return event_of(at, end)->time;
}

/* ---- plain: locks ---- */

static bool
is_exclusive(uint32_t at, uint32_t seq)
{
	return event_of(at, seq)->values[1] == 0;
}

/* When a lock was given back; PH_NO_TIME: that was not recorded. */
static uint32_t
given_back(uint32_t at, uint32_t got)
{
	uint32_t n = 0; /* holds of the same lock that are not given back first */
	for (uint32_t i = got + 1; i < trace.n_events[at]; i++)
	{
		if (event_of(at, i)->kind != PH_EVENT_RMA ||
			event_of(at, i)->peer != event_of(at, got)->peer)
			continue;
		n += is_record(at, i, PH_RECORD_RMA_ACQUIRE_LOCK);
		if (is_record(at, i, PH_RECORD_RMA_RELEASE_LOCK) && n-- == 0)
			return i;
	}
	return PH_NONE;
}

static bool
is_before(uint32_t at, uint32_t seq, uint32_t other, uint32_t other_seq)
{
	int64_t x = event_of(at, seq)->time, y = event_of(other, other_seq)->time;
	return x < y || (x == y && (at < other || (at == other && seq < other_seq)));
}

/* ---- plain: waits ---- */

typedef struct PlainWait
{
	PhWaitKind kind;
	int64_t from, to, release;
	uint32_t awaited;
	int64_t held; /* locks: since when the other one had it */
} PlainWait;

/* In the order of the group's members, the first of equals. */
static void
wait_in_epoch(uint32_t at, uint32_t seq, PlainWait *wait)
{
	if (event_of(at, seq)->n_values < 3)
		return;
	const PhTraceCommunicator *group = &trace.communicators[event_of(at, seq)->values[2]];
	for (uint32_t i = 0; i < group->n_members; i++)
	{
		uint32_t other = group->members[i], signal = plain_signal(&trace, at, seq, other);
		if (signal == PH_NONE ||
			(wait->awaited != PH_NONE && entered(other, signal) <= wait->release))
			continue;
		wait->release = entered(other, signal);
		wait->awaited = other;
	}
	wait->kind = region_around(at, seq) == WINDOW_WAIT ? PH_WAIT_LATE_COMPLETE : PH_WAIT_LATE_POST;
	wait->to = wait->release < left(at, seq) ? wait->release : left(at, seq);
}

static void
wait_in_collective(uint32_t at, uint32_t seq, PlainWait *wait)
{
	uint32_t region = region_around(at, seq);
	for (uint32_t other = 0; other < trace.model.n_locations; other++)
	{
		uint32_t end = other == at ? PH_NONE : other_member(at, seq, other);
		if (end == PH_NONE || (wait->awaited != PH_NONE && begun(other, end) <= wait->release))
			continue;
		wait->release = begun(other, end);
		wait->awaited = other;
	}
	wait->kind = region == WINDOW_COLLECTIVE ? PH_WAIT_N_TO_N
				 : region == WINDOW_FENCE	 ? PH_WAIT_FENCE
											 : PH_WAIT_WINDOW;
	wait->to = wait->release < event_of(at, seq)->time ? wait->release : event_of(at, seq)->time;
}

/* For whom of all that had the lock at the same time or before, one of both alone, kept it longest.
 */
static void
wait_for_lock(uint32_t at, uint32_t seq, PlainWait *wait)
{
	bool is_known = true;
	wait->release = INT64_MIN;
	for (uint32_t other = 0; other < trace.model.n_locations; other++)
		for (uint32_t i = 0; i < trace.n_events[other]; i++)
		{
			if (!is_record(other, i, PH_RECORD_RMA_ACQUIRE_LOCK) ||
				event_of(other, i)->peer != event_of(at, seq)->peer ||
				!is_before(other, i, at, seq) ||
				(!is_exclusive(at, seq) && !is_exclusive(other, i)))
				continue;
			uint32_t back = given_back(other, i);
			is_known = is_known && back != PH_NONE;
			if (back == PH_NONE || event_of(other, back)->time < wait->release ||
				(event_of(other, back)->time == wait->release && wait->awaited != PH_NONE &&
				 !(event_of(other, i)->time < wait->held)))
				continue;
			wait->release = event_of(other, back)->time;
			wait->awaited = other;
			wait->held = event_of(other, i)->time;
		}
	wait->kind = PH_WAIT_WINDOW_LOCK;
	if (!is_known || wait->awaited == at || wait->release > event_of(at, seq)->time)
		wait->awaited = PH_NONE;
	wait->to = wait->release;
}

/* What a rank waited for in the call around an event; to <= from: nothing. */
static PlainWait
plain_wait_at(uint32_t at, uint32_t seq)
{
	PlainWait wait = {.awaited = PH_NONE};
	if (ends_collective(at, seq))
		wait_in_collective(at, seq, &wait);
	else if (is_record(at, seq, PH_RECORD_RMA_GROUP_SYNC))
		wait_in_epoch(at, seq, &wait);
	else if (is_record(at, seq, PH_RECORD_RMA_ACQUIRE_LOCK))
		wait_for_lock(at, seq, &wait);
	if (wait.awaited == PH_NONE)
		return (PlainWait){0};
	wait.from = entered(at, seq);
	return wait;
}

/* ---- plain: intervals ---- */

/* Does a record meet another rank's, and which? */
static uint32_t
met_at(uint32_t at, uint32_t seq, uint32_t other)
{
	if (ends_collective(at, seq))
		return other_member(at, seq, other);
	if (!is_record(at, seq, PH_RECORD_RMA_GROUP_SYNC))
		return PH_NONE;
	uint32_t signal = plain_signal(&trace, at, seq, other);
	for (uint32_t i = 0; signal == PH_NONE && i < trace.n_events[other]; i++)
		if (is_record(other, i, PH_RECORD_RMA_GROUP_SYNC) &&
			plain_signal(&trace, other, i, at) == seq)
			return i;
	return signal;
}

/* Both ways: completing waits for the post and lets the other one wait. */
static bool
meets(uint32_t at, uint32_t seq, uint32_t other, int64_t *parted)
{
	bool any = false;
	for (uint32_t i = 0; i < trace.n_events[other]; i++)
	{
		bool is_pair =
			met_at(at, seq, other) == i || (is_record(at, seq, PH_RECORD_RMA_GROUP_SYNC) &&
											is_record(other, i, PH_RECORD_RMA_GROUP_SYNC) &&
											(plain_signal(&trace, other, i, at) == seq ||
											 plain_signal(&trace, at, seq, other) == i));
		if (!is_pair || entered(at, seq) > left(other, i) || entered(other, i) > left(at, seq))
			continue;
		int64_t both = left(at, seq) < left(other, i) ? left(at, seq) : left(other, i);
		/* ends of one record are met in the order of kinds: the signal first */
		if (!any || plain_signal(&trace, at, seq, other) == i)
			*parted = both;
		any = true;
	}
	return any;
}

static void
check_interval(uint64_t seed, uint32_t index, uint32_t call)
{
	const PhWait *wait = &test.waits.waits[index];
	int64_t here = trace.events[wait->victim][0].time, there = trace.events[wait->awaited][0].time;
	for (uint32_t i = call; i-- > 0;)
	{
		int64_t parted;
		if (!ends_collective(wait->victim, i) &&
			!is_record(wait->victim, i, PH_RECORD_RMA_GROUP_SYNC))
			continue;
		if (wait->instance != PH_NONE &&
			(!ends_collective(wait->victim, i) ||
			 event_of(wait->victim, i)->comm !=
				 test.skeleton->collectives.instances[wait->instance].comm))
			continue;
		if (!meets(wait->victim, i, wait->awaited, &parted) || parted > wait->release ||
			left(wait->victim, i) > wait->from)
			continue;
		here = there = parted;
		break;
	}
	here = here < wait->from ? here : wait->from;
	there = there < wait->release ? there : wait->release;
	if (test.intervals[index].victim_from != here || test.intervals[index].awaited_from != there)
		fail_msg("seed %llu: interval of wait %u", (unsigned long long) seed, index);
}

/* ---- checks ---- */

static void
check_wait(uint64_t seed, uint32_t index, const PlainWait *expected, uint32_t call)
{
	const PhWait *wait = &test.waits.waits[index];
	if (wait->from != expected->from || wait->to != expected->to || wait->kind != expected->kind ||
		wait->awaited != expected->awaited || wait->release != expected->release)
		fail_msg("seed %llu: wait %u", (unsigned long long) seed, index);
	assert_int_equal(wait->region, event_of(wait->victim, call)->region);
	assert_int_equal(wait->seq, call);
	if (expected->kind != PH_WAIT_WINDOW_LOCK)
	{
		check_interval(seed, index, call);
		return;
	}
	assert_int_equal(wait->awaited_region, WINDOW_UNLOCK);
	assert_int_equal(test.intervals[index].victim_from, wait->from);
	assert_int_equal(test.intervals[index].awaited_from, expected->held);
}

/* By kind how many were met. */
static void
check_waits(uint64_t seed, uint32_t *n)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		uint32_t next = test.waits.first[at];
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
		{
			PlainWait expected = plain_wait_at(at, i);
			if (expected.to <= expected.from)
				continue;
			if (next == test.waits.first[at + 1])
				fail_msg("seed %llu: no wait at %u, event %u", (unsigned long long) seed, at, i);
			n[expected.kind]++;
			check_wait(seed, next++, &expected, enclosing_call(&trace, at, i));
		}
		if (next != test.waits.first[at + 1])
			fail_msg("seed %llu: too many waits of %u", (unsigned long long) seed, at);
	}
}

/* Epochs without a counterpart, and what is not known of. */
static void
check_counts(void)
{
	uint64_t lonely = 0, operations = 0, locks = 0;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
		{
			operations += is_record(at, i, PH_RECORD_RMA_PUT);
			locks += is_record(at, i, PH_RECORD_RMA_ACQUIRE_LOCK);
			if (!is_record(at, i, PH_RECORD_RMA_GROUP_SYNC))
				continue;
			lonely += event_of(at, i)->n_values < 3;
			for (uint32_t other = 0; other < trace.model.n_locations; other++)
				lonely +=
					plain_is_with(&trace, at, i, other) && plain_is_lonely(&trace, at, i, other);
		}
	assert_int_equal(test.skeleton->windows.lonely, lonely);
	assert_int_equal(test.skeleton->windows.operations, operations);
	assert_int_equal(test.skeleton->windows.locks, locks);
}

static void
check_disjoint(void)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = test.waits.first[at]; i < test.waits.first[at + 1]; i++)
		{
			const PhWait *wait = &test.waits.waits[i];
			assert_true(wait->from < wait->to && wait->victim == at);
			assert_true(i == test.waits.first[at] || wait[-1].to <= wait->from);
		}
}

/* ---- tests ---- */

static void
test_random_windows(void **state)
{
	(void) state;
	uint32_t n[PH_WAIT_KINDS] = {0};
	int64_t long_term = 0;
	for (uint64_t seed = 1; seed <= N_TRACES; seed++)
	{
		window_random(seed, &trace);
		must(blamed_find(&test, &env, &trace, seed));
		check_waits(seed, n);
		check_counts();
		check_disjoint();
		blamed_check_costs(&test, seed);
		for (uint32_t i = 0; i < test.blame.n_delays; i++)
			long_term += test.blame.delays[i].long_term;
		blamed_free(&test);
	}
	assert_true(n[PH_WAIT_FENCE] > N_TRACES && n[PH_WAIT_WINDOW] > N_TRACES);
	assert_true(n[PH_WAIT_LATE_POST] > N_TRACES && n[PH_WAIT_LATE_COMPLETE] > N_TRACES);
	assert_true(n[PH_WAIT_WINDOW_LOCK] > N_TRACES && n[PH_WAIT_N_TO_N] > N_TRACES);
	assert_true(long_term > 0);
}

/* Records that make no sense, in any order: waits do not overlap, and all sums hold. */
static void
test_nonsense(void **state)
{
	(void) state;
	static const PhOtherRecord records[] = {
		PH_RECORD_RMA_GROUP_SYNC,		PH_RECORD_RMA_ACQUIRE_LOCK,
		PH_RECORD_RMA_RELEASE_LOCK,		PH_RECORD_RMA_REQUEST_LOCK,
		PH_RECORD_RMA_COLLECTIVE_BEGIN, PH_RECORD_RMA_COLLECTIVE_END,
		PH_RECORD_RMA_WAIT_CHANGE,		PH_RECORD_RMA_PUT};
	uint32_t n_waits = 0;
	for (uint64_t seed = 1; seed <= N_TRACES / 2; seed++)
	{
		Random random = {seed};
		window_random(seed, &trace);
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			for (uint32_t i = 0; i < trace.n_events[at]; i++)
			{
				PhEvent *event = &trace.events[at][i];
				if (event->kind != PH_EVENT_RMA || random_below(&random, 4) != 0)
					continue;
				event->operation = records[random_below(&random, 8)];
				event->n_values = random_below(&random, 4);
				event->comm = random_below(&random, 20);
			}
		must(blamed_find(&test, &env, &trace, seed));
		check_disjoint();
		blamed_check_costs(&test, seed);
		n_waits += test.waits.n;
		blamed_free(&test);
	}
	assert_true(n_waits > N_TRACES);
}

/* What calls of a region on a rank cost others. */
static int64_t
cost_of(uint32_t location, WindowRegion region)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < test.blame.n_delays; i++)
		if (test.blame.delays[i].location == location &&
			ph_trace_tree_region(test.tree, test.blame.delays[i].node) == region)
			sum += test.blame.delays[i].short_term + test.blame.delays[i].long_term;
	return sum;
}

static int64_t
waited_in(PhWaitKind kind)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < test.waits.n; i++)
		if (test.waits.waits[i].kind == kind)
			sum += test.waits.waits[i].to - test.waits.waits[i].from;
	return sum;
}

/* One rank works longer: nearly all waiting is its fault, whoever waited. */
static void
test_planted_ranks(void **state)
{
	(void) state;
	for (uint32_t rank = 0; rank < 5; rank++)
	{
		SlowWindow slow = {rank, WINDOW_WORK, 5000};
		window_steady(WINDOW_FENCES, 5, 10, &slow, &trace);
		must(blamed_find(&test, &env, &trace, rank + 1));
		assert_true(waited_in(PH_WAIT_FENCE) >= 4 * 10 * slow.extra);
		assert_true(cost_of(rank, WINDOW_WORK) > test.blame.waited / 100 * 95);
		blamed_free(&test);
		window_steady(WINDOW_EPOCHS, 5, 10, &slow, &trace);
		must(blamed_find(&test, &env, &trace, rank + 1));
		assert_true(waited_in(PH_WAIT_LATE_POST) > 10 * slow.extra);
		assert_true(cost_of(rank, WINDOW_WORK) > test.blame.waited / 100 * 95);
		blamed_free(&test);
	}
}

/* One rank keeps a lock for long: the others wait for it in turn, and it is its fault. */
static void
test_lock(void **state)
{
	(void) state;
	SlowWindow slow = {2, WINDOW_HELD, 5000};
	window_steady(WINDOW_LOCKS, 4, 10, &slow, &trace);
	must(blamed_find(&test, &env, &trace, 1));
	assert_true(waited_in(PH_WAIT_WINDOW_LOCK) > 10 * slow.extra);
	assert_true(cost_of(2, WINDOW_HELD) > test.blame.waited / 100 * 90);
	blamed_free(&test);
}

static PhStatus
blame_in(PhEnv *with, void *user)
{
	PhStatus status = blamed_find(&test, with, &trace, *(uint64_t *) user);
	blamed_free(&test);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	window_steady(WINDOW_EPOCHS, 5, 40, NULL, &trace);
	for (uint64_t seed = 1; seed < 5; seed += 3) /* events, then chunks */
	{
		assert_string_equal(fault_env_try_allocations(blame_in, &seed, 150), "");
		assert_string_equal(fault_env_try_interrupts(blame_in, &seed, 0), "");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_windows), cmocka_unit_test(test_planted_ranks),
		cmocka_unit_test(test_lock),		   cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
