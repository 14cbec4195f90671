/*
 * fn_usage.c - how busy devices were, and why streams were idle.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "devices/stored.h"
#include "devices/usage.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"

static void
put_device(PhRows *rows, const PhTraceLocation *location, const PhDeviceUsage *usage)
{
	ph_rows_text(rows, "device", ph_device_name(location));
	ph_rows_known(rows, "rank", location->rank);
	ph_rows_bigint(rows, "wall", usage->wall);
	ph_rows_bigint(rows, "busy", usage->busy);
	ph_rows_bigint(rows, "compute", usage->compute);
	ph_rows_bigint(rows, "communication", usage->communication);
	ph_rows_bigint(rows, "copies", usage->copies);
	ph_rows_bigint(rows, "overlap", usage->overlap);
	ph_rows_bigint(rows, "exposed", usage->communication - usage->overlap);
	ph_rows_bigint(rows, "idle", usage->wall - usage->busy);
	ph_rows_put(rows);
}

typedef struct Usages
{
	PhDeviceUsage *of; /* by device */
	bool *are_known;
} Usages;

static void
add_device(void *user, PhArena *arena, uint32 device, const PhDeviceSpans *spans)
{
	Usages *usages = user;
	PH_CHECK(arena->env, ph_device_usage(arena, spans, &usages->of[device]));
	usages->are_known[device] = true;
}

PH_FUNCTION(ph_gpu_activity)
{
	PhRows rows;
	PhDevices devices;
	Usages usages;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhArena *arena = &trace->scratch->arena;
	PH_CHECK(arena->env, ph_devices_find(arena, &trace->model, &devices));
	PH_CHECK(arena->env, PH_NEW(arena, devices.n_devices, &usages.of));
	PH_CHECK(arena->env, PH_NEW(arena, devices.n_devices, &usages.are_known));
	ph_stored_spans(fcinfo, trace, devices.device_of, devices.n_devices, true, add_device, &usages);
	for (uint32 i = 0; i < devices.n_devices; i++)
		if (usages.are_known[i])
			put_device(&rows, &trace->model.locations[devices.device_location[i]], &usages.of[i]);
	ph_trace_end(trace);
	return (Datum) 0;
}

static void
put_stream(PhRows *rows, const PhTraceLocation *location, const PhStreamIdle *idle)
{
	ph_rows_text(rows, "device", ph_device_name(location));
	ph_rows_known(rows, "rank", location->rank);
	ph_rows_bigint(rows, "context", location->stream.context);
	ph_rows_bigint(rows, "stream", location->stream.stream);
	ph_rows_bigint(rows, "busy", idle->busy);
	ph_rows_bigint(rows, "idle",
				   idle->host_wait + idle->stream_wait + idle->launch_gap + idle->other);
	ph_rows_bigint(rows, "host_wait", idle->host_wait);
	ph_rows_bigint(rows, "stream_wait", idle->stream_wait);
	ph_rows_bigint(rows, "launch_gap", idle->launch_gap);
	ph_rows_bigint(rows, "other", idle->other);
	ph_rows_int(rows, "n_gaps", (int32) idle->n_gaps);
	ph_rows_put(rows);
}

typedef struct Idles
{
	int64 threshold;
	PhStreamIdle *of; /* by stream */
	bool *are_known;
} Idles;

static void
add_stream(void *user, PhArena *arena, uint32 stream, const PhDeviceSpans *spans)
{
	Idles *idles = user;
	PH_CHECK(arena->env, ph_stream_idle(arena, spans, idles->threshold, &idles->of[stream]));
	idles->are_known[stream] = true;
}

PH_FUNCTION(ph_gpu_idle)
{
	PhRows rows;
	PhDevices devices;
	Idles idles = {.threshold = ph_arg_bigint_or(fcinfo, 4, PH_LAUNCH_GAP)};
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhArena *arena = &trace->scratch->arena;
	PH_CHECK(arena->env, ph_devices_find(arena, &trace->model, &devices));
	PH_CHECK(arena->env, PH_NEW(arena, devices.n_streams, &idles.of));
	PH_CHECK(arena->env, PH_NEW(arena, devices.n_streams, &idles.are_known));
	ph_stored_spans(fcinfo, trace, devices.stream_of, devices.n_streams, false, add_stream, &idles);
	for (uint32 i = 0; i < devices.n_streams; i++)
		if (idles.are_known[i])
			put_stream(&rows, &trace->model.locations[devices.stream_location[i]], &idles.of[i]);
	ph_trace_end(trace);
	return (Datum) 0;
}
