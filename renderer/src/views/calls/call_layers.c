/*
 * call_layers.c - a call graph in layers from left to right, and the lines of its calls.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "drawing/arena_must.h"
#include "views/calls/call_graph.h"

/* What a layout takes as a weight: of a difference of runs, a cost may be below 0 or unknown. */
static double
weight_of(double cost)
{
	return cost > 0 && isfinite(cost) ? cost : 0;
}

void
ph_call_graph_layers(PhArena *arena, const PhCallGraph *graph, const PhLayersNode *nodes,
					 double gap, double least_width, PhLayers *out)
{
	PhLayersNode *weighed = ph_need(arena, graph->n, sizeof(PhLayersNode));
	PhLayoutEdge *edges = ph_need(arena, graph->n_calls, sizeof(PhLayoutEdge));
	PhLayersOptions options = ph_layers_defaults();

	options.gap = gap;
	options.width = least_width;
	for (uint32_t i = 0; i < graph->n; i++)
	{
		weighed[i] = nodes[i];
		weighed[i].weight = weight_of(graph->functions[i].inclusive);
		weighed[i].order = NAN;
	}
	for (uint32_t i = 0; i < graph->n_calls; i++)
		edges[i] = (PhLayoutEdge){graph->calls[i].caller, graph->calls[i].callee,
								  weight_of(graph->calls[i].inclusive)};
	ph_need_ok(arena,
			   ph_layout_layers(arena, weighed, graph->n, edges, graph->n_calls, &options, out));
}

/* Below the boxes and back to the left side of the target. */
static void
path_back(PhPath *path, const PhLayersBox *from, const PhLayersBox *to, PhBody where)
{
	double x = where.x + from->x + from->width;
	double y = where.y + from->y + from->height / 2;
	double end_x = where.x + to->x;
	double end_y = where.y + to->y + to->height / 2;
	double low = fmax(where.y + from->y + from->height, where.y + to->y + to->height) + 8;
	double bow = from == to ? 12 : 30;

	ph_path_move(path, x, y);
	ph_path_curve(path, x + bow, y + 4, x + bow, low, (x + end_x) / 2, low);
	ph_path_curve(path, end_x - bow, low, end_x - bow, end_y + 4, end_x, end_y);
}

void
ph_call_path(PhPath *path, const PhCallGraph *graph, const PhLayers *layers, uint32_t call,
			 double offset, PhBody where)
{
	const PhLayersBox *from = &layers->boxes[graph->calls[call].caller];
	const PhLayersColumn *column = &layers->columns[from->layer];
	const PhLayersLine *line = &layers->edges[call].line;
	double bow = offset; /* at its two ends a line leaves its place with the control point only */
	double x = where.x + column->x + column->width; /* past the longer labels of the layer */
	double y = where.y + line->y0;

	if (layers->edges[call].is_back)
	{
		path_back(path, from, &layers->boxes[graph->calls[call].callee], where);
		return;
	}
	ph_path_move(path, where.x + from->x + from->width, y);
	ph_path_line(path, x, y);
	for (;;)
	{
		const PhLayersBox *to = &layers->boxes[line->to];
		double to_x = where.x + to->x;
		double to_y = where.y + line->y1 + (to->is_bend ? offset : 0);
		double half = (to_x - x) / 2;

		ph_path_curve(path, x + half, y + bow, to_x - half, to_y + (to->is_bend ? 0 : offset), to_x,
					  to_y);
		if (!to->is_bend)
			return;
		x = to_x + to->width;
		y = to_y;
		bow = 0;
		line = &to->line;
		ph_path_line(path, x, y); /* along a layer */
	}
}
