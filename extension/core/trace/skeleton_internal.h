/*
 * skeleton_internal.h - what the files share that make a skeleton: ends, and the epochs of windows.
 *
 * Post and start, and complete and wait, are the two ends of an edge between one pair of processes:
 * the k-th post of a window for a process is for its k-th start with the poster, which the k-th
 * complete ends, as the k-th wait does the epoch of the post. Where starting does not wait for the
 * post, completing does, if it lasted until then; else nothing did.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_SKELETON_INTERNAL_H
#define PH_TRACE_SKELETON_INTERNAL_H

#include "trace/skeleton.h"

/* Makes both ends of each edge of epochs partners; calls are in order. O(ends log ends). */
PhStatus ph_skeleton_join_epochs(PhSkeleton *skeleton) PH_MUST_CHECK;

/* Makes an end that sends or signals, at `from`, and one that receives or is signalled partners. */
void ph_skeleton_join_ends(PhSkeleton *skeleton, uint32_t from, uint32_t sent, uint32_t to,
						   uint32_t received);

/* A time as PhOtherTimes has it, of an end with this time of its own. */
static inline int32_t
ph_near_time(int64_t own, int64_t time)
{
	int64_t distance;
	if (time == PH_NO_TIME)
		return PH_TIME_UNKNOWN;
	return __builtin_sub_overflow(time, own, &distance) || distance > INT32_MAX ||
				   distance <= PH_TIME_UNKNOWN
			   ? PH_TIME_FAR
			   : (int32_t) distance;
}

/* Gives back what a location has room for and does not need; once. */
PhStatus ph_skeleton_fit(PhSkeleton *skeleton, PhCommLocation *location) PH_MUST_CHECK;

/* What only collecting and only joining need. */
void ph_skeleton_free_requests(PhSkeleton *skeleton);
void ph_skeleton_free_links(PhEnv *env, PhCommLocation *location);

#endif
