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
#include "devices/calls.h"
#include "devices/device_spans.h"
#include "trace/reader.h"

/* What is wanted of activities beside their times, as bits. */
typedef enum PhActivityWant
{
	PH_ACTIVITY_WANT_BYTES = 1,	   /* and communicators */
	PH_ACTIVITY_WANT_CALLS = 2,	   /* when they were launched */
	PH_ACTIVITY_WANT_LAUNCHES = 4, /* and by whom */
} PhActivityWant;

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

/* The streams of a trace in a window that is the arguments first and first + 1, of the ranks of
 * argument first + 2; null: all. 22023 for a window that ends before it begins. */
PhTraceWindow ph_arg_streams(FunctionCallInfo fcinfo, int first, const PhTraceRun *trace);

/* Marks for the streams, by location. */
bool *ph_stream_locations(const PhTraceRun *trace);

/* What calls of the trace's regions are, by region; it was begun with them. */
PhActivityKind *ph_activity_kinds(const PhTraceRun *trace);

/* Activities that overlap the window on its locations, of a trace that was begun with regions. */
void ph_stored_activities_read(PhTraceRun *trace, const PhTraceWindow *window, uint32 wants,
							   PhStoredActivities *out);

/*
 * Begin the run of argument 0 and read what overlaps the window of arguments 1 and 2 on the streams
 * of the ranks of argument 3; null: all. The errors of ph_trace_begin and ph_arg_times.
 */
void ph_stored_activities_begin(FunctionCallInfo fcinfo, uint32 wants, PhStoredActivities *out);
/* Free it, and end its trace. */
void ph_stored_activities_end(PhStoredActivities *stored);

/* What the spans of a device, or of a stream, are handed to; arena: for scratch memory. */
typedef void (*PhDeviceSpansFunction)(void *user, PhArena *arena, uint32 group,
									  const PhDeviceSpans *spans);

/*
 * Spans in the window of arguments 1 and 2 on the streams of the ranks of argument 3, group by
 * group (group_of: by location), each once, in any order; a group without any not at all. by_kind:
 * marked with kinds, else with launches. In memory there are those of the groups whose locations
 * come between each other's.
 */
void ph_stored_spans(FunctionCallInfo fcinfo, PhTraceRun *trace, const uint32_t *group_of,
					 uint32 n_groups, bool by_kind, PhDeviceSpansFunction function, void *user);

/* By launch (they were wanted) the call; from the chunks of those locations that launched
 * something. */
PhLaunchingCall *ph_stored_launching_calls(PhStoredActivities *stored);

/* "RANK/DEVICE" of a location, in the current memory. */
char *ph_device_name(const PhTraceLocation *location);

#endif
