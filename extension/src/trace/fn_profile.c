/*
 * fn_profile.c - the profile of a window of a trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/compat.h"
#include "trace/args.h"
#include "trace/launches.h"
#include "trace/tree_profile.h"

typedef struct Profiling
{
	PhTreeProfile out;
	PhLaunches launches;
} Profiling;

static void
add_activities(Profiling *profiling, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhTreeProfile *out = &profiling->out;
	PhArena arena;
	ph_arena_init(&arena, out->env);
	const uint32 *launched = ph_trace_launched(trace, &arena, &profiling->launches, chunk);
	PH_CHECK(out->env, ph_trace_tree_add_activities(out->tree, &chunk->chunk, trace->reader,
													launched, out->window.from, out->window.to));
	ph_arena_drop(&arena);
}

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Profiling *profiling = user;
	PhTreeProfile *out = &profiling->out;
	if (ph_location_is_stream(&trace->model.locations[chunk->chunk.location]))
		add_activities(profiling, trace, chunk);
	else
		PH_CHECK(out->env, ph_trace_tree_add_chunk(out->tree, &chunk->chunk, trace->reader,
												   out->window.from, out->window.to));
}

PH_FUNCTION(ph_trace_profile)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PhValue *value = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_METRICS);
	Profiling profiling = {
		.out = {.trace = trace, .window = ph_arg_times(fcinfo, 1), .env = &value->env}};
	PhTreeProfile *out = &profiling.out;
	PH_CHECK(out->env, ph_trace_tree_new(out->env, &trace->model, &out->tree));
	ph_trace_launches(trace, out->env, &profiling.launches);
	PH_CHECK(out->env, ph_trace_tree_launches(out->tree, &profiling.launches));
	PhChunkQuery query = {.window = out->window,
						  .want = ph_trace_tree_wants(out->tree),
						  .from_before = true,
						  .with_launches = trace->n_streams > 0};
	ph_trace_tree_feed(out->tree, &query.window.from, &query.window.to);
	ph_trace_chunks(trace, &query, add_chunk, &profiling);
	PH_CHECK(out->env, ph_trace_tree_settle(out->tree));
	ph_tree_profile_finish(out, value);
	ph_trace_tree_free(out->tree);
	ph_launches_free(out->env, &profiling.launches);
	ph_trace_end(trace);
	PG_RETURN_PH_VALUE(value);
}
