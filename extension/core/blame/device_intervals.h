/*
 * device_intervals.h - since when hosts and lanes of devices went separate ways (intervals.h, which
 * does the same for those that communicate).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_DEVICE_INTERVALS_H
#define PH_BLAME_DEVICE_INTERVALS_H

#include "blame/dependences.h"
#include "trace/skeleton.h"

/* A wait of the host for a lane, or of a lane (device_waits.h). */
typedef struct PhDeviceWait
{
	PhWait wait;
	int64_t idle_since; /* of a lane: its activities before were over */
	uint32_t launcher;	/* of a lane: who launched its next one; PH_NONE */
} PhDeviceWait;

typedef struct PhDeviceMeetings
{
	const PhDeviceWork *work;
	const PhSkeleton *skeleton;
	int64_t begin; /* of the main part, for lanes */
	uint32_t n;
	const PhDeviceWait *waits;
} PhDeviceMeetings;

/* out: by wait. O(n log n). */
PhStatus ph_device_intervals(PhArena *arena, const PhDeviceMeetings *input,
							 PhWaitInterval *out) PH_MUST_CHECK;

#endif
