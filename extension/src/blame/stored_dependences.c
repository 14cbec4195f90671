/*
 * stored_dependences.c - see stored_dependences.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "blame/stored_dependences.h"
#include "devices/host_calls.h"
#include "devices/usage.h"

PhStoredWork *
ph_stored_work(PhTraceRun *trace)
{
	PhArena *arena = &trace->scratch->arena;
	PhStoredWork *work;
	PhTraceWindow window = ph_window_all();
	if (trace->n_streams == 0)
		return NULL;
	PH_CHECK(arena->env, PH_NEW(arena, 1, &work));
	window.locations = ph_stream_locations(trace);
	window.n_locations = trace->model.n_locations;
	ph_stored_activities_read(trace, &window, PH_ACTIVITY_WANT_LAUNCHES | PH_ACTIVITY_WANT_BYTES,
							  &work->stored);
	const PhLaunchingCall *calls = ph_stored_launching_calls(&work->stored);
	ph_stored_host_calls(trace, ph_call_synchronises, &work->syncs);
	PH_CHECK(arena->env,
			 ph_device_collectives_find(arena, &work->stored.activities, work->stored.kinds,
										&trace->model, &work->collectives));
	work->work = (PhDeviceWork){.model = &trace->model,
								.devices = &work->stored.devices,
								.kinds = work->stored.kinds,
								.activities = &work->stored.activities,
								.launches = &work->stored.launches,
								.calls = calls,
								.syncs = &work->syncs,
								.collectives = &work->collectives,
								.near = PH_LAUNCH_GAP};
	return work;
}

PhWaitStates
ph_stored_dependences(const PhStoredWork *work, const PhWaitStates *waits)
{
	PhWaitStates all;
	PH_CHECK(work->stored.env, ph_device_dependences(work->stored.arena, &work->work, waits, &all));
	return all;
}
