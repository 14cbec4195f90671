/*
 * wait_states.h - all waits of a run in one table: who waited, for whom, in which call, how long.
 *
 * After Scalasca (M. Geimer et al., A scalable tool architecture for diagnosing wait states in
 * massively parallel applications, Parallel Computing 2009). A wait is the part of one call in
 * which it could not go on because of another location: of a receive until the last send that it
 * completes was entered, of a send by rendezvous (or of the call that completes it) until its
 * receive was, or was posted, of a member of a collective until those had come without whom it
 * cannot leave. A call has at most one wait, for whom it waited longest, so that no ns of a
 * location is counted twice. Calls around calls that communicate are functions of the program:
 * nobody knows when they began to wait, so they do not. Threads wait in barriers, at joins,
 * for locks and between two teams (thread_waits.h), apart from calls that communicate. Who starts
 * an epoch of a window waits for its members to post, or completing does (trace/skeleton.h), and
 * those wait for it to complete. Calls that read or write files wait for these. O(events +
 * collectives x members).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_WAIT_STATES_H
#define PH_BLAME_WAIT_STATES_H

#include "trace/skeleton.h"

/* Never renumber: stored. */
typedef enum PhWaitKind
{
	PH_WAIT_LATE_SENDER,
	PH_WAIT_WRONG_ORDER, /* a late sender, while a message was sent that it could receive instead */
	PH_WAIT_LATE_RECEIVER,
	PH_WAIT_BARRIER,
	PH_WAIT_N_TO_N,
	PH_WAIT_LATE_BROADCAST, /* for the root */
	PH_WAIT_EARLY_REDUCE,	/* of the root */
	PH_WAIT_EARLY_SCAN,		/* for lower ranks */
	PH_WAIT_TEAM_BARRIER,	/* for the last thread of the team */
	PH_WAIT_THREAD_JOIN,	/* for the last thread that ends the team */
	PH_WAIT_IDLE_THREAD,	/* outside of all calls, for the fork */
	PH_WAIT_LOCK,			/* for who had it before */
	PH_WAIT_DEVICE,			/* of a thread of the host, for a stream (device_waits.h) */
	PH_WAIT_FENCE,			/* for the last member of a window */
	PH_WAIT_WINDOW,			/* the same, where a window is created or ends */
	PH_WAIT_LATE_POST,		/* of who starts or completes an epoch, for the one who exposes */
	PH_WAIT_LATE_COMPLETE,	/* of who exposed, for the one who accesses to complete */
	PH_WAIT_WINDOW_LOCK,	/* for who had it before (window_locks.h) */
	PH_WAIT_IO,				/* for files: for nobody, awaited is the victim (io_waits.h) */
	PH_WAIT_KINDS
} PhWaitKind;

/* "late sender", "wrong order", …; "unknown". */
const char *ph_wait_kind_name(uint32_t kind);

/* What waiting in a collective operation (a PhCollective) is. */
PhWaitKind ph_wait_kind_of_collective(uint32_t operation);

/* What waiting at an end that is received is. */
PhWaitKind ph_wait_kind_of_receive(const PhCommEnd *end);

/* Waits of streams cost nothing of their own: what waits passed to them goes on. */
typedef enum PhPassage
{
	PH_NO_PASSAGE,
	PH_PASSAGE_LAUNCH,	  /* for who launches what comes next */
	PH_PASSAGE_LANE,	  /* for another lane of the device */
	PH_PASSAGE_COLLECTIVE /* for the last member */
} PhPassage;

typedef struct PhWait
{
	int64_t from, to; /* from < to; from: the call was entered */
	int64_t release;  /* when the awaited location did what ended the wait; to at the earliest */
	uint32_t victim, awaited; /* locations */
	uint32_t
		call;	  /* of the victim, in the skeleton; PH_NONE: of threads, for locks, devices, I/O */
	uint32_t end; /* of the victim, in the skeleton: the message, also if
					 another call sent it, or the member; without a call: the interval */
	uint32_t region;		 /* of the call that waited; PH_NONE: it was in none */
	uint32_t awaited_region; /* of the call that ended the wait; PH_NONE: outside of all that
								communicate */
	uint64_t seq;			 /* ordinal of the ENTER of the call; in none: of what ended the wait */
	uint32_t instance;		 /* of a collective; PH_NONE: others */
	uint16_t kind;			 /* PhWaitKind */
	bool is_inferred;		 /* a collective without records */
	uint8_t passage;		 /* PhPassage */
} PhWait;

/* Since when the two locations of a wait are compared (intervals.h). */
typedef struct PhWaitInterval
{
	int64_t victim_from, awaited_from;
} PhWaitInterval;

/* Threads wait outside of calls that communicate, too; so does who waits for locks and devices. */
static inline bool
ph_wait_has_interval(const PhWait *wait)
{
	return wait->call == PH_NONE && wait->kind != PH_WAIT_IO;
}

#define PH_WAIT_TIERS (PH_PASSAGE_COLLECTIVE + 3)

/* Of waits that end at one time, what is passed to one goes to those of lower tiers. */
static inline uint32_t
ph_wait_tier(const PhWait *wait)
{
	if (wait->passage != PH_NO_PASSAGE)
		return wait->passage;
	return wait->kind == PH_WAIT_DEVICE ? PH_PASSAGE_COLLECTIVE + 1 : PH_WAIT_TIERS - 1;
}

typedef struct PhWaitStates
{
	const PhWaitInterval *intervals; /* by `end` of the waits without a call */
	uint32_t n_intervals, n, n_locations;
	const PhWait *waits;   /* by victim, then time */
	const uint32_t *first; /* by location: its first one; n_locations + 1 */
} PhWaitStates;

/* skeleton: finished. In arena. */
PhStatus ph_wait_states_find(PhArena *arena, const PhSkeleton *skeleton,
							 PhWaitStates *out) PH_MUST_CHECK;

/*
 * The same without what only the other end of a message tells, which lies anywhere in memory: of
 * messages, collectives and epochs awaited_region is not said, and wrong order is a late sender.
 */
PhStatus ph_wait_times_find(PhArena *arena, const PhSkeleton *skeleton,
							PhWaitStates *out) PH_MUST_CHECK;

#endif
