/*
 * launches.h - launches of a trace while it is read: which calls launched something, and what
 * is stored of it beside the chunks of streams.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_TRACE_LAUNCHES_H
#define PH_PIPELINE_TRACE_LAUNCHES_H

#include "readers/trace_source.h"
#include "trace/tree/tree.h"

/* What is to be stored of a location's launches, by chunk; chunks that have none are left out. */
typedef struct PhLaunchChunks
{
	uint32_t n, capacity;
	PhLinkChunk *items;
} PhLaunchChunks;

/* All calls of the source that launched something, sorted; free with ph_launches_free. */
PhStatus ph_trace_launches(PhEnv *env, const PhTraceSource *source, PhLaunches *out) PH_MUST_CHECK;

/* The launches of a stream that is read. */
typedef struct PhLaunchCursor
{
	PhArena arena; /* of one location */
	const PhLink *links;
	uint64_t n, at;
} PhLaunchCursor;

/* A location begins. */
PhStatus ph_launch_cursor_begin(PhLaunchCursor *cursor, const PhTraceSource *source,
								uint32_t location) PH_MUST_CHECK;

/* Of the ENTERs of the location's next chunk, of so many; NULL: not known. */
const PhLink *ph_launch_cursor_links(const PhLaunchCursor *cursor, uint32_t n_enter);

/* The location's next chunk goes into the tree, and its launches to out, in memory of arena. */
PhStatus ph_launch_cursor_chunk(PhLaunchCursor *cursor, const PhLaunches *launches,
								PhTraceTree *tree, const PhChunk *chunk,
								const PhChunkReader *reader, PhArena *arena,
								PhLaunchChunks *out) PH_MUST_CHECK;

#endif
