/*
 * fn_task_metrics.c - the events of tasks with their metrics, and what logical time has chares on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "logical/again.h"
#include "logical/args.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"

static const char runtime_sql[] =
	"SELECT c.first_phase + p.n::int4 - 1, p.is_runtime FROM perfhouse.phase_chunk c,"
	" unnest(c.is_runtime) WITH ORDINALITY AS p (is_runtime, n) WHERE c.run_id = $1";

/* The run's structure; PH002 when it is of processes. */
static PhLogicalStored
begin_tasks(FunctionCallInfo fcinfo, int options)
{
	PhLogicalStored stored =
		ph_logical_begin_with(PG_GETARG_INT64(0), PH_TRACE_REGIONS,
							  options < 0 ? NULL : ph_arg_logical_options(fcinfo, options));
	if (stored.timelines == NULL)
		ereport(
			ERROR,
			(errcode(PH_ERRCODE_NOT_FOUND),
			 errmsg("run " INT64_FORMAT " is not of a task-based program", stored.trace->run_id),
			 errhint("Its processes' logical time is in perfhouse.logical_steps(" INT64_FORMAT ").",
					 stored.trace->run_id)));
	return stored;
}

/* ---- events ---- */

typedef struct MetricRows
{
	PhRows rows;
	PhStepWindow window;
	const PhTimelines *timelines;
	uint32 n_phases;
	const uint8 *is_runtime; /* by phase */
	Datum *chares, *regions; /* texts */
	Datum kinds[PH_COMM_COLLECTIVE + 1];
} MetricRows;

static void
receive_runtime(void *user, TupleTableSlot *slot)
{
	MetricRows *out = user;
	int32 phase = ph_slot_int(slot, 0, -1);
	if (phase >= 0 && (uint32) phase < out->n_phases && !ph_slot_is_null(slot, 1))
		((uint8 *) out->is_runtime)[phase] = DatumGetBool(slot->tts_values[1]);
}

static void
find_runtime_phases(const PhLogicalStored *stored, MetricRows *out)
{
	PhTraceRun *trace = stored->trace;
	out->n_phases = (uint32) stored->n_phases;
	if (stored->computed != NULL)
	{
		out->is_runtime = stored->computed->task_metrics->structure->is_runtime;
		return;
	}
	out->is_runtime = MemoryContextAllocZero(trace->scratch->context, Max(out->n_phases, 1));
	ph_query_rows(runtime_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0),
				  receive_runtime, out);
}

static void
make_texts(MetricRows *out, const PhTraceRun *trace)
{
	MemoryContext old = MemoryContextSwitchTo(trace->scratch->context);
	out->regions = ph_trace_region_texts(trace);
	out->chares = palloc_extended(sizeof(Datum) * Max(out->timelines->n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < out->timelines->n; i++)
		out->chares[i] = CStringGetTextDatum(out->timelines->name[i]);
	for (uint32 kind = 0; kind < lengthof(out->kinds); kind++)
		out->kinds[kind] = CStringGetTextDatum(ph_comm_kind_name(kind));
	MemoryContextSwitchTo(old);
}

static void
put_place(MetricRows *out, const PhTraceRun *trace, const PhLogicalEvents *events, uint32 i)
{
	PhRows *rows = &out->rows;
	uint32 entry = events->region[i];
	ph_rows_int(rows, "location", (int32) events->location);
	ph_rows_datum(rows, "chare", out->chares[events->location]);
	ph_rows_int(rows, "processor", ph_timelines_processor(out->timelines, events->processor[i]));
	ph_rows_bigint(rows, "seq", (int64) events->first_seq + i);
	if (entry == PH_NONE)
		ph_rows_null(rows, "entry");
	else if (entry >= trace->model.n_regions)
		ph_trace_refuse(trace, "a serial block is of an entry method that does not exist");
	else
		ph_rows_datum(rows, "entry", out->regions[entry]);
	ph_rows_datum(rows, "kind", out->kinds[events->kind[i]]);
	ph_rows_bigint(rows, "enter", events->enter[i]);
	ph_rows_bigint(rows, "leave", events->leave[i]);
	ph_rows_int(rows, "phase", (int32) events->phase[i]);
	ph_rows_bool(rows, "is_runtime", out->is_runtime[events->phase[i]] != 0);
	ph_rows_int(rows, "step", (int32) events->step[i]);
}

static void
put_values(MetricRows *out, const PhLogicalEvents *events, uint32 i)
{
	PhRows *rows = &out->rows;
	ph_rows_bigint(rows, "differential_duration", events->value[PH_DURATION][i]);
	ph_rows_bigint(rows, "idle_experienced", events->idle[i]);
	ph_rows_bigint(rows, "imbalance", events->imbalance[i]);
	ph_rows_index(rows, "serial_block", events->block[i]);
	ph_rows_bigint(rows, "block_share", events->share[i]);
	ph_rows_int(rows, "peers", (int32) events->n_peers[i]);
	ph_rows_index(rows, "shortest_location", events->earliest_location[i]);
	ph_rows_int(rows, "n_messages", (int32) events->ends_of[i]);
}

static void
put_events(void *user, PhTraceRun *trace, const PhLogicalEvents *events)
{
	MetricRows *out = user;
	if (events->processor == NULL)
		ph_trace_refuse(trace, "a chunk of its logical time has no tasks");
	for (uint32 i = 0; i < events->n_events; i++)
	{
		if (!ph_step_is_in(&out->window, events->step[i]))
			continue;
		put_place(out, trace, events, i);
		put_values(out, events, i);
		ph_rows_put(&out->rows);
	}
}

PH_FUNCTION(ph_task_metrics)
{
	MetricRows out = {0};
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhLogicalStored stored = begin_tasks(fcinfo, 4);
	out.timelines = stored.timelines;
	out.window = ph_arg_step_window(fcinfo, 1, stored.trace);
	find_runtime_phases(&stored, &out);
	make_texts(&out, stored.trace);
	ph_logical_chunks(&stored, &out.window,
					  PH_LOGICAL_WANT_METRICS | PH_LOGICAL_WANT_CAUSES | PH_LOGICAL_WANT_TASKS,
					  put_events, &out);
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

/* ---- locations ---- */

PH_FUNCTION(ph_logical_locations)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhLogicalStored stored = begin_tasks(fcinfo, -1);
	const PhTimelines *timelines = stored.timelines;
	for (uint32 i = 0; i < timelines->n; i++)
	{
		ph_rows_int(&rows, "location", (int32) i);
		ph_rows_text(&rows, "name", timelines->name[i]);
		ph_rows_bool(&rows, "is_runtime", timelines->is_runtime[i]);
		ph_rows_index(&rows, "chare", timelines->chare[i]);
		ph_rows_int(&rows, "first_location", (int32) timelines->first_location[i]);
		ph_rows_int(&rows, "processor",
					ph_timelines_processor(timelines, timelines->first_location[i]));
		ph_rows_put(&rows);
	}
	ph_trace_end(stored.trace);
	return (Datum) 0;
}
