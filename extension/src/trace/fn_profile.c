/*
 * fn_profile.c - the profile of a window of a trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/compat.h"
#include "trace/args.h"
#include "trace/tree_profile.h"

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhTreeProfile *out = user;
	PH_CHECK(out->env, ph_trace_tree_add_chunk(out->tree, &chunk->chunk, trace->reader,
											   out->window.from, out->window.to));
}

PH_FUNCTION(ph_trace_profile)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PhValue *value = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_METRICS);
	PhTreeProfile out = {.trace = trace, .window = ph_arg_times(fcinfo, 1), .env = &value->env};
	PH_CHECK(out.env, ph_trace_tree_new(out.env, &trace->model, &out.tree));
	PhChunkQuery query = {
		.window = out.window, .want = ph_trace_tree_wants(out.tree), .from_before = true};
	ph_trace_tree_feed(out.tree, &query.window.from, &query.window.to);
	ph_trace_chunks(trace, &query, add_chunk, &out);
	PH_CHECK(out.env, ph_trace_tree_settle(out.tree));
	ph_tree_profile_finish(&out, value);
	ph_trace_tree_free(out.tree);
	ph_trace_end(trace);
	PG_RETURN_PH_VALUE(value);
}
