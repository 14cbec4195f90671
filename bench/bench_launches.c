/*
 * bench_launches.c - what it costs to know of activities of devices who launched them.
 *
 *   bench_launches ACTIVITIES [ROUNDS]
 *
 * As profilers record them: calls in the order of their correlations, activities of three streams
 * by turns. Prints a line for each measurement, name and value, separated by a tab. "match": CPU ns
 * an activity until calls and activities are taken and matched, the least of the rounds; memory is
 * the process's already, because what it takes to get it, readers of spans are measured for.
 * "record": bytes an activity by which chunks grow that have its record beside its call.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "reader_cost.h"
#include "readers/spans/launches.h"
#include "trace/chunk/device_records.h"

#define BATCH 64 /* activities of a stream before those of the next one are recorded */
#define N_STREAMS 3

static void
take_all(PhSpanLaunches *launches, uint64_t n)
{
	const PhSpanExtra nothing = {0};
	uint32_t detail;

	for (uint64_t i = 0; i < n; i++)
		must(ph_span_launches_call(launches, 0, 1 + i, &nothing, &detail), launches->env);
	for (uint64_t first = 0; first < n; first += (uint64_t) BATCH * N_STREAMS)
		for (uint64_t stream = 0; stream < N_STREAMS; stream++)
			for (uint64_t i = first + stream; i < n && i < first + (uint64_t) BATCH * N_STREAMS;
				 i += N_STREAMS)
				must(ph_span_launches_activity(launches, 0, 1 + i, &nothing, &detail),
					 launches->env);
}

static double
measure(uint64_t n)
{
	PhEnv env;
	PhSpanLaunches launches;
	double begin = cpu_seconds();

	ph_env_init_malloc(&env);
	ph_span_launches_init(&launches, &env);
	take_all(&launches, n);
	must(ph_span_launches_match(&launches), &env);
	double seconds = cpu_seconds() - begin;
	if (launches.counts.unmatched != 0)
	{
		fprintf(stderr, "bench_launches: an activity was not matched\n");
		exit(1);
	}
	ph_span_launches_free(&launches);
	return seconds;
}

static PhStatus
add_size(void *user, const PhChunk *chunk)
{
	*(size_t *) user += ph_chunk_column_bytes(chunk);
	return PH_OK;
}

/* Kernels of 3 to 23 us on a stream, with gaps of up to 3 us. */
static size_t
stream_bytes(uint64_t n, bool has_records)
{
	PhEnv env;
	PhChunkWriter *writer;
	size_t bytes = 0;
	int64_t time = 1000;

	srand(3);
	ph_env_init_malloc(&env);
	must(ph_chunk_writer_new(&env, 1, 0, add_size, &bytes, &writer), &env);
	for (uint64_t i = 0; i < n; i++)
	{
		uint64_t values[2] = {0, 1};
		PhEvent record = {.time = time,
						  .kind = PH_EVENT_OTHER,
						  .operation = PH_RECORD_ACTIVITY,
						  .n_values = 2,
						  .values = values};

		must(ph_chunk_writer_enter(writer, time, (uint32_t) i % 4), &env);
		if (has_records)
			must(ph_chunk_writer_event(writer, &record), &env);
		time += 3000 + rand() % 20000;
		must(ph_chunk_writer_leave(writer, time, PH_NONE), &env);
		time += rand() % 3000;
	}
	must(ph_chunk_writer_finish(writer), &env);
	ph_chunk_writer_free(writer);
	return bytes;
}

int
main(int n, char **arguments)
{
	uint64_t activities = n > 1 ? strtoull(arguments[1], NULL, 10) : 0;
	int rounds = n > 2 ? atoi(arguments[2]) : 3;
	double least = 0;

	if (activities == 0)
	{
		fprintf(stderr, "usage: bench_launches ACTIVITIES [ROUNDS]\n");
		return 2;
	}
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT32_MAX);
	measure(activities);
	for (int i = 0; i < rounds; i++)
	{
		double seconds = measure(activities);

		if (i == 0 || seconds < least)
			least = seconds;
	}
	printf("match\t%.2f\nrecord\t%.3f\n", least * 1e9 / (double) activities,
		   (double) (stream_bytes(activities, true) - stream_bytes(activities, false)) /
			   (double) activities);
	return 0;
}
