/*
 * fn_stream_waits.c - which activities waited for other streams, as events recorded it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "devices/stored.h"
#include "devices/stream_waits.h"
#include "server/compat.h"
#include "server/rowio.h"

static void
put_wait(PhRows *rows, const PhStoredActivities *stored, const PhStreamWait *wait)
{
	const PhTraceModel *model = &stored->trace->model;
	const PhDeviceActivity *list = stored->activities.list.items;
	const PhDeviceActivity *activity = &list[wait->activity];
	const PhTraceLocation *location = &model->locations[activity->location];
	if (wait->location >= model->n_locations)
		ph_trace_refuse(stored->trace, "a stream waits for one that does not exist");
	const PhTraceLocation *other = &model->locations[wait->location];
	ph_rows_int(rows, "location", (int32) activity->location);
	ph_rows_known(rows, "rank", location->rank);
	ph_rows_text(rows, "device", ph_device_name(location));
	ph_rows_bigint(rows, "stream", location->stream.stream);
	ph_rows_text(rows, "activity", model->regions[activity->region].name);
	ph_rows_bigint(rows, "t_start", activity->start);
	ph_rows_bigint(rows, "waited", wait->waited);
	ph_rows_int(rows, "awaited_location", (int32) wait->location);
	ph_rows_bigint(rows, "awaited_stream", other->stream.stream);
	if (wait->awaited == PH_NONE)
		ph_rows_null(rows, "awaited_activity");
	else
		ph_rows_text(rows, "awaited_activity", model->regions[list[wait->awaited].region].name);
	ph_rows_bigint(rows, "t_awaited", wait->end);
	ph_rows_put(rows);
}

/* All activities are read, as what was waited for may be outside of the window. */
static void
put_waits(FunctionCallInfo fcinfo, PhRows *rows, PhTraceRun *trace)
{
	PhStoredActivities stored;
	PhTraceWindow window = ph_arg_streams(fcinfo, 1, trace);
	PhTraceWindow all = ph_window_all();
	PhStreamWait *waits;
	uint32_t n;
	all.locations = window.locations;
	all.n_locations = window.n_locations;
	ph_stored_activities_read(trace, &all, PH_ACTIVITY_WANT_CALLS | PH_ACTIVITY_WANT_BYTES,
							  &stored);
	PH_CHECK(stored.env,
			 ph_stream_waits(stored.arena, &stored.activities, &stored.devices, &waits, &n));
	for (uint32 i = 0; i < n; i++)
	{
		const PhDeviceActivity *activity = &stored.activities.list.items[waits[i].activity];
		if (activity->start < window.to && activity->end >= window.from)
			put_wait(rows, &stored, &waits[i]);
	}
	ph_activities_free(stored.env, &stored.activities);
}

PH_FUNCTION(ph_stream_waits_of_run)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	(void) ph_arg_streams(fcinfo, 1, trace);
	if (trace->n_stream_waits > 0)
		put_waits(fcinfo, &rows, trace);
	ph_trace_end(trace);
	return (Datum) 0;
}
