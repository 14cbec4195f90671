/*
 * function_graph_draw.c - functions as circles, as large as they have nodes in the call tree.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "drawing/small_multiples.h"
#include "views/calls/function_graph.h"

#define LEAST_RADIUS 3.5
#define MOST_RADIUS 20.0
#define LABEL_SIZE 9.5
#define LABEL_MOST 170.0
#define LABEL_LEAST 80.0
#define LABEL_STEP 30.0
#define WIDE 1600.0 /* pictures wider than this get shorter labels */
#define GAP 5.0

static PhColor
caller_color(void)
{
	return ph_color_hex(0xc2410c);
}

static PhColor
callee_color(void)
{
	return ph_color_hex(0x0f766e);
}

static double
radius_of(const PhCallGraph *graph, uint32_t most, uint32_t i)
{
	if (most <= 1)
		return LEAST_RADIUS + 2;
	return LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) *
							  sqrt((fmax(graph->functions[i].n_nodes, 1) - 1.0) / (most - 1.0));
}

/* The share of a colour map: logarithmic, as one function often has most nodes. */
static double
shade_of(uint32_t most, uint32_t n_nodes)
{
	return most > 1 ? 0.12 + 0.88 * log(fmax(n_nodes, 1)) / log(most) : 0.4;
}

static uint32_t
most_nodes(const PhCallGraph *graph)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < graph->n; i++)
		if (graph->functions[i].n_nodes > most)
			most = graph->functions[i].n_nodes;
	return most;
}

/* Circle and label of a function, the label at most so wide. */
static PhLayersNode
size_node(PhScene *scene, const PhCallGraph *graph, PhFunctionGraph *out, uint32_t i, double most)
{
	const PhFunction *function = &graph->functions[i];
	PhWeight weight = graph->given && function->selected ? PH_BOLD : PH_REGULAR;
	const char *label = ph_fonts_fit_name(scene->fonts, scene->arena,
										  ph_text_clean(scene->arena, ph_function_label(function)),
										  LABEL_SIZE, weight, most);

	out->radii[i] = radius_of(graph, out->most_nodes, i);
	out->labels[i] = label ? label : "";
	return (PhLayersNode){.width = 2 * out->radii[i] + 6 +
								   ph_fonts_width(scene->fonts, out->labels[i], LABEL_SIZE, weight),
						  .height = fmax(2 * out->radii[i], LABEL_SIZE + 3)};
}

void
ph_function_graph_place(PhScene *scene, const PhCallGraph *graph, double least_width,
						PhFunctionGraph *out)
{
	PhArena *arena = scene->arena;
	PhLayersNode *nodes = ph_need(arena, graph->n, sizeof(PhLayersNode));

	*out = (PhFunctionGraph){.most_nodes = most_nodes(graph)};
	out->radii = ph_need(arena, graph->n, sizeof(double));
	out->labels = ph_need(arena, graph->n, sizeof(char *));
	/* deep graphs get shorter labels rather than pictures that are too wide */
	for (double most = LABEL_MOST; most >= LABEL_LEAST; most -= LABEL_STEP)
	{
		for (uint32_t i = 0; i < graph->n; i++)
			nodes[i] = size_node(scene, graph, out, i, most);
		ph_call_graph_layers(arena, graph, nodes, GAP, least_width, &out->layers);
		if (out->layers.width <= fmax(least_width, WIDE))
			break;
	}
}

static PhStyle
call_style(const PhCallGraph *graph, const PhCall *call, bool is_back)
{
	PhStyle style = ph_stroke(ph_color_hex(is_back ? 0xb58a9f : 0xbfc6d0), 0.8);

	if (is_back)
		style.dash = 3;
	if (!graph->given)
		return style;
	style.stroke = ph_color_hex(0xe1e5ea);
	if (call->callee == graph->selected)
		style.stroke = caller_color();
	else if (call->caller == graph->selected)
		style.stroke = callee_color();
	else
		return style;
	style.stroke_width = 1.8;
	return style;
}

/* Those of the selected function come last, on top. */
static void
draw_calls(PhScene *scene, const PhCallGraph *graph, const PhFunctionGraph *layout, PhBody where,
		   bool related)
{
	for (uint32_t i = 0; i < graph->n_calls; i++)
	{
		const PhCall *call = &graph->calls[i];
		bool is_back = layout->layers.edges[i].is_back;
		bool is_related =
			graph->given && (call->caller == graph->selected || call->callee == graph->selected);
		PhPath path = ph_path(scene);

		if (is_related != related)
			continue;
		ph_scene_open(scene, "call",
					  ph_need_format(scene->arena, "%s calls %s\nin %u call tree node%s\n%s%s",
									 graph->functions[call->caller].name,
									 graph->functions[call->callee].name, call->n_nodes,
									 call->n_nodes == 1 ? "" : "s",
									 ph_value(scene->arena, graph->unit_name, call->inclusive),
									 is_back ? "\ncloses a cycle" : ""));
		ph_scene_data(scene, "source", graph->functions[call->caller].name);
		ph_scene_data(scene, "target", graph->functions[call->callee].name);
		ph_scene_data_number(scene, "nodes", call->n_nodes);
		ph_scene_data_number(scene, "value", call->inclusive);
		ph_call_path(&path, graph, &layout->layers, i, 0, where);
		ph_scene_path(scene, &path, call_style(graph, call, is_back));
		ph_scene_close(scene);
	}
}

static PhStyle
circle_style(const PhCallGraph *graph, const PhFunctionGraph *layout, PhPalette palette,
			 const PhFunction *function)
{
	PhColor fill = ph_color_sequential(palette, shade_of(layout->most_nodes, function->n_nodes));
	PhStyle style = {
		.fill = fill, .stroke = ph_color_mix(fill, ph_ink(), 0.4), .stroke_width = 0.8};

	if (!graph->given)
		return style;
	if (function->selected)
		style.stroke = ph_ink();
	else if (function->is_caller)
		style.stroke = caller_color();
	else if (function->is_callee)
		style.stroke = callee_color();
	if (function->selected || function->is_caller || function->is_callee)
		style.stroke_width = 2.6;
	return style;
}

static void
draw_function(PhScene *scene, const PhCallGraph *graph, const PhFunctionGraph *layout,
			  PhPalette palette, PhBody where, uint32_t i)
{
	const PhFunction *function = &graph->functions[i];
	const PhLayersBox *box = &layout->layers.boxes[i];
	PhTextStyle style = ph_text_style(LABEL_SIZE, ph_ink());
	double x = where.x + box->x + layout->radii[i];
	double y = where.y + box->y + box->height / 2;

	style.halo = ph_color_hex(0xffffff);
	if (graph->given && function->selected)
		style.weight = PH_BOLD;
	else if (graph->given && function->is_caller)
		style.color = ph_color_mix(caller_color(), ph_ink(), 0.35);
	else if (graph->given && function->is_callee)
		style.color = ph_color_mix(callee_color(), ph_ink(), 0.35);
	else if (graph->given)
		style.color = ph_faint();
	ph_scene_open(scene, "function", ph_function_tooltip(scene->arena, graph, i));
	ph_function_data(scene, graph, i);
	ph_scene_circle(scene, x, y, layout->radii[i], circle_style(graph, layout, palette, function));
	ph_scene_text(scene, x + layout->radii[i] + 3, y + LABEL_SIZE * 0.36, layout->labels[i], style);
	ph_scene_close(scene);
}

void
ph_function_graph_draw(PhScene *scene, const PhCallGraph *graph, const PhFunctionGraph *layout,
					   PhPalette palette, PhBody where)
{
	ph_scene_open(scene, "function-graph", NULL);
	draw_calls(scene, graph, layout, where, false);
	draw_calls(scene, graph, layout, where, true);
	for (uint32_t i = 0; i < graph->n; i++)
		draw_function(scene, graph, layout, palette, where, i);
	ph_scene_close(scene);
}

void
ph_function_graph_legend(PhScene *scene, const PhCallGraph *graph, const PhFunctionGraph *layout,
						 PhPalette palette)
{
	PhRamp ramp = {.palette = palette,
				   .map = ph_color_sequential,
				   .t_low = 0,
				   .title = "size and colour: call tree nodes",
				   .low = "1",
				   .high = ph_need_format(scene->arena, "%u", layout->most_nodes)};
	PhKey key = {ph_legend_ramp(scene, PH_MARGIN, &ramp), ph_key().y};
	double x;

	if (!graph->given)
		return;
	ph_scene_open(scene, "legend", NULL);
	x = ph_key_word(scene, &key, "callers");
	ph_scene_line(scene, x, key.y, x + 16, key.y, ph_stroke(caller_color(), 1.8));
	x = ph_key_word(scene, &key, "callees");
	ph_scene_line(scene, x, key.y, x + 16, key.y, ph_stroke(callee_color(), 1.8));
	ph_scene_close(scene);
}
