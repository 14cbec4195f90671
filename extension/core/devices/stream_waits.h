/*
 * stream_waits.h - streams that waited for others, as events recorded it: which activity waited for
 * which, and how long that held it up.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_STREAM_WAITS_H
#define PH_DEVICES_STREAM_WAITS_H

#include "devices/activities.h"

typedef struct PhStreamWait
{
	uint32_t activity; /* its number in the list */
	uint32_t awaited;  /* so is this; PH_NONE: it is not in the list */
	uint32_t location; /* of what was awaited, */
	int64_t end;	   /* and when that ended */
	int64_t waited;	   /* ns from when the stream was free and the activity launched until then */
} PhStreamWait;

/* By the activities' places in the list; in arena. O(n log n). */
PhStatus ph_stream_waits(PhArena *arena, const PhActivities *activities, const PhDevices *devices,
						 PhStreamWait **out, uint32_t *n) PH_MUST_CHECK;

/* By activity which one it waited for; PH_NONE: none that is known. *out is NULL where there are no
 * waits at all. In arena. O(n log n). */
PhStatus ph_awaited_activities(PhArena *arena, const PhActivities *activities,
							   uint32_t **out) PH_MUST_CHECK;

#endif
