/*
 * processes_view.c - `processes` and `metric`: all processes side by side.
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
#include "views/ranks/processes.h"

#define LEAST_PLACE 2.0 /* width of a process in `metric`, else neighbours share a place */

static void
layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	(void) options;
	*width = body.width - PH_PROCESSES_LEFT;
	*height = body.height;
}

static void
metric_layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	(void) options;
	*width = (body.width - PH_PROCESSES_LEFT) / LEAST_PLACE;
	*height = body.height;
}

static void
note_sharing(PhDrawing *drawing, const PhProcesses *processes, const char *what)
{
	if (processes->per > 1)
		ph_page_note(drawing->arena, &drawing->page,
					 ph_need_format(drawing->arena, "up to %.0f neighbouring %s share %s",
									processes->per, ph_processes_noun(processes, false), what));
}

static bool
is_empty(PhDrawing *drawing, const PhProcesses *processes)
{
	if (processes->n > 0 && processes->greatest_max > 0)
		return false;
	drawing->body.height = 200;
	ph_page_empty(drawing->scene, drawing->body, "no cost to draw: the metric is zero everywhere");
	return true;
}

static void
draw_processes_view(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	const char *metric = ph_metric_name(arena, drawing->rows, 0);
	PhProcessesPaint paint = {.palette = ph_option_palette(drawing->options),
							  .unit_name = ph_metric_unit(drawing->rows, 0),
							  .run =
								  ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id"),
							  .metric = metric ? metric : "cost"};
	double idle = ph_table_number(ph_rows_table(drawing->rows, "grid"), 0, "idle");
	PhProcesses processes;

	ph_processes_read(arena, drawing->rows, &processes);
	drawing->page.title =
		ph_need_format(arena, "Self cost of %.0f %s", processes.n > 0 ? processes.n_processes : 0,
					   ph_processes_noun(&processes, processes.n_processes == 1));
	if (is_empty(drawing, &processes))
		return;
	drawing->body.height = ph_processes_draw(drawing->scene, &processes, &paint, drawing->body);
	ph_processes_legend(drawing->scene, &processes, &paint);
	ph_page_note(arena, &drawing->page,
				 ph_need_format(arena,
								"of the call-tree nodes where a %s has self cost: width the "
								"greatest, height the least, colour the mean",
								ph_processes_noun(&processes, true)));
	if (ph_processes_beyond(&processes) > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "the greatest or the means of %u are beyond the ranges",
									ph_processes_beyond(&processes)));
	note_sharing(drawing, &processes,
				 "a box, which shows the greatest, the least and the mean of means");
	if (idle > 0)
		ph_page_note(arena, &drawing->page, ph_need_format(arena, "%.0f without any cost", idle));
}

static const char *
metric_title(PhArena *arena, const PhTable *node, const PhProcesses *processes)
{
	const char *name = ph_table_text(node, 0, "name");

	return ph_need_format(arena, "%s %s", name ? name : "One node",
						  processes->by_iteration ? "along iterations" : "over all processes");
}

static void
note_spread(PhDrawing *drawing, const PhProcesses *processes, double mean)
{
	PhArena *arena = drawing->arena;
	const PhTable *grid = ph_rows_table(drawing->rows, "grid");
	const char *unit = ph_metric_unit(drawing->rows, 0);
	double missing = processes->n_processes - ph_table_number(grid, 0, "present");
	const char *path = ph_table_text(ph_rows_table(drawing->rows, "node"), 0, "path");
	uint32_t worst = 0;

	for (uint32_t i = 1; i < processes->n; i++)
		if (processes->max[i] > processes->max[worst])
			worst = i;
	if (path)
		ph_page_note(arena, &drawing->page, ph_need_format(arena, "call path %s", path));
	ph_page_note(arena, &drawing->page,
				 ph_need_format(arena, "mean %s, median %s, greatest %s (%s), max / mean %.2f",
								ph_value(arena, unit, mean),
								ph_value(arena, unit, ph_table_number(grid, 0, "median")),
								ph_value(arena, unit, processes->max[worst]),
								processes->worst[worst] ? processes->worst[worst] : "",
								mean > 0 ? processes->max[worst] / mean : NAN));
	if (missing > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%.0f of %.0f have no such call path (0, marked red)",
									missing, processes->n_processes));
	if (processes->by_iteration && processes->per <= 1)
		ph_page_note(arena, &drawing->page,
					 "a bar ends at the mean of an iteration's processes; lighter and darker parts "
					 "reach to their greatest and least");
	note_sharing(drawing, processes,
				 "a bar, which ends at their mean; lighter and darker parts reach to their "
				 "greatest and least");
}

static void
draw_metric(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	const PhTable *node = ph_rows_table(drawing->rows, "node");
	const char *cost = ph_table_text(node, 0, "cost");
	const char *metric = ph_metric_name(arena, drawing->rows, 0);
	PhProcesses processes;
	PhMetricPlot plot = {
		.processes = &processes,
		.palette = ph_option_palette(drawing->options),
		.unit_name = ph_metric_unit(drawing->rows, 0),
		.run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id"),
		.node = ph_table_text(node, 0, "path"),
		.what = ph_need_format(arena, "%s %s", cost ? cost : "exclusive", metric ? metric : "cost"),
		.mean = ph_table_number(ph_rows_table(drawing->rows, "grid"), 0, "mean")};

	ph_processes_read(arena, drawing->rows, &processes);
	drawing->page.title = metric_title(arena, node, &processes);
	if (processes.by_iteration)
		drawing->page.identity = ph_run_identity(arena, drawing->rows, "run", "by iteration");
	if (is_empty(drawing, &processes))
		return;
	if (isnan(plot.mean))
		plot.mean = 0;
	ph_metric_draw(drawing->scene, &plot, drawing->body);
	note_spread(drawing, &processes, plot.mean);
}

const PhView ph_view_processes = {
	.name = "processes",
	.needs_ranks = true,
	.summary = "all processes as boxes: greatest, least and mean self cost over their nodes",
	.details = ph_help_render_processes,
	.place = "run",
	.label = "processes",
	.options = "run! metric ranks filter order",
	.query = &ph_query_render_processes,
	.given = ph_given_profile,
	.reduction = "self cost over call-tree nodes",
	.width = 1200,
	.height = 760,
	.layout_size = layout_size,
	.draw = draw_processes_view};

const PhView ph_view_metric = {.name = "metric",
							   .needs_ranks = true,
							   .summary = "one node of the call tree over all processes, or along "
										  "iterations",
							   .details = ph_help_render_metric,
							   .place = "function",
							   .label = "over all processes",
							   .options = "run! metric ranks node cost=exclusive order:iterations",
							   .query = &ph_query_render_metric,
							   .given = ph_given_profile,
							   .reduction = "per process",
							   .width = 1200,
							   .height = 520,
							   .layout_size = metric_layout_size,
							   .draw = draw_metric};
