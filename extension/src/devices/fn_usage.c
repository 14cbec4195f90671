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

PH_FUNCTION(ph_gpu_activity)
{
	PhRows rows;
	PhStoredActivities stored;
	uint32_t *order, *first;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	ph_stored_activities_begin(fcinfo, 0, &stored);
	const PhDevices *devices = &stored.devices;
	PH_CHECK(stored.env, ph_activities_order(stored.arena, &stored.activities, devices->device_of,
											 devices->n_devices, &order, &first));
	for (uint32 i = 0; i < devices->n_devices; i++)
	{
		PhDeviceUsage usage = ph_device_usage(&stored.activities, stored.kinds, order + first[i],
											  first[i + 1] - first[i]);
		if (first[i + 1] > first[i])
			put_device(&rows, &stored.trace->model.locations[devices->device_location[i]], &usage);
	}
	ph_stored_activities_end(&stored);
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
	ph_rows_bigint(rows, "idle", idle->host_wait + idle->launch_gap + idle->other);
	ph_rows_bigint(rows, "host_wait", idle->host_wait);
	ph_rows_bigint(rows, "launch_gap", idle->launch_gap);
	ph_rows_bigint(rows, "other", idle->other);
	ph_rows_int(rows, "n_gaps", (int32) idle->n_gaps);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_gpu_idle)
{
	PhRows rows;
	PhStoredActivities stored;
	uint32_t *order, *first;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	ph_stored_activities_begin(fcinfo, PH_ACTIVITY_WANT_CALLS, &stored);
	const PhDevices *devices = &stored.devices;
	PH_CHECK(stored.env, ph_activities_order(stored.arena, &stored.activities, devices->stream_of,
											 devices->n_streams, &order, &first));
	for (uint32 i = 0; i < devices->n_streams; i++)
	{
		PhStreamIdle idle =
			ph_stream_idle(&stored.activities, order + first[i], first[i + 1] - first[i],
						   ph_arg_bigint_or(fcinfo, 4, PH_LAUNCH_GAP));
		if (first[i + 1] > first[i])
			put_stream(&rows, &stored.trace->model.locations[devices->stream_location[i]], &idle);
	}
	ph_stored_activities_end(&stored);
	return (Datum) 0;
}
