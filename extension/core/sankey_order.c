/*
 * sankey_order.c - the order of boxes within their layers (supergraph.md 9, step 4).
 *
 * Start heaviest first, or from the order of an older layout; 24 sweeps by weighted mean positions,
 * of which the order with the least crossings stays; then exchanges of neighbours. Bars that an
 * older layout has ordered keep that order throughout: only what is new, parts of a split bar
 * among themselves, and dummies move between them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "sankey_internal.h"
#include "sort.h"

typedef struct Ordering
{
	PhSankey *sankey;
	double *centre; /* per box: mean position of its neighbours */
	uint32_t *best; /* layers' items of the best order so far */
	uint32_t *buffer;
	uint32_t *settled; /* bars of one layer with an older order */
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
compare_centres(const void *context, uint32_t x, uint32_t y)
{
	const Ordering *ordering = context;
	if (ordering->centre[x] != ordering->centre[y])
		return ordering->centre[x] < ordering->centre[y] ? -1 : 1;
	uint32_t a = ordering->sankey->boxes[x].position;
	uint32_t b = ordering->sankey->boxes[y].position;
	return a < b ? -1 : a > b;
}

static int
compare_settled(const void *context, uint32_t x, uint32_t y)
{
	const PhSankeyBox *boxes = context;
	if (boxes[x].previous == boxes[y].previous)
		return 0;
	return boxes[x].previous < boxes[y].previous ? -1 : 1;
}

static void
set_positions(PhSankey *sankey, uint32_t layer)
{
	uint32_t first = sankey->layers.start[layer];
	for (uint32_t at = first; at < sankey->layers.start[layer + 1]; at++)
		sankey->boxes[sankey->layers.items[at]].position = at - first;
}

static PhStatus
sort_layer(Ordering *ordering, uint32_t layer, PhCompareFunction compare, const void *context)
{
	PhSankey *sankey = ordering->sankey;
	uint32_t first = sankey->layers.start[layer];
	uint32_t n = sankey->layers.start[layer + 1] - first;
	return ph_sort(sankey->arena->env, sankey->layers.items + first, n, ordering->buffer, compare,
				   context);
}

/* Weighted mean position of the boxes at the other ends; its own position when there are none. */
static double
centre_of(const PhSankey *sankey, uint32_t box, bool of_callers)
{
	const PhSankeyLists *lists = of_callers ? &sankey->in : &sankey->out;
	double weight = 0;
	double sum = 0;
	for (uint32_t i = lists->start[box]; i < lists->start[box + 1]; i++)
	{
		const PhSankeyLink *link = &sankey->links[lists->items[i]];
		weight += link->weight;
		sum += link->weight * sankey->boxes[of_callers ? link->source : link->target].position;
	}
	return weight > 0 ? sum / weight : sankey->boxes[box].position;
}

/* Put the settled bars of a layer back into their order, in the places that they hold. */
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

static PhStatus
sweep_layer(Ordering *ordering, uint32_t layer, bool of_callers)
{
	PhSankey *sankey = ordering->sankey;
	for (uint32_t at = sankey->layers.start[layer]; at < sankey->layers.start[layer + 1]; at++)
	{
		uint32_t box = sankey->layers.items[at];
		PH_TRY(ph_env_poll(sankey->arena->env));
		ordering->centre[box] = centre_of(sankey, box, of_callers);
	}
	PH_TRY(sort_layer(ordering, layer, compare_centres, ordering));
	PH_TRY(keep_settled(ordering, layer));
	set_positions(sankey, layer);
	return PH_OK;
}

static PhStatus
sweep(Ordering *ordering, bool forward)
{
	uint32_t n = ordering->sankey->n_layers;
	for (uint32_t i = 1; i < n; i++)
		PH_TRY(sweep_layer(ordering, forward ? i : n - 1 - i, forward));
	return PH_OK;
}

static void
copy_order(uint32_t *to, const uint32_t *from, uint32_t n)
{
	if (n > 0)
		memcpy(to, from, n * sizeof(*to));
}

static PhStatus
run_sweeps(Ordering *ordering)
{
	PhSankey *sankey = ordering->sankey;
	double best = sankey->crossings_first;
	copy_order(ordering->best, sankey->layers.items, sankey->n_boxes);
	for (uint32_t i = 0; i < sankey->options->sweeps && best > 0; i++)
	{
		double crossings;
		PH_TRY(sweep(ordering, i % 2 == 0));
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
	Ordering ordering = {sankey, NULL, NULL, NULL, NULL};
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &ordering.centre));
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &ordering.best));
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &ordering.buffer));
	PH_TRY(PH_NEW(sankey->arena, sankey->n_boxes, &ordering.settled));
	for (uint32_t layer = 0; layer < sankey->n_layers; layer++)
	{
		PH_TRY(sort_layer(&ordering, layer, compare_start, sankey->boxes));
		set_positions(sankey, layer);
	}
	PH_TRY(ph_sankey_crossings(sankey, &sankey->crossings_first));
	PH_TRY(run_sweeps(&ordering));
	PH_TRY(ph_sankey_exchange(sankey));
	PH_TRY(ph_sankey_crossings(sankey, &sankey->crossings));
	if (sankey->crossings > sankey->crossings_first) /* summed in another order */
		sankey->crossings = sankey->crossings_first;
	return PH_OK;
}
