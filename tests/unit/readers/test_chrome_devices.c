/*
 * test_chrome_devices.c - devices in Chrome traces: streams, activities and launches by hand, and
 * random ones against a slow search.
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

#include "readers/trace_source.h"
#include "support/reader.h"
#include "support/rounds.h"
#include "support/trace_text.h"
#include "trace/chunk/device_records.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
read_text_as_chrome(PhEnv *env, const char *text, PhRunInput *run)
{
	ph_env_init_malloc(env);
	if (read_bytes(env, READ_CHROME, text, strlen(text), run) != PH_OK)
		fail_msg("%s", env->error.message);
}

/* Events one after the other, as a list. */
static void
read_events(PhEnv *env, const char *const *events, size_t n, PhRunInput *run)
{
	char text[4096] = "[";

	for (size_t i = 0; i < n; i++)
	{
		strcat(text, i > 0 ? "," : "");
		strcat(text, events[i]);
	}
	strcat(text, "]");
	read_text_as_chrome(env, text, run);
}

static void
check_launches(PhEnv *env, const PhRunInput *run, uint32_t location, const char *expected)
{
	char *text = launches_of(env, run->trace, location);

	assert_string_equal(text, expected);
	free(text);
}

static void
check_stream(const PhRunInput *run, uint32_t location, PhDeviceStream stream, const char *name)
{
	const PhTraceLocation *found = &run->trace->model.locations[location];

	assert_true(ph_location_is_stream(found));
	assert_int_equal(found->thread, PH_NO_NUMBER);
	assert_int_equal(found->stream.device, stream.device);
	assert_int_equal(found->stream.context, stream.context);
	assert_int_equal(found->stream.stream, stream.stream);
	assert_int_equal(found->stream.lane, stream.lane);
	assert_string_equal(found->name, name);
}

/* ---- by hand ---- */

#define EVENT(cat, name, rest) "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\"," rest "}"
#define API(name, ts, dur, args)                                                                   \
	EVENT("cuda_runtime", name,                                                                    \
		  "\"pid\":5,\"tid\":5,\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{" args "}")
#define DEVICE(cat, name, ts, dur, args)                                                           \
	EVENT(cat, name, "\"pid\":1,\"tid\":7,\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{" args "}")

/*
 * A driver's call within the run time's, a graph that launches two kernels that run at once, a
 * copy, a memset on another stream, and a kernel that was launched before the trace began.
 */
static void
test_launches(void **state)
{
	static const char *const events[] = {
		DEVICE("kernel", "early", 1, 2,
			   "\"device\":1,\"context\":2,\"stream\":7,\"correlation\":9"),
		DEVICE("kernel", "second", 14, 6,
			   "\"device\":1,\"context\":2,\"stream\":7,\"correlation\":3"),
		DEVICE("kernel", "first", 12, 5,
			   "\"device\":1,\"context\":2,\"stream\":7,\"correlation\":3,\"grid\":[4,2,1],"
			   "\"block\":[64,1,1],\"registers per thread\":32,\"shared memory\":256"),
		EVENT("cuda_driver", "cuLaunchKernel",
			  "\"pid\":5,\"tid\":5,\"ts\":3,\"dur\":1,\"args\":{\"correlation\":2}"),
		API("cudaLaunchKernel", 2, 3, "\"correlation\":2"),
		DEVICE("kernel", "one", 6, 1, "\"device\":1,\"context\":2,\"stream\":7,\"correlation\":2"),
		API("cudaGraphLaunch", 8, 2, "\"correlation\":3"),
		API("cudaEventQuery", 10, 1, ""),
		API("cudaMemcpyAsync", 11, 1, "\"correlation\":4"),
		DEVICE("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 20, 2,
			   "\"device\":1,\"context\":2,\"stream\":7,\"correlation\":4,\"bytes\":4096"),
		DEVICE("gpu_memset", "Memset (Device)", 20, 1, "\"device\":0,\"stream\":3,\"bytes\":8"),
		DEVICE("gpu_user_annotation", "step", 1, 30, "\"stream\":7,\"device\":1"),
		DEVICE("cuda_sync", "Stream Sync", 1, 30, "\"stream\":7,\"device\":1"),
	};
	PhEnv env;
	PhRunInput run;
	const PhTraceModel *model;
	(void) state;

	read_events(&env, events, COUNT(events), &run);
	model = &run.trace->model;
	assert_int_equal(model->n_locations, 4);
	assert_int_equal(model->n_ranks, 1);
	assert_int_equal(model->rank_location[0], 0);
	assert_int_equal(run.n_threads, 1);
	check_stream(&run, 1, (PhDeviceStream){0, 0, 3, 0}, "GPU 0 stream 3");
	check_stream(&run, 2, (PhDeviceStream){1, 2, 7, 0}, "GPU 1 stream 7");
	check_stream(&run, 3, (PhDeviceStream){1, 2, 7, 1}, "GPU 1 stream 7 (2)");
	check_events(&env, &run, 0,
				 "1000+cudaLaunchKernel 2000+cuLaunchKernel 3000- 4000- 7000+cudaGraphLaunch 9000- "
				 "9000+cudaEventQuery 10000- 10000+cudaMemcpyAsync 11000-");
	check_events(&env, &run, 1, "19000+memset !8 20000-");
	check_events(&env, &run, 2,
				 "0+early 2000- 5000+one 6000- 11000+first !0,1 16000- 19000+memcpy HtoD !4096 "
				 "21000-");
	check_events(&env, &run, 3, "13000+second 19000-");
	check_launches(&env, &run, 0, "");
	check_launches(&env, &run, 1, "-");
	check_launches(&env, &run, 2, "- 0/0@1000 0/4@7000 0/8@10000");
	check_launches(&env, &run, 3, "0/4@7000");
	assert_int_equal(run.trace->launched.activities, 6);
	assert_int_equal(run.trace->launched.unmatched, 2);
	assert_int_equal(run.trace->launched.reversed, 0);
	assert_int_equal(model->n_configurations, 1);
	assert_int_equal(model->configurations[0].grid[1], 2);
	assert_int_equal(model->configurations[0].block[0], 64);
	assert_int_equal(model->configurations[0].registers, 32);
	assert_int_equal(model->configurations[0].dynamic_memory, 256);
	assert_string_equal(ph_meta_get(&run.meta, "chrome.left_out"),
						"1 synchronisations of devices, 1 annotations of devices");
	done(&env, &run);
}

/* AMD: a call says the size and the grid, a stream is text; where arguments are silent, pid and tid
 * tell device and stream. */
static void
test_hip(void **state)
{
	static const char *const events[] = {
		API("hipMemcpyWithStream", 1, 9, "\"correlation\":1,\"size\":\"4096\",\"stream\":\"0x0\""),
		DEVICE("gpu_memcpy", "Memcpy HtoD (Host -> Device)", 2, 3,
			   "\"device\":2,\"stream\":0,\"correlation\":1"),
		API("hipLaunchKernel", 11, 2, "\"correlation\":\"2\",\"grid\":[2,1,1],\"block\":[32,1,1]"),
		DEVICE("kernel", "k", 12, 1, "\"stream\":\"0x0\",\"correlation\":2"),
	};
	PhEnv env;
	PhRunInput run;
	(void) state;

	read_events(&env, events, COUNT(events), &run);
	assert_int_equal(run.trace->model.n_locations, 3);
	check_stream(&run, 1, (PhDeviceStream){1, 0, 7, 0}, "GPU 1 stream 7");
	check_stream(&run, 2, (PhDeviceStream){2, 0, 0, 0}, "GPU 2 stream 0");
	check_events(&env, &run, 1, "11000+k !0,1 12000-");
	check_events(&env, &run, 2, "1000+memcpy HtoD !4096 4000-");
	check_launches(&env, &run, 1, "0/2@10000");
	check_launches(&env, &run, 2, "0/0@0");
	for (uint32_t i = 0; i < run.trace->model.n_regions; i++)
		assert_string_equal(run.trace->model.regions[i].paradigm, "hip");
	done(&env, &run);
}

/*
 * What collectives do: as the kernel's arguments say, whatever its name; else those of
 * record_param_comms around the launch, else the annotation; a kernel that computes gets none.
 */
static void
test_collectives(void **state)
{
	static const char *const events[] = {
		EVENT("cpu_op", "record_param_comms",
			  "\"pid\":5,\"tid\":5,\"ts\":1,\"dur\":20,\"args\":{\"Collective name\":"
			  "\"_allgather_base\",\"In msg nelems\":8,\"dtype\":\"Double\","
			  "\"Process Group Ranks\":\"[0]\",\"Group size\":1}"),
		EVENT("user_annotation", "nccl:all_reduce", "\"pid\":5,\"tid\":5,\"ts\":2,\"dur\":18"),
		EVENT("cpu_op", "record_param_comms",
			  "\"pid\":5,\"tid\":5,\"ts\":24,\"dur\":2,\"args\":{\"Collective name\":\"wait\","
			  "\"Process Group Ranks\":\"[]\",\"Group size\":1}"),
		API("cudaLaunchKernel", 3, 1, "\"correlation\":1"),
		API("cudaLaunchKernel", 5, 1, "\"correlation\":2"),
		API("cudaLaunchKernel", 7, 1, "\"correlation\":3"),
		EVENT("user_annotation", "nccl:all_to_all", "\"pid\":5,\"tid\":5,\"ts\":30,\"dur\":9"),
		API("cudaLaunchKernel", 31, 1, "\"correlation\":4"),
		DEVICE("kernel", "ncclDevKernel_Generic", 10, 1, "\"stream\":7,\"correlation\":1"),
		DEVICE(
			"kernel", "custom", 12, 1,
			"\"stream\":7,\"correlation\":2,\"Collective name\":\"all_to_allv\","
			"\"In msg nelems\":0,\"Out msg nelems\":4,\"dtype\":\"Half\",\"Global rank start\":0,"
			"\"Global rank stride\":1,\"Process Group Ranks\":\"[0]\",\"Group size\":1"),
		DEVICE("kernel", "computes", 14, 1, "\"stream\":7,\"correlation\":3"),
		DEVICE("kernel", "ncclKernel_SendRecv", 32, 1, "\"stream\":7,\"correlation\":4"),
	};
	PhEnv env;
	PhRunInput run;
	const PhTraceModel *model;
	(void) state;

	read_events(&env, events, COUNT(events), &run);
	model = &run.trace->model;
	check_events(&env, &run, 1,
				 "9000+ncclDevKernel_Generic !64,0,1,0,0,2 10000- 11000+custom !8,0,1,0,0,4 12000- "
				 "13000+computes 14000- 31000+ncclKernel_SendRecv !0,0,0,0,0,4 32000-");
	assert_int_equal(model->n_communicators, 1);
	for (uint32_t i = 0; i < model->n_regions; i++)
		assert_int_equal(strcmp(model->regions[i].role, PH_ROLE_COLLECTIVE) == 0,
						 strcmp(model->regions[i].name, "custom") == 0);
	done(&env, &run);
}

/* A device that nobody drives, and activities before their calls. */
static void
test_odd_devices(void **state)
{
	static const char *const alone[] = {
		DEVICE("kernel", "k", 1, 0, "\"stream\":7,\"device\":0,\"correlation\":1"),
		DEVICE("kernel", "k", 1, 0, "\"stream\":7,\"device\":0"),
	};
	static const char *const early[] = {
		DEVICE("kernel", "k", 1, 1, "\"stream\":7,\"device\":0,\"correlation\":1"),
		API("cudaLaunchKernel", 2, 1, "\"correlation\":1"),
	};
	PhEnv env;
	PhRunInput run;
	(void) state;

	read_events(&env, alone, COUNT(alone), &run);
	assert_int_equal(run.trace->model.n_locations, 1);
	assert_int_equal(run.trace->model.rank_location[0], PH_NONE);
	check_events(&env, &run, 0, "0+k 0- 0+k 0-");
	check_launches(&env, &run, 0, "- -");
	done(&env, &run);
	read_events(&env, early, COUNT(early), &run);
	check_launches(&env, &run, 1, "0/0@1000");
	assert_int_equal(run.trace->launched.reversed, 1);
	done(&env, &run);
}

/* ---- random programs of devices against a slow search ---- */

#define MOST_SPANS 80
#define N_PROGRAMS rounds(600)

typedef struct Span
{
	bool is_activity;
	uint32_t track, correlation;
	int64_t begin, end; /* us */
} Span;

typedef struct Program
{
	uint32_t n;
	Span spans[MOST_SPANS];
	char text[MOST_SPANS * 200];
} Program;

/* Threads' calls are one after the other: which is outermost is not in question here. */
static void
make_program(Program *program, uint64_t seed)
{
	int64_t now[2] = {0, 0};
	size_t size = (size_t) sprintf(program->text, "[");

	program->n = 1 + draw_below(&seed, MOST_SPANS);
	for (uint32_t i = 0; i < program->n; i++)
	{
		Span *span = &program->spans[i];

		*span = (Span){.is_activity = draw_below(&seed, 2) == 0,
					   .track = draw_below(&seed, 2),
					   .correlation = draw_below(&seed, 30)};
		span->begin = 100 + draw_below(&seed, 90);
		span->end = span->begin + draw_below(&seed, 8);
		if (!span->is_activity)
		{
			span->begin = now[span->track] += draw_below(&seed, 3);
			span->end = now[span->track] += 1 + draw_below(&seed, 3);
		}
		size += (size_t) sprintf(
			program->text + size,
			"%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"s%u\",\"pid\":1,\"tid\":%u,\"ts\":%lld,"
			"\"dur\":%lld,\"args\":{\"correlation\":%u%s}}\n",
			i > 0 ? "," : "", span->is_activity ? "kernel" : "cuda_runtime", i, span->track,
			(long long) span->begin, (long long) (span->end - span->begin), span->correlation,
			span->is_activity ? ",\"device\":0" : "");
	}
	strcpy(program->text + size, "]");
}

/* The first call of the correlation: its name, "" for none. */
static const Span *
slow_launch(const Program *program, const Span *activity)
{
	const Span *found = NULL;

	for (uint32_t i = 0; i < program->n; i++)
	{
		const Span *span = &program->spans[i];

		if (!span->is_activity && span->correlation == activity->correlation &&
			activity->correlation != 0 && (found == NULL || span->begin < found->begin))
			found = span;
	}
	return found;
}

/* The k-th word of a location's events that begins a call: its name, or "". */
static void
find_enter(const char *events, uint64_t seq, char *name)
{
	name[0] = '\0';
	for (const char *at = events; *at != '\0'; at += strcspn(at, " "), at += *at == ' ')
	{
		if (seq-- == 0)
		{
			if (strcspn(at, "+") < strcspn(at, " "))
				sscanf(at + strcspn(at, "+") + 1, "%15s", name);
			return;
		}
	}
}

/* Two calls of a correlation that begin together on two threads: either one may have launched. */
static bool
is_launch(const Program *program, const Span *launch, const char *name)
{
	const Span *named = &program->spans[atoi(name + 1)];

	return launch != NULL && name[0] == 's' && !named->is_activity &&
		   named->correlation == launch->correlation && named->begin == launch->begin;
}

static uint32_t
check_location(PhEnv *env, const PhRunInput *run, const Program *program, uint32_t location,
			   char *const *events)
{
	const PhLink *links;
	PhArena arena;
	uint64_t n, at = 0;
	uint32_t seq = 0;
	char name[16];

	ph_arena_init(&arena, env);
	assert_int_equal(run->trace->launches(run->trace, &arena, location, &links, &n), PH_OK);
	for (const char *word = events[location]; *word != '\0'; seq++)
	{
		find_enter(events[location], seq, name);
		word += strcspn(word, " ");
		word += *word == ' ';
		if (name[0] == '\0')
			continue;
		const Span *activity = &program->spans[atoi(name + 1)];
		const Span *launch = slow_launch(program, activity);

		assert_true(activity->is_activity);
		assert_int_equal(links[at].location == PH_NONE, launch == NULL);
		if (launch != NULL)
		{
			find_enter(events[links[at].location], links[at].seq, name);
			assert_true(is_launch(program, launch, name));
		}
		at++;
	}
	assert_int_equal(at, n);
	ph_arena_drop(&arena);
	return (uint32_t) n;
}

static void
test_random_devices(void **state)
{
	Program *program = malloc(sizeof(*program));
	(void) state;

	for (uint64_t seed = 0; seed < N_PROGRAMS; seed++)
	{
		PhEnv env;
		PhRunInput run;
		char *events[200];
		uint32_t n_activities = 0;
		uint32_t n_expected = 0;

		make_program(program, seed);
		read_text_as_chrome(&env, program->text, &run);
		assert_in_range(run.trace->model.n_locations, 1, COUNT(events));
		for (uint32_t i = 0; i < run.trace->model.n_locations; i++)
			events[i] = events_of(&env, run.trace, i);
		for (uint32_t i = 0; i < run.trace->model.n_locations; i++)
			if (ph_location_is_stream(&run.trace->model.locations[i]))
				n_activities += check_location(&env, &run, program, i, events);
		for (uint32_t i = 0; i < program->n; i++)
			n_expected += program->spans[i].is_activity;
		assert_int_equal(n_activities, n_expected);
		for (uint32_t i = 0; i < run.trace->model.n_locations; i++)
			free(events[i]);
		done(&env, &run);
	}
	free(program);
}

static void
test_failing_allocations(void **state)
{
	static const char text[] =
		"[{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipMemcpyWithStream\",\"ts\":1,\"dur\":"
		"9,"
		"\"args\":{\"correlation\":1,\"size\":\"4096\"}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":2,\"dur\":3,\"args\":{\"device\":2,"
		"\"stream\":0,\"correlation\":1,\"grid\":[2,1,1],\"block\":[32,1,1],\"Collective name\":"
		"\"send\"}},{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"nccl:send\",\"ts\":0,"
		"\"dur\":9}]";
	(void) state;

	fail_every_allocation(read_input, &(ReaderInput){READ_CHROME, text, sizeof(text) - 1});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_launches),	   cmocka_unit_test(test_hip),
		cmocka_unit_test(test_collectives),	   cmocka_unit_test(test_odd_devices),
		cmocka_unit_test(test_random_devices), cmocka_unit_test(test_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
