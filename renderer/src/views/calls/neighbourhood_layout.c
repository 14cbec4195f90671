/*
 * neighbourhood_layout.c - callers left, a function in the middle, callees right.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "views/calls/call_graph.h"

#define GAP 10.0
#define THICKEST 90.0 /* all bands of a side together */
#define THINNEST 1.0
#define PADDING 8.0

static double
box_height(uint32_t n_nodes)
{
	uint32_t shown = n_nodes < PH_INNER_MOST ? n_nodes : PH_INNER_MOST;
	uint32_t rows = (shown + PH_INNER_ACROSS - 1) / PH_INNER_ACROSS;

	return PH_OUTER_HEAD + rows * PH_INNER + (n_nodes > PH_INNER_MOST ? 13 : 0) + PADDING;
}

static double
measure_of(const PhCallGraph *graph, const PhNeighbour *neighbour)
{
	return graph->counted ? neighbour->calls : neighbour->inclusive;
}

/* Calls are heaviest first; those after the first most are added up. */
static PhNeighbour *
collect(PhArena *arena, const PhCallGraph *graph, bool callers, uint32_t most, uint32_t *n)
{
	PhNeighbour *list = ph_need(arena, (size_t) most + 1, sizeof(PhNeighbour));

	*n = 0;
	for (uint32_t i = 0; i < graph->n_calls; i++)
	{
		const PhCall *call = &graph->calls[i];
		uint32_t other = callers ? call->caller : call->callee;
		PhNeighbour *neighbour;

		if ((callers ? call->callee : call->caller) != graph->selected || other == graph->selected)
			continue;
		if (*n <= most)
		{
			list[*n].function = *n < most ? other : UINT32_MAX;
			++*n;
		}
		neighbour = &list[*n - 1];
		neighbour->n_functions++;
		neighbour->n_nodes += graph->functions[other].n_nodes;
		neighbour->inclusive += call->inclusive;
		neighbour->calls += isnan(call->calls) ? 0 : call->calls;
	}
	return list;
}

static void
size_side(const PhCallGraph *graph, PhNeighbour *list, uint32_t n, double per_unit)
{
	for (uint32_t i = 0; i < n; i++)
	{
		list[i].thickness = fmax(measure_of(graph, &list[i]) * per_unit, THINNEST);
		list[i].height = fmax(list[i].function == UINT32_MAX ? PH_OUTER_HEAD + PADDING
															 : box_height(list[i].n_nodes),
							  list[i].thickness);
	}
}

static double
side_total(const PhCallGraph *graph, const PhNeighbour *list, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += measure_of(graph, &list[i]);
	return sum;
}

static double
side_thickness(const PhNeighbour *list, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += list[i].thickness;
	return sum;
}

static void
note_recursion(const PhCallGraph *graph, PhNeighbourhood *out)
{
	for (uint32_t i = 0; i < graph->n_calls; i++)
	{
		const PhCall *call = &graph->calls[i];

		if (call->caller != graph->selected || call->callee != graph->selected)
			continue;
		out->self_inclusive += call->inclusive;
		out->self_calls += isnan(call->calls) ? 0 : call->calls;
		out->self_nodes += call->n_nodes;
	}
}

/* A neighbour as a node of the layout; those of a side keep their order. */
static PhLayersNode
node_of(const PhNeighbour *neighbour, uint32_t layer, uint32_t order)
{
	return (PhLayersNode){.width = PH_OUTER_WIDTH,
						  .height = neighbour->height,
						  .weight = neighbour->thickness,
						  .layer = layer,
						  .order = order};
}

/* Node 0 is the middle; callers and callees follow, edge i joins node i + 1 with it. */
static void
lay_out(PhArena *arena, const PhNeighbourhood *of, double column_gap, PhLayers *out)
{
	uint32_t n = of->n_callers + of->n_callees;
	uint32_t middle = of->n_callers > 0;
	PhLayersNode *nodes = ph_need(arena, (size_t) n + 1, sizeof(PhLayersNode));
	PhLayoutEdge *edges = ph_need(arena, n, sizeof(PhLayoutEdge));
	PhLayersOptions options = ph_layers_defaults();

	options.gap = GAP;
	options.column_gap = column_gap;
	options.layers_are_given = true;
	options.thickness = 1;
	options.least_pull = 0;
	nodes[0] = node_of(&of->middle, middle, 0);
	for (uint32_t i = 0; i < n; i++)
	{
		bool is_caller = i < of->n_callers;
		const PhNeighbour *neighbour =
			is_caller ? &of->callers[i] : &of->callees[i - of->n_callers];

		nodes[i + 1] = node_of(neighbour, is_caller ? 0 : middle + 1, i);
		edges[i] =
			(PhLayoutEdge){is_caller ? i + 1 : 0, is_caller ? 0 : i + 1, neighbour->thickness};
	}
	ph_need_ok(arena, ph_layout_layers(arena, nodes, n + 1, edges, n, &options, out));
}

static void
take_places(const PhLayers *layers, PhNeighbourhood *out)
{
	out->width = layers->width;
	out->height = layers->height;
	out->middle.x = layers->boxes[0].x;
	out->middle.y = layers->boxes[0].y;
	for (uint32_t i = 0; i < out->n_callers + out->n_callees; i++)
	{
		bool is_caller = i < out->n_callers;
		PhNeighbour *neighbour = is_caller ? &out->callers[i] : &out->callees[i - out->n_callers];

		neighbour->x = layers->boxes[i + 1].x;
		neighbour->y = layers->boxes[i + 1].y;
		neighbour->port = is_caller ? layers->edges[i].line.y1 : layers->edges[i].line.y0;
	}
}

void
ph_neighbourhood_place(PhArena *arena, const PhCallGraph *graph, uint32_t most, double width,
					   PhNeighbourhood *out)
{
	PhLayers layers;
	double total;
	double per_unit;
	double ports;

	memset(out, 0, sizeof(*out));
	if (graph->selected == UINT32_MAX)
		return;
	out->callers = collect(arena, graph, true, most, &out->n_callers);
	out->callees = collect(arena, graph, false, most, &out->n_callees);
	note_recursion(graph, out);
	total = fmax(side_total(graph, out->callers, out->n_callers),
				 side_total(graph, out->callees, out->n_callees));
	per_unit = total > 0 ? THICKEST / total : 0;
	size_side(graph, out->callers, out->n_callers, per_unit);
	size_side(graph, out->callees, out->n_callees, per_unit);
	out->middle = (PhNeighbour){.function = graph->selected,
								.n_functions = 1,
								.n_nodes = graph->functions[graph->selected].n_nodes};
	ports = fmax(side_thickness(out->callers, out->n_callers),
				 side_thickness(out->callees, out->n_callees));
	out->middle.height =
		fmax(box_height(out->middle.n_nodes) + (out->self_nodes > 0 ? 13 : 0), ports + 4);
	lay_out(arena, out, fmax((width - PH_OUTER_WIDTH) / 2 - PH_OUTER_WIDTH, 80), &layers);
	take_places(&layers, out);
}
