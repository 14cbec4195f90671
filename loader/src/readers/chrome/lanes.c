/*
 * lanes.c - each call to the first lane where it lies within what is open.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/chrome/lanes.h"

static PhStatus
open_span(PhEnv *env, PhCallLanes *lanes, uint32_t number, PhChromeCall *call)
{
	PhLane *lane = &lanes->lanes[number];

	PH_TRY(PH_ROOM(env, &lane->open));
	lane->open.items[lane->open.count++] = (PhOpenSpan){call->begin, call->end};
	lane->n_calls++;
	lane->n_unended += call->end == PH_CALL_OPEN;
	lanes->n_overlapped += number > 0;
	call->lane = number;
	return PH_OK;
}

/* Does the call lie within the lane's innermost open one? Cuts what was rounded, and what has no
 * end. */
static bool
fits(PhCallLanes *lanes, uint32_t number, PhChromeCall *call)
{
	PhOpenSpans *open = &lanes->lanes[number].open;
	int64_t end;

	while (open->count > 0 && ph_span_is_over(&open->items[open->count - 1], call))
		open->count--;
	if (open->count == 0)
		return true;
	end = open->items[open->count - 1].end;
	if (call->end <= end)
		return true;
	if (call->end != PH_CALL_OPEN && call->end - end > PH_LANE_TOLERANCE &&
		number + 1 < PH_MOST_LANES)
		return false;
	lanes->n_cut += call->end != PH_CALL_OPEN;
	call->end = end;
	return true;
}

static PhStatus
place_call(PhEnv *env, PhCallLanes *lanes, PhChromeCall *call)
{
	uint32_t number = 0;

	while (number < lanes->n && !fits(lanes, number, call))
		number++;
	if (number == lanes->n)
		lanes->n++;
	return open_span(env, lanes, number, call);
}

PhStatus
ph_lanes_assign(PhCallLanes *lanes, PhEnv *env, const PhCallRuns *runs, uint32_t thread)
{
	PhCallMerge merge;
	PhChromeCall *call;
	PhStatus status;

	*lanes = (PhCallLanes){0};
	PH_TRY(ph_call_merge_begin(&merge, env, runs, thread));
	status = PH_OK;
	while (status == PH_OK && (call = ph_call_merge_next(&merge)) != NULL)
	{
		status = ph_env_poll(env);
		if (status == PH_OK)
			status = place_call(env, lanes, call);
	}
	ph_call_merge_end(&merge);
	for (uint32_t i = 0; i < PH_MOST_LANES; i++)
		PH_VECTOR_FREE(env, &lanes->lanes[i].open);
	return status;
}
