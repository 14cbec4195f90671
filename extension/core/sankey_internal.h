/*
 * sankey_internal.h - the diagram under construction, shared by the steps of the layout.
 *
 * Boxes are the real bars, then one dummy for every layer that an edge passes; links join boxes of
 * neighbouring layers. All work goes over lists in a canonical order (by name), so the result does
 * not depend on the order in which nodes and edges are given.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SANKEY_INTERNAL_H
#define PH_SANKEY_INTERNAL_H

#include "sankey_layout.h"

typedef struct PhSankeyBox
{
	uint32_t layer;
	uint32_t position; /* order within the layer */
	uint32_t rank;	   /* canonical number: by name, dummies after bars */
	bool dummy;
	bool has_previous;
	double previous; /* order in an older layout */
	double value;
	double gap; /* kept free above */
	double height;
	double y;
} PhSankeyBox;

typedef struct PhSankeyLink
{
	uint32_t edge;			 /* of the caller */
	uint32_t source, target; /* boxes */
	double weight;
	double source_port, target_port; /* offset of the band's top within the box */
} PhSankeyLink;

/* Lists of links or boxes, one after the other. */
typedef struct PhSankeyLists
{
	uint32_t *start; /* list i is items[start[i]..start[i + 1]) */
	uint32_t *items;
} PhSankeyLists;

typedef struct PhSankey
{
	PhArena *arena; /* dies with the work */
	const PhLayoutOptions *options;
	double width, height;
	uint32_t n_layers;
	uint32_t n_real;
	uint32_t n_boxes;
	PhSankeyBox *boxes;
	uint32_t n_links;
	PhSankeyLink *links;   /* canonical order: by edge, then from left to right */
	PhSankeyLists out, in; /* links by box, canonical until ports are set, then by position */
	PhSankeyLists layers;  /* boxes by layer, in order */
	double *x;			   /* per layer */
	double scale;
	double crossings_first, crossings;
	uint32_t n_sweeps;
	double *objective;
} PhSankey;

/* sankey_boxes.c: check the input; make boxes, links and lists. */
PhStatus ph_sankey_make_boxes(PhSankey *sankey, const PhLayoutNode *nodes, uint32_t n_nodes,
							  const PhLayoutEdge *edges, uint32_t n_edges) PH_MUST_CHECK;

/* sankey_order.c: positions within the layers. sankey_crossings.c: what they cost. */
PhStatus ph_sankey_order(PhSankey *sankey) PH_MUST_CHECK;
PhStatus ph_sankey_crossings(const PhSankey *sankey, double *out) PH_MUST_CHECK;
PhStatus ph_sankey_exchange(PhSankey *sankey) PH_MUST_CHECK;

/* Whether the order of two bars of one layer is settled by an older layout. */
bool ph_sankey_is_settled(const PhSankeyBox *a, const PhSankeyBox *b);

/* sankey_place.c: x of layers, scale, heights and ports. sankey_settle.c: y. */
PhStatus ph_sankey_place_layers(PhSankey *sankey) PH_MUST_CHECK;
PhStatus ph_sankey_place_ports(PhSankey *sankey) PH_MUST_CHECK;
PhStatus ph_sankey_settle(PhSankey *sankey) PH_MUST_CHECK;

#endif
