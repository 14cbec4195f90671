/*
 * classes.h - what time in a region is spent on, from what the trace says of it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TILES_CLASSES_H
#define PH_TILES_CLASSES_H

#include "trace/chunk/model.h"

/* Stored as shares, by their order. */
typedef enum PhActivity
{
	PH_ACTIVITY_COMMUNICATION,
	PH_ACTIVITY_WAITING, /* completing requests, barriers, idle processors */
	PH_ACTIVITY_DEVICE,	 /* work on accelerators, and calls that serve it */
	PH_ACTIVITY_COMPUTE, /* everything else */
	PH_ACTIVITIES
} PhActivity;

/* By region of the model, in arena: a PhActivity each. */
PhStatus ph_region_activities(PhArena *arena, const PhTraceModel *model,
							  uint8_t **out) PH_MUST_CHECK;

#endif
