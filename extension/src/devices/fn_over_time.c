/*
 * fn_over_time.c - what devices did, how long their queues were and what was copied, in bins of
 * time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "devices/over_time.h"
#include "devices/stored.h"
#include "devices/usage.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/args.h"

/* As cudaLaunchKernel begins to wait. */
#define FULL_QUEUE 1024

/* Activities of all of the trace, of the ranks of argument 4, and the bins of arguments 1 to 3. */
static PhTimeBins
begin(FunctionCallInfo fcinfo, uint32 wants, PhStoredActivities *stored)
{
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhTimeBins bins = ph_arg_bins(fcinfo, 1, 2, trace);
	PhTraceWindow window = ph_arg_streams(fcinfo, 2, trace);
	/* what is before and behind the window tells what is in it */
	window.from = INT64_MIN;
	window.to = INT64_MAX;
	ph_stored_activities_read(trace, &window, wants, stored);
	return bins;
}

static void
put_bin(PhRows *rows, const PhTimeBins *bins, uint32 bin)
{
	ph_rows_int(rows, "bin", (int32) bin);
	ph_rows_bigint(rows, "bin_start", ph_bin_start(bins, bin));
	ph_rows_bigint(rows, "bin_end", ph_bin_start(bins, bin + 1));
}

/* ---- devices and streams ---- */

/* What was asked of devices or of streams, and the cells of the bins of the one at hand. */
typedef struct Asked
{
	PhRows rows;
	PhStoredActivities stored;
	PhTimeBins bins;
	int64 limit; /* argument 5 */
	void *cells;
	PhQueueSpread *spread; /* over n_streams, where that is asked */
	uint32 n_streams;
} Asked;

/* Rows of a device or stream, by its number; order: its n activities. */
typedef void (*PutPlace)(Asked *asked, uint32 place, const uint32_t *order, uint32 n);

static void
put_each(Asked *asked, const uint32_t *place_of, uint32 n_places, size_t cell, PutPlace put)
{
	PhStoredActivities *stored = &asked->stored;
	uint32_t *order, *first;
	PH_CHECK(stored->env, ph_arena_alloc(stored->arena, asked->bins.n, cell, &asked->cells));
	PH_CHECK(stored->env, ph_activities_order(stored->arena, &stored->activities, place_of,
											  n_places, &order, &first));
	for (uint32 i = 0; i < n_places; i++)
	{
		if (first[i + 1] == first[i])
			continue;
		memset(asked->cells, 0, asked->bins.n * cell);
		put(asked, i, order + first[i], first[i + 1] - first[i]);
	}
}

/* False: a null run has no rows. */
static bool
ask(FunctionCallInfo fcinfo, int64 limit, Asked *asked)
{
	ph_rows_begin(&asked->rows, fcinfo);
	if (PG_ARGISNULL(0))
		return false;
	asked->bins = begin(fcinfo, PH_ACTIVITY_WANT_CALLS, &asked->stored);
	asked->limit = PG_NARGS() > 5 ? ph_arg_bigint_or(fcinfo, 5, limit) : limit;
	return true;
}

static void
put_uses(Asked *asked, uint32 device, const uint32_t *order, uint32 n)
{
	static const char *const columns[PH_DEVICE_USES] = {
		"compute", "overlap", "exposed", "copies", "host_wait", "launch_gap", "other"};
	PhStoredActivities *stored = &asked->stored;
	const PhTraceLocation *location =
		&stored->trace->model.locations[stored->devices.device_location[device]];
	PhUseCell *cells = asked->cells;
	ph_device_use_over_time(&stored->activities, stored->kinds, order, n, asked->limit,
							&asked->bins, cells);
	for (uint32 bin = 0; bin < asked->bins.n; bin++)
	{
		ph_rows_text(&asked->rows, "device", ph_device_name(location));
		ph_rows_known(&asked->rows, "rank", location->rank);
		put_bin(&asked->rows, &asked->bins, bin);
		for (int use = 0; use < PH_DEVICE_USES; use++)
			ph_rows_bigint(&asked->rows, columns[use], cells[bin].ns[use]);
		ph_rows_put(&asked->rows);
	}
}

PH_FUNCTION(ph_gpu_over_time)
{
	Asked asked;
	if (!ask(fcinfo, PH_LAUNCH_GAP, &asked))
		return (Datum) 0;
	put_each(&asked, asked.stored.devices.device_of, asked.stored.devices.n_devices,
			 sizeof(PhUseCell), put_uses);
	ph_stored_activities_end(&asked.stored);
	return (Datum) 0;
}

static void
put_queue(Asked *asked, uint32 stream, const uint32_t *order, uint32 n)
{
	PhStoredActivities *stored = &asked->stored;
	const PhTraceLocation *location =
		&stored->trace->model.locations[stored->devices.stream_location[stream]];
	uint32 full = (uint32) Min(Max(asked->limit, 1), PG_UINT32_MAX);
	PhQueueCell *cells = asked->cells;
	PhRows *rows = &asked->rows;
	PH_CHECK(stored->env, ph_stream_queue_over_time(stored->arena, &stored->activities, order, n,
													full, &asked->bins, cells));
	for (uint32 bin = 0; bin < asked->bins.n; bin++)
	{
		double width =
			(double) (ph_bin_start(&asked->bins, bin + 1) - ph_bin_start(&asked->bins, bin));
		ph_rows_text(rows, "device", ph_device_name(location));
		ph_rows_known(rows, "rank", location->rank);
		ph_rows_bigint(rows, "context", location->stream.context);
		ph_rows_bigint(rows, "stream", location->stream.stream);
		put_bin(rows, &asked->bins, bin);
		ph_rows_number(rows, "mean", width > 0 ? cells[bin].waiting / width : NAN);
		ph_rows_int(rows, "longest", (int32) cells[bin].longest);
		ph_rows_bigint(rows, "empty", cells[bin].empty);
		ph_rows_bigint(rows, "full", cells[bin].full);
		ph_rows_put(rows);
	}
}

PH_FUNCTION(ph_gpu_queue)
{
	Asked asked;
	if (!ask(fcinfo, FULL_QUEUE, &asked))
		return (Datum) 0;
	put_each(&asked, asked.stored.devices.stream_of, asked.stored.devices.n_streams,
			 sizeof(PhQueueCell), put_queue);
	ph_stored_activities_end(&asked.stored);
	return (Datum) 0;
}

static void
add_queue(Asked *asked, uint32 stream, const uint32_t *order, uint32 n)
{
	PhStoredActivities *stored = &asked->stored;
	(void) stream;
	PH_CHECK(stored->env, ph_stream_queue_over_time(stored->arena, &stored->activities, order, n,
													FULL_QUEUE, &asked->bins, asked->cells));
	ph_queue_spread_add(asked->spread, &asked->bins, asked->cells, asked->n_streams++ == 0);
}

/* A row a bin, however many streams there are. */
PH_FUNCTION(ph_gpu_queue_spread)
{
	Asked asked = {.n_streams = 0};
	if (!ask(fcinfo, FULL_QUEUE, &asked))
		return (Datum) 0;
	PH_CHECK(asked.stored.env, PH_NEW(asked.stored.arena, asked.bins.n, &asked.spread));
	put_each(&asked, asked.stored.devices.stream_of, asked.stored.devices.n_streams,
			 sizeof(PhQueueCell), add_queue);
	for (uint32 bin = 0; bin < asked.bins.n && asked.n_streams > 0; bin++)
	{
		put_bin(&asked.rows, &asked.bins, bin);
		ph_rows_number(&asked.rows, "mean", asked.spread[bin].sum / asked.n_streams);
		ph_rows_number(&asked.rows, "min", asked.spread[bin].least);
		ph_rows_number(&asked.rows, "max", asked.spread[bin].most);
		ph_rows_put(&asked.rows);
	}
	ph_stored_activities_end(&asked.stored);
	return (Datum) 0;
}

/* ---- copies ---- */

static void
put_copies(PhRows *rows, const char *name, const PhTimeBins *bins, const PhCopyCell *cells)
{
	for (uint32 bin = 0; bin < bins->n; bin++)
	{
		double width = (double) (ph_bin_start(bins, bin + 1) - ph_bin_start(bins, bin));
		ph_rows_text(rows, "name", name);
		put_bin(rows, bins, bin);
		ph_rows_number(rows, "bytes", cells[bin].bytes);
		ph_rows_bigint(rows, "ns", cells[bin].ns);
		ph_rows_number(rows, "bandwidth", width > 0 ? cells[bin].bytes * 1e9 / width : NAN);
		ph_rows_put(rows);
	}
}

/* By region, the cells of its bins; NULL: it copied nothing. */
static PhCopyCell **
add_copies(const PhStoredActivities *stored, const PhTimeBins *bins)
{
	PhCopyCell **cells;
	PH_CHECK(stored->env, PH_NEW(stored->arena, stored->trace->model.n_regions, &cells));
	for (uint32 i = 0; i < stored->activities.list.count; i++)
	{
		const PhDeviceActivity *copy = &stored->activities.list.items[i];
		if (ph_activity_kind_is_kernel(stored->kinds[copy->region]))
			continue;
		if (cells[copy->region] == NULL)
			PH_CHECK(stored->env, PH_NEW(stored->arena, bins->n, &cells[copy->region]));
		ph_copy_over_time(copy, bins, cells[copy->region]);
	}
	return cells;
}

PH_FUNCTION(ph_copies_over_time)
{
	PhRows rows;
	PhStoredActivities stored;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTimeBins bins = begin(fcinfo, PH_ACTIVITY_WANT_BYTES, &stored);
	PhCopyCell **cells = add_copies(&stored, &bins);
	for (uint32 i = 0; i < stored.trace->model.n_regions; i++)
		if (cells[i] != NULL)
			put_copies(&rows, stored.trace->model.regions[i].name, &bins, cells[i]);
	ph_stored_activities_end(&stored);
	return (Datum) 0;
}
