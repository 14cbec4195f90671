/*
 * cct_draw.c - the placed boxes of a call tree as a scene.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/dark.h"
#include "drawing/range.h"
#include "views/calls/cct.h"

#define NAME_SIZE 10.0
#define NAME_AIR 5.0
#define RADIAL_NAMES 80 /* at most tried, dearest first */
#define FADED 0.78		/* how much of a node that does not match is white */

/* ---- colours ------------------------------------------------------------------------------- */

void
ph_cct_paint(PhArena *arena, const PhCct *cct, PhCctPaint *paint)
{
	const char **names = ph_need(arena, cct->n, sizeof(char *));
	double *weights = ph_need(arena, cct->n, sizeof(double));
	double *colors = ph_need(arena, cct->n, sizeof(double));

	uint32_t n = 0;

	for (uint32_t i = 0; i < cct->n; i++)
	{
		if (cct->nodes[i].is_others)
			continue;
		names[n] = cct->nodes[i].module ? cct->nodes[i].module : "<unknown>";
		weights[n] = cct->nodes[i].mean;
		colors[n++] = cct->nodes[i].color;
	}
	if (isnan(paint->low))
		paint->low = paint->color == PH_CCT_IMBALANCE ? 1 : 0;
	if (isnan(paint->high))
	{
		paint->high = fmax(ph_range_robust(arena, colors, n).high, paint->low);
		for (uint32_t i = 0; i < n; i++)
			paint->beyond += colors[i] > paint->high;
	}
	ph_categories_build(arena, paint->palette, names, weights, n, &paint->categories);
}

static PhColor
node_color(const PhCct *cct, const PhCctPaint *paint, const PhCctNode *node)
{
	double range = paint->high - paint->low;
	PhColor color = ph_color_sequential(
		paint->palette, range > 0 ? (node->color - paint->low) / range : node->color * 0);

	if (paint->beyond > 0 && node->color > paint->high)
		color = ph_color_beyond(paint->palette);
	if (paint->color == PH_CCT_MODULE)
		color = ph_categories_color(&paint->categories, node->module ? node->module : "<unknown>");
	if (cct->has_highlights && !node->matches)
		return ph_color_recede(color, FADED);
	return color;
}

/* ---- links --------------------------------------------------------------------------------- */

static double
middle_x(const PhCctNode *node)
{
	return node->x + node->width / 2;
}

static double
middle_y(const PhCctNode *node)
{
	return node->y + node->height / 2;
}

static void
link_tree(PhPath *path, const PhCctNode *parent, const PhCctNode *node, PhBody where)
{
	double x0 = where.x + parent->x + parent->width;
	double y0 = where.y + middle_y(parent);
	double x1 = where.x + node->x;
	double y1 = where.y + middle_y(node);
	double bend = x1 - fmin((x1 - x0) / 2, 26);

	ph_path_move(path, x0, y0);
	ph_path_line(path, bend - 8, y0);
	ph_path_curve(path, bend + 6, y0, bend - 4, y1, x1, y1);
}

/* Bends half way between the rings. */
static void
link_radial(PhPath *path, const PhCct *cct, const PhCctNode *parent, const PhCctNode *node,
			PhBody where)
{
	double cx = where.x + cct->center_x;
	double cy = where.y + cct->center_y;
	double x0 = where.x + middle_x(parent);
	double y0 = where.y + middle_y(parent);
	double x1 = where.x + middle_x(node);
	double y1 = where.y + middle_y(node);
	double inner = hypot(x0 - cx, y0 - cy);
	double half = (inner + hypot(x1 - cx, y1 - cy)) / 2;
	double from = inner > 0 ? parent->angle : node->angle;

	ph_path_move(path, x0, y0);
	ph_path_curve(path, cx + half * sin(from), cy - half * cos(from), cx + half * sin(node->angle),
				  cy - half * cos(node->angle), x1, y1);
}

static void
draw_links(PhScene *scene, const PhCct *cct, const PhCctPaint *paint, PhBody where)
{
	PhPath path = ph_path(scene);

	ph_scene_open(scene, "links", NULL);
	for (uint32_t i = 0; i < cct->n; i++)
	{
		const PhCctNode *node = &cct->nodes[i];

		if (node->parent == PH_CCT_NO_PARENT)
			continue;
		if (paint->radial)
			link_radial(&path, cct, &cct->nodes[node->parent], node, where);
		else
			link_tree(&path, &cct->nodes[node->parent], node, where);
	}
	ph_scene_path(scene, &path, ph_stroke(ph_color_hex(0xc3cad4), 1));
	ph_scene_close(scene);
}

/* ---- boxes --------------------------------------------------------------------------------- */

static const char *
tooltip(PhScene *scene, const PhCct *cct, const PhCctPaint *paint, const PhCctNode *node)
{
	PhArena *arena = scene->arena;
	const char *text = ph_need_format(
		arena, "%s%s%s%s\nself: least %s, mean %s, greatest %s", node->name,
		node->module ? " [" : "", node->module ? node->module : "", node->module ? "]" : "",
		ph_value(arena, paint->unit_name, node->min), ph_value(arena, paint->unit_name, node->mean),
		ph_value(arena, paint->unit_name, node->max));

	if (node->worst && node->max > 0)
		text = ph_need_format(arena, "%s (%s)", text, node->worst);
	text = ph_need_format(arena, "%s\ninclusive, mean %s", text,
						  ph_value(arena, paint->unit_name, node->inclusive));
	if (cct->has_highlights && node->matches)
		text = ph_need_format(arena, "%s\nmatches the query", text);
	return text;
}

static void
draw_others(PhScene *scene, const PhCctPaint *paint, const PhCctNode *node, PhBody where)
{
	const char *cost = ph_value(scene->arena, paint->unit_name, node->inclusive);

	ph_scene_open(scene, "others",
				  ph_need_format(scene->arena,
								 "%u other%s: call paths that the filter left out\n"
								 "inclusive, mean %s",
								 node->n_others, node->n_others == 1 ? "" : "s", cost));
	ph_scene_data(scene, "run", paint->run);
	ph_scene_data_number(scene, "value", node->inclusive);
	ph_scene_rect(scene, where.x + node->x, where.y + node->y, node->width, node->height,
				  ph_fill(ph_color_hex(0xc9ced6)));
	ph_scene_close(scene);
}

static void
draw_box(PhScene *scene, const PhCct *cct, const PhCctPaint *paint, const PhCctNode *node,
		 PhBody where)
{
	PhColor fill = node_color(cct, paint, node);
	double x = where.x + node->x;
	double y = where.y + node->y;
	bool stands_out = cct->has_highlights && node->matches;

	ph_scene_open(scene, "node", tooltip(scene, cct, paint, node));
	ph_scene_data(scene, "node", node->node);
	ph_scene_data(scene, "label", node->name);
	ph_scene_data(scene, "run", paint->run);
	ph_scene_data(scene, "rank", node->worst);
	if (cct->has_highlights)
		ph_scene_data(scene, "match", node->matches ? "true" : "false");
	ph_scene_data_number(scene, "value", node->max);
	ph_scene_data_number(scene, "min", node->min);
	ph_scene_data_number(scene, "mean", node->mean);
	ph_scene_data_number(scene, "color", node->color);
	ph_scene_rect(scene, x, y, node->width, node->height,
				  (PhStyle){.fill = fill,
							.stroke = ph_color_mix(fill, ph_color_hex(0), 0.45),
							.stroke_width = 0.5});
	if (stands_out)
		ph_scene_rect(scene, x - 1.5, y - 1.5, node->width + 3, node->height + 3,
					  ph_stroke(ph_ink(), 1.4));
	ph_scene_close(scene);
}

/* ---- names --------------------------------------------------------------------------------- */

static PhTextStyle
name_style(const PhCct *cct, const PhCctNode *node)
{
	PhTextStyle style = ph_text_style(NAME_SIZE, ph_ink());

	style.halo = ph_color_alpha(ph_color_hex(0xffffff), 0.9);
	if (cct->has_highlights && node->matches)
		style.weight = PH_BOLD;
	else if (cct->has_highlights)
		style.color = ph_color_hex(0x8a94a3);
	return style;
}

/* Right of the box; a leaf's may go on to the end, for nothing else is in its band. */
static uint32_t
name_tree(PhScene *scene, const PhCct *cct, PhBody where)
{
	uint32_t left_out = 0;

	ph_scene_open(scene, "names", NULL);
	for (uint32_t i = 0; i < cct->n; i++)
	{
		const PhCctNode *node = &cct->nodes[i];
		double x = node->x + node->width + NAME_AIR;
		double end = node->is_leaf ? cct->width : cct->column_x[node->depth + 1] - 12;

		if (node->band_height < NAME_SIZE + 2 ||
			!ph_scene_name_fit(scene, where.x + x, where.y + middle_y(node) + NAME_SIZE * 0.35,
							   end - x, node->name, name_style(cct, node)))
			left_out++;
	}
	ph_scene_close(scene);
	return left_out;
}

static bool
touches(PhBody a, PhBody b)
{
	return a.x < b.x + b.width + 1 && b.x < a.x + a.width + 1 && a.y < b.y + b.height &&
		   b.y < a.y + a.height;
}

static bool
is_free(const PhCct *cct, const PhCctNode *own, const PhBody *names, uint32_t n, PhBody box)
{
	if (box.x < 0 || box.x + box.width > cct->width || box.y < 0 ||
		box.y + box.height > cct->height)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (touches(names[i], box))
			return false;
	for (uint32_t i = 0; i < cct->n; i++)
	{
		const PhCctNode *node = &cct->nodes[i];

		if (node != own && touches((PhBody){node->x, node->y, node->width, node->height}, box))
			return false;
	}
	return true;
}

static int
dearest_first(const void *a, const void *b)
{
	const PhCctNode *left = *(const PhCctNode *const *) a;
	const PhCctNode *right = *(const PhCctNode *const *) b;

	if (left->matches != right->matches)
		return left->matches ? -1 : 1;
	if (left->max != right->max)
		return left->max > right->max ? -1 : 1;
	return (left > right) - (left < right);
}

/* Beside the box on its outer side, where it touches neither boxes nor other names. */
static bool
name_radial_node(PhScene *scene, const PhCct *cct, const PhCctNode *node, PhBody *names, uint32_t n,
				 PhBody where)
{
	PhTextStyle style = name_style(cct, node);
	const char *text =
		ph_fonts_fit_name(scene->fonts, scene->arena, ph_text_clean(scene->arena, node->name),
						  NAME_SIZE, style.weight, 170);
	PhBody box = {.y = middle_y(node) - NAME_SIZE * 0.7, .height = NAME_SIZE * 1.4};
	bool right = sin(node->angle) >= -0.001;

	if (text == NULL)
		return false;
	box.width = ph_fonts_width(scene->fonts, text, NAME_SIZE, style.weight);
	box.x = right ? node->x + node->width + NAME_AIR : node->x - NAME_AIR - box.width;
	if (!is_free(cct, node, names, n, box))
		return false;
	names[n] = box;
	style.anchor = right ? PH_START : PH_END;
	ph_scene_text(scene, where.x + (right ? box.x : box.x + box.width),
				  where.y + middle_y(node) + NAME_SIZE * 0.35, text, style);
	return true;
}

static uint32_t
name_radial(PhScene *scene, const PhCct *cct, PhBody where)
{
	const PhCctNode **order = ph_need(scene->arena, cct->n, sizeof(PhCctNode *));
	PhBody *names = ph_need(scene->arena, RADIAL_NAMES, sizeof(PhBody));
	uint32_t n = 0;

	for (uint32_t i = 0; i < cct->n; i++)
		order[i] = &cct->nodes[i];
	if (cct->n > 0)
		qsort(order, cct->n, sizeof(*order), dearest_first);
	ph_scene_open(scene, "names", NULL);
	for (uint32_t i = 0; i < cct->n && i < RADIAL_NAMES; i++)
		n += name_radial_node(scene, cct, order[i], names, n, where);
	ph_scene_close(scene);
	return cct->n - n;
}

uint32_t
ph_cct_draw(PhScene *scene, const PhCct *cct, const PhCctPaint *paint, PhBody where)
{
	uint32_t left_out;

	ph_scene_open(scene, "cct", NULL);
	ph_scene_data(scene, "run", paint->run);
	draw_links(scene, cct, paint, where);
	for (uint32_t i = 0; i < cct->n; i++)
		if (cct->nodes[i].is_others)
			draw_others(scene, paint, &cct->nodes[i], where);
		else
			draw_box(scene, cct, paint, &cct->nodes[i], where);
	left_out = paint->radial ? name_radial(scene, cct, where) : name_tree(scene, cct, where);
	ph_scene_close(scene);
	return left_out;
}
