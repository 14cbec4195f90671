/*
 * layering_order.c - the order of boxes within their layers (docs/design/supergraph.md 9, step 4).
 *
 * Start heaviest first, or from the order of an older layout; 24 sweeps by weighted mean positions,
 * of which the order with the least crossings stays; then exchanges of neighbours. Bars that an
 * older layout has ordered keep that order throughout: only what is new, parts of a split bar
 * among themselves, and dummies move between them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "layout/layering.h"

#define PH_LEAST_SWEEPS 4
#define PH_ORDER_WORK 200000	/* links to look at in all sweeps of a large diagram */
#define PH_EXCHANGE_WORK 300000 /* and in all exchanges */
#define PH_LEAST_GAIN 1e-12		/* relative to what is compared: below it is rounding */

/* ---- crossings ---- */

/* Which end of a link lies in the neighbouring layer. */
typedef enum Side
{
	SIDE_CALLERS,
	SIDE_CALLEES
} Side;

/* The other ends of the links of a box. */
typedef struct Ends
{
	const PhLayeringEnd *first, *end;
} Ends;

static Ends
ends_of(const PhLayering *layering, Side side, uint32_t box)
{
	const PhLayeringEnd *ends = side == SIDE_CALLERS ? layering->callers : layering->callees;
	const uint32_t *start = side == SIDE_CALLERS ? layering->in.start : layering->out.start;
	return (Ends){ends + start[box], ends + start[box + 1]};
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
layer_crossings(PhLayering *layering, uint32_t layer, double *out)
{
	double *tree = layering->tree;
	uint32_t n = layering->layers.start[layer + 2] - layering->layers.start[layer + 1];
	double crossings = 0;
	double before = 0; /* weight of all links of earlier boxes */
	memset(tree, 0, ((size_t) n + 1) * sizeof(*tree));
	for (uint32_t at = layering->layers.start[layer]; at < layering->layers.start[layer + 1]; at++)
	{
		Ends ends = ends_of(layering, SIDE_CALLEES, layering->layers.items[at]);
		PH_TRY(ph_env_poll(layering->arena->env));
		for (const PhLayeringEnd *end = ends.first; end < ends.end; end++)
		{
			double crossed = before - sum_up_to(tree, layering->position[end->box]);
			crossings += crossed > before * PH_LEAST_GAIN ? crossed * end->weight : 0;
		}
		for (const PhLayeringEnd *end = ends.first; end < ends.end; end++)
		{
			add_weight(tree, n, layering->position[end->box], end->weight);
			before += end->weight;
		}
	}
	*out = crossings;
	return PH_OK;
}

/* All crossings; counted anew only where boxes have moved. */
static PhStatus
all_crossings(PhLayering *layering, double *out)
{
	double total = 0;
	for (uint32_t layer = 0; layer + 1 < layering->n_layers; layer++)
	{
		if (layering->is_moved[layer] || layering->is_moved[layer + 1])
			PH_TRY(layer_crossings(layering, layer, &layering->crossed[layer]));
		total += layering->crossed[layer];
	}
	memset(layering->is_moved, false, layering->n_layers * sizeof(*layering->is_moved));
	*out = total;
	return PH_OK;
}

/* ---- sweeps ---- */

typedef struct Ordering
{
	PhLayering *layering;
	uint32_t *best; /* layers' items of the best order so far */
	uint32_t *buffer;
	uint32_t *settled; /* boxes of one layer with an older order */
	bool any_settled;
} Ordering;

/* Whether the order of two boxes of one layer is settled by an older layout. */
static bool
is_settled(const PhLayeringBox *a, const PhLayeringBox *b)
{
	return a->has_previous && b->has_previous && a->previous != b->previous;
}

static void
merge_keys(const PhLayeringKey *from, PhLayeringKey *to, uint32_t start, uint32_t middle,
		   uint32_t end)
{
	uint32_t left = start, right = middle;
	for (uint32_t at = start; at < end; at++)
	{
		bool take_left = left < middle && (right >= end || from[left].key <= from[right].key);
		to[at] = take_left ? from[left++] : from[right++];
	}
}

static bool
are_sorted(const PhLayeringKey *keys, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (keys[i - 1].key > keys[i].key)
			return false;
	return true;
}

/* Stable sort of keys[0..n); the rest of them is its buffer. false: were in order. */
static bool
sort_keys(PhLayering *layering, uint32_t n)
{
	PhLayeringKey *from = layering->keys, *to = layering->keys + n;
	if (are_sorted(from, n))
		return false;
	for (uint32_t width = 1; width < n; width *= 2)
	{
		for (uint32_t start = 0; start < n; start += 2 * width)
			merge_keys(from, to, start, start + width < n ? start + width : n,
					   start + 2 * width < n ? start + 2 * width : n);
		PhLayeringKey *swap = from;
		from = to;
		to = swap;
	}
	if (from != layering->keys)
		memcpy(layering->keys, from, n * sizeof(*from));
	return true;
}

/* Older order first; then heaviest, bars before dummies of equal weight, then by name. */
static int
compare_start(const void *context, uint32_t x, uint32_t y)
{
	const PhLayeringBox *a = &((const PhLayeringBox *) context)[x];
	const PhLayeringBox *b = &((const PhLayeringBox *) context)[y];
	if (is_settled(a, b))
		return a->previous < b->previous ? -1 : 1;
	if (a->has_previous != b->has_previous)
		return a->has_previous ? -1 : 1;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	if (a->is_dummy != b->is_dummy)
		return a->is_dummy ? 1 : -1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int
compare_settled(const void *context, uint32_t x, uint32_t y)
{
	const PhLayeringBox *boxes = context;
	if (boxes[x].previous == boxes[y].previous)
		return 0;
	return boxes[x].previous < boxes[y].previous ? -1 : 1;
}

/* Positions from the order of a layer. */
static bool
set_positions(PhLayering *layering, uint32_t layer)
{
	uint32_t first = layering->layers.start[layer];
	bool moved = false;
	for (uint32_t at = first; at < layering->layers.start[layer + 1]; at++)
	{
		uint32_t *position = &layering->position[layering->layers.items[at]];
		moved |= *position != at - first;
		*position = at - first;
	}
	layering->is_moved[layer] |= moved;
	return moved;
}

static PhStatus
sort_layer(Ordering *ordering, uint32_t layer)
{
	PhLayering *layering = ordering->layering;
	uint32_t first = layering->layers.start[layer];
	uint32_t n = layering->layers.start[layer + 1] - first;
	return ph_sort(layering->arena->env, layering->layers.items + first, n, ordering->buffer,
				   compare_start, layering->boxes);
}

/* Weighted mean position of the boxes at the other ends; its own position when there are none. */
static double
centre_of(const PhLayering *layering, uint32_t box, bool of_callers)
{
	const uint32_t *start = of_callers ? layering->in.start : layering->out.start;
	const PhLayeringEnd *ends = of_callers ? layering->callers : layering->callees;
	double weight = 0;
	double sum = 0;
	for (uint32_t i = start[box]; i < start[box + 1]; i++)
	{
		weight += ends[i].weight;
		sum += ends[i].weight * layering->position[ends[i].box];
	}
	return weight > 0 ? sum / weight : layering->position[box];
}

/* Put the settled boxes of a layer back into their order, in the places that they hold. */
static PhStatus
keep_settled(Ordering *ordering, uint32_t layer)
{
	PhLayering *layering = ordering->layering;
	uint32_t *items = layering->layers.items;
	uint32_t end = layering->layers.start[layer + 1];
	uint32_t n = 0;
	for (uint32_t at = layering->layers.start[layer]; at < end; at++)
		if (layering->boxes[items[at]].has_previous)
			ordering->settled[n++] = items[at];
	PH_TRY(ph_sort(layering->arena->env, ordering->settled, n, ordering->buffer, compare_settled,
				   layering->boxes));
	n = 0;
	for (uint32_t at = layering->layers.start[layer]; at < end; at++)
		if (layering->boxes[items[at]].has_previous)
			items[at] = ordering->settled[n++];
	return PH_OK;
}

/*
 * Sorts a layer by the weighted mean positions of its callers or callees, stably; boxes that an
 * older layout has ordered are put back into that order among themselves.
 */
static PhStatus
sweep_layer(Ordering *ordering, uint32_t layer, bool of_callers, bool *moved)
{
	PhLayering *layering = ordering->layering;
	uint32_t *items = layering->layers.items + layering->layers.start[layer];
	uint32_t n = layering->layers.start[layer + 1] - layering->layers.start[layer];
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(layering->arena->env));
		layering->keys[i] = (PhLayeringKey){centre_of(layering, items[i], of_callers), items[i]};
	}
	if (!sort_keys(layering, n))
		return PH_OK;
	for (uint32_t i = 0; i < n; i++)
		items[i] = layering->keys[i].index;
	if (ordering->any_settled)
		PH_TRY(keep_settled(ordering, layer));
	*moved |= set_positions(layering, layer);
	return PH_OK;
}

static PhStatus
sweep(Ordering *ordering, bool forward, bool *moved)
{
	uint32_t n = ordering->layering->n_layers;
	*moved = false;
	for (uint32_t i = 1; i < n; i++)
		PH_TRY(sweep_layer(ordering, forward ? i : n - 1 - i, forward, moved));
	return PH_OK;
}

static void
copy_order(uint32_t *to, const uint32_t *from, uint32_t n)
{
	if (n > 0)
		memcpy(to, from, n * sizeof(*to));
}

static uint32_t
most_sweeps(const PhLayering *layering)
{
	uint32_t most = PH_ORDER_WORK / (layering->n_links + 1);
	uint32_t asked = layering->rules.sweeps;
	most = PH_MAX(PH_LEAST_SWEEPS, most);
	return PH_MIN(most, asked);
}

/* When neither a forward nor a backward sweep moves anything, none will. */
static PhStatus
run_sweeps(Ordering *ordering)
{
	PhLayering *layering = ordering->layering;
	uint32_t most = most_sweeps(layering);
	uint32_t still = 0;
	double best = layering->crossings_first;
	copy_order(ordering->best, layering->layers.items, layering->n_boxes);
	for (uint32_t i = 0; i < most && best > 0 && still < 2; i++)
	{
		double crossings;
		bool moved;
		PH_TRY(sweep(ordering, i % 2 == 0, &moved));
		still = moved ? 0 : still + 1;
		PH_TRY(all_crossings(layering, &crossings));
		if (crossings >= best * (1 - 1e-12))
			continue;
		best = crossings;
		copy_order(ordering->best, layering->layers.items, layering->n_boxes);
	}
	copy_order(layering->layers.items, ordering->best, layering->n_boxes);
	for (uint32_t layer = 0; layer < layering->n_layers; layer++)
		set_positions(layering, layer);
	return PH_OK;
}

/* ---- exchanges ---- */

/* By the position of the other end; ties keep their order. */
static void
sort_ends(PhLayering *layering, Side side, uint32_t box)
{
	PhLayeringEnd *all = side == SIDE_CALLERS ? layering->callers : layering->callees;
	const uint32_t *start = side == SIDE_CALLERS ? layering->in.start : layering->out.start;
	PhLayeringEnd *ends = all + start[box];
	uint32_t n = start[box + 1] - start[box];
	if (n < 2)
		return;
	for (uint32_t i = 0; i < n; i++)
		layering->keys[i] = (PhLayeringKey){layering->position[ends[i].box], i};
	if (!sort_keys(layering, n))
		return;
	memcpy(layering->ends, ends, n * sizeof(*ends));
	for (uint32_t i = 0; i < n; i++)
		ends[i] = layering->ends[layering->keys[i].index];
}

/* Crossings of the bands of two boxes on one side with `above` above `below`. Ends are sorted. */
static double
pair_crossings(const PhLayering *layering, Side side, uint32_t above, uint32_t below)
{
	Ends upper = ends_of(layering, side, above);
	Ends lower = ends_of(layering, side, below);
	double weight = 0; /* of below's links that end above the current link of above */
	double crossings = 0;
	for (; upper.first < upper.end; upper.first++)
	{
		uint32_t position = layering->position[upper.first->box];
		for (; lower.first < lower.end && layering->position[lower.first->box] < position;
			 lower.first++)
			weight += lower.first->weight;
		crossings += weight * upper.first->weight;
	}
	return crossings;
}

/* What exchanging a box with the one below would save. */
static double
gain(const PhLayering *layering, uint32_t above, uint32_t below)
{
	double now = pair_crossings(layering, SIDE_CALLERS, above, below) +
				 pair_crossings(layering, SIDE_CALLEES, above, below);
	if (now <= 0)
		return 0;
	double then = pair_crossings(layering, SIDE_CALLERS, below, above) +
				  pair_crossings(layering, SIDE_CALLEES, below, above);
	return now - then > (now + then) * PH_LEAST_GAIN ? now - then : 0;
}

/* work: grows by the links looked at. */
static PhStatus
exchange_in_layer(PhLayering *layering, uint32_t layer, bool *changed, uint64_t *work)
{
	uint32_t *items = layering->layers.items;
	uint32_t end = layering->layers.start[layer + 1];
	for (uint32_t at = layering->layers.start[layer]; at < end; at++)
	{
		uint32_t box = items[at];
		sort_ends(layering, SIDE_CALLERS, box);
		sort_ends(layering, SIDE_CALLEES, box);
		*work += layering->in.start[box + 1] - layering->in.start[box];
		*work += layering->out.start[box + 1] - layering->out.start[box];
	}
	*changed = false;
	for (uint32_t at = layering->layers.start[layer]; at + 1 < end; at++)
	{
		uint32_t above = items[at];
		uint32_t below = items[at + 1];
		PH_TRY(ph_env_poll(layering->arena->env));
		if (is_settled(&layering->boxes[above], &layering->boxes[below]) ||
			gain(layering, above, below) <= 0)
			continue;
		items[at] = below;
		items[at + 1] = above;
		layering->position[below]--;
		layering->position[above]++;
		layering->is_moved[layer] = *changed = true;
	}
	return PH_OK;
}

/*
 * Exchange neighbours while that lowers the crossings. A layer is looked at again only after it or
 * a neighbouring layer changed: the others cannot gain. In a large diagram a box may have far to
 * go, one place a time, so the work ends when that many links have been looked at.
 */
static PhStatus
exchange(PhLayering *layering)
{
	bool *look;
	bool again = true;
	uint64_t work = 0;
	uint64_t most = PH_EXCHANGE_WORK + 2 * (uint64_t) layering->n_links;
	PH_TRY(PH_NEW(layering->arena, (size_t) layering->n_layers + 2, &look));
	memset(look, true, (size_t) layering->n_layers + 2);
	while (again)
	{
		again = false;
		for (uint32_t layer = 0; layer < layering->n_layers && work < most; layer++)
		{
			bool changed;
			if (!look[layer + 1]) /* look[0] and the last one stand beside the layers */
				continue;
			PH_TRY(exchange_in_layer(layering, layer, &changed, &work));
			look[layer + 1] = changed;
			if (changed)
				look[layer] = look[layer + 2] = again = true;
		}
	}
	return PH_OK;
}

PhStatus
ph_layering_order(PhLayering *layering)
{
	Ordering ordering = {.layering = layering};
	PH_TRY(PH_NEW(layering->arena, layering->n_boxes, &ordering.best));
	PH_TRY(PH_NEW(layering->arena, layering->n_boxes, &ordering.buffer));
	PH_TRY(PH_NEW(layering->arena, layering->n_boxes, &ordering.settled));
	for (uint32_t i = 0; i < layering->n_boxes; i++)
		ordering.any_settled |= layering->boxes[i].has_previous;
	for (uint32_t layer = 0; layer < layering->n_layers; layer++)
	{
		PH_TRY(sort_layer(&ordering, layer));
		set_positions(layering, layer);
		layering->is_moved[layer] = true;
	}
	PH_TRY(all_crossings(layering, &layering->crossings_first));
	PH_TRY(run_sweeps(&ordering));
	PH_TRY(exchange(layering));
	PH_TRY(all_crossings(layering, &layering->crossings));
	if (layering->crossings > layering->crossings_first) /* summed in another order */
		layering->crossings = layering->crossings_first;
	return PH_OK;
}
