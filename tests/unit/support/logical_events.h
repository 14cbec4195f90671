/*
 * logical_events.h - random events of logical time as they are stored.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_LOGICAL_EVENTS_H
#define SUPPORT_LOGICAL_EVENTS_H

#include "logical/store/store.h"
#include "support/random_profile.h"

/* Up to max_events events in the codec's room; some extreme, some alike, some with counters. */
PhStatus random_logical_events(PhLogicalCodec *codec, RandomNumbers *numbers, uint32_t max_events,
							   PhLogicalEvents *out) PH_MUST_CHECK;

/* Sizes in bytes and the pointers of every array, in one order; NULL: not there. */
#define LOGICAL_ARRAYS 31

typedef struct LogicalArray
{
	const char *name;
	void *data;
	size_t size;
	uint32_t group; /* PhLogicalWant */
} LogicalArray;

void list_logical_arrays(const PhLogicalEvents *events, LogicalArray arrays[LOGICAL_ARRAYS]);

#endif
