/*
 * test_perf.c - text of perf script and folded stacks: answers by hand, bad lines, cuts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/completeness.h"
#include "readers/perf/perf.h"
#include "support/csv.h"
#include "support/reader.h"
#include "support/test_data.h"

#define SCRIPT DATA "small.perf-script.txt"
#define FOLDED DATA "small.folded"
#define REAL SHARED "/data/own/profiles/perf/lulesh-serial."
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- lines ---- */

static PhSlice
slice(const char *text)
{
	return (PhSlice){text, strlen(text)};
}

static void
check_slice(PhSlice found, const char *expected)
{
	if (!ph_slice_is(found, expected))
		fail_msg("\"%.*s\", expected \"%s\"", (int) found.size, found.text, expected);
}

typedef struct SampleCase
{
	const char *line, *comm;
	int64_t pid, tid;
	double period; /* -1: none */
	const char *event, *rest;
} SampleCase;

static void
test_samples(void **state)
{
	static const SampleCase cases[] = {
		{"java 25607 4794564.109216: 1 cycles:", "java", -1, 25607, 1, "cycles", ""},
		{"java 12688 [002] 6544038.708352: 235 cpu-clock: ", "java", -1, 12688, 235, "cpu-clock",
		 ""},
		{"V8 WorkerThread 24636/25607 [000] 94564.109216: 100 cycles:u:", "V8 WorkerThread", 24636,
		 25607, 100, "cycles:u", ""},
		{"            sh 7 94564.109216123:        50 cpu/event=0x3c,name=x/: ", "sh", -1, 7, 50,
		 "cpu/event=0x3c,name=x/", ""},
		{"swapper     0/0     [001] 12.345678: sched:sched_switch: prev_comm=a ==> next_comm=b: 1",
		 "swapper", 0, 0, -1, "sched:sched_switch", "prev_comm=a ==> next_comm=b: 1"},
		{":-1    -1 12.345678: 9 r1a8: 55d0 main+0x10 (/a)", ":-1", -1, -1, 9, "r1a8",
		 "55d0 main+0x10 (/a)"},
		{"a: 12.5 b 3/4 12.345678: cycles:", "a: 12.5 b", 3, 4, -1, "cycles", ""},
		{"node-v011 31912 cpu-clock: ", "node-v011", -1, 31912, -1, "cpu-clock", ""},
		{"  V8 Worker 3/4 [001] cycles:u:", "V8 Worker", 3, 4, -1, "cycles:u", ""},
	};
	static const char *const none[] = {
		"",
		"12.345678: 1 cycles:",
		"a 12.345678: 1 cycles:",
		"a 1 12.3456: 1 cycles:",
		"a 1 12.345678: 1 cycles",
		"a 1 12.345678: 1 :",
		"a 1 12.345678:",
		"a 1/ 12.345678: 1 c:",
		"a b 12.345678: 1 cycles:",
		"a 1 [0] .345678: 1 cycles:",
		"	55d0 main+0x10 (/a)",
		"java cycles:",
		"3 cycles:",
		"java 3 :",
		"java 3 cycles: x",
	};
	PhPerfSample sample;
	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		const SampleCase *expected = &cases[i];
		if (!ph_perf_sample(slice(expected->line), &sample))
			fail_msg("\"%s\" is taken for no sample", expected->line);
		check_slice(sample.comm, expected->comm);
		check_slice(sample.event, expected->event);
		check_slice(sample.rest, expected->rest);
		assert_int_equal(sample.pid, expected->pid);
		assert_int_equal(sample.tid, expected->tid);
		assert_int_equal(sample.has_period, expected->period >= 0);
		assert_true(!sample.has_period || sample.period == expected->period);
	}
	for (size_t i = 0; i < COUNT(none); i++)
		if (ph_perf_sample(slice(none[i]), &sample))
			fail_msg("\"%s\" is taken for a sample", none[i]);
}

static void
test_frames(void **state)
{
	static const struct
	{
		const char *line, *name, *library; /* name NULL: no frame */
		bool is_inlined;
	} cases[] = {
		{"\tffffffff81402703 __rcu_read_lock+0x13 ([kernel.kallsyms])", "__rcu_read_lock",
		 "[kernel.kallsyms]", false},
		{" 48f5 operator()(int) const+0x1f (/a/b/c)", "operator()(int) const", "c", false},
		{" 48f5 f (inlined)", "f", "", true},
		{" 48f5 [unknown] (/a/libx.so)", "libx.so", "libx.so", false},
		{" 48f5 [unknown] ([unknown])", "[unknown]", "", false},
		{" 48f5  (/a/libx.so)", "libx.so", "libx.so", false},
		{" 48f5 f+0x (/a)", "f+0x", "a", false},
		{" 48f5 f-0x1 (/a)", "f-0x1", "a", false},
		{" 48f5 f (/a/libx.so (deleted))", "f", "libx.so", false},
		{" 48f5 f (/tmp/perf-31.map)", "f", "[jit]", false},
		{" 48f5 f", NULL, NULL, false},
		{" main f (/a)", NULL, NULL, false},
		{" 48f5 f(/a)", NULL, NULL, false},
		{" 48f5", NULL, NULL, false},
		{"", NULL, NULL, false},
		{")", NULL, NULL, false},
		{"0 ()", "[unknown]", "", false},
	};
	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		PhPerfFrame frame;
		bool is_frame = ph_perf_frame(slice(cases[i].line), &frame);
		if (is_frame != (cases[i].name != NULL))
			fail_msg("\"%s\": %d", cases[i].line, is_frame);
		if (!is_frame)
			continue;
		check_slice(frame.name, cases[i].name);
		check_slice(frame.library, cases[i].library);
		assert_int_equal(frame.is_inlined, cases[i].is_inlined);
	}
}

/* ---- files ---- */

static const char *
library_of(const PhProfile *profile, const char *path)
{
	return profile->strings[ph_profile_region(profile, find_node(profile, path))->library];
}

static void
test_script(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, SCRIPT, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_metrics, 2);
	assert_string_equal(profile->strings[profile->metrics[0].name], "cpu-clock");
	assert_string_equal(profile->strings[profile->metrics[0].unit], "ns");
	assert_string_equal(profile->strings[profile->metrics[1].name], "page-faults:u");
	assert_string_equal(profile->strings[profile->metrics[1].unit], "count");
	assert_int_equal(profile->n_columns, 3);
	static const int32_t places[3][2] = {{0, 0}, {0, 1}, {1, 0}};
	for (uint32_t i = 0; i < 3; i++)
	{
		assert_int_equal(profile->columns[i].rank, places[i][0]);
		assert_int_equal(profile->columns[i].thread, places[i][1]);
	}
#define KERNEL "[\"solver\", \"main\", \"kernel(double*, int)\""
#define RESIZE ", \"axpy\", \"std::vector<double, std::allocator<double> >::resize\""
	check_cost(profile, "cpu-clock", "[\"solver\"]", 0, 1500000, 0);
	check_cost(profile, "cpu-clock", KERNEL "]", 0, 1500000, 500000);
	check_cost(profile, "cpu-clock", KERNEL "]", 2, 4000000, 4000000);
	check_cost(profile, "cpu-clock", KERNEL RESIZE ", \"clear_page\"]", 0, 1000000, 1000000);
	check_cost(profile, "page-faults:u", "[\"solver\", \"main\"]", 0, 3, 3);
	check_cost(profile, "cpu-clock", "[\"I/O worker\", \"loop\", \"[unknown]\", \"libio.so.1\"]", 1,
			   2000000, 2000000);
	assert_string_equal(library_of(profile, KERNEL ", \"axpy\"]"), "solver");
	assert_string_equal(library_of(profile, KERNEL RESIZE ", \"clear_page\"]"),
						"[kernel.kallsyms]");
	assert_string_equal(library_of(profile, "[\"I/O worker\", \"loop\"]"), "[jit]");
	assert_string_equal(ph_meta_get(&run.meta, "perf.hostname"), "node17");
	assert_null(ph_meta_get(&run.meta, "application")); /* threads have several names */
	assert_int_equal(run.n_missing + run.n_warnings, 0);
	assert_int_equal(ph_run_completeness(&ph_reader_perf_script, &run), PH_COMPLETENESS_UNKNOWN);
	done(&env, &run);
}

/* A frame behind each event, events without periods, lines that are neither. */
static void
test_script_without_stacks(void **state)
{
	static const char text[] = "sh 7 12.345678: sched:switch: \n"
							   "sh 7 12.345679: sched:switch: next=a\n"
							   "what is this\n"
							   "sh 7 12.345680: 50 cycles: 48f5 f+0x1 (/bin/sh)\n"
							   "sh 7 12.345681: 60 instructions: 48f5 f+0x1 (/bin/sh)\n";
	PhEnv env;
	PhRunInput run;
	(void) state;
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_PERF_SCRIPT, text, sizeof(text) - 1, &run), PH_OK);
	assert_string_equal(run.profile->strings[run.profile->metrics[0].name], "cycles");
	check_cost(run.profile, "sched:switch", "[\"sh\"]", 0, 2, 2);
	check_cost(run.profile, "cycles", "[\"sh\", \"f\"]", 0, 50, 50);
	check_cost(run.profile, "instructions", "[\"sh\", \"f\"]", 0, 60, 60);
	assert_int_equal(run.profile->columns[0].rank, PH_NO_NUMBER);
	assert_string_equal(ph_meta_get(&run.meta, "application"), "sh");
	assert_int_equal(run.n_missing, 0);
	assert_int_equal(run.n_warnings, 1);
	assert_non_null(strstr(run.warnings[0], "input:3: neither sample nor frame; 1 such"));
	done(&env, &run);
}

/* Samples without a time, and lines with one that are none of theirs. */
static void
test_script_without_times(void **state)
{
	static const char text[] = "sh 7 cycles: \n\t48f5 f+0x1 (/bin/sh)\n\n"
							   "sh 7 [001] cycles:u: \n\t48f5 f+0x1 (/bin/sh)\n\n"
							   "sh 7 12.345680: 50 cycles: \n"
							   "sh 8 cycles: \n\t48f6 f+0x2 (/bin/sh)\n\n";
	PhEnv env;
	PhRunInput run;
	(void) state;
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_PERF_SCRIPT, text, sizeof(text) - 1, &run), PH_OK);
	check_cost(run.profile, "cycles samples", "[\"sh\", \"f\"]", 0, 1, 1);
	check_cost(run.profile, "cycles samples", "[\"sh\", \"f\"]", 1, 1, 1);
	check_cost(run.profile, "cycles:u samples", "[\"sh\", \"f\"]", 0, 1, 1);
	assert_int_equal(run.n_missing, 0);
	assert_non_null(strstr(run.warnings[0], "input:7: neither sample nor frame; 1 such"));
	done(&env, &run);
}

static void
test_folded(void **state)
{
	PhEnv env;
	PhRunInput run;
	(void) state;
	must_read(&env, FOLDED, &run);
	const PhProfile *profile = run.profile;
	assert_int_equal(profile->n_nodes, 8);
	check_cost(profile, "samples", "[\"solver\"]", 0, 15, 0);
	check_cost(profile, "samples", "[\"solver\", \"main\"]", 0, 11, 2);
	check_cost(profile, "samples", KERNEL "]", 0, 9, 6);
	check_cost(profile, "samples", "[\"solver\", \"[unknown]\", \"poll\"]", 0, 4, 4);
	check_cost(profile, "samples", "[\"idle\"]", 0, 7, 7);
	assert_string_equal(library_of(profile, "[\"solver\", \"[unknown]\", \"poll\"]"), "[jit]");
	assert_int_equal(run.n_missing, 0);
	done(&env, &run);
}

/* The folded stacks of a real profile were made of its text by another program. */
static void
test_script_equals_folded(void **state)
{
	PhEnv env_a, env_b;
	PhRunInput script, folded;
	(void) state;
	skip_without_shared();
	must_read(&env_a, REAL "perf-script.txt", &script);
	must_read(&env_b, REAL "folded", &folded);
	assert_int_equal(script.profile->n_nodes, folded.profile->n_nodes);
	check_cost(script.profile, "cpu-clock", "[\"lulesh-fp\"]", 0, 254 * 2004008.0, 0);
	for (uint32_t i = 0; i < folded.profile->n_nodes; i++)
	{
		char *path = path_text(folded.profile, i);
		double inclusive = ph_profile_cell(folded.profile, 0, i, 0, PH_COST_INCLUSIVE);
		double exclusive = ph_profile_cell(folded.profile, 0, i, 0, PH_COST_EXCLUSIVE);
		check_cost(script.profile, "cpu-clock", path, 0, inclusive, exclusive);
		free(path);
	}
	done(&env_a, &script);
	done(&env_b, &folded);
}

/* ---- what is refused, cut or not taken ---- */

static void
test_bad_lines(void **state)
{
	static const BadCase script[] = {
		{NULL, "", PH_ERR_FORMAT, "no line is a sample"},
		{NULL, "hello\n\n", PH_ERR_FORMAT, "no line is a sample"},
		{"    4000000 cpu-clock", "cpu-clock", PH_ERR_FORMAT, "input:22: samples of \"cpu-clock\""},
		{"I/O worker", "I/O w\xffrker", PH_ERR_FORMAT, "input:17: a name is not valid UTF-8"},
		{"axpy", "ax\xc3py", PH_ERR_FORMAT, "input:10: a name is not valid UTF-8"},
		{"/home/me/solver)", "/home/me/s\xc3)", PH_ERR_FORMAT, "input:9: a name is not valid"},
		{"page-faults:u", "page-f\xff:u", PH_ERR_FORMAT, "input:14: a name is not valid UTF-8"},
	};
	static const BadCase folded[] = {
		{NULL, "", PH_ERR_VALUE, ""},
		{"main 2", "main two", PH_ERR_FORMAT, "input:4: expected frames"},
		{"main 2", "main -2", PH_ERR_FORMAT, "input:4: expected frames"},
		{"main 2", "main 2e999", PH_ERR_FORMAT, "input:4: expected frames"},
		{"main 2", "main nan", PH_ERR_FORMAT, "input:4: expected frames"},
		{"idle 7", "7", PH_ERR_FORMAT, "input:7: expected frames"},
		{"idle", "i\xffle", PH_ERR_FORMAT, "input:7: a name is not valid UTF-8"},
	};
	(void) state;
	check_bad_cases(READ_PERF_SCRIPT, SCRIPT, script, COUNT(script));
	check_bad_cases(READ_FOLDED, FOLDED, folded, COUNT(folded));
}

/* The longest stack that is taken, and one frame more. */
static void
test_depth(void **state)
{
	PhEnv env;
	PhRunInput run;
	size_t n = 100000;
	char *text = malloc(2 * n + 8);
	(void) state;
	for (size_t i = 0; i < n; i++)
		memcpy(text + 2 * i, "f;", 2);
	memcpy(text + 2 * n - 1, " 1\n", 3);
	ph_env_init_malloc(&env);
	assert_int_equal(read_bytes(&env, READ_FOLDED, text, 2 * n + 2, &run), PH_OK);
	assert_int_equal(run.profile->n_nodes, n);
	done(&env, &run);
	memcpy(text + 2 * n - 1, ";f 1\n", 5);
	assert_int_equal(read_bytes(&env, READ_FOLDED, text, 2 * n + 4, &run), PH_ERR_LIMIT);
	assert_non_null(strstr(env.error.message, "input:1: a stack of more than 100000 frames"));
	free(text);
}

/* An empty line ends a stack; the header and the line of a sample may be all there is. */
static bool
ends_stack(const char *text, size_t cut)
{
	return cut > 1 && text[cut - 1] == '\n' && text[cut - 2] == '\n';
}

/* Of the first sample nothing may follow but its line. */
static bool
ends_stack_or_first_line(const char *text, size_t cut)
{
	const char *first = strstr(text, "cpu-clock: \n") + strlen("cpu-clock: \n");
	return ends_stack(text, cut) || text + cut == first;
}

static bool
ends_line(const char *text, size_t cut)
{
	return cut > 0 && text[cut - 1] == '\n';
}

static void
test_cuts(void **state)
{
	(void) state;
	check_unproven_cuts(READ_PERF_SCRIPT, SCRIPT, ends_stack_or_first_line);
	check_unproven_cuts(READ_FOLDED, FOLDED, ends_line);
}

static void
check_detected(const char *path, const char *text, bool script, bool folded)
{
	const uint8_t *bytes = (const uint8_t *) text;
	if (ph_reader_perf_script.detect_file(path, bytes, strlen(text)) != script)
		fail_msg("\"%s\" is%s text of perf script", text, script ? " not" : "");
	if (ph_reader_folded.detect_file(path, bytes, strlen(text)) != folded)
		fail_msg("\"%s\" is%s folded stacks", text, folded ? " not" : "");
}

static void
test_detection(void **state)
{
	static char longest[4097];
	(void) state;
	check_detected("a", "main;solve;kernel 17\nmain;io 3\n", false, true);
	check_detected("a", "main;solve;kernel 17\nmain;io 3\nma", false, true);
	check_detected("a", "main;solve;kernel 17\nmain;io\n", false, false);
	check_detected("a", "main;solve 17 18\nmain;io 3 5\n", false, false);
	check_detected("a", "main 17\n", false, false);
	check_detected("a", "we measured; twice\n", false, false);
	check_detected("a", "the first line: 12.5 s\n  and more\n", false, false);
	check_detected("a", "\n", false, false);
	check_detected("a", "", false, false);
	check_detected("a", "\n\n# x\nsh 1 12.345678: 1 cycles:\n", true, false);
	check_detected("a", "# ========\n# captured on: today", true, false);
	check_detected("a", "# ========\n# by hand\n", false, false);
	check_detected("a", "# ========\n# captured on: x\nnone\n", false, false);
	check_detected("a", "java 19983 cycles:\n55d0 main (/a)\n", true, false);
	check_detected("a", "see section 3 below:\n  all of it\n", false, false);
	check_detected("a", "table 3 costs:\n", false, false);
	memset(longest, ';', 4096);
	check_detected("a.folded", longest, false, true);
	check_detected("a.txt", longest, false, false);
}

static void
test_no_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_PERF_SCRIPT, SCRIPT);
	fail_every_allocation_of(READ_FOLDED, FOLDED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_script_without_stacks),
		cmocka_unit_test(test_script_without_times),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_script_equals_folded),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_detection),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
