/*
 * test_trace_chunk.c - event chunks: random streams there and back, damaged bytes, faults, limits.
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

#include "support_fault_env.h"
#include "support_random_trace.h"

#define N_STREAMS 2500

static RandomNumbers numbers;

static RandomStreamShape
random_shape(uint32_t max_events)
{
	RandomStreamShape shape = {.max_events = 1 + numbers_below(&numbers, max_events)};
	shape.n_regions = 1 + numbers_below(&numbers, 300);
	shape.calls_only = numbers_below(&numbers, 4) == 0;
	shape.is_huge = numbers_below(&numbers, 2) == 0;
	shape.is_closed = numbers_below(&numbers, 2) == 0;
	return shape;
}

static uint32_t
random_chunk_events(uint32_t n_events)
{
	return 1 + numbers_below(&numbers, numbers_below(&numbers, 2) == 0 ? 8 : n_events + 1);
}

/* ---- round trips ---- */

static void
assert_same_event(const PhEvent *got, const PhEvent *expected)
{
	assert_int_equal(got->time, expected->time);
	assert_int_equal(got->kind, expected->kind);
	assert_int_equal(got->region, expected->region);
	assert_int_equal(got->peer, expected->peer);
	assert_int_equal(got->comm, expected->comm);
	assert_int_equal(got->root, expected->root);
	assert_int_equal(got->tag, expected->tag);
	assert_int_equal(got->operation, expected->operation);
	assert_int_equal(got->bytes, expected->bytes);
	assert_int_equal(got->bytes_received, expected->bytes_received);
	assert_int_equal(got->request, expected->request);
	assert_int_equal(got->n_values, expected->n_values);
	for (uint32_t i = 0; i < got->n_values; i++)
		assert_int_equal(got->values[i], expected->values[i]);
}

/* The calls open at an event, by walking everything from the start. */
typedef struct Walk
{
	const RandomStream *stream;
	uint32_t next;
	uint32_t depth;
	PhOpenCall *open;
	PhOpenCall closed;
} Walk;

static void
walk_one(Walk *walk)
{
	const PhEvent *event = &walk->stream->events[walk->next];
	if (event->kind == PH_EVENT_ENTER)
		walk->open[walk->depth++] = (PhOpenCall){event->region, event->time, walk->next, 0};
	else if (event->kind == PH_EVENT_LEAVE)
	{
		walk->closed = walk->open[--walk->depth];
		if (walk->depth > 0)
			walk->open[walk->depth - 1].callee_time += event->time - walk->closed.enter;
	}
	walk->next++;
}

static void
assert_same_call(const PhOpenCall *got, const PhOpenCall *expected)
{
	assert_int_equal(got->region, expected->region);
	assert_int_equal(got->enter, expected->enter);
	assert_int_equal(got->seq, expected->seq);
	assert_int_equal(got->callee_time, expected->callee_time);
}

static void
assert_same_calls(const PhOpenCall *got, uint32_t depth, const Walk *walk)
{
	assert_int_equal(depth, walk->depth);
	for (uint32_t i = 0; i < depth; i++)
		assert_same_call(&got[i], &walk->open[i]);
}

static void
check_arrays(const PhChunkReader *reader, const PhChunk *chunk, const PhEvent *events)
{
	uint32_t n_enter = 0, n_peers = 0, n_values = 0, counts[PH_EVENT_KIND_COUNT] = {0};
	assert_int_equal(ph_chunk_n_events(reader), chunk->n_events);
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		const PhEvent *event = &events[i];
		counts[event->kind]++;
		assert_int_equal(ph_chunk_times(reader)[i], event->time);
		assert_int_equal(ph_chunk_kinds(reader)[i], event->kind);
		if (event->kind == PH_EVENT_ENTER)
			assert_int_equal(ph_chunk_enter_regions(reader)[n_enter++], event->region);
		else if (event->kind <= PH_EVENT_NB_COLLECTIVE_COMPLETE &&
				 ph_event_operands(event->kind) & PH_OPERAND_PEER)
			assert_int_equal(ph_chunk_messages(reader)->peer[n_peers++], event->peer);
		for (uint32_t v = 0; v < event->n_values; v++)
			assert_int_equal(ph_chunk_extras(reader)->values[n_values++], event->values[v]);
	}
	assert_int_equal(n_enter, chunk->n_enter);
	for (uint32_t kind = 0; kind < PH_EVENT_KIND_COUNT; kind++)
		assert_int_equal(ph_chunk_count(reader, kind), counts[kind]);
}

static void
check_chunk(PhChunkReader *reader, const PhChunk *chunk, Walk *walk)
{
	uint32_t depth;
	PhEvent event;
	const PhEvent *events = walk->stream->events + walk->next;
	assert_int_equal(chunk->first_seq, walk->next);
	assert_int_equal(chunk->t_first, events[0].time);
	assert_int_equal(chunk->t_prev, walk->next == 0 ? events[0].time : events[-1].time);
	assert_int_equal(chunk->t_last, events[chunk->n_events - 1].time);
	assert_int_equal(ph_chunk_reader_open(reader, chunk, PH_WANT_ALL), PH_OK);
	const PhOpenCall *stack = ph_chunk_stack(reader, &depth);
	assert_same_calls(stack, depth, walk);
	check_arrays(reader, chunk, events);
	for (uint32_t i = 0; i < chunk->n_events; i++)
	{
		assert_true(ph_chunk_next(reader, &event));
		assert_same_event(&event, &events[i]);
		walk_one(walk);
		const PhOpenCall *open = ph_chunk_open_calls(reader, &depth);
		assert_int_equal(depth, walk->depth);
		if (depth > 0)
			assert_same_call(&open[depth - 1], &walk->open[depth - 1]);
		if (event.kind == PH_EVENT_LEAVE)
			assert_same_call(ph_chunk_closed_call(reader), &walk->closed);
	}
	assert_false(ph_chunk_next(reader, &event));
}

/* What is not wanted is not there; what is wanted does not depend on the rest. */
static void
check_wants(PhChunkReader *reader, const PhChunk *chunk, const PhEvent *events)
{
	for (uint32_t want = 0; want < 16; want++)
	{
		PhEvent event;
		assert_int_equal(ph_chunk_reader_open(reader, chunk, want), PH_OK);
		bool calls = want & PH_WANT_CALLS, times = want & (PH_WANT_CALLS | PH_WANT_TIMES);
		for (uint32_t i = 0; ph_chunk_next(reader, &event); i++)
		{
			bool is_extra = events[i].kind > PH_EVENT_NB_COLLECTIVE_COMPLETE;
			bool operands = want & (is_extra ? PH_WANT_EXTRA : PH_WANT_MESSAGES);
			assert_int_equal(event.kind, events[i].kind);
			assert_int_equal(event.time, times ? events[i].time : PH_NO_TIME);
			assert_int_equal(event.region, calls ? events[i].region : PH_NONE);
			assert_int_equal(event.request, operands ? events[i].request : 0);
		}
		assert_true((ph_chunk_times(reader) != NULL) == times);
		assert_true((ph_chunk_enter_regions(reader) != NULL) == calls);
	}
}

static void
check_stream(const RandomStream *stream)
{
	PhEnv env;
	StoredChunks stored;
	PhChunkReader *reader;
	ph_env_init_malloc(&env);
	uint32_t chunk_events = random_chunk_events(stream->n_events);
	assert_int_equal(stored_chunks_write(&env, stream, 7, chunk_events, &stored), PH_OK);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	Walk walk = {.stream = stream, .open = calloc(stream->n_events + 1, sizeof(PhOpenCall))};
	for (uint32_t i = 0; i < stored.n_chunks; i++)
	{
		assert_int_equal(stored.chunks[i].chunk_no, i);
		assert_int_equal(stored.chunks[i].location, 7);
		check_chunk(reader, &stored.chunks[i], &walk);
	}
	assert_int_equal(walk.next, stream->n_events);
	const PhChunk *any = &stored.chunks[numbers_below(&numbers, stored.n_chunks)];
	check_wants(reader, any, stream->events + any->first_seq);
	free(walk.open);
	ph_chunk_reader_free(reader);
	stored_chunks_free(&stored);
	assert_int_equal(env.bytes, 0);
}

static void
test_round_trips(void **state)
{
	(void) state;
	numbers.state = 1;
	for (uint32_t i = 0; i < N_STREAMS; i++)
	{
		RandomStream stream;
		random_stream(&numbers, random_shape(i % 100 == 0 ? 40000 : 200), &stream);
		check_stream(&stream);
		random_stream_free(&stream);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
