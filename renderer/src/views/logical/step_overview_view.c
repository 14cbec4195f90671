/*
 * step_overview_view.c - `step-overview`: a metric summed up over the processes, a bar per step.
 *
 * In a sum or mean over thousands a single late process is not seen: a second row of bars has the
 * greatest value of one process at each step.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "queries.h"
#include "request/view.h"
#include "texts.h"
#include "views/logical/logical.h"

#define LEFT 64.0
#define FOOT 38.0
#define BETWEEN 24.0

typedef struct Bars
{
	uint32_t n;
	const double *bar, *step, *value, *events, *sum, *max, *mean, *rank, *first, *last;
	const double *greatest, *greatest_step; /* of one process at the steps of a bar */
	const char *const *process;				/* its name */
} Bars;

static void
layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	*width = floor(fmin((body.width - LEFT) * fmax(ph_option_number(options, "scale"), 1), 16000));
	*height = body.height;
}

static bool
read_bars(PhArena *arena, const PhViewRows *rows, Bars *bars)
{
	static const char *const names[] = {"bar",	   "step",	 "value",	 "n_events",
										"sum",	   "max",	 "mean",	 "rank",
										"t_first", "t_last", "greatest", "greatest_step"};
	const double **columns[] = {&bars->bar,	  &bars->step, &bars->value,	&bars->events,
								&bars->sum,	  &bars->max,  &bars->mean,		&bars->rank,
								&bars->first, &bars->last, &bars->greatest, &bars->greatest_step};
	const PhTable *table = ph_rows_table(rows, "bars");

	bars->n = table != NULL ? UINT32_MAX : 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		uint32_t n = 0;

		*columns[i] = ph_table_numbers(arena, table, 0, names[i], &n);
		bars->n = n < bars->n ? n : bars->n;
	}
	bars->process = ph_table_text_column(arena, table, 0, "process", bars->n);
	return bars->n > 0;
}

static PhColor
bar_color(void)
{
	return ph_color_hex(0x3b6ea5);
}

static void
draw_bar(PhScene *scene, const PhStepAxis *steps, const PhAxis *values, const Bars *bars,
		 uint32_t i, const char *run)
{
	PhArena *arena = scene->arena;
	double width = ph_step_axis_cell_width(steps);
	double gap = width > 5 ? fmin(width * 0.12, 3) : 0;
	double top = ph_axis_at(values, bars->value[i]);

	ph_scene_open(
		scene, "step",
		ph_need_format(arena, "step %.0f: %.0f %s\nsum %s\ngreatest %s\nmean %s\n%s to %s",
					   bars->step[i], bars->events[i], bars->events[i] == 1 ? "event" : "events",
					   ph_value(arena, "ns", bars->sum[i]), ph_value(arena, "ns", bars->max[i]),
					   ph_value(arena, "ns", bars->mean[i]), ph_value(arena, "ns", bars->first[i]),
					   ph_value(arena, "ns", bars->last[i])));
	ph_scene_data(scene, "run", run);
	ph_scene_data_number(scene, "step", bars->step[i]);
	ph_scene_data_number(scene, "rank", bars->rank[i]);
	ph_scene_data_number(scene, "value", bars->value[i]);
	ph_scene_rect(scene, ph_step_axis_cell(steps, bars->bar[i]) + gap, top, width - 2 * gap,
				  fmax(values->from - top, 0), ph_fill(bar_color()));
	ph_scene_close(scene);
}

/* A row of bars: of the sums, or of the greatest. */
typedef struct Panel
{
	const double *values;
	const char *title;
	double top, bottom;
	PhAxis axis;
} Panel;

static Panel
make_panel(PhDrawing *drawing, const Bars *bars, const PhStepAxis *steps, const double *values,
		   const char *title, double top, double bottom)
{
	Panel panel = {.values = values, .title = title, .top = top, .bottom = bottom};
	double most = 0;

	for (uint32_t i = 0; i < bars->n; i++)
		most = fmax(most, values[i]);
	panel.axis = ph_axis(drawing->arena, "ns", 0, most > 0 ? most * 1.04 : 1, bottom, top,
						 (uint32_t) fmax((bottom - top) / 24, 2));
	ph_axis_draw_left(drawing->scene, &panel.axis, steps->x,
					  steps->x + steps->columns * steps->column_width,
					  ph_axis_title(drawing->arena, &panel.axis, title));
	return panel;
}

static PhColor
greatest_color(void)
{
	return ph_color_hex(0xb07a2a);
}

/* The process with the greatest value in a bar, named where there is room. */
static void
draw_greatest(PhScene *scene, const PhStepAxis *steps, const Panel *panel, const Bars *bars,
			  uint32_t i, const char *run)
{
	PhArena *arena = scene->arena;
	double width = ph_step_axis_cell_width(steps);
	double gap = width > 5 ? fmin(width * 0.12, 3) : 0;
	double left = ph_step_axis_cell(steps, bars->bar[i]);
	double top = ph_axis_at(&panel->axis, bars->greatest[i]);
	const char *process = bars->process[i] ? bars->process[i] : "";
	PhTextStyle style = ph_text_style(9.5, ph_faint());

	if (!(bars->greatest[i] > 0))
		return;
	ph_scene_open(scene, "greatest",
				  ph_need_format(arena, "step %.0f\ngreatest %s: %s", bars->greatest_step[i],
								 ph_value(arena, "ns", bars->greatest[i]), process));
	ph_scene_data(scene, "run", run);
	ph_scene_data_number(scene, "step", bars->greatest_step[i]);
	ph_scene_data(scene, "process", process);
	ph_scene_data_number(scene, "value", bars->greatest[i]);
	ph_scene_rect(scene, left + gap, fmin(top, panel->axis.from - 1), width - 2 * gap,
				  fmax(panel->axis.from - top, 1), ph_fill(greatest_color()));
	style.anchor = PH_MIDDLE;
	if (ph_fonts_width(scene->fonts, process, style.size, PH_REGULAR) > width - 4)
		process = strrchr(process, ' ') ? strrchr(process, ' ') + 1 : process;
	if (ph_fonts_width(scene->fonts, process, style.size, PH_REGULAR) <= width - 4)
		ph_scene_text(scene, left + width / 2, top - 3, process, style);
	ph_scene_close(scene);
}

/* The greatest stand below, unless they are what is drawn above, or there is no room for both. */
static void
draw_bars(PhDrawing *drawing, const Bars *bars, PhStepAxis *steps, const char *title,
		  bool with_greatest)
{
	PhScene *scene = drawing->scene;
	PhBody body = drawing->body;
	const char *run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id");
	double bottom = body.y + body.height - FOOT;
	PhPhases phases;
	Panel sums, greatest;
	double top, split;

	ph_step_axis_place(steps, body.x + LEFT, body.width - LEFT);
	ph_phases_read(drawing->arena, drawing->rows, &phases);
	top = body.y + ph_phases_height(&phases, steps);
	if (top > body.y)
		ph_phases_draw(scene, &phases, steps, body.y, ph_option_palette(drawing->options), run);
	top += 6;
	split = with_greatest ? top + (bottom - top) * 0.58 : bottom;
	sums = make_panel(drawing, bars, steps, bars->value, title, top, split);
	ph_scene_open(scene, "steps", NULL);
	for (uint32_t i = 0; i < bars->n; i++)
		if (bars->bar[i] >= 0 && bars->bar[i] < steps->columns)
			draw_bar(scene, steps, &sums.axis, bars, i, run);
	ph_scene_close(scene);
	if (with_greatest)
	{
		greatest =
			make_panel(drawing, bars, steps, bars->greatest, "greatest", split + BETWEEN, bottom);
		ph_scene_open(scene, "greatest-of-one", NULL);
		for (uint32_t i = 0; i < bars->n; i++)
			if (bars->bar[i] >= 0 && bars->bar[i] < steps->columns)
				draw_greatest(scene, steps, &greatest, bars, i, run);
		ph_scene_close(scene);
	}
	ph_step_axis_draw(scene, steps, bottom + 1);
}

static void
draw_step_overview_view(PhDrawing *drawing)
{
	const PhStepMetric *metric = ph_step_metric_of_rows(drawing->options, drawing->rows);
	const char *summary = ph_table_text(ph_rows_table(drawing->rows, "axis"), 0, "summary");
	const char *unit, *over;
	bool with_greatest = summary != NULL && strcmp(summary, "max") != 0;
	double x;
	PhStepAxis steps;
	Bars bars;

	drawing->page.title =
		ph_need_format(drawing->arena, "Steps: %s of %s", summary ? summary : "sum", metric->title);
	if (!ph_step_axis_read(drawing->rows, &steps) ||
		!read_bars(drawing->arena, drawing->rows, &bars))
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no communication in this window");
		return;
	}
	unit = ph_table_true(ph_rows_table(drawing->rows, "axis"), 0, "tasks") ? "chares" : "processes";
	over = ph_need_format(drawing->arena, "%s over %s", summary ? summary : "sum", unit);
	x = ph_legend_swatch(drawing->scene, PH_MARGIN, bar_color(), false,
						 ph_need_format(drawing->arena, "%s of %s at a step", over, metric->title));
	if (with_greatest)
		ph_legend_swatch(drawing->scene, x, greatest_color(), false,
						 ph_need_format(drawing->arena, "greatest of one of the %s", unit));
	draw_bars(drawing, &bars, &steps, over, with_greatest);
	ph_page_note(drawing->arena, &drawing->page, metric->meaning);
	if (steps.columns_a_cell > 1)
		ph_page_note(drawing->arena, &drawing->page,
					 ph_need_format(drawing->arena, "a bar shows the greatest of %u steps",
									steps.columns_a_cell * steps.stride));
	ph_logical_notes(drawing->arena, drawing->rows, &drawing->page);
}

const PhView ph_view_step_overview = {
	.name = "step-overview",
	.summary = "a metric summed up over the processes, a bar per logical step",
	.details = ph_help_render_step_overview,
	.place = "trace",
	.label = "overview",
	.options = "run! metric:steps summary steps",
	.query = &ph_query_render_step_overview,
	.reduction = "",
	.width = 1400,
	.height = 480,
	.layout_size = layout_size,
	.draw = draw_step_overview_view};
