/*
 * test_nsight.c - a small export of Nsight Systems (tests/data/make-nsight.sql) with answers by
 * hand; cut, changed and without memory.
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
#include "support/csv.h"
#include "support/known_calls.h"
#include "support/reader.h"
#include "support/test_data.h"

#define FILE_NAME DATA "small.nsys.sqlite"
#define FIRST 1000 /* ns of the export where the trace begins */

/* Threads by rank and number, the main one first; then streams. */
static const KnownLocation expected[] = {
	{1, "thread 0", 1, {{"cudaLaunchKernel", 2000, 2400, 0, 0}}},
	{3,
	 "main thread",
	 4,
	 {{"step", 1000, 9000, 0, 0},
	  {"cudaLaunchKernel", 2000, 2100, 0, 0},
	  {"cudaMemcpy", 3100, 3800, 0, 0},
	  {"MPI_Barrier", 9000, 9500, 0, 0}}},
	{3, "main thread (2)", 1, {{"crossing", 8500, 9200, 0, 0}}},
	{3, "thread 101", 1, {{"cudaGraphLaunch", 5000, 5200, 0, 0}}},
	{1,
	 "GPU 0 stream 13",
	 2,
	 {{"scale(float *)", 1200, 1300, 0, 2}, {"scale(float *)", 2600, 3000, 0, 2}}},
	{3,
	 "GPU 0 stream 7",
	 3,
	 {{"add(float *, int)", 2300, 2800, 0, 1},
	  {"memcpy HtoD", 3200, 3700, 4096, 0},
	  {"add(float *, int)", 5300, 6300, 0, 1}}},
	{3, "GPU 0 stream 7 (2)", 1, {{"scale(float *)", 5500, 5900, 0, 2}}},
};
#define N_LOCATIONS (sizeof(expected) / sizeof(expected[0]))

static const KnownLaunches launches[N_LOCATIONS] = {
	[4] = {{-1, 0}, {0, 0}}, [5] = {{1, 1}, {1, 2}, {3, 0}}, [6] = {{3, 0}}};

static void
test_small(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	ph_env_init_malloc(&env);
	if (read_path(&env, FILE_NAME, &run) != PH_OK)
		fail_msg("%s", env.error.message);
	PhTraceSource *source = run.trace;
	const PhTraceModel *model = &source->model;
	check_known_calls(&env, source, expected, launches, N_LOCATIONS, FIRST);
	for (uint32_t i = 0; i < N_LOCATIONS; i++)
		assert_string_equal(model->locations[i].host, "node1");
	assert_int_equal(source->launched.activities, 6);
	assert_int_equal(source->launched.unmatched, 1);
	assert_int_equal(model->n_configurations, 2);
	assert_int_equal(model->configurations[0].block[0], 64);
	assert_int_equal(model->epoch_ns, 1700000000000000000 + FIRST);
	assert_string_equal(ph_meta_get(&run.meta, "gpu"), "NVIDIA Test");
	assert_string_equal(ph_meta_get(&run.meta, "slurm_job_id"), "42");
	assert_int_equal(run.n_warnings, 1);
	done(&env, &run);
}

/* What it says it is, or refused. */
static void
read_changed(const char *bytes, size_t size)
{
	PhEnv env;
	PhRunInput run;
	char *copy = malloc(size);
	memcpy(copy, bytes, size);
	ph_env_init_malloc(&env);
	if (read_bytes(&env, READ_NSIGHT, copy, size, &run) == PH_OK)
		ph_run_input_free(&env, &run);
	else
		assert_int_not_equal(strlen(env.error.message), 0);
	assert_int_equal(env.bytes, 0);
	free(copy);
}

static void
test_changed_bytes(void **state)
{
	(void) state;
	size_t size;
	char *text = read_text(FILE_NAME, &size);
	for (size_t at = 0; at < size; at += at < 600 ? 1 : 13)
		for (int bit = 0; bit < 8; bit += 7)
		{
			text[at] ^= (char) (1 << bit);
			read_changed(text, size);
			text[at] ^= (char) (1 << bit);
		}
	free(text);
}

/* Every cut is refused: there are as many pages as the first says. */
static void
test_cuts(void **state)
{
	(void) state;
	size_t size;
	char *text = read_text(FILE_NAME, &size);
	for (size_t cut = 0; cut < size; cut += 64)
	{
		PhEnv env;
		PhRunInput run;
		ph_env_init_malloc(&env);
		assert_int_equal(read_bytes(&env, READ_NSIGHT, text, cut, &run), PH_ERR_FORMAT);
		assert_int_equal(env.bytes, 0);
	}
	free(text);
}

static void
test_without_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_NSIGHT, FILE_NAME);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_without_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
