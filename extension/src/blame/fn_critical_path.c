/*
 * fn_critical_path.c - the critical path of a trace as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "blame/critical_path.h"
#include "blame/stored_dependences.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/skeletons.h"

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	PhCriticalPath *path = user;
	if (!ph_critical_path_wants(path, &chunk->chunk))
		return;
	ph_trace_open(trace, chunk, PH_WANT_CALLS);
	PH_CHECK(&trace->scratch->env, ph_critical_path_add_chunk(path, &chunk->chunk, trace->reader));
}

static int32
rank_of(const PhTraceRun *trace, uint32 location)
{
	return location == PH_NONE ? PH_NO_NUMBER : trace->model.locations[location].rank;
}

/* A segment that is not merged is all of one kind. */
static void
put_times(PhRows *rows, const PhPathSegment *segment)
{
	static const char *const columns[PH_PATH_KIND_COUNT] = {[PH_PATH_COMPUTE] = "compute",
															[PH_PATH_MESSAGE] = "message",
															[PH_PATH_COLLECTIVE] = "collective",
															[PH_PATH_WAIT] = "waiting"};
	for (int kind = 0; kind < PH_PATH_KIND_COUNT; kind++)
	{
		int64 time = segment->kind == (PhPathKind) kind ? segment->to - segment->from : 0;
		ph_rows_bigint(rows, columns[kind], segment->n_merged > 0 ? segment->time[kind] : time);
	}
	ph_rows_int(rows, "segments", (int32) Max(segment->n_merged, 1));
}

static void
put_segment(PhRows *rows, const PhTraceRun *trace, const PhPathSegment *segment, uint32 step)
{
	ph_rows_int(rows, "step", (int32) step);
	ph_rows_index(rows, "location", segment->location);
	ph_rows_known(rows, "rank", rank_of(trace, segment->location));
	ph_rows_known(rows, "thread", trace->model.locations[segment->location].thread);
	ph_rows_bigint(rows, "t_from", segment->from);
	ph_rows_bigint(rows, "t_to", segment->to);
	ph_rows_text(rows, "region", ph_trace_region_name(trace, segment->region));
	ph_rows_text(rows, "kind", ph_path_kind_name(segment->kind));
	ph_rows_bigint(rows, "wait", segment->wait);
	ph_rows_known(rows, "peer", rank_of(trace, segment->peer));
	ph_rows_index(rows, "peer_location", segment->peer);
	ph_rows_new_bool(rows, "inferred", segment->is_inferred);
	if (rows->n_filled < rows->descriptor->natts)
		put_times(rows, segment);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_critical_path)
{
	PhRows rows;
	const PhPathSegment *segments = NULL;
	uint32 n = 0;
	PhCriticalPath *path;
	PhWaitStates waits;
	/* release 0.1.0 had no argument `detail`, and every segment */
	PhPathOptions options = {.is_merged = PG_NARGS() > 1 && !PG_GETARG_BOOL(1)};
	ph_rows_begin(&rows, fcinfo);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhEnv *env = &trace->scratch->env;
	PhChunkQuery query = {.window = ph_window_all(), .want = PH_WANT_CALLS, .leave_closed = true};
	const PhSkeleton *skeleton = ph_trace_skeleton(trace, PH_KEEP_CAME | PH_KEEP_HOLDS);
	PH_CHECK(env, ph_wait_states_find(&trace->scratch->arena, skeleton, &waits));
	const PhStoredWork *work = ph_stored_work(trace);
	if (work != NULL)
		waits = ph_stored_dependences(work, &waits);
	PH_CHECK(env, ph_critical_path_new(env, skeleton, &waits, &options, &path));
	ph_trace_chunks(trace, &query, add_chunk, path);
	PH_CHECK(env, ph_critical_path_segments(path, &segments, &n));
	for (uint32 i = 0; i < n; i++)
		put_segment(&rows, trace, &segments[i], i);
	ph_trace_end(trace);
	return (Datum) 0;
}
