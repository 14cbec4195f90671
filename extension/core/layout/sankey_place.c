/*
 * sankey_place.c - x of the layers, one scale, heights and ports (docs/design/supergraph.md 9,
 * steps 1, 3, 5).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "base/sort.h"
#include "layout/sankey_internal.h"

#define PH_BISECTIONS 80
#define PH_LARGEST_FACTOR 1e9
#define PH_LEAST_ROOM 0.1 /* of the height, left for values when the gaps take too much */

static double
larger(double x, double y)
{
	return x > y ? x : y;
}

static uint32_t
count_bars(const PhSankey *sankey, uint32_t layer)
{
	uint32_t n = 0;
	for (uint32_t at = sankey->layers.start[layer]; at < sankey->layers.start[layer + 1]; at++)
		n += sankey->boxes[sankey->layers.items[at]].dummy ? 0 : 1;
	return n;
}

/* Sum of all gaps between layers for one factor. */
static double
sum_gaps(const PhSankey *sankey, const double *crowd, double factor)
{
	double sum = 0;
	for (uint32_t layer = 1; layer < sankey->n_layers; layer++)
		sum += larger(sankey->options->min_gap_x, factor * crowd[layer]);
	return sum;
}

/* The factor with which the last bar ends at the width, or a little before. */
static double
solve_factor(const PhSankey *sankey, const double *crowd)
{
	double room = sankey->options->width - sankey->n_layers * sankey->options->bar_width;
	double low = 0;
	double high = 1;
	while (sum_gaps(sankey, crowd, high) < room && high < PH_LARGEST_FACTOR)
		high *= 2;
	for (int i = 0; i < PH_BISECTIONS; i++)
	{
		double middle = (low + high) / 2;
		if (sum_gaps(sankey, crowd, middle) < room)
			low = middle;
		else
			high = middle;
	}
	return low;
}

PhStatus
ph_sankey_place_layers(PhSankey *sankey)
{
	const PhLayoutOptions *options = sankey->options;
	double *crowd; /* level^k times the larger number of bars on either side of the gap */
	PH_TRY(PH_NEW(sankey->arena, sankey->n_layers, &crowd));
	PH_TRY(PH_NEW(sankey->arena, sankey->n_layers, &sankey->x));
	uint32_t before = sankey->n_layers > 0 ? count_bars(sankey, 0) : 0;
	for (uint32_t layer = 1; layer < sankey->n_layers; layer++)
	{
		uint32_t bars = count_bars(sankey, layer);
		crowd[layer] = pow(layer, options->exponent) * (bars > before ? bars : before);
		before = bars;
	}
	double factor = sankey->n_layers > 1 ? solve_factor(sankey, crowd) : 0;
	double x = 0;
	for (uint32_t layer = 1; layer < sankey->n_layers; layer++)
	{
		x += options->bar_width + larger(options->min_gap_x, factor * crowd[layer]);
		sankey->x[layer] = x;
	}
	sankey->width = larger(options->width, x + options->bar_width);
	return PH_OK;
}

/* Gaps and values of a layer, summed in the order of its boxes. */
static void
sum_layer(const PhSankey *sankey, uint32_t layer, double *gaps, double *values)
{
	*gaps = *values = 0;
	for (uint32_t at = sankey->layers.start[layer]; at < sankey->layers.start[layer + 1]; at++)
	{
		const PhSankeyBox *box = &sankey->boxes[sankey->layers.items[at]];
		*gaps += box->gap;
		*values += box->value;
	}
}

/* The picture grows when a layer's gaps alone would leave no room for its values. */
static double
find_height(const PhSankey *sankey)
{
	double height = sankey->options->height;
	double room = height * PH_LEAST_ROOM;
	for (uint32_t layer = 0; layer < sankey->n_layers; layer++)
	{
		double gaps, values;
		sum_layer(sankey, layer, &gaps, &values);
		height = larger(height, gaps + room);
	}
	return height;
}

/* Without any value there is nothing to scale: 1. */
static double
find_scale(const PhSankey *sankey)
{
	double scale = INFINITY;
	for (uint32_t layer = 0; layer < sankey->n_layers; layer++)
	{
		double gaps, values;
		sum_layer(sankey, layer, &gaps, &values);
		if (values > 0 && (sankey->height - gaps) / values < scale)
			scale = (sankey->height - gaps) / values;
	}
	if (sankey->options->scale_limit > 0 && sankey->options->scale_limit < scale)
		scale = sankey->options->scale_limit;
	return isfinite(scale) ? scale : 1;
}

/* Links by the position of the box at their other end; ties keep the canonical order. */
static int
compare_ports(const PhSankey *sankey, uint32_t x, uint32_t y, bool of_callers)
{
	const PhSankeyLink *a = &sankey->links[x];
	const PhSankeyLink *b = &sankey->links[y];
	uint32_t a_at = sankey->position[of_callers ? a->source : a->target];
	uint32_t b_at = sankey->position[of_callers ? b->source : b->target];
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
sort_ports(const PhSankey *sankey, const PhSankeyLists *lists, uint32_t box, uint32_t *buffer,
		   PhCompareFunction compare)
{
	uint32_t first = lists->start[box];
	return ph_sort(sankey->arena->env, lists->items + first, lists->start[box + 1] - first, buffer,
				   compare, sankey);
}

PhStatus
ph_sankey_place_ports(PhSankey *sankey)
{
	uint32_t *buffer;
	PH_TRY(PH_NEW(sankey->arena, sankey->n_links, &buffer));
	sankey->height = find_height(sankey);
	sankey->scale = find_scale(sankey);
	for (uint32_t box = 0; box < sankey->n_boxes; box++)
	{
		double y = 0;
		PH_TRY(ph_env_poll(sankey->arena->env));
		sankey->boxes[box].height = sankey->boxes[box].value * sankey->scale;
		PH_TRY(sort_ports(sankey, &sankey->out, box, buffer, compare_targets));
		for (uint32_t i = sankey->out.start[box]; i < sankey->out.start[box + 1]; i++)
		{
			PhSankeyLink *link = &sankey->links[sankey->out.items[i]];
			link->source_port = y;
			y += link->weight * sankey->scale;
		}
		PH_TRY(sort_ports(sankey, &sankey->in, box, buffer, compare_sources));
		y = 0;
		for (uint32_t i = sankey->in.start[box]; i < sankey->in.start[box + 1]; i++)
		{
			PhSankeyLink *link = &sankey->links[sankey->in.items[i]];
			link->target_port = y;
			y += link->weight * sankey->scale;
		}
	}
	return PH_OK;
}
