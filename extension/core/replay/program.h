/*
 * program.h - a recorded run as operations that can be replayed: what each call of communication
 * takes by itself, whom it waits for, and how long it goes on when that one has come.
 *
 * After Dimemas (J. Labarta et al., DiP: a parallel program development environment, Euro-Par 1996)
 * the time between two calls is kept as recorded, and calls follow a model. A call is left when it
 * was in it for `own`, and for each of its needs (a message, the receiver of a send by rendezvous,
 * a collective) `tail` after the need's operation was entered; whichever is last. Both are taken
 * from the record, so that an unchanged replay gives the recorded times, the noise of the network
 * included. Where the record hides one of them, because the other one was later, it is that of the
 * messages of the same size class (a power of two; one host or two): own is the 5 % quantile of the
 * receive's leave - max(send's enter, receive's enter) over messages without late sender, tail the
 * median of leave - send's enter over those with one. One number for both, as a plain transfer
 * time would be, is wrong by a factor of two where a receive that finds its message takes its copy
 * alone (docs/design/replay.md 2).
 *
 * Needs are of entered calls, never of left ones: the matching is the recorded one, wildcard
 * receives and Waitany included. Operations are the innermost calls that communicate; message ends
 * outside of those, and the begins of non-blocking collectives, are instants: they take no time.
 * Getting a lock of a window needs that those gave it back who had it before, as recorded; where
 * the record leaves open who that was, or calls that communicate have the lock's records in them,
 * time is kept.
 * What the skeleton knows of a call is not kept again: 16 bytes an operation, 8 an end. O(events).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPLAY_PROGRAM_H
#define PH_REPLAY_PROGRAM_H

#include "replay/spans.h"
#include "trace/waits.h"

typedef struct PhReplayOp
{
	union
	{
		int64_t own;  /* of a call */
		int64_t time; /* of an instant: when it was */
	};
	uint32_t first_end; /* in the skeleton: its ends are those up to the next operation's */
	union
	{
		uint32_t call;	 /* in the skeleton; PH_NONE: an instant */
		uint32_t begins; /* of one without ends: the member of a non-blocking collective or, from
							n_members on, the lock (ph_replay_lock) */
	};
} PhReplayOp;

/* A record of a lock of a window: that it was got, from `since` to its time, or given back. */
typedef struct PhReplayLock
{
	const PhWindowLock *record;
	int64_t own;		   /* what getting it takes */
	uint32_t location, op; /* PH_NONE: it is no operation of the window */
	uint32_t first_need;   /* up to the next one's */
} PhReplayLock;

/* What getting a lock needs: that it was given back by somebody else. */
typedef struct PhReplayLockNeed
{
	uint32_t lock; /* the record of that */
	int64_t tail;
} PhReplayLockNeed;

typedef struct PhReplayLocation
{
	uint32_t n_ops;
	PhReplayOp *ops;  /* in order; one more at the end, of which only first_end is set */
	int64_t *tails;	  /* by end */
	int64_t from, to; /* from < to: of the location in the window; else it has no events there */
	/* it has events in the window, and is no thread without operations of a rank that has some:
	 * that one goes with its rank, and nobody knows how far when the rank's times are others */
	bool takes_part;
	int64_t finish; /* where locations finish together: what is after the last one's arrival */
	uint32_t first_lock;
} PhReplayLocation;

typedef struct PhReplayProgram
{
	const PhSkeleton *skeleton;
	const PhRendezvous *rendezvous;
	PhReplayLocation *locations;
	uint32_t *member_ops; /* by member of a collective: the operation that begins it; PH_NONE */
	uint32_t n_locks;
	PhReplayLock *locks; /* by location, in event order; one more at the end */
	PhReplayLockNeed *lock_needs;
	uint64_t n_ops;
	int64_t from, to; /* of all locations; from == to: there is nothing */
	int64_t post;	  /* the shortest send: what posting one takes */
	/* nobody was done with MPI_Finalize before all had entered it, so that its time is no work:
	 * locations go `to` where they entered it, and end `finish` after the last one did */
	bool finishes_together;
} PhReplayProgram;

/* The operation of an end; PH_NONE: it is not in the window. */
uint32_t ph_replay_op_of(const PhReplayLocation *location, uint32_t end);

/* Internal to replay: the same without own times and tails. */
PhStatus ph_replay_operations(PhArena *arena, const PhSkeleton *skeleton, int64_t from, int64_t to,
							  PhReplayProgram **out) PH_MUST_CHECK;

/* It has no ends: the begin of a non-blocking collective, or a lock. */
static inline bool
ph_replay_is_bare(const PhReplayOp *op)
{
	return op->first_end == op[1].first_end;
}

/* The lock that an operation gets or gives back; NULL: it is another one. */
static inline PhReplayLock *
ph_replay_lock(const PhReplayProgram *program, const PhReplayOp *op)
{
	uint32_t n_members = program->skeleton->collectives.n_members;
	if (!ph_replay_is_bare(op) || op->begins < n_members)
		return NULL;
	return &program->locks[op->begins - n_members];
}

/* What it may have to wait for: ends or, of a lock, needs of locks. */
static inline void
ph_replay_needs(const PhReplayProgram *program, const PhReplayOp *op, uint32_t *from, uint32_t *to)
{
	const PhReplayLock *lock = ph_replay_lock(program, op);
	*from = lock == NULL ? op->first_end : lock->first_need;
	*to = lock == NULL ? op[1].first_end : lock[1].first_need;
}

static inline bool
ph_replay_is_call(const PhReplayOp *op)
{
	return !ph_replay_is_bare(op) && op->call != PH_NONE;
}

/* When the operation of a location was entered and left, as recorded. */
static inline int64_t
ph_replay_entered(const PhReplayProgram *program, uint32_t location, const PhReplayOp *op)
{
	return ph_replay_is_call(op) ? program->skeleton->locations[location].calls[op->call].enter
								 : op->time;
}

static inline int64_t
ph_replay_left(const PhReplayProgram *program, uint32_t location, const PhReplayOp *op)
{
	if (ph_replay_is_call(op))
		return program->skeleton->locations[location].calls[op->call].leave;
	const PhReplayLock *lock = ph_replay_lock(program, op);
	return lock == NULL ? op->time : lock->record->time;
}

/* Its function; PH_NONE: it has none, or the model lacks it. */
static inline uint32_t
ph_replay_region(const PhReplayProgram *program, uint32_t location, const PhReplayOp *op)
{
	if (!ph_replay_is_call(op))
		return PH_NONE;
	uint32_t region = program->skeleton->locations[location].calls[op->call].region;
	return region < program->skeleton->model->n_regions ? region : PH_NONE;
}

/* The recorded time before the slot-th operation; n_ops: after the last one. May be less than none.
 */
PhCallSpan ph_replay_gap_at(const PhReplayProgram *program, uint32_t location, uint32_t slot);

/* Whether a send goes on only when its receiver has come, as recorded. */
bool ph_replay_is_rendezvous(const PhReplayProgram *program, uint32_t location,
							 const PhCommEnd *end);

#endif
