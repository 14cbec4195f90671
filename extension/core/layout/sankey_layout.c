/*
 * sankey_layout.c - the Sankey diagram (docs/design/supergraph.md 9): a layering whose bars and
 * bands have heights by value.
 *
 * Here are its rules: levels are given, one scale makes all heights, gaps between layers grow with
 * the bars beside them, and bands leave a bar from its top on. Where the edges of a bar weigh more
 * than the bar itself (residuals; heights that are maxima), they are drawn scaled to fit, so that
 * both ends of every band lie within their bars.
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

#include "base/min_max.h"
#include "base/sort.h"
#include "base/text.h"
#include "layout/layering.h"

#define PH_FIT_ROUNDING 1e-9
#define PH_BISECTIONS 80
#define PH_LARGEST_FACTOR 1e9
#define PH_LEAST_ROOM 0.1 /* of the height, left for values when the gaps take too much */

/* What is given, its canonical order, and the diagram that becomes of it. */
typedef struct Sankey
{
	const PhLayoutNode *nodes;
	uint32_t n_nodes;
	const PhLayoutEdge *edges;
	uint32_t n_edges;
	const PhLayoutOptions *options;
	uint32_t *by_name; /* nodes */
	uint32_t *rank;	   /* per node: its place in by_name */
	uint32_t *order;   /* edges by the ranks of their ends */
	double *weight;	   /* per edge, scaled to fit */
	PhLayering layering;
	double *x; /* per layer */
	double width, height, scale;
} Sankey;

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

/* ---- input ---- */

static PhStatus
check_nodes(const Sankey *sankey)
{
	PhEnv *env = sankey->layering.arena->env;
	for (uint32_t i = 0; i < sankey->n_nodes; i++)
	{
		const PhLayoutNode *node = &sankey->nodes[i];
		PH_TRY(ph_env_poll(env));
		if (!(node->value >= 0) || isinf(node->value))
			return ph_fail(env, PH_ERR_VALUE, "bar \"%.*s\" has the height %g",
						   ph_text_fit(node->name, 100), node->name, node->value);
		if (node->level >= sankey->n_nodes)
			return ph_fail(env, PH_ERR_VALUE, "bar \"%.*s\" is at level %u of %u",
						   ph_text_fit(node->name, 100), node->name, node->level, sankey->n_nodes);
	}
	return PH_OK;
}

static PhStatus
check_edges(const Sankey *sankey)
{
	PhEnv *env = sankey->layering.arena->env;
	for (uint32_t i = 0; i < sankey->n_edges; i++)
	{
		const PhLayoutEdge *edge = &sankey->edges[i];
		PH_TRY(ph_env_poll(env));
		if (edge->source >= sankey->n_nodes || edge->target >= sankey->n_nodes)
			return ph_fail(env, PH_ERR_VALUE, "edge %u joins bars that do not exist", i);
		if (sankey->nodes[edge->source].level >= sankey->nodes[edge->target].level)
			return ph_fail(env, PH_ERR_VALUE, "the edge from \"%.*s\" to \"%.*s\" goes back",
						   ph_text_fit(sankey->nodes[edge->source].name, 100),
						   sankey->nodes[edge->source].name,
						   ph_text_fit(sankey->nodes[edge->target].name, 100),
						   sankey->nodes[edge->target].name);
		if (!(edge->weight >= 0) || isinf(edge->weight))
			return ph_fail(env, PH_ERR_VALUE, "the edge from \"%.*s\" to \"%.*s\" weighs %g",
						   ph_text_fit(sankey->nodes[edge->source].name, 100),
						   sankey->nodes[edge->source].name,
						   ph_text_fit(sankey->nodes[edge->target].name, 100),
						   sankey->nodes[edge->target].name, edge->weight);
	}
	return PH_OK;
}

static PhStatus
check_options(PhEnv *env, const PhLayoutOptions *options)
{
	const double sizes[] = {options->width,		options->height, options->bar_width,
							options->min_gap_x, options->gap,	 options->dummy_gap};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!(sizes[i] >= 0) || isinf(sizes[i]))
			return ph_fail(env, PH_ERR_VALUE, "a size of %g pixels is impossible", sizes[i]);
	if (!(options->width > 0) || !(options->height > 0))
		return ph_fail_hint(env, PH_ERR_VALUE, "Give a width and a height in pixels.",
							"a picture of %g x %g pixels is impossible", options->width,
							options->height);
	if (isnan(options->exponent) || isnan(options->scale_limit) || options->scale_limit < 0)
		return ph_fail(env, PH_ERR_VALUE, "bad exponent or limit of the scale");
	return PH_OK;
}

static int
compare_nodes(const void *context, uint32_t x, uint32_t y)
{
	const Sankey *sankey = context;
	int order = strcmp(sankey->nodes[x].name, sankey->nodes[y].name);
	return order != 0 ? order : (x < y ? -1 : x > y);
}

static int
compare_edges(const void *context, uint32_t x, uint32_t y)
{
	const Sankey *sankey = context;
	const uint32_t *rank = sankey->rank;
	uint32_t a = rank[sankey->edges[x].source];
	uint32_t b = rank[sankey->edges[y].source];
	if (a == b)
	{
		a = rank[sankey->edges[x].target];
		b = rank[sankey->edges[y].target];
	}
	if (a == b)
		return x < y ? -1 : x > y;
	return a < b ? -1 : 1;
}

/* Bars by name, edges by the places of their ends. */
static PhStatus
canonize(Sankey *sankey)
{
	PhArena *arena = sankey->layering.arena;
	PH_TRY(ph_sort_indices(arena, sankey->n_nodes, compare_nodes, sankey, &sankey->by_name));
	PH_TRY(PH_NEW(arena, sankey->n_nodes, &sankey->rank));
	for (uint32_t i = 0; i < sankey->n_nodes; i++)
		sankey->rank[sankey->by_name[i]] = i;
	return ph_sort_indices(arena, sankey->n_edges, compare_edges, sankey, &sankey->order);
}

/* How much the edges of a side must shrink. */
static double
fit(double value, double sum)
{
	return sum > value * (1 + PH_FIT_ROUNDING) ? value / sum : 1;
}

/*
 * The weight with which each edge is drawn: shrunk by as much as the more crowded of its two bars
 * asks for, so that no bar's edges exceed it on either side.
 */
static PhStatus
fit_weights(Sankey *sankey)
{
	PhArena *arena = sankey->layering.arena;
	double *out, *in;
	PH_TRY(PH_NEW(arena, sankey->n_nodes, &out));
	PH_TRY(PH_NEW(arena, sankey->n_nodes, &in));
	PH_TRY(PH_NEW(arena, sankey->n_edges, &sankey->weight));
	for (uint32_t i = 0; i < sankey->n_edges; i++)
	{
		const PhLayoutEdge *edge = &sankey->edges[sankey->order[i]];
		out[edge->source] += edge->weight;
		in[edge->target] += edge->weight;
	}
	for (uint32_t i = 0; i < sankey->n_edges; i++)
	{
		const PhLayoutEdge *edge = &sankey->edges[i];
		double source = fit(sankey->nodes[edge->source].value, out[edge->source]);
		double target = fit(sankey->nodes[edge->target].value, in[edge->target]);
		sankey->weight[i] = edge->weight * PH_MIN(source, target);
	}
	return PH_OK;
}

static PhStatus
build(Sankey *sankey)
{
	PhArena *arena = sankey->layering.arena;
	uint32_t *layer;
	double *value, *previous;
	PH_TRY(PH_NEW(arena, sankey->n_nodes, &layer));
	PH_TRY(PH_NEW(arena, sankey->n_nodes, &value));
	PH_TRY(PH_NEW(arena, sankey->n_nodes, &previous));
	for (uint32_t i = 0; i < sankey->n_nodes; i++)
	{
		layer[i] = sankey->nodes[i].level;
		value[i] = sankey->nodes[i].value;
		previous[i] = sankey->nodes[i].previous_order;
	}
	PhLayeringInput input = {.n_nodes = sankey->n_nodes,
							 .layer = layer,
							 .value = value,
							 .previous = previous,
							 .by_rank = sankey->by_name,
							 .rank = sankey->rank,
							 .n_edges = sankey->n_edges,
							 .edges = sankey->edges,
							 .weight = sankey->weight,
							 .n_linked = sankey->n_edges,
							 .order = sankey->order,
							 .dummy_orders = sankey->options->previous_dummies};
	return ph_layering_build(&sankey->layering, &input);
}

/* ---- x and scale ---- */

static uint32_t
count_bars(const Sankey *sankey, uint32_t layer)
{
	uint32_t n = 0;
	for (uint32_t at = sankey->layering.layers.start[layer];
		 at < sankey->layering.layers.start[layer + 1]; at++)
		n += sankey->layering.boxes[sankey->layering.layers.items[at]].is_dummy ? 0 : 1;
	return n;
}

/* Sum of all gaps between layers for one factor. */
static double
sum_gaps(const Sankey *sankey, const double *crowd, double factor)
{
	double sum = 0;
	for (uint32_t layer = 1; layer < sankey->layering.n_layers; layer++)
		sum += PH_MAX(sankey->options->min_gap_x, factor * crowd[layer]);
	return sum;
}

/* The factor with which the last bar ends at the width, or a little before. */
static double
solve_factor(const Sankey *sankey, const double *crowd)
{
	double room = sankey->options->width - sankey->layering.n_layers * sankey->options->bar_width;
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

static PhStatus
place_layers(Sankey *sankey)
{
	const PhLayoutOptions *options = sankey->options;
	double *crowd; /* level^k times the larger number of bars on either side of the gap */
	PH_TRY(PH_NEW(sankey->layering.arena, sankey->layering.n_layers, &crowd));
	PH_TRY(PH_NEW(sankey->layering.arena, sankey->layering.n_layers, &sankey->x));
	uint32_t before = sankey->layering.n_layers > 0 ? count_bars(sankey, 0) : 0;
	for (uint32_t layer = 1; layer < sankey->layering.n_layers; layer++)
	{
		uint32_t bars = count_bars(sankey, layer);
		crowd[layer] = pow(layer, options->exponent) * PH_MAX(bars, before);
		before = bars;
	}
	double factor = sankey->layering.n_layers > 1 ? solve_factor(sankey, crowd) : 0;
	double x = 0;
	for (uint32_t layer = 1; layer < sankey->layering.n_layers; layer++)
	{
		x += options->bar_width + PH_MAX(options->min_gap_x, factor * crowd[layer]);
		sankey->x[layer] = x;
	}
	sankey->width = PH_MAX(options->width, x + options->bar_width);
	return PH_OK;
}

/* The picture grows when a layer's gaps alone would leave no room for its values. */
static double
find_height(const Sankey *sankey)
{
	double height = sankey->options->height;
	double room = height * PH_LEAST_ROOM;
	for (uint32_t layer = 0; layer < sankey->layering.n_layers; layer++)
	{
		double gaps, values;
		ph_layering_sum(&sankey->layering, layer, &gaps, &values);
		height = PH_MAX(height, gaps + room);
	}
	return height;
}

/* Without any value there is nothing to scale: 1. */
static double
find_scale(const Sankey *sankey)
{
	double scale = INFINITY;
	for (uint32_t layer = 0; layer < sankey->layering.n_layers; layer++)
	{
		double gaps, values;
		ph_layering_sum(&sankey->layering, layer, &gaps, &values);
		if (values > 0 && (sankey->height - gaps) / values < scale)
			scale = (sankey->height - gaps) / values;
	}
	if (sankey->options->scale_limit > 0 && sankey->options->scale_limit < scale)
		scale = sankey->options->scale_limit;
	return isfinite(scale) ? scale : 1;
}

static void
set_heights(Sankey *sankey)
{
	sankey->height = find_height(sankey);
	sankey->scale = find_scale(sankey);
	for (uint32_t box = 0; box < sankey->layering.n_boxes; box++)
		sankey->layering.boxes[box].height = sankey->layering.boxes[box].value * sankey->scale;
}

/* ---- result ---- */

static PhStatus
copy_boxes(PhArena *arena, const Sankey *sankey, PhLayout *out)
{
	const PhLayering *layering = &sankey->layering;
	out->n_boxes = layering->n_boxes;
	PH_TRY(PH_NEW(arena, layering->n_boxes, &out->boxes));
	for (uint32_t i = 0; i < layering->n_boxes; i++)
	{
		const PhLayeringBox *from = &layering->boxes[i];
		PhLayoutBox *to = &out->boxes[i];
		to->dummy = from->is_dummy;
		to->level = from->layer;
		to->order = layering->position[i];
		to->x = sankey->x[from->layer];
		to->y = from->y;
		to->width = sankey->options->bar_width;
		to->height = from->height;
		to->value = from->value;
	}
	return PH_OK;
}

static void
fill_band(const Sankey *sankey, const PhLayeringLink *link, PhLayoutBand *band)
{
	const PhLayering *layering = &sankey->layering;
	const PhLayeringBox *source = &layering->boxes[link->source];
	const PhLayeringBox *target = &layering->boxes[link->target];
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
copy_bands(PhArena *arena, const Sankey *sankey, PhLayout *out)
{
	const PhLayering *layering = &sankey->layering;
	out->n_bands = layering->n_links;
	out->distance = 0;
	PH_TRY(PH_NEW(arena, layering->n_links, &out->bands));
	for (uint32_t i = 0; i < layering->n_links; i++)
		fill_band(sankey, &layering->links[layering->bands.items[i]], &out->bands[i]);
	for (uint32_t i = 0; i < layering->n_links; i++)
	{
		PhLayoutBand band;
		fill_band(sankey, &layering->links[i], &band);
		out->distance += layering->links[i].weight * fabs(band.y0 - band.y1);
	}
	return PH_OK;
}

static PhStatus
copy_result(PhArena *arena, const Sankey *sankey, PhLayout *out)
{
	const PhLayering *layering = &sankey->layering;
	PhLayout layout;
	layout.width = sankey->width;
	layout.height = sankey->height;
	layout.scale = sankey->scale;
	layout.crossings_first = layering->crossings_first;
	layout.crossings = layering->crossings;
	layout.n_sweeps = layering->n_sweeps;
	PH_TRY(PH_NEW(arena, (size_t) layering->n_sweeps + 1, &layout.objective));
	memcpy(layout.objective, layering->objective, (layering->n_sweeps + 1) * sizeof(double));
	PH_TRY(copy_boxes(arena, sankey, &layout));
	PH_TRY(copy_bands(arena, sankey, &layout));
	*out = layout;
	return PH_OK;
}

static PhStatus
lay_out(PhArena *arena, Sankey *sankey, PhLayout *out)
{
	PhLayering *layering = &sankey->layering;
	PH_TRY(check_options(arena->env, sankey->options));
	PH_TRY(check_nodes(sankey));
	PH_TRY(check_edges(sankey));
	PH_TRY(canonize(sankey));
	PH_TRY(fit_weights(sankey));
	PH_TRY(build(sankey));
	PH_TRY(ph_layering_order(layering));
	PH_TRY(place_layers(sankey));
	set_heights(sankey);
	PH_TRY(ph_layering_place_ports(layering, sankey->scale));
	PH_TRY(ph_layering_settle(layering, sankey->height, layering->is_shared));
	return copy_result(arena, sankey, out);
}

PhStatus
ph_layout_sankey(PhArena *arena, const PhLayoutNode *nodes, uint32_t n_nodes,
				 const PhLayoutEdge *edges, uint32_t n_edges, const PhLayoutOptions *options,
				 PhLayout *out)
{
	PhArena scratch;
	Sankey sankey = {
		.nodes = nodes, .n_nodes = n_nodes, .edges = edges, .n_edges = n_edges, .options = options};
	ph_arena_init(&scratch, arena->env);
	sankey.layering.arena = &scratch;
	sankey.layering.rules = (PhLayeringRules){.gap = options->gap,
											  .dummy_gap = options->dummy_gap,
											  .sweeps = options->sweeps,
											  .most_dummies = options->most_dummies};
	PhStatus status = lay_out(arena, &sankey, out);
	ph_arena_drop(&scratch);
	return status;
}
