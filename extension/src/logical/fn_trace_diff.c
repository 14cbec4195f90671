/*
 * fn_trace_diff.c - two traces compared step by step, and the greatest of changes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "logical/again.h"
#include "logical/compare/diff.h"
#include "logical/phase_rows.h"
#include "server/compat.h"
#include "server/rowio.h"

static void
put_step(PhRows *rows, const char *name, int32 step)
{
	if (step < 0)
		ph_rows_null(rows, name);
	else
		ph_rows_int(rows, name, step);
}

/*
 * The event that stands for a step of the phase: the one that changed most, if the comparison found
 * one, else the one of this step that ended first.
 */
static uint32
event_of(const PhLogicalRun *run, uint32 event, uint32 phase, int32 step)
{
	if (event != PH_NONE || phase == PH_NONE || step < 0)
		return event;
	uint32 place = (uint32) ((step - run->logical.first_step[phase]) / run->logical.stride);
	return run->metrics.first_out[run->metrics.first_bucket[phase] + place];
}

static void
put_location(PhRows *rows, const char *name, const PhLogicalRun *run, uint32 event)
{
	if (event == PH_NONE)
		ph_rows_null(rows, name);
	else
		ph_rows_int(rows, name, (int32) run->model.timeline_location[run->model.timeline[event]]);
}

static const char *
region_of(const PhLogicalRun *run, uint32 event)
{
	return event == PH_NONE ? NULL : ph_trace_region_name(run->trace, run->model.region[event]);
}

/* Ranks and chares of a step of both that do not correspond: it has no location. */
static bool
has_locations(const PhLogicalRun *a, const PhLogicalRun *b, const PhDiffPhase *phase,
			  const PhDiffRow *row)
{
	return row->status != PH_IN_BOTH || phase->ranks != PH_RANKS_NONE ||
		   !ph_trace_kinds_differ(&a->metrics, &b->metrics);
}

static void
put_places(PhRows *rows, const PhLogicalRun *a, const PhLogicalRun *b, const PhDiffPhase *phase,
		   const PhDiffRow *row)
{
	bool located = has_locations(a, b, phase, row);
	ph_rows_index(rows, "phase_a", row->phase_a);
	ph_rows_index(rows, "phase_b", row->phase_b);
	put_step(rows, "step_a", row->step_a);
	put_step(rows, "step_b", row->step_b);
	put_location(rows, "location_a", a,
				 located ? event_of(a, row->event_a, row->phase_a, row->step_a) : PH_NONE);
	put_location(rows, "location_b", b,
				 located ? event_of(b, row->event_b, row->phase_b, row->step_b) : PH_NONE);
}

/* Tasks have no lateness. */
static void
put_lateness(PhRows *rows, const char *name, bool of_tasks, int64 delta)
{
	if (of_tasks)
		ph_rows_null(rows, name);
	else
		ph_rows_bigint(rows, name, delta);
}

static bool
has_tasks(const PhLogicalRun *a, const PhLogicalRun *b)
{
	return a->task_metrics != NULL || b->task_metrics != NULL;
}

static void
put_changes(PhRows *rows, const PhLogicalRun *a, const PhLogicalRun *b, const PhDiffRow *row)
{
	const char *region = region_of(a, event_of(a, row->event_a, row->phase_a, row->step_a));
	put_lateness(rows, "delta_lateness", has_tasks(a, b), row->delta_lateness);
	ph_rows_bigint(rows, "delta_duration", row->delta_duration);
	ph_rows_int(rows, "delta_messages", (int32) row->messages_b - (int32) row->messages_a);
	ph_rows_text(rows, "status", ph_trace_diff_status_name(row->status));
	ph_rows_text(rows, "region",
				 region != NULL
					 ? region
					 : region_of(b, event_of(b, row->event_b, row->phase_b, row->step_b)));
}

static void
put_rest(PhRows *rows, bool of_tasks, const PhDiffPhase *phase, const PhDiffRow *row)
{
	put_lateness(rows, "delta_aggregate_lateness", of_tasks, row->delta_aggregate_lateness);
	put_lateness(rows, "delta_differential_lateness", of_tasks, row->delta_differential);
	ph_rows_bigint(rows, "delta_bytes", (int64) (row->bytes_b - row->bytes_a));
	ph_rows_int(rows, "messages_only_a", (int32) row->messages_only_a);
	ph_rows_int(rows, "messages_only_b", (int32) row->messages_only_b);
	ph_rows_int(rows, "events_a", (int32) row->events_a);
	ph_rows_int(rows, "events_b", (int32) row->events_b);
	ph_rows_int(rows, "events_aligned", (int32) row->events_aligned);
	ph_rows_text(rows, "rank_alignment", ph_rank_alignment_name(phase->ranks));
}

static void
put_diff(PhRows *rows, const PhLogicalRun *a, const PhLogicalRun *b, const PhTraceDiff *diff)
{
	for (uint32 p = 0; p < diff->n_phases; p++)
	{
		const PhDiffPhase *phase = &diff->phases[p];
		for (uint32 i = phase->first_row; i < phase->first_row + phase->n_rows; i++)
		{
			put_places(rows, a, b, phase, &diff->rows[i]);
			put_changes(rows, a, b, &diff->rows[i]);
			put_rest(rows, has_tasks(a, b), phase, &diff->rows[i]);
			ph_rows_put(rows);
		}
	}
}

PH_FUNCTION(ph_trace_diff_rows)
{
	PhRows rows;
	PhTraceDiff diff;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	PhLogicalRun *a = ph_logical_again(PG_GETARG_INT64(0));
	PhLogicalRun *b = ph_logical_again(PG_GETARG_INT64(1));
	PhEnv *env = &b->trace->scratch->env;
	PH_CHECK(env, ph_trace_diff(env, &a->metrics, &b->metrics, &diff));
	put_diff(&rows, a, b, &diff);
	ph_trace_end(b->trace);
	ph_trace_end(a->trace);
	return (Datum) 0;
}

/* ---- phase by phase ---- */

/* One of the two runs, whose phases are told. */
typedef struct DiffSide
{
	PhLogicalRun *run;
	PhPhaseLister *lister;
	const char *phase, *class, *pattern, *regions, *ns, *lateness; /* names of columns */
} DiffSide;

static void
put_no_phase(PhRows *rows, const DiffSide *side)
{
	ph_rows_null(rows, side->phase);
	ph_rows_null(rows, side->class);
	ph_rows_null(rows, side->pattern);
	ph_rows_null(rows, side->regions);
	ph_rows_null(rows, side->ns);
	ph_rows_null(rows, side->lateness);
}

static void
put_phase_of(PhRows *rows, const DiffSide *side, uint32 phase, uint64 class)
{
	PhPhaseRow row;
	if (phase == PH_NONE)
	{
		put_no_phase(rows, side);
		return;
	}
	PH_CHECK(&side->run->trace->scratch->env, ph_phase_lister_row(side->lister, phase, &row));
	ph_rows_int(rows, side->phase, (int32) phase);
	ph_rows_bigint(rows, side->class, (int64) class);
	ph_rows_text(rows, side->pattern, row.pattern[0] == '\0' ? NULL : row.pattern);
	ph_rows_text(rows, side->regions, row.regions);
	ph_rows_bigint(rows, side->ns, row.t_last - row.t_first);
	put_lateness(rows, side->lateness, side->run->task_metrics != NULL, row.max_lateness);
}

/* Steps of the pair, and what was sent. */
static void
put_sums(PhRows *rows, const PhTraceDiff *diff, const PhDiffPhase *phase)
{
	int32 n_of[PH_ONLY_IN_B + 1] = {0, 0, 0};
	int64 messages = 0, bytes = 0;
	for (uint32 i = phase->first_row; i < phase->first_row + phase->n_rows; i++)
	{
		const PhDiffRow *row = &diff->rows[i];
		n_of[row->status]++;
		messages += (int64) row->messages_b - row->messages_a;
		bytes += (int64) (row->bytes_b - row->bytes_a);
	}
	ph_rows_int(rows, "steps_both", n_of[PH_IN_BOTH]);
	ph_rows_int(rows, "steps_only_a", n_of[PH_ONLY_IN_A]);
	ph_rows_int(rows, "steps_only_b", n_of[PH_ONLY_IN_B]);
	ph_rows_bigint(rows, "delta_messages", messages);
	ph_rows_bigint(rows, "delta_bytes", bytes);
}

static void
put_phases(PhRows *rows, const DiffSide *a, const DiffSide *b, const PhTraceDiff *diff)
{
	for (uint32 p = 0; p < diff->n_phases; p++)
	{
		const PhDiffPhase *phase = &diff->phases[p];
		put_phase_of(rows, a, phase->phase_a, phase->class_a);
		put_phase_of(rows, b, phase->phase_b, phase->class_b);
		ph_rows_text(rows, "status", ph_trace_diff_status_name(phase->status));
		ph_rows_text(rows, "aligned_by",
					 phase->status == PH_IN_BOTH ? ph_phase_alignment_name(phase->aligned_by)
												 : NULL);
		ph_rows_text(rows, "rank_alignment", ph_rank_alignment_name(phase->ranks));
		put_sums(rows, diff, phase);
		ph_rows_put(rows);
	}
}

static void
begin_side(DiffSide *side, int64 run_id)
{
	side->run = ph_logical_again(run_id);
	PH_CHECK(&side->run->trace->scratch->env,
			 ph_phase_lister_new(&side->run->trace->scratch->env, &side->run->metrics,
								 &side->run->trace->model, side->run->request.options.compat,
								 &side->lister));
}

PH_FUNCTION(ph_trace_diff_phases)
{
	PhRows rows;
	PhTraceDiff diff;
	DiffSide a = {NULL,		   NULL,		"phase_a", "class_a",
				  "pattern_a", "regions_a", "ns_a",	   "max_lateness_a"};
	DiffSide b = {NULL,		   NULL,		"phase_b", "class_b",
				  "pattern_b", "regions_b", "ns_b",	   "max_lateness_b"};
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	begin_side(&a, PG_GETARG_INT64(0));
	begin_side(&b, PG_GETARG_INT64(1));
	PH_CHECK(&b.run->trace->scratch->env,
			 ph_trace_diff(&b.run->trace->scratch->env, &a.run->metrics, &b.run->metrics, &diff));
	put_phases(&rows, &a, &b, &diff);
	ph_trace_end(b.run->trace);
	ph_trace_end(a.run->trace);
	return (Datum) 0;
}

/* ---- the greatest of changes ---- */

static uint64
size_of(int64 change)
{
	return change < 0 ? -(uint64) change : (uint64) change;
}

PH_FUNCTION(ph_greatest_change_add)
{
	int64 greatest = PG_GETARG_INT64(0), change = PG_GETARG_INT64(1);
	bool is_greater = size_of(change) > size_of(greatest) ||
					  (size_of(change) == size_of(greatest) && change > greatest);
	PG_RETURN_INT64(is_greater ? change : greatest);
}
