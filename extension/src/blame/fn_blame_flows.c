/*
 * fn_blame_flows.c - who made whom wait, in groups of call paths and blocks of ranks, as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "base/table.h"
#include "blame/flows.h"
#include "blame/waits.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "trace/args.h"

/* As super graphs group by module: where none is known, by library. */
static const char modules_sql[] =
	"WITH rr AS MATERIALIZED (SELECT region_id, module FROM perfhouse.run_region WHERE run_id = $1)"
	" SELECT g.local_id, coalesce(nullif(rr.module, ''), nullif(r.library, ''), g.paradigm, g.name)"
	" FROM perfhouse.trace_region g LEFT JOIN perfhouse.region r USING (region_id)"
	" LEFT JOIN rr ON rr.region_id = g.region_id WHERE g.run_id = $1";

typedef enum FlowGroup
{
	GROUP_BY_PATH,
	GROUP_BY_FUNCTION,
	GROUP_BY_MODULE,
	FLOW_GROUPS
} FlowGroup;

static const char *const group_names[FLOW_GROUPS] = {"path", "function", "module"};

static FlowGroup
arg_group(FunctionCallInfo fcinfo, int argument)
{
	const char *name = ph_arg_text_or(fcinfo, argument, group_names[GROUP_BY_FUNCTION]);
	for (int i = 0; i < FLOW_GROUPS; i++)
		if (strcmp(name, group_names[i]) == 0)
			return (FlowGroup) i;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("waits are not grouped by \"%s\"", name),
					errhint("Group by path, function or module.")));
}

typedef struct FlowGroups
{
	PhBlamedRun *run;
	FlowGroup by;
	const char **modules; /* by region of the trace */
	PhStrings names;
	uint32 *groups; /* by node: its name */
} FlowGroups;

static void
receive_module(void *user, TupleTableSlot *slot)
{
	FlowGroups *groups = user;
	uint32 region = (uint32) ph_slot_int(slot, 0, 0);
	if (region >= groups->run->trace->model.n_regions)
		ph_trace_refuse(groups->run->trace, "it has too many regions");
	groups->modules[region] = ph_slot_text(slot, 1, groups->run->trace->scratch->context);
}

static const char *
name_of_node(const FlowGroups *groups, uint32 node)
{
	if (groups->by == GROUP_BY_PATH)
		return ph_blamed_path(groups->run, node);
	if (groups->by == GROUP_BY_FUNCTION)
		return ph_blamed_region(groups->run, node);
	return groups->modules[ph_trace_tree_region(groups->run->tree, node)];
}

static void
group_nodes(FlowGroups *groups)
{
	PhTraceRun *trace = groups->run->trace;
	PhArena *arena = &trace->scratch->arena;
	uint32 n_nodes = groups->run->input.n_nodes;
	PH_CHECK(arena->env, PH_NEW(arena, n_nodes, &groups->groups));
	PH_CHECK(arena->env, PH_NEW(arena, trace->model.n_regions, &groups->modules));
	PH_CHECK(arena->env, ph_strings_init(&groups->names, arena));
	if (groups->by == GROUP_BY_MODULE)
		ph_query_rows(modules_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0),
					  receive_module, groups);
	for (uint32 node = 0; node < n_nodes; node++)
		PH_CHECK(arena->env, ph_strings_intern(&groups->names, name_of_node(groups, node),
											   &groups->groups[node]));
}

static void
put_side(PhRows *rows, const FlowGroups *groups, bool is_origin, uint32 group,
		 const PhRankBlock *block)
{
	static const char *const columns[2][4] = {
		{"victim", "victim_first", "victim_last", "victim_ranks"},
		{"origin", "origin_first", "origin_last", "origin_ranks"}};
	const char *const *its = columns[is_origin];
	ph_rows_text(rows, its[0], group == PH_NONE ? NULL : groups->names.text[group]);
	ph_rows_known(rows, its[1], block == NULL ? PH_NO_NUMBER : block->first);
	ph_rows_known(rows, its[2], block == NULL ? PH_NO_NUMBER : block->last);
	ph_rows_index(rows, its[3], block == NULL ? PH_NONE : block->n);
}

static void
put_flows(PhRows *rows, const FlowGroups *groups, const PhBlameFlows *flows)
{
	for (uint32 i = 0; i < flows->n; i++)
	{
		const PhBlameFlow *flow = &flows->flows[i];
		put_side(rows, groups, true, flow->origin_group,
				 flow->origin_block == PH_NONE ? NULL : &flows->origin_blocks[flow->origin_block]);
		put_side(rows, groups, false, flow->victim_group,
				 &flows->victim_blocks[flow->victim_block]);
		ph_rows_bigint(rows, "ns", flow->ns);
		ph_rows_bigint(rows, "waits", (int64) flow->n_waits);
		ph_rows_bigint(rows, "inferred", flow->inferred);
		ph_rows_put(rows);
	}
}

static const int32 *
ranks_of(const PhTraceRun *trace)
{
	PhArena *arena = &trace->scratch->arena;
	int32 *ranks;
	PH_CHECK(arena->env, PH_NEW(arena, trace->model.n_locations, &ranks));
	for (uint32 i = 0; i < trace->model.n_locations; i++)
		ranks[i] = trace->model.locations[i].rank;
	return ranks;
}

static uint32
arg_blocks(FunctionCallInfo fcinfo, int argument)
{
	int32 blocks = PG_ARGISNULL(argument) ? PG_INT32_MAX : PG_GETARG_INT32(argument);
	if (blocks < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("ranks make at least one block, not %d", blocks)));
	return (uint32) blocks;
}

PH_FUNCTION(ph_blame_flows_of_run)
{
	PhRows rows;
	PhBlameFlows flows;
	FlowGroups groups = {.by = arg_group(fcinfo, 3)};
	PhFlowInput input = {.most_blocks = arg_blocks(fcinfo, 4)};
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace =
		ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS | PH_TRACE_COMMUNICATORS);
	PhTraceWindow window = ph_arg_times(fcinfo, 1);
	PhArena *arena = &trace->scratch->arena;
	groups.run = ph_blamed_run(trace, &window);
	PH_CHECK(arena->env, ph_blame_edges(arena, &groups.run->input, &groups.run->blame,
										groups.run->wait_nodes, &input.edges, &input.n_edges));
	group_nodes(&groups);
	input.groups = groups.groups;
	input.n_locations = trace->model.n_locations;
	input.ranks = ranks_of(trace);
	PH_CHECK(arena->env, ph_blame_flows(arena, &input, &flows));
	put_flows(&rows, &groups, &flows);
	ph_trace_end(trace);
	return (Datum) 0;
}
