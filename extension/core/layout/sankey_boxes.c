/*
 * sankey_boxes.c - the bars of a diagram and the weights of its edges, checked.
 *
 * Where the edges of a bar weigh more than the bar itself (residuals; heights that are maxima),
 * they are drawn scaled to fit, so that both ends of every band lie within their bars.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "layout/sankey_internal.h"

#define PH_FIT_ROUNDING 1e-9

static PhStatus
check_nodes(PhEnv *env, const PhSankeyInput *input)
{
	for (uint32_t i = 0; i < input->n_nodes; i++)
	{
		const PhLayoutNode *node = &input->nodes[i];
		PH_TRY(ph_env_poll(env));
		if (!(node->value >= 0) || isinf(node->value))
			return ph_fail(env, PH_ERR_VALUE, "bar \"%.100s\" has the height %g", node->name,
						   node->value);
		if (node->level >= input->n_nodes)
			return ph_fail(env, PH_ERR_VALUE, "bar \"%.100s\" is at level %u of %u", node->name,
						   node->level, input->n_nodes);
	}
	return PH_OK;
}

static PhStatus
check_edges(PhEnv *env, const PhSankeyInput *input)
{
	for (uint32_t i = 0; i < input->n_edges; i++)
	{
		const PhLayoutEdge *edge = &input->edges[i];
		PH_TRY(ph_env_poll(env));
		if (edge->source >= input->n_nodes || edge->target >= input->n_nodes)
			return ph_fail(env, PH_ERR_VALUE, "edge %u joins bars that do not exist", i);
		if (input->nodes[edge->source].level >= input->nodes[edge->target].level)
			return ph_fail(env, PH_ERR_VALUE, "the edge from \"%.100s\" to \"%.100s\" goes back",
						   input->nodes[edge->source].name, input->nodes[edge->target].name);
		if (!(edge->weight >= 0) || isinf(edge->weight))
			return ph_fail(env, PH_ERR_VALUE, "the edge from \"%.100s\" to \"%.100s\" weighs %g",
						   input->nodes[edge->source].name, input->nodes[edge->target].name,
						   edge->weight);
	}
	return PH_OK;
}

static PhStatus
check_options(PhEnv *env, const PhLayoutOptions *options)
{
	const double sizes[] = {options->width,		options->height, options->bar_width,
							options->min_gap_x, options->gap,	 options->dummy_gap};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!(sizes[i] >= 0) || isinf(sizes[i]))
			return ph_fail(env, PH_ERR_VALUE, "a size of %g pixels is impossible", sizes[i]);
	if (!(options->width > 0) || !(options->height > 0))
		return ph_fail_hint(env, PH_ERR_VALUE, "Give a width and a height in pixels.",
							"a picture of %g x %g pixels is impossible", options->width,
							options->height);
	if (isnan(options->exponent) || isnan(options->scale_limit) || options->scale_limit < 0)
		return ph_fail(env, PH_ERR_VALUE, "bad exponent or limit of the scale");
	return PH_OK;
}

static int
compare_nodes(const void *context, uint32_t x, uint32_t y)
{
	const PhSankeyInput *input = context;
	int order = strcmp(input->nodes[x].name, input->nodes[y].name);
	return order != 0 ? order : (x < y ? -1 : x > y);
}

static int
compare_edges(const void *context, uint32_t x, uint32_t y)
{
	const PhSankeyInput *input = context;
	const uint32_t *rank = input->rank;
	uint32_t a = rank[input->edges[x].source];
	uint32_t b = rank[input->edges[y].source];
	if (a == b)
	{
		a = rank[input->edges[x].target];
		b = rank[input->edges[y].target];
	}
	if (a == b)
		return x < y ? -1 : x > y;
	return a < b ? -1 : 1;
}

static PhStatus
canonize(PhArena *arena, PhSankeyInput *input)
{
	PH_TRY(ph_sort_indices(arena, input->n_nodes, compare_nodes, input, &input->by_name));
	PH_TRY(PH_NEW(arena, input->n_nodes, &input->rank));
	for (uint32_t i = 0; i < input->n_nodes; i++)
		input->rank[input->by_name[i]] = i;
	return ph_sort_indices(arena, input->n_edges, compare_edges, input, &input->order);
}

/* How much the edges of a side must shrink. */
static double
fit(double value, double sum)
{
	return sum > value * (1 + PH_FIT_ROUNDING) ? value / sum : 1;
}

/*
 * The weight with which each edge is drawn: shrunk by as much as the more crowded of its two bars
 * asks for, so that no bar's edges exceed it on either side.
 */
static PhStatus
fit_weights(PhArena *arena, PhSankeyInput *input)
{
	double *out, *in;
	PH_TRY(PH_NEW(arena, input->n_nodes, &out));
	PH_TRY(PH_NEW(arena, input->n_nodes, &in));
	PH_TRY(PH_NEW(arena, input->n_edges, &input->weight));
	for (uint32_t i = 0; i < input->n_edges; i++)
	{
		const PhLayoutEdge *edge = &input->edges[input->order[i]];
		out[edge->source] += edge->weight;
		in[edge->target] += edge->weight;
	}
	for (uint32_t i = 0; i < input->n_edges; i++)
	{
		const PhLayoutEdge *edge = &input->edges[i];
		double source = fit(input->nodes[edge->source].value, out[edge->source]);
		double target = fit(input->nodes[edge->target].value, in[edge->target]);
		input->weight[i] = edge->weight * (source < target ? source : target);
	}
	return PH_OK;
}

static void
make_bars(PhSankey *sankey, const PhSankeyInput *input)
{
	for (uint32_t i = 0; i < input->n_nodes; i++)
	{
		PhSankeyBox *box = &sankey->boxes[i];
		box->layer = input->nodes[i].level;
		box->rank = input->rank[i];
		box->has_previous = isfinite(input->nodes[i].previous_order);
		box->previous = input->nodes[i].previous_order;
		box->value = input->nodes[i].value;
		box->gap = sankey->options->gap;
	}
}

/* n items into lists by key; counting keeps the order of the items. */
static PhStatus
make_lists(PhArena *arena, uint32_t n_lists, uint32_t n, const uint32_t *key, PhSankeyLists *out)
{
	uint32_t *next;
	PH_TRY(PH_NEW(arena, (size_t) n_lists + 1, &out->start));
	PH_TRY(PH_NEW(arena, n_lists, &next));
	PH_TRY(PH_NEW(arena, n, &out->items));
	for (uint32_t i = 0; i < n; i++)
		out->start[key[i] + 1]++;
	for (uint32_t list = 0; list < n_lists; list++)
	{
		out->start[list + 1] += out->start[list];
		next[list] = out->start[list];
	}
	for (uint32_t i = 0; i < n; i++)
		out->items[next[key[i]]++] = i;
	return PH_OK;
}

static PhStatus
make_all_lists(PhSankey *sankey, uint32_t n_edges)
{
	uint32_t *key;
	uint32_t most = sankey->n_boxes > sankey->n_links ? sankey->n_boxes : sankey->n_links;
	PH_TRY(PH_NEW(sankey->arena, most, &key));
	for (uint32_t i = 0; i < sankey->n_links; i++)
		key[i] = sankey->links[i].source;
	PH_TRY(make_lists(sankey->arena, sankey->n_boxes, sankey->n_links, key, &sankey->out));
	for (uint32_t i = 0; i < sankey->n_links; i++)
		key[i] = sankey->links[i].target;
	PH_TRY(make_lists(sankey->arena, sankey->n_boxes, sankey->n_links, key, &sankey->in));
	for (uint32_t i = 0; i < sankey->n_links; i++)
		key[i] = sankey->links[i].edge < n_edges ? sankey->links[i].edge : n_edges;
	PH_TRY(make_lists(sankey->arena, n_edges + 1, sankey->n_links, key, &sankey->bands));
	for (uint32_t i = 0; i < sankey->n_boxes; i++)
		key[i] = sankey->boxes[i].layer;
	return make_lists(sankey->arena, sankey->n_layers, sankey->n_boxes, key, &sankey->layers);
}

static void
make_ends(PhSankey *sankey)
{
	for (uint32_t i = 0; i < sankey->n_links; i++)
	{
		const PhSankeyLink *out = &sankey->links[sankey->out.items[i]];
		const PhSankeyLink *in = &sankey->links[sankey->in.items[i]];
		sankey->callees[i] = (PhSankeyEnd){out->weight, out->target};
		sankey->callers[i] = (PhSankeyEnd){in->weight, in->source};
	}
}

static PhStatus
make_room(PhSankey *sankey)
{
	PhArena *arena = sankey->arena;
	size_t most = sankey->n_boxes > sankey->n_links ? sankey->n_boxes : sankey->n_links;
	PH_TRY(PH_NEW(arena, sankey->n_boxes, &sankey->position));
	PH_TRY(PH_NEW(arena, (size_t) sankey->n_boxes + 1, &sankey->tree));
	PH_TRY(PH_NEW(arena, sankey->n_layers, &sankey->crossed));
	PH_TRY(PH_NEW(arena, sankey->n_layers, &sankey->is_moved));
	PH_TRY(PH_NEW(arena, sankey->n_links, &sankey->callees));
	PH_TRY(PH_NEW(arena, sankey->n_links, &sankey->callers));
	PH_TRY(PH_NEW(arena, sankey->n_links, &sankey->ends));
	return PH_NEW(arena, 2 * most, &sankey->keys);
}

PhStatus
ph_sankey_make_boxes(PhSankey *sankey, const PhLayoutNode *nodes, uint32_t n_nodes,
					 const PhLayoutEdge *edges, uint32_t n_edges)
{
	PhSankeyInput input = {.nodes = nodes, .n_nodes = n_nodes, .edges = edges, .n_edges = n_edges};
	PH_TRY(check_options(sankey->arena->env, sankey->options));
	PH_TRY(check_nodes(sankey->arena->env, &input));
	PH_TRY(check_edges(sankey->arena->env, &input));
	PH_TRY(canonize(sankey->arena, &input));
	PH_TRY(fit_weights(sankey->arena, &input));
	PH_TRY(ph_sankey_count_chains(sankey, &input));
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &sankey->boxes));
	make_bars(sankey, &input);
	PH_TRY(ph_sankey_make_chains(sankey, &input));
	PH_TRY(make_all_lists(sankey, n_edges));
	PH_TRY(make_room(sankey));
	make_ends(sankey);
	return PH_OK;
}
