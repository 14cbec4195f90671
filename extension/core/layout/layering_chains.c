/*
 * layering_chains.c - boxes, dummies and links of edges over several layers
 * (docs/design/supergraph.md 9, step 2).
 *
 * An edge over d layers has d - 1 dummies of its own, so that its band can be followed. That makes
 * edges * layers of them: more than can be seen, or laid out in time, once there are thousands.
 * Then all edges to one bar share one dummy a layer, which grows where another edge joins: at most
 * bars * layers, and the picture needs less height.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/min_max.h"
#include "layout/layering.h"

/* The input, and what is known of the chains before they are made. */
typedef struct Chains
{
	PhLayering *layering;
	const PhLayeringInput *input;
	uint32_t *n_shared;			  /* per node: dummies that the edges to it share */
	uint32_t next_box, next_link; /* to be made */
} Chains;

static uint32_t
layers_between(const PhLayeringInput *input, uint32_t edge)
{
	const PhLayoutEdge *of = &input->edges[edge];
	return input->layer[of->target] - input->layer[of->source] - 1;
}

/* Shared dummies of each bar: the most layers that one of its edges passes. */
static PhStatus
count_shared(Chains *chains, uint64_t *boxes, uint64_t *links)
{
	const PhLayeringInput *input = chains->input;
	PH_TRY(PH_NEW(chains->layering->arena, input->n_nodes, &chains->n_shared));
	for (uint32_t i = 0; i < input->n_linked; i++)
	{
		uint32_t between = layers_between(input, input->order[i]);
		uint32_t *n_shared = &chains->n_shared[input->edges[input->order[i]].target];
		*n_shared = between > *n_shared ? between : *n_shared;
	}
	*boxes = input->n_nodes;
	for (uint32_t i = 0; i < input->n_nodes; i++)
		*boxes += chains->n_shared[i];
	*links = *boxes - input->n_nodes + input->n_linked;
	return PH_OK;
}

static PhStatus
count_chains(Chains *chains)
{
	PhLayering *layering = chains->layering;
	const PhLayeringInput *input = chains->input;
	uint64_t dummies = 0;
	for (uint32_t i = 0; i < input->n_nodes; i++)
		if (input->layer[i] >= layering->n_layers)
			layering->n_layers = input->layer[i] + 1;
	for (uint32_t i = 0; i < input->n_linked; i++)
		dummies += layers_between(input, input->order[i]);
	uint64_t boxes = input->n_nodes + dummies;
	uint64_t links = input->n_linked + dummies;
	layering->is_shared = dummies > layering->rules.most_dummies;
	if (layering->is_shared)
		PH_TRY(count_shared(chains, &boxes, &links));
	if (boxes >= UINT32_MAX / 4 || links >= UINT32_MAX / 4)
		return ph_fail_hint(layering->arena->env, PH_ERR_LIMIT,
							"Filter the profile or group by a coarser level.",
							"the diagram has too many bands");
	layering->n_real = input->n_nodes;
	layering->n_boxes = (uint32_t) boxes;
	layering->n_links = (uint32_t) links;
	return PH_OK;
}

static void
make_nodes(Chains *chains)
{
	const PhLayeringInput *input = chains->input;
	for (uint32_t i = 0; i < input->n_nodes; i++)
	{
		PhLayeringBox *box = &chains->layering->boxes[i];
		box->layer = input->layer[i];
		box->rank = input->rank[i];
		box->has_previous = isfinite(input->previous[i]);
		box->previous = input->previous[i];
		box->value = input->value[i];
		box->gap = chains->layering->rules.gap;
	}
}

static uint32_t
add_dummy(Chains *chains, uint32_t layer)
{
	PhLayeringBox *dummy = &chains->layering->boxes[chains->next_box];
	dummy->layer = layer;
	dummy->rank = chains->next_box;
	dummy->is_dummy = true;
	dummy->gap = chains->layering->rules.dummy_gap;
	return chains->next_box++;
}

static void
add_link(Chains *chains, const PhLayeringLink *link)
{
	chains->layering->links[chains->next_link++] = *link;
}

/* Dummy k of an edge stays where it was among those of its layer that were there. */
static void
keep_order(const PhLayeringInput *input, uint32_t edge, uint32_t k, PhLayeringBox *dummy)
{
	const PhLayoutOrders *previous = input->dummy_orders;
	if (previous == NULL || k >= previous[edge].n)
		return;
	dummy->previous = previous[edge].orders[k];
	dummy->has_previous = isfinite(dummy->previous);
}

/* The links of one edge, and the dummies that they meet at. */
static void
make_chain(Chains *chains, uint32_t edge)
{
	const PhLayeringInput *input = chains->input;
	PhLayeringBox *boxes = chains->layering->boxes;
	uint32_t source = input->edges[edge].source;
	uint32_t last = input->edges[edge].target;
	uint32_t layer = boxes[source].layer;
	uint32_t k = 0;
	while (source != last)
	{
		uint32_t target = last;
		if (++layer < boxes[last].layer)
		{
			target = add_dummy(chains, layer);
			boxes[target].value = input->weight[edge];
			keep_order(input, edge, k++, &boxes[target]);
		}
		PhLayeringLink link = {edge, last, source, target, input->weight[edge], 0, 0};
		add_link(chains, &link);
		source = target;
	}
}

/* Dummies of all bars, each from left to right, without values; last: the one before the bar. */
static PhStatus
make_shared_dummies(Chains *chains, uint32_t *last)
{
	const PhLayeringInput *input = chains->input;
	for (uint32_t i = 0; i < input->n_nodes; i++)
	{
		uint32_t bar = input->by_rank[i];
		uint32_t end = input->layer[bar];
		for (uint32_t layer = end - chains->n_shared[bar]; layer < end; layer++)
		{
			PH_TRY(ph_env_poll(chains->layering->arena->env));
			last[bar] = add_dummy(chains, layer);
		}
	}
	return PH_OK;
}

/* Every edge to its bar, or to the first dummy on its way; only: per box the edge that joins. */
static PhStatus
make_joins(Chains *chains, const uint32_t *last, uint32_t *only)
{
	const PhLayeringInput *input = chains->input;
	PhLayeringBox *boxes = chains->layering->boxes;
	for (uint32_t i = 0; i < input->n_linked; i++)
	{
		uint32_t edge = input->order[i];
		uint32_t bar = input->edges[edge].target;
		uint32_t between = layers_between(input, edge);
		uint32_t target = between > 0 ? last[bar] + 1 - between : bar;
		PhLayeringLink link = {edge, bar, input->edges[edge].source, target, input->weight[edge],
							   0,	 0};
		PH_TRY(ph_env_poll(chains->layering->arena->env));
		add_link(chains, &link);
		if (target == bar)
			continue;
		only[target] = boxes[target].n_joined++ > 0 ? PH_LAYOUT_SHARED : edge;
		boxes[target].value += link.weight;
	}
	return PH_OK;
}

/* From dummy to dummy and to the bar, with all that has joined so far. */
static PhStatus
make_shared_links(Chains *chains, const uint32_t *last, uint32_t *only)
{
	const PhLayeringInput *input = chains->input;
	PhLayeringBox *boxes = chains->layering->boxes;
	for (uint32_t i = 0; i < input->n_nodes; i++)
	{
		uint32_t bar = input->by_rank[i];
		for (uint32_t k = chains->n_shared[bar]; k > 0; k--)
		{
			uint32_t source = last[bar] + 1 - k;
			uint32_t target = k > 1 ? source + 1 : bar;
			double weight = boxes[source].value;
			PhLayeringLink link = {only[source], bar, source, target, weight, 0, 0};
			PH_TRY(ph_env_poll(chains->layering->arena->env));
			add_link(chains, &link);
			if (target == bar)
				continue;
			only[target] = boxes[target].n_joined++ > 0 ? PH_LAYOUT_SHARED : only[source];
			boxes[target].value += weight;
		}
	}
	return PH_OK;
}

static PhStatus
make_shared(Chains *chains)
{
	PhLayering *layering = chains->layering;
	uint32_t *last, *only;
	PH_TRY(PH_NEW(layering->arena, chains->input->n_nodes, &last));
	PH_TRY(PH_NEW(layering->arena, layering->n_boxes, &only));
	PH_TRY(make_shared_dummies(chains, last));
	PH_TRY(make_joins(chains, last, only));
	return make_shared_links(chains, last, only);
}

static PhStatus
make_chains(Chains *chains)
{
	const PhLayeringInput *input = chains->input;
	chains->next_box = input->n_nodes;
	PH_TRY(PH_NEW(chains->layering->arena, chains->layering->n_links, &chains->layering->links));
	if (chains->layering->is_shared)
		return make_shared(chains);
	for (uint32_t i = 0; i < input->n_linked; i++)
	{
		PH_TRY(ph_env_poll(chains->layering->arena->env));
		make_chain(chains, input->order[i]);
	}
	return PH_OK;
}

PhStatus
ph_lists_make(PhArena *arena, uint32_t n_lists, uint32_t n, const uint32_t *key, PhLists *out)
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
make_all_lists(PhLayering *layering, uint32_t n_edges)
{
	PhArena *arena = layering->arena;
	uint32_t *key;
	uint32_t most = PH_MAX(layering->n_boxes, layering->n_links);
	PH_TRY(PH_NEW(arena, most, &key));
	for (uint32_t i = 0; i < layering->n_links; i++)
		key[i] = layering->links[i].source;
	PH_TRY(ph_lists_make(arena, layering->n_boxes, layering->n_links, key, &layering->out));
	for (uint32_t i = 0; i < layering->n_links; i++)
		key[i] = layering->links[i].target;
	PH_TRY(ph_lists_make(arena, layering->n_boxes, layering->n_links, key, &layering->in));
	for (uint32_t i = 0; i < layering->n_links; i++)
		key[i] = PH_MIN(layering->links[i].edge, n_edges);
	PH_TRY(ph_lists_make(arena, n_edges + 1, layering->n_links, key, &layering->bands));
	for (uint32_t i = 0; i < layering->n_boxes; i++)
		key[i] = layering->boxes[i].layer;
	return ph_lists_make(arena, layering->n_layers, layering->n_boxes, key, &layering->layers);
}

static void
make_ends(PhLayering *layering)
{
	bool counts = layering->rules.counts_crossings;
	for (uint32_t i = 0; i < layering->n_links; i++)
	{
		const PhLayeringLink *out = &layering->links[layering->out.items[i]];
		const PhLayeringLink *in = &layering->links[layering->in.items[i]];
		layering->callees[i] = (PhLayeringEnd){counts ? 1 : out->weight, out->target};
		layering->callers[i] = (PhLayeringEnd){counts ? 1 : in->weight, in->source};
	}
}

static PhStatus
make_room(PhLayering *layering)
{
	PhArena *arena = layering->arena;
	size_t most = PH_MAX(layering->n_boxes, layering->n_links);
	PH_TRY(PH_NEW(arena, layering->n_boxes, &layering->position));
	PH_TRY(PH_NEW(arena, (size_t) layering->n_boxes + 1, &layering->tree));
	PH_TRY(PH_NEW(arena, layering->n_layers, &layering->crossed));
	PH_TRY(PH_NEW(arena, layering->n_layers, &layering->is_moved));
	PH_TRY(PH_NEW(arena, layering->n_links, &layering->callees));
	PH_TRY(PH_NEW(arena, layering->n_links, &layering->callers));
	PH_TRY(PH_NEW(arena, layering->n_links, &layering->ends));
	return PH_NEW(arena, 2 * most, &layering->keys);
}

PhStatus
ph_layering_build(PhLayering *layering, const PhLayeringInput *input)
{
	Chains chains = {.layering = layering, .input = input};
	PH_TRY(count_chains(&chains));
	PH_TRY(PH_NEW(layering->arena, layering->n_boxes, &layering->boxes));
	make_nodes(&chains);
	PH_TRY(make_chains(&chains));
	PH_TRY(make_all_lists(layering, input->n_edges));
	PH_TRY(make_room(layering));
	make_ends(layering);
	return PH_OK;
}
