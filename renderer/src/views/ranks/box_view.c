/*
 * box_view.c - `box`: box plots of supernodes over the ranks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "request/known_colors.h"
#include "request/view.h"
#include "texts.h"
#include "views/ranks/box.h"

static void
note_rest(PhDrawing *drawing, uint32_t drawn, uint32_t unlabelled)
{
	double all = ph_table_number(ph_rows_table(drawing->rows, "supernodes"), 0, "n");

	ph_page_note(drawing->arena, &drawing->page,
				 "box = quartiles, line = median, dot = mean, whiskers within 1.5 interquartile "
				 "ranges, circles = outliers with their ranks");
	if (all > drawn && ph_option_text(drawing->options, "node") == NULL)
		ph_page_note(drawing->arena, &drawing->page,
					 ph_need_format(drawing->arena, "%u of %.0f supernodes", drawn, all));
	if (unlabelled > 0)
		ph_page_note(
			drawing->arena, &drawing->page,
			ph_need_format(drawing->arena, "%u outliers without room for their rank", unlabelled));
}

static void
draw_box_view(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	const PhOptions *options = drawing->options;
	const char *cost = ph_option_text(options, "cost");
	const char *metric = ph_metric_name(arena, drawing->rows, 0);
	PhBoxPlot plot = {.unit_name = ph_metric_unit(drawing->rows, 0),
					  .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id")};
	uint32_t unlabelled;

	plot.what = ph_need_format(arena, "%s %s", cost, metric ? metric : "");
	ph_boxplot_read(arena, drawing->rows, ph_option_palette(options), &plot);
	ph_known_colors_apply(arena, drawing->rows, ph_option_palette(options), &plot.categories);
	drawing->page.title = ph_need_format(arena, "Supernodes over ranks: %s", cost);
	if (plot.n == 0)
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no supernodes: nothing to draw");
		return;
	}
	drawing->body.y -= 30; /* no legend above */
	drawing->body.height = plot.n * PH_BOXPLOT_ROW + PH_BOXPLOT_AXIS;
	unlabelled = ph_boxplot_draw(drawing->scene, &plot, drawing->body);
	note_rest(drawing, plot.n, unlabelled);
}

const PhView ph_view_box = {
	.name = "box",
	.needs_ranks = true,
	.summary = "box plots of the heaviest supernodes over the ranks, outliers named",
	.details = ph_help_render_box,
	.place = "run",
	.label = "spread",
	.options = "run! metric ranks filter:graph levels group-by module-map split-entry split-caller "
			   "drill node "
			   "cost top",
	.query = &ph_query_render_box,
	.given = ph_given_supergraph,
	.reduction = "a value per column",
	.width = 1000,
	.height = 400,
	.draw = draw_box_view};
