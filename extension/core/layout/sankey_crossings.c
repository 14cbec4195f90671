/*
 * sankey_crossings.c - weighted crossings of bands, and exchanges of neighbours that lower them.
 *
 * The total is counted with sums over prefixes (Fenwick): O(links log boxes). What an exchange of
 * two neighbours changes is found from their own bands alone, by merging two sorted lists.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "layout/sankey_internal.h"

#define PH_LEAST_GAIN 1e-12		/* relative to what is compared: below it is rounding */
#define PH_EXCHANGE_WORK 300000 /* links to look at in a large diagram */

/* Which end of a link lies in the neighbouring layer. */
typedef enum Side
{
	SIDE_CALLERS,
	SIDE_CALLEES
} Side;

/* The other ends of the links of a box. */
typedef struct Ends
{
	const PhSankeyEnd *first, *end;
} Ends;

static Ends
ends_of(const PhSankey *sankey, Side side, uint32_t box)
{
	const PhSankeyEnd *ends = side == SIDE_CALLERS ? sankey->callers : sankey->callees;
	const uint32_t *start = side == SIDE_CALLERS ? sankey->in.start : sankey->out.start;
	return (Ends){ends + start[box], ends + start[box + 1]};
}

/* By the position of the other end; ties keep their order. */
static void
sort_ends(PhSankey *sankey, Side side, uint32_t box)
{
	PhSankeyEnd *all = side == SIDE_CALLERS ? sankey->callers : sankey->callees;
	const uint32_t *start = side == SIDE_CALLERS ? sankey->in.start : sankey->out.start;
	PhSankeyEnd *ends = all + start[box];
	uint32_t n = start[box + 1] - start[box];
	if (n < 2)
		return;
	for (uint32_t i = 0; i < n; i++)
		sankey->keys[i] = (PhSankeyKey){sankey->position[ends[i].box], i};
	if (!ph_sankey_sort_keys(sankey, n))
		return;
	memcpy(sankey->ends, ends, n * sizeof(*ends));
	for (uint32_t i = 0; i < n; i++)
		ends[i] = sankey->ends[sankey->keys[i].index];
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
layer_crossings(PhSankey *sankey, uint32_t layer, double *out)
{
	double *tree = sankey->tree;
	uint32_t n = sankey->layers.start[layer + 2] - sankey->layers.start[layer + 1];
	double crossings = 0;
	double before = 0; /* weight of all links of earlier boxes */
	memset(tree, 0, ((size_t) n + 1) * sizeof(*tree));
	for (uint32_t at = sankey->layers.start[layer]; at < sankey->layers.start[layer + 1]; at++)
	{
		Ends ends = ends_of(sankey, SIDE_CALLEES, sankey->layers.items[at]);
		PH_TRY(ph_env_poll(sankey->arena->env));
		for (const PhSankeyEnd *end = ends.first; end < ends.end; end++)
		{
			double crossed = before - sum_up_to(tree, sankey->position[end->box]);
			crossings += crossed > before * PH_LEAST_GAIN ? crossed * end->weight : 0;
		}
		for (const PhSankeyEnd *end = ends.first; end < ends.end; end++)
		{
			add_weight(tree, n, sankey->position[end->box], end->weight);
			before += end->weight;
		}
	}
	*out = crossings;
	return PH_OK;
}

PhStatus
ph_sankey_crossings(PhSankey *sankey, double *out)
{
	double total = 0;
	for (uint32_t layer = 0; layer + 1 < sankey->n_layers; layer++)
	{
		if (sankey->is_moved[layer] || sankey->is_moved[layer + 1])
			PH_TRY(layer_crossings(sankey, layer, &sankey->crossed[layer]));
		total += sankey->crossed[layer];
	}
	memset(sankey->is_moved, false, sankey->n_layers * sizeof(*sankey->is_moved));
	*out = total;
	return PH_OK;
}

/* Crossings of the bands of two boxes on one side with `above` above `below`. Ends are sorted. */
static double
pair_crossings(const PhSankey *sankey, Side side, uint32_t above, uint32_t below)
{
	Ends upper = ends_of(sankey, side, above);
	Ends lower = ends_of(sankey, side, below);
	double weight = 0; /* of below's links that end above the current link of above */
	double crossings = 0;
	for (; upper.first < upper.end; upper.first++)
	{
		uint32_t position = sankey->position[upper.first->box];
		for (; lower.first < lower.end && sankey->position[lower.first->box] < position;
			 lower.first++)
			weight += lower.first->weight;
		crossings += weight * upper.first->weight;
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

/* work: grows by the links looked at. */
static PhStatus
exchange_in_layer(PhSankey *sankey, uint32_t layer, bool *changed, uint64_t *work)
{
	uint32_t *items = sankey->layers.items;
	uint32_t end = sankey->layers.start[layer + 1];
	for (uint32_t at = sankey->layers.start[layer]; at < end; at++)
	{
		uint32_t box = items[at];
		sort_ends(sankey, SIDE_CALLERS, box);
		sort_ends(sankey, SIDE_CALLEES, box);
		*work += sankey->in.start[box + 1] - sankey->in.start[box];
		*work += sankey->out.start[box + 1] - sankey->out.start[box];
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
		sankey->position[below]--;
		sankey->position[above]++;
		sankey->is_moved[layer] = *changed = true;
	}
	return PH_OK;
}

/*
 * Exchange neighbours while that lowers the crossings. A layer is looked at again only after it or
 * a neighbouring layer changed: the others cannot gain. In a large diagram a box may have far to
 * go, one place a time, so the work ends when that many links have been looked at.
 */
PhStatus
ph_sankey_exchange(PhSankey *sankey)
{
	bool *look;
	bool again = true;
	uint64_t work = 0;
	uint64_t most = PH_EXCHANGE_WORK + 2 * (uint64_t) sankey->n_links;
	PH_TRY(PH_NEW(sankey->arena, (size_t) sankey->n_layers + 2, &look));
	memset(look, true, (size_t) sankey->n_layers + 2);
	while (again)
	{
		again = false;
		for (uint32_t layer = 0; layer < sankey->n_layers && work < most; layer++)
		{
			bool changed;
			if (!look[layer + 1]) /* look[0] and the last one stand beside the layers */
				continue;
			PH_TRY(exchange_in_layer(sankey, layer, &changed, &work));
			look[layer + 1] = changed;
			if (changed)
				look[layer] = look[layer + 2] = again = true;
		}
	}
	return PH_OK;
}
