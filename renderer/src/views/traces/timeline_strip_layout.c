/*
 * timeline_strip_layout.c - a metric over time below a timeline: the mean as a line, least to
 * largest value over the locations as a band.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "views/traces/timeline.h"

#define GAP 16.0 /* above the strip's plot */

typedef struct Strip
{
	const PhTimelineStrip *rows;
	const PhAxis *times;
	PhAxis values;
} Strip;

static double
middle(const Strip *strip, uint32_t i)
{
	return ph_axis_at(strip->times, (strip->rows->start[i] + strip->rows->end[i]) / 2);
}

/* From first on, the end of the bins that all have values. */
static uint32_t
stretch_end(const PhTimelineStrip *rows, uint32_t first)
{
	while (first < rows->n && !isnan(rows->mean[first]))
		first++;
	return first;
}

static void
draw_band(PhScene *scene, const Strip *strip, uint32_t first, uint32_t end)
{
	PhPath path = ph_path(scene);

	for (uint32_t i = first; i < end; i++)
	{
		double y = ph_axis_at(&strip->values, strip->rows->max[i]);

		if (i == first)
			ph_path_move(&path, middle(strip, i), y);
		else
			ph_path_line(&path, middle(strip, i), y);
	}
	for (uint32_t i = end; i-- > first;)
		ph_path_line(&path, middle(strip, i), ph_axis_at(&strip->values, strip->rows->min[i]));
	ph_path_close(&path);
	ph_scene_path(scene, &path, ph_fill(ph_color_hex(0xcfdcec)));
}

static void
draw_mean(PhScene *scene, const Strip *strip, uint32_t first, uint32_t end)
{
	PhPath path = ph_path(scene);

	for (uint32_t i = first; i < end; i++)
	{
		double y = ph_axis_at(&strip->values, strip->rows->mean[i]);

		if (i == first)
			ph_path_move(&path, middle(strip, i), y);
		else
			ph_path_line(&path, middle(strip, i), y);
	}
	ph_scene_path(scene, &path, ph_stroke(ph_color_hex(0x2b5c94), 1.2));
}

static void
find_range(const PhTimelineStrip *rows, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (uint32_t i = 0; i < rows->n; i++)
	{
		if (isnan(rows->mean[i]))
			continue;
		*low = fmin(*low, rows->min[i]);
		*high = fmax(*high, rows->max[i]);
	}
	if (!(*low <= *high))
		*low = *high = 0;
	if (*low > 0 && *low < *high / 2)
		*low = 0;
}

void
ph_timeline_strip_draw(PhScene *scene, const PhTimelineStrip *rows, const char *run,
					   const PhAxis *times, double top)
{
	Strip strip = {.rows = rows, .times = times};
	double low, high;
	const char *title = ph_need_format(scene->arena, "%s%s, mean and range over locations",
									   rows->metric, rows->accumulated ? " per bin" : "");

	find_range(rows, &low, &high);
	strip.values = ph_axis(scene->arena, rows->unit, low, high, top + PH_STRIP - 2, top + GAP, 3);
	ph_scene_open(scene, "strip", title);
	ph_scene_data(scene, "run", run);
	ph_scene_data(scene, "metric", rows->metric);
	ph_axis_draw_left(scene, &strip.values, times->from, times->to,
					  strip.values.unit.suffix[0] != '\0' ? strip.values.unit.suffix : "");
	for (uint32_t first = 0, end; first < rows->n; first = end + 1)
	{
		end = stretch_end(rows, first);
		if (end == first)
			continue;
		draw_band(scene, &strip, first, end);
		draw_mean(scene, &strip, first, end);
	}
	ph_scene_text_fit(scene, times->from, top + 11, times->to - times->from, title,
					  ph_text_style(10, ph_ink()));
	ph_scene_close(scene);
}
