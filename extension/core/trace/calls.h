/*
 * calls.h - the calls of one location that overlap a window, one by one.
 *
 * A call's end may be many chunks behind the window. It is looked for in the open calls that every
 * chunk begins with, by galloping: a call of n chunks costs O(log n) looks and one chunk decoded.
 * Memory: the calls of one chunk, and the open ones.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CALLS_H
#define PH_TRACE_CALLS_H

#include "trace/chunk/chunk.h"

#define PH_NO_CALL UINT64_MAX

typedef struct PhTraceCall
{
	uint32_t location;
	uint32_t depth; /* outermost calls are 0 */
	uint32_t region;
	bool is_open;				  /* never left: it ends with the location's last event */
	uint64_t seq;				  /* ordinal of its ENTER within the location */
	uint64_t parent;			  /* seq of the call around it; PH_NO_CALL: none */
	int64_t enter, leave;		  /* leave PH_NO_TIME: never left */
	int64_t inclusive, exclusive; /* of the whole call, not of its part in the window */
} PhTraceCall;

/*
 * The chunks of one location, 0..n_chunks-1. fetch gives a chunk's numbers and its stack, and with
 * PH_WANT_CALLS in want also dt, kind and region (others may be empty); the bytes must be
 * valid until the next fetch.
 */
typedef struct PhChunkSource
{
	uint32_t n_chunks;
	PhStatus (*fetch)(void *user, uint32_t chunk_no, uint32_t want, PhChunk *out);
	void *user;
} PhChunkSource;

typedef PhStatus (*PhCallEmit)(void *user, const PhTraceCall *call);

/*
 * Calls with enter < to and leave >= from (INT64_MIN, INT64_MAX: all), in order of seq: a call
 * before those that it makes.
 */
PhStatus ph_calls_list(PhEnv *env, const PhChunkSource *source, int64_t from, int64_t to,
					   PhCallEmit emit, void *user) PH_MUST_CHECK;

#endif
