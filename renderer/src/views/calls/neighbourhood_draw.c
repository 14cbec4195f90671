/*
 * neighbourhood_draw.c - callers left, a function in the middle, callees right.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/small_multiples.h"
#include "views/calls/function_graph.h"

#define NAME_SIZE 10.5
#define NOTE_SIZE 9.0
#define INSET 10.0

static PhColor
band_color(bool caller)
{
	return ph_color_alpha(ph_color_hex(caller ? 0xc2410c : 0x0f766e), 0.32);
}

static double
most_inclusive(const PhCallGraph *graph)
{
	double most = 0;

	for (uint32_t i = 0; i < graph->n_contexts; i++)
		most = fmax(most, graph->contexts[i].inclusive);
	return most;
}

/* "1.2 k calls · 12 ms" of the calls between a neighbour and the middle. */
static const char *
calls_text(PhArena *arena, const PhCallGraph *graph, double calls, double inclusive)
{
	const char *cost = ph_value(arena, graph->unit_name, inclusive);
	PhUnit unit = ph_unit_choose(arena, NULL, calls);

	if (!graph->counted)
		return cost;
	return ph_need_format(arena, "%s call%s \xc2\xb7 %s", ph_quantity(arena, unit, calls),
						  calls == 1 ? "" : "s", cost);
}

static void
draw_band(PhScene *scene, const PhCallGraph *graph, const PhNeighbourhood *layout, PhBody where,
		  const PhNeighbour *neighbour, bool caller)
{
	const PhNeighbour *middle = &layout->middle;
	double x0 = where.x + (caller ? neighbour->x : middle->x) + PH_OUTER_WIDTH;
	double x1 = where.x + (caller ? middle->x : neighbour->x);
	double beside = where.y + neighbour->y + (neighbour->height - neighbour->thickness) / 2;
	double at_middle = where.y + neighbour->port;
	double y0 = caller ? beside : at_middle;
	double y1 = caller ? at_middle : beside;
	double half = (x1 - x0) / 2;
	const char *name =
		neighbour->function == UINT32_MAX ? "others" : graph->functions[neighbour->function].name;
	PhPath path = ph_path(scene);

	ph_path_move(&path, x0, y0);
	ph_path_curve(&path, x0 + half, y0, x1 - half, y1, x1, y1);
	ph_path_line(&path, x1, y1 + neighbour->thickness);
	ph_path_curve(&path, x1 - half, y1 + neighbour->thickness, x0 + half, y0 + neighbour->thickness,
				  x0, y0 + neighbour->thickness);
	ph_path_close(&path);
	ph_scene_open(
		scene, "band",
		ph_need_format(scene->arena, "%s %s\n%s", caller ? "called by" : "calls", name,
					   calls_text(scene->arena, graph, neighbour->calls, neighbour->inclusive)));
	ph_scene_data(scene, "node", name);
	ph_scene_data(scene, "side", caller ? "caller" : "callee");
	if (graph->counted)
		ph_scene_data_number(scene, "calls", neighbour->calls);
	ph_scene_data_number(scene, "value", neighbour->inclusive);
	ph_scene_path(scene, &path, ph_fill(band_color(caller)));
	ph_scene_close(scene);
}

/* A box per node of the call tree, coloured by its inclusive cost. */
static void
draw_inner(PhScene *scene, const PhCallGraph *graph, PhPalette palette, uint32_t function, double x,
		   double y)
{
	double most = most_inclusive(graph);
	uint32_t n = 0;

	for (uint32_t i = 0; i < graph->n_contexts; i++)
	{
		const PhContext *context = &graph->contexts[i];
		double left = x + n % PH_INNER_ACROSS * PH_INNER;
		double top = y + n / PH_INNER_ACROSS * PH_INNER;
		bool called = function != graph->selected && context->caller &&
					  strcmp(context->caller, graph->functions[graph->selected].name) == 0;

		if (context->function != function || n >= PH_INNER_MOST)
			continue;
		n++;
		ph_scene_open(scene, "inner",
					  ph_need_format(scene->arena, "node %s%s%s\ninclusive %s\nexclusive %s",
									 context->node ? context->node : "?",
									 context->caller ? ", called by " : "",
									 context->caller ? context->caller : "",
									 ph_value(scene->arena, graph->unit_name, context->inclusive),
									 ph_value(scene->arena, graph->unit_name, context->exclusive)));
		ph_scene_data(scene, "cct-node", context->node);
		ph_scene_data(scene, "caller", context->caller);
		ph_scene_data_number(scene, "value", context->inclusive);
		ph_scene_rect(scene, left, top, PH_INNER - 2, PH_INNER - 2,
					  (PhStyle){.fill = ph_color_sequential(
									palette, most > 0 ? context->inclusive / most : 0),
								.stroke = called ? ph_ink() : ph_color_hex(0x8a94a3),
								.stroke_width = called ? 1.6 : 0.6});
		ph_scene_close(scene);
	}
}

static const char *
second_line(PhScene *scene, const PhCallGraph *graph, const PhNeighbour *box, bool middle)
{
	PhArena *arena = scene->arena;
	const PhFunction *function;

	if (!middle)
		return calls_text(arena, graph, box->calls, box->inclusive);
	function = &graph->functions[box->function];
	return ph_need_format(arena, "%s (own %s)",
						  ph_value(arena, graph->unit_name, function->inclusive),
						  ph_value(arena, graph->unit_name, function->exclusive));
}

static void
draw_notes(PhScene *scene, const PhCallGraph *graph, const PhNeighbourhood *layout,
		   const PhNeighbour *box, double x, double y, bool middle)
{
	PhTextStyle style = ph_text_style(NOTE_SIZE, ph_faint());
	uint32_t shown = box->n_nodes < PH_INNER_MOST ? box->n_nodes : PH_INNER_MOST;
	double at =
		y + PH_OUTER_HEAD + (shown + PH_INNER_ACROSS - 1) / PH_INNER_ACROSS * PH_INNER + NOTE_SIZE;

	if (box->n_nodes > PH_INNER_MOST)
	{
		ph_scene_text(scene, x + INSET, at,
					  ph_need_format(scene->arena, "+ %u more nodes", box->n_nodes - PH_INNER_MOST),
					  style);
		at += 13;
	}
	if (middle && layout->self_nodes > 0)
		ph_scene_text_fit(scene, x + INSET, at, PH_OUTER_WIDTH - 2 * INSET,
						  ph_need_format(scene->arena, "calls itself: %s",
										 calls_text(scene->arena, graph, layout->self_calls,
													layout->self_inclusive)),
						  style);
}

static void
draw_box(PhScene *scene, const PhCallGraph *graph, const PhNeighbourhood *layout, PhPalette palette,
		 PhBody where, const PhNeighbour *box)
{
	bool middle = box == &layout->middle;
	bool others = box->function == UINT32_MAX;
	const char *name = others ? ph_need_format(scene->arena, "%u others", box->n_functions)
							  : ph_function_label(&graph->functions[box->function]);
	PhTextStyle style = ph_text_style(NAME_SIZE, ph_ink());
	double x = where.x + box->x;
	double y = where.y + box->y;

	ph_scene_open(scene, "function",
				  others ? "functions added up"
						 : ph_function_tooltip(scene->arena, graph, box->function));
	if (!others)
		ph_function_data(scene, graph, box->function);
	ph_scene_rect(scene, x, y, PH_OUTER_WIDTH, box->height,
				  (PhStyle){.fill = ph_color_hex(middle ? 0xfff7e6 : 0xf5f7fa),
							.stroke = ph_color_hex(middle ? 0xb7791f : 0x9aa5b4),
							.stroke_width = middle ? 1.8 : 1,
							.dash = others ? 3 : 0});
	style.weight = PH_BOLD;
	ph_scene_name_fit(scene, x + INSET, y + 14, PH_OUTER_WIDTH - 2 * INSET, name, style);
	ph_scene_text_fit(scene, x + INSET, y + 27, PH_OUTER_WIDTH - 2 * INSET,
					  second_line(scene, graph, box, middle),
					  ph_text_style(NOTE_SIZE + 0.5, ph_faint()));
	if (!others)
	{
		draw_inner(scene, graph, palette, box->function, x + INSET, y + PH_OUTER_HEAD);
		draw_notes(scene, graph, layout, box, x, y, middle);
	}
	ph_scene_close(scene);
}

void
ph_neighbourhood_draw(PhScene *scene, const PhCallGraph *graph, const PhNeighbourhood *layout,
					  PhPalette palette, PhBody where)
{
	ph_scene_open(scene, "function-neighbourhood", NULL);
	for (uint32_t i = 0; i < layout->n_callers; i++)
		draw_band(scene, graph, layout, where, &layout->callers[i], true);
	for (uint32_t i = 0; i < layout->n_callees; i++)
		draw_band(scene, graph, layout, where, &layout->callees[i], false);
	for (uint32_t i = 0; i < layout->n_callers; i++)
		draw_box(scene, graph, layout, palette, where, &layout->callers[i]);
	draw_box(scene, graph, layout, palette, where, &layout->middle);
	for (uint32_t i = 0; i < layout->n_callees; i++)
		draw_box(scene, graph, layout, palette, where, &layout->callees[i]);
	ph_scene_close(scene);
}

void
ph_neighbourhood_legend(PhScene *scene, const PhCallGraph *graph, PhPalette palette)
{
	PhRamp ramp = {.palette = palette,
				   .map = ph_color_sequential,
				   .title = "a small box: a call tree node, by inclusive cost",
				   .low = "0",
				   .high = ph_value(scene->arena, graph->unit_name, most_inclusive(graph))};
	PhKey key = {ph_legend_ramp(scene, PH_MARGIN, &ramp), ph_key().y};
	const char *width = graph->counted ? "width: calls" : "width: inclusive cost";
	double x;

	ph_scene_open(scene, "legend", NULL);
	x = ph_key_word(scene, &key, ph_need_format(scene->arena, "callers, %s", width));
	ph_scene_rect(scene, x, key.y - 5, 16, 10, ph_fill(band_color(true)));
	x = ph_key_word(scene, &key, ph_need_format(scene->arena, "callees, %s", width));
	ph_scene_rect(scene, x, key.y - 5, 16, 10, ph_fill(band_color(false)));
	ph_scene_close(scene);
}
