/*
 * test_chrome.c - Chrome traces: answers by hand, times, memory limits, compressed and bad files,
 * cuts and failing allocations.
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
#include <zlib.h>

#include "readers/chrome/scan.h"
#include "readers/input.h"
#include "readers/spans/runs.h"
#include "readers/trace_source.h"
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"
#include "support/trace_text.h"

#define FILES PH_SOURCE_DIR "/tests/data/chrome/"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
read_text_as_chrome(PhEnv *env, const char *text, PhRunInput *run)
{
	ph_env_init_malloc(env);
	if (read_bytes(env, READ_CHROME, text, strlen(text), run) != PH_OK)
		fail_msg("%s", env->error.message);
}

static void
check_location(const PhRunInput *run, uint32_t location, int32_t rank, int32_t thread,
			   const char *name)
{
	const PhTraceLocation *found = &run->trace->model.locations[location];

	assert_int_equal(found->rank, rank);
	assert_int_equal(found->thread, thread);
	assert_string_equal(found->name, name);
}

/* ---- by hand ---- */

/* Complete events out of order, begins and ends, two processes, and calls that cross. */
static void
test_threads(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;

	ph_env_init_malloc(&env);
	assert_int_equal(read_path(&env, FILES "threads.json", &run), PH_OK);
	assert_int_equal(run.trace->model.n_locations, 4);
	assert_int_equal(run.trace->model.n_ranks, 2);
	assert_int_equal(run.n_ranks, 2);
	assert_int_equal(run.n_threads, 3);
	assert_int_equal(run.n_missing, 0);
	check_location(&run, 0, 0, 0, "thread 1");
	check_location(&run, 1, 1, 0, "main");
	check_location(&run, 2, 1, 1, "thread 31");
	check_location(&run, 3, 1, 2, "thread 31 (2)");
	check_events(&env, &run, 0, "1000+run 49000-");
	/* half a nanosecond goes to the even one */
	check_events(&env, &run, 1,
				 "0+run 10000+solve 12500+multiply 14500- 14500+multiply 15500- 20000- 30000+write "
				 "35250- 50000-");
	check_events(&env, &run, 2, "5000+wait 25000- 26000+load \"a\\b\" 30000-");
	check_events(&env, &run, 3, "28000+load ahead 40000-");
	assert_string_equal(run.trace->model.regions[0].library, "math");
	assert_int_equal(run.trace->model.epoch_ns, PH_NO_TIME);
	assert_string_equal(ph_meta_get(&run.meta, "chrome.left_out"),
						"2 flows, 1 instants, 1 counters");
	assert_string_equal(ph_meta_get(&run.meta, "chrome.displayTimeUnit"), "ms");
	assert_int_equal(run.n_warnings, 1);
	assert_string_equal(
		run.warnings[0],
		"1 calls overlap others of their thread or stream; they are on locations of their own.");
	done(&env, &run);
}

/* PyTorch's profiler: 19 digits of time, a rank, regions by category. */
static void
test_kineto(void **state)
{
	PhEnv env;
	PhRunInput run;
	const PhTraceModel *model;
	(void) state;

	ph_env_init_malloc(&env);
	assert_int_equal(read_path(&env, FILES "kineto.json", &run), PH_OK);
	model = &run.trace->model;
	assert_int_equal(model->n_locations, 2);
	assert_int_equal(model->n_ranks, 3);
	assert_int_equal(run.n_ranks, 1);
	assert_int_equal(model->rank_location[0], PH_NONE);
	assert_int_equal(model->rank_location[2], 0);
	check_location(&run, 0, 2, 0, "thread 1102 (python)");
	check_events(&env, &run, 0,
				 "0+ProfilerStep#101 1000+forward 2100+aten::mul 2953+cudaLaunchKernel 5078- 6600- "
				 "31000- 40003-");
	check_events(&env, &run, 1, "6204+void mul_kernel<float>(int, float*) !0,1 9304-");
	assert_true(model->epoch_ns == INT64_C(1712195495519689047));
	assert_string_equal(ph_meta_get(&run.meta, "started_at"), "1712195495.519689047");
	assert_string_equal(ph_meta_get(&run.meta, "distributed.world_size"), "4");
	assert_string_equal(ph_meta_get(&run.meta, "distributed.backend"), "nccl");
	assert_string_equal(ph_meta_get(&run.meta, "device.0"), "Device A");
	assert_string_equal(model->regions[0].library, "PyTorch");
	assert_int_equal(model->regions[1].kind, PH_KIND_REGION);
	assert_string_equal(model->regions[2].file, "model/net.py");
	assert_int_equal(model->regions[2].line, 17);
	assert_string_equal(model->regions[2].paradigm, "python");
	assert_string_equal(model->regions[3].paradigm, "cuda");
	done(&env, &run);
}

/* The list alone, and odd files that are read: what each gives. */
static void
test_odd_files(void **state)
{
#define CALL(name, times) "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1,\"tid\":1," times "}"
	static const struct
	{
		const char *text, *events;
	} files[] = {
		/* a list; a comma at its end */
		{"[" CALL("a", "\"ts\":1,\"dur\":1") ",]", "0+a 1000-"},
		/* nothing but the list's end is compulsory; members repeated: the last one */
		{"{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"name\":\"b\",\"ts\":\"2\",\"dur\":\"1."
		 "5\"}]}",
		 "0+b 1500-"},
		/* equal times: the first one in the file is around the other; of no length, too */
		{"[" CALL("a", "\"ts\":1,\"dur\":1") "," CALL("b", "\"ts\":1,\"dur\":1") "," CALL(
			 "c", "\"ts\":5,\"dur\":0") "," CALL("d", "\"ts\":5,\"dur\":0") "]",
		 "0+a 0+b 1000- 1000- 4000+c 4000+d 4000- 4000-"},
		/* a call of no length at the end of another is behind it */
		{"[" CALL("a", "\"ts\":1,\"dur\":1") "," CALL("b", "\"ts\":2,\"dur\":0") "]",
		 "0+a 1000- 1000+b 1000-"},
		/* ends that cross by rounding are cut */
		{"[" CALL("a", "\"ts\":10,\"dur\":10") "," CALL("b", "\"ts\":15,\"dur\":6") "]",
		 "0+a 5000+b 10000- 10000-"},
		/* begins without end stay open, or end with what is around them */
		{"[{\"ph\":\"B\",\"name\":\"a\",\"ts\":1},"
		 "{\"ph\":\"X\",\"name\":\"b\",\"ts\":2,\"dur\":1}]",
		 "0+a 1000+b 2000-"},
		{"[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":9},"
		 "{\"ph\":\"B\",\"name\":\"b\",\"ts\":2}]",
		 "0+a 1000+b 9000- 9000-"},
		/* an end without begin; one of another name; backwards; no duration */
		{"[{\"ph\":\"E\",\"ts\":1},{\"ph\":\"B\",\"name\":\"a\",\"ts\":2},{\"ph\":\"E\",\"name\":"
		 "\"b\",\"ts\":1},"
		 "{\"ph\":\"X\",\"name\":\"c\",\"ts\":3},{\"ph\":\"X\",\"name\":\"d\",\"ts\":4,\"dur\":-2}"
		 "]",
		 "0+a 0- 1000+c 1000- 2000+d 2000-"},
		/* bad bytes and escapes in names, blanks everywhere, what JSON does not know in arguments
		 */
		{" [ { \"ph\" : \"X\" , \"name\" : \"a\xff\\u00e9\" , \"ts\" : 1 , \"dur\" : 1 ,"
		 "\"args\" : { \"x\" : NaN, \"y\":'} } ] \n",
		 "0+a\xef\xbf\xbd\xc3\xa9 1000-"},
		{"[" CALL("a\\x", "\"ts\":1,\"dur\":1") "]", "0+a\\x 1000-"},
		{"[" CALL("", "\"ts\":-3.25,\"dur\":1e0") "]", "0+unnamed 1000-"},
		/* one region by two spellings, and of two categories that mean the same */
		{"[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"A\",\"ts\":0,\"dur\":4},{\"ph\":\"X\","
		 "\"cat\":\"Operator\","
		 "\"name\":\"\\u0041\",\"ts\":1,\"dur\":2}]",
		 "0+A 1000+A 3000- 4000-"},
		/* "kernel" of another program is a call */
		{"[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"ts\":0,\"dur\":1}]", "0+a 1000-"},
	};
	(void) state;

	for (size_t i = 0; i < COUNT(files); i++)
	{
		PhEnv env;
		PhRunInput run;

		read_text_as_chrome(&env, files[i].text, &run);
		assert_int_equal(run.trace->model.n_locations, 1);
		check_events(&env, &run, 0, files[i].events);
		assert_int_equal(run.n_missing, 0);
		done(&env, &run);
	}
}

/* Warnings say how many. */
static void
test_findings(void **state)
{
	static const char text[] = "[{\"ph\":\"E\",\"ts\":1},{\"ph\":\"B\",\"name\":\"a\",\"ts\":2},{"
							   "\"ph\":\"E\",\"name\":\"b\",\"ts\":1},"
							   "{\"ph\":\"X\",\"name\":\"c\",\"ts\":3},{\"ph\":\"B\",\"name\":"
							   "\"d\",\"ts\":4},{\"ph\":\"b\",\"ts\":1},"
							   "{\"ph\":\"N\"},{\"ph\":\"long\"}]";
	static const char *const warnings[] = {
		"1 calls begin and have no end.",
		"1 calls end and have no begin; they are left out.",
		"1 calls end by another name than they began with.",
		"1 calls end before they begin; their length is taken as 0.",
		"1 calls have no duration; it is taken as 0.",
	};
	PhEnv env;
	PhRunInput run;
	(void) state;

	read_text_as_chrome(&env, text, &run);
	assert_int_equal(run.n_warnings, COUNT(warnings));
	for (size_t i = 0; i < COUNT(warnings); i++)
		assert_string_equal(run.warnings[i], warnings[i]);
	assert_string_equal(ph_meta_get(&run.meta, "chrome.left_out"),
						"1 asynchronous events, 2 events of other kinds");
	done(&env, &run);
}

/* ---- times ---- */

static void
test_times(void **state)
{
	static const struct
	{
		const char *text;
		int64_t ns; /* INT64_MIN: none */
	} times[] = {
		{"0", 0},
		{"1", 1000},
		{"1712195495519689.047", INT64_C(1712195495519689047)},
		{"1712195495519689", INT64_C(1712195495519689000)},
		{"9223372036854775.807", INT64_MAX},
		{"9223372036854775.808", INT64_MIN},
		{"99999999999999999", INT64_MIN},
		{"-9223372036854775.807", -INT64_MAX},
		{"12.5", 12500},
		{"0.0005", 0},
		{"0.0015", 2},
		{"0.00150", 2},
		{"0.0025", 2},
		{"0.00250000000000000000001", 3},
		{"0.9999", 1000},
		{"-0.0016", -2},
		{"1.712195495519689e+15", INT64_C(1712195495519689000)},
		{"1.5E3", 1500000},
		{"5e-4", 0},
		{"15e-4", 2},
		{"1e-300", 0},
		{"1e300", INT64_MIN},
		{"0e300", 0},
		{"1e99999999999999999999", INT64_MIN},
		{"000000000000000000000000012", 12000},
		{"", INT64_MIN},
		{"-", INT64_MIN},
		{".", INT64_MIN},
		{"1.", 1000},
		{".5", 500},
		{"1.2.3", INT64_MIN},
		{"1e", INT64_MIN},
		{"1e+", INT64_MIN},
		{"12a", INT64_MIN},
		{"NaN", INT64_MIN},
		{"true", INT64_MIN},
	};
	(void) state;

	for (size_t i = 0; i < COUNT(times); i++)
	{
		PhScanValue value = {
			.text = times[i].text, .size = strlen(times[i].text), .kind = PH_SCAN_WORD};
		int64_t ns = INT64_MIN;

		if (!ph_scan_nanoseconds(&value, &ns))
			ns = INT64_MIN;
		if (ns != times[i].ns)
			fail_msg("%s: %lld, expected %lld", times[i].text, (long long) ns,
					 (long long) times[i].ns);
	}
}

/* ---- memory ---- */

/* Where there is no temporary folder, the error says what to do. */
static void
test_no_temporary_folder(void **state)
{
	PhEnv env;
	PhSpanRuns runs;
	PhSpanRow call = {.begin = 1, .end = 2};
	(void) state;

	ph_env_init_malloc(&env);
	ph_span_runs_init(&runs, &env, 1, 0);
	setenv("TMPDIR", "/nowhere", 1);
	assert_int_equal(ph_span_runs_add(&runs, &call), PH_OK);
	assert_int_equal(ph_span_runs_finish(&runs), PH_ERR_UNREADABLE);
	unsetenv("TMPDIR");
	assert_non_null(strstr(env.error.message, "/nowhere: cannot make a temporary file"));
	assert_non_null(strstr(env.error.hint, "TMPDIR"));
	ph_span_runs_free(&runs);
	assert_int_equal(env.bytes, 0);
}

/* A file whose calls do not fit into a quarter of the limit: the same as without a limit. */
static void
test_memory_limit(void **state)
{
	const uint32_t n = 60000;
	char *text = malloc((size_t) n * 80);
	size_t size = (size_t) sprintf(text, "[");
	PhEnv env[2];
	PhRunInput run[2];
	char *events[2];
	uint64_t seed = 4;
	(void) state;

	for (uint32_t i = 0; i < n; i++)
		size += (size_t) sprintf(
			text + size, "%s{\"ph\":\"X\",\"name\":\"c%u\",\"ts\":%u,\"dur\":%u}", i > 0 ? "," : "",
			i % 10, draw_below(&seed, n) * 10, draw_below(&seed, 10));
	strcpy(text + size, "]");
	for (int i = 0; i < 2; i++)
	{
		PhInput input = ph_input_lend("input", text, size + 1);
		PhReadOptions options = {0};

		ph_env_init_malloc(&env[i]);
		env[i].byte_limit = i == 0 ? 0 : (size_t) 3 << 20; /* 1.9 MB of calls */
		assert_int_equal(ph_reader_chrome.read_file(&env[i], &input, &options, &run[i]), PH_OK);
		events[i] = events_of(&env[i], run[i].trace, 0);
	}
	assert_string_equal(events[0], events[1]);
	assert_true(env[1].bytes < env[0].bytes / 2);
	for (int i = 0; i < 2; i++)
	{
		done(&env[i], &run[i]);
		free(events[i]);
	}
	free(text);
}

/* ---- compressed files ---- */

static uint8_t *
compress_text(const char *text, size_t *size)
{
	z_stream stream = {.next_in = (Bytef *) text, .avail_in = (uInt) strlen(text)};
	size_t room = strlen(text) + 200;
	uint8_t *bytes = malloc(room);

	stream.next_out = bytes;
	stream.avail_out = (uInt) room;
	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	*size = stream.total_out;
	deflateEnd(&stream);
	return bytes;
}

/* An event that is larger than the window, behind blanks of which one window is full. */
static void
test_compressed(void **state)
{
	size_t n = 300000;
	char *text = malloc(2 * n + 500);
	size_t size;
	uint8_t *bytes;
	PhEnv env;
	PhRunInput run;
	(void) state;

	sprintf(
		text,
		"{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2,\"args\":\"%*s\"}%*s,",
		(int) n, "x", (int) n, " ");
	strcat(text, "{\"ph\":\"X\",\"name\":\"b\",\"ts\":2,\"dur\":1}]}");
	bytes = compress_text(text, &size);
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_CHROME, bytes, size, &run), PH_OK);
	check_events(&env, &run, 0, "0+a 1000+b 2000- 2000-");
	assert_int_equal(run.n_missing, 0);
	done(&env, &run);
	for (size_t cut = 1; cut < size; cut += cut < 40 || cut > size - 40 ? 1 : 13)
	{
		PhStatus status = read_bytes(&env, READ_CHROME, bytes, cut, &run);

		assert_true(status != PH_OK || run.n_missing > 0);
		if (status == PH_OK)
			ph_run_input_free(&env, &run);
		assert_int_equal(env.bytes, 0);
	}
	free(bytes);
	free(text);
}

/* ---- bad files ---- */

static void
test_bad_files(void **state)
{
	static const struct
	{
		const char *text;
		PhStatus status;
		const char *message;
	} files[] = {
		{"", PH_ERR_FORMAT, "input: byte 0: expected an object or a list of events"},
		{" 7", PH_ERR_FORMAT, "input: byte 1: expected an object or a list of events"},
		{"{}", PH_ERR_FORMAT, "it has no traceEvents"},
		{"[]", PH_ERR_FORMAT, "input: holds no calls of threads"},
		{"{\"traceEvents\":[]}", PH_ERR_FORMAT, "holds no calls of threads"},
		{"{\"traceEvents\":{}}", PH_ERR_FORMAT, "input: byte 15: traceEvents is no list"},
		{"{\"traceEvents\":null}", PH_ERR_FORMAT, "byte 15: traceEvents is no list"},
		{"{7:1}", PH_ERR_FORMAT, "byte 1: expected the name of a member"},
		{"{\"a\" 1}", PH_ERR_FORMAT, "byte 5: expected : after a name"},
		{"{\"a\":1 \"b\":2}", PH_ERR_FORMAT, "byte 7: expected , or } after a member"},
		{"{\"a\":}", PH_ERR_FORMAT, "byte 5: expected a value"},
		{"{\"baseTimeNanoseconds\":\"x\",\"traceEvents\":[]}", PH_ERR_VALUE,
		 "baseTimeNanoseconds is no time since 1970"},
		{"{\"baseTimeNanoseconds\":-1,\"traceEvents\":[]}", PH_ERR_VALUE,
		 "baseTimeNanoseconds is no time since 1970"},
		{"[{\"ph\":\"X\",\"ts\":-4000000000000000,\"dur\":0},"
		 "{\"ph\":\"X\",\"ts\":4000000000000000,\"dur\":4000000000000000}]",
		 PH_ERR_VALUE, "input: its times are too far apart"},
		{"{\"traceEvents\":[{\"ph\":\"X\",\"ts\":4000000000000000,\"dur\":4000000000000000}],"
		 "\"baseTimeNanoseconds\":4000000000000000000}",
		 PH_ERR_VALUE, "input: its times are impossible"},
		{"[7]", PH_ERR_FORMAT, "byte 1: expected an event"},
		{"[,{}]", PH_ERR_FORMAT, "byte 1: expected an event"},
		{"[{}]", PH_ERR_FORMAT, "byte 1: the event has no ph"},
		{"[{\"ph\":\"C\"},,{\"ph\":\"C\"}]", PH_ERR_FORMAT, "byte 12: expected an event"},
		{"[{\"ph\":\"C\"}{\"ph\":\"C\"}]", PH_ERR_FORMAT,
		 "byte 11: expected , or ] after an event"},
		{"[{\"ph\":\"C\"}] x", PH_ERR_FORMAT, "byte 13: something follows the last bracket"},
		{"[{\"ph\":\"C\" \"ts\":1}]", PH_ERR_FORMAT, "byte 11: expected , or } after a member"},
		{"[{\"ph\":'X'}]", PH_ERR_FORMAT, "byte 7: expected a value"},
		{"[{\"ph\":\"X\",\"dur\":1}]", PH_ERR_FORMAT, "byte 1: the event has no ts"},
		{"[{\"ph\":\"B\"}]", PH_ERR_FORMAT, "byte 1: the event has no ts"},
		{"[{\"ph\":\"E\"}]", PH_ERR_FORMAT, "byte 1: the event has no ts"},
		{"[{\"ph\":\"X\",\"ts\":true}]", PH_ERR_VALUE,
		 "byte 1: ts is not a time in microseconds: true"},
		{"[{\"ph\":\"X\",\"ts\":[1]}]", PH_ERR_VALUE, "ts is not a time in microseconds: [1]"},
		{"[{\"ph\":\"X\",\"ts\":1,\"dur\":\"long\"}]", PH_ERR_VALUE,
		 "dur is not a time in microseconds: long"},
		{"[{\"ph\":\"X\",\"ts\":5000000000000000}]", PH_ERR_VALUE,
		 "ts is not a time in microseconds: 5000000000000000"},
		{"[{\"ph\":\"X\",\"ts\":-5000000000000000}]", PH_ERR_VALUE, "ts is not a time"},
	};
	(void) state;

	for (size_t i = 0; i < COUNT(files); i++)
	{
		PhEnv env;
		PhRunInput run;
		PhStatus status;

		ph_env_init_malloc(&env);
		status = read_bytes(&env, READ_CHROME, files[i].text, strlen(files[i].text), &run);
		check_error(&env, status, files[i].status, files[i].message, files[i].text);
	}
}

/* Cut off anywhere, a file is refused or said to be incomplete. */
static void
test_truncation(void **state)
{
	static const char *const files[] = {FILES "threads.json", FILES "kineto.json"};
	(void) state;

	for (size_t i = 0; i < COUNT(files); i++)
	{
		size_t size;
		char *text = read_text(files[i], &size);

		assert_non_null(text);
		while (text[size - 1] == '\n')
			size--;
		for (size_t cut = 0; cut < size; cut++)
		{
			PhEnv env;
			PhRunInput run;
			char *copy = malloc(cut); /* its exact size, so that reading over shows */
			PhStatus status;

			ph_env_init_malloc(&env);
			memcpy(copy, text, cut);
			status = read_bytes(&env, READ_CHROME, copy, cut, &run);
			if (status == PH_OK && run.n_missing == 0)
				fail_msg("%s: %zu bytes are taken for the whole", files[i], cut);
			if (status == PH_OK)
			{
				free(events_of(&env, run.trace, 0));
				ph_run_input_free(&env, &run);
			}
			assert_int_equal(env.bytes, 0);
			free(copy);
		}
		free(text);
	}
}

static void
test_failing_allocations(void **state)
{
	size_t size;
	char *text = read_text(FILES "threads.json", &size);
	(void) state;

	assert_non_null(text);
	fail_every_allocation(read_input, &(ReaderInput){READ_CHROME, text, size});
	free(text);
}

/* ---- a job of several files ---- */

/* Each file has its own base of time, its own pids, streams and correlations. */
static void
test_ranks(void **state)
{
	char *files[] = {FILES "job/step-rank0.json", FILES "job/step-rank1.json"};
	PhExperiment experiment = {.reader = &ph_reader_chrome, .files = files, .n_files = 2};
	PhReadOptions options = {0};
	PhEnv env;
	PhRunInput run;
	char *launches;
	(void) state;

	ph_env_init_malloc(&env);
	assert_int_equal(ph_experiment_read(&env, &experiment, &options, &run), PH_OK);
	assert_int_equal(run.trace->model.n_locations, 4);
	assert_int_equal(run.n_ranks, 2);
	check_location(&run, 0, 0, 0, "thread 11");
	check_location(&run, 1, 1, 0, "thread 11");
	check_location(&run, 2, 0, PH_NO_NUMBER, "GPU 0 stream 7");
	check_location(&run, 3, 1, PH_NO_NUMBER, "GPU 0 stream 7");
	check_events(&env, &run, 0, "0+forward 20000+cudaLaunchKernel 25000- 100000-");
	check_events(&env, &run, 1, "5000+forward 25000+cudaLaunchKernel 30000- 105000-");
	check_events(&env, &run, 3, "55000+multiply 75000-");
	launches = launches_of(&env, run.trace, 3);
	assert_string_equal(launches, "1/1@25000");
	free(launches);
	assert_true(run.trace->model.epoch_ns == INT64_C(1700000000000100000));
	assert_string_equal(run.warnings[0], "The job has 3 ranks; files of 2 are here.");
	done(&env, &run);
}

static void
check_job(const char *path, const char *job, int32_t rank, int64_t begin, int64_t end)
{
	PhEnv env;
	PhArena arena;
	PhFileJob found;

	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_reader_chrome.find_job(&arena, path, &found), PH_OK);
	assert_int_equal(found.job == NULL, job == NULL);
	if (job != NULL)
	{
		assert_string_equal(found.job, job);
		assert_int_equal(found.rank, rank);
		assert_true(found.begin == begin && found.end == end);
	}
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

static void
test_job(void **state)
{
	(void) state;
	check_job(FILES "job/step-rank1.json", "step-.json, 3 ranks, 1 groups", 1,
			  INT64_C(1700000000000105000), INT64_C(1700000000000205000));
	check_job(FILES "kineto.json", "kineto.json, 4 ranks, -1 groups", 2,
			  INT64_C(1712195495519689047), INT64_C(1712195495519729050));
	check_job(FILES "threads.json", NULL, 0, 0, 0);
}

/* ---- detection ---- */

static void
test_detection(void **state)
{
	static const struct
	{
		const char *head;
		bool is_chrome;
	} files[] = {
		{"{\"displayTimeUnit\": \"ms\", \"other", true},
		{" \n{\"schemaVersion\": 1, \"deviceProperties\": [{", true},
		{"{\"a\":[], \"traceEvents\": [", true},
		{"[{\"name\":\"f\",\"ph\":\"X\",\"ts\":1,\"pid\":2}]", true},
		{"[{\"ph\":\"I\",\"ts\":1,\"pid\":2,\"args\":{\"frame\":\"A1\",\"frame\": 3}}]", true},
		{"[{\"name\":\"f\",\"ph\":\"X\",\"ts\":1}]", false},
		{"[{\"metrics\": {}, \"frame\" : {\"name\": \"main\"}}]", false},
		{"\"traceEvents\"", false},
		{"{\"schemaVersion\": 1}", false},
		{"", false},
		{" \n", false},
	};
	(void) state;

	for (size_t i = 0; i < COUNT(files); i++)
	{
		size_t size = strlen(files[i].head);
		size_t n;
		uint8_t *bytes = compress_text(files[i].head, &n);

		assert_int_equal(ph_reader_chrome.detect_file("a", (const uint8_t *) files[i].head, size),
						 files[i].is_chrome);
		assert_int_equal(ph_reader_chrome.detect_file("a", bytes, n), files[i].is_chrome);
		assert_int_equal(
			ph_reader_hatchet_json.detect_file("a", (const uint8_t *) files[i].head, size),
			strstr(files[i].head, "main") != NULL);
		free(bytes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_kineto),
		cmocka_unit_test(test_odd_files),
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_no_temporary_folder),
		cmocka_unit_test(test_memory_limit),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_failing_allocations),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_job),
		cmocka_unit_test(test_detection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
