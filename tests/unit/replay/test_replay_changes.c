/*
 * test_replay_changes.c - changes whose gain is known, and efficiencies of planted imbalances.
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
#include "replay/efficiency.h"
#include "support/barriers.h"
#include "support/replayed.h"
#include "support/window_program.h"

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhEnv env;
static CommTrace trace;
static Replayed test;

static PhStatus
build_test(PhEnv *with, uint64_t seed, int64_t from, int64_t to)
{
	return replayed_build(with, &trace, seed, from, to, &test);
}

/* ---- planted imbalances ---- */

static BarrierWork work;

static int64_t
run_barriers(void)
{
	int64_t duration = barriers_run(work, &trace);
	replayed_name_regions(&trace);
	return duration;
}

static int64_t
predict(const PhChange *change, uint64_t *n_changed)
{
	PhReplayPlan plan = {0};
	PhReplayResult result;
	must(ph_plan_change(&test.arena, test.program, test.spans, change, &plan, n_changed));
	must(ph_replay_run(&test.arena, test.program, &plan, &result));
	assert_int_equal(result.n_stuck, 0);
	return result.duration;
}

static void
test_balance(void **state)
{
	(void) state;
	static const char *const paths[] = {"main/solve"};
	for (uint64_t seed = 1; seed <= 20; seed++)
	{
		int64_t means = 0;
		uint64_t n;
		uint32_t target;
		barriers_draw(seed, work);
		int64_t recorded = run_barriers();
		must(build_test(&env, seed, INT64_MIN, INT64_MAX));
		must(replayed_read_spans(&env, &test, paths, 1, &target));
		for (uint32_t k = 0; k < N_ITERATIONS; k++)
		{
			int64_t sum = 0;
			for (uint32_t at = 0; at < N_RANKS; at++)
				sum += work[at][k];
			means += sum / N_RANKS + OVERHEAD;
		}
		PhChange change = {.kind = PH_CHANGE_BALANCE, .target = target};
		assert_true(llabs(predict(&change, &n) - means) <= 2 * N_ITERATIONS);
		assert_int_equal(n, N_RANKS * N_ITERATIONS);
		change = (PhChange){.kind = PH_CHANGE_IDEAL_NETWORK};
		assert_int_equal(predict(&change, &n), recorded - N_ITERATIONS * OVERHEAD);
		replayed_free(&test);
	}
}

static void
test_scale_and_mean(void **state)
{
	(void) state;
	static const char *const paths[] = {"solve"};
	for (uint64_t seed = 1; seed <= 20; seed++)
	{
		int64_t changed[N_RANKS][N_ITERATIONS], total = 0, own = 0;
		uint64_t n;
		uint32_t target, chosen = (uint32_t) seed % N_RANKS;
		barriers_draw(seed, work);
		(void) run_barriers();
		must(build_test(&env, seed, INT64_MIN, INT64_MAX));
		must(replayed_read_spans(&env, &test, paths, 1, &target));
		memcpy(changed, work, sizeof(changed));
		for (uint32_t k = 0; k < N_ITERATIONS; k++)
			changed[1][k] /= 2;
		PhChange change = {.kind = PH_CHANGE_SCALE, .target = target, .ranks = "1", .by = 0.5};
		assert_true(llabs(predict(&change, &n) - barriers_with(changed)) <= N_ITERATIONS);
		for (uint32_t at = 0; at < N_RANKS; at++)
			for (uint32_t k = 0; k < N_ITERATIONS; k++)
			{
				total += work[at][k];
				own += at == chosen ? work[at][k] : 0;
			}
		memcpy(changed, work, sizeof(changed));
		for (uint32_t k = 0; k < N_ITERATIONS; k++)
			changed[chosen][k] =
				(int64_t) ((double) changed[chosen][k] * (double) total / N_RANKS / (double) own);
		change = (PhChange){.kind = PH_CHANGE_RANK_TO_MEAN, .rank = chosen};
		assert_true(llabs(predict(&change, &n) - barriers_with(changed)) <= N_ITERATIONS);
		replayed_free(&test);
	}
}

/* Who has a lock for long delays all that want it after him: without that they end as early. */
static void
test_lock(void **state)
{
	(void) state;
	static const char *const paths[] = {"held"};
	for (uint32_t n_ranks = 3; n_ranks < 6; n_ranks++)
	{
		SlowWindow slow = {1, WINDOW_HELD, 5000};
		uint64_t n;
		uint32_t target;
		window_steady(WINDOW_LOCKS, n_ranks, 1, NULL, &trace);
		must(build_test(&env, 1, INT64_MIN, INT64_MAX));
		int64_t fast = test.program->to - test.program->from;
		replayed_free(&test);
		window_steady(WINDOW_LOCKS, n_ranks, 1, &slow, &trace);
		must(build_test(&env, 1, INT64_MIN, INT64_MAX));
		must(replayed_read_spans(&env, &test, paths, 1, &target));
		assert_true(test.program->to - test.program->from > fast + slow.extra - 10);
		PhCallSpan held = ph_spans_of(test.spans, target, 1).spans[0];
		double length = (double) (held.to - held.from);
		PhChange change = {.kind = PH_CHANGE_SCALE,
						   .target = target,
						   .ranks = "1",
						   .by = (length - (double) slow.extra) / length};
		assert_true(llabs(predict(&change, &n) - fast) <= 1);
		replayed_free(&test);
	}
}

/* After the barriers work of its own and MPI_Finalize; a thread that does not communicate. */
static void
run_to_finalize(void)
{
	int64_t clock = run_barriers(), slowest = 0;
	((PhTraceRegion *) trace.model.regions)[COMM_TEST].name = "MPI_Finalize";
	trace.locations[N_RANKS] = (PhTraceLocation){.rank = 1, .thread = 1, .name = "", .host = ""};
	trace.model.n_locations = N_RANKS + 1;
	for (uint32_t at = 0; at < N_RANKS; at++)
		slowest = PH_MAX(slowest, work[at][0]);
	for (uint32_t at = 0; at < N_RANKS; at++)
	{
		barriers_add(&trace, at, clock, PH_EVENT_ENTER, COMM_USER_A);
		barriers_add(&trace, at, clock + work[at][0], PH_EVENT_LEAVE, COMM_USER_A);
		barriers_add(&trace, at, clock + work[at][0], PH_EVENT_ENTER, COMM_TEST);
		barriers_add(&trace, at, clock + slowest + OVERHEAD, PH_EVENT_LEAVE, COMM_TEST);
	}
	barriers_add(&trace, N_RANKS, 0, PH_EVENT_ENTER, COMM_USER_B);
	barriers_add(&trace, N_RANKS, clock + slowest, PH_EVENT_LEAVE, COMM_USER_B);
}

/* Time in MPI_Finalize is waiting for the last rank, and threads go with their ranks. */
static void
test_finalize(void **state)
{
	(void) state;
	static const char *const paths[] = {"solve"};
	for (uint64_t seed = 1; seed <= 20; seed++)
	{
		int64_t changed[N_RANKS][N_ITERATIONS], slowest = 0;
		uint64_t n;
		uint32_t target;
		barriers_draw(seed, work);
		work[1][0] *= 3;
		run_to_finalize();
		must(build_test(&env, seed, INT64_MIN, INT64_MAX));
		must(replayed_read_spans(&env, &test, paths, 1, &target));
		memcpy(changed, work, sizeof(changed));
		for (uint32_t k = 0; k < N_ITERATIONS; k++)
			changed[1][k] /= 2;
		for (uint32_t at = 0; at < N_RANKS; at++)
			slowest = PH_MAX(slowest, changed[at][0]);
		PhChange change = {.kind = PH_CHANGE_SCALE, .target = target, .ranks = "1", .by = 0.5};
		int64_t expected = barriers_with(changed) + slowest + OVERHEAD;
		assert_true(llabs(predict(&change, &n) - expected) <= N_ITERATIONS + 1);
		replayed_free(&test);
	}
}

static bool
is_near(double x, double y)
{
	return x - y < 1e-12 && y - x < 1e-12;
}

static void
test_efficiency(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 20; seed++)
	{
		PhEfficiencySpans spans;
		PhEfficiency found;
		bool is_aligned;
		double sum = 0, most = 0;
		barriers_draw(seed, work);
		double elapsed = (double) run_barriers();
		must(build_test(&env, seed, INT64_MIN, INT64_MAX));
		must(ph_spans_new(&env, &trace.model, &test.spans));
		must(ph_efficiency_want(test.spans, &spans));
		for (uint32_t at = 0; at < N_RANKS; at++)
			must(comm_visit(&trace, at, replayed_take_event, &test));
		ph_spans_finish(test.spans);
		PhCallSpan window = ph_efficiency_window(test.skeleton, INT64_MIN, INT64_MAX, &is_aligned);
		assert_true(is_aligned);
		must(ph_efficiency_find(&test.arena, test.skeleton, &spans, window, &found));
		for (uint32_t at = 0; at < N_RANKS; at++)
		{
			double useful = 0;
			for (uint32_t k = 0; k < N_ITERATIONS; k++)
				useful += (double) work[at][k];
			sum += useful;
			most = PH_MAX(most, useful);
		}
		double ideal = elapsed - N_ITERATIONS * OVERHEAD;
		assert_true(is_near(found.load_balance, sum / N_RANKS / most));
		assert_true(is_near(found.communication, most / elapsed));
		assert_true(is_near(found.serialisation, most / ideal));
		assert_true(is_near(found.transfer, ideal / elapsed));
		assert_true(is_near(found.parallel, sum / N_RANKS / elapsed));
		/* a window that begins and ends within iterations goes to the barriers nearby */
		int64_t second = trace.events[0][7].time, last = trace.events[0][31].time;
		window = ph_efficiency_window(test.skeleton, second + 3, last - 5, &is_aligned);
		assert_true(is_aligned && (window.from - second) == 0);
		replayed_free(&test);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balance),	   cmocka_unit_test(test_scale_and_mean),
		cmocka_unit_test(test_lock),	   cmocka_unit_test(test_finalize),
		cmocka_unit_test(test_efficiency),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
