/*
 * runs.c - see runs.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "base/text.h"
#include "replay/costs.h"
#include "replay/runs.h"

PhReplayedRun *
ph_replayed_run(PhTraceRun *trace, bool with_orders)
{
	PhArena *arena = &trace->scratch->arena;
	PhReplayPlan plan = {0};
	PhReplayedRun *run;
	PH_CHECK(arena->env, PH_NEW(arena, 1, &run));
	run->trace = trace;
	run->skeleton = ph_trace_skeleton(trace, with_orders ? PH_KEEP_ENVELOPES : 0);
	PH_CHECK(arena->env,
			 ph_replay_program(arena, run->skeleton, PG_INT64_MIN, PG_INT64_MAX, &run->program));
	PH_CHECK(arena->env, ph_replay_run(arena, run->program, &plan, &run->unchanged));
	return run;
}

PhSpans *
ph_replay_spans(PhTraceRun *trace)
{
	PhSpans *spans;
	PH_CHECK(&trace->scratch->env, ph_spans_new(&trace->scratch->env, &trace->model, &spans));
	return spans;
}

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PH_CHECK(&trace->scratch->env, ph_spans_add_chunk(user, &chunk->chunk, trace->reader));
}

void
ph_replay_read_spans(PhTraceRun *trace, PhSpans *spans)
{
	PhChunkQuery query = {.window = ph_window_all(), .want = PH_WANT_CALLS};
	ph_trace_chunks(trace, &query, add_chunk, spans);
	ph_spans_finish(spans);
}

bool *
ph_replay_regions(PhTraceRun *trace, const char *name)
{
	bool *regions, is_any = false;
	PhArena *arena = &trace->scratch->arena;
	PH_CHECK(arena->env, PH_NEW(arena, trace->model.n_regions, &regions));
	for (uint32 i = 0; i < trace->model.n_regions; i++)
	{
		regions[i] = strcmp(trace->model.regions[i].name, name) == 0;
		is_any = is_any || regions[i];
	}
	return is_any ? regions : NULL;
}

void
ph_replay_no_function(const PhTraceRun *trace, const char *name)
{
	ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
					errmsg("run " INT64_FORMAT " has no function \"%.*s\" in its trace",
						   trace->run_id, ph_text_fit(name, 100), name),
					errhint("A change names a function as the trace does, or the end of a call "
							"path: \"main/solve\".")));
	pg_unreachable();
}
