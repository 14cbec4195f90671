/*
 * fn_what_if.c - what a run would have taken with changes, as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "replay/change_args.h"
#include "server/compat.h"
#include "server/rowio.h"

/* A number before and after the changes; after: null in a deadlock. */
static void
put_pair(PhRows *rows, const char *section, const char *item, int64 before, int64 after,
		 bool is_known)
{
	ph_rows_text(rows, "section", section);
	ph_rows_text(rows, "item", item);
	ph_rows_bigint(rows, "before", before);
	if (is_known)
		ph_rows_bigint(rows, "after", after);
	else
		ph_rows_null(rows, "after");
	ph_rows_put(rows);
}

/* Time of the critical path by rank: locations of a rank added up. */
static int64 *
path_by_rank(PhTraceRun *trace, const PhReplayResult *result)
{
	const PhTraceModel *model = &trace->model;
	int64 *by_rank;
	PH_CHECK(&trace->scratch->env, PH_NEW(&trace->scratch->arena, model->n_ranks, &by_rank));
	for (uint32 at = 0; at < model->n_locations && result->location_path != NULL; at++)
		if (model->locations[at].rank >= 0 && (uint32) model->locations[at].rank < model->n_ranks)
			by_rank[model->locations[at].rank] += result->location_path[at];
	return by_rank;
}

static void
put_rows(PhRows *rows, const PhReplayedRun *run, const PhReplayResult *changed, uint64 n_changed)
{
	const PhReplayResult *unchanged = &run->unchanged;
	bool is_known = changed->n_stuck == 0;
	int64 *before = path_by_rank(run->trace, unchanged), *after = path_by_rank(run->trace, changed);
	put_pair(rows, "run", "recorded", run->program->to - run->program->from, 0, false);
	put_pair(rows, "run", "duration", unchanged->duration, changed->duration, is_known);
	put_pair(rows, "run", "stuck", unchanged->n_stuck, changed->n_stuck, true);
	put_pair(rows, "run", "changed", 0, (int64) n_changed, true);
	for (uint32 kind = 0; kind < PH_WAIT_KINDS; kind++)
		if (unchanged->waits[kind] != 0 || changed->waits[kind] != 0)
			put_pair(rows, "wait", ph_wait_kind_name(kind), unchanged->waits[kind],
					 changed->waits[kind], is_known);
	for (int kind = 0; kind < PH_REPLAY_KINDS; kind++)
		put_pair(rows, "path", ph_replay_kind_name((PhReplayKind) kind), unchanged->path[kind],
				 changed->path[kind], is_known);
	for (uint32 rank = 0; rank < run->trace->model.n_ranks; rank++)
		if (before[rank] != 0 || after[rank] != 0)
			put_pair(rows, "rank", psprintf("%u", rank), before[rank], after[rank], is_known);
}

PH_FUNCTION(ph_trace_replay_changes)
{
	PhRows rows;
	PhReplayPlan plan = {0};
	PhReplayResult changed;
	int n_changes = 0;
	uint64 n_changed = 0;
	bool with_orders = false;
	ph_rows_begin(&rows, fcinfo);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhArena *arena = &trace->scratch->arena;
	PhSpans *spans = ph_replay_spans(trace);
	PhChange *changes = ph_arg_changes(fcinfo, 1, trace, spans, &n_changes);
	for (int i = 0; i < n_changes; i++)
		with_orders = with_orders || ph_change_is_of_order(&changes[i]);
	PhReplayedRun *run = ph_replayed_run(trace, with_orders);
	if (ph_spans_count(spans) > 0)
		ph_replay_read_spans(trace, spans);
	for (int i = 0; i < n_changes; i++)
	{
		uint64 n;
		PH_CHECK(arena->env, ph_plan_change(arena, run->program, spans, &changes[i], &plan, &n));
		n_changed += n;
	}
	PH_CHECK(arena->env, ph_replay_run(arena, run->program, &plan, &changed));
	put_rows(&rows, run, &changed, n_changed);
	ph_trace_end(trace);
	return (Datum) 0;
}
