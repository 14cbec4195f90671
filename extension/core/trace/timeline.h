/*
 * timeline.h - a window of a trace as a picture's worth of rows: spans of calls and bundles
 * of messages, aggregated per bin (a pixel or a few), so that any number of events stays drawable.
 *
 * Rows are groups of locations (usually one each). For every row, depth and bin the region that
 * took most of the bin's time at that depth wins; neighbouring bins of one region make a span.
 * Cost: O(events + rows x depth x bins); memory: one row at a time, and the spans.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TRACE_TIMELINE_H
#define PH_TRACE_TIMELINE_H

#include "trace/chunk/chunk.h"

/* Window [from, to) in n_bins equal bins. Calls at max_depth and deeper are left out. */
typedef struct PhTimelineWindow
{
	int64_t from, to;
	uint32_t n_bins;
	uint32_t max_depth;
} PhTimelineWindow;

/* Calls of one region at one depth in bins [bin, bin + n_bins). */
typedef struct PhTimelineSpan
{
	uint32_t row;
	uint32_t depth; /* outermost calls are 0 */
	uint32_t bin, n_bins;
	uint32_t region;
	float share; /* of the span's area that calls of this region cover, over the row's locations */
	uint32_t n_calls; /* calls of it that overlap the span, of all locations of the row */
} PhTimelineSpan;

typedef struct PhTimeline PhTimeline;

/* to > from, 1 <= n_bins <= 2^16, 1 <= max_depth <= 1024; PH_ERR_VALUE otherwise. */
PhStatus ph_timeline_new(PhEnv *env, const PhTimelineWindow *window,
						 PhTimeline **out) PH_MUST_CHECK;
void ph_timeline_free(PhTimeline *timeline);

/*
 * Feed a row: begin, then for each of its locations its chunks that overlap the window (whose time
 * from t_prev to t_last does), in order, each opened with PH_WANT_CALLS, and an end of location;
 * then end.
 */
PhStatus ph_timeline_begin_row(PhTimeline *timeline, uint32_t row) PH_MUST_CHECK;
PhStatus ph_timeline_add_chunk(PhTimeline *timeline, PhChunkReader *reader) PH_MUST_CHECK;
PhStatus ph_timeline_end_location(PhTimeline *timeline) PH_MUST_CHECK;
PhStatus ph_timeline_end_row(PhTimeline *timeline) PH_MUST_CHECK;

/* By row in order of feeding, depth, bin. */
const PhTimelineSpan *ph_timeline_result(const PhTimeline *timeline, uint32_t *count);

/* ---- messages ---- */

/* Messages from one place to another: rows and bins (of n_bins, perhaps coarser ones). */
typedef struct PhTimelineBundle
{
	uint32_t from_row, to_row;
	uint32_t from_bin, to_bin;
	uint64_t messages, bytes;
	int64_t send_time, receive_time; /* means of their times within the window */
} PhTimelineBundle;

typedef struct PhBundler PhBundler;

/*
 * When there are more than max_bundles, bins are joined pairwise until they fit or one bin is left
 * (then a bundle is a pair of rows).
 */
PhStatus ph_bundler_new(PhEnv *env, const PhTimelineWindow *window, uint32_t max_bundles,
						PhBundler **out) PH_MUST_CHECK;
void ph_bundler_free(PhBundler *bundler);

/* Messages that end before the window or begin after it are not counted; ends outside the window
 * are in its first or last bin. */
PhStatus ph_bundler_add(PhBundler *bundler, uint32_t from_row, uint32_t to_row, int64_t send_time,
						int64_t receive_time, uint64_t bytes) PH_MUST_CHECK;

/* Bundles by from_row, from_bin, to_row, to_bin; *n_bins: into how many bins the window was cut. */
PhStatus ph_bundler_finish(PhBundler *bundler, const PhTimelineBundle **bundles, uint32_t *count,
						   uint32_t *n_bins) PH_MUST_CHECK;

#endif
