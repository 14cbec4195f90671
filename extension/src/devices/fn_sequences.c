/*
 * fn_sequences.c - sequences of kernels that come again and again.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "devices/host_calls.h"
#include "devices/sequences.h"
#include "devices/stored.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/args.h"

/* The outermost call of these, of one location and sorted by end, that holds a time; PH_NONE. */
static uint32
outermost_around(const PhHostCalls *calls, uint32 location, int64 time)
{
	uint32 low = 0, high = calls->list.count, found = PH_NONE;
	while (low < high)
	{
		uint32 middle = low + (high - low) / 2;
		const PhHostCall *call = &calls->list.items[middle];
		if (call->location < location || (call->location == location && call->leave < time))
			low = middle + 1;
		else
			high = middle;
	}
	/* calls of one function around each other: those behind it that begin before it */
	for (; low < calls->list.count && calls->list.items[low].location == location; low++)
	{
		if (calls->list.items[low].enter > time)
			break;
		found = low;
	}
	return found;
}

/* By activity below which call of the function it was launched. */
static uint32 *
group_by_call(PhStoredActivities *stored, const char *function)
{
	PhHostCalls calls;
	uint32 *group;
	ph_stored_calls_of(stored->trace, function, &calls);
	PH_CHECK(stored->env, PH_NEW(stored->arena, stored->activities.list.count, &group));
	for (uint32 i = 0; i < stored->activities.list.count; i++)
	{
		const PhDeviceActivity *activity = &stored->activities.list.items[i];
		group[i] = PH_NONE;
		if (activity->launch != PH_NONE)
			group[i] = outermost_around(
				&calls, stored->launches.calls.items[activity->launch].location, activity->call);
	}
	ph_host_calls_free(stored->env, &calls);
	return group;
}

static void
put_sequence(PhRows *rows, const PhStoredActivities *stored, const uint32_t *order, uint32 length,
			 const PhKernelSequence *sequence)
{
	const char *names[PH_LONGEST_SEQUENCE];
	for (uint32 i = 0; i < length; i++)
	{
		uint32 activity = order[sequence->first + i];
		uint32 region = stored->activities.list.items[activity].region;
		names[i] = stored->trace->model.regions[region].name;
	}
	ph_rows_texts(rows, "kernels", names, (int) length);
	ph_rows_bigint(rows, "count", (int64) sequence->count);
	ph_rows_bigint(rows, "busy", sequence->busy);
	ph_rows_bigint(rows, "gaps", sequence->gaps);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_kernel_sequences_of_run)
{
	PhRows rows;
	PhStoredActivities stored;
	PhKernelSequence *sequences;
	uint32_t *order, *first, n;
	int64 length = ph_arg_bigint_or(fcinfo, 1, 3);
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	if (length < 2 || length > PH_LONGEST_SEQUENCE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a sequence has 2 to %d kernels", PH_LONGEST_SEQUENCE)));
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhTraceWindow window = ph_arg_streams(fcinfo, 3, trace);
	const char *below = ph_arg_text_or(fcinfo, 2, NULL);
	ph_stored_activities_read(trace, &window, below != NULL ? PH_ACTIVITY_WANT_LAUNCHES : 0,
							  &stored);
	const PhDevices *devices = &stored.devices;
	PH_CHECK(stored.env, ph_activities_order(stored.arena, &stored.activities, devices->stream_of,
											 devices->n_streams, &order, &first));
	PH_CHECK(stored.env, ph_kernel_sequences(stored.arena, &stored.activities, stored.kinds, order,
											 first, devices->n_streams,
											 below == NULL ? NULL : group_by_call(&stored, below),
											 (uint32) length, &sequences, &n));
	for (uint32 i = 0; i < n; i++)
		put_sequence(&rows, &stored, order, (uint32) length, &sequences[i]);
	ph_stored_activities_end(&stored);
	return (Datum) 0;
}
