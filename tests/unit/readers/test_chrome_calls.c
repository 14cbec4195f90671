/*
 * test_chrome_calls.c - random programs, their events in random order, against a slow nester;
 * sorted runs, in memory and in the temporary folder, against one sort.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/spans/lanes.h"
#include "readers/trace_source.h"
#include "support/reader.h"
#include "support/rounds.h"
#include "support/trace_text.h"

static void
read_text_as_chrome(PhEnv *env, const char *text, PhRunInput *run)
{
	ph_env_init_malloc(env);
	if (read_bytes(env, READ_CHROME, text, strlen(text), run) != PH_OK)
		fail_msg("%s", env->error.message);
}

/* ---- random programs against a slow nester ---- */

#define MOST_CALLS 60
#define MOST_THREADS 4
#define N_PROGRAMS rounds(2000)

typedef struct SlowCall
{
	int64_t begin, end; /* ns */
	uint32_t order;
	uint32_t lane;
	int parent; /* among the thread's calls in order; -1 */
} SlowCall;

typedef struct Program
{
	uint32_t n_threads, n_calls[MOST_THREADS];
	SlowCall calls[MOST_THREADS][MOST_CALLS];
	char events[MOST_THREADS][2 * MOST_CALLS][128]; /* of the file, in its order by thread */
	int call_of[MOST_THREADS][2 * MOST_CALLS];		/* that the event begins; -1: it ends one */
	uint32_t n_events[MOST_THREADS];
	char text[MOST_THREADS * MOST_CALLS * 260];
} Program;

static void
add_event(Program *program, uint32_t thread, char phase, int64_t time, int64_t duration, int call)
{
	uint32_t n = program->n_events[thread]++;
	char length[48] = "";
	char name[32] = "";

	if (phase == 'X')
		snprintf(length, sizeof(length), ",\"dur\":%lld.%03lld", (long long) (duration / 1000),
				 (long long) (duration % 1000));
	if (phase != 'E')
		snprintf(name, sizeof(name), ",\"name\":\"c%d\"", call);
	snprintf(program->events[thread][n], sizeof(program->events[thread][n]),
			 "{\"ph\":\"%c\",\"tid\":%u,\"ts\":%lld.%03lld%s%s}", phase, thread,
			 (long long) (time / 1000), (long long) (time % 1000), length, name);
	program->call_of[thread][n] = phase == 'E' ? -1 : call;
}

/* Complete events anywhere, many of which begin, end or cross together. */
static void
add_complete(Program *program, uint32_t thread, uint64_t *seed)
{
	uint32_t range = 1 + draw_below(seed, 60);

	for (uint32_t i = 0; i < program->n_calls[thread]; i++)
	{
		SlowCall *call = &program->calls[thread][i];

		call->begin = 500 * (int64_t) draw_below(seed, range);
		call->end = call->begin + 500 * (int64_t) draw_below(seed, range);
		add_event(program, thread, 'X', call->begin, call->end - call->begin, (int) i);
	}
}

/* Begins and ends, one after the other. */
static void
add_begins_and_ends(Program *program, uint32_t thread, uint64_t *seed)
{
	int open[MOST_CALLS];
	uint32_t depth = 0;
	uint32_t next = 0;
	int64_t time = 0;

	while (next < program->n_calls[thread] || depth > 0)
	{
		time += 250 * (int64_t) draw_below(seed, 4);
		if (next < program->n_calls[thread] && (depth == 0 || draw_below(seed, 2) == 0))
		{
			program->calls[thread][next].begin = time;
			add_event(program, thread, 'B', time, 0, (int) next);
			open[depth++] = (int) next++;
			continue;
		}
		program->calls[thread][open[--depth]].end = time;
		add_event(program, thread, 'E', time, 0, -1);
	}
}

/* Threads' events one among the other; a call's order is that of the event it begins with. */
static void
write_program(Program *program, uint64_t *seed)
{
	uint32_t next[MOST_THREADS] = {0};
	uint32_t n_left = 0;
	uint32_t order = 0;
	size_t size = (size_t) snprintf(program->text, sizeof(program->text), "{\"traceEvents\":[");

	for (uint32_t i = 0; i < program->n_threads; i++)
		n_left += program->n_events[i];
	while (n_left > 0)
	{
		uint32_t thread = draw_below(seed, program->n_threads);
		uint32_t at = next[thread];

		if (at == program->n_events[thread])
			continue;
		next[thread]++;
		n_left--;
		if (program->call_of[thread][at] >= 0)
			program->calls[thread][program->call_of[thread][at]].order = order;
		size += (size_t) snprintf(program->text + size, sizeof(program->text) - size, "%s%s\n",
								  order++ > 0 ? "," : "", program->events[thread][at]);
	}
	snprintf(program->text + size, sizeof(program->text) - size, "]}");
}

static void
make_program(Program *program, uint64_t seed)
{
	memset(program, 0, sizeof(*program));
	program->n_threads = 1 + draw_below(&seed, MOST_THREADS);
	for (uint32_t i = 0; i < program->n_threads; i++)
	{
		program->n_calls[i] = 1 + draw_below(&seed, MOST_CALLS);
		if (draw_below(&seed, 3) == 0)
			add_begins_and_ends(program, i, &seed);
		else
			add_complete(program, i, &seed);
	}
	write_program(program, &seed);
}

static int
compare_slow(const void *x, const void *y)
{
	const SlowCall *a = x;
	const SlowCall *b = y;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Does it lie in this lane? Looks at all calls before; cuts what crosses by rounding. */
static bool
slow_fits(SlowCall *calls, int number, uint32_t lane)
{
	SlowCall *call = &calls[number];
	int64_t end = INT64_MAX;

	call->parent = -1;
	for (int i = 0; i < number; i++)
	{
		const SlowCall *other = &calls[i];
		bool is_open =
			other->end > call->begin || (other->begin == call->begin && call->end <= other->end);

		if (other->lane != lane || !is_open)
			continue;
		call->parent = i;
		end = other->end < end ? other->end : end;
	}
	if (call->end > end && call->end - end > 1000 /* rounding */)
		return false;
	call->end = call->end > end ? end : call->end;
	call->lane = lane;
	return true;
}

static void
slow_print(const SlowCall *calls, int n, int number, int64_t origin, const int *names, char *text)
{
	sprintf(text + strlen(text), "%s%lld+c%d", text[0] == '\0' ? "" : " ",
			(long long) (calls[number].begin - origin), names[number]);
	for (int i = number + 1; i < n; i++)
	{
		if (calls[i].lane == calls[number].lane && calls[i].parent == number)
			slow_print(calls, n, i, origin, names, text);
	}
	sprintf(text + strlen(text), " %lld-", (long long) (calls[number].end - origin));
}

/* Checks a thread's locations, from `location` on; returns how many there are. */
static uint32_t
check_thread(PhEnv *env, const PhRunInput *run, uint32_t location, const SlowCall *unsorted, int n,
			 int64_t origin)
{
	SlowCall calls[MOST_CALLS];
	int names[MOST_CALLS];
	uint32_t n_lanes = 0;

	memcpy(calls, unsorted, sizeof(calls));
	qsort(calls, (size_t) n, sizeof(*calls), compare_slow);
	for (int i = 0; i < n; i++)
	{
		uint32_t lane = 0;

		for (int k = 0; k < n; k++)
			if (unsorted[k].order == calls[i].order)
				names[i] = k;
		while (!slow_fits(calls, i, lane))
			lane++;
		n_lanes = lane + 1 > n_lanes ? lane + 1 : n_lanes;
	}
	for (uint32_t lane = 0; lane < n_lanes; lane++)
	{
		char text[MOST_CALLS * 64] = "";

		for (int i = 0; i < n; i++)
			if (calls[i].lane == lane && calls[i].parent == -1)
				slow_print(calls, n, i, origin, names, text);
		check_events(env, run, location + lane, text);
	}
	return n_lanes;
}

static void
check_program(const Program *program)
{
	PhEnv env;
	PhRunInput run;
	uint32_t location = 0;
	int64_t origin = INT64_MAX;

	for (uint32_t i = 0; i < program->n_threads; i++)
		for (uint32_t k = 0; k < program->n_calls[i]; k++)
			if (program->calls[i][k].begin < origin)
				origin = program->calls[i][k].begin;
	read_text_as_chrome(&env, program->text, &run);
	for (uint32_t i = 0; i < program->n_threads; i++)
		location += check_thread(&env, &run, location, program->calls[i], (int) program->n_calls[i],
								 origin);
	assert_int_equal(run.trace->model.n_locations, location);
	done(&env, &run);
}

static void
test_random_programs(void **state)
{
	Program *program = malloc(sizeof(*program));
	(void) state;

	for (uint64_t seed = 0; seed < N_PROGRAMS; seed++)
	{
		make_program(program, seed);
		check_program(program);
	}
	free(program);
}

/* ---- runs ---- */

static int
compare_calls(const void *x, const void *y)
{
	const PhSpanRow *a = x;
	const PhSpanRow *b = y;

	return ph_span_precedes(a, b) ? -1 : ph_span_precedes(b, a);
}

/* Runs of few calls, in memory and in the temporary folder, against one sort of all. */
static void
check_runs(uint64_t seed, uint32_t run_calls, uint64_t most_kept)
{
	PhEnv env;
	PhSpanRuns runs;
	PhSpanRow calls[3][400];
	uint32_t n[3] = {0};

	ph_env_init_malloc(&env);
	ph_span_runs_init(&runs, &env, run_calls, most_kept);
	for (uint32_t i = draw_below(&seed, 400); i > 0; i--)
	{
		PhSpanRow call = {.begin = draw_below(&seed, 30),
						  .end = 30 + draw_below(&seed, 3),
						  .track = draw_below(&seed, 3),
						  .order = i};

		calls[call.track][n[call.track]++] = call;
		assert_int_equal(ph_span_runs_add(&runs, &call), PH_OK);
	}
	assert_int_equal(ph_span_runs_finish(&runs), PH_OK);
	for (uint32_t track = 0; track < 3; track++)
	{
		PhSpanMerge merge;

		qsort(calls[track], n[track], sizeof(PhSpanRow), compare_calls);
		assert_int_equal(ph_span_merge_begin(&merge, &env, &runs, track), PH_OK);
		for (uint32_t i = 0; i < n[track]; i++)
			assert_memory_equal(ph_span_merge_next(&merge), &calls[track][i], sizeof(PhSpanRow));
		assert_null(ph_span_merge_next(&merge));
		ph_span_merge_end(&merge);
	}
	ph_span_runs_free(&runs);
	assert_int_equal(env.bytes, 0);
}

static void
test_runs(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < 100; seed++)
	{
		check_runs(seed, 1000, 1000);
		check_runs(seed, 1 + (uint32_t) seed % 50, 100);
		check_runs(seed, 7, 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
