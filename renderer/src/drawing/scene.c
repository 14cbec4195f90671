/*
 * scene.c - the display list between layouts and drawing.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/scene.h"

#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"

#define HATCH_STEP 5.0

void
ph_scene_init(PhScene *scene, PhArena *arena, PhFonts *fonts, double width, double height)
{
	memset(scene, 0, sizeof(*scene));
	scene->arena = arena;
	scene->fonts = fonts;
	scene->width = width;
	scene->height = height;
}

static PhItem *
append(PhScene *scene, PhItemKind kind)
{
	PhItem *item;

	scene->items =
		ph_need_room(scene->arena, scene->items, scene->n_items, &scene->capacity, sizeof(PhItem));
	item = &scene->items[scene->n_items++];
	memset(item, 0, sizeof(*item));
	item->kind = kind;
	return item;
}

void
ph_scene_open(PhScene *scene, const char *role, const char *tooltip)
{
	PhItem *item = append(scene, PH_ITEM_OPEN);

	item->text = ph_need_copy(scene->arena, role);
	item->tooltip = tooltip ? ph_text_clean_lines(scene->arena, tooltip) : NULL;
	scene->open = ph_need_room(scene->arena, scene->open, scene->n_open, &scene->open_capacity,
							   sizeof(uint32_t));
	scene->open[scene->n_open++] = scene->n_items - 1;
}

void
ph_scene_data(PhScene *scene, const char *name, const char *value)
{
	PhItem *item = &scene->items[scene->open[scene->n_open - 1]];

	if (value == NULL)
		return;
	item->attributes = ph_need_room(scene->arena, item->attributes, item->n_attributes,
									&item->attribute_capacity, sizeof(PhAttribute));
	item->attributes[item->n_attributes].name = ph_need_copy(scene->arena, name);
	item->attributes[item->n_attributes++].value = ph_text_clean(scene->arena, value);
}

void
ph_scene_data_number(PhScene *scene, const char *name, double value)
{
	if (!isnan(value))
		ph_scene_data(scene, name, ph_need_format(scene->arena, "%.9g", value));
}

void
ph_scene_close(PhScene *scene)
{
	append(scene, PH_ITEM_CLOSE);
	scene->n_open--;
}

void
ph_scene_rect(PhScene *scene, double x, double y, double width, double height, PhStyle style)
{
	PhItem *item = append(scene, PH_ITEM_RECT);

	item->x = x;
	item->y = y;
	item->width = width;
	item->height = height;
	item->style = style;
}

void
ph_scene_circle(PhScene *scene, double x, double y, double radius, PhStyle style)
{
	PhItem *item = append(scene, PH_ITEM_CIRCLE);

	item->x = x;
	item->y = y;
	item->width = radius;
	item->style = style;
}

void
ph_scene_image(PhScene *scene, double x, double y, double width, double height, const char *png)
{
	PhItem *item = append(scene, PH_ITEM_IMAGE);

	item->x = x;
	item->y = y;
	item->width = width;
	item->height = height;
	item->text = png;
}

void
ph_scene_line(PhScene *scene, double x0, double y0, double x1, double y1, PhStyle style)
{
	PhPath path = ph_path(scene);

	ph_path_move(&path, x0, y0);
	ph_path_line(&path, x1, y1);
	ph_scene_path(scene, &path, style);
}

void
ph_scene_text(PhScene *scene, double x, double y, const char *text, PhTextStyle style)
{
	PhItem *item;

	if (text == NULL || *text == '\0')
		return;
	item = append(scene, PH_ITEM_TEXT);
	item->x = x;
	item->y = y;
	item->text = ph_text_clean(scene->arena, text);
	item->text_style = style;
}

static bool
draw_fitted(PhScene *scene, double x, double y, const char *fitted, PhTextStyle style)
{
	if (fitted == NULL || *fitted == '\0')
		return false;
	ph_scene_text(scene, x, y, fitted, style);
	return true;
}

bool
ph_scene_text_fit(PhScene *scene, double x, double y, double width, const char *text,
				  PhTextStyle style)
{
	const char *fitted = ph_fonts_fit(scene->fonts, scene->arena, ph_text_clean(scene->arena, text),
									  style.size, style.weight, width);

	return draw_fitted(scene, x, y, fitted, style);
}

bool
ph_scene_name_fit(PhScene *scene, double x, double y, double width, const char *text,
				  PhTextStyle style)
{
	const char *fitted =
		ph_fonts_fit_name(scene->fonts, scene->arena, ph_text_clean(scene->arena, text), style.size,
						  style.weight, width);

	return draw_fitted(scene, x, y, fitted, style);
}

void
ph_scene_hatch(PhScene *scene, double x, double y, double width, double height, PhColor color)
{
	PhPath path = ph_path(scene);

	if (width <= 0 || height <= 0)
		return;
	/* lines px + py = c, aligned to the picture so that neighbours continue each other */
	for (double c = ceil((x + y) / HATCH_STEP) * HATCH_STEP; c < x + y + width + height;
		 c += HATCH_STEP)
	{
		double from_x = fmax(x, c - (y + height));
		double to_x = fmin(x + width, c - y);

		if (to_x - from_x < 0.01)
			continue;
		ph_path_move(&path, from_x, c - from_x);
		ph_path_line(&path, to_x, c - to_x);
	}
	if (path.n > 0)
		ph_scene_path(scene, &path, ph_stroke(color, 1));
}

PhPath
ph_path(PhScene *scene)
{
	return (PhPath){.arena = scene->arena};
}

static double *
add_step(PhPath *path, char op)
{
	path->steps =
		ph_need_room(path->arena, path->steps, path->n, &path->capacity, sizeof(PhPathStep));
	path->steps[path->n].op = op;
	return path->steps[path->n++].x;
}

void
ph_path_move(PhPath *path, double x, double y)
{
	double *to = add_step(path, 'M');

	to[0] = x;
	to[1] = y;
}

void
ph_path_line(PhPath *path, double x, double y)
{
	double *to = add_step(path, 'L');

	to[0] = x;
	to[1] = y;
}

void
ph_path_curve(PhPath *path, double x1, double y1, double x2, double y2, double x, double y)
{
	const double points[6] = {x1, y1, x2, y2, x, y};

	memcpy(add_step(path, 'C'), points, sizeof(points));
}

void
ph_path_close(PhPath *path)
{
	add_step(path, 'Z');
}

void
ph_scene_path(PhScene *scene, const PhPath *path, PhStyle style)
{
	PhItem *item;

	if (path->n == 0)
		return;
	item = append(scene, PH_ITEM_PATH);
	item->steps = path->steps;
	item->n_steps = path->n;
	item->style = style;
}

PhStyle
ph_fill(PhColor color)
{
	return (PhStyle){.fill = color};
}

PhStyle
ph_stroke(PhColor color, double width)
{
	return (PhStyle){.stroke = color, .stroke_width = width};
}

PhTextStyle
ph_text_style(double size, PhColor color)
{
	return (PhTextStyle){.size = size, .color = color};
}
