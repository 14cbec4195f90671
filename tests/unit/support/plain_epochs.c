/*
 * plain_epochs.c - see plain_epochs.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/plain_epochs.h"

#include "support/skeleton.h"
#include "support/window_program.h"

static uint32_t
region_around(const CommTrace *trace, uint32_t at, uint32_t seq)
{
	return trace->events[at][enclosing_call(trace, at, seq)].region;
}

static int64_t
entered(const CommTrace *trace, uint32_t at, uint32_t seq)
{
	return trace->events[at][enclosing_call(trace, at, seq)].time;
}

static int64_t
left(const CommTrace *trace, uint32_t at, uint32_t seq)
{
	return call_leave(trace, at, enclosing_call(trace, at, seq));
}

bool
plain_is_with(const CommTrace *trace, uint32_t at, uint32_t seq, uint32_t rank)
{
	const PhEvent *event = &trace->events[at][seq];
	if (event->kind != PH_EVENT_RMA || event->operation != PH_RECORD_RMA_GROUP_SYNC ||
		event->n_values < 3)
		return false;
	const PhTraceCommunicator *group = &trace->communicators[event->values[2]];
	for (uint32_t i = 0; i < group->n_members; i++)
		if (group->members[i] == rank)
			return true;
	return false;
}

static bool
is_epoch(const CommTrace *trace, uint32_t at, uint32_t seq, uint32_t region, uint32_t window,
		 uint32_t with)
{
	return plain_is_with(trace, at, seq, with) && trace->events[at][seq].comm == window &&
		   region_around(trace, at, seq) == region;
}

/* The record of another rank that is as far in its list as this one: of calls of one function. */
static uint32_t
counterpart(const CommTrace *trace, uint32_t at, uint32_t seq, uint32_t other, WindowRegion region)
{
	uint32_t k = 0, window = trace->events[at][seq].comm, own = region_around(trace, at, seq);
	for (uint32_t i = 0; i < seq; i++)
		k += is_epoch(trace, at, i, own, window, other);
	for (uint32_t i = 0; i < trace->n_events[other]; i++)
		if (is_epoch(trace, other, i, region, window, at) && k-- == 0)
			return i;
	return PH_NONE;
}

/* Did starting wait for the post? Then it lasted until that. */
static bool
start_waited(const CommTrace *trace, uint32_t at, uint32_t complete, uint32_t other, uint32_t post)
{
	uint32_t k = 0, window = trace->events[at][complete].comm;
	for (uint32_t i = 0; i < complete; i++)
		k += is_epoch(trace, at, i, WINDOW_COMPLETE, window, other);
	for (uint32_t i = 0; i < trace->n_events[at]; i++)
		if (is_epoch(trace, at, i, WINDOW_START, window, other) && k-- == 0)
			return left(trace, at, i) >= entered(trace, other, post);
	return false;
}

uint32_t
plain_signal(const CommTrace *trace, uint32_t at, uint32_t seq, uint32_t other)
{
	if (!plain_is_with(trace, at, seq, other))
		return PH_NONE;
	uint32_t region = region_around(trace, at, seq);
	if (region == WINDOW_POST)
		return PH_NONE;
	WindowRegion of = region == WINDOW_WAIT ? WINDOW_COMPLETE : WINDOW_POST;
	uint32_t signal = counterpart(trace, at, seq, other, of);
	if (signal == PH_NONE || left(trace, at, seq) < entered(trace, other, signal))
		return PH_NONE;
	if (region == WINDOW_COMPLETE && start_waited(trace, at, seq, other, signal))
		return PH_NONE;
	return signal;
}

bool
plain_is_lonely(const CommTrace *trace, uint32_t at, uint32_t seq, uint32_t other)
{
	static const WindowRegion others[] = {[WINDOW_POST] = WINDOW_START,
										  [WINDOW_START] = WINDOW_POST,
										  [WINDOW_COMPLETE] = WINDOW_WAIT,
										  [WINDOW_WAIT] = WINDOW_COMPLETE};
	uint32_t region = region_around(trace, at, seq);
	uint32_t found = counterpart(trace, at, seq, other, others[region]);
	if (found == PH_NONE || region == WINDOW_POST || region == WINDOW_START)
		return found == PH_NONE;
	return region == WINDOW_WAIT ? left(trace, at, seq) < entered(trace, other, found)
								 : left(trace, other, found) < entered(trace, at, seq);
}
