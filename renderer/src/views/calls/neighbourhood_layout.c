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

static double
stack(const PhCallGraph *graph, PhNeighbour *list, uint32_t n, double x, double per_unit)
{
	double y = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		list[i].x = x;
		list[i].y = y;
		list[i].thickness = fmax(measure_of(graph, &list[i]) * per_unit, THINNEST);
		list[i].height = fmax(list[i].function == UINT32_MAX ? PH_OUTER_HEAD + PADDING
															 : box_height(list[i].n_nodes),
							  list[i].thickness);
		y += list[i].height + GAP;
	}
	return n > 0 ? y - GAP : 0;
}

static void
shift(PhNeighbour *list, uint32_t n, double by)
{
	for (uint32_t i = 0; i < n; i++)
		list[i].y += by;
}

static double
side_total(const PhCallGraph *graph, const PhNeighbour *list, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += measure_of(graph, &list[i]);
	return sum;
}

/* Bands meet the middle box in the order of the boxes, around its middle. */
static double
set_ports(PhNeighbour *list, uint32_t n, double middle)
{
	double sum = 0;
	double at;

	for (uint32_t i = 0; i < n; i++)
		sum += list[i].thickness;
	at = middle - sum / 2;
	for (uint32_t i = 0; i < n; i++)
	{
		list[i].port = at;
		at += list[i].thickness;
	}
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

void
ph_neighbourhood_place(PhArena *arena, const PhCallGraph *graph, uint32_t most, double width,
					   PhNeighbourhood *out)
{
	uint32_t columns;
	double step;
	double total;
	double per_unit;
	double left;
	double right;
	double ports;

	memset(out, 0, sizeof(*out));
	if (graph->selected == UINT32_MAX)
		return;
	out->callers = collect(arena, graph, true, most, &out->n_callers);
	out->callees = collect(arena, graph, false, most, &out->n_callees);
	note_recursion(graph, out);
	columns = 1 + (out->n_callers > 0) + (out->n_callees > 0);
	step = fmax((width - PH_OUTER_WIDTH) / 2, PH_OUTER_WIDTH + 80);
	out->width = PH_OUTER_WIDTH + (columns - 1) * step;
	total = fmax(side_total(graph, out->callers, out->n_callers),
				 side_total(graph, out->callees, out->n_callees));
	per_unit = total > 0 ? THICKEST / total : 0;
	left = stack(graph, out->callers, out->n_callers, 0, per_unit);
	right = stack(graph, out->callees, out->n_callees, out->width - PH_OUTER_WIDTH, per_unit);
	out->middle = (PhNeighbour){.function = graph->selected,
								.n_functions = 1,
								.n_nodes = graph->functions[graph->selected].n_nodes,
								.x = out->n_callers > 0 ? step : 0};
	ports = fmax(set_ports(out->callers, out->n_callers, 0),
				 set_ports(out->callees, out->n_callees, 0));
	out->middle.height =
		fmax(box_height(out->middle.n_nodes) + (out->self_nodes > 0 ? 13 : 0), ports + 4);
	out->height = fmax(fmax(left, right), out->middle.height);
	out->middle.y = (out->height - out->middle.height) / 2;
	shift(out->callers, out->n_callers, (out->height - left) / 2);
	shift(out->callees, out->n_callees, (out->height - right) / 2);
	set_ports(out->callers, out->n_callers, out->height / 2);
	set_ports(out->callees, out->n_callees, out->height / 2);
}
