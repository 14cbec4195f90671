/*
 * draw_cairo.c - a scene as PNG or PDF; the only file that knows Cairo.
 *
 * Fonts are unhinted, so that letters have the widths that the layouts measured at any zoom.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>
#include <pango/pangocairo.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/dark.h"
#include "drawing/draw.h"
#include "drawing/snap.h"

#define MAX_PIXELS_A_SIDE 32000.0
#define MAX_PIXELS 4e8
#define POINTS_PER_UNIT 0.75 /* 96 units an inch, as in CSS */

typedef struct Canvas
{
	cairo_t *cairo;
	double zoom; /* device pixels per unit; 0: there are no pixels */
	PangoLayout *layout;
	PangoFontDescription *font;
} Canvas;

void *
ph_draw_font_context(void)
{
	PangoFontMap *map = pango_cairo_font_map_new();
	PangoContext *context;
	cairo_font_options_t *options = cairo_font_options_create();

	pango_cairo_font_map_set_resolution(PANGO_CAIRO_FONT_MAP(map), 96);
	context = pango_font_map_create_context(map);
	cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
	cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	pango_cairo_context_set_font_options(context, options);
	pango_context_set_round_glyph_positions(context, FALSE);
	cairo_font_options_destroy(options);
	g_object_unref(map);
	return context;
}

static void
set_color(cairo_t *cairo, PhColor color)
{
	cairo_set_source_rgba(cairo, color.r / 255.0, color.g / 255.0, color.b / 255.0,
						  color.a / 255.0);
}

/* Fills and strokes the current path. */
static void
paint(cairo_t *cairo, const PhStyle *style)
{
	if (style->fill.a > 0)
	{
		set_color(cairo, style->fill);
		cairo_fill_preserve(cairo);
	}
	if (style->stroke.a > 0 && style->stroke_width > 0)
	{
		set_color(cairo, style->stroke);
		cairo_set_line_width(cairo, style->stroke_width);
		cairo_set_dash(cairo, &style->dash, style->dash > 0 ? 1 : 0, 0);
		cairo_stroke_preserve(cairo);
	}
	cairo_new_path(cairo);
}

static void
trace_path(cairo_t *cairo, const PhItem *item)
{
	for (uint32_t i = 0; i < item->n_steps; i++)
	{
		const double *x = item->steps[i].x;

		switch (item->steps[i].op)
		{
			case 'M':
				cairo_move_to(cairo, x[0], x[1]);
				break;
			case 'L':
				cairo_line_to(cairo, x[0], x[1]);
				break;
			case 'C':
				cairo_curve_to(cairo, x[0], x[1], x[2], x[3], x[4], x[5]);
				break;
			default:
				cairo_close_path(cairo);
		}
	}
}

static double
anchor_shift(PhAnchor anchor, double width)
{
	return anchor == PH_END ? -width : anchor == PH_MIDDLE ? -width / 2 : 0;
}

static void
draw_text(Canvas *canvas, const PhItem *item)
{
	const PhTextStyle *style = &item->text_style;
	PangoLayoutLine *line;
	PangoRectangle logical;

	pango_font_description_set_absolute_size(canvas->font, style->size * PANGO_SCALE);
	pango_font_description_set_weight(canvas->font, style->weight == PH_BOLD ? PANGO_WEIGHT_BOLD
																			 : PANGO_WEIGHT_NORMAL);
	pango_layout_set_font_description(canvas->layout, canvas->font);
	pango_layout_set_text(canvas->layout, item->text, -1);
	pango_layout_get_extents(canvas->layout, NULL, &logical);
	line = pango_layout_get_line_readonly(canvas->layout, 0);
	cairo_save(canvas->cairo);
	cairo_translate(canvas->cairo, item->x, item->y);
	if (style->vertical)
		cairo_rotate(canvas->cairo, -M_PI / 2);
	cairo_move_to(canvas->cairo, anchor_shift(style->anchor, (double) logical.width / PANGO_SCALE),
				  0);
	if (style->halo.a > 0)
	{
		pango_cairo_layout_line_path(canvas->cairo, line);
		set_color(canvas->cairo, style->halo);
		cairo_set_line_width(canvas->cairo, 3);
		cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
		cairo_set_dash(canvas->cairo, NULL, 0, 0);
		cairo_stroke(canvas->cairo);
		cairo_move_to(canvas->cairo,
					  anchor_shift(style->anchor, (double) logical.width / PANGO_SCALE), 0);
	}
	set_color(canvas->cairo, style->color);
	pango_cairo_show_layout_line(canvas->cairo, line);
	cairo_restore(canvas->cairo);
	cairo_new_path(canvas->cairo);
}

/* Rectangles of plain colour are on whole pixels; borders are where they are. */
static void
draw_rect(Canvas *canvas, const PhItem *item)
{
	double zoom = canvas->zoom;
	PhSnapped at;

	if (zoom <= 0 || item->style.stroke.a > 0)
		cairo_rectangle(canvas->cairo, item->x, item->y, item->width, item->height);
	else if (ph_snap(item, zoom, &at))
		cairo_rectangle(canvas->cairo, at.x / zoom, at.y / zoom, at.width / zoom, at.height / zoom);
	paint(canvas->cairo, &item->style);
}

static void
draw_item(Canvas *canvas, const PhItem *item)
{
	switch (item->kind)
	{
		case PH_ITEM_RECT:
			draw_rect(canvas, item);
			break;
		case PH_ITEM_CIRCLE:
			cairo_arc(canvas->cairo, item->x, item->y, item->width, 0, 2 * M_PI);
			paint(canvas->cairo, &item->style);
			break;
		case PH_ITEM_PATH:
			trace_path(canvas->cairo, item);
			paint(canvas->cairo, &item->style);
			break;
		case PH_ITEM_TEXT:
			draw_text(canvas, item);
			break;
		case PH_ITEM_IMAGE:
		case PH_ITEM_OPEN:
		case PH_ITEM_CLOSE:
			break;
	}
}

static void
draw_scene(cairo_t *cairo, const PhScene *scene, double zoom)
{
	Canvas canvas = {.cairo = cairo, .zoom = zoom};
	PangoContext *context = ph_draw_font_context();

	pango_cairo_update_context(cairo, context);
	canvas.layout = pango_layout_new(context);
	pango_layout_set_single_paragraph_mode(canvas.layout, TRUE);
	canvas.font = pango_font_description_from_string(PH_FONT_FAMILY);
	set_color(cairo, scene->is_dark ? ph_dark_ground() : ph_color_hex(0xffffff));
	cairo_paint(cairo);
	for (uint32_t i = 0; i < scene->n_items; i++)
		draw_item(&canvas, &scene->items[i]);
	pango_font_description_free(canvas.font);
	g_object_unref(canvas.layout);
	g_object_unref(context);
}

static cairo_status_t
collect(void *closure, const unsigned char *data, unsigned length)
{
	PhPicture *picture = closure;
	size_t wanted = picture->size + length;
	size_t capacity = 1;
	unsigned char *grown;

	while (capacity < wanted) /* powers of two, so that the copying stays linear */
		capacity *= 2;
	grown = realloc(picture->bytes, capacity);
	if (grown == NULL)
		return CAIRO_STATUS_NO_MEMORY;
	memcpy(grown + picture->size, data, length);
	picture->bytes = grown;
	picture->size = wanted;
	return CAIRO_STATUS_SUCCESS;
}

static bool
finish(cairo_status_t status, PhPicture *picture, const char **message)
{
	if (status == CAIRO_STATUS_SUCCESS)
		return true;
	*message = cairo_status_to_string(status);
	free(picture->bytes);
	*picture = (PhPicture){.no_memory = status == CAIRO_STATUS_NO_MEMORY};
	return false;
}

bool
ph_draw_png(const PhScene *scene, double zoom, PhPicture *out, const char **message)
{
	double width = ceil(scene->width * zoom);
	double height = ceil(scene->height * zoom);
	cairo_surface_t *surface;
	cairo_status_t status;
	cairo_t *cairo;

	*out = (PhPicture){0};
	if (width > MAX_PIXELS_A_SIDE || height > MAX_PIXELS_A_SIDE || width * height > MAX_PIXELS)
	{
		*message = "the picture is too large for PNG; filter more, use a smaller --scale, "
				   "--width or --height, or SVG";
		return false;
	}
	surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int) width, (int) height);
	cairo = cairo_create(surface);
	cairo_scale(cairo, zoom, zoom);
	draw_scene(cairo, scene, zoom);
	status = cairo_status(cairo);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_write_to_png_stream(surface, collect, out);
	cairo_destroy(cairo);
	cairo_surface_destroy(surface);
	return finish(status, out, message);
}

bool
ph_draw_pdf(const PhScene *scene, PhPicture *out, const char **message)
{
	cairo_surface_t *surface;
	cairo_status_t status;
	cairo_t *cairo;

	*out = (PhPicture){0};
	surface = cairo_pdf_surface_create_for_stream(collect, out, scene->width * POINTS_PER_UNIT,
												  scene->height * POINTS_PER_UNIT);
	/* a fixed date keeps the bytes the same */
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
	if (scene->description)
		cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, scene->description);
	cairo = cairo_create(surface);
	cairo_scale(cairo, POINTS_PER_UNIT, POINTS_PER_UNIT);
	draw_scene(cairo, scene, 0);
	cairo_show_page(cairo);
	status = cairo_status(cairo);
	cairo_destroy(cairo);
	cairo_surface_finish(surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return finish(status, out, message);
}
