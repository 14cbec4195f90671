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

#define MARK 4.0 /* height of a mark of a rank */

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

/* ---- ranks that hide in means ---- */

/* The rows of section apart from i on that are one mark: the same rank in cells side by side. */
static uint32_t
end_of_mark(const PhTable *apart, uint32_t i, double across)
{
	const char *label = ph_table_text(apart, i, "y");
	double rank = ph_table_number(apart, i, "rank");
	uint32_t end = i + 1;

	for (; end < ph_rows_count(apart); end++)
		if (strcmp(ph_table_text(apart, end, "y"), label) != 0 ||
			ph_table_number(apart, end, "rank") - rank != 0 ||
			ph_table_number(apart, end, "x") - ph_table_number(apart, end - 1, "x") > across)
			break;
	return end;
}

/* The row among them where the rank took most. */
static uint32_t
greatest_of(const PhTable *apart, uint32_t from, uint32_t end)
{
	uint32_t most = from;

	for (uint32_t i = from; i < end; i++)
		if (ph_table_number(apart, i, "value") > ph_table_number(apart, most, "value"))
			most = i;
	return most;
}

static const char *
apart_text(PhArena *arena, const PhTable *apart, uint32_t row, const char *unit)
{
	return ph_need_format(arena, "rank %.0f took %s in iteration %.0f, the mean is %s",
						  ph_table_number(apart, row, "rank"),
						  ph_value(arena, unit, ph_table_number(apart, row, "value")),
						  ph_table_number(apart, row, "x"),
						  ph_value(arena, unit, ph_table_number(apart, row, "mean")));
}

static void
draw_mark(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame, double across,
		  uint32_t from, uint32_t end)
{
	PhScene *scene = drawing->scene;
	const PhTable *apart = ph_rows_table(drawing->rows, "apart");
	const char *label = ph_table_text(apart, from, "y");
	double low = ph_axis_at(&frame->y.numbers, row_of(plain, label) + 0.5);
	double left = ph_axis_at(&frame->x.numbers, ph_table_number(apart, from, "x") - across / 2);
	double right = ph_axis_at(&frame->x.numbers, ph_table_number(apart, end - 1, "x") + across / 2);

	if (isnan(low) || isnan(left) || isnan(right))
		return;
	ph_scene_open(scene, "outlier",
				  ph_need_format(scene->arena, "%s\n%s", label,
								 apart_text(scene->arena, apart, greatest_of(apart, from, end),
											ph_metric_unit(drawing->rows, 0))));
	ph_scene_data_number(scene, "rank", ph_table_number(apart, from, "rank"));
	ph_scene_rect(scene, left, low - MARK, fmax(right - left, 2), MARK,
				  ph_fill(ph_color_beyond(ph_option_palette(drawing->options))));
	ph_scene_close(scene);
}

/* Below cells in which one rank took twice the mean of all or more: the colour is the mean. */
static void
draw_ranks_apart(PhDrawing *drawing, const PhPlain *plain, const PhFrame *frame, double across)
{
	const PhTable *apart = ph_rows_table(drawing->rows, "apart");
	uint32_t n = ph_rows_count(apart);

	for (uint32_t i = 0, end; i < n; i = end)
	{
		end = end_of_mark(apart, i, across);
		draw_mark(drawing, plain, frame, across, i, end);
	}
	if (n == 0)
		return;
	uint32_t most = greatest_of(apart, 0, n);
	ph_page_note(drawing->arena, &drawing->page,
				 ph_need_format(
					 drawing->arena, "marks below: one rank took twice the mean or more; in %s %s",
					 ph_table_text(apart, most, "y"),
					 apart_text(drawing->arena, apart, most, ph_metric_unit(drawing->rows, 0))));
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
	draw_ranks_apart(drawing, &plain, &frame, across);
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
