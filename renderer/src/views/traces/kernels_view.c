/*
 * kernels_view.c - `kernels`: the dearest kernels of devices, how their durations and ranks spread.
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

#define ROW 26.0
#define AXIS 44.0
#define NAMES 300.0
#define BETWEEN 30.0

typedef struct Plot
{
	const PhTable *kernels;
	const char *run;
	double top;
	PhAxis totals, durations; /* the latter of decimal logarithms */
} Plot;

static double
number(const Plot *plot, uint32_t row, const char *column)
{
	return ph_table_number(plot->kernels, row, column);
}

static PhColor
kernel_color(const Plot *plot, uint32_t row)
{
	return ph_color_hex(ph_table_true(plot->kernels, row, "communicates") ? 0xe08214 : 0x2f6db3);
}

static const char *
tooltip(PhArena *arena, const Plot *plot, uint32_t row)
{
	return ph_need_format(
		arena,
		"%s\n%s, %s of all kernels\n%.0f call%s on %.0f rank%s, %s to %s a rank\n%s to %s, median "
		"%s, mean %s",
		ph_table_text(plot->kernels, row, "name"),
		ph_value(arena, "ns", number(plot, row, "total")),
		ph_percent(arena, number(plot, row, "share"), 1), number(plot, row, "calls"),
		number(plot, row, "calls") > 1 ? "s" : "", number(plot, row, "n_ranks"),
		number(plot, row, "n_ranks") > 1 ? "s" : "",
		ph_value(arena, "ns", number(plot, row, "rank_min")),
		ph_value(arena, "ns", number(plot, row, "rank_max")),
		ph_value(arena, "ns", number(plot, row, "min")),
		ph_value(arena, "ns", number(plot, row, "max")),
		ph_value(arena, "ns", number(plot, row, "median")),
		ph_value(arena, "ns", number(plot, row, "mean")));
}

/* A bar of the sum, and the range of ranks, times their number, over it. */
static void
draw_total(PhScene *scene, const Plot *plot, uint32_t row, double y)
{
	double left = ph_axis_at(&plot->totals, 0);
	double right = ph_axis_at(&plot->totals, number(plot, row, "total"));
	double n_ranks = number(plot, row, "n_ranks");
	double low = ph_axis_at(&plot->totals, number(plot, row, "rank_min") * n_ranks);
	double high = ph_axis_at(&plot->totals, number(plot, row, "rank_max") * n_ranks);

	ph_scene_rect(scene, left, y + 5, fmax(right - left, 0.5), ROW - 10,
				  ph_fill(kernel_color(plot, row)));
	high = fmin(high, plot->totals.to);
	if (n_ranks > 1)
		ph_scene_line(scene, low, y + ROW / 2, high, y + ROW / 2, ph_stroke(ph_ink(), 1.4));
}

static double
duration_at(const Plot *plot, double ns)
{
	return ph_axis_at(&plot->durations, log10(fmax(ns, 1)));
}

/* From the shortest to the longest call, a box from the tenth to the ninetieth percent, the median.
 */
static void
draw_durations(PhScene *scene, const Plot *plot, uint32_t row, double y)
{
	double middle = y + ROW / 2;
	double low = duration_at(plot, number(plot, row, "p10"));
	double high = duration_at(plot, number(plot, row, "p90"));
	double median = duration_at(plot, number(plot, row, "median"));
	PhColor color = kernel_color(plot, row);

	ph_scene_line(scene, duration_at(plot, number(plot, row, "min")), middle,
				  duration_at(plot, number(plot, row, "max")), middle, ph_stroke(color, 1));
	ph_scene_rect(scene, low, y + 6, fmax(high - low, 1), ROW - 12,
				  ph_fill(ph_color_mix(color, ph_color_hex(0xffffff), 0.5)));
	ph_scene_line(scene, median, y + 5, median, y + ROW - 5, ph_stroke(ph_ink(), 1.6));
}

static void
draw_kernel(PhScene *scene, const Plot *plot, uint32_t row)
{
	double y = plot->top + row * ROW;
	PhTextStyle style = ph_text_style(10.5, ph_ink());

	style.anchor = PH_END;
	ph_scene_open(scene, "kernel", tooltip(scene->arena, plot, row));
	ph_scene_data(scene, "run", plot->run);
	ph_scene_data(scene, "node", ph_table_text(plot->kernels, row, "name"));
	ph_scene_data_number(scene, "value", number(plot, row, "total"));
	ph_scene_name_fit(scene, plot->totals.from - 8, y + ROW / 2 + 3.5, NAMES - 14,
					  ph_table_text(plot->kernels, row, "name"), style);
	draw_total(scene, plot, row, y);
	draw_durations(scene, plot, row, y);
	ph_scene_close(scene);
}

/* Powers of ten as values with units, with grid lines. */
static void
draw_durations_axis(PhScene *scene, const Plot *plot, double bottom)
{
	PhTextStyle style = ph_text_style(10, ph_faint());
	PhTextStyle title = ph_text_style(11, ph_ink());

	style.anchor = title.anchor = PH_MIDDLE;
	for (double power = plot->durations.low; power <= plot->durations.high; power++)
	{
		double x = ph_axis_at(&plot->durations, power);

		ph_scene_line(scene, x, plot->top, x, bottom, ph_stroke(ph_rule(), 0.6));
		ph_scene_text(scene, x, bottom + 14, ph_value(scene->arena, "ns", pow(10, power)), style);
	}
	ph_scene_text(scene, (plot->durations.from + plot->durations.to) / 2, bottom + 31,
				  "duration of a call", title);
}

static void
draw_plot(PhDrawing *drawing, Plot *plot)
{
	PhScene *scene = drawing->scene;
	PhBody body = drawing->body;
	double n = plot->kernels->n_rows, low = INFINITY, high = 0;
	double room = (body.width - NAMES - BETWEEN) / 2;
	double bottom = body.y + n * ROW;

	for (uint32_t row = 0; row < plot->kernels->n_rows; row++)
	{
		low = fmin(low, fmax(number(plot, row, "min"), 1));
		high = fmax(high, number(plot, row, "max"));
	}
	plot->top = body.y;
	plot->totals = ph_axis(scene->arena, "ns", 0, number(plot, 0, "total"), body.x + NAMES,
						   body.x + NAMES + room, 5);
	plot->durations = ph_axis(scene->arena, NULL, floor(log10(low)),
							  fmax(ceil(log10(fmax(high, 2))), floor(log10(low)) + 1),
							  body.x + NAMES + room + BETWEEN, body.x + body.width - 16, 10);
	ph_axis_draw_bottom(scene, &plot->totals, bottom, body.y,
						ph_axis_title(scene->arena, &plot->totals, "sum of all calls"));
	draw_durations_axis(scene, plot, bottom);
	for (uint32_t row = 0; row < plot->kernels->n_rows; row++)
		draw_kernel(scene, plot, row);
	drawing->body.height = n * ROW + AXIS;
}

static void
note_kernels(PhDrawing *drawing, const Plot *plot)
{
	PhArena *arena = drawing->arena;
	double all = ph_table_number(ph_rows_table(drawing->rows, "all"), 0, "n");

	ph_page_note(arena, &drawing->page,
				 "box = 10th to 90th percentile, line = median, whiskers to the shortest and the "
				 "longest call");
	if (number(plot, 0, "n_ranks") > 1)
		ph_page_note(
			arena, &drawing->page,
			"line over a bar: what it would be if all ranks took as long as the quickest and "
			"as the slowest one");
	if (all > plot->kernels->n_rows)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%u of %.0f kernels", plot->kernels->n_rows, all));
}

static void
draw_kernels_view(PhDrawing *drawing)
{
	Plot plot = {.kernels = ph_rows_table(drawing->rows, "kernels"),
				 .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id")};
	double x = PH_MARGIN;

	drawing->page.title = "Kernels";
	if (ph_rows_count(plot.kernels) == 0)
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no kernels in this window");
		return;
	}
	x = ph_legend_swatch(drawing->scene, x, ph_color_hex(0x2f6db3), false, "computing");
	ph_legend_swatch(drawing->scene, x, ph_color_hex(0xe08214), false, "communicating");
	draw_plot(drawing, &plot);
	note_kernels(drawing, &plot);
	ph_trace_notes(drawing->arena, drawing->rows, &drawing->page);
}

const PhView ph_view_kernels = {
	.name = "kernels",
	.summary = "the dearest kernels of devices and the spread of their durations",
	.details = ph_help_render_kernels,
	.place = "trace-gpu",
	.label = "kernels",
	.options = "run! from to ranks top",
	.query = &ph_query_render_kernels,
	.reduction = "sums over devices",
	.width = 1100,
	.height = 0,
	.draw = draw_kernels_view};
