/*
 * test_task_collect.c - what becomes of blocks that go on with or follow others.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tasks/collect.h"
#include "trace/chunk/task_records.h"

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* One block of a location, and its record of another block, by number. */
typedef struct TestBlock
{
	uint64_t chare;
	uint32_t record; /* PH_RECORD_TASK_CONTINUES or _AFTER; 0: none */
	uint64_t other;
} TestBlock;

typedef struct Feeder
{
	PhTaskCollector *collector;
	PhChunkReader *reader;
} Feeder;

static PhStatus
feed(void *user, const PhChunk *chunk)
{
	Feeder *feeder = user;
	PH_TRY(ph_chunk_reader_open(feeder->reader, chunk, PH_WANT_ALL));
	return ph_task_collector_add(feeder->collector, chunk, feeder->reader, NULL, 0);
}

static void
put_record(PhChunkWriter *writer, int64_t time, uint32_t record, const uint64_t *values, uint32_t n)
{
	PhEvent event = {.kind = PH_EVENT_OTHER,
					 .time = time,
					 .operation = record,
					 .region = PH_NONE,
					 .peer = PH_NONE,
					 .comm = PH_NONE,
					 .root = PH_NONE,
					 .values = values,
					 .n_values = n};
	must(ph_chunk_writer_event(writer, &event));
}

/* Each block is a call with one send. */
static void
put_blocks(PhChunkWriter *writer, const TestBlock *blocks, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		int64_t time = 10 * (int64_t) i;
		const uint64_t other[] = {0, blocks[i].other};
		PhEvent send = {.kind = PH_EVENT_SEND,
						.time = time + 1,
						.peer = PH_NONE,
						.comm = PH_NONE,
						.root = PH_NONE,
						.tag = (int32_t) i};
		must(ph_chunk_writer_enter(writer, time, 0));
		put_record(writer, time, PH_RECORD_TASK_BLOCK, &blocks[i].chare, 1);
		if (blocks[i].record != 0)
			put_record(writer, time, blocks[i].record, other, 2);
		must(ph_chunk_writer_event(writer, &send));
		must(ph_chunk_writer_leave(writer, time + 2, PH_NONE));
	}
	must(ph_chunk_writer_finish(writer));
}

/* One processor with two chares of one type. */
static void
collect(const TestBlock *blocks, uint32_t n, PhArena *arena, PhTaskTrace *out)
{
	PhTraceLocation location = {.name = "PE 0", .host = ""};
	PhTraceRegion region = {.name = "work"};
	PhTraceModel model = {
		.n_locations = 1, .n_regions = 1, .locations = &location, .regions = &region};
	const char *type = "Worker", *entry = "work()", *names[] = {NULL, NULL};
	int32_t dimensions = 1, index[2][PH_TASK_DIMENSIONS] = {{0}, {1}};
	uint32_t none = 0, types[] = {0, 0}, collections[] = {PH_NONE, PH_NONE}, seen[] = {0, 0};
	uint8_t n_dimensions[] = {1, 1}, is_runtime[] = {0, 0};
	const PhTaskDefinitions definitions = {.model = "charm++",
										   .tick = 1,
										   .n_types = 1,
										   .n_entries = 1,
										   .n_chares = 2,
										   .type_name = &type,
										   .type_dimensions = &dimensions,
										   .entry_name = &entry,
										   .entry_type = &none,
										   .chare_name = names,
										   .chare_type = types,
										   .chare_collection = collections,
										   .chare_dimensions = n_dimensions,
										   .chare_index = index,
										   .chare_is_runtime = is_runtime,
										   .chare_location = seen,
										   .idle_region = PH_NONE};
	Feeder feeder;
	PhChunkWriter *writer;
	PhTaskOrigin origin;
	must(ph_task_collector_new(&env, &model, &definitions, &feeder.collector));
	must(ph_chunk_reader_new(&env, &feeder.reader));
	must(ph_chunk_writer_new(&env, 0, 7, feed, &feeder, &writer));
	put_blocks(writer, blocks, n);
	must(ph_task_collector_finish(feeder.collector, arena, out, &origin));
	ph_chunk_writer_free(writer);
	ph_chunk_reader_free(feeder.reader);
	ph_task_collector_free(feeder.collector);
}

/* What the last of some blocks goes on with, and the block that it depends on; PH_NONE: none. */
static void
check(const TestBlock *blocks, uint32_t n, uint32_t continues, uint32_t depends)
{
	PhArena arena;
	PhTaskTrace trace;
	ph_arena_init(&arena, &env);
	collect(blocks, n, &arena, &trace);
	assert_int_equal(trace.count[PH_TASK_BLOCKS], n);
	assert_int_equal(trace.count[PH_TASK_EVENTS], n);
	for (uint32_t i = 0; i + 1 < n; i++)
		assert_int_equal(trace.block_continues[i], PH_NONE);
	assert_int_equal(trace.block_continues[n - 1], continues);
	assert_int_equal(trace.count[PH_TASK_EDGES], depends != PH_NONE);
	if (depends != PH_NONE)
	{
		assert_int_equal(trace.event_block[trace.edge_from[0]], depends);
		assert_int_equal(trace.event_block[trace.edge_to[0]], n - 1);
		assert_int_equal(trace.edge_kind[0], PH_EDGE_DECLARED);
	}
	ph_task_trace_free(&trace);
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

static void
blocks_of_one_chare_go_on(void **state)
{
	const TestBlock direct[] = {{0, 0, 0}, {0, PH_RECORD_TASK_CONTINUES, 0}};
	const TestBlock later[] = {{0, 0, 0}, {1, 0, 0}, {0, PH_RECORD_TASK_CONTINUES, 0}};
	(void) state;
	check(direct, 2, 0, PH_NONE);
	check(later, 3, 0, PH_NONE);
}

static void
blocks_of_other_chares_follow(void **state)
{
	const TestBlock blocks[] = {{0, 0, 0}, {1, PH_RECORD_TASK_CONTINUES, 0}};
	(void) state;
	check(blocks, 2, PH_NONE, 0);
}

static void
what_comes_after_does_not_go_on(void **state)
{
	const TestBlock blocks[] = {{0, 0, 0}, {0, 0, 0}, {0, PH_RECORD_TASK_AFTER, 1}};
	(void) state;
	check(blocks, 3, PH_NONE, 1);
}

static void
nothing_follows_itself_or_what_is_not_there(void **state)
{
	const TestBlock itself[] = {{0, 0, 0}, {0, PH_RECORD_TASK_CONTINUES, 1}};
	const TestBlock beyond[] = {{0, 0, 0}, {0, PH_RECORD_TASK_AFTER, 2}};
	(void) state;
	check(itself, 2, PH_NONE, PH_NONE);
	check(beyond, 2, PH_NONE, PH_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_one_chare_go_on),
		cmocka_unit_test(blocks_of_other_chares_follow),
		cmocka_unit_test(what_comes_after_does_not_go_on),
		cmocka_unit_test(nothing_follows_itself_or_what_is_not_there),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
