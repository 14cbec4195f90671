/*
 * skeletons.c - see skeletons.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "trace/skeletons.h"

#include "server/query_rows.h"

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

static const char sampled_sql[] =
	"SELECT FROM perfhouse.run AS r WHERE r.run_id = $1 AND r.meta @> '{\"trace.sampled\": true}'";

static void
take_row(void *user, TupleTableSlot *slot)
{
	*(bool *) user = true;
}

/* Calls that were made of samples begin and end when somebody looked. */
static void
refuse_sampled(const PhTraceRun *trace)
{
	bool is_sampled = false;
	ph_query_rows(sampled_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0), take_row,
				  &is_sampled);
	if (is_sampled)
		ereport(
			ERROR,
			(errcode(PH_ERRCODE_UNSUPPORTED),
			 errmsg("the calls of run " INT64_FORMAT "'s trace are made of samples", trace->run_id),
			 errdetail("When they begin and end is an estimate: critical path and waits would "
					   "be artefacts."),
			 errhint("Its profile, timeline and devices answer.")));
}

PhSkeleton *
ph_trace_skeleton(PhTraceRun *trace, uint32 keep)
{
	PhEnv *env = &trace->scratch->env;
	PhChunkQuery query = {.window = ph_window_all(), .with_links = true};
	PhSkeleton *skeleton;
	refuse_sampled(trace);
	PH_CHECK(env, ph_skeleton_new(env, &trace->model, &skeleton));
	ph_skeleton_keep(skeleton, keep);
	query.want = ph_skeleton_wants(skeleton);
	ph_trace_chunks(trace, &query, add_chunk, skeleton);
	PH_CHECK(env, ph_skeleton_finish(skeleton));
	return skeleton;
}
