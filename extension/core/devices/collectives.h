/*
 * collectives.h - collective operations of devices: which kernels of different ranks belong to one,
 * who came last, and how long the others waited.
 *
 * Kernels of libraries of collectives (PH_ACTIVITY_COMMUNICATION) of one communicator and
 * operation, as the source says it; of one name where it does not. None can end before all have
 * begun, so that members of one instance all overlap in time, and each rank is in it once; the k-th
 * and the k-th alone may be of different instances, since traces are cut and sampled. A kernel that
 * no other rank's overlaps is of no known instance.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_COLLECTIVES_H
#define PH_DEVICES_COLLECTIVES_H

#include "devices/activities.h"

typedef struct PhDeviceMember
{
	uint32_t activity; /* its number in the list */
	uint32_t instance;
	int64_t wait; /* ns from its start until the last one started, within it */
} PhDeviceMember;

typedef struct PhDeviceInstance
{
	uint32_t first, n; /* its members */
	uint32_t last;	   /* the member that started last */
	uint32_t step;	   /* logical time: behind the latest earlier instance of its members */
} PhDeviceInstance;

typedef struct PhDeviceCollectives
{
	uint32_t n_instances, n_members;
	uint32_t n_unmatched;		 /* kernels that communicate, of no instance */
	PhDeviceInstance *instances; /* by the start of the last member, then region */
	PhDeviceMember *members;	 /* by instance, then start, then place in the list */
} PhDeviceCollectives;

/* kinds: by region; model: ranks of locations. In arena. O(n log n). */
PhStatus ph_device_collectives_find(PhArena *arena, const PhActivities *activities,
									const PhActivityKind *kinds, const PhTraceModel *model,
									PhDeviceCollectives *out) PH_MUST_CHECK;

#endif
