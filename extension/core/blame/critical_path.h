/*
 * critical_path.h - the activities that determine how long the run takes.
 *
 * Backward replay from the last event: stay on a location until a call that waited
 * (wait_states.h); there go on with the location that was waited for, at the time when it did what
 * ended the wait. The legs tile the run's duration without gaps or overlaps. A second pass over the
 * chunks divides them by calls, and needs a skeleton with PH_KEEP_HOLDS. Both are linear. After
 * Scalasca (Böhme et al. 2012).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_CRITICAL_PATH_H
#define PH_BLAME_CRITICAL_PATH_H

#include "blame/wait_states.h"

typedef enum PhPathKind
{
	PH_PATH_COMPUTE,	/* outside of calls that communicate */
	PH_PATH_MESSAGE,	/* in a call that sends or receives, not waiting */
	PH_PATH_COLLECTIVE, /* in a collective operation, not waiting */
	PH_PATH_WAIT,		/* waiting for a partner that the path cannot go to: none was recorded */
	PH_PATH_KIND_COUNT
} PhPathKind;

/* "compute", "message", "collective", "wait". */
const char *ph_path_kind_name(PhPathKind kind);

/* Of the time in a call that holds this (PhCommHolds), without its wait. */
PhPathKind ph_path_kind_of(uint32_t holds);

typedef struct PhPathSegment
{
	int64_t from, to; /* from < to */
	int64_t wait;	  /* of the call with which the path came here from peer, before `from` */
	uint32_t location;
	uint32_t region; /* innermost; PH_NONE: none, or not asked for */
	uint32_t peer;	 /* location the path came from; PH_NONE: it was here before */
	PhPathKind kind;
	bool is_inferred; /* the collective that it is in, or that led here from peer */

	/* of merged ones only; region and kind are then those with the most time in it */
	int64_t time[PH_PATH_KIND_COUNT]; /* by kind */
	uint32_t n_merged;				  /* segments that it would be without merging */
} PhPathSegment;

typedef struct PhCriticalPath PhCriticalPath;

typedef struct PhPathOptions
{
	/* One segment for each stay of the path on a location, however many calls that ran; a stay
	 * ends where the location's main part begins or ends. */
	bool is_merged;
} PhPathOptions;

/* Find the legs. waits: all of the skeleton, which must outlive the path; they need not. */
PhStatus ph_critical_path_new(PhEnv *env, const PhSkeleton *skeleton, const PhWaitStates *waits,
							  const PhPathOptions *options, PhCriticalPath **out) PH_MUST_CHECK;
void ph_critical_path_free(PhCriticalPath *path);

/* A stay of the path on one location. */
typedef struct PhPathLeg
{
	int64_t from, to; /* from <= to */
	uint32_t location;
} PhPathLeg;

/* All legs by time, tiling [first event, last event]. In arena. */
PhStatus ph_critical_path_legs(const PhCriticalPath *path, PhArena *arena, PhPathLeg **out,
							   uint32_t *n) PH_MUST_CHECK;

/* Is any part of the chunk on the path? Others need not be added. */
bool ph_critical_path_wants(const PhCriticalPath *path, const PhChunk *chunk);

/*
 * Second pass, to divide legs by calls: each location's chunks in order, locations in any order;
 * reader was opened with PH_WANT_CALLS at least, its cursor is used up.
 */
PhStatus ph_critical_path_add_chunk(PhCriticalPath *path, const PhChunk *chunk,
									PhChunkReader *reader) PH_MUST_CHECK;
PhStatus ph_critical_path_add_event(PhCriticalPath *path, uint32_t location, const PhEvent *event,
									const PhOpenCall *call) PH_MUST_CHECK;

/* The segments by time, tiling [first event, last event]. Valid until the path is freed. */
PhStatus ph_critical_path_segments(PhCriticalPath *path, const PhPathSegment **segments,
								   uint32_t *n) PH_MUST_CHECK;

#endif
