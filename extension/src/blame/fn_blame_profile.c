/*
 * fn_blame_profile.c - what waiting means for each call path and location, as metrics of a profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "blame/waits.h"
#include "server/compat.h"
#include "trace/tree_profile.h"

/* Of the whole trace: its nodes, columns, time and visits are those that its load stored. */
PH_FUNCTION(ph_blame_profile)
{
	PhTreeCosts costs[PH_UNIT_COST_KINDS];
	PhValue *value = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhBlamedRun *run = ph_blamed_run_on_path(trace);
	if (!ph_blamed_communicates(run))
	{
		ph_trace_end(trace);
		PG_RETURN_NULL();
	}
	PhArena *arena = &trace->scratch->arena;
	PhUnitCostInput input = ph_blamed_cost_input(run);
	PH_CHECK(arena->env, ph_unit_costs_find(arena, &input, costs));
	PhTreeProfile out = {.trace = trace,
						 .tree = run->tree,
						 .window = ph_window_all(),
						 .env = &value->env,
						 .n_costs = PH_UNIT_COST_KINDS,
						 .costs = costs};
	ph_tree_profile_finish(&out, value);
	ph_trace_end(trace);
	PG_RETURN_PH_VALUE(value);
}

PH_FUNCTION(ph_blame_version)
{
	PG_RETURN_INT32(PH_BLAME_VERSION);
}
