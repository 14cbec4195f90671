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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/draw.h"
#include "drawing/snap.h"
#include "system/text_stream.h"

#define MAX_ATTRIBUTES 32

typedef struct Writer
{
	FILE *file;
	uint32_t depth;
	uint32_t n;
	struct
	{
		const char *name;
		char number[24];
		const char *value; /* NULL: number */
		bool data;
	} attributes[MAX_ATTRIBUTES];
} Writer;

static void
escape(FILE *file, const char *text)
{
	for (; *text; text++)
		switch (*text)
		{
			case '&':
				fputs("&amp;", file);
				break;
			case '<':
				fputs("&lt;", file);
				break;
			case '>':
				fputs("&gt;", file);
				break;
			case '"':
				fputs("&quot;", file);
				break;
			case '\n':
				fputs("&#10;", file);
				break;
			default:
				fputc(*text, file);
		}
}

/* At most two decimals, no trailing zeros, no negative zero, independent of the locale. */
static void
format_number(char *out, size_t size, double value)
{
	double hundredths = isfinite(value) ? fmin(fmax(round(value * 100), -9e15), 9e15) : 0;
	unsigned long long magnitude = (unsigned long long) fabs(hundredths);
	unsigned long long whole = magnitude / 100;
	unsigned decimals = (unsigned) (magnitude % 100);
	const char *sign = hundredths < 0 ? "-" : "";

	if (decimals == 0)
		snprintf(out, size, "%s%llu", sign, whole);
	else if (decimals % 10 == 0)
		snprintf(out, size, "%s%llu.%u", sign, whole, decimals / 10);
	else
		snprintf(out, size, "%s%llu.%02u", sign, whole, decimals);
}

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
	format_number(writer->attributes[writer->n].number, sizeof(writer->attributes[0].number),
				  value);
	attribute(writer, name, NULL);
}

static void
color(Writer *writer, const char *name, const char *opacity, PhColor value)
{
	if (writer->n == MAX_ATTRIBUTES)
		return;
	snprintf(writer->attributes[writer->n].number, sizeof(writer->attributes[0].number),
			 "#%02x%02x%02x", value.r, value.g, value.b);
	attribute(writer, name, NULL);
	if (value.a < 255)
		number(writer, opacity, value.a / 255.0);
}

static int
compare_attributes(const void *a, const void *b)
{
	/* the name is the first member of both */
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* "<name attributes" without the closing bracket; forgets the attributes. */
static void
start(Writer *writer, const char *name)
{
	for (uint32_t i = 0; i < writer->depth; i++)
		fputc(' ', writer->file);
	fprintf(writer->file, "<%s", name);
	qsort(writer->attributes, writer->n, sizeof(writer->attributes[0]), compare_attributes);
	for (uint32_t i = 0; i < writer->n; i++)
	{
		fprintf(writer->file, " %s%s=\"", writer->attributes[i].data ? "data-" : "",
				writer->attributes[i].name);
		escape(writer->file, writer->attributes[i].value ? writer->attributes[i].value
														 : writer->attributes[i].number);
		fputc('"', writer->file);
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
	fputs(">", writer->file);
	if (item->tooltip)
	{
		fputs("<title>", writer->file);
		escape(writer->file, item->tooltip);
		fputs("</title>", writer->file);
	}
	fputc('\n', writer->file);
	writer->depth++;
}

static void
close_group(Writer *writer)
{
	writer->depth--;
	start(writer, "/g");
	fputs(">\n", writer->file);
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
	fputs("/>\n", writer->file);
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
	fputs("/>\n", writer->file);
}

static uint32_t
operands(char op)
{
	return op == 'C' ? 6 : op == 'Z' ? 0 : 2;
}

static void
path(Writer *writer, const PhItem *item)
{
	char text[24];

	if (!item->is_crisp)
		smooth(writer);
	style_attributes(writer, &item->style);
	start(writer, "path");
	fputs(" d=\"", writer->file);
	for (uint32_t i = 0; i < item->n_steps; i++)
	{
		fputc(item->steps[i].op, writer->file);
		for (uint32_t k = 0; k < operands(item->steps[i].op); k++)
		{
			format_number(text, sizeof(text), item->steps[i].x[k]);
			fprintf(writer->file, "%s%s", k > 0 && text[0] != '-' ? " " : "", text);
		}
	}
	fputs("\"/>\n", writer->file);
}

static void
text(Writer *writer, const PhItem *item)
{
	const PhTextStyle *style = &item->text_style;
	char rotation[96];
	char x[24];
	char y[24];

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
		format_number(x, sizeof(x), item->x);
		format_number(y, sizeof(y), item->y);
		snprintf(rotation, sizeof(rotation), "rotate(-90 %s %s)", x, y);
		attribute(writer, "transform", rotation);
	}
	start(writer, "text");
	fputs(">", writer->file);
	escape(writer->file, item->text);
	fputs("</text>\n", writer->file);
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
	fprintf(writer->file, " href=\"data:image/png;base64,%s\"/>\n", item->text);
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
	char width[24];
	char height[24];

	format_number(width, sizeof(width), scene->width);
	format_number(height, sizeof(height), scene->height);
	snprintf(box, sizeof(box), "0 0 %s %s", width, height);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", writer->file);
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
	fputs(">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", writer->file);
	for (uint32_t i = 0; i < scene->n_items; i++)
		draw_item(writer, &scene->items[i]);
	fputs("</svg>\n", writer->file);
}

static ssize_t
count_bytes(void *user, const char *bytes, size_t n)
{
	(void) bytes;
	*(size_t *) user += n;
	return (ssize_t) n;
}

bool
ph_svg_item_bytes(const PhScene *scene, uint32_t *out)
{
	size_t counted = 0;
	Writer writer = {.file =
						 fopencookie(&counted, "w", (cookie_io_functions_t){.write = count_bytes})};

	if (writer.file == NULL)
		return false;
	for (uint32_t i = 0; i < scene->n_items; i++)
	{
		size_t before = counted;

		draw_item(&writer, &scene->items[i]);
		fflush(writer.file);
		out[i] = (uint32_t) (counted - before);
	}
	fclose(writer.file);
	return true;
}

bool
ph_draw_svg(const PhScene *scene, PhPicture *out)
{
	Writer writer = {0};
	PhTextStream stream;

	*out = (PhPicture){.no_memory = true};
	if (!ph_text_stream_open(&stream))
		return false;
	writer.file = stream.file;
	draw_document(&writer, scene);
	out->bytes = (unsigned char *) ph_text_stream_take(&stream, &out->size);
	out->no_memory = out->bytes == NULL;
	return out->bytes != NULL;
}
