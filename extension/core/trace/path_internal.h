/*
 * path_internal.h - a critical path while it is divided: its legs, and pieces of them.
 *
 * Private to trace/critical_path.c and trace/path_segments.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_PATH_INTERNAL_H
#define PH_TRACE_PATH_INTERNAL_H

#include "trace/critical_path.h"

/* A stay of the path on one location. */
typedef struct PathLeg
{
	int64_t from, to; /* from <= to */
	int64_t wait;	  /* of the call with which it begins */
	uint32_t location;
	uint32_t peer;	  /* location that the path came from; PH_NONE: its start */
	bool is_inferred; /* what the call waited for */
} PathLeg;

typedef struct PathPiece
{
	int64_t from, to;
	uint32_t leg, region;
	PhPathKind kind;
	bool is_inferred;
} PathPiece;

typedef struct PathFrame
{
	uint32_t region;
	PhPathKind kind;
	bool is_inferred; /* a collective without a record */
} PathFrame;

/* Walks over the events of one location. */
typedef struct PathWalk
{
	uint32_t location; /* PH_NONE: of none yet */
	int64_t since;	   /* the time that is walked up to */
	uint32_t next_leg; /* into by_location: the first that is not wholly before `since` */
	uint32_t next_call;
	uint32_t depth, frame_room;
	PathFrame *frames; /* open calls */
} PathWalk;

struct PhCriticalPath
{
	PhEnv *env;
	const PhSkeleton *skeleton;
	uint32_t n_legs, leg_room;
	PathLeg *legs;		   /* by time, tiling the run */
	PhArena arena;		   /* of the lists by location */
	uint32_t *first_leg;   /* n_locations + 1 */
	uint32_t *by_location; /* legs by location, then time */
	PathWalk walk;
	uint32_t n_pieces, piece_room;
	PathPiece *pieces; /* those of a leg by time */
	uint32_t n_segments, segment_room;
	PhPathSegment *segments;
};

#endif
