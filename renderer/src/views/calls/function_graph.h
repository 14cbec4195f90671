/*
 * function_graph.h - graphs of functions: circles by nodes of the call tree, or by own cost.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_CALLS_FUNCTION_GRAPH_H
#define PH_VIEWS_CALLS_FUNCTION_GRAPH_H

#include "views/calls/call_graph.h"

/* ---- size and colour: nodes of the call tree ---- */

typedef struct PhFunctionGraph
{
	PhLayers layers;	 /* box i: function i; edge i: call i */
	double *radii;		 /* of the circles, at the left ends of their boxes */
	const char **labels; /* right of them, as they fit */
	uint32_t most_nodes;
} PhFunctionGraph;

void ph_function_graph_place(PhScene *scene, const PhCallGraph *graph, double least_width,
							 PhFunctionGraph *out);
void ph_function_graph_draw(PhScene *scene, const PhCallGraph *graph, const PhFunctionGraph *layout,
							PhPalette palette, PhBody where);
void ph_function_graph_legend(PhScene *scene, const PhCallGraph *graph,
							  const PhFunctionGraph *layout, PhPalette palette);

/* ---- size: own cost; arcs: who calls, by share ---- */

/* A caller's share of the time spent in a function, as a slice of the ring around its circle. */
typedef struct PhArcSlice
{
	uint32_t caller, function;
	double from, to; /* turns, 0 on top, clockwise */
	double share;
} PhArcSlice;

/* The calls from one function to another: those alike as one line, outliers apart. */
typedef struct PhArcBundle
{
	uint32_t n_outliers; /* of the nodes of a call, the first ones */
	uint32_t n_bundled;	 /* the others */
	double bundled;		 /* their inclusive cost */
} PhArcBundle;

typedef struct PhFunctionArcs
{
	PhLayers layers;
	double *radii; /* of the circles */
	double *room;  /* of circle and ring */
	const char **labels;
	bool *is_large; /* has a ring and a name */
	uint32_t n_slices;
	PhArcSlice *slices;
	PhArcBundle *bundles; /* of every call */
	PhCategories callers;
	double most_exclusive;
} PhFunctionArcs;

void ph_function_arcs_place(PhScene *scene, const PhCallGraph *graph, PhPalette palette,
							double least_width, PhFunctionArcs *out);
void ph_function_arcs_draw(PhScene *scene, const PhCallGraph *graph, const PhFunctionArcs *layout,
						   PhBody where);
void ph_function_arcs_legend(PhScene *scene, const PhCallGraph *graph,
							 const PhFunctionArcs *layout);

/* ---- callers, function, callees ---- */

void ph_neighbourhood_draw(PhScene *scene, const PhCallGraph *graph, const PhNeighbourhood *layout,
						   PhPalette palette, PhBody where);
void ph_neighbourhood_legend(PhScene *scene, const PhCallGraph *graph, PhPalette palette);

#endif
