/*
 * collective_ranges.h - calls of a library of collectives (NCCL, RCCL), by thread: of which
 * communicator a kernel is that was launched within one of them.
 *
 * Calls of a group only note what is to be done; what they noted is launched by the call that ends
 * the group: it is of the communicator of the call before it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SPANS_COLLECTIVE_RANGES_H
#define PH_READERS_SPANS_COLLECTIVE_RANGES_H

#include "base/arena.h"
#include "base/vector.h"

typedef struct PhCollectiveRange
{
	int64_t start, end;
	int64_t reach; /* latest end of the thread's ranges up to this one */
	uint32_t track;
	uint32_t communicator; /* 1 + number; 0: it ends a group */
} PhCollectiveRange;

/* Zeroed: none. */
typedef struct PhCollectiveRanges
{
	PH_VECTOR(PhCollectiveRange) list;
} PhCollectiveRanges;

static inline PhStatus PH_MUST_CHECK
ph_collective_ranges_add(PhArena *arena, PhCollectiveRanges *ranges, PhCollectiveRange range)
{
	PH_TRY(PH_ROOM(arena, &ranges->list));
	ranges->list.items[ranges->list.count++] = range;
	return PH_OK;
}

/* All were added. */
PhStatus ph_collective_ranges_sort(PhArena *arena, PhCollectiveRanges *ranges) PH_MUST_CHECK;

/* 1 + the communicator of the innermost range of the thread at that time; 0: there is none. */
uint32_t ph_collective_ranges_find(const PhCollectiveRanges *ranges, uint32_t track, int64_t time);

#endif
