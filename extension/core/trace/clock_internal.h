/*
 * clock_internal.h - the replay of a clock correction.
 *
 * Private to trace/clock*.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CLOCK_INTERNAL_H
#define PH_TRACE_CLOCK_INTERNAL_H

#include "trace/clock.h"
#include "trace/waits.h"

/* What has begun of a collective, in corrected times. */
typedef struct ClockInstance
{
	PhCollectiveFlow flow;
	uint32_t n_begun;
	uint32_t n_prefix;	  /* that have begun of the first in the communicator's order */
	uint32_t root;		  /* member; PH_NONE: took no part */
	uint32_t last_member; /* began last so far */
	int64_t last, second; /* when it began, and the last of the others; PH_NO_TIME */
} ClockInstance;

typedef struct ClockCollectives
{
	const PhCollectiveRows *rows;
	ClockInstance *instances;
	uint32_t *sequence; /* members by instance, of prefix operations in the communicator's order */
	uint32_t *place;	/* by member: its place in the sequence, within its instance */
	int64_t *begun;		/* by member: when it began; PH_NO_TIME: has not yet, or was not recorded */
	bool *has_begun;	/* by member */
	int64_t *earliest;	/* by member of a prefix operation: when those before it began */
} ClockCollectives;

PhStatus ph_clock_collectives_new(PhArena *arena, const PhSkeleton *skeleton,
								  ClockCollectives *out) PH_MUST_CHECK;

/*
 * The member begins. Members from *first up to *end of the sequence may be able to end now that
 * could not before; they are tried again if they wait.
 */
void ph_clock_begin(ClockCollectives *collectives, uint32_t member, int64_t time, uint32_t *first,
					uint32_t *end);

/* Have all begun whom the member needs to end? Then, when the last of them; PH_NO_TIME: nobody. */
bool ph_clock_may_end(const ClockCollectives *collectives, uint32_t member, int64_t *after);

#endif
