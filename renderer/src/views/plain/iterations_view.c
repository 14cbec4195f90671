/*
 * iterations_view.c - `iterations`: call paths by iterations of a run, as a heat map with the
 * changes within the run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "texts.h"
#include "views/plain/plain.h"

/* The row of a call path; NAN: it is not drawn. */
static double
row_of(const PhPlain *plain, const char *label)
{
	for (uint32_t i = 0; label != NULL && i < plain->y.n_places; i++)
		if (strcmp(plain->y.places[i], label) == 0)
			return i;
	return NAN;
}

/* A line before the first iteration of a new level, with what changed. */
static void
draw_changes(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame, double across)
{
	PhScene *scene = drawing->scene;
	const PhTable *changes = ph_rows_table(drawing->rows, "changes");
	const char *unit = ph_metric_unit(drawing->rows, 0);

	for (uint32_t i = 0; i < ph_rows_count(changes); i++)
	{
		const char *label = ph_table_text(changes, i, "y");
		double row = row_of(plain, label);
		double x = ph_table_number(changes, i, "x");
		double before = ph_table_number(changes, i, "before");
		double after = ph_table_number(changes, i, "after");
		double at = ph_axis_at(&frame->x.numbers, x - across / 2);

		if (isnan(row) || isnan(at))
			continue;
		ph_scene_open(scene, "change",
					  ph_need_format(scene->arena,
									 "%s\nchanges at iteration %.0f\n%s before, %s after", label, x,
									 ph_value(scene->arena, unit, before),
									 ph_value(scene->arena, unit, after)));
		ph_scene_data_number(scene, "iteration", x);
		ph_scene_line(scene, at, ph_axis_at(&frame->y.numbers, row - 0.5), at,
					  ph_axis_at(&frame->y.numbers, row + 0.5), ph_stroke(ph_ink(), 2.5));
		ph_scene_close(scene);
	}
}

static void
note_contents(PhDrawing *drawing, const PhPlain *plain)
{
	PhArena *arena = drawing->arena;
	const PhTable *grid = ph_rows_table(drawing->rows, "grid");
	double per = ph_table_number(grid, 0, "per");
	double paths = ph_table_number(grid, 0, "paths");
	uint32_t n_changes = ph_rows_count(ph_rows_table(drawing->rows, "changes"));

	ph_page_note(arena, &drawing->page,
				 ph_need_format(arena, "%u of %.0f call paths with cost, the dearest on top",
								plain->y.n_places, paths));
	if (per > 1)
		ph_page_note(
			arena, &drawing->page,
			ph_need_format(arena, "%.0f iterations share a cell, which is the greatest", per));
	ph_page_note(arena, &drawing->page,
				 n_changes > 0 ? "dark lines: the level changes from here on"
							   : "no call path changes its level within the run");
}

static void
draw_iterations(PhDrawing *drawing)
{
	PhPlain plain;
	PhFrame frame;
	double across;

	if (!ph_plain_read(drawing, &plain))
	{
		drawing->page.title = "Call paths by iteration";
		return;
	}
	drawing->page.title = "Call paths by iteration";
	if (!ph_option_given(drawing->options, "height"))
		drawing->body.height = fmin(fmax(plain.y.n_places * 18.0 + 60, 140), 900);
	across = ph_plain_distance(drawing->arena, &plain.x, plain.n);
	ph_heatmap_draw(drawing, &plain, &frame);
	draw_changes(drawing, &plain, &frame, across);
	note_contents(drawing, &plain);
}

const PhView ph_view_iterations = {
	.name = "iterations",
	.summary = "call paths by iterations of a run, with where their level changes",
	.details = ph_help_render_iterations,
	.options = "run! metric ranks cost=exclusive color:iterations top=40",
	.query = &ph_query_render_iterations,
	.given = ph_given_profile,
	.by_iteration = true,
	.reduction = "mean over processes",
	.width = 1200,
	.height = 640,
	.draw = draw_iterations};
