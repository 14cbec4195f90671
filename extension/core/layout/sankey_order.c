/*
 * sankey_order.c - the order of boxes within their layers (docs/design/supergraph.md 9, step 4).
 *
 * Start heaviest first, or from the order of an older layout; 24 sweeps by weighted mean positions,
 * of which the order with the least crossings stays; then exchanges of neighbours. Bars that an
 * older layout has ordered keep that order throughout: only what is new, parts of a split bar
 * among themselves, and dummies move between them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/sort.h"
#include "layout/sankey_internal.h"

#define PH_LEAST_SWEEPS 4
#define PH_ORDER_WORK 200000 /* links to look at in all sweeps of a large diagram */

typedef struct Ordering
{
	PhSankey *sankey;
	uint32_t *best; /* layers' items of the best order so far */
	uint32_t *buffer;
	uint32_t *settled; /* boxes of one layer with an older order */
	bool any_settled;
} Ordering;

bool
ph_sankey_is_settled(const PhSankeyBox *a, const PhSankeyBox *b)
{
	return a->has_previous && b->has_previous && a->previous != b->previous;
}

/* Older order first; then heaviest, bars before dummies of equal weight, then by name. */
static int
compare_start(const void *context, uint32_t x, uint32_t y)
{
	const PhSankeyBox *a = &((const PhSankeyBox *) context)[x];
	const PhSankeyBox *b = &((const PhSankeyBox *) context)[y];
	if (ph_sankey_is_settled(a, b))
		return a->previous < b->previous ? -1 : 1;
	if (a->has_previous != b->has_previous)
		return a->has_previous ? -1 : 1;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	if (a->dummy != b->dummy)
		return a->dummy ? 1 : -1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int
compare_settled(const void *context, uint32_t x, uint32_t y)
{
	const PhSankeyBox *boxes = context;
	if (boxes[x].previous == boxes[y].previous)
		return 0;
	return boxes[x].previous < boxes[y].previous ? -1 : 1;
}

/* Positions from the order of a layer. */
static bool
set_positions(PhSankey *sankey, uint32_t layer)
{
	uint32_t first = sankey->layers.start[layer];
	bool moved = false;
	for (uint32_t at = first; at < sankey->layers.start[layer + 1]; at++)
	{
		uint32_t *position = &sankey->position[sankey->layers.items[at]];
		moved |= *position != at - first;
		*position = at - first;
	}
	sankey->is_moved[layer] |= moved;
	return moved;
}

static PhStatus
sort_layer(Ordering *ordering, uint32_t layer)
{
	PhSankey *sankey = ordering->sankey;
	uint32_t first = sankey->layers.start[layer];
	uint32_t n = sankey->layers.start[layer + 1] - first;
	return ph_sort(sankey->arena->env, sankey->layers.items + first, n, ordering->buffer,
				   compare_start, sankey->boxes);
}

static void
merge_keys(const PhSankeyKey *from, PhSankeyKey *to, uint32_t start, uint32_t middle, uint32_t end)
{
	uint32_t left = start, right = middle;
	for (uint32_t at = start; at < end; at++)
	{
		bool take_left = left < middle && (right >= end || from[left].key <= from[right].key);
		to[at] = take_left ? from[left++] : from[right++];
	}
}

static bool
are_sorted(const PhSankeyKey *keys, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (keys[i - 1].key > keys[i].key)
			return false;
	return true;
}

bool
ph_sankey_sort_keys(PhSankey *sankey, uint32_t n)
{
	PhSankeyKey *from = sankey->keys, *to = sankey->keys + n;
	if (are_sorted(from, n))
		return false;
	for (uint32_t width = 1; width < n; width *= 2)
	{
		for (uint32_t start = 0; start < n; start += 2 * width)
			merge_keys(from, to, start, start + width < n ? start + width : n,
					   start + 2 * width < n ? start + 2 * width : n);
		PhSankeyKey *swap = from;
		from = to;
		to = swap;
	}
	if (from != sankey->keys)
		memcpy(sankey->keys, from, n * sizeof(*from));
	return true;
}

/* Weighted mean position of the boxes at the other ends; its own position when there are none. */
static double
centre_of(const PhSankey *sankey, uint32_t box, bool of_callers)
{
	const uint32_t *start = of_callers ? sankey->in.start : sankey->out.start;
	const PhSankeyEnd *ends = of_callers ? sankey->callers : sankey->callees;
	double weight = 0;
	double sum = 0;
	for (uint32_t i = start[box]; i < start[box + 1]; i++)
	{
		weight += ends[i].weight;
		sum += ends[i].weight * sankey->position[ends[i].box];
	}
	return weight > 0 ? sum / weight : sankey->position[box];
}

/* Put the settled boxes of a layer back into their order, in the places that they hold. */
static PhStatus
keep_settled(Ordering *ordering, uint32_t layer)
{
	PhSankey *sankey = ordering->sankey;
	uint32_t *items = sankey->layers.items;
	uint32_t end = sankey->layers.start[layer + 1];
	uint32_t n = 0;
	for (uint32_t at = sankey->layers.start[layer]; at < end; at++)
		if (sankey->boxes[items[at]].has_previous)
			ordering->settled[n++] = items[at];
	PH_TRY(ph_sort(sankey->arena->env, ordering->settled, n, ordering->buffer, compare_settled,
				   sankey->boxes));
	n = 0;
	for (uint32_t at = sankey->layers.start[layer]; at < end; at++)
		if (sankey->boxes[items[at]].has_previous)
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
	PhSankey *sankey = ordering->sankey;
	uint32_t *items = sankey->layers.items + sankey->layers.start[layer];
	uint32_t n = sankey->layers.start[layer + 1] - sankey->layers.start[layer];
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(sankey->arena->env));
		sankey->keys[i] = (PhSankeyKey){centre_of(sankey, items[i], of_callers), items[i]};
	}
	if (!ph_sankey_sort_keys(sankey, n))
		return PH_OK;
	for (uint32_t i = 0; i < n; i++)
		items[i] = sankey->keys[i].index;
	if (ordering->any_settled)
		PH_TRY(keep_settled(ordering, layer));
	*moved |= set_positions(sankey, layer);
	return PH_OK;
}

static PhStatus
sweep(Ordering *ordering, bool forward, bool *moved)
{
	uint32_t n = ordering->sankey->n_layers;
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
most_sweeps(const PhSankey *sankey)
{
	uint32_t most = PH_ORDER_WORK / (sankey->n_links + 1);
	uint32_t asked = sankey->options->sweeps;
	most = most < PH_LEAST_SWEEPS ? PH_LEAST_SWEEPS : most;
	return most < asked ? most : asked;
}

/* When neither a forward nor a backward sweep moves anything, none will. */
static PhStatus
run_sweeps(Ordering *ordering)
{
	PhSankey *sankey = ordering->sankey;
	uint32_t most = most_sweeps(sankey);
	uint32_t still = 0;
	double best = sankey->crossings_first;
	copy_order(ordering->best, sankey->layers.items, sankey->n_boxes);
	for (uint32_t i = 0; i < most && best > 0 && still < 2; i++)
	{
		double crossings;
		bool moved;
		PH_TRY(sweep(ordering, i % 2 == 0, &moved));
		still = moved ? 0 : still + 1;
		PH_TRY(ph_sankey_crossings(sankey, &crossings));
		if (crossings >= best * (1 - 1e-12))
			continue;
		best = crossings;
		copy_order(ordering->best, sankey->layers.items, sankey->n_boxes);
	}
	copy_order(sankey->layers.items, ordering->best, sankey->n_boxes);
	for (uint32_t layer = 0; layer < sankey->n_layers; layer++)
		set_positions(sankey, layer);
	return PH_OK;
}

PhStatus
ph_sankey_order(PhSankey *sankey)
{
	Ordering ordering = {.sankey = sankey};
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &ordering.best));
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &ordering.buffer));
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &ordering.settled));
	for (uint32_t i = 0; i < sankey->n_boxes; i++)
		ordering.any_settled |= sankey->boxes[i].has_previous;
	for (uint32_t layer = 0; layer < sankey->n_layers; layer++)
	{
		PH_TRY(sort_layer(&ordering, layer));
		set_positions(sankey, layer);
		sankey->is_moved[layer] = true;
	}
	PH_TRY(ph_sankey_crossings(sankey, &sankey->crossings_first));
	PH_TRY(run_sweeps(&ordering));
	PH_TRY(ph_sankey_exchange(sankey));
	PH_TRY(ph_sankey_crossings(sankey, &sankey->crossings));
	if (sankey->crossings > sankey->crossings_first) /* summed in another order */
		sankey->crossings = sankey->crossings_first;
	return PH_OK;
}
