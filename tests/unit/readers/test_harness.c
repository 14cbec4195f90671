/*
 * test_harness.c - records of Ramble, ReFrame and exaCB: answers by hand, bad files, every cut.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/input.h"
#include "readers/record.h"
#include "support/csv.h"
#include "support/fault_env.h"
#include "support/reader.h"
#include "support/test_data.h"

#define HARNESS PH_SOURCE_DIR "/tests/data/harness/"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct Case
{
	const PhReader *reader;
	const char *path;
} Case;

static const Case files[] = {
	{&ph_reader_ramble, HARNESS "workspace/results.latest.json"},
	{&ph_reader_reframe_report, HARNESS "reframe/report.json"},
	{&ph_reader_reframe_log, HARNESS "reframe/halo_test.log"},
	{&ph_reader_reframe_log, HARNESS "reframe/multiline.log"},
	{&ph_reader_exacb, HARNESS "exacb/report.json"},
	{&ph_reader_exacb, HARNESS "exacb/record.json"},
	{&ph_reader_exacb_table, HARNESS "exacb/results.csv"},
};

static PhStatus
read_text_as(const PhReader *reader, PhArena *arena, const char *text, size_t size,
			 PhRecordList *out)
{
	PhInput input = ph_input_lend("input", text, size);
	*out = (PhRecordList){0};
	return reader->read_records(arena, &input, out);
}

static void
must_read_records(const Case *file, PhEnv *env, PhArena *arena, PhRecordList *out)
{
	size_t size;
	char *text = read_text(file->path, &size);
	ph_env_init_malloc(env);
	ph_arena_init(arena, env);
	if (read_text_as(file->reader, arena, text, size, out) != PH_OK)
		fail_msg("%s: %s", file->path, env->error.message);
	free(text);
}

static void
check_says(const PhRecord *record, const char *key, const char *expected)
{
	const char *said = ph_record_get(record, key);
	if (expected == NULL ? said != NULL : said == NULL || strcmp(said, expected) != 0)
		fail_msg("%s is %s, expected %s", key, said == NULL ? "nothing" : said,
				 expected == NULL ? "nothing" : expected);
}

static void
check_figure(const PhRecord *record, uint32_t i, const char *name, double value, const char *unit)
{
	assert_true(i < record->n_figures);
	assert_string_equal(record->figures[i].name, name);
	assert_string_equal(record->figures[i].unit, unit);
	assert_true(record->figures[i].value == value);
}

static void
test_ramble(void **state)
{
	PhEnv env;
	PhArena arena;
	PhRecordList records;
	(void) state;
	must_read_records(&files[0], &env, &arena, &records);
	assert_int_equal(records.n, 4);
	const PhRecord *first = &records.list[0];
	assert_string_equal(first->name, "halo.strong.n4");
	assert_string_equal(first->place, "halo/strong/n4");
	assert_false(first->is_failed);
	assert_int_equal(first->n_figures, 3);
	check_figure(first, 0, "Solve time", 2.5, "s");
	check_figure(first, 1, "Bandwidth", 12.5, "GB/s");
	check_figure(first, 2, "step 1: Residual", 1e-9, "");
	check_says(first, "application", "halo");
	check_says(first, "workload", "strong");
	check_says(first, "input", "strong/n4");
	check_says(first, "ranks", "4");
	check_says(first, "threads", "2");
	check_says(first, "ramble.size", "64");
	check_says(first, "ramble.figure.Solver", "cg");
	check_says(first, "ramble.tag.scaling", "true");
	check_says(first, "ramble.log_dir", NULL);
	check_says(first, "ramble.command", NULL);
	assert_true(records.list[2].is_failed);
	assert_int_equal(records.list[3].n_figures, 0); /* statistics of repeats */
	ph_arena_drop(&arena);
}

static void
check_halo_test(const PhRecord *record, const char *size, double bandwidth, double time)
{
	assert_string_equal(record->name,
						strcmp(size, "64") == 0 ? "halo_test %size=64" : "halo_test %size=128");
	check_figure(record, 0, "bandwidth", bandwidth, "GB/s");
	check_figure(record, 1, "solve_time", time, "s");
	check_says(record, "application", "halo_test");
	check_says(record, "size", size);
	check_says(record, "cluster", "alps");
	check_says(record, "partition", "gpu");
	check_says(record, "environment", "gnu");
	check_says(record, "ranks", "4");
	check_says(record, "threads", "2");
}

static void
test_reframe(void **state)
{
	PhEnv env;
	PhArena arena;
	PhRecordList records;
	(void) state;
	must_read_records(&files[1], &env, &arena, &records);
	assert_int_equal(records.n, 3);
	check_halo_test(&records.list[0], "64", 12.5, 3.25);
	check_says(&records.list[0], "SLURM_JOB_ID", "27775");
	check_says(&records.list[0], "user", "ann");
	check_says(&records.list[0], "reframe.filename", NULL);
	assert_string_equal(records.list[0].place, "alps/gpu/gnu/halo_test_e7ed40a8");
	assert_true(records.list[2].is_failed);
	ph_arena_drop(&arena);

	must_read_records(&files[2], &env, &arena, &records);
	assert_int_equal(records.n, 3);
	assert_int_equal(records.n_skipped, 1); /* a test that failed has fewer fields */
	check_halo_test(&records.list[1], "64", 12.25, 3.25);
	check_halo_test(&records.list[2], "128", 11.5, 6.5);
	assert_int_equal(records.list[2].line, 5);
	check_says(&records.list[1], "started_at", "2026-11-28T10:33:19");
	assert_string_equal(records.list[2].place, "alps/gpu/gnu/halo_test_0f1f0d89");
	ph_arena_drop(&arena);
}

/* A line for each variable. */
static void
test_lines_of_variables(void **state)
{
	PhEnv env;
	PhArena arena;
	PhRecordList records;
	(void) state;
	must_read_records(&files[3], &env, &arena, &records);
	assert_int_equal(records.n, 2);
	assert_int_equal(records.list[0].n_figures, 2);
	check_figure(&records.list[0], 0, "triad", 200.5, "GB/s");
	check_figure(&records.list[0], 1, "copy", 180, "GB/s");
	check_figure(&records.list[1], 0, "triad", 201.5, "GB/s");
	ph_arena_drop(&arena);
}

static void
check_exacb(const PhRecord *record, bool has_triad)
{
	check_figure(record, 0, "runtime", 12.5, "s");
	check_says(record, "cluster", "jedi");
	check_says(record, "ranks", "4");
	check_says(record, "threads", "8");
	check_says(record, "SLURM_JOB_ID", "1234");
	assert_string_equal(record->job, "1234");
	if (has_triad)
		check_figure(record, 1, "triad", 55.5, "");
}

static void
test_exacb(void **state)
{
	PhEnv env;
	PhArena arena;
	PhRecordList records;
	(void) state;
	must_read_records(&files[4], &env, &arena, &records);
	assert_int_equal(records.n, 3);
	check_exacb(&records.list[0], true);
	check_says(&records.list[0], "application", "halo");
	check_says(&records.list[0], "commit", "3e01c40");
	check_says(&records.list[0], "input", "strong.tiny");
	check_says(&records.list[0], "SLURM_JOB_PARTITION", "all");
	assert_true(records.list[2].is_failed);
	ph_arena_drop(&arena);

	must_read_records(&files[5], &env, &arena, &records);
	assert_int_equal(records.n, 2);
	check_exacb(&records.list[0], false);
	check_says(&records.list[1], "commit", "3e01c40");
	assert_string_equal(records.list[1].name, "halo.jedi");
	ph_arena_drop(&arena);

	must_read_records(&files[6], &env, &arena, &records);
	assert_int_equal(records.n, 3);
	check_exacb(&records.list[0], true);
	check_says(&records.list[0], "exacb.note", "a, \"b\"");
	check_says(&records.list[1], "exacb.note", NULL);
	ph_arena_drop(&arena);
}

/* Alone a record is a profile of one node, with times first. */
static void
test_run(void **state)
{
	PhEnv env;
	PhArena arena;
	PhRecordList records;
	PhRunInput run;
	(void) state;
	must_read_records(&files[2], &env, &arena, &records);
	assert_int_equal(ph_record_run(&env, &records.list[1], &run), PH_OK);
	assert_int_equal(run.profile->n_nodes, 1);
	assert_string_equal(ph_profile_string(run.profile, run.profile->metrics[0].name), "solve_time");
	check_cost(run.profile, "solve_time", "[\"halo_test\"]", 0, 3.25, 3.25);
	check_cost(run.profile, "bandwidth", "[\"halo_test\"]", 0, 12.25, 12.25);
	assert_int_equal(run.n_ranks, 4);
	assert_int_equal(run.n_threads, 2);
	assert_string_equal(run.title, "halo_test %size=64");
	assert_string_equal(ph_meta_get(&run.meta, "figure.bandwidth"), "12.25");
	assert_string_equal(ph_meta_get(&run.meta, "figure.bandwidth.unit"), "GB/s");
	ph_run_input_free(&env, &run);
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

/* The first reader that takes a file is its own. */
static void
test_detection(void **state)
{
	(void) state;
	for (size_t i = 0; i < COUNT(files); i++)
	{
		size_t size;
		char *text = read_text(files[i].path, &size);
		const uint8_t *head = (const uint8_t *) text;
		size_t k = 0;
		while (ph_readers[k] != NULL &&
			   (ph_readers[k]->detect_file == NULL ||
				!ph_readers[k]->detect_file(files[i].path, head, size < 4096 ? size : 4096)))
			k++;
		if (ph_readers[k] != files[i].reader)
			fail_msg("%s: %s", files[i].path,
					 ph_readers[k] == NULL ? "unknown" : ph_readers[k]->name);
		free(text);
	}
}

static void
test_bad(void **state)
{
	static const struct
	{
		const PhReader *reader;
		const char *text, *message;
		PhStatus status;
	} cases[] = {
		{&ph_reader_ramble, "{\"experiments\": [1]}", "expected", PH_ERR_FORMAT},
		{&ph_reader_ramble, "{\"experiments\": []} x", "", PH_ERR_FORMAT},
		{&ph_reader_reframe_report, "{\"runs\": [{\"testcases\": [[]]}]}", "expected",
		 PH_ERR_FORMAT},
		{&ph_reader_exacb_table, "a,b\n1\n", "input:2: not as many fields as the first line: 1",
		 PH_ERR_FORMAT},
		{&ph_reader_exacb_table, "a,b\n\"x,2\n", "input:2: quotes do not end with field 1",
		 PH_ERR_FORMAT},
		{&ph_reader_exacb_table, "a,b\n\"x\"y,2\n", "input:2: quotes do not end with field 1",
		 PH_ERR_FORMAT},
		{&ph_reader_reframe_log, "a|b\n\xff|2\n", "input: not text", PH_ERR_FORMAT},
	};
	(void) state;
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		PhEnv env;
		PhArena arena;
		PhRecordList records;
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		PhStatus status =
			read_text_as(cases[i].reader, &arena, cases[i].text, strlen(cases[i].text), &records);
		if (status != cases[i].status || strstr(env.error.message, cases[i].message) == NULL)
			fail_msg("%s: %d, %s", cases[i].text, (int) status, env.error.message);
		ph_arena_drop(&arena);
		assert_int_equal(env.bytes, 0);
	}
}

/* Each cut of JSON is refused; of lines it may be read, but never as something else. */
static void
test_cuts(void **state)
{
	(void) state;
	for (size_t i = 0; i < COUNT(files); i++)
	{
		size_t size;
		char *text = read_text(files[i].path, &size);
		for (size_t cut = 0; cut + 1 < size; cut++)
		{
			PhEnv env;
			PhArena arena;
			PhRecordList records;
			char *part = malloc(cut);
			memcpy(part, text, cut);
			ph_env_init_malloc(&env);
			ph_arena_init(&arena, &env);
			PhStatus status = read_text_as(files[i].reader, &arena, part, cut, &records);
			if (files[i].reader->proof != NULL && text[cut] != '\n' && status == PH_OK)
				fail_msg("%s is whole with %zu bytes", files[i].path, cut);
			ph_arena_drop(&arena);
			free(part);
		}
		free(text);
	}
}

static PhStatus
read_all(PhEnv *env, void *user)
{
	const Case *file = user;
	PhRecordList records = {0};
	PhRunInput run;
	PhArena arena;
	PhInput input;
	PH_TRY(ph_input_open(env, file->path, &input));
	ph_arena_init(&arena, env);
	PhStatus status = file->reader->read_records(&arena, &input, &records);
	for (uint32_t i = 0; status == PH_OK && i < records.n; i++)
		if (records.list[i].n_figures > 0)
		{
			status = ph_record_run(env, &records.list[i], &run);
			if (status == PH_OK)
				ph_run_input_free(env, &run);
		}
	ph_arena_drop(&arena);
	ph_input_close(&input);
	return status;
}

static void
test_memory(void **state)
{
	(void) state;
	for (size_t i = 0; i < COUNT(files); i++)
	{
		Case file = files[i];
		bool failed = true;
		for (size_t n = 1; failed; n++)
		{
			FaultEnv fault;
			fault_env_init(&fault);
			fault.fail_at = n;
			PhStatus status = read_all(&fault.env, &file);
			failed = status != PH_OK;
			if (failed)
				assert_int_equal(status, PH_ERR_MEMORY);
			assert_int_equal(fault.n_blocks, 0);
			fault_env_drop(&fault);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ramble), cmocka_unit_test(test_reframe),
		cmocka_unit_test(test_exacb),  cmocka_unit_test(test_lines_of_variables),
		cmocka_unit_test(test_run),	   cmocka_unit_test(test_detection),
		cmocka_unit_test(test_bad),	   cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
