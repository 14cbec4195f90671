/*
 * bench_otf2.c - what reading an OTF2 trace costs the loader, without any database.
 *
 *   bench_otf2 ANCHOR [ROUNDS]
 *
 * Prints a line for each measurement: name, events, CPU seconds of the fastest round, separated by
 * tabs. "chunks": events to compressed chunks; "bytes" in place of seconds for what the chunks
 * take; "all": chunks, call tree, matching and the looks that come first, in one thread.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "load_trace_read.h"
#include "otf2_archive.h"

static double
cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
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

static double
read_chunks(PhEnv *env, const char *anchor, uint64_t *events, uint64_t *bytes)
{
	PhOtf2Archive *archive = open_archive(env, anchor);
	PhTraceCounts counts = {0};
	PhTraceCursor *cursor;
	double start = cpu_seconds();

	*events = *bytes = 0;
	must(archive->source.open(env, &archive->source, &cursor), env);
	for (uint32_t i = 0; i < archive->source.model.n_locations; i++)
	{
		PhChunkWriter *writer;

		must(ph_chunk_writer_new(env, i, 0, count_bytes, bytes, &writer), env);
		must(archive->source.read_location(cursor, i, writer, &counts), env);
		must(ph_chunk_writer_finish(writer), env);
		*events += ph_chunk_writer_events(writer);
		ph_chunk_writer_free(writer);
	}
	archive->source.close(cursor);
	start = cpu_seconds() - start;
	ph_otf2_archive_free(env, archive);
	return start;
}

static double
read_all(PhEnv *env, const char *anchor)
{
	double start = cpu_seconds();
	PhOtf2Archive *archive = open_archive(env, anchor);
	PhTraceReadOptions options = {.source = &archive->source, .n_threads = 1};
	const PhConnection *refused;
	PhTraceRead read;

	must(ph_trace_read(env, &options, &read, &refused), env);
	must(ph_trace_read_match(&read), env);
	ph_trace_read_free(&read);
	ph_otf2_archive_free(env, archive);
	return cpu_seconds() - start;
}

int
main(int argc, char **argv)
{
	int rounds = argc > 2 ? (int) strtol(argv[2], NULL, 10) : 3;
	double chunks = 0;
	double all = 0;
	uint64_t events = 0;
	uint64_t bytes = 0;
	PhEnv env;

	if (argc < 2 || rounds < 1)
	{
		fprintf(stderr, "usage: bench_otf2 ANCHOR [ROUNDS]\n");
		return 2;
	}
	ph_env_init_malloc(&env);
	for (int i = 0; i < rounds; i++)
	{
		double seconds = read_chunks(&env, argv[1], &events, &bytes);

		chunks = i == 0 || seconds < chunks ? seconds : chunks;
		seconds = read_all(&env, argv[1]);
		all = i == 0 || seconds < all ? seconds : all;
	}
	printf("chunks\t%" PRIu64 "\t%.4f\n", events, chunks);
	printf("bytes\t%" PRIu64 "\t%" PRIu64 "\n", events, bytes);
	printf("all\t%" PRIu64 "\t%.4f\n", events, all);
	return 0;
}
