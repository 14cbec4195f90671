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

#include "support/fault_env.h"
#include "support/random_trace.h"
#include "support/rounds.h"
#include "trace/chunk/codec.h"

#define N_STREAMS rounds(2500)

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

/* reader: open on the chunk, with everything. */
static void
check_open_chunk(PhChunkReader *reader, const PhChunk *chunk, Walk *walk)
{
	uint32_t depth;
	PhEvent event;
	const PhEvent *events = walk->stream->events + walk->next;
	assert_int_equal(chunk->first_seq, walk->next);
	assert_int_equal(chunk->t_first, events[0].time);
	assert_int_equal(chunk->t_prev, walk->next == 0 ? events[0].time : events[-1].time);
	assert_int_equal(chunk->t_last, events[chunk->n_events - 1].time);
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

static void
check_chunk(PhChunkReader *reader, const PhChunk *chunk, Walk *walk)
{
	assert_int_equal(ph_chunk_reader_open(reader, chunk, PH_WANT_ALL), PH_OK);
	check_open_chunk(reader, chunk, walk);
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

/* ---- chunks that are read while their writer has them ---- */

typedef struct Showing
{
	PhChunkWriter *writer;
	PhChunkReader *shown, *decoded;
	Walk walk;
} Showing;

/* The same operands of every list, in the same order. */
static void
assert_same_operands(const Showing *showing, uint32_t kinds, const PhOperandArrays *a,
					 const PhOperandArrays *b)
{
	uint32_t n[10] = {0}, n_values = 0;
	const uint8_t *kind = ph_chunk_kinds(showing->shown);
	for (uint32_t i = 0; i < ph_chunk_n_events(showing->shown); i++)
	{
		uint32_t has = ph_event_operands(kind[i]);
		if (kind[i] <= PH_EVENT_LEAVE ||
			(kind[i] <= PH_EVENT_NB_COLLECTIVE_COMPLETE) != (kinds == 0))
			continue;
		assert_true(!(has & PH_OPERAND_PEER) || a->peer[n[0]] == b->peer[n[0]]);
		assert_true(!(has & PH_OPERAND_COMM) || a->comm[n[1]] == b->comm[n[1]]);
		assert_true(!(has & PH_OPERAND_TAG) || a->tag[n[2]] == b->tag[n[2]]);
		assert_true(!(has & PH_OPERAND_BYTES) || a->bytes[n[3]] == b->bytes[n[3]]);
		assert_true(!(has & PH_OPERAND_RECEIVED) ||
					a->bytes_received[n[4]] == b->bytes_received[n[4]]);
		assert_true(!(has & PH_OPERAND_REQUEST) || a->request[n[5]] == b->request[n[5]]);
		assert_true(!(has & PH_OPERAND_OPERATION) || a->operation[n[6]] == b->operation[n[6]]);
		assert_true(!(has & PH_OPERAND_ROOT) || a->root[n[7]] == b->root[n[7]]);
		assert_true(!(has & PH_OPERAND_VALUES) || a->n_values[n[8]] == b->n_values[n[8]]);
		n_values += has & PH_OPERAND_VALUES ? a->n_values[n[8]] : 0;
		for (uint32_t bit = 0; bit < 9; bit++)
			n[bit] += has >> (bit + 1) & 1;
	}
	for (uint32_t i = 0; i < n_values; i++)
		assert_int_equal(a->values[i], b->values[i]);
}

static PhStatus
show_chunk(void *user, const PhChunk *chunk)
{
	Showing *showing = user;
	assert_int_equal(ph_chunk_writer_show(showing->writer, chunk, showing->shown), PH_OK);
	assert_int_equal(ph_chunk_reader_open(showing->decoded, chunk, PH_WANT_ALL), PH_OK);
	assert_same_operands(showing, 0, ph_chunk_messages(showing->shown),
						 ph_chunk_messages(showing->decoded));
	assert_same_operands(showing, 1, ph_chunk_extras(showing->shown),
						 ph_chunk_extras(showing->decoded));
	check_open_chunk(showing->shown, chunk, &showing->walk);
	return PH_OK;
}

static void
check_shown_stream(const RandomStream *stream)
{
	PhEnv env;
	Showing showing = {.walk = {.stream = stream}};
	ph_env_init_malloc(&env);
	showing.walk.open = calloc(stream->n_events + 1, sizeof(PhOpenCall));
	assert_int_equal(ph_chunk_reader_new(&env, &showing.shown), PH_OK);
	assert_int_equal(ph_chunk_reader_new(&env, &showing.decoded), PH_OK);
	assert_int_equal(ph_chunk_writer_new(&env, 7, random_chunk_events(stream->n_events), show_chunk,
										 &showing, &showing.writer),
					 PH_OK);
	for (uint32_t i = 0; i < stream->n_events; i++)
	{
		const PhEvent *event = &stream->events[i];
		PhStatus status =
			ph_event_operands(event->kind) == PH_OPERAND_REQUEST
				? ph_chunk_writer_request(showing.writer, event->time, event->kind, event->request)
				: ph_chunk_writer_event(showing.writer, event);
		assert_int_equal(status, PH_OK);
	}
	assert_int_equal(ph_chunk_writer_request(showing.writer, 0, PH_EVENT_IRECV, 1), PH_ERR_VALUE);
	assert_int_equal(ph_chunk_writer_finish(showing.writer), PH_OK);
	assert_int_equal(showing.walk.next, stream->n_events);
	ph_chunk_writer_free(showing.writer);
	ph_chunk_reader_free(showing.shown);
	ph_chunk_reader_free(showing.decoded);
	free(showing.walk.open);
	assert_int_equal(env.bytes, 0);
}

static void
test_shown_chunks(void **state)
{
	(void) state;
	numbers.state = 77;
	for (uint32_t i = 0; i < N_STREAMS; i++)
	{
		RandomStream stream;
		random_stream(&numbers, random_shape(i % 100 == 0 ? 40000 : 200), &stream);
		check_shown_stream(&stream);
		random_stream_free(&stream);
	}
}

/* ---- bytes and numbers that are not what they should be ---- */

/* Read all there is; a sanitizer looks on. Times and calls must be possible ones. */
static void
read_all(PhChunkReader *reader, const PhChunk *chunk)
{
	PhEvent event;
	int64_t last = chunk->t_prev;
	uint64_t sum = 0;
	for (uint32_t i = 0; ph_chunk_next(reader, &event); i++)
	{
		assert_true(event.time >= last);
		last = event.time;
		for (uint32_t v = 0; v < event.n_values; v++)
			sum += event.values[v];
		const PhOpenCall *closed = ph_chunk_closed_call(reader);
		if (event.kind == PH_EVENT_LEAVE)
			assert_true(closed->callee_time >= 0 &&
						closed->callee_time <= event.time - closed->enter);
	}
	assert_int_equal(last, chunk->t_last);
	(void) sum;
}

static PhStatus
try_chunk(PhChunkReader *reader, const PhChunk *chunk)
{
	uint32_t depth;
	PhStatus status = ph_chunk_reader_open(reader, chunk, PH_WANT_ALL);
	if (status == PH_OK)
		read_all(reader, chunk);
	else
	{
		PhEvent event;
		assert_int_equal(status, PH_ERR_FORMAT);
		assert_false(ph_chunk_next(reader, &event));
	}
	PhStatus stack_status = ph_chunk_reader_open_stack(reader, chunk);
	assert_true(stack_status == PH_OK || status == PH_ERR_FORMAT);
	ph_chunk_stack(reader, &depth);
	return status;
}

/* Every prefix of every column, and every byte changed. */
static void
damage_columns(PhChunkReader *reader, const PhChunk *chunk)
{
	PhChunk damaged = *chunk;
	PhBytes *columns[] = {&damaged.stack,  &damaged.dt,	 &damaged.kind,
						  &damaged.region, &damaged.msg, &damaged.extra};
	for (uint32_t c = 0; c < 6; c++)
	{
		PhBytes whole = *columns[c];
		for (size_t size = 0; size < whole.size; size++)
		{
			uint8_t *prefix = malloc(size + 1), *changed = malloc(whole.size);
			memcpy(prefix, whole.data, size);
			memcpy(changed, whole.data, whole.size);
			changed[size] ^= (uint8_t) (1 + numbers_below(&numbers, 255));
			*columns[c] = (PhBytes){prefix, size};
			assert_int_equal(try_chunk(reader, &damaged), PH_ERR_FORMAT);
			*columns[c] = (PhBytes){changed, whole.size};
			try_chunk(reader, &damaged);
			free(prefix);
			free(changed);
		}
		*columns[c] = whole;
	}
}

static uint64_t
another_number(uint64_t number)
{
	static const uint64_t odd[] = {0, 1, UINT32_MAX, INT64_MAX, UINT64_MAX, (uint64_t) 1 << 62};
	uint32_t which = numbers_below(&numbers, 8);
	uint64_t other = which < 6 ? odd[which] : which == 6 ? number + 1 : number - 1;
	return other == number ? number + 2 : other;
}

/* All but the place of a chunk among others is in its columns too. */
static void
damage_numbers(PhChunkReader *reader, const PhChunk *chunk)
{
	for (uint32_t i = 0; i < 48; i++)
	{
		PhChunk damaged = *chunk;
		uint32_t *small[] = {&damaged.n_events, &damaged.n_enter, &damaged.n_message};
		int64_t *times[] = {&damaged.t_prev, &damaged.t_first, &damaged.t_last};
		if (i % 2 == 0)
			*small[i / 2 % 3] = (uint32_t) another_number(*small[i / 2 % 3]);
		else
			*times[i / 2 % 3] = (int64_t) another_number((uint64_t) *times[i / 2 % 3]);
		if (memcmp(&damaged, chunk, sizeof(damaged)) != 0)
			assert_int_equal(try_chunk(reader, &damaged), PH_ERR_FORMAT);
	}
	PhChunk late = *chunk;
	late.first_seq = INT64_MAX;
	assert_int_equal(try_chunk(reader, &late), PH_ERR_FORMAT);
}

static void
test_damage(void **state)
{
	(void) state;
	numbers.state = 20;
	for (uint32_t i = 0; i < 60; i++)
	{
		PhEnv env;
		RandomStream stream;
		StoredChunks stored;
		PhChunkReader *reader;
		ph_env_init_malloc(&env);
		env.byte_limit = (size_t) 64 << 20;
		random_stream(&numbers, random_shape(i < 50 ? 60 : 600), &stream);
		assert_int_equal(stored_chunks_write(&env, &stream, 1, 1 + stream.n_events / 2, &stored),
						 PH_OK);
		assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
		const PhChunk *chunk = &stored.chunks[stored.n_chunks - 1];
		damage_columns(reader, chunk);
		damage_numbers(reader, chunk);
		assert_int_equal(try_chunk(reader, chunk), PH_OK);
		ph_chunk_reader_free(reader);
		stored_chunks_free(&stored);
		random_stream_free(&stream);
		assert_int_equal(env.bytes, 0);
	}
}

static void
test_other_format(void **state)
{
	(void) state;
	PhEnv env;
	PhChunkReader *reader;
	PhChunk chunk = {.format = PH_CHUNK_FORMAT + 1, .n_events = 1};
	ph_env_init_malloc(&env);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	assert_int_equal(ph_chunk_reader_open(reader, &chunk, PH_WANT_ALL), PH_ERR_UNSUPPORTED);
	assert_string_equal(env.error.message,
						"event chunks of format 2 cannot be read, only of format 1");
	ph_chunk_reader_free(reader);
}

/* ---- what a writer refuses ---- */

typedef struct Refused
{
	PhStatus status;
	const char *message;
	uint32_t n;
	PhEvent events[4];
} Refused;

static PhStatus
write_refused(PhEnv *env, const Refused *refused)
{
	StoredChunks stored = {0};
	PhChunkWriter *writer;
	PH_TRY(ph_chunk_writer_new(env, 0, 0, stored_chunks_add, &stored, &writer));
	PhStatus status = PH_OK;
	for (uint32_t i = 0; i < refused->n && status == PH_OK; i++)
	{
		status = ph_chunk_writer_event(writer, &refused->events[i]);
		assert_true(i + 1 == refused->n || status == PH_OK);
	}
	ph_chunk_writer_free(writer);
	stored_chunks_free(&stored);
	return status;
}

static void
test_refused_events(void **state)
{
	(void) state;
	static const Refused cases[] = {
		{PH_ERR_FORMAT,
		 "time runs backwards by 7 ns: from 10 to 3",
		 2,
		 {{.time = 10, .kind = PH_EVENT_ENTER}, {.time = 3, .kind = PH_EVENT_LEAVE}}},
		{PH_ERR_FORMAT,
		 "time -1 is before the trace's first event",
		 1,
		 {{.time = -1, .kind = PH_EVENT_ENTER}}},
		{PH_ERR_FORMAT,
		 "a region is left, but none was entered",
		 1,
		 {{.time = 0, .kind = PH_EVENT_LEAVE, .region = 4}}},
		{PH_ERR_FORMAT,
		 "region 4 is left, but region 5 was entered last",
		 2,
		 {{.kind = PH_EVENT_ENTER, .region = 5}, {.kind = PH_EVENT_LEAVE, .region = 4}}},
		{PH_ERR_LIMIT,
		 "region 4194304 is beyond the 4194304 that a trace may have",
		 1,
		 {{.kind = PH_EVENT_ENTER, .region = PH_CHUNK_MAX_REGION}}},
		{PH_ERR_LIMIT,
		 "a record of 1000000 values, more than 131072",
		 1,
		 {{.kind = PH_EVENT_METRIC, .n_values = 1000000}}},
		{PH_ERR_VALUE, "there is no event kind 21", 1, {{.kind = PH_EVENT_KIND_COUNT}}},
		{PH_OK,
		 "",
		 4,
		 {{.kind = PH_EVENT_ENTER, .region = 5},
		  {.kind = PH_EVENT_ENTER, .region = PH_CHUNK_MAX_REGION - 1},
		  {.kind = PH_EVENT_LEAVE, .region = PH_NONE},
		  {.kind = PH_EVENT_LEAVE, .region = 5}}},
	};
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		PhEnv env;
		ph_env_init_malloc(&env);
		assert_int_equal(write_refused(&env, &cases[i]), cases[i].status);
		assert_string_equal(env.error.message, cases[i].message);
		assert_int_equal(env.bytes, 0);
	}
}

static void
test_refused_chunk_size(void **state)
{
	(void) state;
	PhEnv env;
	PhChunkWriter *writer;
	ph_env_init_malloc(&env);
	assert_int_equal(
		ph_chunk_writer_new(&env, 0, PH_CHUNK_MAX_EVENTS + 1, stored_chunks_add, NULL, &writer),
		PH_ERR_LIMIT);
}

/* ---- extremes ---- */

static void
test_deep_calls(void **state)
{
	(void) state;
	PhEnv env;
	uint32_t depth = 100000;
	RandomStream stream = {.events = calloc(2 * (size_t) depth, sizeof(PhEvent))};
	ph_env_init_malloc(&env);
	for (uint32_t i = 0; i < 2 * depth; i++)
		stream.events[stream.n_events++] =
			(PhEvent){.time = i,
					  .kind = i < depth ? PH_EVENT_ENTER : PH_EVENT_LEAVE,
					  .region = i < depth ? i % 7 : (2 * depth - 1 - i) % 7,
					  .peer = PH_NONE,
					  .comm = PH_NONE,
					  .root = PH_NONE};
	StoredChunks stored;
	PhChunkReader *reader;
	assert_int_equal(stored_chunks_write(&env, &stream, 7, 0, &stored), PH_OK);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	Walk walk = {.stream = &stream, .open = calloc(depth, sizeof(PhOpenCall))};
	for (uint32_t i = 0; i < stored.n_chunks; i++)
		check_chunk(reader, &stored.chunks[i], &walk);
	free(walk.open);
	ph_chunk_reader_free(reader);
	stored_chunks_free(&stored);
	free(stream.events);
}

static void
test_too_deep_calls(void **state)
{
	(void) state;
	PhEnv env;
	StoredChunks stored = {0};
	PhChunkWriter *writer;
	PhStatus status = PH_OK;
	ph_env_init_malloc(&env);
	assert_int_equal(
		ph_chunk_writer_new(&env, 0, PH_CHUNK_MAX_EVENTS, stored_chunks_add, &stored, &writer),
		PH_OK);
	for (uint32_t i = 0; i <= PH_CHUNK_MAX_DEPTH && status == PH_OK; i++)
		status = ph_chunk_writer_enter(writer, 0, 0);
	assert_int_equal(status, PH_ERR_LIMIT);
	assert_int_equal(ph_chunk_writer_open_calls(writer), PH_CHUNK_MAX_DEPTH);
	assert_int_equal(ph_chunk_writer_events(writer), PH_CHUNK_MAX_DEPTH);
	ph_chunk_writer_free(writer);
	stored_chunks_free(&stored);
}

/* Records with many values end a chunk early. */
static void
test_many_values(void **state)
{
	(void) state;
	enum
	{
		N_VALUES = 1000,
		N_RECORDS = 600
	};
	PhEnv env;
	RandomStream stream = {.events = calloc(N_RECORDS, sizeof(PhEvent)),
						   .values = calloc(N_VALUES, sizeof(uint64_t))};
	ph_env_init_malloc(&env);
	for (uint32_t i = 0; i < N_VALUES; i++)
		stream.values[i] = (uint64_t) i << (i % 50);
	for (uint32_t i = 0; i < N_RECORDS; i++)
		stream.events[stream.n_events++] = (PhEvent){.time = i,
													 .kind = PH_EVENT_METRIC,
													 .region = PH_NONE,
													 .peer = PH_NONE,
													 .comm = PH_NONE,
													 .root = PH_NONE,
													 .n_values = N_VALUES,
													 .values = stream.values};
	StoredChunks stored;
	PhChunkReader *reader;
	assert_int_equal(stored_chunks_write(&env, &stream, 7, 0, &stored), PH_OK);
	assert_int_equal(stored.n_chunks, 5);
	assert_int_equal(ph_chunk_reader_new(&env, &reader), PH_OK);
	Walk walk = {.stream = &stream};
	for (uint32_t i = 0; i < stored.n_chunks; i++)
		check_chunk(reader, &stored.chunks[i], &walk);
	ph_chunk_reader_free(reader);
	stored_chunks_free(&stored);
	random_stream_free(&stream);
}

/* ---- faults ---- */

/* Emits nothing: its own allocations are not at stake. */
static PhStatus
drop_chunk(void *user, const PhChunk *chunk)
{
	*(uint32_t *) user += chunk->n_events;
	return PH_OK;
}

static PhStatus
write_work(PhEnv *env, void *user)
{
	const RandomStream *stream = user;
	PhChunkWriter *writer;
	uint32_t n = 0;
	PH_TRY(ph_chunk_writer_new(env, 0, 50, drop_chunk, &n, &writer));
	PhStatus status = PH_OK;
	for (uint32_t i = 0; i < stream->n_events && status == PH_OK; i++)
		status = ph_chunk_writer_event(writer, &stream->events[i]);
	if (status == PH_OK)
		status = ph_chunk_writer_finish(writer);
	ph_chunk_writer_free(writer);
	return status;
}

static PhStatus
read_work(PhEnv *env, void *user)
{
	const StoredChunks *stored = user;
	PhChunkReader *reader;
	PH_TRY(ph_chunk_reader_new(env, &reader));
	PhStatus status = PH_OK;
	for (uint32_t i = 0; i < stored->n_chunks && status == PH_OK; i++)
		status = ph_chunk_reader_open(reader, &stored->chunks[i], PH_WANT_ALL);
	ph_chunk_reader_free(reader);
	return status;
}

static void
test_faults(void **state)
{
	(void) state;
	PhEnv env;
	RandomStream stream;
	StoredChunks stored;
	RandomStreamShape shape = {.max_events = 600, .n_regions = 9, .is_huge = true};
	numbers.state = 22;
	ph_env_init_malloc(&env);
	random_stream(&numbers, shape, &stream);
	assert_true(stream.n_events > 200);
	assert_int_equal(stored_chunks_write(&env, &stream, 1, 100, &stored), PH_OK);
	assert_string_equal(fault_env_try_allocations(write_work, &stream, 0), "");
	assert_string_equal(fault_env_try_allocations(read_work, &stored, 0), "");
	stored_chunks_free(&stored);
	random_stream_free(&stream);
}

static PhStatus
refuse(void *user, const PhChunk *chunk)
{
	(void) user;
	return chunk->chunk_no == 1 ? PH_ERR_CONFLICT : PH_OK;
}

/* What the receiver of chunks says is said on. */
static void
test_refused_chunks(void **state)
{
	(void) state;
	PhEnv env;
	PhChunkWriter *writer;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_chunk_writer_new(&env, 0, 2, refuse, NULL, &writer), PH_OK);
	for (int64_t i = 0; i < 3; i++)
		assert_int_equal(ph_chunk_writer_enter(writer, i, 0), PH_OK);
	assert_int_equal(ph_chunk_writer_enter(writer, 3, 0), PH_ERR_CONFLICT);
	ph_chunk_writer_free(writer);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),	   cmocka_unit_test(test_shown_chunks),
		cmocka_unit_test(test_damage),		   cmocka_unit_test(test_other_format),
		cmocka_unit_test(test_refused_events), cmocka_unit_test(test_refused_chunk_size),
		cmocka_unit_test(test_deep_calls),	   cmocka_unit_test(test_too_deep_calls),
		cmocka_unit_test(test_many_values),	   cmocka_unit_test(test_faults),
		cmocka_unit_test(test_refused_chunks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
