/*
 * sankey.c - from a super graph to the numbers that the layout takes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "sankey.h"

bool
ph_sankey_can_draw(const PhSupergraph *graph, uint32 metric)
{
	const PhMetric *m = &graph->profile->metrics[metric];
	return m->kind == PH_METRIC_FLOW && !m->is_signed;
}

static void
refuse_bad_order(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("previous layout must be a JSON object of supernodes and their order"),
					errhint("Write it as {\"libmpi\": 0, \"app\": 1}.")));
}

/* Order of the nodes that the older layout has; the others keep NaN. */
static void
read_previous(const char *json, const PhSupergraph *graph, PhLayoutNode *nodes)
{
	Jsonb *object = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json)));
	if (!JB_ROOT_IS_OBJECT(object))
		refuse_bad_order();
	JsonbIterator *iterator = JsonbIteratorInit(&object->root);
	JsonbIteratorToken token;
	JsonbValue item;
	uint32 node = PH_NONE;
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
			node = ph_supergraph_find(graph, pnstrdup(item.val.string.val, item.val.string.len));
		else if (token == WJB_VALUE && item.type != jbvNumeric)
			refuse_bad_order();
		else if (token == WJB_VALUE && node != PH_NONE)
			nodes[node].previous_order = DatumGetFloat8(
				DirectFunctionCall1(numeric_float8, NumericGetDatum(item.val.numeric)));
	}
}

static PhLayoutNode *
layout_nodes(PhScratch *scratch, const PhSupergraph *graph, const PhSupergraphMeans *means)
{
	PhLayoutNode *nodes = NULL;
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, graph->n_supernodes, &nodes));
	for (uint32 v = 0; v < graph->n_supernodes; v++)
		nodes[v] = (PhLayoutNode){graph->supernodes[v].name, graph->supernodes[v].level,
								  means->inclusive[v], NAN};
	return nodes;
}

void
ph_sankey_of(PhScratch *scratch, const PhSupergraph *graph, uint32 metric,
			 const PhSupergraphMeans *means, const PhSankeyOptions *options, PhLayout *out)
{
	if (!ph_sankey_can_draw(graph, metric))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("metric \"%s\" cannot be drawn as a Sankey diagram",
						ph_profile_string(graph->profile, graph->profile->metrics[metric].name)),
				 errhint("Bar heights need a metric that adds up and is never negative.")));
	PhLayoutNode *nodes = layout_nodes(scratch, graph, means);
	PhLayoutEdge *edges = NULL;
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, graph->n_edges, &edges));
	for (uint32 e = 0; e < graph->n_edges; e++)
		edges[e] = (PhLayoutEdge){graph->edges[e].source, graph->edges[e].target, means->weight[e]};
	if (options->previous != NULL)
		read_previous(options->previous, graph, nodes);
	PhLayoutOptions layout = ph_layout_defaults(options->width, options->height);
	layout.scale_limit = options->scale_limit;
	PH_CHECK(&scratch->env, ph_sankey_layout(&scratch->arena, nodes, graph->n_supernodes, edges,
											 graph->n_edges, &layout, out));
}
