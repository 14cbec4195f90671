/*
 * arcs_layout.c - functions as circles of their own cost, rings of callers' shares, bundled calls.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "statistics/distribution.h"
#include "views/calls/function_graph.h"

#define LEAST_RADIUS 2.5
#define MOST_RADIUS 34.0
#define RING 10.0		 /* gap and ring around large circles */
#define LARGE_SHARE 0.01 /* of all cost: with ring and name */
#define LABEL_SIZE 10.0
#define LABEL_MOST 190.0
#define GAP 6.0
#define MOST_OUTLIERS 4 /* drawn apart, per pair of functions */

static void
place_slices(PhArena *arena, const PhCallGraph *graph, PhFunctionArcs *out)
{
	double *sums = ph_need(arena, graph->n, sizeof(double));
	double *at = ph_need(arena, graph->n, sizeof(double));

	out->slices = ph_need(arena, graph->n_calls, sizeof(PhArcSlice));
	for (uint32_t i = 0; i < graph->n_calls; i++)
		sums[graph->calls[i].callee] += fmax(graph->calls[i].inclusive, 0);
	for (uint32_t i = 0; i < graph->n_calls; i++)
	{
		const PhCall *call = &graph->calls[i];
		PhArcSlice *slice = &out->slices[out->n_slices];

		if (!out->is_large[call->callee] || !(call->inclusive > 0))
			continue;
		slice->caller = call->caller;
		slice->function = call->callee;
		slice->share = call->inclusive / sums[call->callee];
		slice->from = at[call->callee];
		slice->to = at[call->callee] = fmin(slice->from + slice->share, 1);
		out->n_slices++;
	}
}

/* The first values are the greatest: outliers are those over the upper fence. */
static void
bundle_calls(PhArena *arena, const PhCallGraph *graph, PhFunctionArcs *out)
{
	out->bundles = ph_need(arena, graph->n_calls, sizeof(PhArcBundle));
	for (uint32_t i = 0; i < graph->n_calls; i++)
	{
		const PhCall *call = &graph->calls[i];
		PhArcBundle *bundle = &out->bundles[i];
		PhBox box;

		if (call->n_nodes >= 4)
		{
			ph_need_ok(arena, ph_box(arena, call->values, call->n_nodes, &box));
			while (bundle->n_outliers < MOST_OUTLIERS && bundle->n_outliers < call->n_nodes &&
				   call->values[bundle->n_outliers] > box.upper_whisker)
				bundle->n_outliers++;
		}
		bundle->n_bundled = call->n_nodes - bundle->n_outliers;
		for (uint32_t k = bundle->n_outliers; k < call->n_nodes; k++)
			bundle->bundled += call->values[k];
	}
}

static void
color_callers(PhArena *arena, const PhCallGraph *graph, PhPalette palette, PhFunctionArcs *out)
{
	const char **names = ph_need(arena, out->n_slices, sizeof(char *));
	double *weights = ph_need(arena, out->n_slices, sizeof(double));

	for (uint32_t i = 0; i < out->n_slices; i++)
	{
		names[i] = graph->functions[out->slices[i].caller].name;
		weights[i] = out->slices[i].share * graph->functions[out->slices[i].function].inclusive;
	}
	ph_categories_build(arena, palette, names, weights, out->n_slices, &out->callers);
}

/* Of the name and the value below it. */
static double
label_width(PhScene *scene, const PhCallGraph *graph, const char *label, double own)
{
	return fmax(ph_fonts_width(scene->fonts, label, LABEL_SIZE, PH_BOLD),
				ph_fonts_width(scene->fonts, ph_value(scene->arena, graph->unit_name, own),
							   LABEL_SIZE - 1, PH_REGULAR));
}

static void
size_functions(PhScene *scene, const PhCallGraph *graph, PhFunctionArcs *out, PhLayersNode *nodes)
{
	double sum = 0;

	for (uint32_t i = 0; i < graph->n; i++)
	{
		out->most_exclusive = fmax(out->most_exclusive, graph->functions[i].exclusive);
		sum += fmax(graph->functions[i].exclusive, 0);
	}
	sum += fmax(graph->others_exclusive, 0);
	for (uint32_t i = 0; i < graph->n; i++)
	{
		double own = fmax(graph->functions[i].exclusive, 0);
		const char *label = NULL;

		out->radii[i] = out->most_exclusive > 0 ? MOST_RADIUS * sqrt(own / out->most_exclusive) : 0;
		out->radii[i] = fmax(out->radii[i], LEAST_RADIUS);
		out->is_large[i] = sum > 0 && own >= LARGE_SHARE * sum;
		out->room[i] = out->radii[i] + (out->is_large[i] ? RING : 1);
		if (out->is_large[i])
			label = ph_fonts_fit_name(
				scene->fonts, scene->arena,
				ph_text_clean(scene->arena, ph_function_label(&graph->functions[i])), LABEL_SIZE,
				PH_BOLD, LABEL_MOST);
		out->labels[i] = label ? label : "";
		nodes[i] = (PhLayersNode){
			.width = 2 * out->room[i] + 2 +
					 (*out->labels[i] ? 6 + label_width(scene, graph, out->labels[i], own) : 0),
			.height = fmax(2 * out->room[i], *out->labels[i] ? LABEL_SIZE + 14 : 0)};
	}
}

void
ph_function_arcs_place(PhScene *scene, const PhCallGraph *graph, PhPalette palette,
					   double least_width, PhFunctionArcs *out)
{
	PhArena *arena = scene->arena;
	PhLayersNode *nodes = ph_need(arena, graph->n, sizeof(PhLayersNode));

	*out = (PhFunctionArcs){.most_exclusive = 0};
	out->radii = ph_need(arena, graph->n, sizeof(double));
	out->room = ph_need(arena, graph->n, sizeof(double));
	out->labels = ph_need(arena, graph->n, sizeof(char *));
	out->is_large = ph_need(arena, graph->n, sizeof(bool));
	size_functions(scene, graph, out, nodes);
	place_slices(arena, graph, out);
	bundle_calls(arena, graph, out);
	color_callers(arena, graph, palette, out);
	ph_call_graph_layers(arena, graph, nodes, GAP, least_width, &out->layers);
}
