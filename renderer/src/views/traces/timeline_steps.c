/*
 * timeline_steps.c - communication calls of a timeline, coloured by a metric of logical time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "views/traces/timeline.h"

#define LEAST_GROUP 2.5

void
ph_timeline_steps_read(PhArena *arena, const PhOptions *options, const PhViewRows *rows,
					   PhTimelinePlot *plot)
{
	PhTimelineSteps *steps = &plot->steps;
	const PhTable *table = ph_rows_table(rows, "steps");

	if (table == NULL)
		return;
	steps->row = ph_table_numbers(arena, table, 0, "row", &steps->n);
	steps->bin = ph_table_number_column(arena, table, 0, "bin", steps->n);
	steps->n_bins = ph_table_number_column(arena, table, 0, "n_bins", steps->n);
	steps->value = ph_table_number_column(arena, table, 0, "value", steps->n);
	steps->rank = ph_table_number_column(arena, table, 0, "rank", steps->n);
	steps->step = ph_table_number_column(arena, table, 0, "step", steps->n);
	steps->phase = ph_table_number_column(arena, table, 0, "phase", steps->n);
	steps->colors = ph_step_colors(arena, options, rows, steps->value, NULL, steps->n, 0, false);
}

static void
draw_step(PhScene *scene, const PhTimelinePlot *plot, PhTimelinePlace place, uint32_t i)
{
	const PhTimelineSteps *steps = &plot->steps;
	double gap = place.row_height > 6 ? fmin(place.row_height * 0.12, 3) : 0;
	double width = fmax(steps->n_bins[i] * place.unit, 1);
	PhStyle style = ph_fill(ph_step_color(&steps->colors, 0, steps->value[i]));

	if (width > 5 && place.row_height > 7)
	{
		style.stroke = ph_color_mix(style.fill, ph_color_hex(0), 0.45);
		style.stroke_width = 0.5;
	}
	if (width >= LEAST_GROUP)
	{
		ph_scene_open(scene, "event",
					  ph_need_format(scene->arena, "rank %.0f\nstep %.0f, phase %.0f\n%s: %s",
									 steps->rank[i], steps->step[i], steps->phase[i],
									 steps->colors.metric->title,
									 ph_step_value(scene->arena, &steps->colors, steps->value[i])));
		ph_scene_data(scene, "run", plot->run);
		ph_scene_data_number(scene, "rank", steps->rank[i]);
		ph_scene_data_number(scene, "step", steps->step[i]);
		ph_scene_data_number(scene, "phase", steps->phase[i]);
		ph_scene_data_number(scene, "value", steps->value[i]);
	}
	ph_scene_rect(scene, place.left + steps->bin[i] * place.unit,
				  place.top + steps->row[i] * place.row_height + gap,
				  fmin(width, (plot->n_bins - steps->bin[i]) * place.unit),
				  place.row_height - 2 * gap, style);
	if (width >= LEAST_GROUP)
		ph_scene_close(scene);
}

void
ph_timeline_steps_draw(PhScene *scene, const PhTimelinePlot *plot, PhTimelinePlace place)
{
	const PhTimelineSteps *steps = &plot->steps;

	if (steps->n == 0)
		return;
	ph_scene_open(scene, "steps", NULL);
	for (uint32_t i = 0; i < steps->n; i++)
		if (steps->row[i] >= 0 && steps->row[i] < plot->n_rows && steps->bin[i] >= 0 &&
			steps->bin[i] < plot->n_bins)
			draw_step(scene, plot, place, i);
	ph_scene_close(scene);
}
