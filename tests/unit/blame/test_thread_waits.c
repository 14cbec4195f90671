/*
 * test_thread_waits.c - waits of threads, their intervals and delay costs of random programs
 * against plain searches over the events; planted causes; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "support/blamed.h"
#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/thread_program.h"

#define N_TRACES rounds(400)

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
	return event_of(at, seq)->kind == PH_EVENT_THREAD && event_of(at, seq)->operation == record;
}

static bool
is_barrier(uint32_t at, uint32_t seq)
{
	const PhEvent *event = event_of(at, seq);
	return event->kind == PH_EVENT_LEAVE &&
		   (event->region == THREAD_BARRIER || event->region == THREAD_IMPLICIT_BARRIER);
}

/*
 * Since when the thread did nothing else before an event: the last LEAVE or record before it, or
 * the ENTER of the call around it, whatever is later.
 */
static int64_t
plain_since(uint32_t at, uint32_t seq)
{
	uint32_t call = enclosing_call(&trace, at, seq);
	for (uint32_t i = seq; i-- > 0;)
		if (event_of(at, i)->kind == PH_EVENT_LEAVE || event_of(at, i)->kind == PH_EVENT_THREAD ||
			i == call)
			return event_of(at, i)->time;
	return event_of(at, seq)->time;
}

/* ---- plain: teams ---- */

/* The TEAM_BEGIN of the innermost team around an event; PH_NONE. */
static uint32_t
team_around(uint32_t at, uint32_t seq)
{
	uint32_t depth = 0;
	for (uint32_t i = seq; i-- > 0;)
	{
		depth += is_record(at, i, PH_RECORD_THREAD_TEAM_END);
		if (is_record(at, i, PH_RECORD_THREAD_TEAM_BEGIN) && depth-- == 0)
			return i;
	}
	return PH_NONE;
}

/* How many teams of the same kind a thread began before this one. */
static uint32_t
ordinal_of(uint32_t at, uint32_t begin)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < begin; i++)
		n += is_record(at, i, PH_RECORD_THREAD_TEAM_BEGIN) &&
			 event_of(at, i)->values[0] == event_of(at, begin)->values[0];
	return n;
}

/* Where another thread of the rank began the same team; PH_NONE: it did not. */
static uint32_t
same_team(uint32_t at, uint32_t begin, uint32_t other)
{
	if (trace.locations[at].rank != trace.locations[other].rank)
		return PH_NONE;
	for (uint32_t i = 0; i < trace.n_events[other]; i++)
		if (is_record(other, i, PH_RECORD_THREAD_TEAM_BEGIN) &&
			event_of(other, i)->values[0] == event_of(at, begin)->values[0] &&
			ordinal_of(other, i) == ordinal_of(at, begin))
			return i;
	return PH_NONE;
}

/* The LEAVE of the k-th barrier of a team; PH_NONE. */
static uint32_t
barrier_of(uint32_t at, uint32_t begin, uint32_t k)
{
	for (uint32_t i = begin; i < trace.n_events[at]; i++)
		if (is_barrier(at, i) && team_around(at, i) == begin && k-- == 0)
			return i;
	return PH_NONE;
}

static uint32_t
end_of(uint32_t at, uint32_t begin)
{
	for (uint32_t i = begin; i < trace.n_events[at]; i++)
		if (is_record(at, i, PH_RECORD_THREAD_TEAM_END) && team_around(at, i) == begin)
			return i;
	return PH_NONE;
}

/* Who forked a team: its TEAM_BEGIN there follows a FORK. PH_NONE: that is not recorded. */
static uint32_t
master_of(uint32_t at, uint32_t begin, uint32_t *fork)
{
	for (uint32_t other = 0; other < trace.model.n_locations; other++)
	{
		uint32_t there = same_team(at, begin, other);
		*fork = there - 1;
		if (there != PH_NONE && there > 0 && is_record(other, *fork, PH_RECORD_THREAD_FORK))
			return other;
	}
	return PH_NONE;
}

typedef struct PlainLast
{
	int64_t time;
	uint32_t location;
} PlainLast;

static void
take_later(PlainLast *last, int64_t time, uint32_t location)
{
	if (last->location == PH_NONE || time > last->time)
		*last = (PlainLast){time, location};
}

/* Who came last to the k-th barrier of a team. */
static PlainLast
last_at_barrier(uint32_t at, uint32_t begin, uint32_t k)
{
	PlainLast last = {0, PH_NONE};
	for (uint32_t other = 0; other < trace.model.n_locations; other++)
	{
		uint32_t there = same_team(at, begin, other);
		uint32_t barrier = there == PH_NONE ? PH_NONE : barrier_of(other, there, k);
		if (barrier != PH_NONE)
			take_later(&last, plain_since(other, barrier), other);
	}
	return last;
}

/* Who of the others ended a team last. */
static PlainLast
last_to_end(uint32_t at, uint32_t begin)
{
	PlainLast last = {0, PH_NONE};
	for (uint32_t other = 0; other < trace.model.n_locations; other++)
	{
		uint32_t there = other == at ? PH_NONE : same_team(at, begin, other);
		uint32_t end = there == PH_NONE ? PH_NONE : end_of(other, there);
		if (end != PH_NONE)
			take_later(&last, event_of(other, end)->time, other);
	}
	return last;
}

/* ---- plain: waits ---- */

typedef struct PlainWait
{
	PhWaitKind kind;
	PlainLast release;
	int64_t from, to;
	int64_t parted; /* PH_NO_TIME: they never met */
	int64_t held;	/* locks: since when the other one had it */
} PlainWait;

/* When the threads of a team were let go before its k-th barrier. */
static int64_t
plain_let_go(uint32_t at, uint32_t begin, uint32_t k)
{
	uint32_t fork, master = master_of(at, begin, &fork);
	if (k > 0)
		return last_at_barrier(at, begin, k - 1).time;
	return master == PH_NONE ? PH_NO_TIME : event_of(master, fork)->time;
}

static void
wait_at_barrier(uint32_t at, uint32_t seq, PlainWait *wait)
{
	uint32_t begin = team_around(at, seq), k = 0;
	if (begin == PH_NONE)
		return;
	while (barrier_of(at, begin, k) != seq)
		k++;
	wait->kind = PH_WAIT_TEAM_BARRIER;
	wait->release = last_at_barrier(at, begin, k);
	wait->parted = plain_let_go(at, begin, k);
}

/* A JOIN is of the team that its thread forked and ended last. */
static void
wait_at_join(uint32_t at, uint32_t seq, PlainWait *wait)
{
	uint32_t begin = PH_NONE, k = 0, fork;
	for (uint32_t i = seq; i-- > 0 && begin == PH_NONE && !is_record(at, i, PH_RECORD_THREAD_JOIN);)
		if (is_record(at, i, PH_RECORD_THREAD_TEAM_END) &&
			master_of(at, team_around(at, i), &fork) == at)
			begin = team_around(at, i);
	if (begin == PH_NONE)
		return;
	while (last_at_barrier(at, begin, k).location != PH_NONE)
		k++;
	wait->kind = PH_WAIT_THREAD_JOIN;
	wait->release = last_to_end(at, begin);
	wait->parted = plain_let_go(at, begin, k);
}

static void
wait_for_fork(uint32_t at, uint32_t seq, PlainWait *wait)
{
	uint32_t fork, before, master = master_of(at, seq, &fork), previous = seq;
	if (master == PH_NONE || enclosing_call(&trace, at, seq) != PH_NONE)
		return;
	wait->kind = PH_WAIT_IDLE_THREAD;
	wait->release = (PlainLast){event_of(master, fork)->time, master};
	wait->parted = PH_NO_TIME;
	while (previous > 0 && !is_record(at, previous, PH_RECORD_THREAD_TEAM_END))
		previous--;
	uint32_t ended =
		is_record(at, previous, PH_RECORD_THREAD_TEAM_END) ? team_around(at, previous) : PH_NONE;
	if (ended == PH_NONE || master_of(at, ended, &before) != master)
		return;
	uint32_t there = end_of(master, same_team(at, ended, master));
	if (there == PH_NONE)
		return;
	for (uint32_t i = there + 1; i < trace.n_events[master]; i++)
	{
		if (is_record(master, i, PH_RECORD_THREAD_TEAM_END) &&
			master_of(master, team_around(master, i), &before) == master)
			return;
		if (!is_record(master, i, PH_RECORD_THREAD_JOIN))
			continue;
		int64_t joined = event_of(master, i)->time;
		wait->parted = joined < wait->from ? joined : wait->from;
		return;
	}
}

/* A lock of a record: what it has before its order. */
static bool
is_same_lock(const PhEvent *x, const PhEvent *y)
{
	return x->n_values == y->n_values &&
		   memcmp(x->values, y->values, (x->n_values - 1) * sizeof(uint64_t)) == 0;
}

static bool
is_acquire(uint32_t at, uint32_t seq)
{
	return is_record(at, seq, PH_RECORD_THREAD_ACQUIRE_LOCK) ||
		   is_record(at, seq, PH_RECORD_OMP_ACQUIRE_LOCK);
}

static bool
is_release(uint32_t at, uint32_t seq)
{
	return is_record(at, seq, PH_RECORD_THREAD_RELEASE_LOCK) ||
		   is_record(at, seq, PH_RECORD_OMP_RELEASE_LOCK);
}

/* Outside of a call for a lock nobody knows since when it was wanted. */
static void
wait_for_lock(uint32_t at, uint32_t seq, PlainWait *wait)
{
	const PhEvent *own = event_of(at, seq);
	uint32_t call = enclosing_call(&trace, at, seq);
	if (call == PH_NONE || event_of(at, call)->region != THREAD_CRITICAL)
		return;
	for (uint32_t other = 0; other < trace.model.n_locations; other++)
	{
		for (uint32_t i = 0; i < trace.n_events[other]; i++)
		{
			const PhEvent *event = event_of(other, i);
			if (trace.locations[other].rank != trace.locations[at].rank ||
				event->kind != PH_EVENT_THREAD || !is_same_lock(event, own) ||
				event->values[event->n_values - 1] + 1 != own->values[own->n_values - 1])
				continue;
			if (is_acquire(other, i))
				wait->held = event->time;
			if (!is_release(other, i))
				continue;
			wait->kind = PH_WAIT_LOCK;
			wait->release = (PlainLast){event->time, other};
		}
	}
}

/* What a thread waited for at an event; to <= from: nothing. */
static PlainWait
plain_wait_at(uint32_t at, uint32_t seq)
{
	PlainWait wait = {.release.location = PH_NONE, .from = plain_since(at, seq)};
	if (is_barrier(at, seq))
		wait_at_barrier(at, seq, &wait);
	else if (is_record(at, seq, PH_RECORD_THREAD_JOIN))
		wait_at_join(at, seq, &wait);
	else if (is_record(at, seq, PH_RECORD_THREAD_TEAM_BEGIN))
		wait_for_fork(at, seq, &wait);
	else if (is_acquire(at, seq))
		wait_for_lock(at, seq, &wait);
	wait.to = wait.from;
	if (wait.release.location == PH_NONE || wait.release.location == at)
		return wait;
	int64_t until = event_of(at, seq)->time;
	wait.parted = wait.kind == PH_WAIT_LOCK ? wait.from : wait.parted;
	wait.to = wait.release.time < until ? wait.release.time : until;
	return wait;
}

/* ---- checks ---- */

static int64_t
clipped(int64_t time, int64_t most)
{
	return time < most ? time : most;
}

static void
check_wait(uint64_t seed, uint32_t index, const PlainWait *expected)
{
	const PhWait *wait = &test.waits.waits[index];
	int64_t here = expected->parted, there = expected->parted;
	if (wait->from != expected->from || wait->to != expected->to || wait->kind != expected->kind ||
		wait->awaited != expected->release.location || wait->release != expected->release.time)
		fail_msg("seed %llu: wait %u", (unsigned long long) seed, index);
	if (expected->parted == PH_NO_TIME)
	{
		here = trace.events[wait->victim][0].time;
		there = trace.events[wait->awaited][0].time;
	}
	if (expected->kind == PH_WAIT_LOCK)
		there = expected->held;
	if (test.intervals[index].victim_from != clipped(here, wait->from) ||
		test.intervals[index].awaited_from != clipped(there, wait->release))
		fail_msg("seed %llu: interval of wait %u", (unsigned long long) seed, index);
}

/* A team that works within a call of MPI: what the call waits for does not count twice. */
static int64_t
after_mpi(uint32_t at, int64_t from)
{
	for (uint32_t i = test.waits.first[at]; i < test.waits.first[at + 1]; i++)
	{
		const PhWait *wait = &test.waits.waits[i];
		if (!ph_wait_has_interval(wait) && wait->from <= from && from < wait->to)
			from = wait->to;
	}
	return from;
}

/* Of each thread; by kind how many were met. */
static void
check_thread_waits(uint64_t seed, uint32_t *n)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		uint32_t next = test.waits.first[at], end = test.waits.first[at + 1];
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
		{
			PlainWait expected = plain_wait_at(at, i);
			expected.from = after_mpi(at, expected.from);
			if (expected.to <= expected.from)
				continue;
			while (next < end && !ph_wait_has_interval(&test.waits.waits[next]))
				next++;
			if (next == end)
				fail_msg("seed %llu: no wait at %u, event %u", (unsigned long long) seed, at, i);
			n[expected.kind]++;
			check_wait(seed, next++, &expected);
		}
		while (next < end)
			assert_false(ph_wait_has_interval(&test.waits.waits[next++]));
	}
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
test_random_threads(void **state)
{
	(void) state;
	uint32_t n[PH_WAIT_KINDS] = {0}, n_collective = 0;
	int64_t long_term = 0;
	for (uint64_t seed = 1; seed <= N_TRACES; seed++)
	{
		thread_random(seed, &trace);
		must(blamed_find(&test, &env, &trace, seed));
		check_thread_waits(seed, n);
		check_disjoint();
		blamed_check_costs(&test, seed);
		for (uint32_t i = 0; i < test.waits.n; i++)
			n_collective += test.waits.waits[i].kind == PH_WAIT_N_TO_N;
		for (uint32_t i = 0; i < test.blame.n_delays; i++)
			long_term += test.blame.delays[i].long_term;
		blamed_free(&test);
	}
	assert_true(n[PH_WAIT_TEAM_BARRIER] > N_TRACES && n[PH_WAIT_IDLE_THREAD] > N_TRACES);
	assert_true(n[PH_WAIT_THREAD_JOIN] > N_TRACES && n[PH_WAIT_LOCK] > N_TRACES);
	assert_true(n_collective > N_TRACES);
	assert_true(long_term > 0);
}

/* Records that make no sense, in any order: waits do not overlap, and all sums hold. */
static void
test_nonsense(void **state)
{
	(void) state;
	static const PhOtherRecord records[] = {
		PH_RECORD_THREAD_FORK,		   PH_RECORD_THREAD_JOIN,		PH_RECORD_THREAD_TEAM_BEGIN,
		PH_RECORD_THREAD_TEAM_END,	   PH_RECORD_OMP_FORK,			PH_RECORD_THREAD_ACQUIRE_LOCK,
		PH_RECORD_THREAD_RELEASE_LOCK, PH_RECORD_THREAD_TASK_SWITCH};
	uint32_t n_waits = 0;
	for (uint64_t seed = 1; seed <= N_TRACES / 2; seed++)
	{
		Random random = {seed};
		thread_random(seed, &trace);
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			for (uint32_t i = 0; i < trace.n_events[at]; i++)
				if (trace.events[at][i].kind == PH_EVENT_THREAD && random_below(&random, 4) == 0)
				{
					trace.events[at][i].operation = records[random_below(&random, 8)];
					trace.events[at][i].n_values = random_below(&random, 3);
				}
		must(blamed_find(&test, &env, &trace, seed));
		check_disjoint();
		blamed_check_costs(&test, seed);
		n_waits += test.waits.n;
		blamed_free(&test);
	}
	assert_true(n_waits > N_TRACES);
}

/* What calls of a region on a thread cost others. */
static int64_t
cost_of(uint32_t location, ThreadRegion region)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < test.blame.n_delays; i++)
		if (test.blame.delays[i].location == location &&
			ph_trace_tree_region(test.tree, test.blame.delays[i].node) == region)
			sum += test.blame.delays[i].short_term + test.blame.delays[i].long_term;
	return sum;
}

/*
 * One thread works longer, or one process between its forks: nearly all waiting is its fault, that
 * of other processes and of their idle threads too.
 */
static void
test_planted_threads(void **state)
{
	(void) state;
	for (uint32_t thread = 0; thread < 3; thread++)
		for (uint32_t region = THREAD_SERIAL; region <= THREAD_WORK; region++)
		{
			SlowThread slow = {1, thread, region, 5000};
			if (region == THREAD_PARALLEL || (region == THREAD_SERIAL && thread > 0))
				continue;
			thread_steady(3, 3, 10, &slow, &trace);
			must(blamed_find(&test, &env, &trace, thread + 1));
			assert_true(test.blame.waited > 7 * 10 * slow.extra);
			assert_true(cost_of(3 + thread, region) > test.blame.waited / 100 * 95);
			blamed_free(&test);
		}
}

/* Threads that only the serial part keeps waiting are idle, and that is its fault. */
static void
test_serial_part(void **state)
{
	(void) state;
	SlowThread slow = {0, 0, THREAD_SERIAL, 5000};
	int64_t idle = 0;
	thread_steady(1, 4, 20, &slow, &trace);
	must(blamed_find(&test, &env, &trace, 1));
	for (uint32_t i = 0; i < test.waits.n; i++)
	{
		const PhWait *wait = &test.waits.waits[i];
		if (wait->kind != PH_WAIT_IDLE_THREAD)
			continue;
		idle += wait->to - wait->from;
		assert_int_equal(wait->awaited, 0);
		assert_int_equal(wait->region, PH_NONE);
		assert_int_equal(wait->awaited_region, THREAD_MAIN);
		assert_int_equal(ph_trace_tree_region(test.tree, ph_path_times_wait_nodes(test.times)[i]),
						 THREAD_WORK); /* parallel takes no time before it */
	}
	assert_true(idle > 3 * 19 * slow.extra); /* before the first team there are no threads */
	assert_true(cost_of(0, THREAD_SERIAL) > test.blame.waited / 100 * 95);
	blamed_free(&test);
}

/* One thread keeps a lock for long: the others wait for it in turn, and it is its fault. */
static void
test_lock(void **state)
{
	(void) state;
	SlowThread slow = {0, 2, THREAD_CRITICAL_BLOCK, 5000};
	int64_t locked = 0;
	thread_steady(1, 4, 10, &slow, &trace);
	must(blamed_find(&test, &env, &trace, 1));
	for (uint32_t i = 0; i < test.waits.n; i++)
		locked += test.waits.waits[i].kind == PH_WAIT_LOCK
					  ? test.waits.waits[i].to - test.waits.waits[i].from
					  : 0;
	assert_true(locked > 10 * slow.extra);
	assert_true(cost_of(2, THREAD_CRITICAL_BLOCK) > test.blame.waited / 100 * 90);
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
	thread_steady(3, 3, 14, NULL, &trace);
	for (uint64_t seed = 1; seed < 3; seed++)
	{
		assert_string_equal(fault_env_try_allocations(blame_in, &seed, 150), "");
		assert_string_equal(fault_env_try_interrupts(blame_in, &seed, 0), "");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_threads), cmocka_unit_test(test_planted_threads),
		cmocka_unit_test(test_serial_part),	   cmocka_unit_test(test_lock),
		cmocka_unit_test(test_nonsense),	   cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
