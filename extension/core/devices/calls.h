/*
 * calls.h - the calls of the host that launched activities: what they are, and when they ended.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_CALLS_H
#define PH_DEVICES_CALLS_H

#include "trace/chunk/chunk.h"
#include "trace/tree/launches.h"

typedef struct PhLaunchingCall
{
	uint32_t region; /* PH_NONE: it was not met, or not left */
	int64_t enter, leave;
} PhLaunchingCall;

/* Calls that somebody asked for by region, such as those in which the host waits for a device. */
typedef struct PhHostCall
{
	uint32_t location, region;
	int64_t enter, leave;
	uint64_t seq; /* ordinal of its ENTER */
} PhHostCall;

/* Zeroed: none. In memory of env; free with ph_host_calls_free. */
typedef struct PhHostCalls
{
	PH_VECTOR(PhHostCall) list; /* of a location by their ends */
} PhHostCalls;

/* Does a call of this name return only when a device, a stream or an event of it is done? */
bool ph_call_synchronises(const char *name);

/* Calls of a chunk of a thread that are left; wanted: by region, n_regions of them. Chunks are
 * opened with CALLS; moves the reader's cursor. */
PhStatus ph_host_calls_add_chunk(PhEnv *env, PhHostCalls *calls, const bool *wanted,
								 uint32_t n_regions, const PhChunk *chunk,
								 PhChunkReader *reader) PH_MUST_CHECK;
void ph_host_calls_free(PhEnv *env, PhHostCalls *calls);

/* calls: by number in the launches, region PH_NONE at first. Chunks of threads, opened with CALLS,
 * in any order; moves the reader's cursor. */
void ph_launching_calls_add_chunk(const PhLaunches *launches, PhLaunchingCall *calls,
								  const PhChunk *chunk, PhChunkReader *reader);

#endif
