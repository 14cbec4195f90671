/*
 * fn_path_summary.c - the critical path by call path and location as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "blame/path_summary.h"
#include "blame/waits.h"
#include "server/compat.h"
#include "server/rowio.h"

/* By region: what its calls hold. */
static uint32 *
find_holds(const PhBlamedRun *run)
{
	PhArena *arena = &run->trace->scratch->arena;
	uint32 *holds, n_regions = run->trace->model.n_regions;
	PH_CHECK(arena->env, PH_NEW(arena, n_regions, &holds));
	for (uint32 at = 0; at < run->skeleton->n_locations; at++)
	{
		const PhCommLocation *location = &run->skeleton->locations[at];
		for (uint32 i = 0; i < location->n_calls; i++)
			if (location->calls[i].region < n_regions)
				holds[location->calls[i].region] |= location->holds[i];
	}
	return holds;
}

static void
put_share(PhRows *rows, PhBlamedRun *run, const uint32 *holds, const PhPathShare *share)
{
	uint32 region = ph_trace_tree_region(run->tree, share->node);
	ph_rows_index(rows, "location", share->location);
	ph_rows_known(rows, "rank", run->trace->model.locations[share->location].rank);
	ph_rows_text(rows, "region", ph_blamed_region(run, share->node));
	ph_rows_text(rows, "path", ph_blamed_path(run, share->node));
	ph_rows_text(rows, "kind", ph_path_kind_name(ph_path_kind_of(holds[region])));
	ph_rows_bigint(rows, "ns", share->ns);
	ph_rows_bigint(rows, "imbalance", share->imbalance);
	ph_rows_bigint(rows, "blame", share->blame);
	ph_rows_bigint(rows, "start_up", share->start_up);
	ph_rows_bigint(rows, "shut_down", share->shut_down);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_trace_critical_path_summary)
{
	PhRows rows;
	const PhPathShare *shares;
	uint32 n;
	ph_rows_begin(&rows, fcinfo);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhBlamedRun *run = ph_blamed_run_on_path(trace);
	PhArena *arena = &trace->scratch->arena;
	PhUnitCostInput input = ph_blamed_cost_input(run);
	PH_CHECK(arena->env, ph_path_summary_find(arena, &input, run->skeleton, &shares, &n));
	uint32 *holds = find_holds(run);
	for (uint32 i = 0; i < n; i++)
		put_share(&rows, run, holds, &shares[i]);
	ph_trace_end(trace);
	return (Datum) 0;
}
