/*
 * layers.h - a directed graph in layers from left to right (docs/design/views.md 3).
 *
 * Cycles are broken where a walk from the heaviest nodes meets its own path. Layers are longest
 * paths; long edges pass the layers between through bends, which take room as boxes do. The order
 * within layers has few crossings, and heights are settled so that heavy edges are straight and
 * nothing overlaps. Plain numbers in and out; deterministic. The Sankey diagram (sankey_layout.h)
 * is built from the same steps with other rules.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LAYOUT_LAYERS_H
#define PH_LAYOUT_LAYERS_H

#include "base/arena.h"

#define PH_LAYOUT_SHARED UINT32_MAX /* for the edge of a band that several edges share */

typedef struct PhLayoutEdge
{
	uint32_t source;
	uint32_t target;
	double weight;
} PhLayoutEdge;

/* Positions of an edge's own dummies in an older layout, from left to right; none: n = 0. */
typedef struct PhLayoutOrders
{
	uint32_t n;
	const double *orders; /* NaN: none */
} PhLayoutOrders;

typedef struct PhLayersNode
{
	double width, height;
	double weight;	/* cycles are broken as seen from the heaviest, which also start on top */
	uint32_t layer; /* when layers are given */
	double order;	/* nodes of a layer keep the order of these numbers; NaN: free */
} PhLayersNode;

typedef struct PhLayersOptions
{
	double width, height;  /* to fill: 0, 0; more is used where it takes more */
	double gap;			   /* above every box of a layer, 5 */
	double column_gap;	   /* least, between layers, 26 */
	double bend_height;	   /* least, 3 */
	double bend_gap;	   /* above a bend, 1 */
	double thickness;	   /* of lines, per weight: 0 */
	double least_pull;	   /* share of the heaviest weight that every edge has at least: 0.02 */
	bool layers_are_given; /* false */
	uint32_t most_layers;  /* deeper graphs get layers by the fewest edges from a source: 24 */
	uint32_t most_bends;   /* beyond, edges to one node share theirs: 4096 */
	uint32_t sweeps;	   /* 24 */
} PhLayersOptions;

PhLayersOptions ph_layers_defaults(void);

/* From a box to the box after it. */
typedef struct PhLayersLine
{
	uint32_t to;   /* a node or a bend */
	double y0, y1; /* top of the line at either end */
} PhLayersLine;

/* A box; the first ones are the nodes, then the bends. */
typedef struct PhLayersBox
{
	bool is_bend;
	uint32_t layer, order; /* order within the layer, from the top */
	double x, y, width, height;
	PhLayersLine line; /* of a bend: how it goes on */
} PhLayersBox;

typedef struct PhLayersEdge
{
	bool is_back;	   /* does not go right: closes a cycle, or see by_distance; has no line */
	PhLayersLine line; /* from its source; bends lead on to its target */
	double thickness;
} PhLayersEdge;

typedef struct PhLayersColumn
{
	double x, width;
} PhLayersColumn;

typedef struct PhLayers
{
	double width, height;
	bool by_distance; /* layers are the fewest edges from the first one */
	uint32_t n_layers;
	PhLayersColumn *columns; /* of every layer */
	uint32_t n_boxes;
	PhLayersBox *boxes;
	PhLayersEdge *edges;			   /* as given */
	double crossings_first, crossings; /* pairs of lines, before and after ordering */
	uint32_t n_sweeps;
	double *objective; /* n_sweeps + 1 values: sum of weight * dy^2, never rising */
} PhLayers;

/*
 * Sizes and weights must be finite and not negative, given layers below n_nodes (PH_ERR_VALUE).
 * Loops and edges given more than once are welcome. What is equal in weight is taken as it is
 * given. O((nodes + edges) log nodes) while most_layers is a constant. The result lives in arena.
 */
PhStatus ph_layout_layers(PhArena *arena, const PhLayersNode *nodes, uint32_t n_nodes,
						  const PhLayoutEdge *edges, uint32_t n_edges,
						  const PhLayersOptions *options, PhLayers *out) PH_MUST_CHECK;

#endif
