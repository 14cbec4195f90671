/*
 * grid_view.c - `grid`: one node of the call tree over the Cartesian grid of ranks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "texts.h"
#include "views/plain/plain.h"

#define TICK_SIZE 10.0
#define TITLE_SIZE 11.0
#define LEFT 64.0	   /* names of rows */
#define TOP 22.0	   /* names of slices */
#define BOTTOM 38.0	   /* ticks and what they are */
#define LEAST_CELL 9.0 /* for which a picture becomes higher, */
#define MOST_HEIGHT 1100.0

/* "x = 3 alone explains 87 % of the variance: 2.1 s, others 1.2 s" */
static void
note_variance(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	const PhTable *variance = ph_rows_table(drawing->rows, "variance");
	const char *unit = ph_metric_unit(drawing->rows, 0);
	const char *extreme = ph_table_text(variance, 0, "extreme");
	const char *factor = ph_table_text(variance, 0, "factor");

	if (ph_rows_count(variance) == 0 || extreme == NULL || factor == NULL)
	{
		ph_page_note(arena, &drawing->page,
					 "no plane, boundary or node explains clearly how ranks differ");
		return;
	}
	ph_page_note(
		arena, &drawing->page,
		ph_need_format(arena, "%s explains %.0f %% of the variance over ranks (%s: %s, others: %s)",
					   factor, 100 * ph_table_number(variance, 0, "share"), extreme,
					   ph_value(arena, unit, ph_table_number(variance, 0, "mean_in")),
					   ph_value(arena, unit, ph_table_number(variance, 0, "mean_out"))));
}

/* A picture of many small cells becomes higher, as long as its width has room for them. */
static void
choose_height(PhDrawing *drawing, double columns, double rows)
{
	PhBody *body = &drawing->body;
	double side = fmin((body->width - LEFT) / columns, LEAST_CELL);
	double wanted = floor(rows * side + TOP + BOTTOM);

	if (!ph_option_given(drawing->options, "height"))
		body->height = fmax(body->height, fmin(wanted, MOST_HEIGHT));
}

/* Cells as near to squares as the body allows; 0 is above and on the left. */
static void
choose_frame(PhDrawing *drawing, const PhPlain *plain, PhFrame *out)
{
	PhBody body;
	double side;
	double low;
	double columns;
	double rows;

	ph_plain_range(plain->x.numbers, plain->n, &low, &columns);
	ph_plain_range(plain->y.numbers, plain->n, &low, &rows);
	columns += 1;
	rows += 1;
	choose_height(drawing, columns, rows);
	body = drawing->body;
	side = fmin((body.width - LEFT) / columns, (body.height - TOP - BOTTOM) / rows);
	*out = (PhFrame){.left = body.x + LEFT, .top = body.y + TOP};
	out->right = out->left + fmin(side * 2, (body.width - LEFT) / columns) * columns;
	out->bottom = out->top + fmin(side * 2, (body.height - TOP - BOTTOM) / rows) * rows;
	out->x.numbers = (PhAxis){
		.low = -0.5, .high = columns - 0.5, .from = out->left, .to = out->right, .unit = {1, ""}};
	out->y.numbers = (PhAxis){
		.low = -0.5, .high = rows - 0.5, .from = out->top, .to = out->bottom, .unit = {1, ""}};
}

/* The coordinates of the first slice's columns or rows, as many as have room. */
static void
draw_ticks(PhDrawing *drawing, const PhPlainColumn *column, const PhFrame *frame, double size,
		   bool is_below)
{
	bool is_sliced = ph_rows_count(ph_rows_table(drawing->rows, "slices")) > 1;
	PhScene *scene = drawing->scene;
	const PhAxis *axis = is_below ? &frame->x.numbers : &frame->y.numbers;
	double place = (axis->to - axis->from) / (axis->high - axis->low);
	uint32_t stride = (uint32_t) fmax(1, ceil((is_below ? 24 : 12) / place));
	PhTextStyle style = ph_text_style(TICK_SIZE, ph_faint());

	style.anchor = is_below ? PH_MIDDLE : PH_END;
	for (uint32_t i = 0; i < size; i += stride)
		ph_scene_text(scene, is_below ? ph_axis_at(axis, i) : frame->left - 6,
					  is_below ? frame->bottom + 14 : ph_axis_at(axis, i) + 3.5,
					  ph_need_format(scene->arena, "%u", i), style);
	style = ph_text_style(TITLE_SIZE, ph_ink());
	if (is_below)
		ph_scene_text(scene, frame->left, frame->bottom + 30, column->title, style);
	else
		ph_scene_text_fit(scene, frame->left - LEFT, frame->top - 6,
						  is_sliced ? LEFT - 4 : 2 * LEFT, column->title, style);
}

static void
draw_slices(PhDrawing *drawing, const PhFrame *frame)
{
	PhScene *scene = drawing->scene;
	const PhTable *slices = ph_rows_table(drawing->rows, "slices");

	for (uint32_t i = 0; i < ph_rows_count(slices); i++)
	{
		double x = ph_axis_at(&frame->x.numbers, ph_table_number(slices, i, "x") - 0.5);
		double end = ph_axis_at(&frame->x.numbers, ph_table_number(slices, i, "end") + 0.5);
		double y = ph_axis_at(&frame->y.numbers, ph_table_number(slices, i, "y") - 0.5);
		const char *label = ph_table_text(slices, i, "label");

		if (label != NULL)
			ph_scene_text_fit(scene, x, y - 4, end - x, label,
							  ph_text_style(TICK_SIZE, ph_faint()));
	}
}

static void
draw_grid(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	const PhTable *node = ph_rows_table(drawing->rows, "node");
	const PhTable *slices = ph_rows_table(drawing->rows, "slices");
	const char *name = ph_table_text(node, 0, "name");
	const char *path = ph_table_text(node, 0, "path");
	PhPlain plain;
	PhFrame frame;

	if (!ph_plain_read(drawing, &plain))
		return;
	drawing->page.title = ph_need_format(arena, "%s over the grid of ranks", name ? name : "Node");
	choose_frame(drawing, &plain, &frame);
	ph_heatmap_cells(drawing, &plain, &frame);
	draw_ticks(drawing, &plain.x, &frame, ph_table_number(slices, 0, "width"), true);
	draw_ticks(drawing, &plain.y, &frame, ph_table_number(slices, 0, "height"), false);
	draw_slices(drawing, &frame);
	if (path)
		ph_page_note(arena, &drawing->page, ph_need_format(arena, "call path %s", path));
	note_variance(drawing);
}

const PhView ph_view_grid = {.name = "grid",
							 .needs_ranks = true,
							 .summary =
								 "one node of the call tree over the Cartesian grid of ranks",
							 .details = ph_help_render_grid,
							 .options = "run! metric ranks node cost=inclusive topology",
							 .query = &ph_query_render_grid,
							 .given = ph_given_profile,
							 .reduction = "per rank",
							 .width = 900,
							 .height = 640,
							 .draw = draw_grid};
