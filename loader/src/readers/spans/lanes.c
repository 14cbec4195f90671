/*
 * lanes.c - each call to the first lane where it lies within what is open, or to a free one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/spans/lanes.h"

static PhStatus
open_span(PhEnv *env, PhSpanLanes *lanes, uint32_t number, PhSpanRow *call)
{
	PhLane *lane = &lanes->lanes[number];

	PH_TRY(PH_ROOM(env, &lane->open));
	lane->open.items[lane->open.count++] = (PhOpenSpan){call->begin, call->end};
	lane->n_events++;
	lanes->n_overlapped += number > 0;
	call->track = ph_track_of(call->track) | number << PH_TRACK_BITS;
	return PH_OK;
}

static void
close_spans(PhLane *lane, const PhSpanRow *next, bool is_stream)
{
	PhOpenSpans *open = &lane->open;

	while (open->count > 0 && ph_span_is_over(&open->items[open->count - 1], next, is_stream))
	{
		open->count--;
		lane->n_events++;
	}
}

/* Does the call lie within the lane's innermost open one? Cuts what was rounded, and what has no
 * end. */
static bool
fits(PhSpanLanes *lanes, uint32_t number, PhSpanRow *call)
{
	PhLane *lane = &lanes->lanes[number];
	bool is_last = number + 1 == PH_MOST_LANES;
	int64_t end;

	close_spans(lane, call, lanes->is_stream);
	if (lane->open.count == 0)
		return true;
	if (lanes->is_stream && !is_last)
		return false;
	end = lane->open.items[lane->open.count - 1].end;
	if (call->end <= end)
		return true;
	if (call->end != PH_SPAN_OPEN && call->end - end > lanes->tolerance && !is_last)
		return false;
	lanes->n_cut += call->end != PH_SPAN_OPEN;
	call->end = end;
	return true;
}

static PhStatus
place_call(PhEnv *env, PhSpanLanes *lanes, PhSpanRow *call)
{
	uint32_t number = 0;

	PH_TRY(ph_env_poll(env));
	while (number < lanes->n && !fits(lanes, number, call))
		number++;
	if (number == lanes->n)
		lanes->n++;
	return open_span(env, lanes, number, call);
}

/* What is still open at the end of the track is left then, unless it has no end. */
static void
end_lane(PhEnv *env, PhLane *lane)
{
	for (uint32_t i = 0; i < lane->open.count; i++)
		lane->n_events += lane->open.items[i].end != PH_SPAN_OPEN;
	PH_VECTOR_FREE(env, &lane->open);
}

PhStatus
ph_lanes_assign(PhSpanLanes *lanes, PhEnv *env, const PhSpanRuns *runs, uint32_t track,
				PhSpanNumbered numbered, void *user)
{
	PhSpanMerge merge;
	PhSpanRow *call;
	PhStatus status = PH_OK;

	PH_TRY(ph_span_merge_begin(&merge, env, runs, track));
	while (status == PH_OK && (call = ph_span_merge_next(&merge)) != NULL)
	{
		PhLane *lane;

		status = place_call(env, lanes, call);
		lane = &lanes->lanes[ph_lane_of(call->track)];
		if (status == PH_OK)
			lane->n_events += numbered(user, call, lane->n_events - 1);
	}
	ph_span_merge_end(&merge);
	for (uint32_t i = 0; i < PH_MOST_LANES; i++)
		end_lane(env, &lanes->lanes[i]);
	return status;
}
