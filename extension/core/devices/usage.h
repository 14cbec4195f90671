/*
 * usage.h - how busy a device was, why a stream was idle, and how long its queue was.
 *
 * O(n log m) of n activities of one device or stream in m stretches (device_spans.h); lists of
 * indices are those of one stream, as ph_activities_order gives them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_USAGE_H
#define PH_DEVICES_USAGE_H

#include "devices/device_spans.h"

/* ns: gaps that are shorter are between activities that waited in a queue. Holistic Trace
 * Analysis's default acts as this. Who knows better says another threshold. */
#define PH_LAUNCH_GAP 30000

/* ns; times are unions over streams, so that nothing counts twice. */
typedef struct PhDeviceUsage
{
	int64_t wall; /* from the first activity's start to the last one's end */
	int64_t busy, compute, communication, copies;
	int64_t overlap; /* of communication with computation */
} PhDeviceUsage;

/* spans: marked with kinds. Scratch memory is the arena's. */
PhStatus ph_device_usage(PhArena *arena, const PhDeviceSpans *spans,
						 PhDeviceUsage *out) PH_MUST_CHECK;

/*
 * ns between the stretches in which a stream is busy, by what comes next: launched after the stream
 * was free (host_wait); launched before, and the gap is shorter than the threshold (launch_gap); or
 * other. As Holistic Trace Analysis has it, but over the union of the stream's activities. Where it
 * was recorded that a stream waited for another one the gap is host_wait until the launch,
 * stream_wait until that was over, and then one of the last two.
 */
typedef struct PhStreamIdle
{
	int64_t busy, host_wait, stream_wait, launch_gap, other;
	uint32_t n_gaps;
} PhStreamIdle;

/* spans: marked with launches. Scratch memory is the arena's. */
PhStatus ph_stream_idle(PhArena *arena, const PhDeviceSpans *spans, int64_t threshold,
						PhStreamIdle *out) PH_MUST_CHECK;

/*
 * By activity of the stream (in its order) how many had been launched, and not begun, when its call
 * was entered, itself included; of those that nobody is known to have launched 0. The others of one
 * call count. O(n log n).
 */
PhStatus ph_stream_queue(PhArena *arena, const PhActivities *activities, const uint32_t *order,
						 uint32_t n, uint32_t **out) PH_MUST_CHECK;

#endif
