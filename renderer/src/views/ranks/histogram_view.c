/*
 * histogram_view.c - `histogram`: a supernode's values over the ranks, with shadow lines.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "request/view.h"
#include "texts.h"
#include "views/ranks/histogram.h"

/* "every 4th rank is slow". */
static const char *
ordinal(PhArena *arena, uint32_t n)
{
	static const char *const endings[] = {"th", "st", "nd", "rd"};
	uint32_t unit = n % 100 >= 11 && n % 100 <= 13 ? 0 : n % 10 > 3 ? 0 : n % 10;

	return ph_need_format(arena, "%u%s", n, endings[unit]);
}

static void
draw_pattern(PhDrawing *drawing, const PhHistogramPlot *plot)
{
	PhArena *arena = drawing->arena;
	double *ordered = ph_need(arena, plot->columns->n, sizeof(double));
	PhTextStyle style = ph_text_style(11, ph_color_hex(0x9a3412));
	PhSlowPattern pattern;
	uint32_t *by_rank = ph_columns_order(arena, plot->columns, false);
	const char *unit;

	for (uint32_t i = 0; i < plot->columns->n; i++)
		ordered[i] = plot->values[by_rank[i]];
	if (!ph_slow_pattern(ordered, plot->columns->n, &pattern))
		return;
	unit = ph_columns_noun(plot->columns, true);
	style.weight = PH_BOLD;
	ph_scene_open(drawing->scene, "note", NULL);
	ph_scene_text_fit(
		drawing->scene, PH_MARGIN, 96, drawing->scene->width - 2 * PH_MARGIN,
		ph_need_format(
			arena, "Every %s %s is slow (%u, %u, %u, \xe2\x80\xa6): %s on average, the others %s",
			ordinal(arena, pattern.period), unit, pattern.first, pattern.first + pattern.period,
			pattern.first + 2 * pattern.period, ph_value(arena, plot->unit_name, pattern.slow_mean),
			ph_value(arena, plot->unit_name, pattern.other_mean)),
		style);
	ph_scene_close(drawing->scene);
}

/* max / mean; one column compares with nothing. */
static const char *
imbalance_text(PhArena *arena, const PhHistogramPlot *plot, double mean)
{
	if (plot->columns->n < 2)
		return "unknown: one column";
	return mean > 0 ? ph_need_format(arena, "%.3f", plot->bins.max / mean) : "\xe2\x80\x93";
}

/* What the file says over the ranks that its one column stands for, or NULL. */
static const char *
text_of_file(PhDrawing *drawing, const PhHistogramPlot *plot)
{
	PhArena *arena = drawing->arena;
	const PhTable *table = ph_rows_table(drawing->rows, "over_ranks");

	if (table == NULL || table->n_rows == 0)
		return NULL;
	return ph_need_format(
		arena,
		"exclusive over ranks, as the file has them: min %s \xc2\xb7 mean %s \xc2\xb7 max %s "
		"\xc2\xb7 imbalance_ratio (max / mean) %.3f",
		ph_value(arena, plot->unit_name, ph_table_number(table, 0, "min")),
		ph_value(arena, plot->unit_name, ph_table_number(table, 0, "mean")),
		ph_value(arena, plot->unit_name, ph_table_number(table, 0, "max")),
		ph_table_number(table, 0, "imbalance_ratio"));
}

/* The same without what explains the last number, where there is no room for it. */
static const char *
without_formula(PhArena *arena, const char *text)
{
	static const char formula[] = " (max / mean)";
	const char *at = strstr(text, formula);

	return at == NULL
			   ? text
			   : ph_need_format(arena, "%.*s%s", (int) (at - text), text, at + sizeof(formula) - 1);
}

static void
draw_statistics(PhDrawing *drawing, const PhHistogramPlot *plot)
{
	PhArena *arena = drawing->arena;
	const char *text = text_of_file(drawing, plot);
	double room = drawing->scene->width - 2 * PH_MARGIN;
	double sum = 0;

	for (uint32_t i = 0; i < plot->columns->n; i++)
		sum += plot->values[i];
	if (text == NULL)
	{
		double mean = sum / plot->columns->n;

		text = ph_need_format(arena,
							  "n = %u \xc2\xb7 min %s \xc2\xb7 mean %s \xc2\xb7 max %s "
							  "\xc2\xb7 imbalance_ratio (max / mean) %s",
							  plot->columns->n, ph_value(arena, plot->unit_name, plot->bins.min),
							  ph_value(arena, plot->unit_name, mean),
							  ph_value(arena, plot->unit_name, plot->bins.max),
							  imbalance_text(arena, plot, mean));
	}
	if (ph_fonts_width(drawing->scene->fonts, text, 11, PH_REGULAR) > room)
		text = without_formula(arena, text);
	ph_scene_open(drawing->scene, "statistics", NULL);
	ph_scene_text_fit(drawing->scene, PH_MARGIN, 80, room, text, ph_text_style(11, ph_ink()));
	ph_scene_close(drawing->scene);
}

static void
draw_histogram_view(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	const PhOptions *options = drawing->options;
	bool exclusive = ph_option_is(options, "cost", "exclusive");
	PhColumns columns;
	PhHistogramPlot plot = {.columns = &columns,
							.unit_name = ph_metric_unit(drawing->rows, 0),
							.run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id"),
							.by_host = !ph_option_is(options, "order", "rank"),
							.ordered_by = ph_option_text(options, "order"),
							.palette = ph_option_palette(options)};

	ph_columns_read(arena, drawing->rows, &columns);
	drawing->page.title = ph_need_format(
		arena, "%s over %s: %s", exclusive ? "Exclusive" : "Inclusive",
		ph_columns_noun(&columns, false), columns.node ? columns.node : "no supernode");
	if (columns.n == 0)
	{
		ph_page_empty(drawing->scene, drawing->body, "no ranks: nothing to draw");
		return;
	}
	plot.values = exclusive ? columns.exclusive : columns.inclusive;
	plot.what = ph_need_format(
		arena, "%s %s", exclusive ? "exclusive" : "inclusive",
		ph_metric_name(arena, drawing->rows, 0) ? ph_metric_name(arena, drawing->rows, 0) : "");
	plot.order = ph_columns_order(arena, &columns, plot.by_host);
	ph_need_ok(arena, ph_histogram(arena, plot.values, columns.n, ph_option_count(options, "bins"),
								   &plot.bins));
	ph_histogram_draw(drawing->scene, &plot, drawing->body);
	draw_statistics(drawing, &plot);
	draw_pattern(drawing, &plot);
}

const PhView ph_view_histogram = {
	.name = "histogram",
	.needs_ranks = true,
	.summary = "a supernode's values over the ranks, with lines from the bins to the ranks",
	.details = ph_help_render_histogram,
	.place = "supernode",
	.label = "ranks",
	.options = "run! metric ranks filter:graph levels group-by module-map split-entry split-caller "
			   "drill node "
			   "cost order bins",
	.query = &ph_query_render_columns,
	.given = ph_given_supergraph,
	.reduction = "a value per column",
	.width = 1000,
	.height = 640,
	.draw = draw_histogram_view};
