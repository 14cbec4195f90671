/*
 * dependences.h - what streams and the host waited for of each other, as waits that a critical path
 * follows (blame/critical_path.h).
 *
 * An activity begins when it is launched and what its stream did before is over; the host goes on
 * when what it waits for is. So there are waits
 *  - of a stream for the host: the stream was free before the launching call returned, or was
 *    entered where the activity begins within it. It ends then; what is left until the activity
 *    begins is latency of the launch;
 *  - of a lane for another lane of its stream, which was busy until then;
 *  - of a stream for another one, as events record it: until the last activity in front of the
 * event was over, where that was behind the launch and what the stream did before;
 *  - of a stream for another one of its device: the stream was free and the activity launched, but
 *    it began at most `near` ns after one of another stream ended. No record says so: inferred;
 *  - of the host for a device: a call that synchronises, until the last activity of its rank that
 *    ended within it (which stream it means is not kept: inferred), and a call that launched a copy
 *    and returned after that had ended;
 *  - in collectives of devices, until the last member began.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_DEPENDENCES_H
#define PH_BLAME_DEPENDENCES_H

#include "blame/wait_states.h"
#include "devices/calls.h"
#include "devices/collectives.h"

typedef struct PhDeviceWork
{
	const PhTraceModel *model;
	const PhDevices *devices;
	const PhActivityKind *kinds; /* by region */
	const PhActivities *activities;
	const PhLaunches *launches;
	const PhLaunchingCall *calls; /* by launch */
	const PhHostCalls *syncs;	  /* calls of regions that ph_call_synchronises */
	const PhDeviceCollectives *collectives;
	int64_t near;
} PhDeviceWork;

/*
 * When the host had launched an activity: when the call returned, or was entered where the activity
 * began within it. PH_NO_TIME: not known, or clocks disagree.
 */
int64_t ph_device_launched_at(const PhDeviceWork *work, const PhDeviceActivity *activity);

/*
 * The waits of a run together with these, by victim, then end. The call of the new ones is PH_NONE.
 * Those of the host for a device have that kind, seq, and as their end the activity that was waited
 * for, of which awaited_region is; those of streams have no kind, as their end the activity that
 * waited, and as instance that of the collective. In arena. O(n log n).
 */
PhStatus ph_device_dependences(PhArena *arena, const PhDeviceWork *work, const PhWaitStates *waits,
							   PhWaitStates *out) PH_MUST_CHECK;

#endif
