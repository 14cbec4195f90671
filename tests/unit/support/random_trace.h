/*
 * random_trace.h - random event streams of a location, and chunks kept in memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_RANDOM_TRACE_H
#define SUPPORT_RANDOM_TRACE_H

#include "support/random_profile.h"
#include "trace/chunk/chunk.h"

typedef struct RandomStream
{
	uint32_t n_events;
	PhEvent *events; /* regions as ph_chunk_next gives them */
	uint32_t n_values;
	uint64_t *values; /* behind the events */
} RandomStream;

/* What a stream is like. */
typedef struct RandomStreamShape
{
	uint32_t max_events; /* 1..max_events events */
	uint32_t n_regions;
	bool calls_only;
	bool is_huge;	/* times beyond 2^32 ns, big numbers everywhere */
	bool is_closed; /* every call is left at the end */
} RandomStreamShape;

void random_stream(RandomNumbers *numbers, RandomStreamShape shape, RandomStream *out);
void random_stream_free(RandomStream *stream);

/* Chunks with bytes of their own. */
typedef struct StoredChunks
{
	uint32_t n_chunks, capacity;
	PhChunk *chunks;
} StoredChunks;

/* A PhChunkEmit; user is a StoredChunks, zeroed before the first. */
PhStatus stored_chunks_add(void *user, const PhChunk *chunk);
void stored_chunks_free(StoredChunks *stored);

/* The chunks of a stream; PH_OK unless env fails. */
PhStatus stored_chunks_write(PhEnv *env, const RandomStream *stream, uint32_t location,
							 uint32_t chunk_events, StoredChunks *out) PH_MUST_CHECK;

#endif
