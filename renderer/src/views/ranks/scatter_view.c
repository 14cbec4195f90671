/*
 * scatter_view.c - `scatter`: two costs of a supernode over the ranks, with the best fit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "request/view.h"
#include "texts.h"
#include "views/plain/line.h"
#include "views/ranks/scatter.h"

static const char *
axis_name(PhDrawing *drawing, uint32_t metric, bool exclusive)
{
	const char *name = ph_metric_name(drawing->arena, drawing->rows, metric);

	return ph_need_format(drawing->arena, "%s %s", exclusive ? "exclusive" : "inclusive",
						  name ? name : "");
}

/* Two metrics, or one metric's inclusive against its exclusive. */
static void
choose_axes(PhDrawing *drawing, const PhColumns *columns, PhScatterPlot *plot)
{
	bool exclusive = ph_option_is(drawing->options, "cost", "exclusive");
	bool two = columns->inclusive_y != NULL;

	plot->x = two && exclusive ? columns->exclusive : columns->inclusive;
	plot->what_x = axis_name(drawing, 0, two && exclusive);
	plot->unit_x = plot->unit_y = ph_metric_unit(drawing->rows, 0);
	plot->y = columns->exclusive;
	plot->what_y = axis_name(drawing, 0, true);
	if (two)
	{
		plot->y = exclusive ? columns->exclusive_y : columns->inclusive_y;
		plot->what_y = axis_name(drawing, 1, exclusive);
		plot->unit_y = ph_metric_unit(drawing->rows, 1);
	}
}

static const char *
fit_text(PhArena *arena, const PhFit *fit)
{
	if (isnan(fit->slope))
		return ph_need_format(arena, "n = %u \xc2\xb7 no best fit: one of the two does not vary",
							  fit->n);
	return ph_need_format(
		arena, "n = %u \xc2\xb7 y = %.4g %s %.4g x \xc2\xb7 r = %.3f \xc2\xb7 r\xc2\xb2 = %.3f",
		fit->n, fit->intercept, fit->slope < 0 ? "\xe2\x88\x92" : "+", fabs(fit->slope), fit->r,
		fit->r_squared);
}

static void
draw_columns(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	PhColumns columns;
	PhScatterPlot plot = {.columns = &columns,
						  .palette = ph_option_palette(drawing->options),
						  .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id")};
	uint32_t n;

	ph_columns_read(arena, drawing->rows, &columns);
	drawing->page.title =
		ph_need_format(arena, "%s over its %s", columns.node ? columns.node : "No supernode",
					   ph_columns_noun(&columns, false));
	if (columns.n == 0)
	{
		ph_page_empty(drawing->scene, drawing->body, "no ranks: nothing to draw");
		return;
	}
	choose_axes(drawing, &columns, &plot);
	ph_linear_fit(plot.x, plot.y, columns.n, &plot.fit);
	n = ph_scatter_draw(drawing->scene, &plot, drawing->body);
	ph_scene_open(drawing->scene, "statistics", NULL);
	ph_scene_text_fit(drawing->scene, PH_MARGIN, 82, drawing->scene->width - 2 * PH_MARGIN,
					  fit_text(arena, &plot.fit), ph_text_style(11, ph_ink()));
	ph_scene_close(drawing->scene);
	if (n < columns.n)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%u points in the same place as others", columns.n - n));
	if (plot.n_outliers > 0)
		ph_page_note(
			arena, &drawing->page,
			ph_need_format(arena, "%u far from the others or from the line", plot.n_outliers));
	ph_page_note(arena, &drawing->page,
				 ph_need_format(arena,
								"a point per %s; the fit's numbers are in the metrics' own units",
								ph_columns_noun(&columns, true)));
}

/* Of a run, or of rows of a query. */
static void
draw_scatter_view(PhDrawing *drawing)
{
	if (ph_query_shown(drawing->rows) != NULL)
		ph_plain_draw(drawing, false);
	else
		draw_columns(drawing);
}

static const PhGivenColumn rows_of_points[] = {
	{.name = "x", .kind = PH_GIVEN_PLACE},
	{.name = "y", .kind = PH_GIVEN_NUMBER},
	{.name = "series", .kind = PH_GIVEN_TEXT, .optional = true},
	{.name = "label", .kind = PH_GIVEN_TEXT, .optional = true},
	{0}};

const PhView ph_view_scatter = {
	.name = "scatter",
	.needs_ranks = true,
	.summary = "two metrics, or inclusive and exclusive, of a supernode over the ranks",
	.details = ph_help_render_scatter,
	.place = "supernode",
	.label = "scatter",
	.options = "run! metric metric-y ranks filter:graph levels group-by module-map split-entry "
			   "split-caller drill "
			   "node cost",
	.query = &ph_query_render_columns,
	.given = rows_of_points,
	.reduction = "a value per column",
	.width = 900,
	.height = 640,
	.draw = draw_scatter_view};
