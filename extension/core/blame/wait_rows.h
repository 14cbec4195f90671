/*
 * wait_rows.h - waits of one kind with what is known of their messages and collectives.
 *
 * Views of wait_states.h: a row is one of its waits, so that they never disagree with it. Those of
 * messages need a skeleton with PH_KEEP_ENVELOPES.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_WAIT_ROWS_H
#define PH_BLAME_WAIT_ROWS_H

#include "blame/wait_states.h"

/* A late sender, in wrong order or not. */
typedef struct PhLateSender
{
	int64_t receive_enter, receive_leave; /* of the call */
	int64_t send_time, receive_time;	  /* records of the message that it waited for longest */
	int64_t wait;						  /* until that send was entered; > 0 */
	uint64_t bytes, send_seq, receive_seq;
	uint32_t sender, receiver; /* ranks */
	uint32_t sender_location, receiver_location;
	uint32_t receive_region;
	uint32_t comm;
	int32_t tag;
	uint32_t n_messages, n_late; /* that the call completed, and those whose sends came after it */
} PhLateSender;

/* By wait descending, then receiver's location, then receive_seq. In arena. */
PhStatus ph_late_senders(PhArena *arena, const PhSkeleton *skeleton, const PhWaitStates *waits,
						 const PhLateSender **rows, uint32_t *n) PH_MUST_CHECK;

/* A call that waited for the receiver of a message that it, or one before, sent. */
typedef struct PhLateReceiver
{
	int64_t send_enter, send_leave, receive_enter; /* of the call that waited; of the receiver */
	int64_t wait;								   /* receive_enter - send_enter; > 0 */
	uint64_t bytes, send_seq, receive_seq;
	uint32_t sender, receiver; /* ranks */
	uint32_t sender_location, receiver_location;
	uint32_t send_region; /* of the call that waited */
	uint32_t comm;
	int32_t tag;
} PhLateReceiver;

/* By wait descending, then sender's location, then send_seq. In arena. */
PhStatus ph_late_receivers(PhArena *arena, const PhSkeleton *skeleton, const PhWaitStates *waits,
						   const PhLateReceiver **rows, uint32_t *n) PH_MUST_CHECK;

/* A member of a collective that waited. */
typedef struct PhCollectiveWait
{
	int64_t enter;	   /* of the call */
	int64_t wait;	   /* > 0 */
	uint32_t instance; /* index into skeleton->collectives.instances */
	uint32_t location;
	uint32_t member; /* index into skeleton->collectives.members */
	uint32_t cause;	 /* index of the member that it waited for */
} PhCollectiveWait;

/* By wait descending, then instance, then location. In arena. */
PhStatus ph_collective_waits(PhArena *arena, const PhSkeleton *skeleton, const PhWaitStates *waits,
							 const PhCollectiveWait **rows, uint32_t *n) PH_MUST_CHECK;

#endif
