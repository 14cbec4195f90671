/*
 * device_places.h - what activities of devices took, by call path and lane, for who watches a call
 * tree.
 *
 * The tree counts an activity where it was launched, waits and paths of delay costs and of the
 * critical path where it ran. So both are known of each call path of a lane.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_DEVICE_PLACES_H
#define PH_BLAME_DEVICE_PLACES_H

#include "base/table.h"
#include "devices/activities.h"
#include "trace/tree/tree.h"

typedef struct PhDevicePlaces
{
	uint32_t n;
	PhTreeCost *taken; /* location: the lane */
	uint32_t *homes;   /* of these: where the tree has the first one */
	uint32_t capacity, home_room;
	PhMap of;		  /* (lane, node) to these */
	uint32_t n_lanes; /* that have activities */
} PhDevicePlaces;

/*
 * tree: settled; watch is told of all activities, those of a lane by time, the first one of those
 * that overlap. In arena. O(n log n).
 */
PhStatus ph_device_places_find(PhArena *arena, const PhActivities *activities,
							   const PhTraceModel *model, PhTraceTree *tree, PhTreeWatch watch,
							   void *user, PhDevicePlaces *out) PH_MUST_CHECK;

/* Where the tree has what a location had of a node: of a lane elsewhere. */
PhStatus ph_device_place(PhDevicePlaces *places, uint32_t location, uint32_t node,
						 uint32_t *home) PH_MUST_CHECK;

#endif
