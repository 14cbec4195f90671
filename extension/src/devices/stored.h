/*
 * stored.h - the activities of devices of a stored trace, for functions with the arguments run,
 * t_from, t_to and ranks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_STORED_H
#define PH_DEVICES_STORED_H

#include "postgres.h"

#include "fmgr.h"

#include "devices/activities.h"
#include "trace/reader.h"

typedef struct PhStoredActivities
{
	PhTraceRun *trace;
	PhEnv *env;
	PhArena *arena;
	PhDevices devices;
	PhActivityKind *kinds; /* by region */
	PhLaunches launches;   /* none, unless they were wanted */
	PhActivities activities;
} PhStoredActivities;

/*
 * Begin the run of argument 0 and read what overlaps the window of arguments 1 and 2 on the streams
 * of the ranks of argument 3; null: all. The errors of ph_trace_begin and ph_arg_times.
 */
void ph_stored_activities_begin(FunctionCallInfo fcinfo, bool with_launches,
								PhStoredActivities *out);
void ph_stored_activities_end(PhStoredActivities *stored);

/* "RANK/DEVICE" of a location, in the current memory. */
char *ph_device_name(const PhTraceLocation *location);

#endif
