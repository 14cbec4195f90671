/*
 * test_trace_clock.c - clock correction: causes before effects, order kept, least change, circles.
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
#include "trace/clock.h"

#define N_TRACES rounds(2000)

static PhEnv env;
static CommTrace trace;
static int64_t corrected[COMM_LOCATIONS][COMM_EVENTS], plain[COMM_LOCATIONS][COMM_EVENTS];

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static void
correct(const PhClock *clock)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		PhClockCursor cursor = ph_clock_cursor(clock, at);
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			corrected[at][i] = ph_clock_time(&cursor, i, trace.events[at][i].time);
	}
}

/* ---- a slow reference ---- */

/* The time that an event must not come before, by the times found so far. */
static int64_t
plain_bound(uint32_t at, uint32_t seq, const PhClockOptions *options)
{
	const PhLink *link = &trace.truth[at][seq];
	int64_t bound = INT64_MIN;
	if (ph_is_receive(trace.events[at][seq].kind) && link->location != PH_NONE)
		return plain[link->location][link->seq] + options->latency;
	if (trace.instance[at][seq] == PH_NONE || !options->collectives)
		return bound;
	for (uint32_t other = 0; other < trace.model.n_locations; other++)
		for (uint32_t i = 0; i < trace.n_events[other]; i++)
		{
			if (trace.instance[other][i] != trace.instance[at][seq] ||
				!collective_depends(&trace, at, seq, other))
				continue;
			int64_t begun = plain[other][collective_begin(&trace, other, i)] + options->latency;
			bound = begun > bound ? begun : bound;
		}
	return bound;
}

/* One pass over a location; true when a time has changed. */
static bool
pass_plainly(uint32_t at, const PhClockOptions *options)
{
	int64_t jump_time = 0, shift = 0;
	bool changed = false;
	for (uint32_t i = 0; i < trace.n_events[at]; i++)
	{
		int64_t time = trace.events[at][i].time, bound = plain_bound(at, i, options);
		int64_t left = options->drift == 0 ? shift : shift - (time - jump_time) / options->drift;
		int64_t now = left > 0 ? time + left : time;
		if (now < bound)
		{
			shift = bound - time;
			jump_time = time;
			now = bound;
		}
		changed = changed || plain[at][i] != now;
		plain[at][i] = now;
	}
	return changed;
}

static void
correct_plainly(const PhClockOptions *options)
{
	bool changed = true;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			plain[at][i] = trace.events[at][i].time;
	while (changed)
	{
		changed = false;
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			changed = pass_plainly(at, options) || changed;
	}
}

/* ---- tests ---- */

static void
check_order(uint64_t seed)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			if (corrected[at][i] < trace.events[at][i].time ||
				(i > 0 && corrected[at][i] < corrected[at][i - 1]))
				fail_msg("seed %llu: order at %u, event %u", (unsigned long long) seed, at, i);
}

/* Every message and collective in its order. */
static void
check_causes(uint64_t seed, const PhClockOptions *options)
{
	memcpy(plain, corrected, sizeof(plain));
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			if (corrected[at][i] < plain_bound(at, i, options))
				fail_msg("seed %llu: cause at %u, event %u", (unsigned long long) seed, at, i);
}

static uint64_t
count_violations(const PhClockOptions *options)
{
	uint64_t n = 0;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			plain[at][i] = trace.events[at][i].time;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			n += plain[at][i] < plain_bound(at, i, options);
	return n;
}

/* Such locations follow others of their ranks. */
static bool
is_silent(uint32_t at)
{
	for (uint32_t i = 0; i < trace.n_events[at]; i++)
		if (ph_is_send(trace.events[at][i].kind) || ph_is_receive(trace.events[at][i].kind) ||
			trace.instance[at][i] != PH_NONE)
			return false;
	return true;
}

static void
compare_plainly(uint64_t seed, const PhClockOptions *options)
{
	correct_plainly(options);
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at] && !is_silent(at); i++)
			if (corrected[at][i] != plain[at][i])
				fail_msg("seed %llu: location %u, event %u", (unsigned long long) seed, at, i);
}

static void
test_spoiled_clocks(void **state)
{
	uint64_t n_violations = 0, n_spared = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhSkeleton *skeleton;
		PhClock *clock;
		PhClockOptions options = ph_clock_defaults();
		comm_random(seed, 20 + (uint32_t) seed % 150, &trace);
		spoil_clocks(&trace, seed, (uint32_t) (seed % 4) * 400);
		options.latency = seed % 3 == 0 ? 5 : 0;
		options.drift = seed % 5 == 0 ? 0 : 2 + (uint32_t) seed % 100;
		options.collectives = seed % 7 != 0;
		must(skeleton_of(&env, &trace, seed, &skeleton));
		must(ph_clock_new(&env, skeleton, &options, &clock));
		ph_skeleton_free(skeleton);
		const PhClockCounts *counts = ph_clock_counts(clock);
		assert_int_equal(counts->violations, count_violations(&options));
		assert_int_equal(counts->violations == 0, counts->jumps == 0);
		assert_int_equal(counts->unsolved, 0);
		correct(clock);
		check_order(seed);
		check_causes(seed, &options);
		compare_plainly(seed, &options);
		n_violations += counts->violations;
		n_spared += counts->violations == 0;
		ph_clock_free(clock);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_violations > N_TRACES && n_spared > N_TRACES / 8);
}

/* Right clocks stay as they are. */
static void
test_right_clocks(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(500); seed++)
	{
		PhSkeleton *skeleton;
		PhClock *clock;
		PhClockOptions options = ph_clock_defaults();
		comm_random(seed, 200, &trace);
		must(skeleton_of(&env, &trace, seed, &skeleton));
		must(ph_clock_new(&env, skeleton, &options, &clock));
		assert_int_equal(ph_clock_counts(clock)->violations, 0);
		assert_int_equal(ph_clock_counts(clock)->jumps, 0);
		correct(clock);
		for (uint32_t at = 0; at < trace.model.n_locations; at++)
			for (uint32_t i = 0; i < trace.n_events[at]; i++)
				assert_int_equal(corrected[at][i], trace.events[at][i].time);
		ph_clock_free(clock);
		ph_skeleton_free(skeleton);
	}
	assert_int_equal(env.bytes, 0);
}

/* Links at random: effects may be their own causes; the replay ends, order stays. */
static void
tangle(uint64_t seed)
{
	Random random = {seed};
	static PhLink sends[COMM_LOCATIONS * COMM_EVENTS];
	uint32_t n = 0;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
			if (ph_is_send(trace.events[at][i].kind))
				sends[n++] = (PhLink){at, i, trace.events[at][i].time};
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		for (uint32_t i = 0; i < trace.n_events[at]; i++)
		{
			if (!ph_is_receive(trace.events[at][i].kind))
				continue;
			trace.truth[at][i] = (PhLink){PH_NONE, 0, PH_NO_TIME};
			if (n == 0)
				continue;
			uint32_t chosen = random_below(&random, n);
			trace.truth[at][i] = sends[chosen];
			sends[chosen] = sends[--n];
		}
}

static void
test_circles(void **state)
{
	uint64_t n_unsolved = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_TRACES; seed++)
	{
		PhClockOptions options = ph_clock_defaults();
		PhClockJump first[COMM_EVENTS];
		uint32_t n_first = 0;
		options.latency = 3;
		comm_random(seed, 150, &trace);
		tangle(seed);
		for (uint32_t turn = 0; turn < 2; turn++)
		{
			PhSkeleton *skeleton;
			PhClock *clock;
			uint32_t n;
			must(skeleton_of(&env, &trace, seed + turn * 5, &skeleton));
			must(ph_clock_new(&env, skeleton, &options, &clock));
			correct(clock);
			check_order(seed);
			if (ph_clock_counts(clock)->unsolved == 0)
				check_causes(seed, &options);
			n_unsolved += ph_clock_counts(clock)->unsolved;
			/* whatever the order in which locations came */
			const PhClockJump *jumps = ph_clock_jumps(clock, 0, &n);
			if (turn == 1)
				assert_int_equal(n, n_first);
			for (uint32_t i = 0; i < n && turn == 1; i++)
				assert_memory_equal(&jumps[i], &first[i], sizeof(first[i]));
			memcpy(first, jumps == NULL ? first : jumps, n * sizeof(*first));
			n_first = n;
			ph_clock_free(clock);
			ph_skeleton_free(skeleton);
		}
	}
	assert_int_equal(env.bytes, 0);
	assert_true(n_unsolved > N_TRACES);
}

/* A thread that takes no part in communication has the clock of its rank. */
static void
test_threads(void **state)
{
	PhTraceLocation locations[] = {{.rank = 1, .thread = 1}, {.rank = 0}, {.rank = 1}};
	PhTraceModel model = {.n_locations = 3, .n_ranks = 2, .locations = locations};
	PhEvent send = {.kind = PH_EVENT_SEND, .time = 10},
			receive = {.kind = PH_EVENT_RECV, .time = 5};
	PhLink link = {1, 0, 10};
	PhClockOptions options = {.latency = 0, .drift = 0, .collectives = true};
	PhSkeleton *skeleton;
	PhClock *clock;
	uint32_t n;
	(void) state;
	must(ph_skeleton_new(&env, &model, &skeleton));
	must(ph_skeleton_add_event(skeleton, 1, 0, &send, NULL, NULL));
	must(ph_skeleton_add_event(skeleton, 2, 7, &receive, NULL, &link));
	must(ph_skeleton_finish(skeleton));
	must(ph_clock_new(&env, skeleton, &options, &clock));
	for (uint32_t at = 0; at < 3; at++)
	{
		PhClockCursor cursor = ph_clock_cursor(clock, at);
		ph_clock_jumps(clock, at, &n);
		assert_int_equal(n, at == 2 ? 1 : 0);
		for (uint32_t i = 0; i < 20; i++)
			assert_int_equal(ph_clock_time(&cursor, i + 2, i), at != 1 && i >= 5 ? i + 5 : i);
	}
	ph_clock_free(clock);
	ph_skeleton_free(skeleton);
	assert_int_equal(env.bytes, 0);
}

static void
test_misuse(void **state)
{
	PhSkeleton *skeleton;
	PhClock *clock;
	PhClockOptions options = ph_clock_defaults();
	PhEvent event = {.kind = PH_EVENT_SEND, .time = INT64_MAX};
	(void) state;
	comm_random(1, 50, &trace);
	must(skeleton_of(&env, &trace, 1, &skeleton));
	options.latency = -1;
	assert_int_equal(ph_clock_new(&env, skeleton, &options, &clock), PH_ERR_VALUE);
	options.latency = INT64_MAX;
	assert_int_equal(ph_clock_new(&env, skeleton, &options, &clock), PH_ERR_VALUE);
	options = ph_clock_defaults();
	options.drift = 1;
	assert_int_equal(ph_clock_new(&env, skeleton, &options, &clock), PH_ERR_VALUE);
	ph_skeleton_free(skeleton);
	must(ph_skeleton_new(&env, &trace.model, &skeleton));
	must(ph_skeleton_add_event(skeleton, 0, 0, &event, NULL, NULL));
	must(ph_skeleton_finish(skeleton));
	options = ph_clock_defaults();
	assert_int_equal(ph_clock_new(&env, skeleton, &options, &clock), PH_ERR_VALUE);
	ph_skeleton_free(skeleton);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
correct_in(PhEnv *in, void *user)
{
	PhClockOptions options = ph_clock_defaults();
	for (uint32_t i = 0; i < 8; i++)
	{
		PhClock *clock;
		PH_TRY(ph_clock_new(in, user, &options, &clock));
		ph_clock_free(clock);
	}
	return PH_OK;
}

static void
test_faults(void **state)
{
	PhSkeleton *skeleton;
	(void) state;
	comm_random(3, 1200, &trace);
	spoil_clocks(&trace, 3, 5000);
	must(skeleton_of(&env, &trace, 1, &skeleton));
	assert_string_equal(fault_env_try_allocations(correct_in, skeleton, 0), "");
	assert_string_equal(fault_env_try_interrupts(correct_in, skeleton, 0), "");
	ph_skeleton_free(skeleton);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spoiled_clocks), cmocka_unit_test(test_right_clocks),
		cmocka_unit_test(test_circles),		   cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_threads),		   cmocka_unit_test(test_faults),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
