/*
 * sankey_chains.c - dummies and links of edges over several layers (docs/design/supergraph.md 9,
 * step 2).
 *
 * An edge over d layers has d - 1 dummies of its own, so that its band can be followed. That makes
 * edges * layers of them: more than can be seen, or laid out in time, once there are thousands.
 * Then all edges to one bar share one dummy a layer, which grows where another edge joins: at most
 * bars * layers, and the picture needs less height.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "layout/sankey_internal.h"

static uint32_t
layers_between(const PhSankeyInput *input, const PhLayoutEdge *edge)
{
	return input->nodes[edge->target].level - input->nodes[edge->source].level - 1;
}

/* Shared dummies of each bar: the most layers that one of its edges passes. */
static PhStatus
count_shared(PhSankey *sankey, PhSankeyInput *input, uint64_t *boxes, uint64_t *links)
{
	PH_TRY(PH_NEW(sankey->arena, input->n_nodes, &input->n_shared));
	for (uint32_t i = 0; i < input->n_edges; i++)
	{
		uint32_t between = layers_between(input, &input->edges[i]);
		uint32_t *n_shared = &input->n_shared[input->edges[i].target];
		*n_shared = between > *n_shared ? between : *n_shared;
	}
	*boxes = input->n_nodes;
	for (uint32_t i = 0; i < input->n_nodes; i++)
		*boxes += input->n_shared[i];
	*links = *boxes - input->n_nodes + input->n_edges;
	return PH_OK;
}

PhStatus
ph_sankey_count_chains(PhSankey *sankey, PhSankeyInput *input)
{
	uint64_t dummies = 0;
	for (uint32_t i = 0; i < input->n_nodes; i++)
		if (input->nodes[i].level >= sankey->n_layers)
			sankey->n_layers = input->nodes[i].level + 1;
	for (uint32_t i = 0; i < input->n_edges; i++)
		dummies += layers_between(input, &input->edges[i]);
	uint64_t boxes = input->n_nodes + dummies;
	uint64_t links = input->n_edges + dummies;
	sankey->is_shared = dummies > sankey->options->most_dummies;
	if (sankey->is_shared)
		PH_TRY(count_shared(sankey, input, &boxes, &links));
	if (boxes >= UINT32_MAX / 4 || links >= UINT32_MAX / 4)
		return ph_fail_hint(sankey->arena->env, PH_ERR_LIMIT,
							"Filter the profile or group by a coarser level.",
							"the diagram has too many bands");
	sankey->n_real = input->n_nodes;
	sankey->n_boxes = (uint32_t) boxes;
	sankey->n_links = (uint32_t) links;
	return PH_OK;
}

/* The next boxes and links to be made. */
typedef struct Next
{
	uint32_t box, link;
} Next;

static uint32_t
add_dummy(PhSankey *sankey, Next *next, uint32_t layer)
{
	PhSankeyBox *dummy = &sankey->boxes[next->box];
	dummy->layer = layer;
	dummy->rank = next->box;
	dummy->dummy = true;
	dummy->gap = sankey->options->dummy_gap;
	return next->box++;
}

static void
add_link(PhSankey *sankey, Next *next, const PhSankeyLink *link)
{
	sankey->links[next->link++] = *link;
}

/*
 * Gives the k-th dummy of an edge the position that it had in an older layout, if it was there: it
 * then keeps its order among the boxes of its layer that have such a position, too.
 */
static void
keep_order(const PhSankey *sankey, uint32_t edge, uint32_t k, PhSankeyBox *dummy)
{
	const PhLayoutOrders *previous = sankey->options->previous_dummies;
	if (previous == NULL || k >= previous[edge].n)
		return;
	dummy->previous = previous[edge].orders[k];
	dummy->has_previous = isfinite(dummy->previous);
}

/* The links of one edge, and the dummies that they meet at. */
static void
make_chain(PhSankey *sankey, const PhSankeyInput *input, uint32_t edge, Next *next)
{
	uint32_t source = input->edges[edge].source;
	uint32_t last = input->edges[edge].target;
	uint32_t layer = sankey->boxes[source].layer;
	uint32_t k = 0;
	while (source != last)
	{
		uint32_t target = last;
		if (++layer < sankey->boxes[last].layer)
		{
			target = add_dummy(sankey, next, layer);
			sankey->boxes[target].value = input->weight[edge];
			keep_order(sankey, edge, k++, &sankey->boxes[target]);
		}
		PhSankeyLink link = {edge, last, source, target, input->weight[edge], 0, 0};
		add_link(sankey, next, &link);
		source = target;
	}
}

/* Dummies of all bars, each from left to right, without values; first: the one before the bar. */
static PhStatus
make_shared_dummies(PhSankey *sankey, const PhSankeyInput *input, Next *next, uint32_t *last)
{
	for (uint32_t i = 0; i < input->n_nodes; i++)
	{
		uint32_t bar = input->by_name[i];
		uint32_t level = input->nodes[bar].level;
		for (uint32_t layer = level - input->n_shared[bar]; layer < level; layer++)
		{
			PH_TRY(ph_env_poll(sankey->arena->env));
			last[bar] = add_dummy(sankey, next, layer);
		}
	}
	return PH_OK;
}

/* Every edge to its bar, or to the first dummy on its way; only: per box the edge that joins. */
static PhStatus
make_joins(PhSankey *sankey, const PhSankeyInput *input, Next *next, const uint32_t *last,
		   uint32_t *only)
{
	for (uint32_t i = 0; i < input->n_edges; i++)
	{
		uint32_t edge = input->order[i];
		uint32_t bar = input->edges[edge].target;
		uint32_t between = layers_between(input, &input->edges[edge]);
		uint32_t target = between > 0 ? last[bar] + 1 - between : bar;
		PhSankeyLink link = {edge, bar, input->edges[edge].source, target, input->weight[edge],
							 0,	   0};
		PH_TRY(ph_env_poll(sankey->arena->env));
		add_link(sankey, next, &link);
		if (target == bar)
			continue;
		only[target] = sankey->boxes[target].n_joined++ > 0 ? PH_LAYOUT_SHARED : edge;
		sankey->boxes[target].value += link.weight;
	}
	return PH_OK;
}

/* From dummy to dummy and to the bar, with all that has joined so far. */
static PhStatus
make_shared_links(PhSankey *sankey, const PhSankeyInput *input, Next *next, const uint32_t *last,
				  uint32_t *only)
{
	for (uint32_t i = 0; i < input->n_nodes; i++)
	{
		uint32_t bar = input->by_name[i];
		for (uint32_t k = input->n_shared[bar]; k > 0; k--)
		{
			uint32_t source = last[bar] + 1 - k;
			uint32_t target = k > 1 ? source + 1 : bar;
			double weight = sankey->boxes[source].value;
			PhSankeyLink link = {only[source], bar, source, target, weight, 0, 0};
			PH_TRY(ph_env_poll(sankey->arena->env));
			add_link(sankey, next, &link);
			if (target == bar)
				continue;
			only[target] = sankey->boxes[target].n_joined++ > 0 ? PH_LAYOUT_SHARED : only[source];
			sankey->boxes[target].value += weight;
		}
	}
	return PH_OK;
}

static PhStatus
make_shared(PhSankey *sankey, const PhSankeyInput *input, Next *next)
{
	uint32_t *last, *only;
	PH_TRY(PH_NEW(sankey->arena, input->n_nodes, &last));
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &only));
	PH_TRY(make_shared_dummies(sankey, input, next, last));
	PH_TRY(make_joins(sankey, input, next, last, only));
	return make_shared_links(sankey, input, next, last, only);
}

PhStatus
ph_sankey_make_chains(PhSankey *sankey, const PhSankeyInput *input)
{
	Next next = {input->n_nodes, 0};
	PH_TRY(PH_NEW(sankey->arena, sankey->n_links, &sankey->links));
	if (sankey->is_shared)
		return make_shared(sankey, input, &next);
	for (uint32_t i = 0; i < input->n_edges; i++)
	{
		PH_TRY(ph_env_poll(sankey->arena->env));
		make_chain(sankey, input, input->order[i], &next);
	}
	return PH_OK;
}
