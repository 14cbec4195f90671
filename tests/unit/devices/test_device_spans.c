/*
 * test_device_spans.c - what activities waited for, of random streams in chunks of any length: with
 * and without records, with several, calls within calls; against the list of activities.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "devices/device_spans.h"
#include "support/fault_env.h"
#include "support/random_trace.h"
#include "support/rounds.h"
#include "trace/chunk/device_records.h"

#define N_STREAMS rounds(3000)
#define MOST 40

static RandomNumbers numbers;

/* How often things happen in a stream, of 8. */
typedef struct Shape
{
	uint32_t without, second, nested, waits;
} Shape;

static PhStatus
write_record(PhChunkWriter *writer, int64_t time, bool waits)
{
	const uint64_t values[PH_ACTIVITY_VALUES] = {1, 0, 0, waits ? 3 : 0,
												 numbers_below(&numbers, 50)};
	PhEvent record = {.time = time,
					  .kind = PH_EVENT_OTHER,
					  .operation = PH_RECORD_ACTIVITY,
					  .n_values = waits ? ph_activity_n_values(values) : 1,
					  .values = values};
	return ph_chunk_writer_event(writer, &record);
}

static bool
happens(uint32_t of_8)
{
	return numbers_below(&numbers, 8) < of_8;
}

static PhStatus
write_activity(PhChunkWriter *writer, int64_t time, const Shape *shape)
{
	PH_TRY(ph_chunk_writer_enter(writer, time, 0));
	if (happens(shape->without))
		return PH_OK;
	PH_TRY(write_record(writer, time, happens(shape->waits)));
	return happens(shape->second) ? write_record(writer, time, false) : PH_OK;
}

static PhStatus
write_stream(PhEnv *env, const Shape *shape, StoredChunks *out)
{
	PhChunkWriter *writer;
	uint32_t depth = 0, n = numbers_below(&numbers, MOST);
	PH_TRY(ph_chunk_writer_new(env, 1, 1 + numbers_below(&numbers, 30), stored_chunks_add, out,
							   &writer));
	PhStatus status = PH_OK;
	for (uint32_t i = 0; i < n && status == PH_OK; i++)
	{
		status = write_activity(writer, 10 * i, shape);
		depth++;
		while (status == PH_OK && depth > 0 && !happens(shape->nested))
		{
			status = ph_chunk_writer_leave(writer, 10 * i + 5, PH_NONE);
			depth--;
		}
	}
	if (status == PH_OK)
		status = ph_chunk_writer_finish(writer);
	ph_chunk_writer_free(writer);
	return status;
}

/* ---- both ---- */

typedef struct Both
{
	StoredChunks *stored;
	PhActivities activities;
	PhDeviceSpans spans;
} Both;

static PhStatus
read_chunks(PhEnv *env, Both *both)
{
	PhChunkReader *reader = NULL;
	int64_t delays[MOST] = {0};
	PhDeviceSpanMarks marks = {.delays = delays};
	PhStatus status = ph_chunk_reader_new(env, &reader);
	for (uint32_t c = 0; c < both->stored->n_chunks && status == PH_OK; c++)
	{
		const PhChunk *chunk = &both->stored->chunks[c];
		status = ph_chunk_reader_open(reader, chunk, PH_WANT_CALLS | PH_WANT_EXTRA);
		if (status == PH_OK)
			status = ph_activities_add_chunk(env, &both->activities, chunk, reader, NULL, NULL);
		if (status == PH_OK)
			status = ph_chunk_reader_open(reader, chunk, PH_WANT_LENGTHS | PH_WANT_EXTRA);
		if (status == PH_OK)
			status = ph_device_spans_add_chunk(env, &both->spans, chunk, reader, &marks);
	}
	ph_chunk_reader_free(reader);
	return status;
}

static PhStatus
read_and_free(PhEnv *env, void *user)
{
	Both both = {
		.stored = user, .activities = {.location = PH_NONE}, .spans = {.location = PH_NONE}};
	PhStatus status = read_chunks(env, &both);
	ph_activities_free(env, &both.activities);
	ph_device_spans_free(env, &both.spans);
	return status;
}

static uint32_t
check(const Both *both)
{
	uint32_t next = 0;
	assert_int_equal(both->spans.list.count, both->activities.list.count);
	for (uint32_t i = 0; i < both->spans.list.count; i++)
	{
		const PhDeviceActivity *activity = &both->activities.list.items[i];
		const PhDeviceSpan *span = &both->spans.list.items[i];
		PhDeviceSpanLaunch launch = ph_device_span_launch(&both->spans, span);
		bool waits = next < both->activities.awaited.count &&
					 both->activities.awaited.items[next].activity == i;
		assert_int_equal(span->start, activity->start);
		assert_int_equal(span->end, activity->end);
		assert_int_equal(launch.awaited,
						 waits ? both->activities.awaited.items[next].end : PH_NO_TIME);
		next += waits;
	}
	assert_int_equal(next, both->activities.awaited.count);
	return next;
}

static void
test_waits(void **state)
{
	static const Shape shapes[] = {{0, 0, 0, 2}, {0, 0, 0, 8}, {1, 0, 0, 4},
								   {0, 1, 0, 4}, {0, 0, 2, 4}, {2, 1, 3, 4}};
	uint32_t n_waits = 0;
	(void) state;
	for (uint32_t i = 0; i < N_STREAMS; i++)
	{
		PhEnv env;
		StoredChunks stored = {0};
		Both both = {
			.stored = &stored, .activities = {.location = PH_NONE}, .spans = {.location = PH_NONE}};
		numbers = (RandomNumbers){i};
		ph_env_init_malloc(&env);
		assert_int_equal(write_stream(&env, &shapes[i % 6], &stored), PH_OK);
		assert_int_equal(read_chunks(&env, &both), PH_OK);
		n_waits += check(&both);
		ph_activities_free(&env, &both.activities);
		ph_device_spans_free(&env, &both.spans);
		if (i < 12)
			assert_string_equal(fault_env_try_allocations(read_and_free, &stored, 0), "");
		stored_chunks_free(&stored);
		assert_int_equal(env.bytes, 0);
	}
	assert_true(n_waits > N_STREAMS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
