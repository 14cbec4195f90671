/*
 * source.h - the trace source of spans: calls of threads and activities of devices, each with its
 * begin and its end, in any order.
 *
 * For readers that number their tracks (threads and streams) and regions themselves:
 *   1. ph_span_source_add hands over spans, launches their correlations, collectives what calls
 *      and annotations tell of kernels that are launched within them;
 *   2. ph_span_source_finish_spans: no more come;
 *   3. ph_span_source_place says of each track, in the order of locations, where it is: its spans
 *      get lanes, which are locations;
 *   4. ph_span_source_finish: the trace is ready for PhRunInput.trace.
 * Readers of rows with names use trace.h.
 *
 * Spans are sorted runs, in memory or in the temporary folder (runs.h); lanes nest them (lanes.h);
 * who launched what is launches.h. The reader's own struct begins with this one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_SPANS_SOURCE_H
#define PH_READERS_SPANS_SOURCE_H

#include "devices/rank_clocks.h"
#include "readers/reading.h"
#include "readers/spans/collective_ranges.h"
#include "readers/spans/stream_waits.h"
#include "readers/trace_source.h"

/* Arbitrary: larger numbers are no ranks, but a date at the end of a file's name, or a mistake of
 * the writer. Memory is needed for as many ranks as the largest says. */
#define PH_SPAN_MOST_RANKS (1 << 20)

/* Where a track's spans are, once it is placed. */
typedef struct PhSpanTrack
{
	int64_t shift;			 /* from its times to those of the trace */
	uint32_t first_location; /* of its lanes */
} PhSpanTrack;

typedef struct PhSpanSource
{
	PhTraceSource source; /* first */
	PhEnv *env;			  /* of who opened it */
	PhArena arena;
	PhSpanRuns runs;
	PhSpanLaunches launches;
	PhSpanStreamWaits waits;
	PhCollectiveRanges collectives; /* around launches; times as those of their tracks' spans */
	bool *communicates;				/* by region; NULL: no ranges */
	int64_t tolerance;				/* of lanes.h */
	const uint32_t *regions;		/* of the model, by region of spans; NULL: they are the same */
	PH_VECTOR(PhTraceLocation) locations;
	PhIndices places; /* by location: its track and lane, as PhSpanRow.track */
	PH_VECTOR(PhSpanTrack) tracks;
	PhRankClocks clocks;					   /* of several ranks with collectives of devices */
	bool moves_clocks;						   /* times are by them, */
	int64_t clock_base;						   /* and from here on */
	uint64_t n_cut, n_crossing, n_overlapping; /* spans cut; calls, activities on further lanes */
} PhSpanSource;

/* Sets all functions of the trace's source but `free`. */
void ph_span_source_init(PhSpanSource *source, PhEnv *env, int64_t tolerance);
void ph_span_source_free(PhSpanSource *source);

static inline PhStatus PH_MUST_CHECK
ph_span_source_add(PhSpanSource *source, const PhSpanRow *span)
{
	return ph_span_runs_add(&source->runs, span);
}

PhStatus ph_span_source_finish_spans(PhSpanSource *source) PH_MUST_CHECK;

/*
 * Make locations of a track: place is the first of them, without source_id and n_events. Threads
 * are numbered within their rank, whose tracks come one after the other. Streams come last. A track
 * without spans has none.
 */
PhStatus ph_span_source_place(PhSpanSource *source, uint32_t track, int64_t shift,
							  const PhTraceLocation *place) PH_MUST_CHECK;

/*
 * Locations and ranks of the model; counts of launches. The model has its regions, from before the
 * first stream was placed on; n_regions: of spans. The trace begins clock_base behind the time 0
 * that shifts were made for.
 */
PhStatus ph_span_source_finish(PhSpanSource *source, uint32_t n_regions) PH_MUST_CHECK;

/* ---- span_clocks.c ---- */

/* Find the clocks of ranks, and whether times are better by them. Locations are made. */
PhStatus ph_span_source_find_clocks(PhSpanSource *source, uint32_t n_regions) PH_MUST_CHECK;

/* Say what was done about clocks that differ, and what could not be done. */
PhStatus ph_span_source_warn_of_clocks(const PhSpanSource *source, PhRunInput *run) PH_MUST_CHECK;

#endif
