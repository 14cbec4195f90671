/*
 * fn_collectives.c - collective operations of devices: who came last, and who waited for it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "devices/collectives.h"
#include "devices/stored.h"
#include "server/compat.h"
#include "server/rowio.h"

static const PhTraceLocation *
location_of(const PhStoredActivities *stored, const PhDeviceMember *member)
{
	uint32 location = stored->activities.list.items[member->activity].location;
	return &stored->trace->model.locations[location];
}

static void
put_member(PhRows *rows, const PhStoredActivities *stored, const PhDeviceCollectives *found,
		   uint32 at)
{
	const PhDeviceMember *member = &found->members[at];
	const PhDeviceInstance *instance = &found->instances[member->instance];
	const PhDeviceActivity *list = stored->activities.list.items;
	const PhDeviceActivity *activity = &list[member->activity];
	const PhDeviceMember *last = &found->members[instance->last];
	int64 first = list[found->members[instance->first].activity].start;
	const PhTraceLocation *location = location_of(stored, member);
	const PhTraceRegion *region = &stored->trace->model.regions[activity->region];
	ph_rows_int(rows, "collective", (int32) member->instance);
	ph_rows_text(rows, "name", region->name);
	ph_rows_text(rows, "operation",
				 ph_device_operation_name(ph_device_activity_operation(activity, region)));
	ph_rows_index(rows, "communicator", activity->communicator);
	ph_rows_int(rows, "step", (int32) instance->step);
	ph_rows_int(rows, "n_members", (int32) instance->n);
	ph_rows_int(rows, "location", (int32) activity->location);
	ph_rows_known(rows, "rank", location->rank);
	ph_rows_text(rows, "device", ph_device_name(location));
	ph_rows_bigint(rows, "stream", location->stream.stream);
	ph_rows_bigint_unless(rows, "bytes", (int64) activity->bytes, 0);
	ph_rows_bigint_unless(rows, "t_call", activity->call, PH_NO_TIME);
	ph_rows_bigint(rows, "t_start", activity->start);
	ph_rows_bigint(rows, "t_end", activity->end);
	ph_rows_bigint(rows, "lateness", activity->start - first);
	ph_rows_bigint(rows, "wait", member->wait);
	ph_rows_known(rows, "last_rank", location_of(stored, last)->rank);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_device_collectives)
{
	PhRows rows;
	PhStoredActivities stored;
	PhDeviceCollectives found;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	ph_stored_activities_begin(fcinfo, PH_ACTIVITY_WANT_CALLS | PH_ACTIVITY_WANT_BYTES, &stored);
	PH_CHECK(stored.env, ph_device_collectives_find(stored.arena, &stored.activities, stored.kinds,
													&stored.trace->model, &found));
	for (uint32 i = 0; i < found.n_members; i++)
		put_member(&rows, &stored, &found, i);
	ph_stored_activities_end(&stored);
	return (Datum) 0;
}
