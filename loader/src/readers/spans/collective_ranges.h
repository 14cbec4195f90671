/*
 * collective_ranges.h - calls and annotations of collectives, by thread: what a kernel does that
 * was launched within one of them.
 *
 * Calls of a group only note what is to be done; what they noted is launched by the call that ends
 * the group: it is of the communicator of the call before it, and of the group's operation.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SPANS_COLLECTIVE_RANGES_H
#define PH_READERS_SPANS_COLLECTIVE_RANGES_H

#include "base/arena.h"
#include "base/vector.h"
#include "trace/chunk/device_operations.h"

typedef enum PhCollectiveRangeKind
{
	PH_RANGE_NAMED, /* an annotation: its name is the operation */
	PH_RANGE_TOLD,	/* arguments say what is done */
	PH_RANGE_GROUP_START,
	PH_RANGE_GROUP_END
} PhCollectiveRangeKind;

typedef struct PhCollectiveRange
{
	int64_t start, end;
	uint64_t bytes;
	uint32_t track;
	uint32_t around; /* the latest range before it that may contain what is in it; PH_NONE */
	uint32_t communicator : 24, operation : 6; /* 1 + number; PhDeviceOperation. 0: not told */
	uint32_t kind : 2;						   /* PhCollectiveRangeKind */
} PhCollectiveRange;

/* Zeroed: none. */
typedef struct PhCollectiveRanges
{
	PH_VECTOR(PhCollectiveRange) list;
} PhCollectiveRanges;

static inline PhStatus PH_MUST_CHECK
ph_collective_ranges_add(PhArena *arena, PhCollectiveRanges *ranges, const PhCollectiveRange *range)
{
	PH_TRY(PH_ROOM(arena, &ranges->list));
	ranges->list.items[ranges->list.count++] = *range;
	return PH_OK;
}

/* A call or annotation by its name, unless nothing is told by it: communicator and bytes of
 * range are known; its kind is PH_RANGE_TOLD where they come from the source. */
PhStatus ph_collective_ranges_add_named(PhArena *arena, PhCollectiveRanges *ranges,
										const char *name,
										const PhCollectiveRange *range) PH_MUST_CHECK;

/* All were added. */
PhStatus ph_collective_ranges_sort(PhArena *arena, PhCollectiveRanges *ranges) PH_MUST_CHECK;

/*
 * What ranges around that time on the thread tell; nothing: zeros. Communicator and bytes are of
 * the innermost that tells one. The operation is of the outermost, as those within do parts of it
 * (an all_to_all sends and receives), but arguments count before annotations.
 */
PhCollectiveRange ph_collective_ranges_find(const PhCollectiveRanges *ranges, uint32_t track,
											int64_t time);

#endif
