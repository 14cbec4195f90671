/*
 * blame_view.c - `blame`: who made whom wait, as bands from causes (left) to victims (right).
 *
 * Heights are waiting. Both columns are equally high, since all waiting has a place on the left:
 * what nothing explains is a grey bar of its own, and so are the groups that the query added up.
 * Every bar has room for its label, however thin it is, so that one slow rank of thousands can be
 * read.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/view.h"
#include "texts.h"
#include "views/traces/trace_page.h"

#define BAR 14.0
#define LABEL 300.0		  /* room for labels beside a bar */
#define LEAST_SLOT 15.0	  /* a line of text */
#define TWO_LINES 30.0	  /* bars as high as that have their value below their name */
#define ALL_BARS 420.0	  /* height of all waiting */
#define GAP 5.0			  /* between bars */
#define DARKEST 45		  /* CIE L* of a hue that is seen on both grounds */
#define THINNEST 0.75	  /* of bars and bands that are worth drawing */
#define BAND_OPACITY 0.45 /* bands cross */

typedef enum BarKind
{
	BAR_GROUP,
	BAR_OTHERS,
	BAR_UNKNOWN
} BarKind;

typedef struct Bar
{
	BarKind kind;
	const char *name, *ranks;
	double place, ns;
	double y, height;
	double used; /* of its height, by the bands so far */
	PhColor color;
} Bar;

typedef struct Column
{
	Bar *bars;
	uint32_t n;
	double x;
	bool is_left;
} Column;

typedef struct Blame
{
	PhScene *scene;
	const char *run;
	double total, scale; /* ns, units a ns */
	Column causes, victims;
} Blame;

/* ---- rows ---- */

static const char *
ranks_text(PhArena *arena, const PhTable *table, uint32_t row)
{
	double first = ph_table_number(table, row, "first");
	double last = ph_table_number(table, row, "last");
	double n = ph_table_number(table, row, "ranks");

	if (n == 0)
		return "each rank's own";
	if (isnan(first))
		return "no rank";
	if (first == last)
		return ph_need_format(arena, "rank %.0f", first);
	if (n < last - first + 1)
		return ph_need_format(arena, "%.0f of ranks %.0f\xe2\x80\x93%.0f", n, first, last);
	return ph_need_format(arena, "ranks %.0f\xe2\x80\x93%.0f", first, last);
}

/* Of a rank that stands out, or of all that do not. */
static const char *
others_text(PhArena *arena, const PhTable *others, uint32_t row)
{
	double n = ph_table_number(others, row, "n"), rank = ph_table_number(others, row, "rank");
	const char *text = ph_need_format(arena, "%.0f other%s", n, n == 1 ? "" : "s");

	if (ph_table_true(others, row, "smaller"))
		text = n == 0 ? "smaller causes" : ph_need_format(arena, "%s and smaller causes", text);
	return isnan(rank) ? text : ph_need_format(arena, "rank %.0f \xc2\xb7 %s", rank, text);
}

static void
add_others(PhArena *arena, const PhTable *others, const char *side, Column *column)
{
	for (uint32_t row = 0; row < ph_rows_count(others); row++)
		if (strcmp(ph_table_text(others, row, "side"), side) == 0)
			column->bars[column->n++] = (Bar){.kind = BAR_OTHERS,
											  .name = others_text(arena, others, row),
											  .place = ph_table_number(others, row, "place"),
											  .ns = ph_table_number(others, row, "ns")};
}

/* The bars of a side, the largest first; others, and what is unknown, last. */
static void
read_column(PhArena *arena, const PhViewRows *rows, const char *side, Column *column)
{
	const PhTable *table = ph_rows_table(rows, side), *others = ph_rows_table(rows, "others");
	uint32_t n = ph_rows_count(table);
	double unknown = ph_table_number(ph_rows_table(rows, "total"), 0, "unknown");

	column->bars = ph_need(arena, (size_t) n + ph_rows_count(others) + 1, sizeof(*column->bars));
	for (uint32_t row = 0; row < n; row++)
		column->bars[column->n++] = (Bar){.kind = BAR_GROUP,
										  .name = ph_table_text(table, row, "name"),
										  .ranks = ranks_text(arena, table, row),
										  .place = ph_table_number(table, row, "place"),
										  .ns = ph_table_number(table, row, "ns")};
	add_others(arena, others, side, column);
	if (column->is_left && unknown > 0)
		column->bars[column->n++] = (Bar){.kind = BAR_UNKNOWN,
										  .name = "smaller causes, or none known",
										  .place = 0,
										  .ns = unknown};
}

static Bar *
bar_at(const Column *column, double place)
{
	for (uint32_t i = 0; i < column->n; i++)
		if (column->bars[i].place == place)
			return &column->bars[i];
	return NULL;
}

/* ---- layout ---- */

static double
slot_of(const Bar *bar)
{
	return fmax(bar->height, LEAST_SLOT) + GAP;
}

/* Bands of a dark hue would be lost on a dark ground: it is lifted as colours of pages are. */
static PhColor
seen_on_ground(PhColor color)
{
	if (ph_color_lightness(color) < DARKEST)
		color.is_final = false;
	return color;
}

static void
color_bars(PhArena *arena, PhPalette palette, Column *column)
{
	const char **names = ph_need(arena, (size_t) column->n + 1, sizeof(*names));
	PhCategories categories;
	uint32_t n = 0;

	for (uint32_t i = 0; i < column->n; i++)
		if (column->bars[i].kind == BAR_GROUP)
			names[n++] = column->bars[i].name;
	ph_categories_build(arena, palette, names, NULL, n, &categories);
	for (uint32_t i = 0; i < column->n; i++)
		column->bars[i].color =
			column->bars[i].kind == BAR_GROUP
				? seen_on_ground(ph_categories_color(&categories, column->bars[i].name))
				: ph_color_hex(0xa9b0ba);
}

/* Returns where the column ends. */
static double
place_bars(Column *column, double scale, double y)
{
	for (uint32_t i = 0; i < column->n; i++)
	{
		Bar *bar = &column->bars[i];

		bar->height = fmax(bar->ns * scale, THINNEST);
		bar->y = y + (slot_of(bar) - GAP - bar->height) / 2;
		y += slot_of(bar);
	}
	return y;
}

/* ---- drawing ---- */

/* Name and value in one line, of which the name is cut. */
static const char *
one_line(const Blame *blame, const char *text, double ns, PhTextStyle style)
{
	PhScene *scene = blame->scene;
	const char *value =
		ph_need_format(scene->arena, " \xc2\xb7 %s", ph_percent(scene->arena, ns, blame->total));
	double room = LABEL - ph_fonts_width(scene->fonts, value, style.size, style.weight);
	const char *name =
		ph_fonts_fit_name(scene->fonts, scene->arena, ph_text_clean(scene->arena, text), style.size,
						  style.weight, room);

	return ph_need_format(scene->arena, "%s%s", name == NULL ? "" : name, value);
}

static void
draw_label(const Blame *blame, const Column *column, const Bar *bar)
{
	PhArena *arena = blame->scene->arena;
	PhTextStyle name = ph_text_style(11, ph_ink());
	PhTextStyle value = ph_text_style(10, ph_faint());
	const char *text = bar->ranks == NULL
						   ? bar->name
						   : ph_need_format(arena, "%s \xc2\xb7 %s", bar->ranks, bar->name);
	const char *amount = ph_need_format(arena, "%s, %s", ph_value(arena, "ns", bar->ns),
										ph_percent(arena, bar->ns, blame->total));
	double x = column->is_left ? column->x - 6 : column->x + BAR + 6;
	double middle = bar->y + bar->height / 2;

	name.anchor = value.anchor = column->is_left ? PH_END : PH_START;
	if (bar->height >= TWO_LINES)
	{
		ph_scene_name_fit(blame->scene, x, middle - 2, LABEL, text, name);
		ph_scene_text_fit(blame->scene, x, middle + 11, LABEL, amount, value);
		return;
	}
	ph_scene_text(blame->scene, x, middle + 4, one_line(blame, text, bar->ns, name), name);
}

static void
draw_column(const Blame *blame, const Column *column)
{
	PhArena *arena = blame->scene->arena;

	for (uint32_t i = 0; i < column->n; i++)
	{
		const Bar *bar = &column->bars[i];
		const char *ranks = bar->ranks == NULL ? "" : ph_need_format(arena, " on %s", bar->ranks);

		ph_scene_open(blame->scene, column->is_left ? "cause" : "victim",
					  ph_need_format(arena, "%s%s\n%s %s of waiting, %s", bar->name, ranks,
									 column->is_left ? "caused" : "had",
									 ph_value(arena, "ns", bar->ns),
									 ph_percent(arena, bar->ns, blame->total)));
		ph_scene_data(blame->scene, "run", blame->run);
		ph_scene_data(blame->scene, "name", bar->name);
		ph_scene_data_number(blame->scene, "value", bar->ns);
		ph_scene_rect(blame->scene, column->x, bar->y, BAR, bar->height, ph_fill(bar->color));
		draw_label(blame, column, bar);
		ph_scene_close(blame->scene);
	}
}

static void
draw_band(const Blame *blame, Bar *cause, Bar *victim, double ns)
{
	PhScene *scene = blame->scene;
	double height = fmax(ns * blame->scale, THINNEST);
	double x0 = blame->causes.x + BAR, x1 = blame->victims.x, middle = (x0 + x1) / 2;
	double y0 = cause->y + cause->used, y1 = victim->y + victim->used;
	PhPath path = ph_path(scene);

	cause->used += ns * blame->scale;
	victim->used += ns * blame->scale;
	ph_scene_open(
		scene, "band",
		ph_need_format(scene->arena, "%s%s%s made %s%s%s wait\n%s, %s", cause->name,
					   cause->ranks == NULL ? "" : " on ", cause->ranks == NULL ? "" : cause->ranks,
					   victim->name, victim->ranks == NULL ? "" : " on ",
					   victim->ranks == NULL ? "" : victim->ranks, ph_value(scene->arena, "ns", ns),
					   ph_percent(scene->arena, ns, blame->total)));
	ph_path_move(&path, x0, y0);
	ph_path_curve(&path, middle, y0, middle, y1, x1, y1);
	ph_path_line(&path, x1, y1 + height);
	ph_path_curve(&path, middle, y1 + height, middle, y0 + height, x0, y0 + height);
	ph_path_close(&path);
	ph_scene_path(scene, &path, ph_fill(ph_color_alpha(cause->color, BAND_OPACITY)));
	ph_scene_close(scene);
}

/* In the order of the bars on both sides, so that those of a bar do not cross. */
static void
draw_bands(const Blame *blame, const PhTable *bands)
{
	for (uint32_t i = 0; i < blame->causes.n; i++)
		for (uint32_t row = 0; row < ph_rows_count(bands); row++)
		{
			double ns = ph_table_number(bands, row, "ns");
			Bar *victim = bar_at(&blame->victims, ph_table_number(bands, row, "victim"));

			if (ph_table_number(bands, row, "origin") == blame->causes.bars[i].place &&
				victim != NULL && ns > 0)
				draw_band(blame, &blame->causes.bars[i], victim, ns);
		}
}

static void
draw_heads(const Blame *blame, double y)
{
	PhTextStyle style = ph_text_style(11, ph_faint());

	style.anchor = PH_END;
	ph_scene_text(blame->scene, blame->causes.x + BAR, y, "who caused it", style);
	style.anchor = PH_START;
	ph_scene_text(blame->scene, blame->victims.x, y, "who waited", style);
}

static void
note_total(PhDrawing *drawing, const PhTable *total)
{
	PhArena *arena = drawing->arena;
	double ns = ph_table_number(total, 0, "ns");
	double unknown = ph_table_number(total, 0, "unknown");
	double inferred = ph_table_number(total, 0, "inferred");

	ph_page_note(arena, &drawing->page,
				 ph_need_format(arena, "%s of waiting in all", ph_value(arena, "ns", ns)));
	ph_page_note(arena, &drawing->page,
				 ph_need_format(arena, "%s of it has smaller causes or none that is known",
								ph_percent(arena, unknown > 0 ? unknown : 0, ns)));
	if (inferred > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena,
									"%s of it in collectives without records, inferred from calls",
									ph_percent(arena, inferred, ns)));
}

static void
draw_both(PhDrawing *drawing, Blame *blame)
{
	PhBody body = drawing->body;
	double height;

	read_column(drawing->arena, drawing->rows, "origins", &blame->causes);
	read_column(drawing->arena, drawing->rows, "victims", &blame->victims);
	blame->scale = ALL_BARS / blame->total;
	blame->causes.x = body.x + LABEL;
	blame->victims.x = body.x + body.width - LABEL - BAR;
	color_bars(drawing->arena, ph_option_palette(drawing->options), &blame->causes);
	color_bars(drawing->arena, ph_option_palette(drawing->options), &blame->victims);
	height = place_bars(&blame->causes, blame->scale, body.y + 18);
	height = fmax(height, place_bars(&blame->victims, blame->scale, body.y + 18));
	drawing->body.height = height - body.y;
	draw_heads(blame, body.y + 6);
	draw_bands(blame, ph_rows_table(drawing->rows, "bands"));
	draw_column(blame, &blame->causes);
	draw_column(blame, &blame->victims);
}

static void
draw_blame_view(PhDrawing *drawing)
{
	const PhTable *total = ph_rows_table(drawing->rows, "total");
	Blame blame = {.scene = drawing->scene,
				   .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id"),
				   .total = ph_table_number(total, 0, "ns"),
				   .causes.is_left = true};

	drawing->page.title = "Who made whom wait";
	drawing->body.y -= 30; /* no legend above */
	if (total == NULL || !(blame.total > 0))
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "nobody waited in this window");
	}
	else
	{
		draw_both(drawing, &blame);
		note_total(drawing, total);
	}
	ph_trace_notes(drawing->arena, drawing->rows, &drawing->page);
}

const PhView ph_view_blame = {.name = "blame",
							  .summary = "who made whom wait",
							  .details = ph_help_render_blame,
							  .place = "trace-more",
							  .label = "who made whom wait",
							  .options = "run! from to group-by:waits top",
							  .query = &ph_query_render_blame,
							  .reduction = "sums",
							  .width = 1100,
							  .draw = draw_blame_view};
