/*
 * fn_launches.c - activities of devices with the calls that launched them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "devices/launch_totals.h"
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

/* NULL: it does not communicate, or nothing says what it does. */
static const char *
operation_of(const Launching *launching, const PhDeviceActivity *activity)
{
	const PhStoredActivities *stored = &launching->stored;
	const PhTraceRegion *region = &stored->trace->model.regions[activity->region];
	if (stored->kinds[activity->region] != PH_ACTIVITY_COMMUNICATION)
		return NULL;
	return ph_device_operation_name(ph_device_activity_operation(activity, region));
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
	ph_rows_text(rows, "operation", operation_of(launching, activity));
	ph_rows_bigint(rows, "t_start", activity->start);
	ph_rows_bigint(rows, "duration", activity->end - activity->start);
	ph_rows_bigint_unless(rows, "bytes", (int64) activity->bytes, 0);
	ph_rows_index(rows, "queue", activity->launch == PH_NONE ? PH_NONE : queue);
	put_call(rows, launching, activity);
	ph_rows_put(rows);
}

/* What is done with the activities of a stream, in order from first to end. */
typedef void (*StreamFunction)(void *user, const Launching *launching, const uint32_t *order,
							   uint32 n, const uint32_t *queue);

static void
visit_streams(FunctionCallInfo fcinfo, uint32 wants, StreamFunction function, void *user,
			  Launching *launching)
{
	uint32_t *order, *first, *queue;
	PhStoredActivities *stored = &launching->stored;
	ph_stored_activities_begin(fcinfo, wants | PH_ACTIVITY_WANT_LAUNCHES, stored);
	launching->calls = ph_stored_launching_calls(stored);
	const PhDevices *devices = &stored->devices;
	PH_CHECK(stored->env,
			 ph_activities_order(stored->arena, &stored->activities, devices->stream_of,
								 devices->n_streams, &order, &first));
	for (uint32 i = 0; i < devices->n_streams; i++)
	{
		PH_CHECK(stored->env, ph_stream_queue(stored->arena, &stored->activities, order + first[i],
											  first[i + 1] - first[i], &queue));
		function(user, launching, order + first[i], first[i + 1] - first[i], queue);
	}
}

static void
put_stream(void *user, const Launching *launching, const uint32_t *order, uint32 n,
		   const uint32_t *queue)
{
	for (uint32 i = 0; i < n; i++)
		put_activity(user, launching, &launching->stored.activities.list.items[order[i]], queue[i]);
}

PH_FUNCTION(ph_launches)
{
	PhRows rows;
	Launching launching;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	visit_streams(fcinfo, PH_ACTIVITY_WANT_BYTES, put_stream, &rows, &launching);
	ph_stored_activities_end(&launching.stored);
	return (Datum) 0;
}

/* ---- sums ---- */

typedef struct Summing
{
	int64 long_call, long_delay;
	PhLaunchTotals totals; /* begun with the first stream */
} Summing;

static void
sum_stream(void *user, const Launching *launching, const uint32_t *order, uint32 n,
		   const uint32_t *queue)
{
	Summing *summing = user;
	const PhStoredActivities *stored = &launching->stored;
	if (summing->totals.arena == NULL)
		ph_launch_totals_begin(stored->arena, &stored->trace->model, summing->long_call,
							   summing->long_delay, &summing->totals);
	PH_CHECK(stored->env, ph_launch_totals_add(&summing->totals, stored->activities.list.items,
											   order, n, queue, launching->calls));
}

static void
put_total(PhRows *rows, const PhTraceRun *trace, const PhLaunchTotal *total)
{
	ph_rows_known(rows, "rank", total->rank);
	ph_rows_text(rows, "call", ph_trace_region_name(trace, total->region));
	ph_rows_bigint(rows, "activities", (int64) total->n);
	ph_rows_bigint(rows, "shorter_than_call", (int64) total->n_short);
	ph_rows_bigint(rows, "long_calls", (int64) total->n_long_calls);
	ph_rows_bigint(rows, "long_delays", (int64) total->n_delayed);
	ph_rows_bigint(rows, "call_ns", total->calls);
	ph_rows_bigint(rows, "duration_ns", total->durations);
	ph_rows_bigint(rows, "delay_ns", total->delays);
	ph_rows_bigint(rows, "max_delay", total->max_delay);
	ph_rows_int(rows, "max_queue", (int32) total->max_queue);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_launch_totals)
{
	PhRows rows;
	Launching launching;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	/* nothing is longer than null */
	Summing summing = {.long_call = PG_ARGISNULL(4) ? PG_INT64_MAX : PG_GETARG_INT64(4),
					   .long_delay = PG_ARGISNULL(5) ? PG_INT64_MAX : PG_GETARG_INT64(5)};
	visit_streams(fcinfo, 0, sum_stream, &summing, &launching);
	for (uint32 i = 0; i < summing.totals.list.count; i++)
		put_total(&rows, launching.stored.trace, &summing.totals.list.items[i]);
	ph_stored_activities_end(&launching.stored);
	return (Datum) 0;
}
