/*
 * path_internal.h - a critical path while it is divided: its legs, and pieces of them.
 *
 * Private to blame/critical_path.c and blame/path_segments.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_PATH_INTERNAL_H
#define PH_BLAME_PATH_INTERNAL_H

#include "blame/critical_path.h"

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

/* What was found of a leg; region PH_NONE: none has any time. */
typedef struct PathStay
{
	int64_t time[PH_PATH_KIND_COUNT];
	int64_t region_time;
	uint32_t region, n_merged;
	bool is_inferred;
} PathStay;

/* The leg that is walked on, when segments are merged. */
typedef struct PathTally
{
	uint32_t leg; /* PH_NONE: none */
	int64_t to;	  /* its last piece's end and frame */
	uint32_t region;
	PhPathKind kind;
	bool is_inferred;
	uint32_t n_regions, region_room; /* those with time */
	uint32_t *regions;
	uint32_t time_room;
	int64_t *time; /* by region */
} PathTally;

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
	PathStay *stays; /* by leg; NULL: segments are not merged */
	PathTally tally;
	uint32_t n_pieces, piece_room;
	PathPiece *pieces; /* those of a leg by time */
	uint32_t n_segments, segment_room;
	PhPathSegment *segments;
};

/* Divides legs where their locations' main parts begin and end, before anything else is made of
 * them. */
PhStatus ph_path_divide_legs(PhCriticalPath *path) PH_MUST_CHECK;

/* Pieces are to be merged into stays, one a leg. */
PhStatus ph_path_merge(PhCriticalPath *path) PH_MUST_CHECK;

/* A piece of a leg, which follows what was added of it before. */
PhStatus ph_path_merge_piece(PhCriticalPath *path, const PathPiece *piece) PH_MUST_CHECK;

/* The stays as segments. */
PhStatus ph_path_merged_segments(PhCriticalPath *path) PH_MUST_CHECK;

#endif
