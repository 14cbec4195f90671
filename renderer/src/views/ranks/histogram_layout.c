/*
 * histogram_layout.c - distribution over columns with shadow lines from the bins to the rank axis.
 *
 * From top to bottom: bars of the bins, the value axis, the shadow lines, a strip with a cell per
 * column in the colour of its bin, the rank axis. More columns than units of width share a line:
 * lines of one bin to one unit are drawn once.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "views/ranks/histogram.h"

#define LEFT 64.0
#define VALUE_AXIS 40.0
#define STRIP 9.0
#define RANK_AXIS 36.0
#define MAX_RANGES 160
#define LEAST_BAR 2.0 /* one rank of 16,384 is seen */

typedef struct Frame
{
	double x, width;
	double top, baseline;		 /* of the bars */
	double lines_top, lines_end; /* of the shadow lines */
	PhAxis counts;
} Frame;

static Frame
make_frame(PhScene *scene, const PhHistogramPlot *plot, PhBody where)
{
	Frame frame = {.x = where.x + LEFT, .width = where.width - LEFT, .top = where.y + 6};
	double rest = where.height - VALUE_AXIS - STRIP - RANK_AXIS - 6;
	uint32_t fullest = 0;

	for (uint32_t b = 0; b < plot->bins.n_bins; b++)
		fullest = plot->bins.counts[b] > fullest ? plot->bins.counts[b] : fullest;
	frame.baseline = frame.top + rest * 0.62;
	frame.lines_top = frame.baseline + VALUE_AXIS;
	frame.lines_end = where.y + where.height - RANK_AXIS - STRIP;
	frame.counts = ph_axis(scene->arena, NULL, 0, fullest, frame.baseline, frame.top,
						   fullest < 5 ? fullest + 1 : 6);
	return frame;
}

static PhColor
bin_color(const PhHistogramPlot *plot, uint32_t bin)
{
	double n = plot->bins.n_bins;

	return ph_color_sequential(plot->palette, n > 1 ? 0.12 + 0.88 * bin / (n - 1) : 0.6);
}

static double
bin_edge(const PhHistogramPlot *plot, uint32_t bin)
{
	return plot->bins.min + (plot->bins.max - plot->bins.min) * bin / plot->bins.n_bins;
}

static double
place_of(const PhHistogramPlot *plot, const Frame *frame, uint32_t place)
{
	return frame->x + (place + 0.5) / plot->columns->n * frame->width;
}

/* One path with the lines of a bin, left to right; at most one to a unit of width. */
static void
draw_lines(PhScene *scene, const PhHistogramPlot *plot, const Frame *frame, uint32_t bin,
		   double center)
{
	PhPath path = ph_path(scene);
	double last = -INFINITY;
	double alpha = fmin(0.75, fmax(0.12, 60.0 / plot->bins.counts[bin]));

	for (uint32_t place = 0; place < plot->columns->n; place++)
	{
		double x = place_of(plot, frame, place);

		if (plot->bins.bin_of[plot->order[place]] != bin || x < last + 1)
			continue;
		ph_path_move(&path, center, frame->lines_top);
		ph_path_line(&path, x, frame->lines_end);
		last = x;
	}
	ph_scene_path(scene, &path, ph_stroke(ph_color_alpha(bin_color(plot, bin), alpha), 1));
}

static const char *
bin_tooltip(PhScene *scene, const PhHistogramPlot *plot, uint32_t bin, const char *ranges)
{
	PhArena *arena = scene->arena;

	return ph_need_format(
		arena, "%s to %s\n%u %s: %s", ph_value(arena, plot->unit_name, bin_edge(plot, bin)),
		ph_value(arena, plot->unit_name, bin_edge(plot, bin + 1)), plot->bins.counts[bin],
		ph_columns_noun(plot->columns, plot->bins.counts[bin] == 1), ranges);
}

static const char *
bin_ranges(PhArena *arena, const PhHistogramPlot *plot, uint32_t bin)
{
	const PhColumns *columns = plot->columns;
	double *numbers = ph_need(arena, plot->bins.counts[bin], sizeof(double));
	uint32_t n = 0;

	for (uint32_t i = 0; i < columns->n; i++)
		if (plot->bins.bin_of[i] == bin)
			numbers[n++] = columns->threaded || isnan(columns->rank[i]) ? i : columns->rank[i];
	return ph_ranges_text(arena, numbers, n, MAX_RANGES);
}

/* Where all values are one it is in the middle of their axis (ph_axis). */
static double
bin_left(const PhHistogramPlot *plot, const Frame *frame, uint32_t bin)
{
	double place = plot->bins.max > plot->bins.min ? bin : (plot->bins.n_bins - 1) / 2.0;

	return frame->x + frame->width * place / plot->bins.n_bins;
}

static void
draw_bin(PhScene *scene, const PhHistogramPlot *plot, const Frame *frame, uint32_t bin)
{
	double left = bin_left(plot, frame, bin);
	double width = frame->width / plot->bins.n_bins;
	double top =
		fmin(ph_axis_at(&frame->counts, plot->bins.counts[bin]), frame->baseline - LEAST_BAR);
	PhColor fill = bin_color(plot, bin);
	const char *ranges = bin_ranges(scene->arena, plot, bin);
	PhTextStyle style = ph_text_style(9.5, ph_faint());

	if (plot->bins.counts[bin] == 0)
		return;
	ph_scene_open(scene, "bin", bin_tooltip(scene, plot, bin, ranges));
	ph_scene_data(scene, "node", plot->columns->node);
	ph_scene_data(scene, "run", plot->run);
	ph_scene_data(scene, "rank", ranges);
	ph_scene_data_number(scene, "bin", bin);
	ph_scene_data_number(scene, "value", plot->bins.counts[bin]);
	ph_scene_data_number(scene, "low", bin_edge(plot, bin));
	ph_scene_data_number(scene, "high", bin_edge(plot, bin + 1));
	draw_lines(scene, plot, frame, bin, left + width / 2);
	ph_scene_rect(scene, left + 1, top, fmax(width - 2, 1), frame->baseline - top,
				  (PhStyle){.fill = fill,
							.stroke = ph_color_mix(fill, ph_color_hex(0), 0.35),
							.stroke_width = 0.6});
	style.anchor = PH_MIDDLE;
	ph_scene_text_fit(scene, left + width / 2, top - 3, width,
					  ph_need_format(scene->arena, "%u", plot->bins.counts[bin]), style);
	ph_scene_close(scene);
}

static uint32_t
median_bin(const PhHistogramPlot *plot)
{
	uint32_t bin = 0;
	uint64_t below = 0;

	while (bin + 1 < plot->bins.n_bins && 2 * (below + plot->bins.counts[bin]) < plot->columns->n)
		below += plot->bins.counts[bin++];
	return bin;
}

static uint32_t
distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* Cells of neighbours in the same bin are one rectangle. */
static void
draw_strip(PhScene *scene, const PhHistogramPlot *plot, const Frame *frame)
{
	uint32_t n = plot->columns->n;
	double cell = frame->width / n;
	uint32_t middle = median_bin(plot);

	ph_scene_open(scene, "cells", NULL);
	for (uint32_t place = 0; place < n;)
	{
		uint32_t bin = plot->bins.bin_of[plot->order[place]];
		uint32_t end = place + 1;

		/* more columns than units: the bin farthest from the median's shows */
		while (end < n && (cell * (end - place) < 1 || plot->bins.bin_of[plot->order[end]] == bin))
		{
			if (distance(plot->bins.bin_of[plot->order[end]], middle) > distance(bin, middle))
				bin = plot->bins.bin_of[plot->order[end]];
			end++;
		}
		ph_scene_rect(scene, frame->x + place * cell, frame->lines_end, (end - place) * cell, STRIP,
					  ph_fill(bin_color(plot, bin)));
		place = end;
	}
	ph_scene_close(scene);
}

static const char *
rank_at(PhArena *arena, const PhHistogramPlot *plot, uint32_t place)
{
	uint32_t column = plot->order[place];
	double rank = plot->columns->rank[column];

	if (isnan(rank))
		return ph_need_format(arena, "%u", column);
	if (plot->columns->threaded && !isnan(plot->columns->thread[column]))
		return ph_need_format(arena, "%.0f.%.0f", rank, plot->columns->thread[column]);
	return ph_need_format(arena, "%.0f", rank);
}

static void
draw_rank_labels(PhScene *scene, const PhHistogramPlot *plot, const Frame *frame)
{
	PhTextStyle style = ph_text_style(9.5, ph_faint());
	double last_end = -INFINITY;
	double y = frame->lines_end + STRIP + 13;
	uint32_t n = plot->columns->n;
	const char *last = n > 0 ? rank_at(scene->arena, plot, n - 1) : "";
	double room = ph_fonts_width(scene->fonts, last, style.size, PH_REGULAR) + 8;
	uint32_t most = (uint32_t) fmin(24, fmax(2, frame->width / room));
	uint32_t step = (uint32_t) fmax(ph_axis_ticks(0, fmax(n - 1.0, 1), most).step, 1);

	style.anchor = PH_MIDDLE;
	for (uint32_t place = 0; place < n; place += step)
	{
		const char *text = rank_at(scene->arena, plot, place);
		double x = place_of(plot, frame, place);
		double half = ph_fonts_width(scene->fonts, text, style.size, PH_REGULAR) / 2;

		if (x - half < last_end + 5)
			continue;
		ph_scene_text(scene, x, y, text, style);
		last_end = x + half;
	}
}

static const char *
host_at(const PhHistogramPlot *plot, uint32_t place)
{
	const char *host = plot->columns->host[plot->order[place]];

	return host ? host : "unknown host";
}

#define NARROW 40.0 /* no room for a name that is cut short */

/* The name below a bracket: of narrow ones so many as have room beside each other. */
static void
draw_host_name(PhScene *scene, const Frame *frame, const char *name, double left, double width,
			   double *last)
{
	PhTextStyle style = ph_text_style(9.5, ph_faint());
	double half = ph_fonts_width(scene->fonts, name, 9.5, PH_REGULAR) / 2;
	double x = left + width / 2;
	double y = frame->lines_end + STRIP + 15;

	style.anchor = PH_MIDDLE;
	if (width >= NARROW)
		ph_scene_text_fit(scene, x, y, width - 4, name, style);
	else if (x - half > *last + 8 && x + half <= frame->x + frame->width)
	{
		ph_scene_text(scene, x, y, name, style);
		*last = x + half;
	}
}

/* A bracket and a name under the ranks of each host. */
static void
draw_host_labels(PhScene *scene, const PhHistogramPlot *plot, const Frame *frame)
{
	double cell = frame->width / plot->columns->n;
	double y = frame->lines_end + STRIP + 3;
	double last = -INFINITY;

	for (uint32_t place = 0; place < plot->columns->n;)
	{
		uint32_t end = place + 1;
		double left = frame->x + place * cell;
		double width;

		while (end < plot->columns->n && strcmp(host_at(plot, end), host_at(plot, place)) == 0)
			end++;
		width = (end - place) * cell;
		ph_scene_line(scene, left + 1, y, left + width - 1, y, ph_stroke(ph_faint(), 1));
		draw_host_name(scene, frame, host_at(plot, place), left, width, &last);
		place = end;
	}
}

static void
draw_rank_axis(PhScene *scene, const PhHistogramPlot *plot, const Frame *frame)
{
	PhTextStyle title = ph_text_style(11, ph_ink());

	ph_scene_open(scene, "axis", NULL);
	if (plot->by_host)
		draw_host_labels(scene, plot, frame);
	else
		draw_rank_labels(scene, plot, frame);
	title.anchor = PH_MIDDLE;
	ph_scene_text(scene, frame->x + frame->width / 2, frame->lines_end + STRIP + 30,
				  plot->by_host ? ph_need_format(scene->arena, "ranks by %s", plot->ordered_by)
				  : plot->columns->threaded ? "rank.thread"
											: "rank",
				  title);
	ph_scene_close(scene);
}

void
ph_histogram_draw(PhScene *scene, const PhHistogramPlot *plot, PhBody where)
{
	Frame frame = make_frame(scene, plot, where);
	PhAxis values = ph_axis(scene->arena, plot->unit_name, plot->bins.min, plot->bins.max, frame.x,
							frame.x + frame.width, 10);

	ph_scene_open(scene, "histogram", NULL);
	ph_axis_draw_left(
		scene, &frame.counts, frame.x, frame.x + frame.width,
		ph_axis_title(scene->arena, &frame.counts, ph_columns_noun(plot->columns, false)));
	for (uint32_t bin = 0; bin < plot->bins.n_bins; bin++)
		draw_bin(scene, plot, &frame, bin);
	ph_axis_draw_bottom(scene, &values, frame.baseline, frame.baseline,
						ph_axis_title(scene->arena, &values, plot->what));
	draw_strip(scene, plot, &frame);
	draw_rank_axis(scene, plot, &frame);
	ph_scene_close(scene);
}
