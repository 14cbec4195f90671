/*
 * functions_view.c - `function-graph`, `function-neighbourhood`, `function-arcs`: the functions of
 * a run and who calls whom.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/known_colors.h"
#include "request/view.h"
#include "texts.h"
#include "views/calls/function_graph.h"

#define NO_FUNCTIONS "no functions: nothing to draw"

/* False: there is nothing to draw, and the picture says so. */
static bool
read_graph(PhDrawing *drawing, PhCallGraph *graph)
{
	ph_call_graph_read(drawing->arena, drawing->rows, graph);
	if (graph->n > 0)
		return true;
	drawing->body.height = 200;
	ph_page_empty(drawing->scene, drawing->body, NO_FUNCTIONS);
	return false;
}

/* The body becomes as large as the layout; returns where the layout goes, in the middle of it. */
static PhBody
fit_body(PhDrawing *drawing, double width, double height)
{
	PhBody where = drawing->body;

	if (width > where.width)
	{
		drawing->scene->width = width + 2 * PH_MARGIN;
		drawing->body.width = where.width = width;
	}
	if (!ph_option_given(drawing->options, "height") || height > where.height)
		drawing->body.height = fmax(height, 80) + 16;
	where.y += (drawing->body.height - height) / 2;
	where.x += (where.width - width) / 2;
	return where;
}

static void
note_others(PhDrawing *drawing, const PhCallGraph *graph)
{
	const char *text = ph_others_text(drawing->arena, graph);

	if (text)
		ph_page_note(drawing->arena, &drawing->page, text);
}

static uint32_t
count_cycles(const PhLayers *layers, uint32_t n_calls)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_calls; i++)
		n += layers->edges[i].is_back;
	return n;
}

static void
note_cycles(PhDrawing *drawing, const PhLayers *layers, uint32_t n_calls)
{
	uint32_t n = count_cycles(layers, n_calls);

	if (n > 0)
		ph_page_note(drawing->arena, &drawing->page,
					 ph_need_format(drawing->arena, "dashed: %u call%s that %s", n,
									n == 1 ? "" : "s",
									layers->by_distance ? "do not go to a later column"
									: n == 1			? "closes a cycle"
														: "close a cycle"));
}

static void
draw_graph(PhDrawing *drawing)
{
	PhPalette palette = ph_option_palette(drawing->options);
	PhCallGraph graph;
	PhFunctionGraph layout;
	PhBody where;

	drawing->page.title = "Functions and their calls";
	if (!read_graph(drawing, &graph))
		return;
	if (graph.given && graph.selected != UINT32_MAX)
		drawing->page.title = ph_need_format(drawing->arena, "Functions around %s",
											 graph.functions[graph.selected].name);
	ph_function_graph_place(drawing->scene, &graph, drawing->body.width, &layout);
	where = fit_body(drawing, layout.layers.width, layout.layers.height);
	ph_function_graph_draw(drawing->scene, &graph, &layout, palette, where);
	ph_function_graph_legend(drawing->scene, &graph, &layout, palette);
	note_cycles(drawing, &layout.layers, graph.n_calls);
	note_others(drawing, &graph);
}

static void
draw_arcs(PhDrawing *drawing)
{
	PhCallGraph graph;
	PhFunctionArcs layout;
	PhBody where;

	drawing->page.title = "Functions by self time, and their callers' shares";
	if (!read_graph(drawing, &graph))
		return;
	ph_function_arcs_place(drawing->scene, &graph, ph_option_palette(drawing->options),
						   drawing->body.width, &layout);
	ph_known_colors_apply(drawing->arena, drawing->rows, ph_option_palette(drawing->options),
						  &layout.callers);
	where = fit_body(drawing, layout.layers.width, layout.layers.height);
	ph_function_arcs_draw(drawing->scene, &graph, &layout, where);
	ph_function_arcs_legend(drawing->scene, &graph, &layout);
	ph_page_note(drawing->arena, &drawing->page,
				 "functions under 1 % of self time have no name; calls in at least four contexts "
				 "are outliers above the box plot's fence");
	note_cycles(drawing, &layout.layers, graph.n_calls);
	note_others(drawing, &graph);
}

static void
draw_neighbourhood(PhDrawing *drawing)
{
	PhPalette palette = ph_option_palette(drawing->options);
	PhNeighbourhood layout;
	PhCallGraph graph;
	PhBody where;

	drawing->page.title = "Callers and callees";
	if (!read_graph(drawing, &graph) || graph.selected == UINT32_MAX)
		return;
	drawing->page.title = ph_need_format(drawing->arena, "Callers and callees of %s",
										 graph.functions[graph.selected].name);
	ph_neighbourhood_place(drawing->arena, &graph,
						   ph_option_count(drawing->options, "top") < 12
							   ? ph_option_count(drawing->options, "top")
							   : 12,
						   fmin(drawing->body.width, 1000), &layout);
	where = fit_body(drawing, layout.width, layout.height);
	ph_neighbourhood_draw(drawing->scene, &graph, &layout, palette, where);
	ph_neighbourhood_legend(drawing->scene, &graph, palette);
	if (!graph.counted)
		ph_page_note(drawing->arena, &drawing->page,
					 "the profile does not count calls: bands are as wide as inclusive cost");
	if (layout.n_callees > 0)
		ph_page_note(drawing->arena, &drawing->page,
					 "outlined: a node that the function in the middle calls");
	if (layout.n_callers == 0)
		ph_page_note(drawing->arena, &drawing->page, "nothing calls it");
	if (layout.n_callees == 0)
		ph_page_note(drawing->arena, &drawing->page, "it calls nothing");
}

const PhView ph_view_function_graph = {
	.name = "function-graph",
	.summary = "functions as circles, as large as they have call tree nodes, and their calls",
	.details = ph_help_render_function_graph,
	.place = "run",
	.label = "functions",
	.options = "run! metric ranks filter function node top=120",
	.query = &ph_query_render_functions,
	.given = ph_given_profile,
	.reduction = "mean over columns",
	.width = 1200,
	.height = 600,
	.draw = draw_graph};

const PhView ph_view_function_neighbourhood = {
	.name = "function-neighbourhood",
	.summary = "callers and callees of a function, with a box per call tree node",
	.details = ph_help_render_function_neighbourhood,
	.place = "function",
	.label = "callers and callees",
	.options = "run! metric ranks filter function node top=500",
	.query = &ph_query_render_functions,
	.given = ph_given_profile,
	.reduction = "mean over columns",
	.width = 1200,
	.height = 500,
	.draw = draw_neighbourhood};

const PhView ph_view_function_arcs = {
	.name = "function-arcs",
	.summary = "functions as circles of their self time, with arcs of their callers' shares",
	.details = ph_help_render_function_arcs,
	.place = "function",
	.label = "shares of callers",
	.options = "run! metric ranks filter function node top=60",
	.query = &ph_query_render_functions,
	.given = ph_given_profile,
	.reduction = "mean over columns",
	.width = 1200,
	.height = 600,
	.draw = draw_arcs};
