/*
 * activities.h - the activities of a trace's streams: kernels, copies and memsets, and their calls.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_ACTIVITIES_H
#define PH_DEVICES_ACTIVITIES_H

#include "base/vector.h"
#include "trace/chunk/device_operations.h"
#include "trace/link.h"
#include "trace/tree/launches.h"

typedef enum PhActivityKind
{
	PH_ACTIVITY_COMPUTE,	   /* a kernel that computes */
	PH_ACTIVITY_COMMUNICATION, /* a kernel of a library of collectives: NCCL, RCCL, HCCL, oneCCL */
	PH_ACTIVITY_COPY,
	PH_ACTIVITY_SET,
	PH_ACTIVITY_KINDS
} PhActivityKind;

/* What calls of a region are. What the source says the operation of communicates, and names that
 * contain nccl, rccl, hccl or ccl_. */
PhActivityKind ph_activity_kind(const PhTraceRegion *region);

static inline bool
ph_activity_kind_is_kernel(PhActivityKind kind)
{
	return kind == PH_ACTIVITY_COMPUTE || kind == PH_ACTIVITY_COMMUNICATION;
}

typedef struct PhDeviceActivity
{
	uint32_t location, region;
	uint32_t launch;	   /* number of the call that launched it; PH_NONE: not known */
	uint32_t communicator; /* of a collective; PH_NONE: not known */
	int64_t start, end;	   /* end: of the location's last event where it did not end */
	int64_t call;		   /* when that call was entered; PH_NO_TIME */
	uint64_t bytes : 56, operation : 8; /* the second: PhDeviceOperation, as the source says */
} PhDeviceActivity;

#define PH_MOST_ACTIVITY_BYTES ((UINT64_C(1) << 56) - 1)

/* What a communicating kernel does: what the source says, else what the kernel is called. */
PhDeviceOperation ph_device_activity_operation(const PhDeviceActivity *activity,
											   const PhTraceRegion *region);

/* Streams: the lanes of one are one stream; and devices, by (rank, device) and what is on them. */
typedef struct PhDevices
{
	uint32_t n_devices, n_streams;
	uint32_t *device_of; /* by location; PH_NONE: it is no stream */
	uint32_t *stream_of;
	uint32_t *device_location, *stream_location; /* one of each */
} PhDevices;

/* Numbered by rank, device, context and stream. */
PhStatus ph_devices_find(PhArena *arena, const PhTraceModel *model, PhDevices *out) PH_MUST_CHECK;

/* What an activity had to wait for: an event recorded behind what ended then on another stream. */
typedef struct PhAwaitedActivity
{
	uint32_t activity; /* its number in the list */
	uint32_t location;
	int64_t end;
} PhAwaitedActivity;

/* Zeroed: none. In memory of env; free with ph_activities_free. */
typedef struct PhActivities
{
	PH_VECTOR(PhDeviceActivity) list;
	PH_VECTOR(PhAwaitedActivity) awaited; /* in order of the list when it is made */
	PhIndices open;						  /* of the location at hand, innermost last */
	uint32_t location;
} PhActivities;

/*
 * Add a chunk of a stream, opened with CALLS, and EXTRA unless bytes, communicators
 * and waits are not wanted; those of a location come in order. links: of its ENTERs, NULL: no
 * launch is known. launches: where they are looked up, NULL: launch is PH_NONE.
 */
PhStatus ph_activities_add_chunk(PhEnv *env, PhActivities *activities, const PhChunk *chunk,
								 const PhChunkReader *reader, const PhLink *links,
								 const PhLaunches *launches) PH_MUST_CHECK;

/* Leave out what does not overlap [from, to). */
void ph_activities_window(PhActivities *activities, int64_t from, int64_t to);

void ph_activities_free(PhEnv *env, PhActivities *activities);

/*
 * Indices of activities by group (stream_of or device_of by location), start, end and place in the
 * list; those of group g are order[first[g]] up to order[first[g + 1]]. O(n log m) of m stretches
 * of the list that are in order already, as those of a location are.
 */
PhStatus ph_activities_order(PhArena *arena, const PhActivities *activities,
							 const uint32_t *group_of, uint32_t n_groups, uint32_t **order,
							 uint32_t **first) PH_MUST_CHECK;

#endif
