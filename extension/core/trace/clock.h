/*
 * clock.h - a controlled logical clock: times under which no message arrives before it was
 * sent.
 *
 * Forward amortisation (Rabenseifner 1997; Becker, Rabenseifner and Wolf 2007): events are replayed
 * in the order of their dependences; one that happened too early is moved to the earliest time that
 * its cause permits, and what follows on its location moves along, so that intervals keep their
 * lengths but for the share by which the clock drifts back to the recorded times. Events never move
 * backwards; their order on a location stays. Without violations nothing changes. O(ends).
 *
 * One-sided communication is left out: its calls need not wait for others, as they may be told.
 *
 * A location without messages and collectives (a thread of OpenMP) has the clock of its rank: it
 * moves, by time, with the first location of the rank that has some.
 *
 * Use: feed a skeleton with the events before they are encoded, match, link, finish; then correct
 * each location's times as its events are read again.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_CLOCK_H
#define PH_TRACE_CLOCK_H

#include "trace/skeleton.h"

typedef struct PhClockOptions
{
	int64_t latency;  /* ns that a message takes at least, 0 to 10^9 */
	uint32_t drift;	  /* a shift shrinks by 1 ns in so many; 0: never; else at least 2 */
	bool collectives; /* correct those, too */
} PhClockOptions;

PhClockOptions ph_clock_defaults(void);

/* From event ordinal seq on, at recorded time `time`, the location's times are shifted forward. */
typedef struct PhClockJump
{
	uint64_t seq;
	int64_t time;
	int64_t shift; /* > 0 */
} PhClockJump;

typedef struct PhClock PhClock;

typedef struct PhClockCounts
{
	uint64_t violations; /* before: receives and ends of collectives that come too early */
	uint64_t jumps;
	uint64_t unsolved; /* placed without waiting for a cause, because causes form a circle */
	int64_t worst_shift;
} PhClockCounts;

/*
 * skeleton: finished; its calls are not used, nor is it needed afterwards. PH_ERR_VALUE: options
 * out of range, or times beyond 2^61 ns.
 */
PhStatus ph_clock_new(PhEnv *env, const PhSkeleton *skeleton, const PhClockOptions *options,
					  PhClock **out) PH_MUST_CHECK;
void ph_clock_free(PhClock *clock);

const PhClockCounts *ph_clock_counts(const PhClock *clock);

/* A location's own jumps, by seq. */
const PhClockJump *ph_clock_jumps(const PhClock *clock, uint32_t location, uint32_t *n);

/* Corrects times of one location's events, asked in order of seq. */
typedef struct PhClockCursor
{
	const PhClockJump *jumps;
	uint32_t n, at;
	uint32_t drift;
	bool by_time; /* the jumps are another location's */
} PhClockCursor;

PhClockCursor ph_clock_cursor(const PhClock *clock, uint32_t location);
int64_t ph_clock_time(PhClockCursor *cursor, uint64_t seq, int64_t time);

#endif
