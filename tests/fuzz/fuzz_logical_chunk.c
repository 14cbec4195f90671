/*
 * fuzz_logical_chunk.c - a chunk of logical time from arbitrary bytes: an error, or sound events
 * that come back the same when they are encoded and decoded again.
 *
 * Input: numbers of events and messages, then four sizes, two bytes each; then the groups' bytes.
 * Of format 2 the number of events has its highest bit, and one more byte is how many locations.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "logical/store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static PhBytes
take_group(PhByteReader *reader, size_t size)
{
	if (size > ph_left(reader))
		size = ph_left(reader);
	const uint8_t *bytes = ph_take(reader, size);
	return (PhBytes){bytes, bytes != NULL ? size : 0};
}

static void
read_chunk(PhByteReader *reader, PhLogicalChunk *chunk)
{
	size_t sizes[4];
	*chunk = (PhLogicalChunk){.format = PH_LOGICAL_FORMAT};
	chunk->n_events = (uint32_t) ph_get(reader, 2);
	chunk->n_ends = (uint32_t) ph_get(reader, 2);
	chunk->n_members = 1;
	if (chunk->n_events >> 15 != 0)
	{
		chunk->n_events &= 0x7fff;
		chunk->format = PH_LOGICAL_BLOCK_FORMAT;
		chunk->n_members = (uint32_t) ph_get(reader, 1);
	}
	for (int group = 0; group < 4; group++)
		sizes[group] = (size_t) ph_get(reader, 2);
	chunk->places = take_group(reader, sizes[0]);
	chunk->metrics = take_group(reader, sizes[1]);
	chunk->causes = take_group(reader, sizes[2]);
	chunk->ends = take_group(reader, sizes[3]);
	chunk->counters = take_group(reader, ph_left(reader));
	chunk->tasks = chunk->counters; /* either may be sound */
}

static void
must_be_sound(const PhLogicalEvents *events)
{
	uint64_t ends = 0;
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		ends += events->ends_of[i];
		if (events->kind[i] > PH_COMM_COLLECTIVE || events->enter[i] < 0 || events->leave[i] < 0)
			abort();
	}
	if (ends != events->n_ends)
		abort();
	for (uint32_t i = 0; i < events->n_events && events->processor != NULL; i++)
		if (events->share[i] < 0 || events->idle[i] < 0 || events->imbalance[i] < 0)
			abort();
}

/* Bytes of the events' times and values, in a sum that any change of theirs changes. */
static uint64_t
digest(const PhLogicalEvents *events)
{
	uint64_t sum = events->n_events;
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		sum = sum * 31 + (uint64_t) events->enter[i];
		sum = sum * 31 + (uint64_t) events->leave[i];
		sum = sum * 31 + events->step[i];
		for (int m = 0; m < PH_LOGICAL_METRICS; m++)
			sum = sum * 31 + (uint64_t) (events->value[m][i] ^ events->aggregate[m][i]);
	}
	for (uint32_t i = 0; i < events->n_events && events->processor != NULL; i++)
		sum = sum * 31 + ((uint64_t) (events->share[i] ^ events->idle[i] ^ events->imbalance[i]) ^
						  events->processor[i] ^ events->block[i]);
	for (uint32_t e = 0; e < events->n_ends; e++)
		sum = sum * 31 + (events->peer_seq[e] ^ events->bytes[e] ^ (uint64_t) events->tag[e]);
	return sum;
}

static void
must_come_back(PhEnv *env, PhLogicalCodec *codec, const PhLogicalEvents *events)
{
	PhLogicalCodec *other;
	PhLogicalChunk chunk;
	PhLogicalEvents again;
	if (ph_logical_codec_new(env, &other) != PH_OK ||
		ph_logical_encode(other, events, &chunk) != PH_OK)
		abort();
	uint64_t expected = digest(events);
	if (ph_logical_decode(codec, &chunk, PH_LOGICAL_WANT_ALL, &again) != PH_OK ||
		digest(&again) != expected)
		abort();
	ph_logical_codec_free(other);
}

static void
block_must_come_back(PhEnv *env, PhLogicalCodec *codec, const PhLogicalBlock *block)
{
	PhLogicalCodec *other;
	PhLogicalChunk chunk;
	PhLogicalBlock again;
	if (ph_logical_codec_new(env, &other) != PH_OK ||
		ph_logical_encode_block(other, block, &chunk) != PH_OK)
		abort();
	uint64_t expected = digest(&block->events);
	uint32_t n_members = block->n_members;
	if (ph_logical_decode_block(codec, &chunk, PH_LOGICAL_WANT_ALL, &again) != PH_OK ||
		digest(&again.events) != expected || again.n_members != n_members)
		abort();
	ph_logical_codec_free(other);
}

static void
try_block(PhEnv *env, PhLogicalCodec *codec, const PhLogicalChunk *chunk)
{
	PhLogicalBlock block;
	if (ph_logical_decode_block(codec, chunk, PH_LOGICAL_WANT_ALL, &block) != PH_OK)
		return;
	must_be_sound(&block.events);
	if (block.first_event[block.n_members] != block.events.n_events ||
		block.first_end[block.n_members] != block.events.n_ends)
		abort();
	block_must_come_back(env, codec, &block);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhLogicalCodec *codec;
	PhLogicalChunk chunk;
	PhLogicalEvents events;
	PhByteReader reader = {data, data, data + size, false};
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	read_chunk(&reader, &chunk);
	if (ph_logical_codec_new(&env, &codec) != PH_OK)
		abort();
	uint32_t want = PH_LOGICAL_WANT_ALL & ~(chunk.n_ends % 2 != 0 ? (uint32_t) PH_LOGICAL_WANT_TASKS
																  : PH_LOGICAL_WANT_COUNTERS);
	if (chunk.format == PH_LOGICAL_BLOCK_FORMAT)
		try_block(&env, codec, &chunk);
	else if (ph_logical_decode(codec, &chunk, want, &events) == PH_OK)
	{
		must_be_sound(&events);
		must_come_back(&env, codec, &events);
	}
	ph_logical_codec_free(codec);
	if (env.bytes != 0)
		abort();
	return 0;
}
