/*
 * test_trace_calls.c - calls of a window against all calls of random streams; chunks that disagree;
 * faults.
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

#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/slow_calls.h"
#include "trace/calls.h"

#define N_TRACES rounds(4000)

static RandomNumbers numbers;

/* Chunks as a server gives them: only what was asked for, in bytes that soon are gone. */
typedef struct Store
{
	const StoredChunks *stored;
	uint8_t *bytes;
	uint32_t n_fetched, n_decoded;
} Store;

static PhBytes
lend(Store *store, size_t *at, PhBytes bytes)
{
	memcpy(store->bytes + *at, bytes.data, bytes.size);
	PhBytes lent = {store->bytes + *at, bytes.size};
	*at += bytes.size;
	return lent;
}

static PhStatus
fetch(void *user, uint32_t chunk_no, uint32_t want, PhChunk *out)
{
	Store *store = user;
	size_t at = 0;
	assert_true(chunk_no < store->stored->n_chunks);
	*out = store->stored->chunks[chunk_no];
	free(store->bytes);
	store->bytes = malloc(out->stack.size + out->dt.size + out->kind.size + out->region.size + 1);
	store->n_fetched++;
	store->n_decoded += want != 0;
	out->stack = lend(store, &at, out->stack);
	out->msg = out->extra = (PhBytes){NULL, 0};
	if (want == 0)
		out->dt = out->kind = out->region = (PhBytes){NULL, 0};
	else
	{
		assert_int_equal(want, PH_WANT_CALLS);
		out->dt = lend(store, &at, out->dt);
		out->kind = lend(store, &at, out->kind);
		out->region = lend(store, &at, out->region);
	}
	return PH_OK;
}

typedef struct Expected
{
	uint32_t n, next;
	const SlowCall *calls;
	SlowWindow window;
} Expected;

static PhStatus
compare(void *user, const PhTraceCall *got)
{
	Expected *expected = user;
	SlowWindow all = {INT64_MIN, INT64_MAX};
	while (expected->next < expected->n &&
		   !slow_is_in(&expected->calls[expected->next], expected->window))
		expected->next++;
	assert_true(expected->next < expected->n);
	const SlowCall *call = &expected->calls[expected->next];
	assert_int_equal(got->location, 9);
	assert_int_equal(got->seq, call->seq);
	assert_int_equal(got->depth, call->depth);
	assert_int_equal(got->region, call->region);
	assert_int_equal(got->parent,
					 call->parent == PH_NONE ? PH_NO_CALL : expected->calls[call->parent].seq);
	assert_int_equal(got->enter, call->enter);
	assert_int_equal(got->is_open, call->is_open);
	assert_int_equal(got->leave, call->is_open ? PH_NO_TIME : call->end);
	assert_int_equal(got->inclusive, call->end - call->enter);
	assert_int_equal(got->exclusive,
					 slow_exclusive(expected->calls, expected->n, expected->next, all));
	expected->next++;
	return PH_OK;
}

static void
check_window(const StoredChunks *stored, const SlowCall *calls, uint32_t n, SlowWindow window)
{
	PhEnv env;
	Store store = {.stored = stored};
	PhChunkSource source = {stored->n_chunks, fetch, &store};
	Expected expected = {n, 0, calls, window};
	ph_env_init_malloc(&env);
	assert_int_equal(ph_calls_list(&env, &source, window.from, window.to, compare, &expected),
					 PH_OK);
	while (expected.next < n)
		assert_false(slow_is_in(&calls[expected.next++], window));
	free(store.bytes);
	assert_int_equal(env.bytes, 0);
}

static void
random_chunks(uint32_t max_events, RandomStream *stream, StoredChunks *stored)
{
	PhEnv env;
	RandomStreamShape shape = {.max_events = max_events, .n_regions = 5};
	shape.is_closed = numbers_below(&numbers, 2) == 0;
	shape.calls_only = numbers_below(&numbers, 2) == 0;
	shape.is_huge = numbers_below(&numbers, 4) == 0;
	ph_env_init_malloc(&env);
	random_stream(&numbers, shape, stream);
	assert_int_equal(stored_chunks_write(&env, stream, 9, 1 + numbers_below(&numbers, 20), stored),
					 PH_OK);
}

static void
test_windows(void **state)
{
	(void) state;
	numbers.state = 6;
	for (uint32_t i = 0; i < N_TRACES; i++)
	{
		RandomStream stream;
		StoredChunks stored;
		uint32_t n;
		random_chunks(i % 20 == 0 ? 600 : 100, &stream, &stored);
		SlowCall *calls = slow_calls(&stream, &n);
		for (uint32_t j = 0; j < 3; j++)
			check_window(&stored, calls, n, random_window(&numbers, &stream));
		free(calls);
		stored_chunks_free(&stored);
		random_stream_free(&stream);
	}
}

static PhStatus
count(void *user, const PhTraceCall *call)
{
	assert_true(call->exclusive >= 0 && call->exclusive <= call->inclusive);
	++*(uint32_t *) user;
	return PH_OK;
}

/* main() around many short calls: a small window must not decode every chunk. */
static void
test_few_chunks_are_read(void **state)
{
	(void) state;
	PhEnv env;
	StoredChunks stored = {0};
	PhChunkWriter *writer;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_chunk_writer_new(&env, 0, 16, stored_chunks_add, &stored, &writer), PH_OK);
	assert_int_equal(ph_chunk_writer_enter(writer, 0, 0), PH_OK);
	for (int64_t i = 1; i < 100000; i++)
	{
		assert_int_equal(ph_chunk_writer_enter(writer, 10 * i, 1), PH_OK);
		assert_int_equal(ph_chunk_writer_leave(writer, 10 * i + 3, 1), PH_OK);
	}
	assert_int_equal(ph_chunk_writer_leave(writer, 1000000, 0), PH_OK);
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
	Store store = {.stored = &stored};
	PhChunkSource source = {stored.n_chunks, fetch, &store};
	uint32_t n_calls = 0;
	assert_int_equal(ph_calls_list(&env, &source, 500000, 500100, count, &n_calls), PH_OK);
	assert_int_equal(n_calls, 11);
	assert_in_range(store.n_decoded, 1, 8);
	assert_in_range(store.n_fetched, 1, 80);
	free(store.bytes);
	stored_chunks_free(&stored);
}

/* Chunks of another stream in between: an error or calls, never nonsense that overflows. */
static void
test_chunks_that_disagree(void **state)
{
	(void) state;
	uint32_t n_bad = 0;
	numbers.state = 7;
	for (uint32_t i = 0; i < 1500; i++)
	{
		PhEnv env;
		RandomStream streams[2];
		StoredChunks stored[2];
		uint32_t n_calls = 0;
		ph_env_init_malloc(&env);
		for (int j = 0; j < 2; j++)
			random_chunks(100, &streams[j], &stored[j]);
		Store store = {.stored = &stored[0]};
		PhChunkSource source = {stored[0].n_chunks, fetch, &store};
		PhChunk kept = stored[0].chunks[stored[0].n_chunks - 1];
		PhChunk *changed = &stored[0].chunks[stored[0].n_chunks - 1];
		*changed = stored[1].chunks[numbers_below(&numbers, stored[1].n_chunks)];
		changed->chunk_no = kept.chunk_no;
		PhStatus status = ph_calls_list(&env, &source, INT64_MIN, INT64_MAX, count, &n_calls);
		assert_true(status == PH_OK || status == PH_ERR_FORMAT);
		n_bad += status == PH_ERR_FORMAT;
		*changed = kept;
		free(store.bytes);
		for (int j = 0; j < 2; j++)
		{
			stored_chunks_free(&stored[j]);
			random_stream_free(&streams[j]);
		}
		assert_int_equal(env.bytes, 0);
	}
	assert_true(n_bad > 100);
}

/* The inner call is the same one, the outer one is not. */
static void
test_other_outer_call(void **state)
{
	(void) state;
	PhEnv env;
	StoredChunks stored[2];
	ph_env_init_malloc(&env);
	for (uint32_t i = 0; i < 2; i++)
	{
		PhEvent events[] = {{.kind = PH_EVENT_ENTER},
							{.kind = PH_EVENT_COLLECTIVE_BEGIN},
							{.kind = PH_EVENT_ENTER},
							{.kind = PH_EVENT_LEAVE},
							{.kind = PH_EVENT_LEAVE}};
		RandomStream stream = {.n_events = 5, .events = events};
		if (i == 1)
		{
			events[0].kind = PH_EVENT_COLLECTIVE_BEGIN;
			events[1].kind = PH_EVENT_ENTER;
		}
		assert_int_equal(stored_chunks_write(&env, &stream, 0, 3, &stored[i]), PH_OK);
	}
	uint32_t n_calls = 0;
	PhChunk chunks[] = {stored[0].chunks[0], stored[1].chunks[1]};
	StoredChunks mixed = {2, 2, chunks};
	Store store = {.stored = &mixed};
	PhChunkSource source = {2, fetch, &store};
	assert_int_equal(ph_calls_list(&env, &source, INT64_MIN, INT64_MAX, count, &n_calls),
					 PH_ERR_FORMAT);
	free(store.bytes);
	for (int i = 0; i < 2; i++)
		stored_chunks_free(&stored[i]);
}

static PhStatus
list_work(PhEnv *env, void *user)
{
	uint32_t n = 0;
	Store *store = user;
	PhChunkSource source = {store->stored->n_chunks, fetch, store};
	return ph_calls_list(env, &source, INT64_MIN, INT64_MAX, count, &n);
}

static void
test_faults(void **state)
{
	(void) state;
	RandomStream stream;
	StoredChunks stored;
	numbers.state = 8;
	random_chunks(300, &stream, &stored);
	Store store = {.stored = &stored};
	assert_string_equal(fault_env_try_allocations(list_work, &store, 0), "");
	free(store.bytes);
	stored_chunks_free(&stored);
	random_stream_free(&stream);
}

static void
test_interrupts(void **state)
{
	(void) state;
	PhEnv env;
	StoredChunks stored = {0};
	PhChunkWriter *writer;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_chunk_writer_new(&env, 0, 0, stored_chunks_add, &stored, &writer), PH_OK);
	for (int64_t i = 0; i < 10000; i++)
	{
		assert_int_equal(ph_chunk_writer_enter(writer, i, 1), PH_OK);
		assert_int_equal(ph_chunk_writer_leave(writer, i, 1), PH_OK);
	}
	assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
	ph_chunk_writer_free(writer);
	Store store = {.stored = &stored};
	assert_string_equal(fault_env_try_interrupts(list_work, &store, 0), "");
	free(store.bytes);
	stored_chunks_free(&stored);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_few_chunks_are_read),
		cmocka_unit_test(test_chunks_that_disagree),
		cmocka_unit_test(test_other_outer_call),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_interrupts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
