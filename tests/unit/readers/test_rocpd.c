/*
 * test_rocpd.c - a small database of ROCm's profilers (tests/data/make-rocpd.sql) with answers by
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
#include <unistd.h>

#include <cmocka.h>

#include "support/csv.h"
#include "support/known_calls.h"
#include "support/reader.h"
#include "support/test_data.h"

#define FILE_NAME DATA "../devices/small.rocpd.db"
#define FIRST 1000 /* ns where the trace begins */

static const KnownLocation expected[] = {
	{0, "thread 200", 1, {{"hipLaunchKernel", 2000, 2400, 0, 0}}},
	{3,
	 "main thread",
	 4,
	 {{"step", 1000, 9000, 0, 0},
	  {"hipLaunchKernel", 2000, 2100, 0, 0},
	  {"hsa_queue_submit", 2010, 2050, 0, 0},
	  {"hipMemcpy", 3100, 3800, 0, 0}}},
	{0, "GPU 1 queue 11", 1, {{"scale(float *)", 2600, 3000, 0, 3}}},
	{3, "GPU 0 stream 0", 2, {{"raw", 1200, 1300, 0, 2}, {"raw", 4100, 4200, 0, 2}}},
	{3,
	 "GPU 0 stream 7",
	 2,
	 {{"add(float *, int)", 2300, 2800, 0, 1}, {"memcpy HtoD", 3200, 3700, 4096, 0}}},
};
#define N_LOCATIONS (sizeof(expected) / sizeof(expected[0]))

static const KnownLaunches launches[N_LOCATIONS] = {
	[2] = {{0, 0}}, [3] = {{-1, 0}, {1, 3}}, [4] = {{1, 1}, {1, 3}}};

static void
test_small(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	ph_env_init_malloc(&env);
	if (read_path(&env, FILE_NAME, &run) != PH_OK)
		fail_msg("%s", env.error.message);
	const PhTraceModel *model = &run.trace->model;
	check_known_calls(&env, run.trace, expected, launches, N_LOCATIONS, FIRST);
	assert_string_equal(model->locations[0].host, "");
	assert_string_equal(model->locations[1].host, "node1");
	assert_int_equal(run.trace->launched.activities, 5);
	assert_int_equal(run.trace->launched.unmatched, 1);
	const PhLaunchConfiguration *configuration = &model->configurations[0];
	assert_int_equal(configuration->grid[0], 4);
	assert_int_equal(configuration->block[0], 64);
	assert_int_equal(configuration->registers, 16);
	assert_int_equal(configuration->static_memory, 256);
	assert_int_equal(model->configurations[1].grid[0], 2); /* 100 items in groups of 64 */
	assert_int_equal(model->epoch_ns, PH_NO_TIME);
	assert_string_equal(ph_meta_get(&run.meta, "gpu"), "gfx90a");
	assert_string_equal(ph_meta_get(&run.meta, "slurm_job_id"), "42");
	assert_int_equal(run.n_warnings, 1);
	assert_string_equal(run.warnings[0], "1 row ends before it begins and is left out.");
	done(&env, &run);
}

/* It is read or refused with a sentence. */
static void
read_changed(const char *bytes, size_t size)
{
	PhEnv env;
	PhRunInput run;
	char *copy = malloc(size);
	memcpy(copy, bytes, size);
	ph_env_init_malloc(&env);
	if (read_bytes(&env, READ_ROCPD, copy, size, &run) == PH_OK)
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
	for (size_t at = 0; at < size; at += at < 200 ? 1 : 23)
	{
		text[at] ^= 1;
		read_changed(text, size);
		text[at] ^= 1;
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
	for (size_t cut = 0; cut < size; cut += 256)
	{
		PhEnv env;
		PhRunInput run;
		ph_env_init_malloc(&env);
		assert_int_equal(read_bytes(&env, READ_ROCPD, text, cut, &run), PH_ERR_FORMAT);
		assert_int_equal(env.bytes, 0);
	}
	free(text);
}

static void
test_without_memory(void **state)
{
	(void) state;
	fail_every_allocation_of(READ_ROCPD, FILE_NAME);
}

/* A date at the end of a file's name is no rank. */
static void
test_date(void **state)
{
	static const char variable[] = "SLURM_PROCID";
	char folder[] = "/tmp/perfhouse-rocpd-XXXXXX", path[64];
	PhEnv env;
	PhRunInput run;
	size_t size;
	char *text = read_text(FILE_NAME, &size);
	(void) state;
	for (char *at; (at = memmem(text, size, variable, strlen(variable))) != NULL;)
		*at = 'X';
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/profile-20261129.db", folder);
	FILE *file = fopen(path, "w");
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	free(text);
	ph_env_init_malloc(&env);
	if (read_path(&env, path, &run) != PH_OK)
		fail_msg("%s", env.error.message);
	assert_int_equal(run.trace->model.n_ranks, 2);
	done(&env, &run);
	unlink(path);
	rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),		   cmocka_unit_test(test_date),
		cmocka_unit_test(test_changed_bytes),  cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_without_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
