/*
 * fn_launches.c - activities of devices with the calls that launched them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "devices/stored.h"
#include "devices/usage.h"
#include "server/compat.h"
#include "server/rowio.h"

typedef struct Launching
{
	PhStoredActivities stored;
	PhLaunchingCall *calls; /* by launch */
} Launching;

static void
put_call(PhRows *rows, const Launching *launching, const PhDeviceActivity *activity)
{
	const PhStoredActivities *stored = &launching->stored;
	bool is_known = activity->launch != PH_NONE;
	const PhLaunchingCall *call =
		is_known ? &launching->calls[activity->launch] : &(PhLaunchingCall){.region = PH_NONE};
	uint32 location = is_known ? stored->launches.calls.items[activity->launch].location : PH_NONE;
	int64 none = PG_INT64_MIN;
	ph_rows_text(rows, "call", ph_trace_region_name(stored->trace, call->region));
	ph_rows_index(rows, "call_location", location);
	ph_rows_bigint_unless(
		rows, "call_seq",
		is_known ? (int64) stored->launches.calls.items[activity->launch].seq : none, none);
	ph_rows_bigint_unless(rows, "t_call", activity->call, PH_NO_TIME);
	ph_rows_bigint_unless(rows, "call_duration",
						  call->region == PH_NONE ? none : call->leave - call->enter, none);
	ph_rows_bigint_unless(rows, "delay", is_known ? activity->start - activity->call : none, none);
	ph_rows_bigint_unless(rows, "delay_from_end",
						  call->region == PH_NONE ? none : activity->start - call->leave, none);
}

static void
put_activity(PhRows *rows, const Launching *launching, const PhDeviceActivity *activity,
			 uint32 queue)
{
	const PhTraceModel *model = &launching->stored.trace->model;
	const PhTraceLocation *location = &model->locations[activity->location];
	static const char *const kinds[] = {"compute", "communication", "copy", "set"};
	ph_rows_int(rows, "location", (int32) activity->location);
	ph_rows_known(rows, "rank", location->rank);
	ph_rows_text(rows, "device", ph_device_name(location));
	ph_rows_bigint(rows, "stream", location->stream.stream);
	ph_rows_text(rows, "activity", model->regions[activity->region].name);
	ph_rows_text(rows, "kind", kinds[launching->stored.kinds[activity->region]]);
	ph_rows_bigint(rows, "t_start", activity->start);
	ph_rows_bigint(rows, "duration", activity->end - activity->start);
	ph_rows_bigint(rows, "bytes", (int64) activity->bytes);
	ph_rows_index(rows, "queue", activity->launch == PH_NONE ? PH_NONE : queue);
	put_call(rows, launching, activity);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_launches)
{
	PhRows rows;
	Launching launching;
	uint32_t *order, *first, *queue;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhStoredActivities *stored = &launching.stored;
	ph_stored_activities_begin(fcinfo, PH_ACTIVITY_WANT_BYTES | PH_ACTIVITY_WANT_LAUNCHES, stored);
	launching.calls = ph_stored_launching_calls(stored);
	const PhDevices *devices = &stored->devices;
	PH_CHECK(stored->env,
			 ph_activities_order(stored->arena, &stored->activities, devices->stream_of,
								 devices->n_streams, &order, &first));
	for (uint32 i = 0; i < devices->n_streams; i++)
	{
		PH_CHECK(stored->env, ph_stream_queue(stored->arena, &stored->activities, order + first[i],
											  first[i + 1] - first[i], &queue));
		for (uint32 a = first[i]; a < first[i + 1]; a++)
			put_activity(&rows, &launching, &stored->activities.list.items[order[a]],
						 queue[a - first[i]]);
	}
	ph_stored_activities_end(stored);
	return (Datum) 0;
}
