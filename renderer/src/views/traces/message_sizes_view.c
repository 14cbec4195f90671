/*
 * message_sizes_view.c - `message-sizes`: how many messages of which size, and their bytes.
 *
 * Two rows of bars over one axis of sizes: numbers of messages on top, bytes below. Where bins lie
 * between powers of two, all are equally wide, and the axis names their ends.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "queries.h"
#include "request/view.h"
#include "texts.h"
#include "views/traces/trace_page.h"

#define LEFT 66.0
#define AXIS 40.0
#define BETWEEN 26.0
#define LABEL 56.0 /* of an end of bins */

/* One row of bars. */
typedef struct Bars
{
	const PhTable *table;
	const char *column; /* "messages" or "bytes" */
	const char *unit, *title;
	const char *run;
	PhColor color;
	PhAxis sizes;
	bool by_powers; /* sizes is an axis of numbers of bins */
	double top, baseline;
} Bars;

static double
width(const PhTable *table, uint32_t row)
{
	return ph_table_number(table, row, "high") - ph_table_number(table, row, "low");
}

/* Bins of equal width differ by what bounds are rounded. */
static bool
are_powers(const PhTable *table)
{
	return width(table, table->n_rows - 1) > width(table, 0) + 1;
}

static const char *
tooltip(PhArena *arena, const PhTable *table, uint32_t row)
{
	return ph_need_format(arena, "%s to %s\n%.0f messages\n%s",
						  ph_value(arena, "bytes", ph_table_number(table, row, "low")),
						  ph_value(arena, "bytes", ph_table_number(table, row, "high")),
						  ph_table_number(table, row, "messages"),
						  ph_value(arena, "bytes", ph_table_number(table, row, "bytes")));
}

static void
draw_bar(PhScene *scene, const Bars *bars, const PhAxis *heights, uint32_t row)
{
	double value = ph_table_number(bars->table, row, bars->column);
	double left =
		ph_axis_at(&bars->sizes, bars->by_powers ? row : ph_table_number(bars->table, row, "low"));
	double right = ph_axis_at(
		&bars->sizes, bars->by_powers ? row + 1 : ph_table_number(bars->table, row, "high"));
	double top = ph_axis_at(heights, value);
	PhTextStyle style = ph_text_style(9.5, ph_faint());

	if (!(value > 0))
		return;
	ph_scene_open(scene, "bin", tooltip(scene->arena, bars->table, row));
	ph_scene_data(scene, "run", bars->run);
	ph_scene_data_number(scene, "low", ph_table_number(bars->table, row, "low"));
	ph_scene_data_number(scene, "high", ph_table_number(bars->table, row, "high"));
	ph_scene_data_number(scene, "value", value);
	ph_scene_rect(scene, left + 1, fmin(top, bars->baseline - 1), fmax(right - left - 2, 1),
				  fmax(bars->baseline - top, 1), ph_fill(bars->color));
	style.anchor = PH_MIDDLE;
	ph_scene_text_fit(scene, (left + right) / 2, top - 3, right - left,
					  bars->unit ? ph_value(scene->arena, bars->unit, value)
								 : ph_need_format(scene->arena, "%.0f", value),
					  style);
	ph_scene_close(scene);
}

static void
draw_bars(PhScene *scene, const Bars *bars)
{
	PhAxis heights;
	double most = 0;

	for (uint32_t row = 0; row < bars->table->n_rows; row++)
		most = fmax(most, ph_table_number(bars->table, row, bars->column));
	heights = ph_axis(scene->arena, bars->unit, 0, most, bars->baseline, bars->top,
					  most < 5 ? (uint32_t) most + 1 : 5);
	ph_axis_draw_left(scene, &heights, bars->sizes.from, bars->sizes.to,
					  ph_axis_title(scene->arena, &heights, bars->title));
	for (uint32_t row = 0; row < bars->table->n_rows; row++)
		draw_bar(scene, bars, &heights, row);
}

/* The ends of bins below the bars, as many as there is room for. */
static void
draw_ends(PhScene *scene, const Bars *bars, const char *title)
{
	PhTextStyle style = ph_text_style(10, ph_faint());
	double y = bars->baseline;
	double free_from = -INFINITY;

	style.anchor = PH_MIDDLE;
	ph_scene_open(scene, "axis", NULL);
	for (uint32_t i = 0; i <= bars->table->n_rows; i++)
	{
		uint32_t row = i < bars->table->n_rows ? i : i - 1;
		double size = ph_table_number(bars->table, row, i == row ? "low" : "high");
		double x = ph_axis_at(&bars->sizes, i);

		ph_scene_line(scene, x, y, x, y + 4, ph_stroke(ph_rule(), 1));
		if (x - LABEL / 2 < free_from)
			continue;
		ph_scene_text(scene, x, y + 15, ph_value(scene->arena, "bytes", size), style);
		free_from = x + LABEL / 2;
	}
	ph_scene_line(scene, bars->sizes.from, y, bars->sizes.to, y, ph_stroke(ph_rule(), 1));
	style = ph_text_style(11, ph_ink());
	style.anchor = PH_MIDDLE;
	ph_scene_text(scene, (bars->sizes.from + bars->sizes.to) / 2, y + 30, title, style);
	ph_scene_close(scene);
}

static PhAxis
axis_of_sizes(PhArena *arena, const Bars *bars, double from, double to)
{
	const PhTable *table = bars->table;

	if (bars->by_powers)
		return ph_axis(arena, NULL, 0, table->n_rows, from, to, 10);
	return ph_axis(arena, "bytes", ph_table_number(table, 0, "low"),
				   ph_table_number(table, table->n_rows - 1, "high"), from, to, 10);
}

static void
draw_both(PhDrawing *drawing, const PhTable *table)
{
	PhArena *arena = drawing->arena;
	PhBody body = drawing->body;
	double height = (body.height - AXIS - BETWEEN) / 2;
	Bars bars = {.table = table,
				 .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id"),
				 .column = "messages",
				 .title = "messages",
				 .by_powers = are_powers(table),
				 .color = ph_color_hex(0x3b6ea5)};

	bars.sizes = axis_of_sizes(arena, &bars, body.x + LEFT, body.x + body.width);
	bars.top = body.y + 8;
	bars.baseline = body.y + height;
	draw_bars(drawing->scene, &bars);
	bars.column = "bytes";
	bars.unit = "bytes";
	bars.title = "bytes";
	bars.color = ph_color_hex(0xb07a2a);
	bars.top = bars.baseline + BETWEEN;
	bars.baseline = body.y + body.height - AXIS;
	draw_bars(drawing->scene, &bars);
	if (bars.by_powers)
		draw_ends(drawing->scene, &bars, "message size, by powers of two");
	else
		ph_axis_draw_bottom(drawing->scene, &bars.sizes, bars.baseline, bars.baseline,
							ph_axis_title(arena, &bars.sizes, "message size"));
}

static void
draw_message_sizes_view(PhDrawing *drawing)
{
	const PhTable *table = ph_rows_table(drawing->rows, "bins");

	drawing->page.title = "Sizes of messages";
	drawing->body.y -= 30; /* no legend above */
	drawing->body.height += 30;
	if (ph_rows_count(table) == 0)
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no point-to-point messages in this window");
	}
	else
		draw_both(drawing, table);
	ph_trace_notes(drawing->arena, drawing->rows, &drawing->page);
}

const PhView ph_view_message_sizes = {.name = "message-sizes",
									  .summary = "how many messages of which size, and their bytes",
									  .details = ph_help_render_message_sizes,
									  .place = "trace-more",
									  .label = "message sizes",
									  .options = "run! bins from to ranks",
									  .query = &ph_query_render_message_sizes,
									  .reduction = "sums",
									  .width = 1000,
									  .height = 560,
									  .draw = draw_message_sizes_view};
