/*
 * bench_spans.c - what reading a trace of spans costs the loader, without any database: of Chrome,
 * Nsight Systems, rocpd.
 *
 *   bench_spans FILE [ROUNDS]
 *
 * Prints a line for each measurement, name and value, separated by a tab. "calls": CPU seconds from
 * the file to sorted calls in their lanes, with launches; "chunks": the same and compressed chunks;
 * "peak": bytes of memory at most; "events": that the chunks have. Of several rounds the fastest.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reader_cost.h"
#include "readers/input.h"
#include "readers/trace_source.h"

typedef struct Measured
{
	double calls, chunks;
	uint64_t events;
} Measured;

static PhStatus
count_events(void *user, const PhChunk *chunk)
{
	*(uint64_t *) user += chunk->n_events;
	return PH_OK;
}

static void
read_events(PhEnv *env, const PhTraceSource *trace, uint64_t *events)
{
	PhTraceCounts counts = {0};
	PhTraceCursor *cursor;

	must(trace->open(env, trace, &cursor), env);
	for (uint32_t i = 0; i < trace->model.n_locations; i++)
	{
		PhChunkWriter *writer;

		must(ph_chunk_writer_new(env, i, 0, count_events, events, &writer), env);
		must(trace->read_location(cursor, i, writer, &counts), env);
		must(ph_chunk_writer_finish(writer), env);
		ph_chunk_writer_free(writer);
	}
	trace->close(cursor);
}

static const PhReader *
reader_of(const char *path)
{
	size_t n = strlen(path);

	if (n > 3 && strcmp(path + n - 3, ".db") == 0)
		return &ph_reader_rocpd;
	return n > 7 && strcmp(path + n - 7, ".sqlite") == 0 ? &ph_reader_nsight : &ph_reader_chrome;
}

static Measured
measure(const char *path, Memory *memory)
{
	Measured measured = {0};
	PhReadOptions options = {0};
	PhRunInput run;
	PhInput input;
	PhEnv env;
	double begin;

	ph_env_init_malloc(&env);
	env.alloc = allocate;
	env.user = memory;
	must(ph_input_open(&env, path, &input), &env);
	begin = cpu_seconds();
	must(reader_of(path)->read_file(&env, &input, &options, &run), &env);
	measured.calls = cpu_seconds() - begin;
	read_events(&env, run.trace, &measured.events);
	measured.chunks = cpu_seconds() - begin;
	ph_run_input_free(&env, &run);
	ph_input_close(&input);
	return measured;
}

int
main(int n, char **arguments)
{
	int rounds = n > 2 ? atoi(arguments[2]) : 3;
	Memory memory = {0};
	Measured best = {0};

	if (n < 2)
	{
		fprintf(stderr, "usage: bench_spans FILE [ROUNDS]\n");
		return 2;
	}
	for (int i = 0; i < rounds; i++)
	{
		Measured measured = measure(arguments[1], &memory);

		if (i == 0 || measured.chunks < best.chunks)
			best = measured;
	}
	printf("calls\t%.6f\nchunks\t%.6f\npeak\t%zu\nevents\t%" PRIu64 "\n", best.calls, best.chunks,
		   memory.peak, best.events);
	return 0;
}
