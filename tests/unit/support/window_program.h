/*
 * window_program.h - seeded random programs with windows of one-sided communication.
 *
 * The program is simulated: nobody leaves a fence before all are there, nobody ends an exposure
 * before all that access it have completed, nobody gets a lock that another one has. Two windows,
 * of all ranks and of some; libraries in which starting waits for the post, or completing, or
 * neither; locks that are shared, or taken later than their records say; records that are missing.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_WINDOW_PROGRAM_H
#define SUPPORT_WINDOW_PROGRAM_H

#include "support/comm.h"

typedef enum WindowRegion
{
	WINDOW_MAIN,
	WINDOW_WORK,
	WINDOW_HELD, /* what is done with a lock */
	WINDOW_CREATE,
	WINDOW_FREE,
	WINDOW_FENCE,
	WINDOW_POST,
	WINDOW_START,
	WINDOW_PUT,
	WINDOW_COMPLETE,
	WINDOW_WAIT,
	WINDOW_LOCK,
	WINDOW_UNLOCK,
	WINDOW_COLLECTIVE,
	WINDOW_REGIONS
} WindowRegion;

/* Communicators: all ranks, some of them, their windows; then groups of epochs. */
enum
{
	WINDOW_WORLD,
	WINDOW_SOME,
	WINDOW_FIRST,
	WINDOW_SECOND,
	WINDOW_GROUPS
};

/* All of it drawn from the seed. */
void window_random(uint64_t seed, CommTrace *out);

/* What a rank does longer than others, in each step. */
typedef struct SlowWindow
{
	uint32_t rank;
	WindowRegion region;
	int64_t extra;
} SlowWindow;

typedef enum WindowPattern
{
	WINDOW_FENCES,
	WINDOW_EPOCHS, /* of each rank with both neighbours */
	WINDOW_LOCKS   /* of rank 0, one after the other */
} WindowPattern;

/* The same work everywhere, everything recorded, but for the slow rank. */
void window_steady(WindowPattern pattern, uint32_t n_ranks, uint32_t n_steps,
				   const SlowWindow *slow, CommTrace *out);

#endif
