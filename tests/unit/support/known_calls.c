/*
 * known_calls.c - see known_calls.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/known_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/chunk/device_records.h"

#define MOST_LOCATIONS 16

typedef struct Seen
{
	int64_t first;
	const PhTraceModel *model;
	PhEnv *env;
	uint32_t n;
	KnownCall calls[8];
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
			seen->calls[seen->n++] = (KnownCall){.name = seen->model->regions[event.region].name,
												 .enter = event.time + seen->first};
		}
		else if (event.kind == PH_EVENT_LEAVE)
			seen->calls[seen->open[--seen->depth]].leave = event.time + seen->first;
		else
		{
			KnownCall *call = &seen->calls[seen->open[seen->depth - 1]];
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
read_calls(PhEnv *env, PhTraceSource *source, uint32_t location, int64_t first, Seen *seen)
{
	PhTraceCursor *cursor;
	PhTraceCounts counts = {0};
	PhChunkWriter *writer;
	*seen = (Seen){.first = first, .model = &source->model, .env = env};
	assert_int_equal(source->open(env, source, &cursor), PH_OK);
	assert_int_equal(ph_chunk_writer_new(env, location, 0, note_chunk, seen, &writer), PH_OK);
	assert_int_equal(source->read_location(cursor, location, writer, &counts), PH_OK);
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
	source->close(cursor);
}

static void
check_calls(const KnownLocation *location, const Seen *seen)
{
	assert_int_equal(seen->n, location->n_calls);
	for (uint32_t i = 0; i < seen->n; i++)
	{
		const KnownCall *call = &seen->calls[i];
		assert_string_equal(call->name, location->calls[i].name);
		assert_int_equal(call->enter, location->calls[i].enter);
		assert_int_equal(call->leave, location->calls[i].leave);
		assert_int_equal(call->bytes, location->calls[i].bytes);
		/* configurations are numbered as they are met */
		assert_int_equal(call->configuration, location->calls[i].configuration);
	}
}

static void
check_launches(PhEnv *env, PhTraceSource *source, const KnownLaunches *launches, uint32_t location,
			   const Seen *all)
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
		assert_int_equal(links[i].time + all[0].first, all[launch[0]].calls[launch[1]].enter);
	}
	ph_arena_drop(&arena);
}

void
check_known_calls(PhEnv *env, PhTraceSource *source, const KnownLocation *expected,
				  const KnownLaunches *launches, uint32_t n, int64_t first)
{
	const PhTraceModel *model = &source->model;
	Seen seen[MOST_LOCATIONS];
	assert_true(n <= MOST_LOCATIONS);
	assert_int_equal(model->n_locations, n);
	for (uint32_t i = 0; i < n; i++)
	{
		assert_int_equal(model->locations[i].rank, expected[i].rank);
		assert_string_equal(model->locations[i].name, expected[i].name);
		read_calls(env, source, i, first, &seen[i]);
		check_calls(&expected[i], &seen[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		if (ph_location_is_stream(&model->locations[i]))
			check_launches(env, source, launches, i, seen);
}
