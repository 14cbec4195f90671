/*
 * waits.h - wait states: time that a call spent waiting, and whom it waited for.
 *
 * After Scalasca: a receive-side call waits for the last of the sends that it completes, when that
 * began after the call was entered (late sender); members of a collective wait for those without
 * whom they cannot leave: all (barrier, all-to-all kinds), the root (broadcast kinds), or as the
 * root for all (reduction kinds). A wait ends with the call at the latest.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_WAITS_H
#define PH_TRACE_WAITS_H

#include "trace/mpi_calls.h"
#include "trace/skeleton.h"

/* One call that waited for a sender; a call that completes many messages gives one row. */
typedef struct PhLateSender
{
	int64_t receive_enter, receive_leave; /* of the call */
	int64_t send_time, receive_time;	  /* of the message that it waited for longest */
	int64_t wait;						  /* min(send_time, receive_leave) - receive_enter; > 0 */
	uint64_t bytes, send_seq, receive_seq;
	uint32_t sender, receiver; /* ranks */
	uint32_t sender_location, receiver_location;
	uint32_t receive_region;
	uint32_t comm;
	int32_t tag;
	uint32_t n_messages, n_late; /* that the call completed, and those of them sent too late */
} PhLateSender;

/* By wait descending, then receiver's location, then receive_seq. */
PhStatus ph_late_senders(PhArena *arena, const PhSkeleton *skeleton, const PhLateSender **rows,
						 uint32_t *n) PH_MUST_CHECK;

/*
 * Which sizes of messages are sent by rendezvous: the send goes on only when its receive is there.
 * Of the blocking sends of a size class (a power of two) whose blocking receives were entered after
 * them, at least nine in ten lasted until then. Others are buffered: if one of them lasts that
 * long, it is by chance.
 */
typedef struct PhRendezvous PhRendezvous;

PhStatus ph_rendezvous_find(PhArena *arena, const PhSkeleton *skeleton,
							const PhRendezvous **out) PH_MUST_CHECK;

/*
 * Did this end, a send of the location, wait for its receiver? Then *call is the receiving call, at
 * whose enter the wait ended.
 */
bool ph_rendezvous_waited(const PhRendezvous *rendezvous, uint32_t location, const PhCommEnd *send,
						  const PhCommCall **call);

/*
 * Does this end, a send of the location, go on only when its receive is there, whether or not that
 * was late? A send that ended before its receive was entered does not, whatever others of its size
 * do.
 */
bool ph_rendezvous_needs_receiver(const PhRendezvous *rendezvous, uint32_t location,
								  const PhCommEnd *send);

/* A blocking send by rendezvous that lasted until its blocking receive was entered (and longer). */
typedef struct PhLateReceiver
{
	int64_t send_enter, send_leave, receive_enter;
	int64_t wait; /* receive_enter - send_enter; > 0 */
	uint64_t bytes, send_seq, receive_seq;
	uint32_t sender, receiver;
	uint32_t sender_location, receiver_location;
	uint32_t send_region;
	uint32_t comm;
	int32_t tag;
} PhLateReceiver;

/* By wait descending, then sender's location, then send_seq. */
PhStatus ph_late_receivers(PhArena *arena, const PhSkeleton *skeleton, const PhLateReceiver **rows,
						   uint32_t *n) PH_MUST_CHECK;

/*
 * When the call was entered that ended this collective (end of a collective kind, at a location):
 * the collective's own begin, or of a non-blocking one the call that completed it.
 */
int64_t ph_collective_entered(const PhSkeleton *skeleton, uint32_t location, const PhCommEnd *end);

/* A member of a collective that waited, until its end at the latest. */
typedef struct PhCollectiveWait
{
	int64_t enter;	   /* ph_collective_entered */
	int64_t wait;	   /* > 0 */
	uint32_t instance; /* index into skeleton->collectives.instances */
	uint32_t location;
	uint32_t member; /* index into skeleton->collectives.members */
	uint32_t cause;	 /* index of the member that it waited for */
} PhCollectiveWait;

/* By wait descending, then instance, then location. */
PhStatus ph_collective_waits(PhArena *arena, const PhSkeleton *skeleton,
							 const PhCollectiveWait **rows, uint32_t *n) PH_MUST_CHECK;

/*
 * By member: the member that it depends on and that entered last (the lowest rank of equals), other
 * than itself, of those whose begin was recorded; PH_NONE: nobody. In arena.
 */
PhStatus ph_collective_causes(PhArena *arena, const PhSkeleton *skeleton,
							  uint32_t **causes) PH_MUST_CHECK;

#endif
