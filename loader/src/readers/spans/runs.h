/*
 * runs.h - calls in any order, given back track by track (thread or stream) in order of time.
 *
 * A run is a share of the file's calls that was sorted when it was full. Runs stay in memory up to
 * a limit, then they are written to the temporary folder and mapped; what is read of them there is
 * memory that the system can take back. Reading merges the runs. 32 bytes a call, and as much again
 * for one run while it is sorted.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SPANS_RUNS_H
#define PH_READERS_SPANS_RUNS_H

#include "base/vector.h"

#define PH_SPAN_OPEN INT64_MAX /* the end of a call that has none */

typedef struct PhSpanRow
{
	int64_t begin, end; /* ns; PH_SPAN_OPEN */
	uint32_t track;		/* a thread or stream, and from lanes.h on its lane */
	uint32_t region;
	uint32_t order; /* in the file: of calls of the same times the first one is around the others */
	uint32_t detail; /* 1 + what is kept beside it (launches.h); 0: nothing */
} PhSpanRow;

/* The upper bits of PhSpanRow.track are the lane. */
#define PH_TRACK_BITS 24
#define PH_MOST_TRACKS (UINT32_C(1) << PH_TRACK_BITS)

static inline uint32_t
ph_track_of(uint32_t track)
{
	return track & (PH_MOST_TRACKS - 1);
}

static inline uint32_t
ph_lane_of(uint32_t track)
{
	return track >> PH_TRACK_BITS;
}

typedef PH_VECTOR(PhSpanRow) PhSpanVector;

typedef struct PhSpanRun
{
	PhSpanVector calls;
	bool is_mapped;
} PhSpanRun;

typedef struct PhSpanRuns
{
	PhEnv *env;
	uint32_t run_calls; /* that a run has */
	uint64_t most_kept; /* calls in memory */
	PhSpanVector open;	/* the run that is being filled */
	PH_VECTOR(PhSpanRun) runs;
	uint64_t n_kept;
	int file; /* -1: none */
	uint64_t file_size;
} PhSpanRuns;

/* most_kept: how many calls stay in memory, apart from two runs. */
void ph_span_runs_init(PhSpanRuns *runs, PhEnv *env, uint32_t run_calls, uint64_t most_kept);
void ph_span_runs_free(PhSpanRuns *runs);

PhStatus ph_span_runs_add(PhSpanRuns *runs, const PhSpanRow *call) PH_MUST_CHECK;

/* Nothing more is added: from here on calls can be read. */
PhStatus ph_span_runs_finish(PhSpanRuns *runs) PH_MUST_CHECK;

/* Is x before y: by begin, then the longer one, then the first in the file. */
static inline bool
ph_span_precedes(const PhSpanRow *x, const PhSpanRow *y)
{
	if (x->begin != y->begin)
		return x->begin < y->begin;
	if (x->end != y->end)
		return x->end > y->end;
	return x->order < y->order;
}

/* What is left of a run. */
typedef struct PhSpanRange
{
	PhSpanRow *at, *end;
} PhSpanRange;

/* The calls of a track in order: a heap of ranges by their first calls. */
typedef struct PhSpanMerge
{
	PhEnv *env;
	PH_VECTOR(PhSpanRange) heap;
} PhSpanMerge;

PhStatus ph_span_merge_begin(PhSpanMerge *merge, PhEnv *env, const PhSpanRuns *runs,
							 uint32_t track) PH_MUST_CHECK;

/* NULL: there are no more. The call may be changed, but for what orders it. */
PhSpanRow *ph_span_merge_next(PhSpanMerge *merge);
void ph_span_merge_end(PhSpanMerge *merge);

#endif
