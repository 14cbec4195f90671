/*
 * path_times.h - what each call path took of a location between any two of its marks, without its
 * waits.
 *
 * Marks are the times at which the intervals of the waits' delay analysis begin and end.
 * Between two neighbouring marks the time of each call path is kept, and of 64 neighbours the sum,
 * of 64 of those again, so that an interval of n marks reads O(log n) lists. 12 bytes an entry.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_PATH_TIMES_H
#define PH_BLAME_PATH_TIMES_H

#include "blame/intervals.h"
#include "trace/tree/tree.h"

typedef struct PhPathTimes PhPathTimes;

/* waits and intervals, one a wait, must outlive it. */
PhStatus ph_path_times_new(PhEnv *env, const PhWaitStates *waits, const PhWaitInterval *intervals,
						   PhPathTimes **out) PH_MUST_CHECK;
void ph_path_times_free(PhPathTimes *times);

/*
 * What a location was in. A location's stretches come by time, locations in any order. user: a
 * PhPathTimes. The function is a PhTreeWatch.
 */
PhStatus ph_path_times_stretches(void *user, uint32_t location, const PhStretch *stretches,
								 uint32_t n) PH_MUST_CHECK;

/* Everything was added; n_nodes: of the tree. Before sums are asked for. */
PhStatus ph_path_times_finish(PhPathTimes *times, uint32_t n_nodes) PH_MUST_CHECK;

/*
 * By wait: the call path of its call, of an idle thread that of what it began next; PH_NONE: that
 * was not told of.
 */
const uint32_t *ph_path_times_wait_nodes(const PhPathTimes *times);

/* Times by call path: zeroed by ph_path_sum_clear in O(of those that have some). */
typedef struct PhPathSum
{
	int64_t *time;	 /* by node */
	uint32_t *nodes; /* that have some */
	uint32_t n;
} PhPathSum;

PhStatus ph_path_sum_new(PhArena *arena, uint32_t n_nodes, PhPathSum *out) PH_MUST_CHECK;
void ph_path_sum_clear(PhPathSum *sum);

/*
 * Add to sum what each call path took of a wait's victim, and of its awaited location, in the
 * interval of the wait, without waits.
 */
void ph_path_times_of_victim(const PhPathTimes *times, uint32_t wait, PhPathSum *sum);
void ph_path_times_of_awaited(const PhPathTimes *times, uint32_t wait, PhPathSum *sum);

/* How many waits of the awaited location end in that interval, from *first on. */
uint32_t ph_path_times_waits_of_awaited(const PhPathTimes *times, uint32_t wait, uint32_t *first);

/*
 * Begin to read what these need of a wait, which lies anywhere in memory: its places, then where
 * its lists begin, then these. Each step needs some time before the next one.
 */
typedef enum PhPathFetch
{
	PH_FETCH_PLACES,
	PH_FETCH_LISTS,
	PH_FETCH_ENTRIES,
	PH_FETCH_STEPS
} PhPathFetch;

void ph_path_times_fetch(const PhPathTimes *times, uint32_t wait, PhPathFetch step);

#endif
