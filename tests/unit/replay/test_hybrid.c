/*
 * test_hybrid.c - efficiencies of the threads of random programs against counting every ns; planted
 * causes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "replay/efficiency.h"
#include "support/skeleton.h"
#include "support/thread_program.h"

#define N_TRACES 60

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static PhEnv env;
static CommTrace trace;

static PhStatus
take_event(void *user, uint32_t location, uint64_t seq, const PhEvent *event,
		   const PhOpenCall *call)
{
	(void) seq;
	return ph_spans_add_event(user, location, event, call, call == NULL ? 0 : 1);
}

static PhEfficiency
efficiency_in(PhCallSpan window, uint64_t seed)
{
	PhEfficiencySpans wanted;
	PhEfficiency found;
	PhSkeleton *skeleton;
	PhSpans *spans;
	PhArena arena;
	ph_arena_init(&arena, &env);
	must(skeleton_of(&env, &trace, seed, &skeleton));
	must(ph_spans_new(&env, &trace.model, &spans));
	must(ph_efficiency_want(spans, &wanted));
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		must(comm_visit(&trace, at, take_event, spans));
	ph_spans_finish(spans);
	must(ph_efficiency_find(&arena, skeleton, &wanted, window, &found));
	ph_spans_free(spans);
	ph_skeleton_free(skeleton);
	ph_arena_drop(&arena);
	return found;
}

/* ---- plain ---- */

/* What a thread is in at a time: from it to the next ns. */
typedef struct PlainState
{
	bool in_call, in_mpi, in_barrier;
} PlainState;

static PlainState
state_at(uint32_t at, int64_t time)
{
	uint32_t depth = 0, mpi = 0, barriers = 0;
	for (uint32_t i = 0; i < trace.n_events[at] && trace.events[at][i].time <= time; i++)
	{
		const PhEvent *event = &trace.events[at][i];
		if (event->kind > PH_EVENT_LEAVE || i + 1 == trace.n_events[at])
			continue; /* calls that are not left end with the last event */
		uint32_t step = event->kind == PH_EVENT_ENTER ? 1 : (uint32_t) -1;
		depth += step;
		mpi += event->region == THREAD_COLLECTIVE ? step : 0;
		barriers +=
			event->region == THREAD_BARRIER || event->region == THREAD_IMPLICIT_BARRIER ? step : 0;
	}
	bool is_over = trace.n_events[at] == 0 || time >= trace.events[at][trace.n_events[at] - 1].time;
	return (PlainState){depth > 0 && !is_over, mpi > 0 && !is_over, barriers > 0 && !is_over};
}

typedef struct PlainTimes
{
	double useful, possible, serial;
} PlainTimes;

static void
count_ns(int64_t time, PlainTimes *out)
{
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
	{
		uint32_t first = trace.model.rank_location[trace.locations[at].rank];
		PlainState state = state_at(at, time), master = state_at(first, time);
		const PhEvent *events = trace.events[first];
		uint32_t n = trace.n_events[first];
		bool is_seen = n > 0 && time >= events[0].time && time < events[n - 1].time;
		if (trace.n_events[at] == 0)
			continue;
		out->useful += state.in_call && !state.in_mpi && !state.in_barrier;
		out->possible += is_seen && !master.in_mpi;
		out->serial += at != first && is_seen && !master.in_mpi && !state.in_call;
	}
}

/* ---- tests ---- */

static bool
is_near(double x, double y)
{
	return fabs(x - y) < 1e-9 || (isnan(x) && isnan(y));
}

static int64_t
last_time(void)
{
	int64_t last = 0;
	for (uint32_t at = 0; at < trace.model.n_locations; at++)
		if (trace.n_events[at] > 0 && trace.events[at][trace.n_events[at] - 1].time > last)
			last = trace.events[at][trace.n_events[at] - 1].time;
	return last;
}

static void
test_random_threads(void **state)
{
	(void) state;
	uint32_t n_serial = 0;
	for (uint64_t seed = 1; seed <= N_TRACES; seed++)
	{
		PlainTimes plain = {0};
		thread_random(seed, &trace);
		int64_t last = last_time();
		PhCallSpan window = {(int64_t) (seed % 3) * last / 7,
							 last - (int64_t) (seed % 4) * last / 9};
		if (trace.n_events[0] == 0 || window.from >= window.to)
			continue;
		for (int64_t time = window.from; time < window.to; time++)
			count_ns(time, &plain);
		PhEfficiency found = efficiency_in(window, seed);
		if (plain.possible == 0)
			continue;
		if (!is_near(found.threads, plain.useful / plain.possible) ||
			!is_near(found.thread_serialisation, 1 - plain.serial / plain.possible))
			fail_msg("seed %llu: %.12f of %.12f, %.12f of %.12f", (unsigned long long) seed,
					 found.threads, plain.useful / plain.possible, found.thread_serialisation,
					 1 - plain.serial / plain.possible);
		if (!isnan(found.thread_load_balance))
			assert_true(
				is_near(found.threads, found.thread_serialisation * found.thread_load_balance));
		n_serial += plain.serial > 0;
	}
	assert_true(n_serial > N_TRACES / 2);
}

/* A slow thread is bad balance, a long serial part bad serialisation, a slow process neither. */
static void
test_planted(void **state)
{
	(void) state;
	const SlowThread slow[] = {{0, 1, THREAD_WORK, 2000}, {0, 0, THREAD_SERIAL, 4000}};
	thread_steady(1, 4, 10, &slow[0], &trace);
	PhEfficiency found = efficiency_in((PhCallSpan){0, last_time()}, 1);
	assert_true(found.thread_load_balance < 0.35 && found.thread_serialisation > 0.95);
	thread_steady(1, 4, 10, &slow[1], &trace);
	found = efficiency_in((PhCallSpan){0, last_time()}, 1);
	assert_true(found.thread_load_balance > 0.8 && found.thread_serialisation < 0.35);
	assert_true(is_near(found.threads, found.thread_load_balance * found.thread_serialisation));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_threads),
		cmocka_unit_test(test_planted),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
