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
#include "support/random_trace.h"
#include "support/reader.h"
#include "support/test_data.h"
#include "trace/chunk/device_records.h"

#define FILE_NAME DATA "small.nsys.sqlite"
#define FIRST 1000 /* ns of the export where the trace begins */

typedef struct Call
{
	const char *name;
	int64_t enter, leave;
	uint64_t bytes, configuration;
} Call;

typedef struct Location
{
	int32_t rank;
	const char *name;
	uint32_t n_calls;
	Call calls[4];
} Location;

/* Threads by rank and number, the main one first; then streams. */
static const Location expected[] = {
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

/* Who launched the calls of streams: location and number among its calls; -1: nobody. */
static const int launches[N_LOCATIONS][3][2] = {
	[4] = {{-1, 0}, {0, 0}}, [5] = {{1, 1}, {1, 2}, {3, 0}}, [6] = {{3, 0}}};

typedef struct Seen
{
	const PhTraceModel *model;
	PhEnv *env;
	uint32_t n;
	Call calls[8];
	uint64_t seqs[8];
	uint32_t open[8], depth;
	uint64_t seq;
} Seen;

static PhStatus
note_chunk(void *user, const PhChunk *chunk)
{
	Seen *seen = user;
	PhChunkReader *reader;
	PhEvent event;
	PH_TRY(ph_chunk_reader_new(seen->env, &reader));
	PH_TRY(ph_chunk_reader_open(reader, chunk, PH_WANT_ALL));
	while (ph_chunk_next(reader, &event))
	{
		if (event.kind == PH_EVENT_ENTER)
		{
			seen->seqs[seen->n] = seen->seq;
			seen->open[seen->depth++] = seen->n;
			seen->calls[seen->n++] = (Call){.name = seen->model->regions[event.region].name,
											.enter = event.time + FIRST};
		}
		else if (event.kind == PH_EVENT_LEAVE)
			seen->calls[seen->open[--seen->depth]].leave = event.time + FIRST;
		else
		{
			Call *call = &seen->calls[seen->open[seen->depth - 1]];
			assert_int_equal(event.operation, PH_RECORD_ACTIVITY);
			call->bytes = event.values[PH_ACTIVITY_BYTES];
			if (event.n_values > PH_ACTIVITY_CONFIGURATION)
				call->configuration = event.values[PH_ACTIVITY_CONFIGURATION];
		}
		seen->seq++;
	}
	ph_chunk_reader_free(reader);
	return PH_OK;
}

static void
read_calls(PhEnv *env, PhTraceSource *source, uint32_t location, Seen *seen)
{
	PhTraceCursor *cursor;
	PhTraceCounts counts = {0};
	PhChunkWriter *writer;
	*seen = (Seen){.model = &source->model, .env = env};
	assert_int_equal(source->open(env, source, &cursor), PH_OK);
	assert_int_equal(ph_chunk_writer_new(env, location, 0, note_chunk, seen, &writer), PH_OK);
	assert_int_equal(source->read_location(cursor, location, writer, &counts), PH_OK);
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
	source->close(cursor);
}

static void
check_calls(const Location *location, const Seen *seen)
{
	assert_int_equal(seen->n, location->n_calls);
	for (uint32_t i = 0; i < seen->n; i++)
	{
		const Call *call = &seen->calls[i];
		assert_string_equal(call->name, location->calls[i].name);
		assert_int_equal(call->enter, location->calls[i].enter);
		assert_int_equal(call->leave, location->calls[i].leave);
		assert_int_equal(call->bytes, location->calls[i].bytes);
		/* configurations are numbered as they are met */
		assert_int_equal(call->configuration, location->calls[i].configuration);
	}
}

static void
check_launches(PhEnv *env, PhTraceSource *source, uint32_t location, const Seen *all)
{
	PhArena arena;
	const PhLink *links;
	uint64_t n;
	ph_arena_init(&arena, env);
	assert_int_equal(source->launches(source, &arena, location, &links, &n), PH_OK);
	assert_int_equal(n, all[location].n);
	for (uint64_t i = 0; i < n; i++)
	{
		const int *launch = launches[location][i];
		if (launch[0] < 0)
		{
			assert_int_equal(links[i].location, PH_NONE);
			continue;
		}
		assert_int_equal(links[i].location, launch[0]);
		assert_int_equal(links[i].seq, all[launch[0]].seqs[launch[1]]);
		assert_int_equal(links[i].time + FIRST, all[launch[0]].calls[launch[1]].enter);
	}
	ph_arena_drop(&arena);
}

static void
test_small(void **state)
{
	(void) state;
	PhEnv env;
	PhRunInput run;
	Seen seen[N_LOCATIONS];
	ph_env_init_malloc(&env);
	if (read_path(&env, FILE_NAME, &run) != PH_OK)
		fail_msg("%s", env.error.message);
	PhTraceSource *source = run.trace;
	const PhTraceModel *model = &source->model;
	assert_int_equal(model->n_locations, N_LOCATIONS);
	for (uint32_t i = 0; i < N_LOCATIONS; i++)
	{
		assert_int_equal(model->locations[i].rank, expected[i].rank);
		assert_string_equal(model->locations[i].name, expected[i].name);
		assert_string_equal(model->locations[i].host, "node1");
		read_calls(&env, source, i, &seen[i]);
		check_calls(&expected[i], &seen[i]);
	}
	for (uint32_t i = 0; i < N_LOCATIONS; i++)
		if (ph_location_is_stream(&model->locations[i]))
			check_launches(&env, source, i, seen);
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
	char *copy = malloc(size + 1);
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
