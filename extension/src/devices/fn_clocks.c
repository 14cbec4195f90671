/*
 * fn_clocks.c - how far apart the clocks of ranks are, as collectives of their devices tell.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "devices/rank_clocks.h"
#include "devices/stored.h"
#include "server/compat.h"
#include "server/rowio.h"

/* The collective kernels of a trace. */
static PhClockKernel *
collective_kernels(const PhStoredActivities *stored, uint32 *n)
{
	const PhTraceModel *model = &stored->trace->model;
	PhClockKernel *kernels;
	*n = 0;
	PH_CHECK(stored->env, PH_NEW(stored->arena, stored->activities.list.count, &kernels));
	for (uint32 i = 0; i < stored->activities.list.count; i++)
	{
		const PhDeviceActivity *activity = &stored->activities.list.items[i];
		int32_t rank = model->locations[activity->location].rank;
		if (rank >= 0 && stored->kinds[activity->region] == PH_ACTIVITY_COMMUNICATION)
			kernels[(*n)++] = (PhClockKernel){
				(uint32) rank, (uint64) activity->region << 32 | (activity->communicator + 1),
				activity->start, activity->end};
	}
	return kernels;
}

static void
put_clock(PhRows *rows, const PhRankClock *clock, uint32 rank)
{
	ph_rows_int(rows, "rank", (int32) rank);
	ph_rows_int(rows, "reference", (int32) clock->reference);
	ph_rows_bigint(rows, "collectives", clock->n);
	ph_rows_bigint(rows, "early", clock->n_early);
	/* the other way round than what is to be added */
	ph_rows_bigint(rows, "ahead", -clock->offset);
	ph_rows_number(rows, "drift", clock->drift == 0 ? 0 : -1e6 * clock->drift);
	ph_rows_bigint(rows, "error", clock->error);
	ph_rows_bigint(rows, "worst", clock->worst);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_gpu_clocks)
{
	PhRows rows;
	PhStoredActivities stored;
	PhRankClocks clocks;
	uint32 n;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	ph_stored_activities_begin(fcinfo, PH_ACTIVITY_WANT_BYTES, &stored);
	PhClockKernel *kernels = collective_kernels(&stored, &n);
	PH_CHECK(stored.env,
			 ph_rank_clocks_find(stored.arena, kernels, n, stored.trace->model.n_ranks, &clocks));
	for (uint32 rank = 0; rank < clocks.n_ranks; rank++)
		if (clocks.ranks[rank].reference != PH_NONE)
			put_clock(&rows, &clocks.ranks[rank], rank);
	ph_stored_activities_end(&stored);
	return (Datum) 0;
}
