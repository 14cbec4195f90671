/*
 * waits.h - whom a call may have waited for: receivers of messages that are sent by rendezvous,
 * members of collectives.
 *
 * By rendezvous a send goes on only when its receiver has come; other messages are buffered, and
 * who sends them does not wait, however late they are received. Which it is depends on the
 * library's limit for the size, of which traces tell nothing but how long sends lasted. MPI_Ssend
 * is always a rendezvous, MPI_Bsend never. Of a size class (a power of two, on one host or
 * between two) all messages are, if of the calls that were still sending when the receiver came
 * late, or not, at least nine in ten were. Only those calls tell which had nothing else to wait
 * for, and whose receiver was later than nine in ten of the class last whose receiver was there
 * before: the others would have lasted that long anyway. A single one tells only if its receiver
 * was later than all of those last. Lengths are compared by powers of two.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_WAITS_H
#define PH_TRACE_WAITS_H

#include "trace/skeleton.h"

typedef struct PhRendezvous PhRendezvous;

/* skeleton: finished, must outlive it. O(ends + calls). In arena. */
PhStatus ph_rendezvous_find(PhArena *arena, const PhSkeleton *skeleton,
							const PhRendezvous **out) PH_MUST_CHECK;

/*
 * Of an end of a message when who is at the other end came: of a receive when the call that sent
 * was entered, of a send when its receiver's was, or the one that posted; PH_NO_TIME: that is not
 * known.
 */
static inline int64_t ph_came(const PhSkeleton *skeleton, uint32_t location, uint32_t end);
/* The same where it is not kept. */
int64_t ph_look_up_came(const PhSkeleton *skeleton, uint32_t location, uint32_t end);

/* A time of an end's that is kept (PhOtherTimes); false: it is to be looked up. */
static inline bool
ph_is_kept(const PhCommEnd *end, int32_t kept, int64_t *time)
{
	if (kept == PH_TIME_FAR)
		return false;
	*time = kept == PH_TIME_UNKNOWN ? PH_NO_TIME : end->time + kept;
	return true;
}

/* Of an end that met the other one: when the call of either was left first; of an end outside of
 * all calls its own time. */
int64_t ph_parted(const PhSkeleton *skeleton, uint32_t location, uint32_t end);

/* Of a receive, to both ends, whose calls are in order. */
void ph_note_came(const PhSkeleton *skeleton, uint32_t location, uint32_t receive);

/*
 * Does this end, a send of the location, go on only when its receiver has come, whether or not that
 * was late? A send that ended before does not, whatever others of its size do; nor does one of
 * which it is not known when the receiver came.
 */
bool ph_rendezvous_needs_receiver(const PhRendezvous *rendezvous, uint32_t location,
								  const PhCommEnd *send);

/* The same of one whose receiver is known to have come then (ph_came). */
bool ph_rendezvous_waits_for(const PhRendezvous *rendezvous, uint32_t location,
							 const PhCommEnd *send, int64_t came);

/* When the receiver of a message came: its call was entered, or the one that posted the receive. */
typedef struct PhReceiverCame
{
	int64_t time;
	uint32_t call;	  /* of the receiver */
	uint32_t sending; /* the call of the sender that would wait: the send, or what completes it */
} PhReceiverCame;

/* The call of the sender that would wait: the send, or what completes it; PH_NONE: none is known.
 */
static inline uint32_t
ph_sending_call(const PhCommEnd *send)
{
	return send->kind == PH_EVENT_ISEND ? send->other_call : send->call;
}

/* Of a send of this location; false: it is not known. */
bool ph_receiver_came(const PhSkeleton *skeleton, uint32_t location, const PhCommEnd *send,
					  PhReceiverCame *out);

/*
 * By member: the member that it depends on and that entered last (the lowest rank of equals), other
 * than itself, of those whose begin was recorded; PH_NONE: nobody. In arena.
 */
PhStatus ph_collective_causes(PhArena *arena, const PhSkeleton *skeleton,
							  uint32_t **causes) PH_MUST_CHECK;

static inline int64_t
ph_came(const PhSkeleton *skeleton, uint32_t location, uint32_t end)
{
	const PhCommLocation *place = &skeleton->locations[location];
	int64_t came;
	if (place->others != NULL && ph_is_kept(&place->ends[end], place->others[end].came, &came))
		return came;
	return ph_look_up_came(skeleton, location, end);
}

#endif
