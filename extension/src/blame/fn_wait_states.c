/*
 * fn_wait_states.c - waits and delays of a trace as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "blame/edges.h"
#include "blame/waits.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/args.h"

static void
put_thread(PhRows *rows, const PhTraceRun *trace, const char *column, uint32 location)
{
	ph_rows_known(rows, column,
				  location == PH_NONE ? PH_NO_NUMBER : trace->model.locations[location].thread);
}

static void
put_location(PhRows *rows, const PhTraceRun *trace, const char *column, const char *rank_column,
			 uint32 location)
{
	ph_rows_index(rows, column, location);
	ph_rows_known(rows, rank_column,
				  location == PH_NONE ? PH_NO_NUMBER : trace->model.locations[location].rank);
}

static void
put_origin(PhRows *rows, PhBlamedRun *run, const PhWaitOrigin *origin)
{
	const PhDelay *delay = origin->delay == PH_NONE ? NULL : &run->blame.delays[origin->delay];
	put_location(rows, run->trace, "origin", "origin_rank",
				 delay == NULL ? PH_NONE : delay->location);
	put_thread(rows, run->trace, "origin_thread", delay == NULL ? PH_NONE : delay->location);
	ph_rows_text(rows, "origin_region",
				 ph_blamed_region(run, delay == NULL ? PH_NONE : delay->node));
	ph_rows_text(rows, "origin_path", ph_blamed_path(run, delay == NULL ? PH_NONE : delay->node));
	if (delay == NULL)
		ph_rows_null(rows, "origin_share");
	else
		ph_rows_number(rows, "origin_share", (double) origin->share);
}

static const char *
region_name(const PhBlamedRun *run, uint32 region)
{
	return region == PH_NONE ? NULL : ph_trace_region_name(run->trace, region);
}

static void
put_wait(PhRows *rows, PhBlamedRun *run, uint32 index)
{
	const PhWait *wait = &run->waits.waits[index];
	const PhCommLocation *victim = &run->skeleton->locations[wait->victim];
	uint32 awaited = wait->kind == PH_WAIT_IO ? PH_NONE : wait->awaited;
	ph_rows_text(rows, "kind", ph_wait_kind_name(wait->kind));
	put_location(rows, run->trace, "victim", "victim_rank", wait->victim);
	put_thread(rows, run->trace, "victim_thread", wait->victim);
	put_location(rows, run->trace, "awaited", "awaited_rank", awaited);
	put_thread(rows, run->trace, "awaited_thread", awaited);
	ph_rows_text(rows, "region", region_name(run, wait->region));
	ph_rows_text(rows, "path", ph_blamed_path(run, run->wait_nodes[index]));
	ph_rows_text(rows, "awaited_region", region_name(run, wait->awaited_region));
	put_origin(rows, run, &run->blame.origins[index].largest[0]);
	ph_rows_bigint(rows, "t_from", wait->from);
	ph_rows_bigint(rows, "t_to", wait->to);
	ph_rows_bigint(rows, "ns", wait->to - wait->from);
	if (wait->instance == PH_NONE)
		ph_rows_null(rows, "instance");
	else
		ph_rows_bigint(rows, "instance", (int64) wait->instance);
	ph_rows_bigint(rows, "seq", (int64) wait->seq);
	ph_rows_bool(rows, "inferred", wait->is_inferred);
	ph_rows_text(rows, "part", ph_run_part_name(ph_run_part(victim, wait->from)));
	ph_rows_put(rows);
}

static bool
is_asked_for(const PhWait *wait, const PhTraceWindow *window, const bool *wanted)
{
	return wait->passage == PH_NO_PASSAGE && wait->to > window->from && wait->to <= window->to &&
		   (wanted == NULL || wanted[wait->victim]);
}

PH_FUNCTION(ph_trace_wait_states)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhTraceWindow window = ph_arg_times(fcinfo, 1);
	bool *wanted = ph_arg_locations(fcinfo, 3, trace);
	PhBlamedRun *run = ph_blamed_run(trace, &window);
	for (uint32 i = 0; i < run->waits.n; i++)
		if (is_asked_for(&run->waits.waits[i], &window, wanted))
			put_wait(&rows, run, i);
	ph_trace_end(trace);
	return (Datum) 0;
}

PH_FUNCTION(ph_trace_delay_costs)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhTraceWindow window = ph_arg_times(fcinfo, 1);
	PhBlamedRun *run = ph_blamed_run(trace, &window);
	for (uint32 i = 0; i < run->blame.n_delays; i++)
	{
		const PhDelay *delay = &run->blame.delays[i];
		if (delay->short_term + delay->long_term == 0)
			continue; /* of what was never waited for, or rounded to nothing */
		put_location(&rows, trace, "location", "rank", delay->location);
		ph_rows_text(&rows, "region", ph_blamed_region(run, delay->node));
		ph_rows_text(&rows, "path", ph_blamed_path(run, delay->node));
		ph_rows_bigint(&rows, "short_term", delay->short_term);
		ph_rows_bigint(&rows, "long_term", delay->long_term);
		ph_rows_put(&rows);
	}
	ph_trace_end(trace);
	return (Datum) 0;
}

PH_FUNCTION(ph_trace_blame)
{
	PhRows rows;
	const PhBlameEdge *edges;
	uint32 n;
	ph_rows_begin(&rows, fcinfo);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhTraceWindow window = ph_arg_times(fcinfo, 1);
	PhBlamedRun *run = ph_blamed_run(trace, &window);
	PhArena *arena = &trace->scratch->arena;
	PH_CHECK(arena->env,
			 ph_blame_edges(arena, &run->input, &run->blame, run->wait_nodes, &edges, &n));
	for (uint32 i = 0; i < n; i++)
	{
		put_location(&rows, trace, "origin", "origin_rank", edges[i].origin);
		ph_rows_text(&rows, "origin_path", ph_blamed_path(run, edges[i].origin_node));
		put_location(&rows, trace, "victim", "victim_rank", edges[i].victim);
		ph_rows_text(&rows, "victim_path", ph_blamed_path(run, edges[i].victim_node));
		ph_rows_bigint(&rows, "ns", edges[i].ns);
		ph_rows_bigint(&rows, "waits", edges[i].n_waits);
		ph_rows_put(&rows);
	}
	ph_trace_end(trace);
	return (Datum) 0;
}
