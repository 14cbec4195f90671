/*
 * lanes.h - a thread's calls, by their times alone, as calls within calls; a stream's activities
 * one after the other.
 *
 * Complete events have a begin and a duration, and nothing says that those of a thread lie within
 * each other. A call that begins within another one and ends behind it by more than times are
 * rounded goes to a further lane, which is a location of its own: nothing is cut, and what a lane
 * holds nests. So does an activity that begins while its stream is busy: branches of a graph run at
 * once.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SPANS_LANES_H
#define PH_READERS_SPANS_LANES_H

#include "readers/spans/runs.h"

/* As many as PhSpanRow.track has bits for; what is beyond is cut at the end of what is around it.
 */
#define PH_MOST_LANES 256

typedef struct PhOpenSpan
{
	int64_t begin, end;
} PhOpenSpan;

typedef PH_VECTOR(PhOpenSpan) PhOpenSpans;

typedef struct PhLane
{
	PhOpenSpans open;  /* at the last call's begin, the outermost first */
	uint64_t n_events; /* of the location */
} PhLane;

typedef struct PhSpanLanes
{
	bool is_stream;	   /* set before, */
	int64_t tolerance; /* as is by how much calls may cross and are cut instead, ns */
	uint32_t n;
	PhLane lanes[PH_MOST_LANES];
	uint64_t n_cut;		   /* calls that were cut at the end of what is around them */
	uint64_t n_overlapped; /* calls that are not on the first lane */
} PhSpanLanes;

/*
 * Is what is open over when the next call begins? A thread's calls of no length lie within those
 * that begin and end with them; activities are never within each other.
 */
static inline bool
ph_span_is_over(const PhOpenSpan *open, const PhSpanRow *next, bool is_stream)
{
	return open->end <= next->begin &&
		   (is_stream || open->begin != next->begin || next->end > open->end);
}

/*
 * Gets each call with its lane, and the number of its ENTER among the events of its location;
 * returns how many records follow the ENTER.
 */
typedef uint32_t (*PhSpanNumbered)(void *user, const PhSpanRow *call, uint64_t seq);

/* Find the lanes of a track's calls, write them into the calls, and cut what is to be cut; a call
 * without an end ends with the one around it. */
PhStatus ph_lanes_assign(PhSpanLanes *lanes, PhEnv *env, const PhSpanRuns *runs, uint32_t track,
						 PhSpanNumbered numbered, void *user) PH_MUST_CHECK;

#endif
