/*
 * fn_supergraph.c - SQL functions that make and refine super graphs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "profile/stored_values.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/number_args.h"
#include "supergraph/legible.h"
#include "supergraph/run_fold.h"

static PhValue *
new_graph(void)
{
	return ph_value_new(PH_VALUE_SUPERGRAPH, CurrentMemoryContext);
}

PH_FUNCTION(ph_supergraph_of)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	PhValue *out = new_graph();
	PhGroupBy by;
	PH_CHECK(&out->env, ph_group_by_parse(&out->env, ph_arg_text(fcinfo, 1), &by));
	PhScratch *scratch = ph_scratch_begin();
	PhModuleMap *map = NULL;
	const char *map_text = ph_arg_text(fcinfo, 2);
	if (map_text != NULL)
		PH_CHECK(&scratch->env, ph_module_map_parse(&scratch->arena, map_text, &map));
	PhValue *given = ph_value_take_packed(PG_GETARG_DATUM(0));
	if (given->profile->n_metrics > 0)
		ph_value_find_means(given, 0); /* weights of segments */
	PH_CHECK(&out->env, ph_supergraph_build(&out->env, given->profile, by, map, &out->graph));
	ph_value_adopt(out, given);
	ph_scratch_end(scratch);
	PG_RETURN_PH_VALUE(out);
}

/* Supernodes of a picture of usual size. */
#define LEGIBLE_SUPERNODES 60

/* Two numbers: the fields of PhLegible. */
PH_FUNCTION(ph_legible_filter)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 1, profile);
	PhScratch *scratch = ph_scratch_begin();
	PhLegibleLimits limits = {.share = PG_ARGISNULL(4) ? NAN : PG_GETARG_FLOAT8(4),
							  .supernodes = LEGIBLE_SUPERNODES,
							  .levels = PG_ARGISNULL(5) ? 0 : (uint32) Max(PG_GETARG_INT32(5), 0)};
	const char *map_text = ph_arg_text(fcinfo, 3);
	PhModuleMap *map = NULL;
	PhGroupBy by;
	PhLegible chosen;
	PH_CHECK(&scratch->env,
			 ph_group_by_parse(&scratch->env, ph_arg_text_or(fcinfo, 2, "module"), &by));
	if (map_text != NULL)
		PH_CHECK(&scratch->env, ph_module_map_parse(&scratch->arena, map_text, &map));
	PH_CHECK(&scratch->env,
			 ph_legible_choose(&scratch->env, profile, metric, by, map, &limits, &chosen));
	ph_scratch_end(scratch);
	const double numbers[] = {chosen.share, chosen.passing};
	PG_RETURN_ARRAYTYPE_P(ph_number_array(numbers, lengthof(numbers)));
}

PH_FUNCTION(ph_legible_profile)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhLegible chosen = {.share = PG_GETARG_FLOAT8(1), .passing = PG_GETARG_FLOAT8(2)};
	uint32 metric = ph_arg_metric(fcinfo, 3, profile);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_legible_apply(&out->env, profile, metric, &chosen, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

/* Null for a graph that has columns of its own. */
PH_FUNCTION(ph_measured)
{
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	PhRunRequest request = {.run_id = PG_GETARG_INT64(1), .all_ranks = true};
	request.metrics = ph_arg_texts(fcinfo, 2, &request.n_metrics);
	if (!ph_profile_is_rolled_up(graph->profile))
		PG_RETURN_NULL();
	PG_RETURN_PH_VALUE(ph_run_fold(&request, graph));
}

PH_FUNCTION(ph_split_by_entry)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	int count = 0;
	char **functions = PG_ARGISNULL(2) ? NULL : ph_arg_texts(fcinfo, 2, &count);
	PhValue *out = new_graph();
	PH_CHECK(&out->env, ph_supergraph_split_entry(&out->env, graph, node, (uint32) count,
												  (const char *const *) functions, &out->graph));
	PG_RETURN_PH_VALUE(out);
}

static bool
parse_by_function(const char *granularity)
{
	if (pg_strcasecmp(granularity, "function") == 0)
		return true;
	if (pg_strcasecmp(granularity, "supernode") == 0)
		return false;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unknown granularity \"%s\"", granularity),
					errhint("Use supernode or function.")));
}

PH_FUNCTION(ph_split_by_caller)
{
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	bool by_function = parse_by_function(ph_arg_text(fcinfo, 2));
	PhValue *out = new_graph();
	PH_CHECK(&out->env,
			 ph_supergraph_split_caller(&out->env, graph, node, by_function, &out->graph));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_split_by_callee)
{
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	PhValue *out = new_graph();
	PH_CHECK(&out->env, ph_supergraph_split_callee(&out->env, graph, node, &out->graph));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_drill_down)
{
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	PhValue *out = new_graph();
	PhGroupBy by;
	PH_CHECK(&out->env, ph_group_by_parse(&out->env, ph_arg_text(fcinfo, 2), &by));
	PH_CHECK(&out->env, ph_supergraph_drill_down(&out->env, graph, node, by, &out->graph));
	PG_RETURN_PH_VALUE(out);
}

static Datum
restricted(const PhSupergraph *graph, const bool *keep)
{
	PhValue *out = new_graph();
	PH_CHECK(&out->env, ph_supergraph_restrict(&out->env, graph, keep, &out->graph));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_restrict_columns)
{
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	return restricted(graph, ph_arg_columns(fcinfo, 1, graph->profile));
}

PH_FUNCTION(ph_restrict_ranks)
{
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	return restricted(graph, ph_arg_rank_columns(fcinfo, 1, graph->profile));
}

PH_FUNCTION(ph_restrict_other_ranks)
{
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	bool *keep = ph_arg_rank_columns(fcinfo, 1, graph->profile);
	bool some = false;
	for (uint32 c = 0; c < graph->profile->n_columns; c++)
	{
		keep[c] = !keep[c];
		some = some || keep[c];
	}
	if (!some)
		ph_refuse_no_columns();
	return restricted(graph, keep);
}

/* Null for a metric whose values have no sign: it is drawn as it is. */
PH_FUNCTION(ph_gross_change)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 1, graph->profile);
	const PhMetric *changed = &graph->profile->metrics[metric];
	if (changed->kind != PH_METRIC_FLOW || !changed->is_signed)
		PG_RETURN_NULL();
	PhValue *out = new_graph();
	PH_CHECK(&out->env, ph_supergraph_gross(&out->env, graph, &out->graph));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_repopulate)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 node = PG_ARGISNULL(1) ? PH_NONE : ph_arg_supernode(fcinfo, 1, graph);
	double share = PG_ARGISNULL(2) ? 0 : PG_GETARG_FLOAT8(2);
	PhValue *out = new_graph();
	PH_CHECK(&out->env, ph_supergraph_repopulate(&out->env, graph, node, share, &out->graph));
	PG_RETURN_PH_VALUE(out);
}
