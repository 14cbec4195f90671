/*
 * layering_settle.c - y of the boxes: least squares of the bands' slopes (docs/design/supergraph.md
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

#include "base/min_max.h"
#include "base/sort.h"
#include "layout/layering.h"

#define PH_MOST_SWEEPS 200
#define PH_LEAST_SWEEPS 12
#define PH_SETTLE_WORK 800000 /* links to look at in all sweeps of a large diagram */
#define PH_LEAST_MOVE 0.01	  /* pixels */

/* ---- ports ---- */

void
ph_layering_sum(const PhLayering *layering, uint32_t layer, double *gaps, double *values)
{
	*gaps = *values = 0;
	for (uint32_t at = layering->layers.start[layer]; at < layering->layers.start[layer + 1]; at++)
	{
		const PhLayeringBox *box = &layering->boxes[layering->layers.items[at]];
		*gaps += box->gap;
		*values += box->value;
	}
}

/* Links by the position of the box at their other end; ties keep the canonical order. */
static int
compare_ports(const PhLayering *layering, uint32_t x, uint32_t y, bool of_callers)
{
	const PhLayeringLink *a = &layering->links[x];
	const PhLayeringLink *b = &layering->links[y];
	uint32_t a_at = layering->position[of_callers ? a->source : a->target];
	uint32_t b_at = layering->position[of_callers ? b->source : b->target];
	if (a_at != b_at)
		return a_at < b_at ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int
compare_targets(const void *context, uint32_t x, uint32_t y)
{
	return compare_ports(context, x, y, false);
}

static int
compare_sources(const void *context, uint32_t x, uint32_t y)
{
	return compare_ports(context, x, y, true);
}

static PhStatus
sort_ports(const PhLayering *layering, const PhLists *lists, uint32_t box, uint32_t *buffer,
		   PhCompareFunction compare)
{
	uint32_t first = lists->start[box];
	return ph_sort(layering->arena->env, lists->items + first, lists->start[box + 1] - first,
				   buffer, compare, layering);
}

/* Where the bands of one side of a box begin: they stay together, around the middle or on top. */
static double
first_port(const PhLayering *layering, const PhLists *lists, uint32_t box, double scale)
{
	double taken = 0;
	if (layering->rules.port_align == 0)
		return 0;
	for (uint32_t i = lists->start[box]; i < lists->start[box + 1]; i++)
		taken += layering->links[lists->items[i]].weight * scale;
	return layering->rules.port_align * (layering->boxes[box].height - taken);
}

PhStatus
ph_layering_place_ports(PhLayering *layering, double scale)
{
	uint32_t *buffer;
	PH_TRY(PH_NEW(layering->arena, layering->n_links, &buffer));
	for (uint32_t box = 0; box < layering->n_boxes; box++)
	{
		PH_TRY(ph_env_poll(layering->arena->env));
		PH_TRY(sort_ports(layering, &layering->out, box, buffer, compare_targets));
		double y = first_port(layering, &layering->out, box, scale);
		for (uint32_t i = layering->out.start[box]; i < layering->out.start[box + 1]; i++)
		{
			PhLayeringLink *link = &layering->links[layering->out.items[i]];
			link->source_port = y;
			y += link->weight * scale;
		}
		PH_TRY(sort_ports(layering, &layering->in, box, buffer, compare_sources));
		y = first_port(layering, &layering->in, box, scale);
		for (uint32_t i = layering->in.start[box]; i < layering->in.start[box + 1]; i++)
		{
			PhLayeringLink *link = &layering->links[layering->in.items[i]];
			link->target_port = y;
			y += link->weight * scale;
		}
	}
	return PH_OK;
}

/* ---- heights ---- */

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
	PhLayering *layering;
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

static PhStatus
new_settling(PhLayering *layering, Settling *settling)
{
	PhArena *arena = layering->arena;
	settling->layering = layering;
	PH_TRY(PH_NEW(arena, layering->n_boxes, &settling->z));
	PH_TRY(PH_NEW(arena, layering->n_boxes, &settling->was));
	PH_TRY(PH_NEW(arena, layering->n_boxes, &settling->offset));
	PH_TRY(PH_NEW(arena, layering->n_boxes, &settling->weight));
	PH_TRY(PH_NEW(arena, layering->n_boxes, &settling->wanted));
	PH_TRY(PH_NEW(arena, layering->n_layers, &settling->room));
	PH_TRY(PH_NEW(arena, (size_t) layering->n_boxes + 1, &settling->start));
	PH_TRY(PH_NEW(arena, 2 * (size_t) layering->n_links, &settling->pulls));
	PH_TRY(PH_NEW(arena, layering->n_links, &settling->slopes));
	return PH_NEW(arena, layering->n_boxes, &settling->pools);
}

/* All boxes as high as their gaps allow: z = 0; centred: in the middle of the room instead. */
static void
stack_boxes(Settling *settling, double height, bool centred)
{
	const PhLayering *layering = settling->layering;
	for (uint32_t layer = 0; layer < layering->n_layers; layer++)
	{
		double taken = 0;
		for (uint32_t at = layering->layers.start[layer]; at < layering->layers.start[layer + 1];
			 at++)
		{
			const PhLayeringBox *box = &layering->boxes[layering->layers.items[at]];
			settling->offset[at] = taken + box->gap;
			taken = settling->offset[at] + box->height;
		}
		settling->room[layer] = PH_MAX(height - taken, 0);
		for (uint32_t at = layering->layers.start[layer];
			 centred && at < layering->layers.start[layer + 1]; at++)
			settling->z[at] = settling->room[layer] / 2;
	}
}

static uint32_t
slot_of(const PhLayering *layering, uint32_t box)
{
	return layering->layers.start[layering->boxes[box].layer] + layering->position[box];
}

static void
make_slopes(Settling *settling)
{
	const PhLayering *layering = settling->layering;
	for (uint32_t i = 0; i < layering->n_links; i++)
	{
		const PhLayeringLink *link = &layering->links[i];
		Slope *slope = &settling->slopes[i];
		slope->weight = link->weight;
		slope->source = slot_of(layering, link->source);
		slope->target = slot_of(layering, link->target);
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
	const PhLayering *layering = settling->layering;
	uint32_t n = 0;
	for (uint32_t slot = 0; slot < layering->n_boxes; slot++)
	{
		uint32_t box = layering->layers.items[slot];
		settling->start[slot] = n;
		for (uint32_t i = layering->out.start[box]; i < layering->out.start[box + 1]; i++)
			add_pull(settling, slot, n++, &settling->slopes[layering->out.items[i]]);
		for (uint32_t i = layering->in.start[box]; i < layering->in.start[box + 1]; i++)
			add_pull(settling, slot, n++, &settling->slopes[layering->in.items[i]]);
	}
	settling->start[layering->n_boxes] = n;
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
	const PhLayering *layering = settling->layering;
	uint32_t slot = layering->layers.start[layer];
	uint32_t n_pools = 0;
	for (uint32_t at = slot; at < layering->layers.start[layer + 1]; at++)
	{
		PH_TRY(ph_env_poll(layering->arena->env));
		settling->pools[n_pools] = wanted(settling, at);
		n_pools = pool_violators(settling->pools, n_pools + 1);
	}
	for (uint32_t pool = 0; pool < n_pools; pool++)
	{
		double z = PH_MIN(PH_MAX(settling->pools[pool].z, 0), settling->room[layer]);
		for (uint32_t i = 0; i < settling->pools[pool].n; i++, slot++)
		{
			settling->moved = PH_MAX(settling->moved, fabs(z - settling->z[slot]));
			settling->z[slot] = z;
		}
	}
	return PH_OK;
}

static double
objective(const Settling *settling)
{
	double sum = 0;
	for (uint32_t i = 0; i < settling->layering->n_links; i++)
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
	const PhLayering *layering = settling->layering;
	settling->moved = 0;
	if (layering->n_boxes > 0)
		memcpy(settling->was, settling->z, layering->n_boxes * sizeof(*settling->was));
	for (uint32_t i = 0; i < layering->n_layers; i++)
		PH_TRY(settle_layer(settling, forward ? i : layering->n_layers - 1 - i));
	return PH_OK;
}

static uint32_t
most_sweeps(const PhLayering *layering)
{
	uint32_t most = PH_SETTLE_WORK / (layering->n_links + 1);
	if (most > PH_MOST_SWEEPS)
		return PH_MOST_SWEEPS;
	return PH_MAX(PH_LEAST_SWEEPS, most);
}

/* Sweeps until nothing moves, or the sum only changes by rounding, or enough work is done. */
static PhStatus
run_sweeps(Settling *settling)
{
	PhLayering *layering = settling->layering;
	uint32_t most = most_sweeps(layering);
	layering->n_sweeps = 0;
	layering->objective[0] = objective(settling);
	settling->moved = PH_LEAST_MOVE;
	while (settling->moved >= PH_LEAST_MOVE && layering->n_sweeps < most)
	{
		PH_TRY(settle_all(settling, layering->n_sweeps % 2 == 0));
		double sum = objective(settling);
		if (sum > layering->objective[layering->n_sweeps])
		{
			memcpy(settling->z, settling->was, layering->n_boxes * sizeof(*settling->z));
			return PH_OK;
		}
		layering->objective[++layering->n_sweeps] = sum;
	}
	return PH_OK;
}

PhStatus
ph_layering_settle(PhLayering *layering, double height, bool centred)
{
	Settling settling;
	PH_TRY(new_settling(layering, &settling));
	PH_TRY(PH_NEW(layering->arena, PH_MOST_SWEEPS + 1, &layering->objective));
	stack_boxes(&settling, height, centred);
	make_slopes(&settling);
	make_pulls(&settling);
	PH_TRY(run_sweeps(&settling));
	for (uint32_t slot = 0; slot < layering->n_boxes; slot++)
		layering->boxes[layering->layers.items[slot]].y = settling.offset[slot] + settling.z[slot];
	return PH_OK;
}
