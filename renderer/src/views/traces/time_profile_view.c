/*
 * time_profile_view.c - `time-profile`: where time went, bin by bin, as stacked bars.
 *
 * What one rank of thousands did alone is no pixel high in a sum: marks above the bars show it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/axis.h"
#include "queries.h"
#include "request/known_colors.h"
#include "request/view.h"
#include "texts.h"
#include "views/traces/trace_page.h"

#define LEFT 66.0
#define AXIS 40.0
#define MARK 7.0
#define MOST_MARKS 3 /* above a bin, one over the other */

/* The exclusive times of one picture: rows of the section "cells", by bin and place. */
typedef struct Stack
{
	const PhTable *cells, *outliers;
	const char *run;
	PhCategories categories;
	PhAxis times, heights;
	double baseline;
} Stack;

static double
cell_number(const Stack *stack, uint32_t row, const char *column)
{
	return ph_table_number(stack->cells, row, column);
}

static double
fullest_bin(const Stack *stack)
{
	double most = 0;
	double sum = 0;

	for (uint32_t row = 0; row < stack->cells->n_rows; row++)
	{
		if (row > 0 && cell_number(stack, row, "bin") != cell_number(stack, row - 1, "bin"))
			sum = 0;
		sum += cell_number(stack, row, "exclusive");
		most = fmax(most, sum);
	}
	return most;
}

static void
find_categories(PhArena *arena, PhPalette palette, Stack *stack)
{
	uint32_t n = stack->cells->n_rows;
	const char **names = ph_need(arena, n, sizeof(*names));
	double *weights = ph_need(arena, n, sizeof(*weights));

	for (uint32_t row = 0; row < n; row++)
	{
		names[row] = ph_table_text(stack->cells, row, "region");
		weights[row] = cell_number(stack, row, "exclusive");
	}
	ph_categories_build(arena, palette, names, weights, n, &stack->categories);
}

static void
draw_cell(PhScene *scene, const Stack *stack, uint32_t row, double below)
{
	PhArena *arena = scene->arena;
	const char *region = ph_table_text(stack->cells, row, "region");
	double value = cell_number(stack, row, "exclusive");
	double left = ph_axis_at(&stack->times, cell_number(stack, row, "bin_start"));
	double right = ph_axis_at(&stack->times, cell_number(stack, row, "bin_end"));
	double low = ph_axis_at(&stack->heights, below);
	double high = ph_axis_at(&stack->heights, below + value);

	ph_scene_open(scene, "cell",
				  ph_need_format(arena, "%s\n%s to %s\n%s", region,
								 ph_value(arena, "ns", cell_number(stack, row, "bin_start")),
								 ph_value(arena, "ns", cell_number(stack, row, "bin_end")),
								 ph_value(arena, "ns", value)));
	ph_scene_data(scene, "run", stack->run);
	ph_scene_data(scene, "node", region);
	ph_scene_data_number(scene, "from", cell_number(stack, row, "bin_start"));
	ph_scene_data_number(scene, "to", cell_number(stack, row, "bin_end"));
	ph_scene_data_number(scene, "value", value);
	ph_scene_rect(scene, left, high, fmax(right - left - (right - left > 4 ? 1 : 0), 0.5),
				  low - high, ph_fill(ph_categories_color(&stack->categories, region)));
	ph_scene_close(scene);
}

static void
draw_cells(PhScene *scene, const Stack *stack)
{
	double below = 0;

	for (uint32_t row = 0; row < stack->cells->n_rows; row++)
	{
		if (row > 0 && cell_number(stack, row, "bin") != cell_number(stack, row - 1, "bin"))
			below = 0;
		draw_cell(scene, stack, row, below);
		below += cell_number(stack, row, "exclusive");
	}
}

/* Of bins that have several: the one that is most unusual lowest. They come by bin, rarest first.
 */
static void
draw_outliers(PhScene *scene, const Stack *stack, double bottom)
{
	PhArena *arena = scene->arena;
	uint32_t n_in_bin = 0;

	ph_scene_open(scene, "outliers", NULL);
	for (uint32_t row = 0; row < ph_rows_count(stack->outliers); row++)
	{
		const PhTable *table = stack->outliers;
		const char *region = ph_table_text(table, row, "region");
		double left = ph_axis_at(&stack->times, ph_table_number(table, row, "bin_start"));
		double right = ph_axis_at(&stack->times, ph_table_number(table, row, "bin_end"));

		if (row > 0 && ph_table_number(table, row, "bin") != ph_table_number(table, row - 1, "bin"))
			n_in_bin = 0;
		if (n_in_bin++ >= MOST_MARKS)
			continue;
		ph_scene_open(scene, "outlier",
					  ph_need_format(arena,
									 "rank %.0f: %s in %.3g %% of this time\non average %.3g %%",
									 ph_table_number(table, row, "rank"), region,
									 100 * ph_table_number(table, row, "share"),
									 100 * ph_table_number(table, row, "usual")));
		ph_scene_data(scene, "run", stack->run);
		ph_scene_data(scene, "node", region);
		ph_scene_data_number(scene, "rank", ph_table_number(table, row, "rank"));
		ph_scene_rect(scene, left, bottom - n_in_bin * MARK,
					  fmax(right - left - (right - left > 4 ? 1 : 0), 1), MARK - 1,
					  ph_fill(ph_categories_color(&stack->categories, region)));
		ph_scene_close(scene);
	}
	ph_scene_close(scene);
}

static void
draw_stack(PhDrawing *drawing, Stack *stack)
{
	PhArena *arena = drawing->arena;
	PhScene *scene = drawing->scene;
	PhBody body = drawing->body;
	double from, to;
	double shown = ph_option_count(drawing->options, "top");
	double all = ph_table_number(ph_rows_table(drawing->rows, "regions"), 0, "n");

	double top = body.y + 6;

	if (ph_rows_count(stack->outliers) > 0)
	{
		top += MOST_MARKS * MARK + 4;
		ph_page_note(
			arena, &drawing->page,
			"above the bars: a rank in a function that hardly any other was in at the time");
	}
	ph_trace_window(drawing->rows, &from, &to);
	find_categories(arena, ph_option_palette(drawing->options), stack);
	ph_known_colors_apply(arena, drawing->rows, ph_option_palette(drawing->options),
						  &stack->categories);
	stack->baseline = body.y + body.height - AXIS;
	stack->times = ph_axis(arena, "ns", from, to, body.x + LEFT, body.x + body.width, 10);
	stack->heights = ph_axis(arena, "ns", 0, fullest_bin(stack), stack->baseline, top, 6);
	ph_legend_categories(scene, PH_MARGIN, scene->width - PH_MARGIN, "exclusive time of",
						 &stack->categories);
	ph_axis_draw_left(scene, &stack->heights, stack->times.from, stack->times.to,
					  ph_axis_title(arena, &stack->heights, "exclusive time per bin"));
	draw_cells(scene, stack);
	if (ph_rows_count(stack->outliers) > 0)
		draw_outliers(scene, stack, top - 4);
	ph_axis_draw_bottom(scene, &stack->times, stack->baseline, stack->baseline,
						ph_axis_title(arena, &stack->times, "time since the first event"));
	if (all > shown)
		ph_page_note(
			arena, &drawing->page,
			ph_need_format(arena, "%.0f of %.0f regions, the others added up", shown, all));
}

static void
draw_time_profile_view(PhDrawing *drawing)
{
	Stack stack = {.cells = ph_rows_table(drawing->rows, "cells"),
				   .outliers = ph_rows_table(drawing->rows, "outliers"),
				   .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id")};

	drawing->page.title = "Time profile";
	if (ph_rows_count(stack.cells) == 0)
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no calls in this window");
	}
	else
		draw_stack(drawing, &stack);
	ph_page_note(drawing->arena, &drawing->page, "times are sums over the locations");
	ph_trace_notes(drawing->arena, drawing->rows, &drawing->page);
}

const PhView ph_view_time_profile = {.name = "time-profile",
									 .summary = "where time went, bin by bin, stacked by function",
									 .details = ph_help_render_time_profile,
									 .place = "trace-more",
									 .label = "time by function",
									 .options = "run! bins from to ranks top",
									 .query = &ph_query_render_time_profile,
									 .reduction = "sums over locations",
									 .width = 1100,
									 .height = 560,
									 .draw = draw_time_profile_view};
