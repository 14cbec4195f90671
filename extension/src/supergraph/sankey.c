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

#include "supergraph/sankey.h"

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
					errhint("Write it as {\"libmpi\": 0, \"app -> libmpi\": [2, 0]}.")));
}

static bool
is_array(const JsonbValue *item)
{
	return item->type == jbvBinary && JsonContainerIsArray(item->val.binary.data);
}

static double
order_of(const JsonbValue *item)
{
	if (item->type != jbvNumeric)
		refuse_bad_order();
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8, NumericGetDatum(item->val.numeric)));
}

/* An object of numbers and arrays, also where it names what the graph does not have. */
static Jsonb *
parse_orders(const char *json)
{
	Jsonb *object = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json)));
	if (!JB_ROOT_IS_OBJECT(object))
		refuse_bad_order();
	JsonbIterator *iterator = JsonbIteratorInit(&object->root);
	JsonbIteratorToken token;
	JsonbValue item;
	while ((token = JsonbIteratorNext(&iterator, &item, true)) != WJB_DONE)
		if (token == WJB_VALUE && item.type != jbvNumeric && !is_array(&item))
			refuse_bad_order();
	return object;
}

/* The orders in an array, one for each dummy of an edge. */
static PhLayoutOrders
dummy_orders(const JsonbValue *item)
{
	JsonbContainer *array = item->val.binary.data;
	uint32 n = JsonContainerSize(array);
	double *orders = palloc_extended(sizeof(double) * Max(n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < n; i++)
		orders[i] = order_of(getIthJsonbValueFromContainer(array, i));
	return (PhLayoutOrders){n, orders};
}

static const JsonbValue *
find_order(Jsonb *object, const char *key)
{
	JsonbValue name = {.type = jbvString};
	name.val.string.val = (char *) key;
	name.val.string.len = (int) strlen(key);
	return findJsonbValueFromContainer(&object->root, JB_FOBJECT, &name);
}

/* What the older layout does not have keeps NaN and no dummies. */
static void
read_previous(const char *json, const PhSupergraph *graph, PhLayoutNode *nodes,
			  PhLayoutOrders *dummies)
{
	Jsonb *object = parse_orders(json);
	for (uint32 v = 0; v < graph->n_supernodes; v++)
	{
		const JsonbValue *item = find_order(object, graph->supernodes[v].name);
		if (item != NULL && !is_array(item))
			nodes[v].previous_order = order_of(item);
	}
	for (uint32 e = 0; e < graph->n_edges; e++)
	{
		const PhSuperedge *edge = &graph->edges[e];
		char *key = psprintf("%s -> %s", graph->supernodes[edge->source].name,
							 graph->supernodes[edge->target].name);
		const JsonbValue *item = find_order(object, key);
		if (item != NULL && is_array(item))
			dummies[e] = dummy_orders(item);
		pfree(key);
	}
}

static PhLayoutNode *
layout_nodes(PhScratch *scratch, const PhSupergraph *graph, const PhSupergraphMeans *means,
			 const PhSupergraphOthers *others)
{
	PhLayoutNode *nodes = NULL;
	PH_CHECK(&scratch->env,
			 PH_NEW(&scratch->arena, (size_t) graph->n_supernodes + others->n, &nodes));
	for (uint32 i = 0; i < others->n; i++)
		nodes[graph->n_supernodes + i] = (PhLayoutNode){
			others->items[i].name, others->items[i].level, others->items[i].value, NAN};
	for (uint32 v = 0; v < graph->n_supernodes; v++)
		nodes[v] = (PhLayoutNode){graph->supernodes[v].name, graph->supernodes[v].level,
								  means->inclusive[v], NAN};
	return nodes;
}

/* Edges of the graph, then those to others. */
static PhLayoutEdge *
layout_edges(PhScratch *scratch, const PhSupergraph *graph, const PhSupergraphMeans *means,
			 const PhSupergraphOthers *others, uint32 *n_edges)
{
	PhLayoutEdge *edges = NULL;
	PH_CHECK(&scratch->env,
			 PH_NEW(&scratch->arena, (size_t) graph->n_edges + graph->n_supernodes, &edges));
	for (uint32 e = 0; e < graph->n_edges; e++)
		edges[e] = (PhLayoutEdge){graph->edges[e].source, graph->edges[e].target, means->weight[e]};
	*n_edges = graph->n_edges;
	for (uint32 v = 0; others->n > 0 && v < graph->n_supernodes; v++)
		if (others->of[v] != PH_NONE)
			edges[(*n_edges)++] =
				(PhLayoutEdge){v, graph->n_supernodes + others->of[v], means->absorbed[v]};
	return edges;
}

void
ph_sankey_of(PhScratch *scratch, const PhSupergraph *graph, uint32 metric,
			 const PhSupergraphMeans *means, const PhSupergraphOthers *others,
			 const PhSankeyOptions *options, PhLayout *out)
{
	static const PhSupergraphOthers none = {0};
	if (!ph_sankey_can_draw(graph, metric))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("metric \"%s\" cannot be drawn as a Sankey diagram",
					ph_profile_string(graph->profile, graph->profile->metrics[metric].name)),
			 errhint(
				 "Bar heights need a metric that adds up and is never negative; call trees (cct), "
				 "histograms and box plots show ratios.")));
	if (others == NULL)
		others = &none;
	PhLayoutNode *nodes = layout_nodes(scratch, graph, means, others);
	uint32 n_edges = 0;
	PhLayoutEdge *edges = layout_edges(scratch, graph, means, others, &n_edges);
	PhLayoutOptions layout = ph_layout_defaults(options->width, options->height);
	layout.scale_limit = options->scale_limit;
	if (options->previous != NULL)
	{
		PhLayoutOrders *dummies = NULL;
		PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n_edges, &dummies));
		read_previous(options->previous, graph, nodes, dummies);
		layout.previous_dummies = dummies;
	}
	PH_CHECK(&scratch->env,
			 ph_layout_sankey(&scratch->arena, nodes, graph->n_supernodes + others->n, edges,
							  n_edges, &layout, out));
}
