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

static void
put_uses(PhRows *rows, const PhTraceLocation *location, const PhTimeBins *bins,
		 const PhUseCell *cells)
{
	static const char *const columns[PH_DEVICE_USES] = {
		"compute", "overlap", "exposed", "copies", "host_wait", "launch_gap", "other"};
	for (uint32 bin = 0; bin < bins->n; bin++)
	{
		ph_rows_text(rows, "device", ph_device_name(location));
		ph_rows_known(rows, "rank", location->rank);
		put_bin(rows, bins, bin);
		for (int use = 0; use < PH_DEVICE_USES; use++)
			ph_rows_bigint(rows, columns[use], cells[bin].ns[use]);
		ph_rows_put(rows);
	}
}

PH_FUNCTION(ph_gpu_over_time)
{
	PhRows rows;
	PhStoredActivities stored;
	PhUseCell *cells;
	uint32_t *order, *first;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTimeBins bins = begin(fcinfo, PH_ACTIVITY_WANT_CALLS, &stored);
	const PhDevices *devices = &stored.devices;
	PH_CHECK(stored.env, PH_NEW(stored.arena, bins.n, &cells));
	PH_CHECK(stored.env, ph_activities_order(stored.arena, &stored.activities, devices->device_of,
											 devices->n_devices, &order, &first));
	for (uint32 i = 0; i < devices->n_devices; i++)
	{
		if (first[i + 1] == first[i])
			continue;
		memset(cells, 0, bins.n * sizeof(*cells));
		ph_device_use_over_time(&stored.activities, stored.kinds, order + first[i],
								first[i + 1] - first[i], ph_arg_bigint_or(fcinfo, 5, PH_LAUNCH_GAP),
								&bins, cells);
		put_uses(&rows, &stored.trace->model.locations[devices->device_location[i]], &bins, cells);
	}
	ph_stored_activities_end(&stored);
	return (Datum) 0;
}

static void
put_queue(PhRows *rows, const PhTraceLocation *location, const PhTimeBins *bins,
		  const PhQueueCell *cells)
{
	for (uint32 bin = 0; bin < bins->n; bin++)
	{
		double width = (double) (ph_bin_start(bins, bin + 1) - ph_bin_start(bins, bin));
		ph_rows_text(rows, "device", ph_device_name(location));
		ph_rows_known(rows, "rank", location->rank);
		ph_rows_bigint(rows, "context", location->stream.context);
		ph_rows_bigint(rows, "stream", location->stream.stream);
		put_bin(rows, bins, bin);
		ph_rows_number(rows, "mean", width > 0 ? cells[bin].waiting / width : NAN);
		ph_rows_int(rows, "longest", (int32) cells[bin].longest);
		ph_rows_bigint(rows, "empty", cells[bin].empty);
		ph_rows_bigint(rows, "full", cells[bin].full);
		ph_rows_put(rows);
	}
}

PH_FUNCTION(ph_gpu_queue)
{
	PhRows rows;
	PhStoredActivities stored;
	PhQueueCell *cells;
	uint32_t *order, *first;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTimeBins bins = begin(fcinfo, PH_ACTIVITY_WANT_CALLS, &stored);
	const PhDevices *devices = &stored.devices;
	int64 full = ph_arg_bigint_or(fcinfo, 5, FULL_QUEUE);
	PH_CHECK(stored.env, PH_NEW(stored.arena, bins.n, &cells));
	PH_CHECK(stored.env, ph_activities_order(stored.arena, &stored.activities, devices->stream_of,
											 devices->n_streams, &order, &first));
	for (uint32 i = 0; i < devices->n_streams; i++)
	{
		if (first[i + 1] == first[i])
			continue;
		memset(cells, 0, bins.n * sizeof(*cells));
		PH_CHECK(stored.env, ph_stream_queue_over_time(stored.arena, &stored.activities,
													   order + first[i], first[i + 1] - first[i],
													   (uint32) Min(Max(full, 1), PG_UINT32_MAX),
													   &bins, cells));
		put_queue(&rows, &stored.trace->model.locations[devices->stream_location[i]], &bins, cells);
	}
	ph_stored_activities_end(&stored);
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
