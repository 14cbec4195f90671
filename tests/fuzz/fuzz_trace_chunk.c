/*
 * fuzz_trace_chunk.c - an event chunk from arbitrary bytes: an error, or sound events whose calls
 * bear every analysis, and which give the same events when they are written again.
 *
 * Input: the numbers of a chunk, the sizes of its columns, the columns.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "trace/calls.h"
#include "trace/link.h"
#include "trace/region_profile.h"
#include "trace/time_profile.h"
#include "trace/tree/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static PhBytes
take_column(PhByteReader *reader)
{
	size_t size = (size_t) ph_get(reader, 2);
	size = size < ph_left(reader) ? size : ph_left(reader);
	return (PhBytes){ph_take(reader, size), size};
}

static void
take_chunk(PhByteReader *reader, PhChunk *chunk)
{
	chunk->format = PH_CHUNK_FORMAT;
	chunk->n_events = ph_get_u32(reader);
	chunk->n_enter = ph_get_u32(reader);
	chunk->n_message = ph_get_u32(reader);
	chunk->first_seq = ph_get(reader, 8);
	chunk->t_prev = (int64_t) ph_get(reader, 8);
	chunk->t_first = (int64_t) ph_get(reader, 8);
	chunk->t_last = (int64_t) ph_get(reader, 8);
	PhBytes *columns[] = {&chunk->stack,  &chunk->dt,  &chunk->kind,
						  &chunk->region, &chunk->msg, &chunk->extra};
	for (int i = 0; i < 6; i++)
		*columns[i] = take_column(reader);
}

static void
must(bool condition)
{
	if (!condition)
		abort();
}

/* ---- written again ---- */

typedef struct Again
{
	PhEnv *env;
	PhChunkReader *first, *second;
	const PhChunk *chunk;
} Again;

static void
must_be_same(const PhEvent *a, const PhEvent *b)
{
	must(a->kind == b->kind && a->time == b->time && a->region == b->region);
	must(a->peer == b->peer && a->comm == b->comm && a->root == b->root && a->tag == b->tag);
	must(a->bytes == b->bytes && a->bytes_received == b->bytes_received);
	must(a->request == b->request && a->operation == b->operation && a->n_values == b->n_values);
	for (uint32_t i = 0; i < a->n_values; i++)
		must(a->values[i] == b->values[i]);
}

static PhStatus
compare_chunk(void *user, const PhChunk *chunk)
{
	PhEvent a, b;
	Again *again = user;
	PhStatus status = ph_chunk_reader_open(again->second, chunk, PH_WANT_ALL);
	must(status == PH_OK || status == PH_ERR_LIMIT);
	while (status == PH_OK && ph_chunk_next(again->second, &b))
	{
		must(ph_chunk_next(again->first, &a));
		must_be_same(&a, &b);
	}
	return status;
}

static void
write_again(Again *again)
{
	PhEvent event;
	PhChunkReader *source;
	PhChunkWriter *writer;
	PhStatus status = PH_OK;
	uint32_t depth;
	ph_chunk_stack(again->first, &depth);
	if (depth > 0)
		return; /* its calls were entered in other chunks */
	must(ph_chunk_reader_new(again->env, &source) == PH_OK);
	must(ph_chunk_reader_open(source, again->chunk, PH_WANT_ALL) == PH_OK);
	must(ph_chunk_writer_new(again->env, 0, 7, compare_chunk, again, &writer) == PH_OK);
	while (status == PH_OK && ph_chunk_next(source, &event))
		status = ph_chunk_writer_event(writer, &event);
	if (status == PH_OK)
		status = ph_chunk_writer_finish(writer);
	must(status == PH_OK || status == PH_ERR_LIMIT);
	ph_chunk_writer_free(writer);
	ph_chunk_reader_free(source);
}

/* ---- analyses ---- */

static PhStatus
fetch(void *user, uint32_t chunk_no, uint32_t want, PhChunk *out)
{
	(void) want;
	*out = *(const PhChunk *) user;
	must(chunk_no == 0);
	return PH_OK;
}

static PhStatus
check_call(void *user, const PhTraceCall *call)
{
	const PhChunk *chunk = user;
	must(call->exclusive >= 0 && call->inclusive >= call->exclusive);
	must(call->enter + call->inclusive <= chunk->t_last);
	return PH_OK;
}

static int64_t
sum_of_regions(PhEnv *env, const PhChunk *chunk, const PhChunkReader *reader)
{
	PhRegionProfile *profile;
	const PhRegionTotals *rows;
	uint32_t n;
	int64_t exclusive = -1;
	must(ph_region_profile_new(env, &profile) == PH_OK);
	if (ph_region_profile_add_chunk(profile, chunk, reader, 0, INT64_MAX) == PH_OK &&
		ph_region_profile_rows(profile, &rows, &n) == PH_OK)
	{
		exclusive = 0;
		for (uint32_t i = 0; i < n; i++)
			exclusive += rows[i].exclusive;
	}
	ph_region_profile_free(profile);
	return exclusive;
}

static int64_t
sum_of_bins(PhEnv *env, const PhChunk *chunk, const PhChunkReader *reader)
{
	PhTimeProfile *profile;
	PhTimeBins bins = {0, INT64_MAX, 9};
	const PhTimeProfileRow *rows;
	size_t n;
	int64_t exclusive = -1;
	must(ph_time_profile_new(env, &bins, &profile) == PH_OK);
	if (ph_time_profile_add_chunk(profile, chunk, reader) == PH_OK &&
		ph_time_profile_rows(profile, &rows, &n) == PH_OK)
	{
		exclusive = 0;
		for (size_t i = 0; i < n; i++)
			exclusive += rows[i].exclusive;
	}
	ph_time_profile_free(profile);
	return exclusive;
}

static int64_t
sum_of_tree(PhEnv *env, const PhChunk *chunk, const PhChunkReader *reader)
{
	PhTraceTree *tree;
	const PhTreeCell *cells;
	size_t n;
	int64_t exclusive = -1;
	must(ph_trace_tree_new(env, NULL, &tree) == PH_OK);
	if (ph_trace_tree_add_chunk(tree, chunk, reader, 0, INT64_MAX) == PH_OK &&
		ph_trace_tree_cells(tree, &cells, &n) == PH_OK)
	{
		exclusive = 0;
		for (size_t i = 0; i < n; i++)
			exclusive += cells[i].exclusive;
	}
	ph_trace_tree_free(tree);
	return exclusive;
}

/* The chunk as one of a stream whose calls somebody launched: with its bytes, and without. */
static void
try_activities(PhEnv *env, const PhChunk *chunk, const PhChunkReader *reader)
{
	PhTraceLocation stream = {
		.rank = PH_NO_NUMBER, .kind = PH_COLUMN_STREAM, .name = "", .host = ""};
	PhTraceModel model = {.n_locations = 1, .locations = &stream};
	PhTraceTree *tree;
	PhArena arena;
	const PhLink *links;
	uint32_t n;
	ph_arena_init(&arena, env);
	if (ph_launches_of_chunk(&arena, chunk, reader, chunk->msg, &links, &n) == PH_OK)
		must(n == chunk->n_enter);
	ph_arena_drop(&arena);
	if (ph_trace_tree_new(env, &model, &tree) != PH_OK)
		return;
	PhStatus status = ph_trace_tree_add_activities(tree, chunk, reader, NULL, 0, INT64_MAX);
	if (status == PH_OK)
		status = ph_trace_tree_settle(tree);
	must(status == PH_OK || status == PH_ERR_LIMIT);
	ph_trace_tree_free(tree);
}

/* All exclusive times add up to the same, unless memory ran out. */
static void
try_analyses(PhEnv *env, PhChunk *chunk, const PhChunkReader *reader)
{
	bool marked[4] = {true, false, true, true};
	PhChunkSource source = {1, fetch, chunk};
	int64_t regions = sum_of_regions(env, chunk, reader);
	int64_t bins = sum_of_bins(env, chunk, reader), tree = sum_of_tree(env, chunk, reader);
	must(regions < 0 || bins < 0 || regions == bins);
	must(regions < 0 || tree < 0 || regions == tree);
	must(regions < 0 || regions <= chunk->t_last - chunk->t_prev);
	int64_t time = ph_chunk_time_in_regions(chunk, reader, marked, 4, 0, INT64_MAX);
	must(time >= 0 && time <= chunk->t_last - chunk->t_prev);
	chunk->chunk_no = 0;
	PhStatus status = ph_calls_list(env, &source, INT64_MIN, INT64_MAX, check_call, chunk);
	must(status == PH_OK || status == PH_ERR_LIMIT);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhChunk chunk = {0};
	PhChunkReader *first, *second;
	PhByteReader bytes = {data, data, data + size, false};
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 32 << 20; /* regions of high numbers would cost seconds */
	take_chunk(&bytes, &chunk);
	must(ph_chunk_reader_new(&env, &first) == PH_OK);
	must(ph_chunk_reader_new(&env, &second) == PH_OK);
	if (!bytes.bad && ph_chunk_reader_open(first, &chunk, PH_WANT_ALL) == PH_OK)
	{
		Again again = {&env, first, second, &chunk};
		write_again(&again);
		must(ph_chunk_reader_open(first, &chunk, PH_WANT_ALL) == PH_OK);
		try_analyses(&env, &chunk, first);
		try_activities(&env, &chunk, first);
	}
	ph_chunk_reader_free(first);
	ph_chunk_reader_free(second);
	must(env.bytes == 0); /* else something was not given back */
	return 0;
}
