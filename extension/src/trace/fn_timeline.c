/*
 * fn_timeline.c - windows of a trace as rows for timelines: calls, messages, metrics.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/args.h"
#include "trace/deviants.h"
#include "trace/metric_bins.h"
#include "trace/placement.h"
#include "trace/timeline.h"

static PhTimelineRows
place_locations(FunctionCallInfo fcinfo, int max_rows_argument, PhTraceRun *trace,
				const bool *wanted)
{
	int32 max_rows = PG_ARGISNULL(max_rows_argument) ? 500 : PG_GETARG_INT32(max_rows_argument);
	if (max_rows < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_rows must be at least 1, not %d", max_rows)));
	return ph_place_locations(trace, wanted, (uint32) max_rows);
}

/* The window of a picture: bins over [t_from, t_to), open ends being the trace's. */
static PhTimelineWindow
picture_window(FunctionCallInfo fcinfo, int bins, int first, const PhTraceRun *trace)
{
	PhTimeBins times = ph_arg_bins(fcinfo, bins, first, trace);
	return (PhTimelineWindow){
		.from = times.from, .to = times.to, .n_bins = times.n, .max_depth = 1};
}

static PhChunkQuery
window_query(FunctionCallInfo fcinfo, int first, const PhTraceRun *trace,
			 const PhTimelineWindow *window, uint32 want)
{
	PhChunkQuery query = {.window = ph_arg_window(fcinfo, first, trace), .want = want};
	query.window.from = window->from;
	query.window.to = window->to;
	return query;
}

/* ---- rows ---- */

static void
put_row(PhRows *rows, const PhTraceRun *trace, const PhTimelineRows *placement, uint32 row)
{
	uint32 first = placement->first[row], end = placement->first[row + 1];
	const PhTraceLocation *location = &trace->model.locations[placement->shown[first]];
	ph_rows_int(rows, "row", (int32) placement->number[row]);
	ph_rows_ints(rows, "locations", (const int32 *) &placement->shown[first], (int) (end - first));
	ph_rows_int(rows, "n_locations", (int32) (end - first));
	ph_rows_known(rows, "rank", location->rank);
	ph_rows_known(rows, "last_rank", trace->model.locations[placement->shown[end - 1]].rank);
	ph_rows_known(rows, "thread", location->thread);
	ph_rows_name(rows, "name", location->name);
	ph_rows_name(rows, "host", location->host);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_timeline_rows)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	bool *wanted = ph_arg_locations(fcinfo, 1, trace);
	PhTimelineRows placement = place_locations(fcinfo, 2, trace, wanted);
	for (uint32 row = 0; row < placement.n_rows; row++)
		put_row(&rows, trace, &placement, placement.order[row]);
	ph_trace_end(trace);
	return (Datum) 0;
}

/* ---- calls ---- */

typedef struct SpanStream
{
	PhTimeline *timeline;
	const PhTimelineRows *placement;
	uint32 next; /* place of the location whose chunks come now or next */
	uint32 row;	 /* of it, in order of locations */
} SpanStream;

/*
 * Brings the timeline up to a place (a location in the order shown). Chunks come only of locations
 * that have some, so the locations between the last chunk's and this one are ended here, and so are
 * rows that are complete.
 */
static void
advance(SpanStream *stream, PhTraceRun *trace, uint32 place)
{
	PhEnv *env = &trace->scratch->env;
	const PhTimelineRows *placement = stream->placement;
	for (; stream->next < place; stream->next++)
	{
		PH_CHECK(env, ph_timeline_end_location(stream->timeline));
		if (stream->next + 1 < placement->first[stream->row + 1])
			continue;
		PH_CHECK(env, ph_timeline_end_row(stream->timeline));
		if (++stream->row < placement->n_rows)
			PH_CHECK(env, ph_timeline_begin_row(stream->timeline, placement->number[stream->row]));
	}
}

static void
add_spans(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	SpanStream *stream = user;
	advance(stream, trace, stream->placement->place_of[chunk->chunk.location]);
	PH_CHECK(&trace->scratch->env, ph_timeline_add_chunk(stream->timeline, trace->reader));
}

static void
put_span(PhRows *rows, const PhTraceRun *trace, const PhTimelineWindow *window,
		 const PhTimelineSpan *span)
{
	PhTimeBins bins = {window->from, window->to, window->n_bins};
	ph_rows_int(rows, "row", (int32) span->row);
	ph_rows_int(rows, "depth", (int32) span->depth);
	ph_rows_int(rows, "bin", (int32) span->bin);
	ph_rows_int(rows, "n_bins", (int32) span->n_bins);
	ph_rows_text(rows, "region", ph_trace_region_name(trace, span->region));
	ph_rows_number(rows, "share", span->share);
	ph_rows_bigint(rows, "calls", span->n_calls);
	ph_rows_bigint(rows, "t_start", ph_bin_start(&bins, span->bin));
	ph_rows_bigint(rows, "t_end", ph_bin_start(&bins, span->bin + span->n_bins));
	ph_rows_put(rows);
}

static void
gather_spans(PhTraceRun *trace, const PhChunkQuery *query, SpanStream *stream)
{
	if (stream->placement->n_shown == 0)
		return;
	PH_CHECK(&trace->scratch->env,
			 ph_timeline_begin_row(stream->timeline, stream->placement->number[0]));
	ph_trace_chunks(trace, query, add_spans, stream);
	advance(stream, trace, stream->placement->n_shown);
}

PH_FUNCTION(ph_timeline_spans)
{
	PhRows rows;
	uint32 n;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhTimelineWindow window = picture_window(fcinfo, 1, 2, trace);
	PhChunkQuery query = window_query(fcinfo, 2, trace, &window, PH_WANT_CALLS);
	PhTimelineRows placement = place_locations(fcinfo, 5, trace, query.window.locations);
	SpanStream stream = {.placement = &placement};
	query.from_before = true;
	window.max_depth = PG_ARGISNULL(6) ? 8 : (uint32) Max(PG_GETARG_INT32(6), 0);
	PH_CHECK(&trace->scratch->env,
			 ph_timeline_new(&trace->scratch->env, &window, &stream.timeline));
	gather_spans(trace, &query, &stream);
	const PhTimelineSpan *spans = ph_timeline_result(stream.timeline, &n);
	for (uint32 i = 0; i < n; i++)
		put_span(&rows, trace, &window, &spans[i]);
	ph_trace_end(trace);
	return (Datum) 0;
}

/* ---- locations that rows hide ---- */

typedef struct DeviantStream
{
	PhDeviants *deviants;
	const PhTimelineRows *placement;
	uint32 next, row; /* as in SpanStream */
} DeviantStream;

static void
advance_deviants(DeviantStream *stream, PhTraceRun *trace, uint32 place)
{
	const PhTimelineRows *placement = stream->placement;
	PhEnv *env = &trace->scratch->env;
	for (; stream->next < place; stream->next++)
	{
		PH_CHECK(env, ph_deviants_end_location(stream->deviants, placement->shown[stream->next]));
		if (stream->next + 1 < placement->first[stream->row + 1])
			continue;
		PH_CHECK(env, ph_deviants_end_row(stream->deviants));
		stream->row++;
	}
}

static void
add_deviants(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	DeviantStream *stream = user;
	advance_deviants(stream, trace, stream->placement->place_of[chunk->chunk.location]);
	PH_CHECK(&trace->scratch->env,
			 ph_deviants_add_chunk(stream->deviants, &chunk->chunk, trace->reader));
}

static void
put_deviants(PhRows *rows, PhTraceRun *trace, const DeviantStream *stream, uint32 bins,
			 uint32 parts)
{
	uint32 n;
	const PhDeviant *found = ph_deviants_result(stream->deviants, &n);
	for (uint32 i = 0; i < n; i++)
	{
		const PhTraceLocation *location = &trace->model.locations[found[i].location];
		uint32 end = found[i].part + found[i].n_parts;
		uint32 first_bin = (uint32) ((uint64) found[i].part * bins / parts);
		ph_rows_int(rows, "row", (int32) stream->placement->number[found[i].row]);
		ph_rows_int(rows, "bin", (int32) first_bin);
		ph_rows_int(rows, "n_bins", (int32) ((uint64) end * bins / parts - first_bin));
		ph_rows_int(rows, "location", (int32) found[i].location);
		ph_rows_known(rows, "rank", location->rank);
		ph_rows_known(rows, "thread", location->thread);
		ph_rows_name(rows, "name", location->name);
		ph_rows_number(rows, "distance", found[i].distance);
		ph_rows_put(rows);
	}
}

#define MOST_PARTS 256

PH_FUNCTION(ph_timeline_deviants)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	PhTimelineWindow window = picture_window(fcinfo, 1, 2, trace);
	PhChunkQuery query = window_query(fcinfo, 2, trace, &window, PH_WANT_CALLS);
	PhTimelineRows placement = place_locations(fcinfo, 5, trace, query.window.locations);
	PhTimeBins parts = {window.from, window.to, Min(window.n_bins, MOST_PARTS)};
	DeviantStream stream = {.placement = &placement};
	query.from_before = true;
	PH_CHECK(&trace->scratch->env, ph_deviants_new(&trace->scratch->env, &parts, &stream.deviants));
	if (placement.is_shared)
	{
		ph_trace_chunks(trace, &query, add_deviants, &stream);
		advance_deviants(&stream, trace, placement.n_shown);
	}
	put_deviants(&rows, trace, &stream, window.n_bins, parts.n);
	ph_trace_end(trace);
	return (Datum) 0;
}

/* ---- messages ---- */

typedef struct BundleStream
{
	PhBundler *bundler;
	const PhTimelineRows *placement;
	PhArena arena; /* of one chunk's messages */
	PhTraceWindow window;
} BundleStream;

static uint32
row_of(const PhTimelineRows *placement, uint32 location)
{
	uint32 place = location == PH_NONE ? PH_NONE : placement->place_of[location];
	return place == PH_NONE ? PH_NONE : placement->number[ph_row_of_place(placement, place)];
}

static void
add_bundles(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	BundleStream *stream = user;
	PhEnv *env = &trace->scratch->env;
	const PhMessage *messages;
	uint32_t n;
	PH_CHECK(env, ph_messages_of_chunk(&stream->arena, chunk->rank, &chunk->chunk, trace->reader,
									   chunk->links, &stream->window, &messages, &n));
	for (uint32 i = 0; i < n; i++)
	{
		const PhMessage *message = &messages[i];
		if (message->sender_location != PH_NONE &&
			message->sender_location >= trace->model.n_locations)
			ph_trace_refuse(trace, "a message comes from a location that does not exist");
		uint32 from = row_of(stream->placement, message->sender_location);
		uint32 to = row_of(stream->placement, message->receiver_location);
		if (from == PH_NONE || to == PH_NONE || message->send_time == PH_NO_TIME)
			continue;
		PH_CHECK(env, ph_bundler_add(stream->bundler, from, to, message->send_time,
									 message->receive_time, message->bytes));
	}
	ph_arena_drop(&stream->arena);
}

/* What the columns of bundles are called. */
typedef struct BundleColumns
{
	const char *from, *to, *count, *bytes; /* bytes NULL: there is no such column */
} BundleColumns;

static void
put_bundles(PhRows *rows, PhTraceRun *trace, const PhTimelineWindow *window, PhBundler *bundler,
			const BundleColumns *columns)
{
	const PhTimelineBundle *bundles;
	uint32_t n, n_bins;
	PH_CHECK(&trace->scratch->env, ph_bundler_finish(bundler, &bundles, &n, &n_bins));
	for (uint32 i = 0; i < n; i++)
	{
		ph_rows_int(rows, "from_row", (int32) bundles[i].from_row);
		ph_rows_int(rows, "to_row", (int32) bundles[i].to_row);
		ph_rows_bigint(rows, columns->from, bundles[i].send_time);
		ph_rows_bigint(rows, columns->to, bundles[i].receive_time);
		ph_rows_bigint(rows, columns->count, (int64) bundles[i].messages);
		if (columns->bytes != NULL)
			ph_rows_bigint(rows, columns->bytes, (int64) bundles[i].bytes);
		ph_rows_bigint(rows, "bin_width", (window->to - window->from) / n_bins);
		ph_rows_put(rows);
	}
}

PH_FUNCTION(ph_timeline_messages)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	PhEnv *env = &trace->scratch->env;
	PhTimelineWindow window = picture_window(fcinfo, 1, 2, trace);
	PhChunkQuery query = window_query(fcinfo, 2, trace, &window, PH_WANT_CALLS | PH_WANT_MESSAGES);
	PhTimelineRows placement = place_locations(fcinfo, 5, trace, query.window.locations);
	BundleStream stream = {.placement = &placement, .window = query.window};
	query.with_links = true;
	ph_arena_init(&stream.arena, env);
	PH_CHECK(env, ph_bundler_new(env, &window,
								 PG_ARGISNULL(6) ? 20000 : (uint32) Max(PG_GETARG_INT32(6), 0),
								 &stream.bundler));
	ph_trace_chunks(trace, &query, add_bundles, &stream);
	put_bundles(&rows, trace, &window, stream.bundler,
				&(BundleColumns){"send_time", "receive_time", "messages", "bytes"});
	ph_trace_end(trace);
	return (Datum) 0;
}

/* ---- launches ---- */

/* From the calls that launched what a chunk of a stream begins in the window. */
static void
add_launches(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	BundleStream *stream = user;
	PhEnv *env = &trace->scratch->env;
	const uint8_t *kinds = ph_chunk_kinds(trace->reader);
	const int64_t *times = ph_chunk_times(trace->reader);
	uint32 to = row_of(stream->placement, chunk->chunk.location), at = 0;
	const PhLink *links;
	uint32_t n;
	PH_CHECK(env, ph_launches_of_chunk(&stream->arena, &chunk->chunk, trace->reader, chunk->links,
									   &links, &n));
	for (uint32 i = 0; i < chunk->chunk.n_events; i++)
	{
		if (kinds[i] != PH_EVENT_ENTER)
			continue;
		const PhLink *link = &links[at++];
		if (link->location != PH_NONE && link->location >= trace->model.n_locations)
			ph_trace_refuse(trace, "a launch is of a location that does not exist");
		uint32 from = row_of(stream->placement, link->location);
		if (from != PH_NONE && to != PH_NONE)
			PH_CHECK(env, ph_bundler_add(stream->bundler, from, to, link->time, times[i], 0));
	}
	ph_arena_drop(&stream->arena);
}

/* The streams of a window that is wanted, of which the others are shown, too. */
static void
only_streams(PhTraceRun *trace, PhTraceWindow *window)
{
	uint32 n = trace->model.n_locations;
	bool *streams = MemoryContextAllocZero(trace->scratch->context, Max(n, 1));
	for (uint32 i = 0; i < n; i++)
		streams[i] = ph_location_is_stream(&trace->model.locations[i]) &&
					 (window->locations == NULL || window->locations[i]);
	window->locations = streams;
	window->n_locations = n;
}

PH_FUNCTION(ph_timeline_launches)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_LOCATIONS);
	PhEnv *env = &trace->scratch->env;
	PhTimelineWindow window = picture_window(fcinfo, 1, 2, trace);
	PhChunkQuery query = window_query(fcinfo, 2, trace, &window, PH_WANT_CALLS);
	PhTimelineRows placement = place_locations(fcinfo, 5, trace, query.window.locations);
	BundleStream stream = {.placement = &placement};
	query.with_launches = true;
	only_streams(trace, &query.window);
	ph_arena_init(&stream.arena, env);
	PH_CHECK(env, ph_bundler_new(env, &window,
								 PG_ARGISNULL(6) ? 20000 : (uint32) Max(PG_GETARG_INT32(6), 0),
								 &stream.bundler));
	if (trace->n_streams > 0)
		ph_trace_chunks(trace, &query, add_launches, &stream);
	put_bundles(&rows, trace, &window, stream.bundler,
				&(BundleColumns){"t_call", "t_start", "launches", NULL});
	ph_trace_end(trace);
	return (Datum) 0;
}

/* ---- metrics ---- */

static const PhTraceMetric *
find_metric(const PhTraceRun *trace, const char *name)
{
	for (uint32 i = 0; i < trace->model.n_metrics; i++)
		if (strcmp(trace->model.metrics[i].name, name) == 0)
			return &trace->model.metrics[i];
	ereport(ERROR,
			(errcode(PH_ERRCODE_NOT_FOUND),
			 errmsg("the trace of run " INT64_FORMAT " has no metric \"%s\"", trace->run_id, name),
			 errhint("perfhouse.trace_metric lists the metrics of traces.")));
}

typedef struct MetricStream
{
	PhMetricBins *bins;
	uint32 location; /* whose chunks come now; PH_NONE: none yet */
} MetricStream;

static void
add_samples(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	MetricStream *stream = user;
	PhEnv *env = &trace->scratch->env;
	if (stream->location != PH_NONE && stream->location != chunk->chunk.location)
		PH_CHECK(env, ph_metric_bins_end_location(stream->bins));
	stream->location = chunk->chunk.location;
	PH_CHECK(env, ph_metric_bins_add_chunk(stream->bins, trace->reader));
}

static void
put_metric(PhRows *rows, const PhTraceMetric *metric, const PhMetricBin *bins, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		ph_rows_int(rows, "bin", (int32) i);
		ph_rows_bigint(rows, "bin_start", bins[i].from);
		ph_rows_bigint(rows, "bin_end", bins[i].to);
		ph_rows_number(rows, "mean", bins[i].mean);
		ph_rows_number(rows, "min", bins[i].min);
		ph_rows_number(rows, "max", bins[i].max);
		ph_rows_int(rows, "n_locations", (int32) bins[i].n_locations);
		ph_rows_text(rows, "unit", metric->unit);
		ph_rows_bool(rows, "accumulated", metric->is_accumulated);
		ph_rows_put(rows);
	}
}

PH_FUNCTION(ph_metric_over_time)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_METRICS);
	PhEnv *env = &trace->scratch->env;
	const PhTraceMetric *metric = find_metric(trace, ph_arg_text(fcinfo, 1));
	PhTimelineWindow window = picture_window(fcinfo, 2, 3, trace);
	PhChunkQuery query = window_query(fcinfo, 3, trace, &window, PH_WANT_TIMES | PH_WANT_EXTRA);
	MetricStream stream = {.location = PH_NONE};
	query.window.from = PG_INT64_MIN; /* the last sample before the window counts */
	PH_CHECK(env,
			 ph_metric_bins_new(env, metric, window.from, window.to, window.n_bins, &stream.bins));
	ph_trace_chunks(trace, &query, add_samples, &stream);
	if (stream.location != PH_NONE)
		PH_CHECK(env, ph_metric_bins_end_location(stream.bins));
	put_metric(&rows, metric, ph_metric_bins_result(stream.bins), window.n_bins);
	ph_trace_end(trace);
	return (Datum) 0;
}
