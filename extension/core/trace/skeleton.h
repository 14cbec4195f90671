/*
 * skeleton.h - the communication of a run as a graph: calls, message ends, collectives,
 * edges.
 *
 * What wait states, the critical path and clock correction work on. Per location the ends of
 * messages in event order, each with the call that it happened in (a Waitall holds many), the call
 * that posted or completed it, and its other end; and the members of collectives. Epochs of windows
 * are ends of the same form: one process lets another one go on. Calls that do not
 * communicate are not kept. 32 bytes an end, 20 more with its envelope, and 25 a call: of ordinals
 * 40 bits are kept, of regions 24.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_SKELETON_H
#define PH_TRACE_SKELETON_H

#include "base/vector.h"
#include "trace/collectives.h"
#include "trace/io_calls.h"
#include "trace/link.h"
#include "trace/mpi_calls.h"
#include "trace/thread_marks.h"
#include "trace/windows.h"

/* What a call holds, as bits. */
typedef enum PhCommHolds
{
	PH_HOLDS_SEND = 1,
	PH_HOLDS_RECEIVE = 2, /* whose send is known */
	PH_HOLDS_UNMATCHED_RECEIVE = 4,
	PH_HOLDS_COLLECTIVE = 8,
	PH_HOLDS_UNKNOWN_COLLECTIVE = 16, /* nothing tells with whom */
	PH_HOLDS_INFERRED = 32,			  /* a collective without a record */
	PH_HOLDS_COMPLETED_SEND = 64,	  /* of an ISEND of another call */
	PH_HOLDS_POSTED_RECEIVE = 128 /* of an IRECV of another call; the last: it fits into a byte */
} PhCommHolds;

/* A call in which communication happened. */
typedef struct PhCommCall
{
	int64_t enter, leave; /* leave: the location's last time when it was not left */
	uint64_t seq : 40;	  /* ordinal of its ENTER */
	uint64_t region : 24; /* PH_COMM_NONE: one that the model lacks */
} PhCommCall;

/*
 * Kinds of ends beside those of events, of epochs of windows: posting signals that starting, or
 * where that does not wait completing, may go on; completing that waiting may. The size is the
 * end's own call (PhEpochCall).
 */
#define PH_COMM_SIGNAL 254
#define PH_COMM_SIGNALLED 255

#define PH_COMM_MOST_EVENTS (UINT64_C(1) << 40) /* of a location */
#define PH_COMM_NONE ((UINT32_C(1) << 24) - 1)	/* no region */

/* One end of a message, or a member of a collective. */
typedef struct PhCommEnd
{
	int64_t time;
	uint64_t seq : 40;		   /* ordinal within the location */
	uint64_t size : 7;		   /* messages: how many bits its number of bytes has */
	uint64_t met : 1;		   /* messages: the calls of both ends overlap in time */
	uint64_t kind : 8;		   /* SEND ISEND RECV IRECV COLLECTIVE_END NB_COLLECTIVE_COMPLETE,
								  PH_COMM_SIGNAL SIGNALLED; COLLECTIVE_END, too, of a call without a
								  record */
	uint32_t call;			   /* index of its call on the location; PH_NONE: outside of all */
	uint32_t partner_location; /* messages: of the other end; PH_NONE: not recorded */
	uint32_t partner; /* messages: the other end's index there; collectives: index of the member */
	uint32_t other_call; /* ISEND: the call that completed it; IRECV: the one that posted it;
							PH_NONE: outside of all, not recorded, other kinds */
} PhCommEnd;

/* What else is known of an end of a message or of an epoch. */
typedef struct PhCommEnvelope
{
	uint64_t bytes;
	uint32_t peer; /* rank of the other end */
	uint32_t comm;
	int32_t tag;
} __attribute__((packed, aligned(4))) PhCommEnvelope;

/*
 * What is kept of the other end of a message (PH_KEEP_CAME), as ns from the end's own
 * time: others than these are looked up. PH_TIME_UNKNOWN: there is none.
 */
typedef struct PhOtherTimes
{
	int32_t came;	/* ph_came */
	int32_t parted; /* ph_parted, if they met */
} PhOtherTimes;

#define PH_TIME_FAR INT32_MIN
#define PH_TIME_UNKNOWN (INT32_MIN + 1)

typedef struct PhCommLocation
{
	uint32_t n_ends, n_calls;
	PhCommEnd *ends;		   /* in event order */
	PhCommEnvelope *envelopes; /* by end; NULL: nobody wants them */
	PhCommCall *calls;		   /* by seq */
	uint8_t *holds; /* by call: PhCommHolds; after ph_skeleton_finish; NULL: nobody wants it */
	int64_t first_time, last_time; /* of all its events; PH_NO_TIME: has none */
	int64_t main_from;			   /* where it left MPI_Init, else first_time */
	int64_t main_to;			   /* where it entered MPI_Finalize, else last_time */
	PhOtherTimes *others;		   /* by end, if they are kept; else NULL */
	PhThreadMarks threads;		   /* none unless the trace has threads */
	PhWindowLocks locks;		   /* of windows, in event order */
	PhIoCalls io;				   /* none unless the trace has functions that do I/O */
	/* internal, until ph_skeleton_finish: by receive, ordinal of its send; calls of these that are
	 * open, outermost first */
	uint32_t n_receives;
	uint64_t *send_seqs;
	PhIndices open;
	/* internal: room; the end found last, and how far behind the one before */
	uint32_t end_room, envelope_room, call_room, receive_room, found, stride;
	bool is_fitted; /* internal: has no room left over */
} PhCommLocation;

/* Of one-sided communication. */
typedef struct PhWindowCounts
{
	uint64_t operations; /* puts, gets and atomics */
	uint64_t epochs;	 /* begins and ends of epochs with one other process */
	uint64_t lonely;	 /* of these, those whose counterpart is not known */
	uint64_t locks;
} PhWindowCounts;

typedef struct PhSkeleton
{
	PhEnv *env;
	const PhTraceModel *model;
	uint32_t n_locations;
	PhCommLocation *locations;
	PhCollectives *collecting;			 /* internal */
	struct PhSkeletonRequests *requests; /* internal: under way */
	PhMpiCall *mpi;						 /* by region */
	uint8_t *thread_regions;			 /* by region: PhThreadRegion; NULL: no threads */
	bool *io_regions;					 /* by region; NULL: none does I/O */
	bool has_windows;
	uint32_t keeps;					  /* PhSkeletonKeep, as bits */
	PH_VECTOR(PhOpenCall) open_calls; /* internal: of the chunk at hand */
	uint32_t adding;				  /* internal: the location that was added to last; PH_NONE */
	uint32_t usual_ends, usual_calls; /* internal: of the last one before that has any */
	bool finished;
	PhCollectiveRows collectives; /* after ph_skeleton_finish */
	PhMatchCounts counts;		  /* after ph_skeleton_finish */
	PhWindowCounts windows;		  /* likewise */
} PhSkeleton;

/* model: ranks of locations, members of communicators; must outlive it. PH_ERR_LIMIT: too many
 * regions. */
PhStatus ph_skeleton_new(PhEnv *env, const PhTraceModel *model, PhSkeleton **out) PH_MUST_CHECK;
void ph_skeleton_free(PhSkeleton *skeleton);

/* What of chunks it needs (PhChunkWant): records beside calls where there are threads or windows.
 */
uint32_t ph_skeleton_wants(const PhSkeleton *skeleton);

/*
 * Add all of a location's chunks in order, locations in any order; reader was opened with
 * ph_skeleton_wants (without PH_WANT_EXTRA threads have no marks), its cursor does not move. links:
 * of the chunk's receives, as many as those are (else PH_ERR_FORMAT); NULL: come later by
 * ph_skeleton_link, or not at all. PH_ERR_LIMIT: more than PH_COMM_MOST_EVENTS of a location.
 */
PhStatus ph_skeleton_add_chunk(PhSkeleton *skeleton, const PhChunk *chunk,
							   const PhChunkReader *reader, const PhLink *links,
							   uint32_t n_links) PH_MUST_CHECK;

/*
 * The same for one event of a location. call: the innermost open one, after ENTER with it; for
 * LEAVE the one that was left; NULL: none. link: of a receive, or NULL.
 */
PhStatus ph_skeleton_add_event(PhSkeleton *skeleton, uint32_t location, uint64_t seq,
							   const PhEvent *event, const PhOpenCall *call,
							   const PhLink *link) PH_MUST_CHECK;

/*
 * Move the locations of another skeleton of the same model (of another thread that has ended) into
 * this one, before links are given. Each location belongs to one of them. A failure leaves both fit
 * to be freed only.
 */
PhStatus ph_skeleton_merge(PhSkeleton *skeleton, PhSkeleton *other) PH_MUST_CHECK;

/* Give all links of a location's receives, as ph_matcher_links does. */
PhStatus ph_skeleton_link(PhSkeleton *skeleton, uint32_t location, const PhLink *links,
						  uint64_t count) PH_MUST_CHECK;

/* What only some ask of a skeleton. */
typedef enum PhSkeletonKeep
{
	PH_KEEP_ENVELOPES = 1, /* traces with windows have them anyway, as epochs are joined by them */
	PH_KEEP_HOLDS = 2,	   /* what calls hold, and how many sends have no receive */
	PH_KEEP_CAME = 4	   /* 8 bytes an end, ph_came and ph_parted, for who asks these of all ends:
							  the other ends of messages lie anywhere in memory, and joining them is
							  there anyway */
} PhSkeletonKeep;

/* Before the first event: keep these, as bits. */
void ph_skeleton_keep(PhSkeleton *skeleton, uint32_t what);

/* Join both ends of every message and group the collectives, once; links to no end are an error. */
PhStatus ph_skeleton_finish(PhSkeleton *skeleton) PH_MUST_CHECK;

/*
 * After finishing, when all is found: give back the calls and ends of all locations, which are most
 * of its memory. The times of locations stay.
 */
void ph_skeleton_keep_times(PhSkeleton *skeleton);

/* Is there anything that locations could wait for? */
bool ph_skeleton_communicates(const PhSkeleton *skeleton);

static inline bool
ph_is_send(uint32_t kind)
{
	return kind == PH_EVENT_SEND || kind == PH_EVENT_ISEND || kind == PH_COMM_SIGNAL;
}

static inline bool
ph_is_receive(uint32_t kind)
{
	return kind == PH_EVENT_RECV || kind == PH_EVENT_IRECV || kind == PH_COMM_SIGNALLED;
}

/* An end of an epoch's, which is no message. */
static inline bool
ph_is_of_epoch(uint32_t kind)
{
	return kind >= PH_COMM_SIGNAL;
}

static inline const PhCommEnvelope *
ph_comm_envelope(const PhCommLocation *location, const PhCommEnd *end)
{
	return &location->envelopes[end - location->ends];
}

static inline bool
ph_is_message_receive(const PhCommEnd *end)
{
	return ph_is_receive(end->kind) && !ph_is_of_epoch(end->kind);
}

/*
 * Is this a call that has no other in it that communicates? Others are functions of the program, of
 * which nobody knows when they began to communicate.
 */
static inline bool
ph_is_innermost_call(const PhCommLocation *location, uint32_t call)
{
	return call + 1 >= location->n_calls ||
		   location->calls[call + 1].enter >= location->calls[call].leave;
}

/* The main part of a location lies between MPI_Init and MPI_Finalize. */
typedef enum PhRunPart
{
	PH_PART_START_UP,
	PH_PART_MAIN,
	PH_PART_SHUT_DOWN,
	PH_RUN_PARTS
} PhRunPart;

/* In which part of its location's events a call is that was entered then. */
static inline PhRunPart
ph_run_part(const PhCommLocation *location, int64_t enter)
{
	if (enter < location->main_from)
		return PH_PART_START_UP;
	return enter < location->main_to ? PH_PART_MAIN : PH_PART_SHUT_DOWN;
}

/* "start-up", "main", "shut-down". */
const char *ph_run_part_name(PhRunPart part);

/* When the innermost call of an end was entered; *call PH_NONE: there is none, its own time. */
static inline int64_t
ph_end_entered(const PhCommLocation *location, const PhCommEnd *end, uint32_t *call)
{
	*call = PH_NONE;
	if (end->call == PH_NONE || !ph_is_innermost_call(location, end->call))
		return end->time;
	*call = end->call;
	return location->calls[end->call].enter;
}

#endif
