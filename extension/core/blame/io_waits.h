/*
 * io_waits.h - waits for files: what calls that read or write took beside other waits.
 *
 * Nobody is awaited but the call itself: the victim is the awaited location, its call path the
 * cause, and the critical path stays where it is. A collective one waits for its members first
 * (that is no wait for files), and so does what communicates within a call.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_IO_WAITS_H
#define PH_BLAME_IO_WAITS_H

#include "blame/wait_states.h"

typedef struct PhIoWaits
{
	uint32_t n;
	const PhWait *waits; /* by time */
} PhIoWaits;

/* Of a location of a finished skeleton, beside its n other waits, which are by time. In arena. */
PhStatus ph_io_waits_find(PhArena *arena, const PhSkeleton *skeleton, uint32_t location,
						  const PhWait *others, uint32_t n, PhIoWaits *out) PH_MUST_CHECK;

#endif
