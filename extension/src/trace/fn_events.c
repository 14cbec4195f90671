/*
 * fn_events.c - events as rows: of a run, and of one chunk for views.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"

#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/args.h"
#include "trace/column_args.h"
#include "trace/event_rows.h"

typedef struct EventRows
{
	PhRows rows;
	PhEventTexts texts;
	PhTraceWindow window;
	Datum *regions;		  /* texts, by region */
	uint32 *first_metric; /* by metric class */
	uint32 n_classes;
} EventRows;

static void
find_metric_classes(EventRows *out, const PhTraceRun *trace)
{
	const PhTraceModel *model = &trace->model;
	for (uint32 i = 0; i < model->n_metrics; i++)
		out->n_classes = Max(out->n_classes, model->metrics[i].metric_class + 1);
	out->first_metric = MemoryContextAllocHuge(trace->scratch->context,
											   sizeof(uint32) * Max((Size) out->n_classes, 1));
	for (uint32 i = 0; i < out->n_classes; i++)
		out->first_metric[i] = PH_NONE;
	for (uint32 i = model->n_metrics; i-- > 0;)
		out->first_metric[model->metrics[i].metric_class] = i;
}

/* The metric of a member of an event's class; NULL: there is none. */
static const PhTraceMetric *
metric_of(const EventRows *out, const PhTraceModel *model, const PhEvent *event, uint32 member)
{
	if (event->kind != PH_EVENT_METRIC || event->operation >= out->n_classes ||
		out->first_metric[event->operation] == PH_NONE)
		return NULL;
	uint32 index = out->first_metric[event->operation] + member;
	bool exists =
		index < model->n_metrics && model->metrics[index].metric_class == event->operation;
	return exists ? &model->metrics[index] : NULL;
}

static double
value_of(const PhTraceMetric *metric, uint64 bits)
{
	double number;
	if (metric == NULL || metric->type == PH_TRACE_UINT64)
		number = (double) bits;
	else if (metric->type == PH_TRACE_INT64)
		number = (double) (int64) bits;
	else
		memcpy(&number, &bits, sizeof(number));
	return metric != NULL ? number * metric->scale : number;
}

static void
put_values(EventRows *out, const PhTraceModel *model, const PhEvent *event)
{
	if (event->n_values == 0)
	{
		ph_rows_null(&out->rows, "values");
		return;
	}
	double *values = MemoryContextAlloc(out->rows.scratch, sizeof(double) * (event->n_values + 1));
	for (uint32 i = 0; i < event->n_values; i++)
		values[i] = value_of(metric_of(out, model, event, i), event->values[i]);
	ph_rows_numbers(&out->rows, "values", values, (int) event->n_values);
}

static void
put_operation(EventRows *out, const PhTraceModel *model, const PhEvent *event)
{
	const PhTraceMetric *metric = metric_of(out, model, event, 0);
	if (metric != NULL)
		ph_rows_text(&out->rows, "operation", metric->name);
	else
		ph_rows_event_operation(&out->rows, &out->texts, event);
}

static void
put_event(EventRows *out, PhTraceRun *trace, const PhTraceChunk *chunk, const PhEvent *event,
		  uint64 seq)
{
	PhRows *rows = &out->rows;
	const PhTraceLocation *location = &trace->model.locations[chunk->chunk.location];
	ph_rows_int(rows, "location", (int32) chunk->chunk.location);
	ph_rows_known(rows, "rank", location->rank);
	ph_rows_known(rows, "thread", location->thread);
	ph_rows_bigint(rows, "time", event->time);
	ph_rows_event_kind(rows, &out->texts, event);
	if (event->region == PH_NONE)
		ph_rows_null(rows, "region");
	else if (event->region >= trace->model.n_regions)
		ph_trace_refuse(trace, "a call is of a region that does not exist");
	else
		ph_rows_datum(rows, "region", out->regions[event->region]);
	ph_rows_event_message(rows, event);
	ph_rows_bigint(rows, "seq", (int64) seq);
	ph_rows_event_number(rows, "request", event, PH_OPERAND_REQUEST, event->request);
	put_operation(out, &trace->model, event);
	ph_rows_event_index(rows, "root", event, PH_OPERAND_ROOT, event->root);
	ph_rows_event_number(rows, "bytes_received", event, PH_OPERAND_RECEIVED, event->bytes_received);
	put_values(out, &trace->model, event);
	ph_rows_event_depth(rows, event, trace->reader);
	ph_rows_put(rows);
}

static void
put_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	EventRows *out = user;
	PhEvent event;
	for (uint64 seq = chunk->chunk.first_seq; ph_chunk_next(trace->reader, &event); seq++)
	{
		if (event.time >= out->window.to)
			return;
		if (event.time >= out->window.from)
			put_event(out, trace, chunk, &event, seq);
	}
}

PH_FUNCTION(ph_trace_events)
{
	EventRows out = {0};
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_METRICS);
	PhChunkQuery query = {.window = ph_arg_window(fcinfo, 1, trace), .want = PH_WANT_ALL};
	MemoryContext old = MemoryContextSwitchTo(trace->scratch->context);
	ph_event_texts_init(&out.texts);
	MemoryContextSwitchTo(old);
	out.window = query.window;
	out.regions = ph_trace_region_texts(trace);
	find_metric_classes(&out, trace);
	ph_trace_chunks(trace, &query, put_chunk, &out);
	ph_trace_end(trace);
	return (Datum) 0;
}

/* ---- one chunk, its columns being arguments ---- */

static void
put_raw_values(PhRows *rows, const PhEvent *event)
{
	if (event->n_values == 0)
	{
		ph_rows_null(rows, "values");
		return;
	}
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	Datum *values = palloc(sizeof(Datum) * (event->n_values + 1));
	for (uint32 i = 0; i < event->n_values; i++)
		values[i] = Int64GetDatum((int64) event->values[i]);
	Datum array = PointerGetDatum(construct_array(values, (int) event->n_values, INT8OID,
												  sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	MemoryContextSwitchTo(old);
	ph_rows_datum(rows, "values", array);
}

static void
put_raw_event(PhRows *rows, PhEventTexts *texts, PhChunkReader *reader, const PhEvent *event,
			  uint64 seq)
{
	ph_rows_bigint(rows, "time", event->time);
	ph_rows_event_kind(rows, texts, event);
	ph_rows_index(rows, "region_id", event->region);
	ph_rows_event_message(rows, event);
	ph_rows_bigint(rows, "seq", (int64) seq);
	ph_rows_event_number(rows, "request", event, PH_OPERAND_REQUEST, event->request);
	ph_rows_event_operation(rows, texts, event);
	ph_rows_event_index(rows, "root", event, PH_OPERAND_ROOT, event->root);
	ph_rows_event_number(rows, "bytes_received", event, PH_OPERAND_RECEIVED, event->bytes_received);
	ph_rows_event_index(rows, "operation_id", event, PH_OPERAND_OPERATION, event->operation);
	put_raw_values(rows, event);
	ph_rows_event_depth(rows, event, reader);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_chunk_events)
{
	PhRows rows;
	PhChunk chunk;
	PhEvent event;
	PhEventTexts texts;
	ph_rows_begin(&rows, fcinfo);
	int64 from = ph_arg_bigint_or(fcinfo, PH_CHUNK_ARGUMENTS, PG_INT64_MIN);
	int64 until = ph_arg_bigint_or(fcinfo, PH_CHUNK_ARGUMENTS + 1, PG_INT64_MAX);
	if (!ph_chunk_arg_overlaps(fcinfo, 0, from, until))
		return (Datum) 0;
	PhChunkReader *reader = ph_chunk_arg_open(fcinfo, 0, PH_WANT_ALL, &chunk);
	ph_event_texts_init(&texts);
	for (uint64 seq = chunk.first_seq; ph_chunk_next(reader, &event) && event.time <= until; seq++)
		if (event.time >= from)
			put_raw_event(&rows, &texts, reader, &event, seq);
	return (Datum) 0;
}
