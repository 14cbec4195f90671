/*
 * timeline_view.c - `timeline`: calls and messages of a trace in physical time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "request/view.h"
#include "texts.h"
#include "views/logical/logical.h"
#include "views/plain/spans.h"
#include "views/traces/timeline.h"
#include "views/traces/trace_page.h"

/* A bin is a unit of the picture, as PNG shows them; a row is at least two units high. */
static void
layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	*width = floor(fmin(body.width * fmax(ph_option_number(options, "scale"), 1), 16000));
	*height = floor(fmax(body.height / 2, 1));
}

static void
note_drawing(PhDrawing *drawing, const PhTimelinePlot *plot)
{
	PhArena *arena = drawing->arena;
	double bin = (plot->to - plot->from) / plot->n_bins;

	if (plot->most_locations > 1)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena,
									"%.0f %ss a row: what most of them did above, below it the one "
									"that differs most where it did something else for 10 %% of "
									"the time or more",
									plot->most_locations, plot->unit_name));
	ph_page_note(arena, &drawing->page,
				 ph_need_format(arena,
								"a bar shows the function with most time in each %s; its caller "
								"shines through where it covers only a part",
								ph_value(arena, "ns", bin)));
	if (plot->steps.n > 0)
	{
		drawing->page.title =
			ph_need_format(arena, "Timeline: %s", plot->steps.colors.metric->title);
		ph_page_note(arena, &drawing->page, "grey: calls that do not communicate");
		ph_step_note(arena, &drawing->page, &plot->steps.colors);
		ph_logical_note_inferred(arena, drawing->rows, "logical", "", &drawing->page);
	}
	if (plot->lines.n > 0)
		ph_page_note(arena, &drawing->page,
					 ph_timeline_draws_lines(arena, plot)
						 ? "lines: messages, thicker for several"
						 : "messages are too close to each other to be drawn: choose a "
						   "shorter window");
	if (ph_timeline_draws_launches(plot))
		ph_page_note(arena, &drawing->page,
					 "pale lines: launches, from the call, or the left border, to what it started");
}

/* Room for every row, which are whole units high where they can be; rows that locations share have
 * two units at least, for both that they show. */
static double
height_of(const PhTimelinePlot *plot, double room)
{
	double around = 44 + (plot->strip.n > 0 ? PH_STRIP : 0);
	double height = fmin(room, fmax(120, plot->n_rows * 26.0 + around));
	double row = (height - around) / plot->n_rows;

	if (plot->most_locations > 1)
		return fmax(height, plot->n_rows * 2.0 + around);
	return row >= 2 && row < 26 ? plot->n_rows * floor(row) + around : height;
}

static void
draw_timeline_view(PhDrawing *drawing)
{
	PhTimelinePlot plot = {0};

	if (ph_query_shown(drawing->rows) != NULL)
	{
		ph_spans_draw(drawing);
		return;
	}
	drawing->page.title = "Timeline";
	if (ph_timeline_read(drawing->arena, drawing->rows, ph_option_palette(drawing->options), &plot))
	{
		ph_timeline_steps_read(drawing->arena, drawing->options, drawing->rows, &plot);
		if (!ph_option_given(drawing->options, "height"))
			drawing->body.height = height_of(&plot, drawing->body.height);
		ph_timeline_draw(drawing->scene, &plot, drawing->body);
		note_drawing(drawing, &plot);
	}
	else
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no calls in this window");
	}
	ph_trace_notes(drawing->arena, drawing->rows, &drawing->page);
}

const PhView ph_view_timeline = {
	.name = "timeline",
	.summary = "calls and messages of a trace in physical time",
	.details = ph_help_render_timeline,
	.place = "trace",
	.label = "physical time",
	.options = "run! from to ranks depth no-messages metric color:steps range",
	.query = &ph_query_render_timeline,
	.given = ph_rows_of_spans,
	.reduction = "",
	.width = 1400,
	.height = 800,
	.layout_size = layout_size,
	.draw = draw_timeline_view};
