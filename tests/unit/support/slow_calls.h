/*
 * slow_calls.h - the calls of a random stream the slow way, as a reference for analyses.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_SLOW_CALLS_H
#define SUPPORT_SLOW_CALLS_H

#include "support/random_trace.h"

typedef struct SlowCall
{
	uint32_t region, depth;
	uint32_t parent; /* index of the call around it; PH_NONE */
	uint32_t seq;
	int64_t enter, end; /* end of an open call: the last event */
	bool is_open;
} SlowCall;

/* All calls in order of seq; free() them. */
SlowCall *slow_calls(const RandomStream *stream, uint32_t *n);

/* A window that begins and ends near events, or is open at a side. */
typedef struct SlowWindow
{
	int64_t from, to;
} SlowWindow;

SlowWindow random_window(RandomNumbers *numbers, const RandomStream *stream);

bool slow_is_in(const SlowCall *call, SlowWindow window);

/* ns of the call within the window, with those that it calls. */
int64_t slow_overlap(const SlowCall *call, SlowWindow window);

/* The same without those that it calls. */
int64_t slow_exclusive(const SlowCall *calls, uint32_t n, uint32_t call, SlowWindow window);

#endif
