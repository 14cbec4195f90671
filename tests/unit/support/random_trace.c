/*
 * random_trace.c - see random_trace.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/random_trace.h"

#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 20

typedef struct Maker
{
	RandomNumbers *numbers;
	RandomStreamShape shape;
	RandomStream *stream;
	int64_t time;
	uint32_t depth;
	uint32_t *open; /* regions */
	uint32_t habit; /* how likely it goes deeper */
} Maker;

static uint64_t
random_number(Maker *maker, uint32_t usual)
{
	RandomNumbers *numbers = maker->numbers;
	if (!maker->shape.is_huge || numbers_below(numbers, 4) > 0)
		return numbers_below(numbers, usual);
	uint64_t high = numbers_below(numbers, UINT32_MAX), low = numbers_below(numbers, UINT32_MAX);
	return (high << 32 | low) >> numbers_below(numbers, 64);
}

static uint32_t
random_rank(Maker *maker)
{
	uint32_t rank = numbers_below(maker->numbers, 9);
	return rank == 8 ? PH_NONE : maker->shape.is_huge && rank == 7 ? PH_NONE - 1 : rank;
}

static void
step(Maker *maker)
{
	static const uint32_t steps[] = {1, 2, 300, 70000, 20000000, 4000000000u};
	uint32_t most = steps[numbers_below(maker->numbers, maker->shape.is_huge ? 6 : 4)];
	uint64_t delta = numbers_below(maker->numbers, most);
	if (maker->shape.is_huge && numbers_below(maker->numbers, 50) == 0)
		delta = (uint64_t) numbers_below(maker->numbers, 1 << 20) << 32 | delta;
	maker->time += (int64_t) delta;
}

static uint32_t
random_kind(Maker *maker, bool last)
{
	if (maker->shape.is_closed && last && maker->depth > 0)
		return PH_EVENT_LEAVE;
	if (!maker->shape.calls_only && numbers_below(maker->numbers, 3) == 0)
		return PH_EVENT_SEND + numbers_below(maker->numbers, PH_EVENT_KIND_COUNT - PH_EVENT_SEND);
	if (maker->depth == 0 || numbers_below(maker->numbers, 100) < maker->habit)
		return PH_EVENT_ENTER;
	return PH_EVENT_LEAVE;
}

static void
set_operands(Maker *maker, PhEvent *event)
{
	uint32_t has = ph_event_operands(event->kind);
	RandomStream *stream = maker->stream;
	if (has & PH_OPERAND_PEER)
		event->peer = random_rank(maker);
	if (has & PH_OPERAND_COMM)
		event->comm = random_rank(maker);
	if (has & PH_OPERAND_ROOT)
		event->root = random_rank(maker);
	if (has & PH_OPERAND_TAG)
		event->tag = (int32_t) random_number(maker, 1000) - 3;
	if (has & PH_OPERAND_BYTES)
		event->bytes = random_number(maker, 1 << 16);
	if (has & PH_OPERAND_RECEIVED)
		event->bytes_received = random_number(maker, 1 << 16);
	if (has & PH_OPERAND_REQUEST)
		event->request = random_number(maker, 50);
	if (has & PH_OPERAND_OPERATION)
		event->operation = (uint32_t) random_number(maker, 30);
	if (has & PH_OPERAND_VALUES)
		event->n_values = numbers_below(maker->numbers, MOST_VALUES);
	event->values = stream->values + stream->n_values;
	for (uint32_t i = 0; i < event->n_values; i++)
		stream->values[stream->n_values++] = random_number(maker, 100000);
}

static void
add_event(Maker *maker, bool last)
{
	PhEvent *event = &maker->stream->events[maker->stream->n_events++];
	*event = (PhEvent){.kind = random_kind(maker, last),
					   .region = PH_NONE,
					   .peer = PH_NONE,
					   .comm = PH_NONE,
					   .root = PH_NONE};
	step(maker);
	event->time = maker->time;
	if (event->kind == PH_EVENT_ENTER)
		maker->open[maker->depth++] = numbers_below(maker->numbers, maker->shape.n_regions);
	if (maker->depth > 0)
		event->region = maker->open[maker->depth - 1];
	if (event->kind == PH_EVENT_LEAVE)
		maker->depth--;
	else if (event->kind != PH_EVENT_ENTER)
		set_operands(maker, event);
}

void
random_stream(RandomNumbers *numbers, RandomStreamShape shape, RandomStream *out)
{
	static const uint32_t habits[] = {50, 50, 50, 40, 70, 95, 55};
	uint32_t n = 1 + numbers_below(numbers, shape.max_events);
	Maker maker = {.numbers = numbers, .shape = shape, .stream = out};
	*out = (RandomStream){.events = calloc(2 * (size_t) n, sizeof(PhEvent)),
						  .values = calloc((size_t) n, MOST_VALUES * sizeof(uint64_t))};
	maker.open = calloc(n, sizeof(uint32_t));
	maker.habit = habits[numbers_below(numbers, 7)];
	maker.time = numbers_below(numbers, 2) == 0 ? 0 : (int64_t) random_number(&maker, 1000) / 4;
	while (out->n_events < n)
		add_event(&maker, false);
	while (shape.is_closed && maker.depth > 0)
		add_event(&maker, true);
	free(maker.open);
}

void
random_stream_free(RandomStream *stream)
{
	free(stream->events);
	free(stream->values);
	*stream = (RandomStream){0};
}

static PhBytes
copy_of(PhBytes bytes)
{
	/* exactly as long, so that a sanitizer sees what reads behind it */
	uint8_t *data = malloc(bytes.size > 0 ? bytes.size : 1);
	if (bytes.size > 0)
		memcpy(data, bytes.data, bytes.size);
	return (PhBytes){data, bytes.size};
}

PhStatus
stored_chunks_add(void *user, const PhChunk *chunk)
{
	StoredChunks *stored = user;
	if (stored->n_chunks == stored->capacity)
	{
		stored->capacity = 2 * stored->capacity + 4;
		stored->chunks = realloc(stored->chunks, stored->capacity * sizeof(PhChunk));
	}
	PhChunk *copy = &stored->chunks[stored->n_chunks++];
	*copy = *chunk;
	copy->stack = copy_of(chunk->stack);
	copy->dt = copy_of(chunk->dt);
	copy->kind = copy_of(chunk->kind);
	copy->region = copy_of(chunk->region);
	copy->msg = copy_of(chunk->msg);
	copy->extra = copy_of(chunk->extra);
	return PH_OK;
}

void
stored_chunks_free(StoredChunks *stored)
{
	for (uint32_t i = 0; i < stored->n_chunks; i++)
	{
		const PhChunk *chunk = &stored->chunks[i];
		const PhBytes columns[] = {chunk->stack,  chunk->dt,  chunk->kind,
								   chunk->region, chunk->msg, chunk->extra};
		for (uint32_t c = 0; c < 6; c++)
			free((void *) (uintptr_t) columns[c].data);
	}
	free(stored->chunks);
	*stored = (StoredChunks){0};
}

static PhStatus
write_events(PhChunkWriter *writer, const RandomStream *stream)
{
	for (uint32_t i = 0; i < stream->n_events; i++)
		PH_TRY(ph_chunk_writer_event(writer, &stream->events[i]));
	return ph_chunk_writer_finish(writer);
}

PhStatus
stored_chunks_write(PhEnv *env, const RandomStream *stream, uint32_t location,
					uint32_t chunk_events, StoredChunks *out)
{
	PhChunkWriter *writer;
	*out = (StoredChunks){0};
	PH_TRY(ph_chunk_writer_new(env, location, chunk_events, stored_chunks_add, out, &writer));
	PhStatus status = write_events(writer, stream);
	ph_chunk_writer_free(writer);
	return status;
}
