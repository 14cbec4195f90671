/*
 * fn_efficiency.c - efficiencies of windows of a trace as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "profile/value.h"
#include "replay/efficiency.h"
#include "replay/profile_efficiency.h"
#include "replay/runs.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "utils/array.h"

static void
put_efficiency(PhRows *rows, int index, const PhEfficiency *found)
{
	ph_rows_int(rows, "window_no", index);
	ph_rows_bigint(rows, "t_from", found->from);
	ph_rows_bigint(rows, "t_to", found->to);
	ph_rows_bool(rows, "aligned", found->is_aligned);
	ph_rows_int(rows, "ranks", (int32) found->n_ranks);
	ph_rows_number(rows, "parallel", found->parallel);
	ph_rows_number(rows, "load_balance", found->load_balance);
	ph_rows_number(rows, "communication", found->communication);
	ph_rows_number(rows, "serialisation", found->serialisation);
	ph_rows_number(rows, "transfer", found->transfer);
	ph_rows_number(rows, "threads", found->threads);
	ph_rows_number(rows, "thread_load_balance", found->thread_load_balance);
	ph_rows_number(rows, "thread_serialisation", found->thread_serialisation);
	ph_rows_number(rows, "useful", found->mean_useful);
	ph_rows_bigint_unless(rows, "ideal", found->ideal, -1);
	ph_rows_put(rows);
}

/* Elements of an int8[] argument; null ones are open ends. */
static int64 *
take_times(FunctionCallInfo fcinfo, int argument, int64 open, int *count)
{
	Datum *values;
	bool *nulls;
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
	deconstruct_array(array, INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values, &nulls, count);
	int64 *times = palloc(sizeof(int64) * (size_t) Max(*count, 1));
	for (int i = 0; i < *count; i++)
		times[i] = nulls[i] ? open : DatumGetInt64(values[i]);
	return times;
}

static void
put_window(PhRows *rows, PhTraceRun *trace, PhSkeleton *skeleton, const PhEfficiencySpans *spans,
		   int index, PhCallSpan asked)
{
	PhArena scratch;
	PhEfficiency found;
	bool is_aligned;
	PhCallSpan window = ph_efficiency_window(skeleton, asked.from, asked.to, &is_aligned);
	if (window.from >= window.to)
		return;
	ph_arena_init(&scratch, &trace->scratch->env);
	PH_CHECK(scratch.env, ph_efficiency_find(&scratch, skeleton, spans, window, &found));
	found.is_aligned = is_aligned;
	put_efficiency(rows, index, &found);
	ph_arena_drop(&scratch);
}

PH_FUNCTION(ph_trace_efficiency)
{
	PhRows rows;
	int n, n_to;
	PhEfficiencySpans wanted;
	ph_rows_begin(&rows, fcinfo);
	int64 *from = take_times(fcinfo, 1, PG_INT64_MIN, &n);
	int64 *to = take_times(fcinfo, 2, PG_INT64_MAX, &n_to);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhSpans *spans = ph_replay_spans(trace);
	PH_CHECK(&trace->scratch->env, ph_efficiency_want(spans, &wanted));
	PhSkeleton *skeleton = ph_trace_skeleton(trace, 0);
	ph_replay_read_spans(trace, spans);
	for (int i = 0; i < Min(n, n_to); i++)
		if (from[i] < to[i])
			put_window(&rows, trace, skeleton, &wanted, i + 1, (PhCallSpan){from[i], to[i]});
	ph_trace_end(trace);
	return (Datum) 0;
}

/* ---- calls of a function ---- */

typedef struct CallWindow
{
	int64 from, to;
	int32 n_ranks;
} CallWindow;

static CallWindow *
find_windows(PhTraceRun *trace, const PhSpans *spans, uint32 target, uint32 *n)
{
	const PhTraceModel *model = &trace->model;
	CallWindow *windows;
	*n = 0;
	for (uint32 rank = 0; rank < model->n_ranks; rank++)
		if (model->rank_location[rank] != PH_NONE)
			*n = Max(*n, ph_spans_of(spans, target, model->rank_location[rank]).n);
	PH_CHECK(&trace->scratch->env, PH_NEW(&trace->scratch->arena, *n, &windows));
	for (uint32 rank = 0; rank < model->n_ranks; rank++)
	{
		if (model->rank_location[rank] == PH_NONE)
			continue;
		PhCallSpans list = ph_spans_of(spans, target, model->rank_location[rank]);
		for (uint32 i = 0; i < list.n; i++)
		{
			bool is_first = windows[i].n_ranks++ == 0;
			windows[i].from =
				is_first ? list.spans[i].from : Min(windows[i].from, list.spans[i].from);
			windows[i].to = is_first ? list.spans[i].to : Max(windows[i].to, list.spans[i].to);
		}
	}
	return windows;
}

PH_FUNCTION(ph_trace_call_windows)
{
	PhRows rows;
	uint32 target, n;
	bool found;
	ph_rows_begin(&rows, fcinfo);
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	const char *path = ph_arg_text(fcinfo, 1);
	PhSpans *spans = ph_replay_spans(trace);
	PH_CHECK(&trace->scratch->env, ph_spans_want_path(spans, path, &target, &found));
	if (!found)
		ph_replay_no_function(trace, path);
	ph_replay_read_spans(trace, spans);
	CallWindow *windows = find_windows(trace, spans, target, &n);
	for (uint32 i = 0; i < n; i++)
	{
		ph_rows_int(&rows, "call_no", (int32) i + 1);
		ph_rows_bigint(&rows, "t_from", windows[i].from);
		ph_rows_bigint(&rows, "t_to", windows[i].to);
		ph_rows_int(&rows, "ranks", windows[i].n_ranks);
		ph_rows_put(&rows);
	}
	ph_trace_end(trace);
	return (Datum) 0;
}

/* ---- without a trace ---- */

PH_FUNCTION(ph_profile_efficiency_rows)
{
	PhRows rows;
	PhProfileEfficiency found;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_profile_efficiency(&scratch->arena, profile,
												  ph_arg_metric(fcinfo, 1, profile), &found));
	ph_rows_int(&rows, "ranks", (int32) found.n_ranks);
	ph_rows_number(&rows, "parallel", found.parallel);
	ph_rows_number(&rows, "load_balance", found.load_balance);
	ph_rows_number(&rows, "communication", found.communication);
	ph_rows_number(&rows, "threads", found.threads);
	ph_rows_number(&rows, "useful", found.useful);
	ph_rows_put(&rows);
	ph_scratch_end(scratch);
	return (Datum) 0;
}
