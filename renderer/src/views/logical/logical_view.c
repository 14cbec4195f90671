/*
 * logical_view.c - `logical`: communication of a trace in logical time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/view.h"
#include "texts.h"
#include "views/logical/logical.h"

/* As many cells as the picture has pixels. */
static void
layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	double scale = fmax(ph_option_number(options, "scale"), 1);

	*width = floor(fmin((body.width - 60) * scale, 16000));
	*height = floor(fmin(fmax((body.height - 60) * scale, 1), 8000));
}

/* " x 4 steps" when cells are several columns. */
static const char *
steps_a_cell(PhArena *arena, const PhStepAxis *axis)
{
	if (axis->columns_a_cell == 1)
		return "";
	return ph_need_format(arena, " x %u steps",
						  axis->columns_a_cell * (axis->between ? 1 : axis->stride));
}

static const char *
unit_of(const PhLogicalPlot *plot)
{
	bool one = plot->most_locations == 1;

	if (plot->tasks)
		return one ? "chare" : "chares";
	return one ? "process" : "processes";
}

static void
note_tasks(PhArena *arena, PhPage *page, const PhLogicalPlot *plot)
{
	if (plot->tasks)
		ph_page_note(arena, page,
					 "a row per chare, below on grey one per processor for its run time; black "
					 "bars: its processor was idle until it came");
	if (plot->reordered)
		ph_page_note(arena, page, "events of a phase in order of their causes");
}

static void
note_drawing(PhDrawing *drawing, const PhLogicalPlot *plot)
{
	PhArena *arena = drawing->arena;
	const char *problem = ph_logical_lines_problem(plot);

	ph_step_note(arena, &drawing->page, &plot->colors);
	note_tasks(arena, &drawing->page, plot);
	if (plot->axis.between)
		ph_page_note(arena, &drawing->page, "low boxes: the time before events");
	if (plot->most_locations > 1 || plot->axis.columns_a_cell > 1)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena,
									"a cell shows the greatest value of up to %u %s%s; any event "
									"fills it",
									plot->most_locations, unit_of(plot),
									steps_a_cell(arena, &plot->axis)));
	if (ph_option_flag(drawing->options, "no-messages"))
		return;
	if (plot->most_locations > 1 || plot->axis.columns_a_cell > 1)
		ph_page_note(arena, &drawing->page, "messages are not drawn: choose --ranks or --steps");
	else if (problem != NULL)
		ph_page_note(arena, &drawing->page, problem);
}

static void
draw_logical_view(PhDrawing *drawing)
{
	PhLogicalPlot plot;
	bool found = ph_logical_read(drawing->arena, drawing->options, drawing->rows, &plot);

	drawing->page.title = ph_need_format(
		drawing->arena, "Logical timeline: %s",
		plot.colors.metric ? plot.colors.metric->title : ph_step_metric(drawing->options)->title);
	if (ph_option_flag(drawing->options, "no-messages"))
		plot.lines.n = 0;
	if (found)
	{
		if (!ph_option_given(drawing->options, "height"))
			drawing->body.height = ph_logical_height(&plot, drawing->body.height);
		ph_logical_draw(drawing->scene, &plot, drawing->body);
		note_drawing(drawing, &plot);
	}
	else
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no communication in this window");
	}
	ph_logical_notes(drawing->arena, drawing->rows, &drawing->page);
}

const PhView ph_view_logical = {
	.name = "logical",
	.summary = "communication of a trace in logical time",
	.details = ph_help_render_logical,
	.place = "trace",
	.label = "logical time",
	.options = "run! color:steps range steps ranks order aggregates no-messages reorder",
	.query = &ph_query_render_logical,
	.reduction = "",
	.width = 1400,
	.height = 900,
	.layout_size = layout_size,
	.draw = draw_logical_view};
