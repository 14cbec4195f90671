/*
 * sankey_settle.c - y of the boxes: least squares of the bands' slopes (docs/design/supergraph.md
 * 9, step 6).
 *
 * The sum of weight * (difference of the ports' heights)^2 is minimised layer by layer, exactly:
 * with z = y - (gaps and heights above), the order and the gaps mean that z does not decrease, so
 * the best z comes from pooling adjacent violators, then clipping into the free room. Layers take
 * turns until nothing moves; no step raises the sum. Large diagrams stop after a number of sweeps
 * that keeps the work linear: what later sweeps would win is spread over many layers and not seen.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "layout/sankey_internal.h"

#define PH_MOST_SWEEPS 200
#define PH_LEAST_SWEEPS 12
#define PH_SETTLE_WORK 800000 /* links to look at in all sweeps of a large diagram */
#define PH_LEAST_MOVE 0.01	  /* pixels */

/*
 * Neighbours of a layer that are moved as one, because each wanted to pass the one below (pool
 * adjacent violators): z is the weighted mean of what they want. A box without bands has weight 0
 * and wants to stay; it joins a pool when a neighbour is pushed against it. Two such boxes never
 * violate the order between them, as they stay where they are in order.
 */
typedef struct Pool
{
	double z;
	double weight;
	uint32_t n;
} Pool;

/*
 * One band of a box: the slot of the box at its other end, and the band's share of the weights of
 * all bands of this box.
 */
typedef struct Pull
{
	double share;
	uint32_t slot;
} Pull;

/*
 * A band as a term of the sum that is minimised: weight * slope^2, where slope = z of source - z of
 * target + drop, and drop is what offsets and ports contribute, which do not change.
 */
typedef struct Slope
{
	double weight, drop;
	uint32_t source, target; /* slots */
} Slope;

/*
 * Everything by slot: the boxes in the order of their layers, so that what is done to a layer runs
 * through memory. A box wants to be at wanted + sum of share * z of its neighbours.
 */
typedef struct Settling
{
	PhSankey *sankey;
	double *z, *was;
	double *offset; /* gaps and heights above in the layer */
	double *weight; /* of all links */
	double *wanted;
	double *room; /* per layer: largest z */
	uint32_t *start;
	Pull *pulls; /* of a slot: pulls[start[slot]..start[slot + 1]) */
	Slope *slopes;
	Pool *pools;
	double moved; /* farthest in a sweep */
} Settling;

/* fmin and fmax without their care for NaN, which costs a call. */
static inline double
smaller(double x, double y)
{
	return x < y ? x : y;
}

static inline double
larger(double x, double y)
{
	return x > y ? x : y;
}

static PhStatus
new_settling(PhSankey *sankey, Settling *settling)
{
	PhArena *arena = sankey->arena;
	settling->sankey = sankey;
	PH_TRY(PH_NEW(arena, sankey->n_boxes, &settling->z));
	PH_TRY(PH_NEW(arena, sankey->n_boxes, &settling->was));
	PH_TRY(PH_NEW(arena, sankey->n_boxes, &settling->offset));
	PH_TRY(PH_NEW(arena, sankey->n_boxes, &settling->weight));
	PH_TRY(PH_NEW(arena, sankey->n_boxes, &settling->wanted));
	PH_TRY(PH_NEW(arena, sankey->n_layers, &settling->room));
	PH_TRY(PH_NEW(arena, (size_t) sankey->n_boxes + 1, &settling->start));
	PH_TRY(PH_NEW(arena, 2 * (size_t) sankey->n_links, &settling->pulls));
	PH_TRY(PH_NEW(arena, sankey->n_links, &settling->slopes));
	return PH_NEW(arena, sankey->n_boxes, &settling->pools);
}

/*
 * All boxes as high as their gaps allow: z = 0. In large diagrams, where few sweeps follow, in the
 * middle of the room instead, so that they do not hang from the top.
 */
static void
stack_boxes(Settling *settling)
{
	const PhSankey *sankey = settling->sankey;
	for (uint32_t layer = 0; layer < sankey->n_layers; layer++)
	{
		double taken = 0;
		for (uint32_t at = sankey->layers.start[layer]; at < sankey->layers.start[layer + 1]; at++)
		{
			const PhSankeyBox *box = &sankey->boxes[sankey->layers.items[at]];
			settling->offset[at] = taken + box->gap;
			taken = settling->offset[at] + box->height;
		}
		settling->room[layer] = larger(sankey->height - taken, 0);
		for (uint32_t at = sankey->layers.start[layer];
			 sankey->is_shared && at < sankey->layers.start[layer + 1]; at++)
			settling->z[at] = settling->room[layer] / 2;
	}
}

static uint32_t
slot_of(const PhSankey *sankey, uint32_t box)
{
	return sankey->layers.start[sankey->boxes[box].layer] + sankey->position[box];
}

static void
make_slopes(Settling *settling)
{
	const PhSankey *sankey = settling->sankey;
	for (uint32_t i = 0; i < sankey->n_links; i++)
	{
		const PhSankeyLink *link = &sankey->links[i];
		Slope *slope = &settling->slopes[i];
		slope->weight = link->weight;
		slope->source = slot_of(sankey, link->source);
		slope->target = slot_of(sankey, link->target);
		slope->drop = settling->offset[slope->source] + link->source_port -
					  settling->offset[slope->target] - link->target_port;
		settling->weight[slope->source] += link->weight;
		settling->weight[slope->target] += link->weight;
	}
}

static void
add_pull(Settling *settling, uint32_t slot, uint32_t at, const Slope *slope)
{
	bool is_source = slope->source == slot;
	double share = settling->weight[slot] > 0 ? slope->weight / settling->weight[slot] : 0;
	settling->pulls[at] = (Pull){share, is_source ? slope->target : slope->source};
	settling->wanted[slot] += is_source ? -share * slope->drop : share * slope->drop;
}

static void
make_pulls(Settling *settling)
{
	const PhSankey *sankey = settling->sankey;
	uint32_t n = 0;
	for (uint32_t slot = 0; slot < sankey->n_boxes; slot++)
	{
		uint32_t box = sankey->layers.items[slot];
		settling->start[slot] = n;
		for (uint32_t i = sankey->out.start[box]; i < sankey->out.start[box + 1]; i++)
			add_pull(settling, slot, n++, &settling->slopes[sankey->out.items[i]]);
		for (uint32_t i = sankey->in.start[box]; i < sankey->in.start[box + 1]; i++)
			add_pull(settling, slot, n++, &settling->slopes[sankey->in.items[i]]);
	}
	settling->start[sankey->n_boxes] = n;
}

/* Where the bands of a box pull it, as a pool of one. */
static Pool
wanted(const Settling *settling, uint32_t slot)
{
	if (settling->weight[slot] <= 0)
		return (Pool){settling->z[slot], 0, 1};
	double z = settling->wanted[slot];
	for (uint32_t i = settling->start[slot]; i < settling->start[slot + 1]; i++)
		z += settling->pulls[i].share * settling->z[settling->pulls[i].slot];
	return (Pool){z, settling->weight[slot], 1};
}

static uint32_t
pool_violators(Pool *pools, uint32_t n)
{
	while (n > 1 && pools[n - 2].z > pools[n - 1].z)
	{
		Pool *to = &pools[n - 2];
		const Pool *from = &pools[--n];
		double weight = to->weight + from->weight;
		if (weight > 0)
			to->z += (from->z - to->z) * (from->weight / weight);
		to->weight = weight;
		to->n += from->n;
	}
	return n;
}

/*
 * Moves the boxes of a layer to the best heights while all other layers stay: pools of adjacent
 * violators over the heights that their bands want, each then clipped into the free room. This is
 * the exact minimum over the layer, so the objective cannot rise.
 */
static PhStatus
settle_layer(Settling *settling, uint32_t layer)
{
	const PhSankey *sankey = settling->sankey;
	uint32_t slot = sankey->layers.start[layer];
	uint32_t n_pools = 0;
	for (uint32_t at = slot; at < sankey->layers.start[layer + 1]; at++)
	{
		PH_TRY(ph_env_poll(sankey->arena->env));
		settling->pools[n_pools] = wanted(settling, at);
		n_pools = pool_violators(settling->pools, n_pools + 1);
	}
	for (uint32_t pool = 0; pool < n_pools; pool++)
	{
		double z = smaller(larger(settling->pools[pool].z, 0), settling->room[layer]);
		for (uint32_t i = 0; i < settling->pools[pool].n; i++, slot++)
		{
			settling->moved = larger(settling->moved, fabs(z - settling->z[slot]));
			settling->z[slot] = z;
		}
	}
	return PH_OK;
}

static double
objective(const Settling *settling)
{
	double sum = 0;
	for (uint32_t i = 0; i < settling->sankey->n_links; i++)
	{
		const Slope *slope = &settling->slopes[i];
		double dy = settling->z[slope->source] - settling->z[slope->target] + slope->drop;
		sum += slope->weight * dy * dy;
	}
	return sum;
}

static PhStatus
settle_all(Settling *settling, bool forward)
{
	const PhSankey *sankey = settling->sankey;
	settling->moved = 0;
	if (sankey->n_boxes > 0)
		memcpy(settling->was, settling->z, sankey->n_boxes * sizeof(*settling->was));
	for (uint32_t i = 0; i < sankey->n_layers; i++)
		PH_TRY(settle_layer(settling, forward ? i : sankey->n_layers - 1 - i));
	return PH_OK;
}

static uint32_t
most_sweeps(const PhSankey *sankey)
{
	uint32_t most = PH_SETTLE_WORK / (sankey->n_links + 1);
	if (most > PH_MOST_SWEEPS)
		return PH_MOST_SWEEPS;
	return most < PH_LEAST_SWEEPS ? PH_LEAST_SWEEPS : most;
}

/* Sweeps until nothing moves, or the sum only changes by rounding, or enough work is done. */
static PhStatus
run_sweeps(Settling *settling)
{
	PhSankey *sankey = settling->sankey;
	uint32_t most = most_sweeps(sankey);
	sankey->n_sweeps = 0;
	sankey->objective[0] = objective(settling);
	settling->moved = PH_LEAST_MOVE;
	while (settling->moved >= PH_LEAST_MOVE && sankey->n_sweeps < most)
	{
		PH_TRY(settle_all(settling, sankey->n_sweeps % 2 == 0));
		double sum = objective(settling);
		if (sum > sankey->objective[sankey->n_sweeps])
		{
			memcpy(settling->z, settling->was, sankey->n_boxes * sizeof(*settling->z));
			return PH_OK;
		}
		sankey->objective[++sankey->n_sweeps] = sum;
	}
	return PH_OK;
}

PhStatus
ph_sankey_settle(PhSankey *sankey)
{
	Settling settling;
	PH_TRY(new_settling(sankey, &settling));
	PH_TRY(PH_NEW(sankey->arena, PH_MOST_SWEEPS + 1, &sankey->objective));
	stack_boxes(&settling);
	make_slopes(&settling);
	make_pulls(&settling);
	PH_TRY(run_sweeps(&settling));
	for (uint32_t slot = 0; slot < sankey->n_boxes; slot++)
		sankey->boxes[sankey->layers.items[slot]].y = settling.offset[slot] + settling.z[slot];
	return PH_OK;
}
