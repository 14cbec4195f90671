/*
 * sankey_settle.c - y of the boxes: least squares of the bands' slopes (supergraph.md 9, step 6).
 *
 * The sum of weight * (difference of the ports' heights)^2 is minimised layer by layer, exactly:
 * with z = y - (gaps and heights above), the order and the gaps mean that z does not decrease, so
 * the best z comes from pooling adjacent violators, then clipping into the free room. Layers take
 * turns until nothing moves; no step raises the sum.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "sankey_internal.h"

#define PH_MOST_SWEEPS 200
#define PH_LEAST_MOVE 0.01 /* pixels */

/*
 * Boxes that move as one. A box without bands weighs nothing: it stays, or moves with the others.
 * (Two such boxes never want to pass each other, as they are in order where they are.)
 */
typedef struct Pool
{
	double weight;
	double sum; /* weight * wanted z */
	double own; /* z of the first box, for a pool without bands */
	uint32_t n;
} Pool;

typedef struct Settling
{
	PhSankey *sankey;
	Pool *pools;
	double *offset; /* per position in a layer: gaps and heights above */
	double *was;	/* per box: y before the sweep */
} Settling;

static double
pool_value(const Pool *pool)
{
	return pool->weight > 0 ? pool->sum / pool->weight : pool->own;
}

/* Where the bands of a box pull it, as a pool of one; offset is what lies above. */
static Pool
wanted(const PhSankey *sankey, uint32_t box, double offset)
{
	Pool pool = {0, 0, sankey->boxes[box].y - offset, 1};
	for (uint32_t i = sankey->out.start[box]; i < sankey->out.start[box + 1]; i++)
	{
		const PhSankeyLink *link = &sankey->links[sankey->out.items[i]];
		double y = sankey->boxes[link->target].y + link->target_port - link->source_port;
		pool.weight += link->weight;
		pool.sum += link->weight * (y - offset);
	}
	for (uint32_t i = sankey->in.start[box]; i < sankey->in.start[box + 1]; i++)
	{
		const PhSankeyLink *link = &sankey->links[sankey->in.items[i]];
		double y = sankey->boxes[link->source].y + link->source_port - link->target_port;
		pool.weight += link->weight;
		pool.sum += link->weight * (y - offset);
	}
	return pool;
}

static uint32_t
pool_violators(Pool *pools, uint32_t n)
{
	while (n > 1 && pool_value(&pools[n - 2]) > pool_value(&pools[n - 1]))
	{
		Pool *to = &pools[n - 2];
		const Pool *from = &pools[--n];
		to->weight += from->weight;
		to->sum += from->sum;
		to->n += from->n;
	}
	return n;
}

static PhStatus
settle_layer(Settling *settling, uint32_t layer)
{
	PhSankey *sankey = settling->sankey;
	const uint32_t *items = &sankey->layers.items[sankey->layers.start[layer]];
	uint32_t n = sankey->layers.start[layer + 1] - sankey->layers.start[layer];
	uint32_t n_pools = 0;
	double taken = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(sankey->arena->env));
		taken += sankey->boxes[items[i]].gap;
		settling->offset[i] = taken;
		taken += sankey->boxes[items[i]].height;
		settling->pools[n_pools] = wanted(sankey, items[i], settling->offset[i]);
		n_pools = pool_violators(settling->pools, n_pools + 1);
	}
	double room = fmax(sankey->height - taken, 0);
	uint32_t at = 0;
	for (uint32_t pool = 0; pool < n_pools; pool++)
	{
		double z = fmin(fmax(pool_value(&settling->pools[pool]), 0), room);
		for (uint32_t i = 0; i < settling->pools[pool].n; i++, at++)
			sankey->boxes[items[at]].y = settling->offset[at] + z;
	}
	return PH_OK;
}

static double
objective(const PhSankey *sankey)
{
	double sum = 0;
	for (uint32_t i = 0; i < sankey->n_links; i++)
	{
		const PhSankeyLink *link = &sankey->links[i];
		double slope = sankey->boxes[link->source].y + link->source_port -
					   sankey->boxes[link->target].y - link->target_port;
		sum += link->weight * slope * slope;
	}
	return sum;
}

/* All boxes as high as their gaps allow. */
static void
stack_boxes(PhSankey *sankey)
{
	for (uint32_t layer = 0; layer < sankey->n_layers; layer++)
	{
		double y = 0;
		for (uint32_t at = sankey->layers.start[layer]; at < sankey->layers.start[layer + 1]; at++)
		{
			PhSankeyBox *box = &sankey->boxes[sankey->layers.items[at]];
			box->y = y + box->gap;
			y = box->y + box->height;
		}
	}
}

static PhStatus
settle_all(Settling *settling, bool forward, double *moved)
{
	PhSankey *sankey = settling->sankey;
	*moved = 0;
	for (uint32_t box = 0; box < sankey->n_boxes; box++)
		settling->was[box] = sankey->boxes[box].y;
	for (uint32_t i = 0; i < sankey->n_layers; i++)
		PH_TRY(settle_layer(settling, forward ? i : sankey->n_layers - 1 - i));
	for (uint32_t box = 0; box < sankey->n_boxes; box++)
		*moved = fmax(*moved, fabs(sankey->boxes[box].y - settling->was[box]));
	return PH_OK;
}

PhStatus
ph_sankey_settle(PhSankey *sankey)
{
	Settling settling = {sankey, NULL, NULL, NULL};
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &settling.pools));
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &settling.offset));
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &settling.was));
	PH_TRY(PH_NEW(sankey->arena, PH_MOST_SWEEPS + 1, &sankey->objective));
	stack_boxes(sankey);
	sankey->n_sweeps = 0;
	sankey->objective[0] = objective(sankey);
	for (double moved = INFINITY; moved >= PH_LEAST_MOVE && sankey->n_sweeps < PH_MOST_SWEEPS;)
	{
		PH_TRY(settle_all(&settling, sankey->n_sweeps % 2 == 0, &moved));
		double sum = objective(sankey);
		if (sum > sankey->objective[sankey->n_sweeps]) /* only rounding is left to win */
		{
			for (uint32_t box = 0; box < sankey->n_boxes; box++)
				sankey->boxes[box].y = settling.was[box];
			return PH_OK;
		}
		sankey->objective[++sankey->n_sweeps] = sum;
	}
	return PH_OK;
}
