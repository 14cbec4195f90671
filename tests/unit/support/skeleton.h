/*
 * skeleton.h - skeletons of random programs, and slow answers to compare with.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_SKELETON_H
#define SUPPORT_SKELETON_H

#include "support/comm.h"
#include "trace/skeleton.h"

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
 * When the blocking call was entered that received what a blocking send sent, if that was after the
 * send's own call was entered; PH_NO_TIME: it was not. receive: that event. Slow.
 */
int64_t late_receive(const CommTrace *trace, uint32_t location, uint32_t seq, PhLink *receive);

/* By size class (bits of the number of bytes): do sends wait for their receivers? Slow. */
void rendezvous_classes(const CommTrace *trace, bool *classes);

/* Make sends that lasted until their receivers came larger than others: they are rendezvous. */
void make_rendezvous(CommTrace *trace);

/* Did a send wait for its receiver, and until when? classes: of its trace. Slow. */
bool waited_for_receiver(const CommTrace *trace, const bool *classes, uint32_t location,
						 uint32_t seq, int64_t *until, PhLink *receive);

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
