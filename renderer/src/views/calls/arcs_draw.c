/*
 * arcs_draw.c - functions as circles of their own cost with arcs per caller.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "drawing/small_multiples.h"
#include "views/calls/function_graph.h"

#define RING_GAP 2.5
#define RING_WIDTH 6.0
#define LABEL_SIZE 10.0
#define WIDEST 14.0 /* line of all cost */
#define THINNEST 0.7
#define STEP (1.0 / 90) /* turn between points of an arc */
#define TURN 6.283185307179586

static double
line_width(const PhCallGraph *graph, double inclusive)
{
	return graph->total > 0 ? fmax(WIDEST * inclusive / graph->total, THINNEST) : THINNEST;
}

/* A point of a circle; turns count from the top, clockwise. */
static void
add_point(PhPath *path, bool first, double x, double y, double radius, double turn)
{
	double to_x = x + radius * sin(turn * TURN);
	double to_y = y - radius * cos(turn * TURN);

	if (first)
		ph_path_move(path, to_x, to_y);
	else
		ph_path_line(path, to_x, to_y);
}

static void
draw_slice(PhScene *scene, const PhCallGraph *graph, const PhFunctionArcs *layout,
		   const PhArcSlice *slice, double x, double y)
{
	double inner = layout->radii[slice->function] + RING_GAP;
	double outer = inner + RING_WIDTH;
	uint32_t n = (uint32_t) ceil((slice->to - slice->from) / STEP);
	const char *caller = graph->functions[slice->caller].name;
	PhPath path = ph_path(scene);

	n = n > 0 ? n : 1;
	for (uint32_t i = 0; i <= n; i++)
		add_point(&path, i == 0, x, y, outer, slice->from + (slice->to - slice->from) * i / n);
	for (uint32_t i = 0; i <= n; i++)
		add_point(&path, false, x, y, inner, slice->to - (slice->to - slice->from) * i / n);
	ph_path_close(&path);
	ph_scene_open(scene, "slice",
				  ph_need_format(scene->arena, "called by %s\n%s of its time", caller,
								 ph_percent(scene->arena, slice->share, 1)));
	ph_scene_data(scene, "caller", caller);
	ph_scene_data_number(scene, "share", slice->share);
	ph_scene_path(scene, &path,
				  (PhStyle){.fill = ph_categories_color(&layout->callers, caller),
							.stroke = ph_color_hex(0xffffff),
							.stroke_width = slice->share < 1 ? 0.7 : 0});
	ph_scene_close(scene);
}

static void
draw_function(PhScene *scene, const PhCallGraph *graph, const PhFunctionArcs *layout, PhBody where,
			  uint32_t i)
{
	const PhLayersBox *box = &layout->layers.boxes[i];
	PhTextStyle style = ph_text_style(LABEL_SIZE, ph_ink());
	bool selected = graph->given && graph->functions[i].selected;
	double x = where.x + box->x + layout->room[i];
	double y = where.y + box->y + box->height / 2;

	ph_scene_open(scene, "function", ph_function_tooltip(scene->arena, graph, i));
	ph_function_data(scene, graph, i);
	ph_scene_circle(scene, x, y, layout->radii[i],
					(PhStyle){.fill = ph_color_hex(selected ? 0xf2b134 : 0x8fa3b8),
							  .stroke = ph_color_hex(0x44566b),
							  .stroke_width = 0.8});
	for (uint32_t k = 0; k < layout->n_slices; k++)
		if (layout->slices[k].function == i)
			draw_slice(scene, graph, layout, &layout->slices[k], x, y);
	if (*layout->labels[i])
	{
		style.halo = ph_color_hex(0xffffff);
		style.weight = PH_BOLD;
		ph_scene_text(scene, x + layout->room[i] + 3, y - 1, layout->labels[i], style);
		style.weight = PH_REGULAR;
		style.size = LABEL_SIZE - 1;
		style.color = ph_faint();
		ph_scene_text_fit(
			scene, x + layout->room[i] + 3, y + 10, fmax(box->width - 2 * layout->room[i] - 4, 0),
			ph_value(scene->arena, graph->unit_name, graph->functions[i].exclusive), style);
	}
	ph_scene_close(scene);
}

static void
draw_line(PhScene *scene, const PhCallGraph *graph, const PhFunctionArcs *layout, PhBody where,
		  uint32_t i, double offset, PhStyle style)
{
	PhPath path = ph_path(scene);

	ph_call_path(&path, graph, &layout->layers, i, offset, where);
	ph_scene_path(scene, &path, style);
}

static void
draw_call(PhScene *scene, const PhCallGraph *graph, const PhFunctionArcs *layout, PhBody where,
		  uint32_t i)
{
	const PhCall *call = &graph->calls[i];
	const PhArcBundle *bundle = &layout->bundles[i];
	bool is_back = layout->layers.edges[i].is_back;
	double width = line_width(graph, bundle->bundled);

	ph_scene_open(scene, "call",
				  ph_need_format(scene->arena, "%s calls %s\n%u alike: %s\n%u outlier%s%s",
								 graph->functions[call->caller].name,
								 graph->functions[call->callee].name, bundle->n_bundled,
								 ph_value(scene->arena, graph->unit_name, bundle->bundled),
								 bundle->n_outliers, bundle->n_outliers == 1 ? "" : "s",
								 is_back ? "\ncloses a cycle" : ""));
	ph_scene_data(scene, "source", graph->functions[call->caller].name);
	ph_scene_data(scene, "target", graph->functions[call->callee].name);
	ph_scene_data_number(scene, "value", call->inclusive);
	ph_scene_data_number(scene, "bundled", bundle->n_bundled);
	ph_scene_data_number(scene, "outliers", bundle->n_outliers);
	if (bundle->n_bundled > 0)
		draw_line(scene, graph, layout, where, i, 0,
				  (PhStyle){.stroke = ph_color_alpha(ph_color_hex(0x7b8ba0), 0.45),
							.stroke_width = width,
							.dash = is_back ? 4 : 0});
	for (uint32_t k = 0; k < bundle->n_outliers; k++)
		draw_line(scene, graph, layout, where, i,
				  (k % 2 ? -1 : 1) * (width / 2 + 2.5 * (k / 2 + 1)),
				  (PhStyle){.stroke = ph_color_alpha(ph_color_hex(0xc2410c), 0.75),
							.stroke_width = line_width(graph, call->values[k])});
	ph_scene_close(scene);
}

void
ph_function_arcs_draw(PhScene *scene, const PhCallGraph *graph, const PhFunctionArcs *layout,
					  PhBody where)
{
	ph_scene_open(scene, "function-arcs", NULL);
	for (uint32_t i = 0; i < graph->n_calls; i++)
		draw_call(scene, graph, layout, where, i);
	for (uint32_t i = 0; i < graph->n; i++)
		draw_function(scene, graph, layout, where, i);
	ph_scene_close(scene);
}

void
ph_function_arcs_legend(PhScene *scene, const PhCallGraph *graph, const PhFunctionArcs *layout)
{
	PhKey key = {PH_MARGIN, ph_key().y + 18};
	bool outliers = false;
	double x;

	for (uint32_t i = 0; i < graph->n_calls; i++)
		outliers = outliers || layout->bundles[i].n_outliers > 0;
	if (layout->callers.n > 0)
		ph_legend_categories(scene, PH_MARGIN, scene->width - PH_MARGIN, "arcs: called by",
							 &layout->callers);
	ph_scene_open(scene, "legend", NULL);
	x = ph_key_word(scene, &key, "circle: self time");
	ph_scene_circle(scene, x + 8, key.y, 5,
					(PhStyle){.fill = ph_color_hex(0x8fa3b8),
							  .stroke = ph_color_hex(0x44566b),
							  .stroke_width = 0.8});
	x = ph_key_word(scene, &key, "calls that cost alike, bundled; width: their inclusive cost");
	ph_scene_line(scene, x, key.y, x + 16, key.y,
				  ph_stroke(ph_color_alpha(ph_color_hex(0x7b8ba0), 0.6), 5));
	if (outliers)
	{
		x = ph_key_word(scene, &key, "outliers");
		ph_scene_line(scene, x, key.y, x + 16, key.y, ph_stroke(ph_color_hex(0xc2410c), 2));
	}
	ph_scene_close(scene);
}
