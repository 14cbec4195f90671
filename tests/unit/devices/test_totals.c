/*
 * test_totals.c - sums, spread and quantiles of random activities in chunks of any size against
 * plain loops; windows; ranks; faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/min_max.h"
#include "devices/totals.h"
#include "support/fault_env.h"
#include "support/random_trace.h"
#include "support/rounds.h"
#include "trace/chunk/device_records.h"

#define N_PROGRAMS rounds(400)
#define N_LOCATIONS 3
#define N_REGIONS 3
#define MOST 60

static RandomNumbers numbers;
/* two streams of rank 0 around one of rank 1 */
static PhTraceLocation locations[N_LOCATIONS] = {
	{.rank = 0, .kind = PH_COLUMN_STREAM, .name = "", .host = ""},
	{.rank = 1, .kind = PH_COLUMN_STREAM, .name = "", .host = ""},
	{.rank = 0, .kind = PH_COLUMN_STREAM, .name = "", .host = ""}};
static PhTraceRegion regions[N_REGIONS];
static const PhTraceModel model = {
	.n_locations = N_LOCATIONS, .locations = locations, .n_regions = N_REGIONS, .regions = regions};

typedef struct Activity
{
	uint32_t location, region;
	int64_t start, end;
	uint64_t bytes;
} Activity;

typedef struct Program
{
	uint32_t n;
	Activity list[N_LOCATIONS * MOST];
	StoredChunks stored;
	int64_t from, to;
} Program;

static PhStatus
write_activity(PhChunkWriter *writer, const Activity *activity)
{
	PhEvent record = {.time = activity->start,
					  .kind = PH_EVENT_OTHER,
					  .operation = PH_RECORD_ACTIVITY,
					  .n_values = 1,
					  .values = &activity->bytes};
	PH_TRY(ph_chunk_writer_enter(writer, activity->start, activity->region));
	if (activity->bytes > 0)
		PH_TRY(ph_chunk_writer_event(writer, &record));
	return ph_chunk_writer_leave(writer, activity->end, PH_NONE);
}

/* The last one of a location may stay open: it ends there. */
static void
make_location(PhEnv *env, Program *program, uint32_t location)
{
	PhChunkWriter *writer;
	uint32_t n = numbers_below(&numbers, MOST);
	int64_t time = numbers_below(&numbers, 100);
	assert_int_equal(ph_chunk_writer_new(env, location, 1 + numbers_below(&numbers, 20),
										 stored_chunks_add, &program->stored, &writer),
					 PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		Activity activity = {.location = location,
							 .region = numbers_below(&numbers, N_REGIONS),
							 .start = time,
							 .bytes = numbers_below(&numbers, 3)};
		time += numbers_below(&numbers, 2) == 0 ? numbers_below(&numbers, 20)
												: numbers_below(&numbers, 100000);
		activity.end = time;
		time += numbers_below(&numbers, 10);
		assert_int_equal(write_activity(writer, &activity), PH_OK);
		program->list[program->n++] = activity;
	}
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
}

static PhStatus
add_up(PhArena *arena, const Program *program, PhActivityTotals *totals)
{
	PhChunkReader *reader;
	PH_TRY(ph_totals_begin(arena, &model, program->from, program->to, totals));
	PH_TRY(ph_chunk_reader_new(arena->env, &reader));
	PhStatus status = PH_OK;
	for (uint32_t c = 0; c < program->stored.n_chunks && status == PH_OK; c++)
	{
		const PhChunk *chunk = &program->stored.chunks[c];
		status = ph_chunk_reader_open(reader, chunk, PH_WANT_CALLS | PH_WANT_EXTRA);
		if (status == PH_OK)
			status = ph_totals_add_chunk(totals, chunk, reader);
	}
	ph_chunk_reader_free(reader);
	return status == PH_OK ? ph_totals_finish(totals) : status;
}

static int
compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
	return (x > y) - (x < y);
}

static void
check_quantiles(const PhActivityTotal *total, int64_t *durations, uint32_t n)
{
	qsort(durations, n, sizeof(*durations), compare);
	for (int tenth = 0; tenth <= 10; tenth++)
	{
		uint32_t at = (uint32_t) PH_MAX(ceil(0.1 * tenth * n), 1) - 1;
		double found = ph_total_quantile(total, 0.1 * tenth);
		assert_true(fabs(found - (double) durations[at]) <= 0.04 * (double) durations[at] + 0.5);
	}
}

static void
check_region(const Program *program, const PhActivityTotal *total, uint32_t region)
{
	int64_t durations[N_LOCATIONS * MOST], sum = 0, by_rank[2] = {0, 0};
	uint64_t bytes = 0;
	double squares = 0;
	uint32_t n = 0, n_ranks;
	for (uint32_t i = 0; i < program->n; i++)
	{
		const Activity *activity = &program->list[i];
		if (activity->region != region || activity->start >= program->to ||
			activity->end < program->from)
			continue;
		durations[n++] = activity->end - activity->start;
		sum += activity->end - activity->start;
		by_rank[locations[activity->location].rank] += activity->end - activity->start;
		bytes += activity->bytes;
	}
	assert_int_equal(total->n, n);
	assert_int_equal(total->total, sum);
	assert_int_equal(total->bytes, bytes);
	n_ranks = (by_rank[0] > 0) + (by_rank[1] > 0);
	assert_int_equal(total->n_ranks, n_ranks);
	if (n == 0)
		return;
	if (n_ranks > 0)
		assert_int_equal(total->rank_max, PH_MAX(by_rank[0], by_rank[1]));
	if (n_ranks == 2)
		assert_int_equal(total->rank_min, PH_MIN(by_rank[0], by_rank[1]));
	for (uint32_t i = 0; i < n; i++)
		squares += pow((double) durations[i] - (double) sum / n, 2);
	if (n > 1)
		assert_true(fabs(ph_total_deviation(total) - sqrt(squares / (n - 1))) <
					1e-6 * (1 + sqrt(squares)));
	else
		assert_true(isnan(ph_total_deviation(total)));
	check_quantiles(total, durations, n);
	assert_int_equal(total->min, durations[0]);
	assert_int_equal(total->max, durations[n - 1]);
}

static void
make_program(PhEnv *env, Program *program)
{
	memset(program, 0, sizeof(*program));
	for (uint32_t location = 0; location < N_LOCATIONS; location++)
		make_location(env, program, location);
	program->from = numbers_below(&numbers, 2) == 0 ? INT64_MIN : numbers_below(&numbers, 500000);
	program->to = numbers_below(&numbers, 2) == 0
					  ? INT64_MAX
					  : PH_MAX(program->from, 0) + numbers_below(&numbers, 1000000);
}

static void
test_random(void **state)
{
	(void) state;
	numbers.state = 7;
	for (uint32_t p = 0; p < N_PROGRAMS; p++)
	{
		PhEnv env;
		PhArena arena;
		Program program;
		PhActivityTotals totals;
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		make_program(&env, &program);
		assert_int_equal(add_up(&arena, &program, &totals), PH_OK);
		for (uint32_t region = 0; region < N_REGIONS; region++)
			check_region(&program, &totals.by_region[region], region);
		ph_arena_drop(&arena);
		stored_chunks_free(&program.stored);
		assert_int_equal(env.bytes, 0);
	}
}

static PhStatus
add_and_free(PhEnv *env, void *user)
{
	PhArena arena;
	PhActivityTotals totals;
	ph_arena_init(&arena, env);
	PhStatus status = add_up(&arena, user, &totals);
	ph_arena_drop(&arena);
	return status;
}

/* A call that is not left, and a region that does not exist. */
static void
test_odd(void **state)
{
	(void) state;
	PhEnv env;
	PhArena arena;
	PhChunkWriter *writer;
	PhActivityTotals totals;
	Program program = {.from = INT64_MIN, .to = INT64_MAX};
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	assert_int_equal(ph_chunk_writer_new(&env, 0, 2, stored_chunks_add, &program.stored, &writer),
					 PH_OK);
	assert_int_equal(ph_chunk_writer_enter(writer, 10, 1), PH_OK);
	assert_int_equal(ph_chunk_writer_enter(writer, 20, 2), PH_OK);
	assert_int_equal(ph_chunk_writer_leave(writer, 50, 2), PH_OK);
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
	assert_int_equal(add_up(&arena, &program, &totals), PH_OK);
	assert_int_equal(totals.by_region[1].total, 40);
	assert_int_equal(totals.by_region[2].total, 30);
	assert_string_equal(fault_env_try_allocations(add_and_free, &program, 0), "");
	stored_chunks_free(&program.stored);
	program.stored = (StoredChunks){0};
	assert_int_equal(ph_chunk_writer_new(&env, 0, 2, stored_chunks_add, &program.stored, &writer),
					 PH_OK);
	assert_int_equal(ph_chunk_writer_enter(writer, 10, N_REGIONS), PH_OK);
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
	assert_int_equal(add_up(&arena, &program, &totals), PH_ERR_FORMAT);
	stored_chunks_free(&program.stored);
	ph_arena_drop(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_odd)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
