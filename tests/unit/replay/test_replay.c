/*
 * test_replay.c - replays of random programs against a literal simulation; calls of functions;
 * faults.
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
#include "replay/changes.h"
#include "support/fault_env.h"
#include "support/replayed.h"
#include "support/rounds.h"
#include "support/window_program.h"

#define N_TRACES rounds(400)

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhEnv env;
static CommTrace trace;

/* ---- what is tested ---- */

typedef struct Case
{
	Replayed on;
	PhReplayPlan plan;
	PhReplayResult result;
} Case;

static Case test;

static PhStatus
build_test(PhEnv *with, uint64_t seed, int64_t from, int64_t to)
{
	memset(&test, 0, sizeof(test));
	return replayed_build(with, &trace, seed, from, to, &test.on);
}

static void
free_test(void)
{
	replayed_free(&test.on);
}

/* ---- the literal simulation ---- */

#define UNKNOWN INT64_MIN

typedef struct Literal
{
	int64_t entered[COMM_LOCATIONS][2 * COMM_EVENTS];
	int64_t end[COMM_LOCATIONS]; /* UNKNOWN: it waits */
	int64_t waits[PH_WAIT_KINDS];
	uint32_t n_stuck;
	int64_t duration;
} Literal;

static Literal literal;

static int64_t
gap_before(uint32_t at, uint32_t slot)
{
	const PhReplayLocation *location = &test.on.program->locations[at];
	const PhReplayOp *ops = location->ops;
	int64_t from = slot == 0 ? location->from : ph_replay_left(test.on.program, at, &ops[slot - 1]);
	int64_t to =
		slot == location->n_ops ? location->to : ph_replay_entered(test.on.program, at, &ops[slot]);
	int64_t gap = to > from ? to - from : 0;
	gap += test.plan.extra == NULL ? 0 : test.plan.extra[at][slot];
	return gap > 0 ? gap : 0;
}

static uint32_t
rank_in(uint32_t comm, uint32_t rank)
{
	for (uint32_t i = 0; i < trace.communicators[comm].n_members; i++)
		if (trace.communicators[comm].members[i] == rank)
			return i;
	return COMM_LOCATIONS + rank;
}

/* Does a member need another one of its collective? */
static bool
needs_member(const PhCollectiveMember *member, const PhCollectiveMember *other)
{
	const PhCollectiveInstance *instance =
		&test.on.skeleton->collectives.instances[member->instance];
	switch (ph_collective_flow(instance->operation))
	{
		case PH_FLOW_ALL:
			return true;
		case PH_FLOW_FROM_ROOT:
			return other->rank == instance->root && member->rank != instance->root;
		case PH_FLOW_TO_ROOT:
			return member->rank == instance->root;
		case PH_FLOW_PREFIX:
			return rank_in(instance->comm, other->rank) < rank_in(instance->comm, member->rank);
		default:
			return false;
	}
}

/* When all was entered that an end needs; UNKNOWN: it was not; -1: it needs nothing. */
static int64_t
literal_release(uint32_t at, const PhCommEnd *end)
{
	const PhCollectiveRows *rows = &test.on.skeleton->collectives;
	int64_t release = -1;
	if (ph_is_send(end->kind) || ph_is_receive(end->kind))
	{
		if (end->partner == PH_NONE ||
			(ph_is_send(end->kind) && !ph_replay_is_rendezvous(test.on.program, at, end)))
			return -1;
		uint32_t op =
			ph_replay_op_of(&test.on.program->locations[end->partner_location], end->partner);
		return op == PH_NONE ? -1 : literal.entered[end->partner_location][op];
	}
	const PhCollectiveMember *member = &rows->members[end->partner];
	if (member->instance == PH_NONE)
		return -1;
	bool is_prefix =
		ph_collective_flow(rows->instances[member->instance].operation) == PH_FLOW_PREFIX;
	if (is_prefix && test.on.program->member_ops[end->partner] == PH_NONE)
		return -1;
	for (uint32_t i = 0; i < rows->n_members; i++)
	{
		uint32_t op = test.on.program->member_ops[i];
		if (rows->members[i].instance != member->instance || op == PH_NONE ||
			!needs_member(member, &rows->members[i]))
			continue;
		int64_t entered = literal.entered[rows->members[i].location][op];
		if (entered == UNKNOWN)
			return UNKNOWN;
		release = PH_MAX(release, entered);
	}
	return release;
}

/* ---- literally: locks of windows ---- */

static const PhWindowLock *
record_of_lock(uint32_t at, uint32_t i)
{
	return i < test.on.skeleton->locations[at].locks.count
			   ? &test.on.skeleton->locations[at].locks.items[i]
			   : NULL;
}

static bool
is_one_lock(const PhWindowLock *a, const PhWindowLock *b)
{
	return a->window == b->window && a->target == b->target && a->id == b->id;
}

/* The record that gives a lock back which was got by another one; PH_NONE. */
static uint32_t
given_back(uint32_t at, uint32_t got)
{
	uint32_t n = 0;
	for (uint32_t i = got + 1; record_of_lock(at, i) != NULL; i++)
	{
		if (!is_one_lock(record_of_lock(at, i), record_of_lock(at, got)))
			continue;
		n += record_of_lock(at, i)->is_acquired;
		if (!record_of_lock(at, i)->is_acquired && n-- == 0)
			return i;
	}
	return PH_NONE;
}

typedef struct PlainHold
{
	uint32_t at, i;
} PlainHold;

static bool
is_got_before(PlainHold x, PlainHold y)
{
	const PhWindowLock *a = record_of_lock(x.at, x.i), *b = record_of_lock(y.at, y.i);
	if (!a->is_acquired || !b->is_acquired || !is_one_lock(a, b))
		return false;
	if (a->time != b->time)
		return a->time < b->time;
	return x.at < y.at || (x.at == y.at && x.i < y.i);
}

/* Did somebody have the lock alone between two others? */
static bool
is_parted(PlainHold earlier, PlainHold later)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; record_of_lock(at, i) != NULL; i++)
		{
			PlainHold between = {at, i};
			if (record_of_lock(at, i)->is_exclusive && is_got_before(earlier, between) &&
				is_got_before(between, later))
				return true;
		}
	return false;
}

static uint32_t
op_of_lock(uint32_t at, uint32_t i)
{
	return test.on.program->locks[test.on.program->locations[at].first_lock + i].op;
}

/*
 * When all of those had given a lock back whom another one had to wait for; UNKNOWN: one has not;
 * -1: nobody, or nothing tells.
 */
static int64_t
release_of_lock(PlainHold hold)
{
	const PhWindowLock *own = record_of_lock(hold.at, hold.i);
	int64_t release = -1;
	bool is_known = true, is_there = true;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; record_of_lock(at, i) != NULL; i++)
		{
			PlainHold other = {at, i};
			if (!is_got_before(other, hold) ||
				(!own->is_exclusive && !record_of_lock(at, i)->is_exclusive))
				continue;
			uint32_t back = given_back(at, i);
			is_known = is_known && back != PH_NONE && record_of_lock(at, back)->time <= own->time;
			if (back == PH_NONE || at == hold.at || is_parted(other, hold) ||
				op_of_lock(at, back) == PH_NONE)
				continue;
			int64_t entered = literal.entered[at][op_of_lock(at, back)];
			is_there = is_there && entered != UNKNOWN;
			release = PH_MAX(release, entered);
		}
	if (!is_known)
		return -1;
	return is_there ? release : UNKNOWN;
}

/* When a lock is got that was wanted at a time, all needs of which have come. */
static int64_t
lock_is_got(const PhReplayLock *lock, int64_t clock)
{
	int64_t got = clock + (test.plan.is_ideal ? 0 : lock->own);
	for (uint32_t i = lock->first_need; i < lock[1].first_need; i++)
	{
		const PhReplayLock *back = &test.on.program->locks[test.on.program->lock_needs[i].lock];
		int64_t tail = test.plan.is_ideal ? 0 : test.on.program->lock_needs[i].tail;
		got = PH_MAX(got, literal.entered[back->location][back->op] + tail);
	}
	return got;
}

static uint32_t
kind_of(const PhCommEnd *end)
{
	if (end->kind == PH_COMM_SIGNALLED)
		return end->size == PH_EPOCH_WAIT ? PH_WAIT_LATE_COMPLETE : PH_WAIT_LATE_POST;
	if (ph_is_send(end->kind) || ph_is_receive(end->kind))
		return ph_is_send(end->kind) ? PH_WAIT_LATE_RECEIVER : PH_WAIT_LATE_SENDER;
	const PhCollectiveRows *rows = &test.on.skeleton->collectives;
	return ph_wait_kind_of_collective(
		rows->instances[rows->members[end->partner].instance].operation);
}

/* As far as it goes with what is known; true: an operation was entered that had not been. */
static bool
simulate_location(uint32_t at)
{
	const PhReplayLocation *location = &test.on.program->locations[at];
	int64_t clock = location->from - test.on.program->from;
	int64_t waits[PH_WAIT_KINDS] = {0};
	bool is_new = false;
	bool needs_locks = test.on.program->locks[test.on.program->n_locks].first_need > 0;
	for (uint32_t slot = 0; slot < location->n_ops; slot++)
	{
		bool is_reordered = test.plan.order != NULL && test.plan.order[at] != NULL;
		uint32_t index = is_reordered ? test.plan.order[at][slot] : slot;
		const PhReplayOp *op = &location->ops[index];
		clock += gap_before(at, slot);
		is_new = is_new || literal.entered[at][index] == UNKNOWN;
		literal.entered[at][index] = clock;
		int64_t leave = clock + (test.plan.is_ideal || !ph_replay_is_call(op) ? 0 : op->own),
				latest = -1;
		uint32_t kind = 0;
		const PhReplayLock *lock = ph_replay_lock(test.on.program, op);
		if (lock != NULL && lock->record->is_acquired && needs_locks)
		{
			latest = release_of_lock(
				(PlainHold){at, (uint32_t) (lock - test.on.program->locks) - location->first_lock});
			if (latest == UNKNOWN)
				return is_new;
			kind = PH_WAIT_WINDOW_LOCK;
		}
		if (lock != NULL)
			leave = lock_is_got(lock, clock);
		for (uint32_t i = op->first_end; i < op[1].first_end; i++)
		{
			int64_t release = literal_release(at, &test.on.skeleton->locations[at].ends[i]);
			if (release == UNKNOWN)
				return is_new;
			if (release < 0)
				continue;
			leave = PH_MAX(leave, release + (test.plan.is_ideal ? 0 : location->tails[i]));
			if (release > latest)
				kind = kind_of(&test.on.skeleton->locations[at].ends[i]);
			latest = PH_MAX(latest, release);
		}
		waits[kind] += latest > clock ? PH_MIN(latest, leave) - clock : 0;
		clock = leave;
	}
	is_new = is_new || literal.end[at] == UNKNOWN;
	if (literal.end[at] == UNKNOWN)
		for (uint32_t i = 0; i < PH_WAIT_KINDS; i++)
			literal.waits[i] += waits[i];
	literal.end[at] = clock + gap_before(at, location->n_ops);
	return is_new;
}

static void
simulate(void)
{
	bool is_new = true;
	memset(&literal, 0, sizeof(literal));
	for (uint32_t at = 0; at < COMM_LOCATIONS; at++)
	{
		literal.end[at] = UNKNOWN;
		for (uint32_t i = 0; i < 2 * COMM_EVENTS; i++)
			literal.entered[at][i] = UNKNOWN;
	}
	while (is_new)
	{
		is_new = false;
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			if (test.on.program->locations[at].from < test.on.program->locations[at].to ||
				test.on.program->locations[at].n_ops > 0)
				is_new = simulate_location(at) || is_new;
	}
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		bool is_there = test.on.program->locations[at].from < test.on.program->locations[at].to ||
						test.on.program->locations[at].n_ops > 0;
		literal.n_stuck += is_there && literal.end[at] == UNKNOWN;
		if (is_there)
			literal.duration = PH_MAX(literal.duration, literal.end[at]);
	}
}

static void
check_replay(void)
{
	int64_t path = 0, by_location = 0;
	must(ph_replay_run(&test.on.arena, test.on.program, &test.plan, &test.result));
	simulate();
	assert_int_equal(test.result.n_stuck, literal.n_stuck);
	if (literal.n_stuck > 0)
		return;
	assert_int_equal(test.result.duration, literal.duration);
	for (uint32_t i = 0; i < PH_WAIT_KINDS; i++)
		assert_int_equal(test.result.waits[i], literal.waits[i]);
	for (int i = 0; i < PH_REPLAY_KINDS; i++)
		path += test.result.path[i];
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		by_location += test.result.location_path[at];
	assert_int_equal(path, by_location);
	assert_true(path <= test.result.duration);
	assert_true(path >= test.result.duration - (test.on.program->to - test.on.program->from));
}

/* ---- random programs ---- */

static void
make_trace(uint64_t seed)
{
	if (seed % 4 == 3)
		comm_random_bare(seed, 100 + (uint32_t) seed % 900, &trace);
	else
		comm_random(seed, 100 + (uint32_t) seed % 900, &trace);
	replayed_name_regions(&trace);
	if (seed % 3 == 0)
		make_rendezvous(&trace);
	if (seed % 5 == 0)
		spoil_clocks(&trace, seed, 40);
}

static void
draw_extra(Random *random)
{
	must(PH_NEW(&test.on.arena, trace.model.n_locations, &test.plan.extra));
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		uint32_t n = test.on.program->locations[at].n_ops + 1;
		must(PH_NEW(&test.on.arena, n, &test.plan.extra[at]));
		for (uint32_t i = 0; i < n; i++)
			test.plan.extra[at][i] = (int64_t) random_below(random, 200) - 100;
	}
}

static void
draw_order(Random *random)
{
	must(PH_NEW(&test.on.arena, trace.model.n_locations, &test.plan.order));
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		uint32_t n = test.on.program->locations[at].n_ops;
		if (random_below(random, 2) == 0)
			continue;
		must(PH_NEW(&test.on.arena, n, &test.plan.order[at]));
		for (uint32_t i = 0; i < n; i++)
			test.plan.order[at][i] = i;
		for (uint32_t i = 0; i + 1 < n; i++)
			if (random_below(random, 10) == 0)
			{
				uint32_t first = test.plan.order[at][i];
				test.plan.order[at][i] = test.plan.order[at][i + 1];
				test.plan.order[at][i + 1] = first;
			}
	}
}

/* The unchanged replay gives the recorded duration and enters, to the ns. */
static bool
check_calibration(void)
{
	check_replay();
	if (test.result.n_stuck > 0)
		return false;
	assert_int_equal(test.result.duration, test.on.program->to - test.on.program->from);
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < test.on.program->locations[at].n_ops; i++)
			assert_int_equal(
				literal.entered[at][i] + test.on.program->from,
				ph_replay_entered(test.on.program, at, &test.on.program->locations[at].ops[i]));
	return true;
}

static void
test_random_programs(void **state)
{
	(void) state;
	uint32_t n_calibrated = 0, n_changed = 0, n_deadlocks = 0;
	int64_t locked = 0;
	for (uint64_t seed = 1; seed <= N_TRACES; seed++)
	{
		Random random = {seed};
		if (seed % 7 == 6)
			window_random(seed, &trace);
		else
			make_trace(seed);
		must(build_test(&env, seed, INT64_MIN, INT64_MAX));
		n_calibrated += check_calibration();
		locked += test.result.waits[PH_WAIT_WINDOW_LOCK];
		draw_extra(&random);
		check_replay();
		n_changed += test.result.duration != test.on.program->to - test.on.program->from;
		test.plan.is_ideal = seed % 2 == 0;
		check_replay();
		draw_order(&random);
		check_replay();
		n_deadlocks += test.result.n_stuck > 0;
		free_test();
	}
	assert_int_equal(n_calibrated, N_TRACES);
	assert_true(locked > N_TRACES);
	assert_true(n_changed > N_TRACES / 2 && n_deadlocks > 0 && n_deadlocks < N_TRACES / 2);
}

/* Windows are replayed like programs of their own, and end no later than they were recorded. */
static void
test_windows(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= N_TRACES / 4; seed++)
	{
		make_trace(seed);
		must(build_test(&env, seed, INT64_MIN, INT64_MAX));
		int64_t from = test.on.program->from, length = test.on.program->to - from;
		free_test();
		must(build_test(&env, seed, from + length / 4, from + length / 2));
		check_replay();
		if (test.result.n_stuck == 0)
			assert_true(test.result.duration <= length / 2 - length / 4 + 1);
		free_test();
	}
}

/* ---- calls of functions ---- */

/* Is the call that is entered at an event one of the function's, and no caller of it is? */
static bool
is_outermost(uint32_t at, uint32_t seq, uint32_t region)
{
	if (trace.events[at][seq].kind != PH_EVENT_ENTER || trace.events[at][seq].region != region)
		return false;
	while ((seq = replayed_caller(&trace, at, seq)) != PH_NONE)
		if (trace.events[at][seq].region == region)
			return false;
	return true;
}

static void
test_spans(void **state)
{
	(void) state;
	static const char *const paths[] = {"solve", "\xe2\x80\xa6/other", ".../main"};
	static const uint32_t regions[] = {COMM_USER_A, COMM_USER_B, COMM_MAIN};
	uint32_t n_spans = 0;
	for (uint64_t seed = 1; seed <= 60; seed++)
	{
		uint32_t targets[3];
		make_trace(seed);
		memset(&test, 0, sizeof(test));
		test.on.trace = &trace;
		ph_arena_init(&test.on.arena, &env);
		must(replayed_read_spans(&env, &test.on, paths, 3, targets));
		for (uint32_t i = 0; i < 3; i++)
			for (uint32_t at = 0; at < trace.model.n_locations; at++)
			{
				PhCallSpans list = ph_spans_of(test.on.spans, targets[i], at);
				uint32_t next = 0;
				for (uint32_t seq = 0; seq < trace.n_events[at]; seq++)
				{
					if (!is_outermost(at, seq, regions[i]))
						continue;
					assert_true(next < list.n);
					assert_int_equal(list.spans[next].from, trace.events[at][seq].time);
					assert_int_equal(list.spans[next].to, call_leave(&trace, at, seq));
					next++;
				}
				assert_int_equal(next, list.n);
				n_spans += next;
			}
		free_test();
	}
	assert_true(n_spans > 500);
}

/* ---- faults ---- */

static PhStatus
change_all(PhEnv *with)
{
	static const char *const paths[] = {"solve", "main"};
	static const PhChange changes[] = {{.kind = PH_CHANGE_BALANCE, .target = 0},
									   {.kind = PH_CHANGE_SCALE, .target = 1, .by = 0.5},
									   {.kind = PH_CHANGE_RANK_TO_MEAN, .rank = 0},
									   {.kind = PH_CHANGE_SORT_SENDS, .target = 1},
									   {.kind = PH_CHANGE_RECEIVE_FIRST, .target = 1}};
	uint32_t targets[2];
	uint64_t n;
	PH_TRY(build_test(with, 1, INT64_MIN, INT64_MAX));
	PH_TRY(replayed_read_spans(with, &test.on, paths, 2, targets));
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		PH_TRY(ph_plan_change(&test.on.arena, test.on.program, test.on.spans, &changes[i],
							  &test.plan, &n));
	return ph_replay_run(&test.on.arena, test.on.program, &test.plan, &test.result);
}

static PhStatus
work_in(PhEnv *with, void *user)
{
	(void) user;
	PhStatus status = change_all(with);
	free_test();
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	comm_random(3, 600, &trace);
	replayed_name_regions(&trace);
	assert_string_equal(fault_env_try_allocations(work_in, NULL, 200), "");
	assert_string_equal(fault_env_try_interrupts(work_in, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
