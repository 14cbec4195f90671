/*
 * timeline.c - calls of a window of a trace as spans, a bin being a pixel or a few.
 *
 * A row's cells (depth x bin) hold short lists of (region, time). A call is added when it is left,
 * or when its location ends, so that every call counts once however many chunks it spans.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "trace/timeline.h"

#include "base/min_max.h"
#include "base/table.h"
#include "trace/comm.h"

/* Against requests that would take all memory; more than any screen has room for. */
#define MAX_BINS 65536
#define MAX_DEPTH 1024
#define LONG_SPAN 3 /* bins: longer ones are kept apart from the next call of the same region */

/* Time of one region in one cell; a list. */
typedef struct Part
{
	uint32_t region;
	uint32_t next;	  /* index of the next part, PH_NONE at the end */
	uint32_t n_begin; /* calls that begin in this cell */
	int64_t time;
} Part;

struct PhTimeline
{
	PhEnv *env;
	PhTimelineWindow window;
	PhTimeBins bins;
	PhArena arena; /* spans */
	PhTimelineSpan *spans;
	uint32_t n_spans, spans_capacity;
	PhArena row_arena; /* cells and parts of the row */
	uint32_t row, n_locations;
	uint32_t depth_used; /* deepest cell of the row, plus one */
	uint32_t *cells;	 /* max_depth x n_bins first parts; rows of depth_used are valid */
	Part *parts;
	uint32_t n_parts, parts_capacity;
	PhOpenCall *open; /* of the location, after the last chunk */
	uint32_t n_open, open_capacity;
	int64_t last_time;
	bool has_chunk;
};

static PhStatus
check_window(PhEnv *env, const PhTimelineWindow *window)
{
	if (window->to <= window->from || (uint64_t) window->to - (uint64_t) window->from > INT64_MAX)
		return ph_fail(env, PH_ERR_VALUE, "the end of a window must be after its start");
	if (window->n_bins < 1 || window->n_bins > MAX_BINS)
		return ph_fail(env, PH_ERR_VALUE, "bins must be 1 to %d, not %u", MAX_BINS, window->n_bins);
	if (window->max_depth < 1 || window->max_depth > MAX_DEPTH)
		return ph_fail(env, PH_ERR_VALUE, "depth must be 1 to %d, not %u", MAX_DEPTH,
					   window->max_depth);
	return PH_OK;
}

PhStatus
ph_timeline_new(PhEnv *env, const PhTimelineWindow *window, PhTimeline **out)
{
	PhTimeline *timeline;

	PH_TRY(check_window(env, window));
	PH_TRY(ph_env_alloc(env, 1, sizeof(*timeline), (void **) &timeline));
	timeline->env = env;
	timeline->window = *window;
	timeline->bins = (PhTimeBins){window->from, window->to, window->n_bins};
	ph_arena_init(&timeline->arena, env);
	ph_arena_init(&timeline->row_arena, env);
	*out = timeline;
	return PH_OK;
}

void
ph_timeline_free(PhTimeline *timeline)
{
	if (timeline == NULL)
		return;
	ph_arena_drop(&timeline->arena);
	ph_arena_drop(&timeline->row_arena);
	ph_env_free(timeline->env, timeline, 1, sizeof(*timeline));
}

/* ---- rows ---- */

PhStatus
ph_timeline_begin_row(PhTimeline *timeline, uint32_t row)
{
	ph_arena_drop(&timeline->row_arena);
	timeline->row = row;
	timeline->n_locations = 0;
	timeline->depth_used = 0;
	timeline->parts = NULL;
	timeline->n_parts = timeline->parts_capacity = 0;
	timeline->open = NULL;
	timeline->n_open = timeline->open_capacity = 0;
	timeline->has_chunk = false;
	return PH_NEW(&timeline->row_arena,
				  (size_t) timeline->window.max_depth * timeline->window.n_bins, &timeline->cells);
}

static uint32_t *
cell(const PhTimeline *timeline, uint32_t depth, uint32_t bin)
{
	return &timeline->cells[(size_t) depth * timeline->window.n_bins + bin];
}

/* Adds time to a region's part in a cell's list, which is short: a new part goes in front. */
static PhStatus
add_part(PhTimeline *timeline, uint32_t *first, uint32_t region, int64_t time, bool begins)
{
	Part *part;

	for (uint32_t i = *first; i != PH_NONE; i = timeline->parts[i].next)
	{
		part = &timeline->parts[i];
		if (part->region != region)
			continue;
		part->time += time;
		part->n_begin += begins;
		return PH_OK;
	}
	PH_TRY(PH_GROW(&timeline->row_arena, &timeline->parts, timeline->n_parts,
				   &timeline->parts_capacity));
	part = &timeline->parts[timeline->n_parts];
	*part = (Part){.region = region, .next = *first, .n_begin = begins, .time = time};
	*first = timeline->n_parts++;
	return PH_OK;
}

/* Cells start empty when their depth is first used. */
static void
use_depth(PhTimeline *timeline, uint32_t depth)
{
	for (; timeline->depth_used <= depth; timeline->depth_used++)
		for (uint32_t bin = 0; bin < timeline->window.n_bins; bin++)
			*cell(timeline, timeline->depth_used, bin) = PH_NONE;
}

/* A call at a depth, clipped to the window; calls of no length count where they are. */
static PhStatus
add_call(PhTimeline *timeline, uint32_t depth, uint32_t region, int64_t enter, int64_t leave)
{
	const PhTimelineWindow *window = &timeline->window;
	bool begins_inside = enter >= window->from;
	int64_t from = begins_inside ? enter : window->from;
	int64_t to = PH_MIN(leave, window->to), low = from, high;
	uint32_t first, last;

	if (depth >= window->max_depth || enter >= window->to || leave < window->from ||
		(leave == window->from && !begins_inside))
		return PH_OK;
	use_depth(timeline, depth);
	first = ph_bin_of(&timeline->bins, from);
	last = to > from ? ph_bin_of(&timeline->bins, to - 1) : first;
	for (uint32_t bin = first; bin <= last; bin++, low = high)
	{
		high = bin == last ? to : ph_bin_start(&timeline->bins, bin + 1);
		PH_TRY(ph_env_poll(timeline->env));
		PH_TRY(add_part(timeline, cell(timeline, depth, bin), region, high - low, bin == first));
	}
	return PH_OK;
}

static PhStatus
keep_open_calls(PhTimeline *timeline, PhChunkReader *reader)
{
	uint32_t depth;
	const PhOpenCall *open = ph_chunk_open_calls(reader, &depth);

	while (timeline->open_capacity < depth)
		PH_TRY(PH_GROW(&timeline->row_arena, &timeline->open, timeline->open_capacity,
					   &timeline->open_capacity));
	for (uint32_t i = 0; i < depth; i++)
		timeline->open[i] = open[i];
	timeline->n_open = depth;
	return PH_OK;
}

PhStatus
ph_timeline_add_chunk(PhTimeline *timeline, PhChunkReader *reader)
{
	PhEvent event;

	while (ph_chunk_next(reader, &event))
	{
		timeline->last_time = event.time;
		if (event.kind == PH_EVENT_LEAVE)
		{
			uint32_t depth;
			const PhOpenCall *call = ph_chunk_closed_call(reader);

			(void) ph_chunk_open_calls(reader, &depth);
			PH_TRY(add_call(timeline, depth, call->region, call->enter, event.time));
		}
		else
			PH_TRY(ph_env_poll(timeline->env));
	}
	timeline->has_chunk = true;
	return keep_open_calls(timeline, reader);
}

PhStatus
ph_timeline_end_location(PhTimeline *timeline)
{
	int64_t end = timeline->last_time;

	timeline->n_locations++;
	if (!timeline->has_chunk)
		return PH_OK;
	for (uint32_t depth = 0; depth < timeline->n_open; depth++)
		PH_TRY(add_call(timeline, depth, timeline->open[depth].region, timeline->open[depth].enter,
						end));
	timeline->n_open = 0;
	timeline->has_chunk = false;
	return PH_OK;
}

/* ---- spans ---- */

/* The region with most time in a cell, the lower one of equals; PH_NONE: the cell is empty. */
static uint32_t
winner(const PhTimeline *timeline, uint32_t first)
{
	uint32_t best = first;

	for (uint32_t i = first; i != PH_NONE; i = timeline->parts[i].next)
	{
		const Part *part = &timeline->parts[i], *top = &timeline->parts[best];

		if (part->time > top->time || (part->time == top->time && part->region < top->region))
			best = i;
	}
	return best;
}

static PhStatus
put_span(PhTimeline *timeline, const PhTimelineSpan *span, int64_t time)
{
	int64_t width = ph_bin_start(&timeline->bins, span->bin + span->n_bins) -
					ph_bin_start(&timeline->bins, span->bin);
	double area = (double) width * timeline->n_locations;
	PhTimelineSpan *put;

	PH_TRY(
		PH_GROW(&timeline->arena, &timeline->spans, timeline->n_spans, &timeline->spans_capacity));
	put = &timeline->spans[timeline->n_spans++];
	*put = *span;
	put->share = area > 0 ? (float) ((double) time / area) : 0;
	return PH_OK;
}

/* Does the next cell go on with the span? Long calls of one region are kept apart. */
static bool
continues(const PhTimelineSpan *span, uint32_t bin, const Part *part)
{
	if (part == NULL || part->region != span->region || span->bin + span->n_bins != bin)
		return false;
	return part->n_begin == 0 || span->n_bins <= LONG_SPAN;
}

/*
 * Makes spans of one depth of a row: in each bin the region with most time wins, and neighbouring
 * bins of one region are one span, unless long calls are to be told apart.
 */
static PhStatus
put_spans_of_depth(PhTimeline *timeline, uint32_t depth)
{
	PhTimelineSpan span = {.n_bins = 0};
	int64_t time = 0;

	for (uint32_t bin = 0; bin < timeline->window.n_bins; bin++)
	{
		uint32_t best = winner(timeline, *cell(timeline, depth, bin));
		const Part *part = best == PH_NONE ? NULL : &timeline->parts[best];

		PH_TRY(ph_env_poll(timeline->env));
		if (span.n_bins > 0 && !continues(&span, bin, part))
		{
			PH_TRY(put_span(timeline, &span, time));
			span.n_bins = 0;
		}
		if (part == NULL)
			continue;
		if (span.n_bins == 0)
		{
			/* A span that starts with the rest of a call counts that call too. */
			span = (PhTimelineSpan){.row = timeline->row,
									.depth = depth,
									.bin = bin,
									.region = part->region,
									.n_calls = part->n_begin == 0};
			time = 0;
		}
		span.n_bins++;
		span.n_calls += part->n_begin;
		time += part->time;
	}
	return span.n_bins > 0 ? put_span(timeline, &span, time) : PH_OK;
}

PhStatus
ph_timeline_end_row(PhTimeline *timeline)
{
	for (uint32_t depth = 0; depth < timeline->depth_used; depth++)
		PH_TRY(put_spans_of_depth(timeline, depth));
	return PH_OK;
}

const PhTimelineSpan *
ph_timeline_result(const PhTimeline *timeline, uint32_t *count)
{
	*count = timeline->n_spans;
	return timeline->spans;
}
