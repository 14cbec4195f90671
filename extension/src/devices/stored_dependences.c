/*
 * stored_dependences.c - see stored_dependences.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "devices/dependences.h"
#include "devices/host_calls.h"
#include "devices/stored.h"
#include "devices/stored_dependences.h"
#include "devices/usage.h"

/* All waits together and, unless host is NULL, those of threads for devices by themselves. */
static void
find_dependences(PhTraceRun *trace, const PhWaitStates *waits, PhWaitStates *all,
				 const PhHostWait **host, uint32 *n)
{
	PhStoredActivities stored;
	PhHostCalls syncs;
	PhDeviceCollectives collectives;
	PhTraceWindow window = ph_window_all();
	window.locations = ph_stream_locations(trace);
	window.n_locations = trace->model.n_locations;
	ph_stored_activities_read(trace, &window, PH_ACTIVITY_WANT_LAUNCHES, &stored);
	const PhLaunchingCall *calls = ph_stored_launching_calls(&stored);
	ph_stored_host_calls(trace, ph_call_synchronises, &syncs);
	PH_CHECK(stored.env, ph_device_collectives_find(stored.arena, &stored.activities, stored.kinds,
													&trace->model, &collectives));
	PhDeviceWork work = {.model = &trace->model,
						 .devices = &stored.devices,
						 .kinds = stored.kinds,
						 .activities = &stored.activities,
						 .launches = &stored.launches,
						 .calls = calls,
						 .syncs = &syncs,
						 .collectives = &collectives,
						 .near = PH_LAUNCH_GAP};
	PH_CHECK(stored.env, ph_device_dependences(stored.arena, &work, waits, all));
	if (host != NULL)
		PH_CHECK(stored.env, ph_device_host_waits(stored.arena, &stored.activities, all, host, n));
	ph_host_calls_free(stored.env, &syncs);
	ph_stored_activities_free(&stored);
}

void
ph_stored_dependences(PhTraceRun *trace, PhWaitStates *waits)
{
	PhWaitStates all;
	if (trace->n_streams == 0)
		return;
	find_dependences(trace, waits, &all, NULL, NULL);
	*waits = all;
}

const PhHostWait *
ph_stored_host_waits(PhTraceRun *trace, const PhWaitStates *waits, uint32 *n)
{
	PhWaitStates all;
	const PhHostWait *host = NULL;
	*n = 0;
	if (trace->n_streams > 0)
		find_dependences(trace, waits, &all, &host, n);
	return host;
}
