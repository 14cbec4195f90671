/*
 * device_collection.h - what waits for devices need of a trace that is being read: activities at
 * first, then, of calls that were kept, those that launched them or synchronise.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_DEVICE_COLLECTION_H
#define PH_BLAME_DEVICE_COLLECTION_H

#include "blame/dependences.h"

/* Zeroed but for the first two: empty. Free with ph_device_collection_free. */
typedef struct PhDeviceCollection
{
	PhEnv *env;
	const PhTraceModel *model;
	const PhLaunches *launches; /* NULL: it is not known who launched what */
	PhActivities activities;
	PhHostCalls syncs;
	bool *synchronises; /* by region; this and what follows in the arena of _begin */
	PhLaunchingCall *calls;
	PhDevices devices;
	PhActivityKind *kinds;
	PhDeviceCollectives collectives;
	PhDeviceWork work;
} PhDeviceCollection;

void ph_device_collection_free(PhDeviceCollection *collection);

/* As ph_activities_add_chunk. */
PhStatus ph_device_collection_add(PhDeviceCollection *collection, const PhChunk *chunk,
								  const PhChunkReader *reader, const PhLink *links) PH_MUST_CHECK;

/* Moves what another one of the same model has, of other lanes, into this one. */
PhStatus ph_device_collection_merge(PhDeviceCollection *collection,
									PhDeviceCollection *other) PH_MUST_CHECK;

/* All activities were added: the chunks of threads come next, in any order, by location. */
PhStatus ph_device_collection_begin(PhDeviceCollection *collection, PhArena *arena) PH_MUST_CHECK;
PhStatus ph_device_collection_calls(PhDeviceCollection *collection, const PhChunk *chunk,
									PhChunkReader *reader) PH_MUST_CHECK;

/* Then its work is there. */
PhStatus ph_device_collection_finish(PhDeviceCollection *collection, PhArena *arena) PH_MUST_CHECK;

#endif
