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

/* calls: by number in the launches, region PH_NONE at first. Chunks of threads, opened with CALLS,
 * in any order; moves the reader's cursor. */
void ph_launching_calls_add_chunk(const PhLaunches *launches, PhLaunchingCall *calls,
								  const PhChunk *chunk, PhChunkReader *reader);

#endif
