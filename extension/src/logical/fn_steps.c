/*
 * fn_steps.c - events of logical time and their messages as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "logical/again.h"
#include "logical/args.h"
#include "server/compat.h"
#include "server/rowio.h"

/* ---- events ---- */

typedef struct StepRows
{
	PhRows rows;
	PhStepWindow window;
	const PhTimelines *timelines; /* NULL: of processes */
	Datum *regions;				  /* texts, by region */
	Datum kinds[PH_COMM_COLLECTIVE + 1];
} StepRows;

/* Names as texts, so that a row costs no copy. */
static void
make_texts(StepRows *out, const PhTraceRun *trace)
{
	MemoryContext old = MemoryContextSwitchTo(trace->scratch->context);
	out->regions = palloc_extended(sizeof(Datum) * Max(trace->model.n_regions, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < trace->model.n_regions; i++)
		out->regions[i] = CStringGetTextDatum(trace->model.regions[i].name);
	for (uint32 kind = 0; kind < lengthof(out->kinds); kind++)
		out->kinds[kind] = CStringGetTextDatum(ph_comm_kind_name(kind));
	MemoryContextSwitchTo(old);
}

static void
put_region(StepRows *out, const PhTraceRun *trace, uint32 region)
{
	if (region == PH_NONE)
		ph_rows_null(&out->rows, "region");
	else if (region >= trace->model.n_regions)
		ph_trace_refuse(trace, "a call is of a region that does not exist");
	else
		ph_rows_datum(&out->rows, "region", out->regions[region]);
}

static void
put_places(StepRows *out, const PhTraceRun *trace, const PhLogicalEvents *events, uint32 i)
{
	PhRows *rows = &out->rows;
	ph_rows_int(rows, "location", (int32) events->location);
	ph_rows_bigint(rows, "seq", (int64) events->first_seq + i);
	put_region(out, trace, events->region[i]);
	ph_rows_datum(rows, "kind", out->kinds[events->kind[i]]);
	ph_rows_int(rows, "n_messages", (int32) events->ends_of[i]);
	ph_rows_bigint(rows, "enter", events->enter[i]);
	ph_rows_bigint(rows, "leave", events->leave[i]);
	ph_rows_int(rows, "phase", (int32) events->phase[i]);
	ph_rows_int(rows, "step", (int32) events->step[i]);
}

/* Tasks have neither lateness nor aggregates. */
static void
put_of_processes(StepRows *out, const char *name, int64 value)
{
	if (out->timelines != NULL)
		ph_rows_null(&out->rows, name);
	else
		ph_rows_bigint(&out->rows, name, value);
}

static void
put_metrics(StepRows *out, const PhLogicalEvents *events, uint32 i)
{
	PhRows *rows = &out->rows;
	put_of_processes(out, "lateness", events->value[PH_LATENESS][i]);
	put_of_processes(out, "aggregate_lateness", events->aggregate[PH_LATENESS][i]);
	put_of_processes(out, "differential_lateness", events->value[PH_DIFFERENTIAL][i]);
	ph_rows_int(rows, "peers", (int32) events->n_peers[i]);
	put_of_processes(out, "global_lateness", events->value[PH_GLOBAL_LATENESS][i]);
	ph_rows_bigint(rows, "duration", events->value[PH_DURATION][i]);
	put_of_processes(out, "aggregate_differential_lateness", events->aggregate[PH_DIFFERENTIAL][i]);
}

static void
put_causes(StepRows *out, const PhTraceRun *trace, const PhLogicalEvents *events, uint32 i)
{
	PhRows *rows = &out->rows;
	const PhTraceLocation *location = &trace->model.locations[events->location];
	ph_rows_known(rows, "rank", location->rank);
	ph_rows_known(rows, "thread", location->thread);
	ph_rows_index(rows, "earliest_location", events->earliest_location[i]);
	ph_rows_index(rows, "binding_location", events->binding_location[i]);
	if (events->binding_location[i] == PH_NONE)
		ph_rows_null(rows, "binding_seq");
	else
		ph_rows_bigint(rows, "binding_seq", events->binding_seq[i]);
}

static const char *const counter_columns[PH_LOGICAL_COUNTERS] = {
	"counter", "aggregate_counter", "step_counter", "aggregate_step_counter"};

static void
put_more_metrics(StepRows *out, const PhLogicalEvents *events, uint32 i)
{
	PhRows *rows = &out->rows;
	put_of_processes(out, "aggregate_global_lateness", events->aggregate[PH_GLOBAL_LATENESS][i]);
	put_of_processes(out, "global_differential_lateness", events->value[PH_GLOBAL_DIFFERENTIAL][i]);
	put_of_processes(out, "aggregate_global_differential_lateness",
					 events->aggregate[PH_GLOBAL_DIFFERENTIAL][i]);
	put_of_processes(out, "aggregate_duration", events->aggregate[PH_DURATION][i]);
	for (int c = 0; c < PH_LOGICAL_COUNTERS; c++)
		if (events->counter[c] == NULL)
			ph_rows_null(rows, counter_columns[c]);
		else
			ph_rows_number(rows, counter_columns[c], events->counter[c][i]);
}

static const char *const task_columns[] = {"idle_experienced", "imbalance", "processor",
										   "serial_block", "block_share"};

static void
put_tasks(StepRows *out, const PhLogicalEvents *events, uint32 i)
{
	PhRows *rows = &out->rows;
	if (events->processor == NULL)
	{
		for (int c = 0; c < (int) lengthof(task_columns); c++)
			ph_rows_null(rows, task_columns[c]);
		return;
	}
	ph_rows_bigint(rows, "idle_experienced", events->idle[i]);
	ph_rows_bigint(rows, "imbalance", events->imbalance[i]);
	ph_rows_int(rows, "processor", ph_timelines_processor(out->timelines, events->processor[i]));
	ph_rows_index(rows, "serial_block", events->block[i]);
	ph_rows_bigint(rows, "block_share", events->share[i]);
}

static void
put_steps(void *user, PhTraceRun *trace, const PhLogicalEvents *events)
{
	StepRows *out = user;
	for (uint32 i = 0; i < events->n_events; i++)
	{
		if (!ph_step_is_in(&out->window, events->step[i]))
			continue;
		put_places(out, trace, events, i);
		put_metrics(out, events, i);
		put_causes(out, trace, events, i);
		put_more_metrics(out, events, i);
		put_tasks(out, events, i);
		ph_rows_new_bool(&out->rows, "inferred", (events->flags[i] & PH_COMM_INFERRED) != 0);
		ph_rows_put(&out->rows);
	}
}

PH_FUNCTION(ph_logical_steps)
{
	StepRows out = {0};
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin_with(PG_GETARG_INT64(0), PH_TRACE_REGIONS,
												   ph_arg_logical_options(fcinfo, 4));
	out.timelines = stored.timelines;
	out.window = ph_arg_step_window(fcinfo, 1, stored.trace);
	make_texts(&out, stored.trace);
	ph_logical_chunks(&stored, &out.window, PH_LOGICAL_WANT_ALL & ~PH_LOGICAL_WANT_ENDS, put_steps,
					  &out);
	ph_trace_end(stored.trace);
	return (Datum) 0;
}

/* ---- messages ---- */

typedef struct MessageRows
{
	PhRows rows;
	PhStepWindow window;
} MessageRows;

/* An event's location, step and seq; location PH_NONE: unknown. */
typedef struct End
{
	uint32 location, step, seq;
} End;

typedef struct EndColumns
{
	const char *location, *step, *seq;
} EndColumns;

static const EndColumns send_columns = {"sender_location", "send_step", "send_seq"};
static const EndColumns receive_columns = {"receiver_location", "receive_step", "receive_seq"};

static void
put_end(PhRows *rows, const EndColumns *columns, End end)
{
	ph_rows_index(rows, columns->location, end.location);
	if (end.location == PH_NONE)
	{
		ph_rows_null(rows, columns->step);
		ph_rows_null(rows, columns->seq);
		return;
	}
	ph_rows_int(rows, columns->step, (int32) end.step);
	ph_rows_bigint(rows, columns->seq, end.seq);
}

static void
put_message(PhRows *rows, End send, End receive, uint64 bytes, int32 tag)
{
	put_end(rows, &send_columns, send);
	put_end(rows, &receive_columns, receive);
	ph_rows_bigint(rows, "bytes", (int64) bytes);
	ph_rows_int(rows, "tag", tag);
	ph_rows_put(rows);
}

/*
 * True when the message is shown at its other end, which is in the window, too: rows are made from
 * events, and a message with both ends in the window is met at both but given only at its receive.
 */
static bool
is_shown_at_peer(const PhStepWindow *window, End peer)
{
	return peer.location != PH_NONE && ph_step_is_in(window, peer.step) &&
		   (window->locations == NULL || window->locations[peer.location]);
}

static void
put_messages(void *user, PhTraceRun *trace, const PhLogicalEvents *events)
{
	MessageRows *out = user;
	uint32 e = 0;
	for (uint32 i = 0; i < events->n_events; i++)
	{
		End own = {events->location, events->step[i], events->first_seq + i};
		bool is_in = ph_step_is_in(&out->window, events->step[i]);
		for (uint32 k = 0; k < events->ends_of[i]; k++, e++)
		{
			End peer = {events->peer_location[e], events->peer_step[e], events->peer_seq[e]};
			if (!is_in)
				continue;
			if (events->kind[i] == PH_COMM_RECEIVE)
				put_message(&out->rows, peer, own, events->bytes[e], events->tag[e]);
			else if (!is_shown_at_peer(&out->window, peer))
				put_message(&out->rows, own, peer, events->bytes[e], events->tag[e]);
		}
	}
}

PH_FUNCTION(ph_logical_messages)
{
	MessageRows out = {0};
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhLogicalStored stored = ph_logical_begin_with(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS,
												   ph_arg_logical_options(fcinfo, 4));
	out.window = ph_arg_step_window(fcinfo, 1, stored.trace);
	ph_logical_chunks(&stored, &out.window, PH_LOGICAL_WANT_ENDS, put_messages, &out);
	ph_trace_end(stored.trace);
	return (Datum) 0;
}
