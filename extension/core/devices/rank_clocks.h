/*
 * rank_clocks.h - how far apart the clocks of ranks are, by the collective kernels of their
 * devices.
 *
 * A collective ends on all members at once, or nearly so: no member can end before all have begun,
 * and the last transfer ends it for everybody. So ends of the k-th kernel of a kind on two ranks
 * tell the difference of their clocks; a line through many of them (by medians of their outer
 * thirds, which single odd ones do not move) tells its drift, too. Ranks are compared along chains
 * of collectives that they share, beginning with the lowest.
 *
 * Files may be cut: kernels are counted from the first or from the last, whichever fits better.
 * Where ends do not agree to the length of a kernel, as in sampled traces, nothing is said of a
 * rank.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DEVICES_RANK_CLOCKS_H
#define PH_DEVICES_RANK_CLOCKS_H

#include <math.h>

#include "base/arena.h"

/* A collective kernel. key: kernels of one are counted together: a name, or a name and a group. */
typedef struct PhClockKernel
{
	uint32_t rank;
	uint64_t key;
	int64_t begin, end;
} PhClockKernel;

/* From a rank's times to those of the reference: add offset, and drift for each ns since origin. */
typedef struct PhRankClock
{
	uint32_t reference; /* the rank that it was compared with; PH_NONE: nothing is known of it */
	uint32_t n;			/* collectives by which it was */
	uint32_t n_early;	/* collectives that it ended before another member began, as recorded */
	int64_t offset, origin;
	double drift;
	int64_t error, worst; /* by which ends still differ then: the median, and the most */
} PhRankClock;

typedef struct PhRankClocks
{
	uint32_t n_ranks;
	PhRankClock *ranks;
	uint64_t n_early,
		n_early_after; /* collectives with a member that is early, and by these clocks */
} PhRankClocks;

static inline int64_t
ph_rank_clock_time(const PhRankClock *clock, int64_t time)
{
	if (clock->drift == 0)
		return time + clock->offset;
	return time + clock->offset + (int64_t) floor(clock->drift * (double) (time - clock->origin));
}

/* kernels: in any order. In arena. O(n log n) a chain of ranks. */
PhStatus ph_rank_clocks_find(PhArena *arena, const PhClockKernel *kernels, uint32_t n,
							 uint32_t n_ranks, PhRankClocks *out) PH_MUST_CHECK;

#endif
