/*
 * sankey_ensemble_view.c - `sankey-ensemble`: the super graph of many runs, and where they are.
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
#include "views/supergraph/ensemble.h"

#define TARGET_KEY 150.0

static void
layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	(void) options;
	*width = body.width - PH_SANKEY_RIGHT - PH_GUIDES_LEFT;
	*height = body.height;
}

static PhGuideTexts
guide_texts(const PhOptions *options)
{
	if (ph_option_is(options, "guides", "summary"))
		return PH_GUIDES_SUMMARY;
	return ph_option_is(options, "guides", "detailed") ? PH_GUIDES_DETAILED : PH_GUIDES_NONE;
}

/* "8 ranks each" or "27 to 343 ranks"; NULL: unknown. */
static const char *
ranks_text(PhArena *arena, const PhTable *runs)
{
	double low = INFINITY;
	double high = 0;

	for (uint32_t row = 0; row < ph_rows_count(runs); row++)
	{
		double ranks = ph_table_number(runs, row, "n_ranks");

		low = fmin(low, ranks);
		high = fmax(high, ranks);
	}
	if (!(high > 0))
		return NULL;
	if (low == high)
		return ph_need_format(arena, "%.0f %s each", high, high == 1 ? "rank" : "ranks");
	return ph_need_format(arena, "%.0f to %.0f ranks", low, high);
}

/* "5 runs of lulesh (27 ranks to 343 ranks) ...". */
static const char *
identity(PhDrawing *drawing, const PhRunNames *names)
{
	PhArena *arena = drawing->arena;
	const PhTable *choice = ph_rows_table(drawing->rows, "choice");
	const char *application = ph_table_text(choice, 0, "application");
	const char *filter = ph_table_text(choice, 0, "filter");
	const char *ranks = ranks_text(arena, ph_rows_table(drawing->rows, "runs"));
	const char *line = ph_need_format(arena, "%u %s", names->n, names->n == 1 ? "run" : "runs");

	if (application)
		line = ph_need_format(arena, "%s of %s", line, application);
	if (filter)
		line = ph_need_format(arena, "%s where %s", line, filter);
	if (names->n > 0 && names->n <= 8)
		for (uint32_t i = 0; i < names->n; i++)
			line = ph_need_format(arena, "%s%s%s", line, i ? ", " : ": ", names->names[i]);
	if (ranks)
		line = ph_need_format(arena, "%s \xc2\xb7 %s", line, ranks);
	if (ph_metric_name(arena, drawing->rows, 0))
		line = ph_need_format(arena, "%s \xc2\xb7 %s, mean over runs", line,
							  ph_metric_name(arena, drawing->rows, 0));
	return line;
}

/* The key of the target's line, where there is room. */
static void
target_key(PhDrawing *drawing, const PhRunNames *names, PhSpan room)
{
	PhArena *arena = drawing->arena;
	const char *id = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id");
	const char *name;

	if (id == NULL)
		return;
	name = ph_run_names_find(names, id);
	if (strncmp(name, "run ", 4) != 0)
		name = ph_need_format(arena, "run %s (%s)", id, name);
	if (room.from + TARGET_KEY > room.to)
	{
		ph_page_note(arena, &drawing->page, ph_need_format(arena, "black lines: %s", name));
		return;
	}
	ph_scene_open(drawing->scene, "key", NULL);
	ph_legend_swatch(drawing->scene, room.from, ph_ink(), false, name);
	ph_scene_close(drawing->scene);
}

static void
note_guides(PhDrawing *drawing, const PhSankeyPaint *paint, uint32_t left_out)
{
	PhArena *arena = drawing->arena;

	ph_page_note(arena, &drawing->page,
				 ph_need_format(arena,
								"a bar's height is the mean over runs, and inside it stands for "
								"the least (top) to the greatest %s (bottom) of its runs",
								paint->inclusive ? "inclusive" : "exclusive"));
	if (left_out > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "%u text guides without room left out", left_out));
}

static void
draw_graph(PhDrawing *drawing, PhSankey *graph, PhSankeyPaint *paint, const PhRunNames *names)
{
	const PhSankey *graphs[1] = {graph};
	PhSankeyHidden hidden = {0};
	PhBody body = drawing->body;
	PhBody where;

	body.width = fmax(body.width, graph->width + PH_SANKEY_RIGHT + PH_GUIDES_LEFT);
	body.height = fmax(body.height, graph->height);
	drawing->scene->width = body.width + 2 * PH_MARGIN;
	where = body;
	where.x += PH_GUIDES_LEFT;
	where.width -= PH_GUIDES_LEFT;
	ph_sankey_paint(drawing->arena, graphs, 1, paint);
	ph_known_colors_apply(drawing->arena, drawing->rows, paint->palette, &paint->categories);
	ph_sankey_draw(drawing->scene, graph, paint, where, &hidden);
	note_guides(drawing, paint,
				ph_guides_draw(drawing->scene, graph, paint, where, guide_texts(drawing->options)));
	target_key(
		drawing, names,
		ph_sankey_legend(drawing->scene, paint, graph->scale, ph_sankey_has_absorbed(graph)));
	ph_sankey_note_hidden(drawing->arena, &drawing->page, &hidden);
	drawing->body = body;
}

static void
draw_sankey_ensemble_view(PhDrawing *drawing)
{
	const PhOptions *options = drawing->options;
	PhSankeyPaint paint = {.palette = ph_option_palette(options),
						   .color = PH_BY_CROWD,
						   .unit_name = ph_metric_unit(drawing->rows, 0),
						   .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id")};
	PhRunNames names = ph_run_names(drawing->arena, drawing->rows);
	bool is_of_query = ph_query_shown(drawing->rows) != NULL;
	PhSankey graph;

	paint.inclusive = ph_option_is(options, "cost", "inclusive");
	paint.n_runs = names.n;
	ph_sankey_read(drawing->arena, drawing->rows, "", paint.unit_name, &graph);
	ph_ensemble_read(drawing->arena, drawing->rows, &names, &graph);
	drawing->page.title =
		ph_need_format(drawing->arena, "Super graph%s%s of %u %s", is_of_query ? "" : " by ",
					   is_of_query ? "" : ph_option_text(options, "group-by"), names.n,
					   names.n == 1 ? "run" : "runs");
	if (!is_of_query)
		drawing->page.identity = identity(drawing, &names);
	if (graph.n_bars == 0 || !(graph.total > 0))
		ph_page_empty(drawing->scene, drawing->body,
					  "no cost to draw: the metric is zero everywhere");
	else
		draw_graph(drawing, &graph, &paint, &names);
}

const PhView ph_view_sankey_ensemble = {
	.name = "sankey-ensemble",
	.summary = "super graph of many runs: how they spread in every supernode",
	.details = ph_help_render_sankey_ensemble,
	.place = "history",
	.label = "super graph of all runs",
	.options = "application filter:graph-of-runs runs run metric ranks levels group-by module-map "
			   "split-entry "
			   "split-caller drill cost bins guides",
	.query = &ph_query_render_sankey_ensemble,
	.given = ph_given_supergraph,
	.reduction = "mean over runs",
	.width = 1300,
	.height = 800,
	.many_runs = true,
	.layout_size = layout_size,
	.has_levels = true,
	.draw = draw_sankey_ensemble_view};
