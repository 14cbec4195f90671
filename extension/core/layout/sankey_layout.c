/*
 * sankey_layout.c - the steps of the layout in a row, and its result (docs/design/supergraph.md 9).
 *
 * Complexity: O(links log boxes) for every sweep over the order, O(links) for every sweep over y;
 * the exchanges of neighbours look only at the bands of the two boxes concerned. Large diagrams
 * have fewer sweeps and exchanges, so that the whole is O(links log boxes).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "layout/sankey_layout.h"

#include <math.h>
#include <string.h>

#include "layout/sankey_internal.h"

PhLayoutOptions
ph_layout_defaults(double width, double height)
{
	PhLayoutOptions options = {.width = width,
							   .height = height,
							   .bar_width = 24,
							   .min_gap_x = 40,
							   .exponent = 0.1,
							   .gap = 36,
							   .dummy_gap = 4,
							   .scale_limit = 0,
							   .sweeps = 24,
							   .most_dummies = 4096};
	return options;
}

double
ph_layout_previous(const char *name, uint32_t n, const char *const *names, const double *orders)
{
	double order = NAN;
	size_t longest = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		size_t length = strlen(names[i]);
		if (strncmp(name, names[i], length) != 0)
			continue;
		if (name[length] == '\0')
			return orders[i];
		if ((name[length] != '-' && name[length] != '/') || length <= longest)
			continue;
		longest = length;
		order = orders[i];
	}
	return order;
}

static PhStatus
copy_boxes(PhArena *arena, const PhSankey *sankey, PhLayout *out)
{
	out->n_boxes = sankey->n_boxes;
	PH_TRY(PH_NEW(arena, sankey->n_boxes, &out->boxes));
	for (uint32_t i = 0; i < sankey->n_boxes; i++)
	{
		const PhSankeyBox *from = &sankey->boxes[i];
		PhLayoutBox *to = &out->boxes[i];
		to->dummy = from->dummy;
		to->level = from->layer;
		to->order = sankey->position[i];
		to->x = sankey->x[from->layer];
		to->y = from->y;
		to->width = sankey->options->bar_width;
		to->height = from->height;
		to->value = from->value;
	}
	return PH_OK;
}

static void
fill_band(const PhSankey *sankey, const PhSankeyLink *link, PhLayoutBand *band)
{
	const PhSankeyBox *source = &sankey->boxes[link->source];
	const PhSankeyBox *target = &sankey->boxes[link->target];
	band->edge = link->edge;
	band->bar = link->bar;
	band->source = link->source;
	band->target = link->target;
	band->x0 = sankey->x[source->layer] + sankey->options->bar_width;
	band->x1 = sankey->x[target->layer];
	band->y0 = source->y + link->source_port;
	band->y1 = target->y + link->target_port;
	band->thickness = link->weight * sankey->scale;
}

/* Bands by edge, each from left to right; shared ones last. */
static PhStatus
copy_bands(PhArena *arena, const PhSankey *sankey, PhLayout *out)
{
	out->n_bands = sankey->n_links;
	out->distance = 0;
	PH_TRY(PH_NEW(arena, sankey->n_links, &out->bands));
	for (uint32_t i = 0; i < sankey->n_links; i++)
		fill_band(sankey, &sankey->links[sankey->bands.items[i]], &out->bands[i]);
	for (uint32_t i = 0; i < sankey->n_links; i++)
	{
		PhLayoutBand band;
		fill_band(sankey, &sankey->links[i], &band);
		out->distance += sankey->links[i].weight * fabs(band.y0 - band.y1);
	}
	return PH_OK;
}

static PhStatus
copy_result(PhArena *arena, const PhSankey *sankey, PhLayout *out)
{
	PhLayout layout;
	layout.width = sankey->width;
	layout.height = sankey->height;
	layout.scale = sankey->scale;
	layout.crossings_first = sankey->crossings_first;
	layout.crossings = sankey->crossings;
	layout.n_sweeps = sankey->n_sweeps;
	PH_TRY(PH_NEW(arena, (size_t) sankey->n_sweeps + 1, &layout.objective));
	memcpy(layout.objective, sankey->objective, (sankey->n_sweeps + 1) * sizeof(double));
	PH_TRY(copy_boxes(arena, sankey, &layout));
	PH_TRY(copy_bands(arena, sankey, &layout));
	*out = layout;
	return PH_OK;
}

static PhStatus
run(PhArena *arena, PhSankey *sankey, const PhLayoutNode *nodes, uint32_t n_nodes,
	const PhLayoutEdge *edges, uint32_t n_edges, PhLayout *out)
{
	PH_TRY(ph_sankey_make_boxes(sankey, nodes, n_nodes, edges, n_edges));
	PH_TRY(ph_sankey_order(sankey));
	PH_TRY(ph_sankey_place_layers(sankey));
	PH_TRY(ph_sankey_place_ports(sankey));
	PH_TRY(ph_sankey_settle(sankey));
	return copy_result(arena, sankey, out);
}

PhStatus
ph_sankey_layout(PhArena *arena, const PhLayoutNode *nodes, uint32_t n_nodes,
				 const PhLayoutEdge *edges, uint32_t n_edges, const PhLayoutOptions *options,
				 PhLayout *out)
{
	PhArena scratch;
	PhSankey sankey;
	memset(&sankey, 0, sizeof(sankey));
	ph_arena_init(&scratch, arena->env);
	sankey.arena = &scratch;
	sankey.options = options;
	PhStatus status = run(arena, &sankey, nodes, n_nodes, edges, n_edges, out);
	ph_arena_drop(&scratch);
	return status;
}
