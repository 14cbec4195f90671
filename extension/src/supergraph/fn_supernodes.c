/*
 * fn_supernodes.c - rows of a super graph: supernodes, edges, entries, members, node graph panel.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "profile/names.h"
#include "profile/stored_values.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "supergraph/supernode_vectors.h"

static void
put_supernode(PhRows *rows, const PhSupergraph *graph, uint32 v, const PhSupergraphMeans *means,
			  const PhExtremes *extremes)
{
	const PhSupernode *node = &graph->supernodes[v];
	double mean = means->inclusive[v];
	bool is_mean = ph_profile_is_rolled_up(graph->profile); /* no units, no extremes */
	bool compares = mean != 0 && graph->profile->n_columns > 1;
	double max = is_mean ? NAN : extremes->inclusive_max[v];
	ph_rows_text(rows, "node", node->name);
	ph_rows_text(rows, "label", node->label);
	ph_rows_int(rows, "duplicate", (int32) node->duplicate);
	ph_rows_int(rows, "level", (int32) node->level);
	ph_rows_number(rows, "inclusive", mean);
	ph_rows_number(rows, "exclusive", means->exclusive[v]);
	ph_rows_number(rows, "absorbed", means->absorbed[v]);
	ph_rows_int(rows, "n_members", (int32) node->n_members);
	ph_rows_int(rows, "n_entries", (int32) node->n_entries);
	ph_rows_number(rows, "source", means->source[v]);
	ph_rows_number(rows, "residual", means->residual[v]);
	ph_rows_number(rows, "inclusive_min", is_mean ? NAN : extremes->inclusive_min[v]);
	ph_rows_number(rows, "inclusive_max", max);
	ph_rows_number(rows, "imbalance_ratio", compares ? max / mean : NAN);
	ph_rows_number(rows, "imbalance_excess", compares ? (max - mean) / mean : NAN);
	ph_rows_number(rows, "exclusive_max", is_mean ? NAN : extremes->exclusive_max[v]);
	ph_rows_bool(rows, "ambiguous", node->ambiguous);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_supernodes)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhValue *value = ph_arg_as_it_is(fcinfo, 0, PH_VALUE_SUPERGRAPH);
	const PhSupergraph *graph = value->graph;
	uint32 metric = ph_arg_metric(fcinfo, 1, graph->profile);
	ph_value_find_means(value, metric);
	PhScratch *scratch = ph_scratch_begin();
	PhSupergraphMeans means;
	PH_CHECK(&scratch->env, ph_supergraph_means(&scratch->arena, graph, metric, &means));
	PhExtremes extremes = ph_supernode_extremes(scratch, value, metric);
	for (uint32 v = 0; v < graph->n_supernodes; v++)
		put_supernode(&rows, graph, v, &means, &extremes);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

/* Edges in byte order of the names of their ends. */
typedef struct NamedEdge
{
	const char *source;
	const char *target;
	double weight;
} NamedEdge;

static int
compare_edges(const void *a, const void *b)
{
	const NamedEdge *x = a;
	const NamedEdge *y = b;
	int order = strcmp(x->source, y->source);
	return order != 0 ? order : strcmp(x->target, y->target);
}

static NamedEdge *
named_edges(const PhSupergraph *graph, const double *weight)
{
	NamedEdge *edges = palloc_extended(sizeof(NamedEdge) * Max(graph->n_edges, 1), MCXT_ALLOC_HUGE);
	for (uint32 e = 0; e < graph->n_edges; e++)
		edges[e] = (NamedEdge){graph->supernodes[graph->edges[e].source].name,
							   graph->supernodes[graph->edges[e].target].name, weight[e]};
	qsort(edges, graph->n_edges, sizeof(NamedEdge), compare_edges);
	return edges;
}

PH_FUNCTION(ph_superedges)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	uint32 metric;
	const PhSupergraph *graph = ph_arg_graph_means(fcinfo, 0, 1, &metric);
	PhScratch *scratch = ph_scratch_begin();
	PhSupergraphMeans means;
	PH_CHECK(&scratch->env, ph_supergraph_means(&scratch->arena, graph, metric, &means));
	const NamedEdge *edges = named_edges(graph, means.weight);
	for (uint32 e = 0; e < graph->n_edges; e++)
	{
		ph_rows_text(&rows, "source", edges[e].source);
		ph_rows_text(&rows, "target", edges[e].target);
		ph_rows_number(&rows, "inclusive", edges[e].weight);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_node_graph_edges)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	uint32 metric;
	const PhSupergraph *graph = ph_arg_graph_means(fcinfo, 0, 1, &metric);
	PhScratch *scratch = ph_scratch_begin();
	PhSupergraphMeans means;
	PH_CHECK(&scratch->env, ph_supergraph_means(&scratch->arena, graph, metric, &means));
	const NamedEdge *edges = named_edges(graph, means.weight);
	double heaviest = 0;
	for (uint32 e = 0; e < graph->n_edges; e++)
		heaviest = Max(heaviest, fabs(edges[e].weight));
	for (uint32 e = 0; e < graph->n_edges; e++)
	{
		double share = heaviest > 0 ? fabs(edges[e].weight) / heaviest : 0;
		ph_rows_text(&rows, "id", psprintf("%s -> %s", edges[e].source, edges[e].target));
		ph_rows_text(&rows, "source", edges[e].source);
		ph_rows_text(&rows, "target", edges[e].target);
		ph_rows_number(&rows, "mainstat", edges[e].weight);
		ph_rows_number(&rows, "thickness", 1 + 9 * share);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

static void
put_entries(PhRows *rows, PhScratch *scratch, const PhSupergraph *graph, uint32 v, uint32 metric,
			bool by_caller)
{
	PhEntryRow *entries = NULL;
	uint32 n = 0;
	PH_CHECK(&scratch->env,
			 ph_supergraph_entries(&scratch->arena, graph, v, metric, by_caller, &entries, &n));
	for (uint32 i = 0; i < n; i++)
	{
		ph_rows_text(rows, "node", graph->supernodes[v].name);
		ph_rows_text(rows, "function", entries[i].function);
		if (by_caller)
		{
			uint32 caller = entries[i].caller_node;
			ph_rows_text(rows, "caller", entries[i].caller);
			ph_rows_text(rows, "caller_node",
						 caller == PH_NONE ? NULL : graph->supernodes[caller].name);
		}
		ph_rows_int(rows, "instances", (int32) entries[i].instances);
		ph_rows_number(rows, "inclusive", entries[i].inclusive);
		ph_rows_put(rows);
	}
}

static Datum
entry_rows(FunctionCallInfo fcinfo, bool by_caller)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 2, graph->profile);
	uint32 first = PG_ARGISNULL(1) ? 0 : ph_arg_supernode(fcinfo, 1, graph);
	uint32 end = PG_ARGISNULL(1) ? graph->n_supernodes : first + 1;
	for (uint32 v = first; v < end; v++)
	{
		PhScratch *scratch = ph_scratch_begin();
		put_entries(&rows, scratch, graph, v, metric, by_caller);
		ph_scratch_end(scratch);
	}
	return (Datum) 0;
}

PH_FUNCTION(ph_entry_functions)
{
	return entry_rows(fcinfo, false);
}

PH_FUNCTION(ph_entry_callers)
{
	return entry_rows(fcinfo, true);
}

PH_FUNCTION(ph_members)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	const PhProfile *profile = graph->profile;
	uint32 metric = ph_arg_metric(fcinfo, 2, profile);
	uint32 wanted = PG_ARGISNULL(1) ? PH_NONE : ph_arg_supernode(fcinfo, 1, graph);
	for (uint32 n = 0; n < profile->n_nodes; n++)
	{
		const PhRegion *region = ph_profile_region(profile, n);
		uint32 v = graph->segments[graph->segment_of[n]].supernode;
		if (wanted != PH_NONE && v != wanted)
			continue;
		ph_rows_text(&rows, "node", graph->supernodes[v].name);
		ph_rows_int(&rows, "cct_node", (int32) n);
		ph_rows_text(&rows, "name", ph_profile_string(profile, region->name));
		ph_rows_text(&rows, "kind", ph_region_kind_name(region->kind));
		ph_rows_name(&rows, "module", ph_node_module(profile, n));
		ph_rows_name(&rows, "file", ph_profile_string(profile, region->file));
		ph_rows_known(&rows, "line", region->line);
		ph_rows_number(&rows, "inclusive", ph_profile_mean(profile, metric, n, PH_COST_INCLUSIVE));
		ph_rows_number(&rows, "exclusive", ph_profile_mean(profile, metric, n, PH_COST_EXCLUSIVE));
		ph_rows_bigint(&rows, "callpath_id", (int64) profile->callpath_id[n]);
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}

PH_FUNCTION(ph_absorbed_paths)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile = ph_value_as_it_is(PG_GETARG_DATUM(0), PH_VALUE_PROFILE)->profile;
	PhScratch *scratch = ph_scratch_begin();
	uint32_t *counts = NULL;
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, profile->n_nodes, &counts));
	PH_CHECK(&scratch->env, ph_profile_absorbed_paths(&scratch->arena, profile, counts));
	for (uint32 node = 0; node < profile->n_nodes; node++)
		if (counts[node] > 0)
		{
			ph_rows_int(&rows, "node", (int32) node);
			ph_rows_int(&rows, "paths", (int32) counts[node]);
			ph_rows_put(&rows);
		}
	ph_scratch_end(scratch);
	return (Datum) 0;
}
