/*
 * skeletons.c - see skeletons.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "trace/skeletons.h"

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhSkeleton *skeleton = user;
	PhArena arena;
	uint32 n_links;
	ph_arena_init(&arena, &trace->scratch->env);
	const PhLink *links = ph_trace_links(trace, &arena, chunk, &n_links);
	PH_CHECK(&trace->scratch->env,
			 ph_skeleton_add_chunk(skeleton, &chunk->chunk, trace->reader, links, n_links));
	ph_arena_drop(&arena);
}

static PhSkeleton *
read_skeleton(PhTraceRun *trace, bool keep_came)
{
	PhEnv *env = &trace->scratch->env;
	PhChunkQuery query = {.window = ph_window_all(), .with_links = true};
	PhSkeleton *skeleton;
	PH_CHECK(env, ph_skeleton_new(env, &trace->model, &skeleton));
	if (keep_came)
		ph_skeleton_keep_came(skeleton);
	query.want = ph_skeleton_wants(skeleton);
	ph_trace_chunks(trace, &query, add_chunk, skeleton);
	PH_CHECK(env, ph_skeleton_finish(skeleton));
	return skeleton;
}

PhSkeleton *
ph_trace_skeleton(PhTraceRun *trace)
{
	return read_skeleton(trace, false);
}

PhSkeleton *
ph_trace_wait_skeleton(PhTraceRun *trace)
{
	return read_skeleton(trace, true);
}
