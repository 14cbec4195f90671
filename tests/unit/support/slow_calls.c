/*
 * slow_calls.c - see slow_calls.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/slow_calls.h"

#include <stdlib.h>

/* The end of the call entered by event `enter`, by counting. */
static uint32_t
find_leave(const RandomStream *stream, uint32_t enter)
{
	int depth = 0;
	for (uint32_t i = enter; i < stream->n_events; i++)
	{
		depth += stream->events[i].kind == PH_EVENT_ENTER;
		depth -= stream->events[i].kind == PH_EVENT_LEAVE;
		if (depth == 0)
			return i;
	}
	return PH_NONE;
}

SlowCall *
slow_calls(const RandomStream *stream, uint32_t *n)
{
	SlowCall *calls = calloc(stream->n_events, sizeof(SlowCall));
	uint32_t innermost = PH_NONE;
	*n = 0;
	for (uint32_t i = 0; i < stream->n_events; i++)
	{
		const PhEvent *event = &stream->events[i];
		if (event->kind == PH_EVENT_LEAVE)
			innermost = calls[innermost].parent;
		if (event->kind != PH_EVENT_ENTER)
			continue;
		uint32_t leave = find_leave(stream, i);
		calls[*n] = (SlowCall){.region = event->region, .parent = innermost, .seq = i};
		calls[*n].depth = innermost == PH_NONE ? 0 : calls[innermost].depth + 1;
		calls[*n].enter = event->time;
		calls[*n].is_open = leave == PH_NONE;
		calls[*n].end = stream->events[leave == PH_NONE ? stream->n_events - 1 : leave].time;
		innermost = (*n)++;
	}
	return calls;
}

static int64_t
near_event(RandomNumbers *numbers, const RandomStream *stream)
{
	uint32_t i = numbers_below(numbers, stream->n_events);
	int64_t time = stream->events[i].time + (int64_t) numbers_below(numbers, 5) - 2;
	if (i > 0 && numbers_below(numbers, 4) == 0)
		time = stream->events[i - 1].time / 2 + stream->events[i].time / 2;
	return time < 0 ? 0 : time;
}

SlowWindow
random_window(RandomNumbers *numbers, const RandomStream *stream)
{
	SlowWindow window = {INT64_MIN, INT64_MAX};
	if (numbers_below(numbers, 4) > 0)
		window.from = near_event(numbers, stream);
	if (numbers_below(numbers, 4) > 0)
		window.to = near_event(numbers, stream);
	if (window.from > window.to && numbers_below(numbers, 10) > 0)
	{
		int64_t from = window.to;
		window.to = window.from;
		window.from = from;
	}
	return window;
}

bool
slow_is_in(const SlowCall *call, SlowWindow window)
{
	return window.from < window.to && call->enter < window.to && call->end >= window.from;
}

int64_t
slow_overlap(const SlowCall *call, SlowWindow window)
{
	int64_t begin = call->enter > window.from ? call->enter : window.from;
	int64_t end = call->end < window.to ? call->end : window.to;
	return end > begin ? end - begin : 0;
}

int64_t
slow_exclusive(const SlowCall *calls, uint32_t n, uint32_t call, SlowWindow window)
{
	int64_t exclusive = slow_overlap(&calls[call], window);
	for (uint32_t i = 0; i < n; i++)
		if (calls[i].parent == call)
			exclusive -= slow_overlap(&calls[i], window);
	return exclusive;
}
