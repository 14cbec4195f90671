/*
 * sankey_internal.h - the diagram under construction, shared by the steps of the layout.
 *
 * Boxes are the real bars, then dummies for the layers that edges pass; links join boxes of
 * neighbouring layers. All work goes over lists in a canonical order (by name), so the result does
 * not depend on the order in which nodes and edges are given.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LAYOUT_SANKEY_INTERNAL_H
#define PH_LAYOUT_SANKEY_INTERNAL_H

#include "layout/sankey_layout.h"

typedef struct PhSankeyBox
{
	uint32_t layer;
	uint32_t rank; /* canonical number: by name, dummies after bars */
	bool dummy;
	bool has_previous;
	uint32_t n_joined; /* links that end at a shared dummy */
	double previous;   /* order in an older layout */
	double value;
	double gap; /* kept free above */
	double height;
	double y;
} PhSankeyBox;

typedef struct PhSankeyLink
{
	uint32_t edge;			 /* of the caller; PH_LAYOUT_SHARED */
	uint32_t bar;			 /* where the edge ends */
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

/* The other end of a link, and its weight. */
typedef struct PhSankeyEnd
{
	double weight;
	uint32_t box;
} PhSankeyEnd;

/* Something to be sorted by a number. */
typedef struct PhSankeyKey
{
	double key;
	uint32_t index;
} PhSankeyKey;

/* What is given, and its canonical order. */
typedef struct PhSankeyInput
{
	const PhLayoutNode *nodes;
	uint32_t n_nodes;
	const PhLayoutEdge *edges;
	uint32_t n_edges;
	uint32_t *by_name;	/* nodes */
	uint32_t *rank;		/* per node: its place in by_name */
	uint32_t *order;	/* edges by the ranks of their ends */
	double *weight;		/* per edge, scaled to fit */
	uint32_t *n_shared; /* per node: dummies that the edges to it share */
} PhSankeyInput;

typedef struct PhSankey
{
	PhArena *arena; /* dies with the work */
	const PhLayoutOptions *options;
	double width, height;
	bool is_shared; /* edges to one bar have their dummies in common */
	uint32_t n_layers;
	uint32_t n_real;
	uint32_t n_boxes;
	PhSankeyBox *boxes;
	uint32_t n_links;
	PhSankeyLink *links;   /* canonical order: by edge, then from left to right */
	PhSankeyLists out, in; /* links by box, canonical until ports are set, then by position */
	PhSankeyLists layers;  /* boxes by layer, in order */
	PhSankeyLists bands;   /* links by edge; the last list: shared ones */
	uint32_t *position;	   /* of every box within its layer */
	PhSankeyEnd *callees;  /* beside out.items, until ports are set; exchanges sort them */
	PhSankeyEnd *callers;  /* beside in.items */
	PhSankeyEnd *ends;	   /* room for as many */
	PhSankeyKey *keys;	   /* room for the boxes or the links, twice */
	double *tree;		   /* room for a sum per box and one more */
	double *crossed;	   /* per layer: crossings of the bands to the next one */
	bool *is_moved;		   /* per layer: boxes changed places since they were counted */
	double *x;			   /* per layer */
	double scale;
	double crossings_first, crossings;
	uint32_t n_sweeps;
	double *objective;
} PhSankey;

/* sankey_boxes.c: check the input; make boxes, links and lists. */
PhStatus ph_sankey_make_boxes(PhSankey *sankey, const PhLayoutNode *nodes, uint32_t n_nodes,
							  const PhLayoutEdge *edges, uint32_t n_edges) PH_MUST_CHECK;

/* sankey_chains.c: how many boxes and links; dummies and links of all edges. */
PhStatus ph_sankey_count_chains(PhSankey *sankey, PhSankeyInput *input) PH_MUST_CHECK;
PhStatus ph_sankey_make_chains(PhSankey *sankey, const PhSankeyInput *input) PH_MUST_CHECK;

/* sankey_order.c: positions within the layers. sankey_crossings.c: what they cost, counted anew
 * only for layers that moved. */
PhStatus ph_sankey_order(PhSankey *sankey) PH_MUST_CHECK;
PhStatus ph_sankey_crossings(PhSankey *sankey, double *out) PH_MUST_CHECK;
PhStatus ph_sankey_exchange(PhSankey *sankey) PH_MUST_CHECK;

/* Stable sort of sankey->keys[0..n); the rest of them is its buffer. false: were in order. */
bool ph_sankey_sort_keys(PhSankey *sankey, uint32_t n);

/* Whether the order of two bars of one layer is settled by an older layout. */
bool ph_sankey_is_settled(const PhSankeyBox *a, const PhSankeyBox *b);

/* sankey_place.c: x of layers, scale, heights and ports. sankey_settle.c: y. */
PhStatus ph_sankey_place_layers(PhSankey *sankey) PH_MUST_CHECK;
PhStatus ph_sankey_place_ports(PhSankey *sankey) PH_MUST_CHECK;
PhStatus ph_sankey_settle(PhSankey *sankey) PH_MUST_CHECK;

#endif
