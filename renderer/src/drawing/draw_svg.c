/*
 * draw_svg.c - a scene as SVG text.
 *
 * Rectangles of plain colour stand on whole units and are drawn with crisp edges, so that browsers
 * blend no cell with its neighbours at any width; lines, curves and borders are smoothed.
 *
 * An own writer, so that the same scene gives the same bytes: numbers with at most two decimals,
 * attributes in byte order, no dates. Everything that comes from outside is escaped here and
 * nowhere else. Groups carry data-* attributes and <title> tooltips.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/draw.h"
#include "drawing/snap.h"
#include "drawing/svg_text.h"

#define MAX_ATTRIBUTES 32

typedef struct Attribute
{
	const char *name;
	char number[PH_SVG_NUMBER_SIZE];
	const char *value; /* NULL: number */
	bool data;
} Attribute;

typedef struct Writer
{
	PhSvgText text;
	uint32_t depth;
	uint32_t n;
	Attribute attributes[MAX_ATTRIBUTES];
} Writer;

static void
attribute(Writer *writer, const char *name, const char *value)
{
	if (writer->n == MAX_ATTRIBUTES)
		return;
	writer->attributes[writer->n].name = name;
	writer->attributes[writer->n].data = false;
	writer->attributes[writer->n++].value = value;
}

static void
number(Writer *writer, const char *name, double value)
{
	if (writer->n == MAX_ATTRIBUTES)
		return;
	(void) ph_svg_number(writer->attributes[writer->n].number, value);
	attribute(writer, name, NULL);
}

static void
put_color(char out[PH_SVG_NUMBER_SIZE], PhColor value)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t parts[] = {value.r, value.g, value.b};

	*out++ = '#';
	for (size_t i = 0; i < sizeof(parts); i++)
	{
		*out++ = digits[parts[i] >> 4];
		*out++ = digits[parts[i] & 15];
	}
	*out = '\0';
}

static void
color(Writer *writer, const char *name, const char *opacity, PhColor value)
{
	if (writer->n == MAX_ATTRIBUTES)
		return;
	put_color(writer->attributes[writer->n].number, value);
	attribute(writer, name, NULL);
	if (value.a < 255)
		number(writer, opacity, value.a / 255.0);
}

/* They are few, and nearly in order. */
static void
sort_attributes(Writer *writer)
{
	for (uint32_t i = 1; i < writer->n; i++)
	{
		Attribute moved = writer->attributes[i];
		uint32_t at = i;

		for (; at > 0 && strcmp(writer->attributes[at - 1].name, moved.name) > 0; at--)
			writer->attributes[at] = writer->attributes[at - 1];
		writer->attributes[at] = moved;
	}
}

/* "<name attributes" without the closing bracket; forgets the attributes. */
static void
start(Writer *writer, const char *name)
{
	PhSvgText *text = &writer->text;

	for (uint32_t i = 0; i < writer->depth; i++)
		ph_svg_putc(text, ' ');
	ph_svg_putc(text, '<');
	ph_svg_puts(text, name);
	sort_attributes(writer);
	for (uint32_t i = 0; i < writer->n; i++)
	{
		const Attribute *attribute = &writer->attributes[i];

		ph_svg_puts(text, attribute->data ? " data-" : " ");
		ph_svg_puts(text, attribute->name);
		ph_svg_puts(text, "=\"");
		ph_svg_put_escaped(text, attribute->value ? attribute->value : attribute->number);
		ph_svg_putc(text, '"');
	}
	writer->n = 0;
}

static void
style_attributes(Writer *writer, const PhStyle *style)
{
	if (style->fill.a > 0)
		color(writer, "fill", "fill-opacity", style->fill);
	else
		attribute(writer, "fill", "none");
	if (style->stroke.a == 0 || style->stroke_width <= 0)
		return;
	color(writer, "stroke", "stroke-opacity", style->stroke);
	if (style->stroke_width != 1)
		number(writer, "stroke-width", style->stroke_width);
	if (style->dash > 0)
		number(writer, "stroke-dasharray", style->dash);
}

static void
open_group(Writer *writer, const PhItem *item)
{
	attribute(writer, "class", item->text);
	for (uint32_t i = 0; i < item->n_attributes; i++)
	{
		attribute(writer, item->attributes[i].name, item->attributes[i].value);
		writer->attributes[writer->n - 1].data = true;
	}
	start(writer, "g");
	ph_svg_puts(&writer->text, ">");
	if (item->tooltip)
	{
		ph_svg_puts(&writer->text, "<title>");
		ph_svg_put_escaped(&writer->text, item->tooltip);
		ph_svg_puts(&writer->text, "</title>");
	}
	ph_svg_putc(&writer->text, '\n');
	writer->depth++;
}

static void
close_group(Writer *writer)
{
	writer->depth--;
	start(writer, "/g");
	ph_svg_puts(&writer->text, ">\n");
}

/* The root says crispEdges, which is right for cells only. */
static void
smooth(Writer *writer)
{
	attribute(writer, "shape-rendering", "auto");
}

static void
rect(Writer *writer, const PhItem *item)
{
	PhSnapped at = {item->x, item->y, item->width, item->height};

	if (item->style.stroke.a > 0)
		smooth(writer);
	else if (!ph_snap(item, 1, &at))
		return;
	number(writer, "x", at.x);
	number(writer, "y", at.y);
	number(writer, "width", at.width);
	number(writer, "height", at.height);
	style_attributes(writer, &item->style);
	start(writer, "rect");
	ph_svg_puts(&writer->text, "/>\n");
}

static void
circle(Writer *writer, const PhItem *item)
{
	number(writer, "cx", item->x);
	number(writer, "cy", item->y);
	number(writer, "r", item->width);
	smooth(writer);
	style_attributes(writer, &item->style);
	start(writer, "circle");
	ph_svg_puts(&writer->text, "/>\n");
}

static uint32_t
operands(char op)
{
	return op == 'C' ? 6 : op == 'Z' ? 0 : 2;
}

static void
path(Writer *writer, const PhItem *item)
{
	char number[PH_SVG_NUMBER_SIZE];

	if (!item->is_crisp)
		smooth(writer);
	style_attributes(writer, &item->style);
	start(writer, "path");
	ph_svg_puts(&writer->text, " d=\"");
	for (uint32_t i = 0; i < item->n_steps; i++)
	{
		ph_svg_putc(&writer->text, item->steps[i].op);
		for (uint32_t k = 0; k < operands(item->steps[i].op); k++)
		{
			size_t length = ph_svg_number(number, item->steps[i].x[k]);

			if (k > 0 && number[0] != '-')
				ph_svg_putc(&writer->text, ' ');
			ph_svg_put(&writer->text, number, length);
		}
	}
	ph_svg_puts(&writer->text, "\"/>\n");
}

static void
text(Writer *writer, const PhItem *item)
{
	const PhTextStyle *style = &item->text_style;
	char rotation[96];
	char x[PH_SVG_NUMBER_SIZE];
	char y[PH_SVG_NUMBER_SIZE];

	number(writer, "x", item->x);
	number(writer, "y", item->y);
	number(writer, "font-size", style->size);
	color(writer, "fill", "fill-opacity", style->color);
	if (style->weight == PH_BOLD)
		attribute(writer, "font-weight", "bold");
	if (style->anchor != PH_START)
		attribute(writer, "text-anchor", style->anchor == PH_END ? "end" : "middle");
	if (style->halo.a > 0)
	{
		attribute(writer, "paint-order", "stroke");
		color(writer, "stroke", "stroke-opacity", style->halo);
		attribute(writer, "stroke-linejoin", "round");
		number(writer, "stroke-width", 3);
	}
	if (style->vertical)
	{
		(void) ph_svg_number(x, item->x);
		(void) ph_svg_number(y, item->y);
		snprintf(rotation, sizeof(rotation), "rotate(-90 %s %s)", x, y);
		attribute(writer, "transform", rotation);
	}
	start(writer, "text");
	ph_svg_puts(&writer->text, ">");
	ph_svg_put_escaped(&writer->text, item->text);
	ph_svg_puts(&writer->text, "</text>\n");
}

static void
image(Writer *writer, const PhItem *item)
{
	number(writer, "x", item->x);
	number(writer, "y", item->y);
	number(writer, "width", item->width);
	number(writer, "height", item->height);
	attribute(writer, "image-rendering", "pixelated");
	attribute(writer, "preserveAspectRatio", "none");
	attribute(writer, "pointer-events", "none"); /* what is under it may be pointed at */
	start(writer, "image");
	ph_svg_puts(&writer->text, " href=\"data:image/png;base64,");
	ph_svg_puts(&writer->text, item->text);
	ph_svg_puts(&writer->text, "\"/>\n");
}

static void
draw_item(Writer *writer, const PhItem *item)
{
	switch (item->kind)
	{
		case PH_ITEM_OPEN:
			open_group(writer, item);
			break;
		case PH_ITEM_CLOSE:
			close_group(writer);
			break;
		case PH_ITEM_RECT:
			rect(writer, item);
			break;
		case PH_ITEM_CIRCLE:
			circle(writer, item);
			break;
		case PH_ITEM_PATH:
			path(writer, item);
			break;
		case PH_ITEM_TEXT:
			text(writer, item);
			break;
		case PH_ITEM_IMAGE:
			image(writer, item);
			break;
	}
}

static void
draw_document(Writer *writer, const PhScene *scene)
{
	char box[80];
	char width[PH_SVG_NUMBER_SIZE];
	char height[PH_SVG_NUMBER_SIZE];

	(void) ph_svg_number(width, scene->width);
	(void) ph_svg_number(height, scene->height);
	snprintf(box, sizeof(box), "0 0 %s %s", width, height);
	ph_svg_puts(&writer->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	attribute(writer, "xmlns", "http://www.w3.org/2000/svg");
	attribute(writer, "width", width);
	attribute(writer, "height", height);
	attribute(writer, "viewBox", box);
	attribute(writer, "font-family", "'" PH_FONT_FAMILY "', Verdana, sans-serif");
	attribute(writer, "role", "img");
	attribute(writer, "shape-rendering", "crispEdges");
	if (scene->description)
		attribute(writer, "aria-label", scene->description);
	start(writer, "svg");
	ph_svg_puts(&writer->text,
				scene->is_dark ? ">\n<rect width=\"100%\" height=\"100%\" fill=\"#1a1a1a\"/>\n"
							   : ">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
	for (uint32_t i = 0; i < scene->n_items; i++)
		draw_item(writer, &scene->items[i]);
	ph_svg_puts(&writer->text, "</svg>\n");
}

bool
ph_svg_item_bytes(const PhScene *scene, uint32_t *out)
{
	Writer writer = {0};

	for (uint32_t i = 0; i < scene->n_items; i++)
	{
		writer.text.size = 0; /* only its length is wanted */
		draw_item(&writer, &scene->items[i]);
		out[i] = (uint32_t) writer.text.size;
	}
	free(writer.text.bytes);
	return !writer.text.no_memory;
}

bool
ph_draw_svg(const PhScene *scene, PhPicture *out)
{
	Writer writer = {0};

	draw_document(&writer, scene);
	ph_svg_putc(&writer.text, '\0'); /* which size does not count */
	*out = (PhPicture){.no_memory = writer.text.no_memory};
	if (out->no_memory)
	{
		free(writer.text.bytes);
		return false;
	}
	out->bytes = (unsigned char *) writer.text.bytes;
	out->size = writer.text.size - 1;
	return true;
}
