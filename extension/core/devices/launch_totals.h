/*
 * launch_totals.h - how the calls that launch activities fared: sums by rank and called function.
 *
 * Of an activity count its own duration, that of the call that launched it, and how long after
 * that began it did. Activities whose calls are not known do not count.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_LAUNCH_TOTALS_H
#define PH_DEVICES_LAUNCH_TOTALS_H

#include "base/table.h"
#include "devices/activities.h"
#include "devices/calls.h"

typedef struct PhLaunchTotal
{
	int32_t rank; /* of the activities; negative: none */
	uint32_t region;
	uint64_t n;
	uint64_t n_short;				  /* of these, shorter than the call */
	uint64_t n_long_calls, n_delayed; /* longer than the two limits */
	int64_t calls, durations, delays; /* ns */
	int64_t max_delay;
	uint32_t max_queue;
} PhLaunchTotal;

typedef struct PhLaunchTotals
{
	PhArena *arena;
	const PhTraceModel *model;
	int64_t long_call, long_delay;
	PhMap places; /* (rank, region) */
	PH_VECTOR(PhLaunchTotal) list;
} PhLaunchTotals;

void ph_launch_totals_begin(PhArena *arena, const PhTraceModel *model, int64_t long_call,
							int64_t long_delay, PhLaunchTotals *out);

/* n activities of one stream in order, and their queue (ph_stream_queue); calls: by launch. */
PhStatus ph_launch_totals_add(PhLaunchTotals *totals, const PhDeviceActivity *activities,
							  const uint32_t *order, uint32_t n, const uint32_t *queue,
							  const PhLaunchingCall *calls) PH_MUST_CHECK;

#endif
