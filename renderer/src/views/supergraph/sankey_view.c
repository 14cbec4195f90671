/*
 * sankey_view.c - `sankey`: the super graph of one run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "request/known_colors.h"
#include "request/view.h"
#include "texts.h"
#include "views/supergraph/sankey.h"

static void
layout_size(const PhOptions *options, PhBody body, double *width, double *height)
{
	(void) options;
	*width = body.width - PH_SANKEY_RIGHT;
	*height = body.height;
}

/* Of a difference, heights are of how much changed; colours tell which way. */
static void
read_changes(PhDrawing *drawing, PhSankeyPaint *paint, PhSankey *graph)
{
	const PhTable *changes = ph_rows_table(drawing->rows, "changes");

	if (changes == NULL)
		return;
	for (uint32_t row = 0; row < ph_rows_count(changes); row++)
	{
		const char *node = ph_table_text(changes, row, "node");
		PhSankeyBar *bar = node ? ph_sankey_find(graph, node) : NULL;

		if (bar == NULL || bar->n_others > 0)
			continue;
		bar->difference = ph_table_number(changes, row, "exclusive");
		bar->tooltip_tail =
			ph_need_format(drawing->arena, "\nin sum %s%s",
						   ph_signed_value(drawing->arena, paint->unit_name,
										   ph_table_number(changes, row, "inclusive")),
						   bar->tooltip_tail ? bar->tooltip_tail : "");
	}
	paint->color = PH_BY_DIFFERENCE;
	paint->versus = "in sum";
	ph_page_note(drawing->arena, &drawing->page,
				 "heights: how much the own costs of call paths differ, whatever their signs; "
				 "colours: their sum in a supernode");
}

/* One bar of what has no name looks like an answer: say that it is none, and what is. */
static void
note_unknown(PhDrawing *drawing, const PhSankey *graph)
{
	const char *group = ph_option_text(drawing->options, "group-by");
	bool is_module = group != NULL && strcmp(group, "module") == 0;

	if (group == NULL || strcmp(group, "function") == 0 || ph_query_shown(drawing->rows))
		return;
	for (uint32_t i = 0; i < graph->n_bars; i++)
		if (graph->bars[i].n_others == 0 && strcmp(graph->bars[i].label, "<unknown>") != 0)
			return;
	ph_page_note(drawing->arena, &drawing->page,
				 ph_need_format(drawing->arena, "no call path says its %s: group by function%s",
								group, is_module ? ", or give a module map" : ""));
}

static void
draw_graph(PhDrawing *drawing, const char *title)
{
	const PhSankey *graphs[1];
	PhSankey graph;
	PhSankeyPaint paint = {.palette = ph_option_palette(drawing->options),
						   .unit_name = ph_metric_unit(drawing->rows, 0),
						   .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id")};
	PhSankeyHidden hidden = {0};
	PhBody body = drawing->body;

	ph_sankey_read(drawing->arena, drawing->rows, "", paint.unit_name, &graph);
	if (ph_option_given(drawing->options, "color"))
		ph_sankey_color_parse(ph_option_text(drawing->options, "color"), &paint.color);
	read_changes(drawing, &paint, &graph);
	drawing->page.title = title;
	if (graph.n_bars == 0 || !(graph.total > 0))
	{
		ph_page_empty(drawing->scene, body, "no cost to draw: the metric is zero everywhere");
		return;
	}
	/* a layout may need more room than asked for */
	if (graph.width + PH_SANKEY_RIGHT > body.width)
	{
		body.width = graph.width + PH_SANKEY_RIGHT;
		drawing->scene->width = body.width + 2 * PH_MARGIN;
	}
	if (graph.height > body.height)
		body.height = graph.height;
	graphs[0] = &graph;
	ph_sankey_paint(drawing->arena, graphs, 1, &paint);
	ph_known_colors_apply(drawing->arena, drawing->rows, paint.palette, &paint.categories);
	ph_sankey_draw(drawing->scene, &graph, &paint, body, &hidden);
	ph_sankey_legend(drawing->scene, &paint, graph.scale, ph_sankey_has_absorbed(&graph));
	ph_sankey_note_hidden(drawing->arena, &drawing->page, &hidden);
	note_unknown(drawing, &graph);
	if (graph.n_thin > 0)
		drawing->too_small =
			ph_need_format(drawing->arena, "%u pieces of bands under %.1g px left out",
						   graph.n_thin, graph.thinnest);
	drawing->body = body;
}

static void
draw_sankey_view(PhDrawing *drawing)
{
	const char *group = ph_option_text(drawing->options, "group-by");

	draw_graph(drawing, ph_query_shown(drawing->rows)
							? "Super graph"
							: ph_need_format(drawing->arena, "Super graph by %s", group));
}

static void
draw_window_graph(PhDrawing *drawing)
{
	PhArena *arena = drawing->arena;
	const PhTable *window = ph_rows_table(drawing->rows, "window");
	const char *group = ph_option_text(drawing->options, "group-by");

	if (ph_rows_count(window) > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena, "what ran from %s to %s",
									ph_value(arena, "ns", ph_table_number(window, 0, "from")),
									ph_value(arena, "ns", ph_table_number(window, 0, "to"))));
	draw_graph(drawing, ph_need_format(arena, "Super graph of a window by %s", group));
}

const PhView ph_view_sankey = {
	.name = "sankey",
	.summary = "super graph from left to right: who calls whom, and what it costs",
	.details = ph_help_render_sankey,
	.place = "graph",
	.label = "super graph",
	.options = "run! metric ranks filter:graph levels group-by module-map split-entry split-caller "
			   "drill color "
			   "bins:bars",
	.query = &ph_query_render_sankey,
	.given = ph_given_supergraph,
	.reduction = "mean over columns",
	.width = 1200,
	.height = 760,
	.layout_size = layout_size,
	.has_levels = true,
	.draw = draw_sankey_view};

const PhView ph_view_window_graph = {
	.name = "window-graph",
	.summary = "super graph of a window of a trace: who called whom in that time",
	.details = ph_help_render_window_graph,
	.place = "trace-more",
	.label = "super graph",
	.options =
		"run! from to filter:graph levels group-by module-map split-entry split-caller drill "
		"color",
	.query = &ph_query_render_window_graph,
	.reduction = "mean over columns",
	.width = 1200,
	.height = 760,
	.layout_size = layout_size,
	.has_levels = true,
	.draw = draw_window_graph};
