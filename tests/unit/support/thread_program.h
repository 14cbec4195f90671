/*
 * thread_program.h - seeded random programs of processes with threads: forks, barriers, locks,
 * joins.
 *
 * The program is simulated: nobody leaves a barrier before all are there. Teams of all threads of a
 * rank, of some of them and of one in another, barriers in which tasks run, critical sections,
 * forks and joins that are not recorded, traces that end early. Masters meet in collectives.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_THREAD_PROGRAM_H
#define SUPPORT_THREAD_PROGRAM_H

#include "support/comm.h"

typedef enum ThreadRegion
{
	THREAD_MAIN,
	THREAD_SERIAL,
	THREAD_PARALLEL,
	THREAD_WORK,
	THREAD_TASK,
	THREAD_BARRIER,
	THREAD_IMPLICIT_BARRIER,
	THREAD_CRITICAL,
	THREAD_CRITICAL_BLOCK,
	THREAD_COLLECTIVE,
	THREAD_REGIONS
} ThreadRegion;

/* One thread of one rank works longer in each of its calls of a region; slow PH_NONE: nobody. */
typedef struct SlowThread
{
	uint32_t rank, thread, region;
	int64_t extra;
} SlowThread;

/* All of it drawn from the seed. */
void thread_random(uint64_t seed, CommTrace *out);

/* The same work everywhere, everything recorded, but for the slow thread (NULL: none). */
void thread_steady(uint32_t n_ranks, uint32_t n_threads, uint32_t n_steps, const SlowThread *slow,
				   CommTrace *out);

#endif
