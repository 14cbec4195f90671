/*
 * sankey_diff_view.c - `sankey-diff`: two runs, or a run and an ensemble, as one super graph.
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
#include "views/supergraph/sankey.h"

#define LONELY_KEY 96.0

static void
layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	(void) options;
	*width = body.width - PH_SANKEY_RIGHT;
	*height = body.height;
}

static bool
check(const PhOptions *options, const char **message, const char **hint)
{
	bool chosen = ph_option_text(options, "application") || ph_option_condition(options) ||
				  ph_option_text(options, "runs");

	if (ph_option_text(options, "rows"))
		return true;
	if (ph_option_text(options, "vs") == NULL)
	{
		*message = "nothing to compare with";
		*hint = "Give a second run with --vs, or --vs ensemble with --application, --filter or "
				"--runs.";
		return false;
	}
	if (ph_option_is(options, "vs", "ensemble") && !chosen)
	{
		*message = "it is not said which runs are the ensemble";
		*hint = "Choose them with --application, --filter or --runs.";
		return false;
	}
	return true;
}

static double
or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

static void
read_difference(const PhTable *sides, uint32_t row, bool inclusive, const PhNoiseRows *noise,
				double whole, PhSankeyBar *bar)
{
	double a = or_zero(ph_table_number(sides, row, inclusive ? "a" : "a_exclusive"));
	double b = or_zero(ph_table_number(sides, row, inclusive ? "b" : "b_exclusive"));

	bar->difference = b - a;
	bar->is_noise = ph_noise_explains(noise, bar->label, a, b, whole);
}

/* Difference and status of every bar, from the section "sides". */
static void
read_sides(PhArena *arena, const PhViewRows *rows, const PhSankeyPaint *paint,
		   const PhNoiseRows *noise, PhSankey *graph)
{
	const PhTable *sides = ph_rows_table(rows, "sides");

	for (uint32_t row = 0; row < ph_rows_count(sides); row++)
	{
		const char *node = ph_table_text(sides, row, "node");
		PhSankeyBar *bar = node ? ph_sankey_find(graph, node) : NULL;
		double a = ph_table_number(sides, row, "a");
		double b = ph_table_number(sides, row, "b");

		if (bar == NULL)
			continue;
		bar->status = isnan(a) ? "only in B" : isnan(b) ? "only in A" : "both";
		read_difference(sides, row, paint->inclusive, noise, graph->total, bar);
		bar->tooltip_tail = ph_need_format(arena, "\ninclusive in A %s, in B %s%s",
										   isnan(a) ? "none" : ph_value(arena, paint->unit_name, a),
										   isnan(b) ? "none" : ph_value(arena, paint->unit_name, b),
										   bar->tooltip_tail ? bar->tooltip_tail : "");
	}
}

/* "A: mean of 4 other runs of lulesh" or the run. */
static const char *
side_name(PhDrawing *drawing, const char *section, uint32_t n_others)
{
	PhArena *arena = drawing->arena;
	const char *name = ph_run_name(arena, drawing->rows, section);
	const PhTable *run = ph_rows_table(drawing->rows, section);
	double ranks = ph_table_number(run, 0, "n_ranks");
	const char *commit = ph_table_text(run, 0, "commit_id");

	if (*name == '\0')
		return ph_need_format(arena, "mean of %u other %s", n_others,
							  n_others == 1 ? "run" : "runs");
	if (ranks > 0)
		name = ph_need_format(arena, "%s, %.0f %s", name, ranks, ranks == 1 ? "rank" : "ranks");
	if (commit)
		name = ph_need_format(arena, "%s, commit %.10s", name, commit);
	return name;
}

static const char *
identity(PhDrawing *drawing, uint32_t n_others)
{
	PhArena *arena = drawing->arena;
	const char *metric = ph_metric_name(arena, drawing->rows, 0);

	return ph_need_format(
		arena, "A: %s \xc2\xb7 B: %s%s%s%s%s", side_name(drawing, "run", n_others),
		side_name(drawing, "run_b", n_others), metric ? " \xc2\xb7 " : "", metric ? metric : "",
		metric ? ", " : "",
		metric ? ph_reduction_text(arena, drawing->rows, "run", "mean over columns") : "");
}

/* Keys of the outlines of bars that only one side has. */
static void
lonely_keys(PhScene *scene, const PhSankey *graph, PhSpan room)
{
	static const char *const statuses[] = {"only in A", "only in B"};
	double x = room.from;

	ph_scene_open(scene, "key", NULL);
	for (int i = 0; i < 2; i++)
	{
		bool any = false;

		for (uint32_t k = 0; k < graph->n_bars; k++)
			any = any || (graph->bars[k].status && strcmp(graph->bars[k].status, statuses[i]) == 0);
		if (any && x + LONELY_KEY <= room.to)
		{
			PhBody swatch = ph_legend_place(x + 2);

			x = ph_legend_swatch(scene, x + 2, ph_color_hex(0xe9ecf0), false, statuses[i]);
			ph_sankey_mark_lonely(scene, statuses[i], swatch);
		}
	}
	ph_scene_close(scene);
}

static void
draw_graph(PhDrawing *drawing, PhSankey *graph, PhSankeyPaint *paint)
{
	const PhSankey *graphs[1] = {graph};
	PhSankeyHidden hidden = {0};
	PhBody body = drawing->body;

	body.width = fmax(body.width, graph->width + PH_SANKEY_RIGHT);
	body.height = fmax(body.height, graph->height);
	drawing->scene->width = body.width + 2 * PH_MARGIN;
	ph_sankey_paint(drawing->arena, graphs, 1, paint);
	ph_known_colors_apply(drawing->arena, drawing->rows, paint->palette, &paint->categories);
	ph_sankey_draw(drawing->scene, graph, paint, body, &hidden);
	lonely_keys(
		drawing->scene, graph,
		ph_sankey_legend(drawing->scene, paint, graph->scale, ph_sankey_has_absorbed(graph)));
	ph_page_note(drawing->arena, &drawing->page,
				 "heights are the means of A and B, where a side without a supernode counts 0");
	ph_sankey_note_hidden(drawing->arena, &drawing->page, &hidden);
	drawing->body = body;
}

static void
draw_sankey_diff_view(PhDrawing *drawing)
{
	const PhOptions *options = drawing->options;
	PhSankeyPaint paint = {.palette = ph_option_palette(options),
						   .color = PH_BY_DIFFERENCE,
						   .united = true,
						   .unit_name = ph_metric_unit(drawing->rows, 0)};
	uint32_t n_others = ph_rows_count(ph_rows_table(drawing->rows, "runs"));
	PhNoiseRows noise = ph_noise_read(drawing->rows);
	PhSankey graph;

	paint.inclusive = ph_option_is(options, "cost", "inclusive");
	paint.run = ph_table_text(ph_rows_table(drawing->rows, "run_b"), 0, "run_id");
	ph_sankey_read(drawing->arena, drawing->rows, "", paint.unit_name, &graph);
	read_sides(drawing->arena, drawing->rows, &paint, &noise, &graph);
	drawing->page.title = n_others > 0 ? "Run against an ensemble" : "Difference of two runs";
	drawing->page.identity = identity(drawing, n_others);
	if (graph.n_bars == 0 || !(graph.total > 0))
		ph_page_empty(drawing->scene, drawing->body,
					  "no cost to draw: the metric is zero everywhere");
	else
	{
		draw_graph(drawing, &graph, &paint);
		ph_noise_note(drawing->arena, &drawing->page, &noise);
	}
}

const PhView ph_view_sankey_diff = {
	.name = "sankey-diff",
	.summary = "one super graph of two runs, or of a run and an ensemble, coloured by difference",
	.details = ph_help_render_sankey_diff,
	.place = "compare",
	.label = "difference",
	.options =
		"run! vs:ensemble! application runs metric ranks filter:graph-of-runs levels group-by "
		"module-map split-entry "
		"split-caller drill cost=exclusive aliases",
	.query = &ph_query_render_sankey_diff,
	.reduction = "mean over columns",
	.width = 1200,
	.height = 760,
	.layout_size = layout_size,
	.has_levels = true,
	.check = check,
	.draw = draw_sankey_diff_view};
