/*
 * skeleton.h - skeletons of random programs, and slow answers to compare with.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_SKELETON_H
#define SUPPORT_SKELETON_H

#include "blame/wait_states.h"
#include "support/comm.h"

/*
 * The finished skeleton of a program with the links that it knows. The seed decides in which order
 * locations come, whether events or chunks are fed, and whether links come with them or afterwards.
 */
PhStatus skeleton_of(PhEnv *env, const CommTrace *trace, uint64_t seed, PhSkeleton **out);

/* Ordinal of the ENTER of the innermost call around an event, PH_NONE: none. Slow. */
uint32_t enclosing_call(const CommTrace *trace, uint32_t location, uint32_t seq);

/* When that call was left; the location's last time when it was not. Slow. */
int64_t call_leave(const CommTrace *trace, uint32_t location, uint32_t enter);

/*
 * The event that completed what was posted at (location, seq), or posted what was completed there:
 * of an ISEND, IRECV or their requests; PH_NONE: none. Slow.
 */
uint32_t request_partner(const CommTrace *trace, uint32_t location, uint32_t seq);

/* A send, the call of its sender that would wait for its receiver, and when that came. */
typedef struct PlainReceiver
{
	uint32_t sending; /* ordinal of the ENTER of the sender's call; PH_NONE: not known */
	uint32_t call;	  /* the same of the receiver's; PH_NONE: not known */
	int64_t came;
	PhLink receive;
} PlainReceiver;

/* Of a send. Slow. */
PlainReceiver receiver_of(const CommTrace *trace, uint32_t location, uint32_t seq);

/* By size class (bits of the number of bytes): do sends wait for their receivers? Slow. */
void rendezvous_classes(const CommTrace *trace, bool *classes);

/*
 * Make blocking sends that lasted until their receivers came larger than others, and much later
 * than those would last: they are rendezvous.
 */
void make_rendezvous(CommTrace *trace);

/* Name the region of blocking sends MPI_Ssend: all of them wait for their receivers. */
void make_synchronous(CommTrace *trace);

/* Did a call wait for the receiver of a send, and for whom? classes: of its trace. Slow. */
bool waited_for_receiver(const CommTrace *trace, const bool *classes, uint32_t location,
						 uint32_t seq, PlainReceiver *receiver);

/* Does a call of a location communicate and hold no other that does? Slow. */
bool is_innermost_call(const CommTrace *trace, uint32_t location, uint32_t call);

/* When the innermost call that communicates was entered around an event, else its own time. */
int64_t plain_enter(const CommTrace *trace, uint32_t location, uint32_t seq);

/*
 * The wait of a call, as wait_states.h says; to == from: none. call and end are ordinals of events
 * here; of kinds there are late senders and receivers, N to N is any collective. Slow.
 */
PhWait plain_wait(const CommTrace *trace, const bool *classes, uint32_t location, uint32_t call);

/*
 * The begin of the collective member that the one which ended at (location, seq) depends on and
 * that began last; PH_NO_TIME: it depends on nobody. Slow. first_of_last: its location.
 */
int64_t collective_cause(const CommTrace *trace, uint32_t location, uint32_t seq,
						 uint32_t *first_of_last);

/* Does the member of a collective that ended at (location, seq) depend on another location's? */
bool collective_depends(const CommTrace *trace, uint32_t location, uint32_t seq, uint32_t other);

/* Ordinal of the begin or request of the collective that ended at (location, seq). Slow. */
uint32_t collective_begin(const CommTrace *trace, uint32_t location, uint32_t seq);

/* Make the clocks go wrong: by up to `most`, and too fast. Does not change what was caused by what.
 */
void spoil_clocks(CommTrace *trace, uint64_t seed, uint32_t most);

#endif
