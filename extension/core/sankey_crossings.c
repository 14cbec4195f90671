/*
 * sankey_crossings.c - weighted crossings of bands, and exchanges of neighbours that lower them.
 *
 * The total is counted with sums over prefixes (Fenwick): O(links log boxes). What an exchange of
 * two neighbours changes is found from their own bands alone, by merging two sorted lists.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "sankey_internal.h"

#define PH_LEAST_GAIN 1e-12 /* relative to what is compared: below it is rounding */

/* Which end of a link lies in the neighbouring layer. */
typedef enum Side
{
	SIDE_CALLERS,
	SIDE_CALLEES
} Side;

static const PhSankeyLists *
links_of(const PhSankey *sankey, Side side)
{
	return side == SIDE_CALLERS ? &sankey->in : &sankey->out;
}

static uint32_t
far_position(const PhSankey *sankey, Side side, uint32_t link)
{
	const PhSankeyLink *l = &sankey->links[link];
	return sankey->boxes[side == SIDE_CALLERS ? l->source : l->target].position;
}

/* The links of a box by the position of their other end; ties keep the canonical order. */
static void
sort_links(const PhSankey *sankey, Side side, uint32_t box)
{
	const PhSankeyLists *lists = links_of(sankey, side);
	uint32_t *items = lists->items;
	uint32_t first = lists->start[box];
	for (uint32_t i = first + 1; i < lists->start[box + 1]; i++)
	{
		uint32_t link = items[i];
		uint32_t position = far_position(sankey, side, link);
		uint32_t at = i;
		for (; at > first && far_position(sankey, side, items[at - 1]) > position; at--)
			items[at] = items[at - 1];
		items[at] = link;
	}
}

static void
add_weight(double *tree, uint32_t n, uint32_t at, double weight)
{
	for (uint32_t i = at + 1; i <= n; i += i & (0 - i))
		tree[i] += weight;
}

static double
sum_up_to(const double *tree, uint32_t at)
{
	double sum = 0;
	for (uint32_t i = at + 1; i > 0; i -= i & (0 - i))
		sum += tree[i];
	return sum;
}

/* Crossings between a layer and the one after it. */
static PhStatus
layer_crossings(const PhSankey *sankey, uint32_t layer, double *tree, double *out)
{
	uint32_t n = sankey->layers.start[layer + 2] - sankey->layers.start[layer + 1];
	double crossings = 0;
	double before = 0; /* weight of all links of earlier boxes */
	memset(tree, 0, ((size_t) n + 1) * sizeof(*tree));
	for (uint32_t at = sankey->layers.start[layer]; at < sankey->layers.start[layer + 1]; at++)
	{
		uint32_t box = sankey->layers.items[at];
		uint32_t first = sankey->out.start[box];
		uint32_t end = sankey->out.start[box + 1];
		PH_TRY(ph_env_poll(sankey->arena->env));
		for (uint32_t i = first; i < end; i++)
		{
			uint32_t link = sankey->out.items[i];
			double crossed = before - sum_up_to(tree, far_position(sankey, SIDE_CALLEES, link));
			crossings +=
				crossed > before * PH_LEAST_GAIN ? crossed * sankey->links[link].weight : 0;
		}
		for (uint32_t i = first; i < end; i++)
		{
			uint32_t link = sankey->out.items[i];
			double weight = sankey->links[link].weight;
			add_weight(tree, n, far_position(sankey, SIDE_CALLEES, link), weight);
			before += weight;
		}
	}
	*out = crossings;
	return PH_OK;
}

PhStatus
ph_sankey_crossings(const PhSankey *sankey, double *out)
{
	double *tree;
	double total = 0;
	PH_TRY(PH_NEW(sankey->arena, (size_t) sankey->n_boxes + 1, &tree));
	for (uint32_t layer = 0; layer + 1 < sankey->n_layers; layer++)
	{
		double crossings;
		PH_TRY(layer_crossings(sankey, layer, tree, &crossings));
		total += crossings;
	}
	*out = total;
	return PH_OK;
}

/* Crossings of the bands of two boxes on one side with `above` above `below`. Lists are sorted. */
static double
pair_crossings(const PhSankey *sankey, Side side, uint32_t above, uint32_t below)
{
	const PhSankeyLists *lists = links_of(sankey, side);
	uint32_t at = lists->start[below];
	double weight = 0; /* of below's links that end above the current link of above */
	double crossings = 0;
	for (uint32_t i = lists->start[above]; i < lists->start[above + 1]; i++)
	{
		uint32_t link = lists->items[i];
		uint32_t position = far_position(sankey, side, link);
		for (; at < lists->start[below + 1] &&
			   far_position(sankey, side, lists->items[at]) < position;
			 at++)
			weight += sankey->links[lists->items[at]].weight;
		crossings += weight * sankey->links[link].weight;
	}
	return crossings;
}

/* What exchanging a box with the one below would save. */
static double
gain(const PhSankey *sankey, uint32_t above, uint32_t below)
{
	double now = pair_crossings(sankey, SIDE_CALLERS, above, below) +
				 pair_crossings(sankey, SIDE_CALLEES, above, below);
	if (now <= 0)
		return 0;
	double then = pair_crossings(sankey, SIDE_CALLERS, below, above) +
				  pair_crossings(sankey, SIDE_CALLEES, below, above);
	return now - then > (now + then) * PH_LEAST_GAIN ? now - then : 0;
}

static PhStatus
exchange_in_layer(PhSankey *sankey, uint32_t layer, bool *changed)
{
	uint32_t *items = sankey->layers.items;
	uint32_t end = sankey->layers.start[layer + 1];
	for (uint32_t at = sankey->layers.start[layer]; at < end; at++)
	{
		sort_links(sankey, SIDE_CALLERS, items[at]);
		sort_links(sankey, SIDE_CALLEES, items[at]);
	}
	*changed = false;
	for (uint32_t at = sankey->layers.start[layer]; at + 1 < end; at++)
	{
		uint32_t above = items[at];
		uint32_t below = items[at + 1];
		PH_TRY(ph_env_poll(sankey->arena->env));
		if (ph_sankey_is_settled(&sankey->boxes[above], &sankey->boxes[below]) ||
			gain(sankey, above, below) <= 0)
			continue;
		items[at] = below;
		items[at + 1] = above;
		sankey->boxes[below].position--;
		sankey->boxes[above].position++;
		*changed = true;
	}
	return PH_OK;
}

/*
 * Exchange neighbours while that lowers the crossings. A layer is looked at again only after it or
 * a neighbouring layer changed: the others cannot gain.
 */
PhStatus
ph_sankey_exchange(PhSankey *sankey)
{
	bool *look;
	bool again = true;
	PH_TRY(PH_NEW(sankey->arena, (size_t) sankey->n_layers + 2, &look));
	memset(look, true, (size_t) sankey->n_layers + 2);
	while (again)
	{
		again = false;
		for (uint32_t layer = 0; layer < sankey->n_layers; layer++)
		{
			bool changed;
			if (!look[layer + 1]) /* look[0] and the last one stand beside the layers */
				continue;
			PH_TRY(exchange_in_layer(sankey, layer, &changed));
			look[layer + 1] = changed;
			if (changed)
				look[layer] = look[layer + 2] = again = true;
		}
	}
	return PH_OK;
}
