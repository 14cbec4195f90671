/*
 * barriers.c - see barriers.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/barriers.h"

#include <string.h>

#include "base/min_max.h"

static uint32_t first_location[N_RANKS];
static uint32_t everybody[N_RANKS];

void
barriers_add(CommTrace *trace, uint32_t at, int64_t time, PhEventKind kind, uint32_t region)
{
	PhEvent *event = &trace->events[at][trace->n_events[at]];
	*event = (PhEvent){.time = time,
					   .kind = kind,
					   .region = region,
					   .peer = PH_NONE,
					   .comm = PH_NONE,
					   .root = PH_NONE,
					   .operation = PH_NONE};
	if (kind == PH_EVENT_COLLECTIVE_END)
	{
		event->comm = 0;
		event->operation = PH_COLLECTIVE_BARRIER;
	}
	trace->truth[at][trace->n_events[at]].location = PH_NONE;
	trace->n_events[at]++;
}

static void
define_ranks(CommTrace *trace)
{
	memset(trace, 0, sizeof(*trace));
	for (uint32_t i = 0; i < N_RANKS; i++)
	{
		trace->locations[i] = (PhTraceLocation){.rank = (int32_t) i, .name = "", .host = ""};
		first_location[i] = everybody[i] = i;
	}
	trace->communicators[0] = (PhTraceCommunicator){"world", PH_NONE, true, N_RANKS, everybody};
	trace->model.n_ranks = trace->model.n_locations = N_RANKS;
	trace->model.locations = trace->locations;
	trace->model.communicators = trace->communicators;
	trace->model.n_communicators = 1;
	trace->model.rank_location = first_location;
}

int64_t
barriers_run(BarrierWork work, CommTrace *trace)
{
	int64_t clock = 0;
	define_ranks(trace);
	for (uint32_t at = 0; at < N_RANKS; at++)
		barriers_add(trace, at, clock, PH_EVENT_ENTER, COMM_MAIN);
	for (uint32_t k = 0; k < N_ITERATIONS; k++)
	{
		int64_t slowest = 0;
		for (uint32_t at = 0; at < N_RANKS; at++)
			slowest = PH_MAX(slowest, work[at][k]);
		for (uint32_t at = 0; at < N_RANKS; at++)
		{
			barriers_add(trace, at, clock, PH_EVENT_ENTER, COMM_USER_A);
			barriers_add(trace, at, clock + work[at][k], PH_EVENT_LEAVE, COMM_USER_A);
			barriers_add(trace, at, clock + work[at][k], PH_EVENT_ENTER, COMM_COLLECTIVE);
			barriers_add(trace, at, clock + work[at][k], PH_EVENT_COLLECTIVE_BEGIN,
						 COMM_COLLECTIVE);
			barriers_add(trace, at, clock + slowest + OVERHEAD, PH_EVENT_COLLECTIVE_END,
						 COMM_COLLECTIVE);
			barriers_add(trace, at, clock + slowest + OVERHEAD, PH_EVENT_LEAVE, COMM_COLLECTIVE);
		}
		clock += slowest + OVERHEAD;
	}
	for (uint32_t at = 0; at < N_RANKS; at++)
		barriers_add(trace, at, clock, PH_EVENT_LEAVE, COMM_MAIN);
	return clock;
}

void
barriers_draw(uint64_t seed, BarrierWork work)
{
	Random random = {seed};
	for (uint32_t at = 0; at < N_RANKS; at++)
		for (uint32_t k = 0; k < N_ITERATIONS; k++)
			work[at][k] = 1000 * N_RANKS + (int64_t) random_below(&random, 3000) * N_RANKS;
}

int64_t
barriers_with(BarrierWork work)
{
	int64_t sum = 0;
	for (uint32_t k = 0; k < N_ITERATIONS; k++)
	{
		int64_t slowest = 0;
		for (uint32_t at = 0; at < N_RANKS; at++)
			slowest = PH_MAX(slowest, work[at][k]);
		sum += slowest + OVERHEAD;
	}
	return sum;
}
