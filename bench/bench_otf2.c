/*
 * bench_otf2.c - what reading an OTF2 trace costs the loader, without any database.
 *
 *   bench_otf2 ANCHOR [ROUNDS]
 *
 * Prints a line for each measurement: name, events, seconds of the fastest round, separated by
 * tabs. "chunks": CPU of turning events into compressed chunks; "parallel": wall of the same by two
 * threads; "bytes", in place of seconds: what the chunks take; "all": CPU of chunks, call tree,
 * matching and the looks that come first, in one thread.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pipeline/trace/read.h"
#include "readers/otf2/archive.h"

static double
seconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

static void
must(PhStatus status, const PhEnv *env)
{
	if (status == PH_OK)
		return;
	fprintf(stderr, "bench_otf2: %s\n", env->error.message);
	exit(1);
}

static PhStatus
count_bytes(void *user, const PhChunk *chunk)
{
	uint64_t *bytes = user;

	*bytes += chunk->stack.size + chunk->dt.size + chunk->kind.size + chunk->region.size +
			  chunk->msg.size + chunk->extra.size;
	return PH_OK;
}

static PhOtf2Archive *
open_archive(PhEnv *env, const char *anchor)
{
	PhRunInput run = {0};
	PhOtf2Archive *archive;

	must(ph_otf2_archive_open(env, anchor, &run, &archive), env);
	ph_run_input_free(env, &run);
	must(ph_otf2_archive_settle(archive, PH_OFFSETS_OFF), env);
	return archive;
}

/* One of the threads that share out the locations. */
typedef struct Reader
{
	pthread_t thread;
	PhEnv env;
	PhOtf2Archive *archive;
	atomic_uint *next;
	uint64_t events, bytes;
} Reader;

static void *
read_locations(void *argument)
{
	Reader *reader = argument;
	PhTraceSource *source = &reader->archive->source;
	PhTraceCounts counts = {0};
	PhTraceCursor *cursor;
	uint32_t location;

	ph_env_init_malloc(&reader->env);
	must(source->open(&reader->env, source, &cursor), &reader->env);
	while ((location = atomic_fetch_add(reader->next, 1)) < source->model.n_locations)
	{
		PhChunkWriter *writer;

		must(ph_chunk_writer_new(&reader->env, location, 0, count_bytes, &reader->bytes, &writer),
			 &reader->env);
		must(source->read_location(cursor, location, writer, &counts), &reader->env);
		must(ph_chunk_writer_finish(writer), &reader->env);
		reader->events += ph_chunk_writer_events(writer);
		ph_chunk_writer_free(writer);
	}
	source->close(cursor);
	return NULL;
}

/* CPU seconds of one thread, wall seconds of two. */
static double
read_chunks(PhEnv *env, const char *anchor, int n_threads, Reader *sum)
{
	PhOtf2Archive *archive = open_archive(env, anchor);
	Reader readers[2] = {{.archive = archive}, {.archive = archive}};
	atomic_uint next = 0;
	double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	double wall = seconds(CLOCK_MONOTONIC);

	for (int i = 0; i < n_threads; i++)
	{
		readers[i].next = &next;
		if (i > 0 && pthread_create(&readers[i].thread, NULL, read_locations, &readers[i]) != 0)
			exit(1);
	}
	read_locations(&readers[0]);
	for (int i = 1; i < n_threads; i++)
		pthread_join(readers[i].thread, NULL);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = seconds(CLOCK_MONOTONIC) - wall;
	sum->events = readers[0].events + readers[1].events;
	sum->bytes = readers[0].bytes + readers[1].bytes;
	ph_otf2_archive_free(env, archive);
	return n_threads == 1 ? cpu : wall;
}

static double
read_all(PhEnv *env, const char *anchor)
{
	double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
	PhOtf2Archive *archive = open_archive(env, anchor);
	PhTraceReadOptions options = {.source = &archive->source, .n_threads = 1};
	const PhConnection *refused;
	PhTraceRead read;

	must(ph_trace_read(env, &options, &read, &refused), env);
	must(ph_trace_read_match(&read, options.source), env);
	ph_trace_read_free(&read);
	ph_otf2_archive_free(env, archive);
	return seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
}

static void
keep_least(double *least, int round, double value)
{
	*least = round == 0 || value < *least ? value : *least;
}

int
main(int argc, char **argv)
{
	int rounds = argc > 2 ? (int) strtol(argv[2], NULL, 10) : 3;
	double chunks = 0;
	double parallel = 0;
	double all = 0;
	Reader sum = {0};
	PhEnv env;

	if (argc < 2 || rounds < 1)
	{
		fprintf(stderr, "usage: bench_otf2 ANCHOR [ROUNDS]\n");
		return 2;
	}
	ph_env_init_malloc(&env);
	for (int i = 0; i < rounds; i++)
	{
		keep_least(&parallel, i, read_chunks(&env, argv[1], 2, &sum));
		keep_least(&chunks, i, read_chunks(&env, argv[1], 1, &sum));
		keep_least(&all, i, read_all(&env, argv[1]));
	}
	printf("chunks\t%" PRIu64 "\t%.4f\n", sum.events, chunks);
	printf("parallel\t%" PRIu64 "\t%.4f\n", sum.events, parallel);
	printf("bytes\t%" PRIu64 "\t%" PRIu64 "\n", sum.events, sum.bytes);
	printf("all\t%" PRIu64 "\t%.4f\n", sum.events, all);
	return 0;
}
