/*
 * layering.h - a diagram in layers under construction: what Sankey and call graphs have in common.
 *
 * Boxes are the real ones, then dummies for the layers that edges pass; links join boxes of
 * neighbouring layers. A layout is: give the layers (ph_layering_build), find the order within
 * them (ph_layering_order), give all boxes their heights, place the ports, settle. What differs
 * from picture to picture is PhLayeringRules. All work goes over lists in the canonical order of
 * the input (its ranks), so the result does not depend on the order in which things are given.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LAYOUT_LAYERING_H
#define PH_LAYOUT_LAYERING_H

#include "layout/layers.h"

typedef struct PhLayeringBox
{
	uint32_t layer;
	uint32_t rank; /* canonical number: of the node, dummies after nodes */
	bool is_dummy;
	bool has_previous;
	uint32_t n_joined; /* links that end at a shared dummy */
	double previous;   /* order in an older layout */
	double value;	   /* heaviest start on top; of a dummy: weight of its edges */
	double gap;		   /* kept free above */
	double height;
	double y;
} PhLayeringBox;

typedef struct PhLayeringLink
{
	uint32_t edge;			 /* of the caller; PH_LAYOUT_SHARED */
	uint32_t bar;			 /* where the edge ends */
	uint32_t source, target; /* boxes */
	double weight;
	double source_port, target_port; /* offset of the band's top within the box */
} PhLayeringLink;

/* Lists of links or boxes, one after the other. */
typedef struct PhLists
{
	uint32_t *start; /* list i is items[start[i]..start[i + 1]) */
	uint32_t *items;
} PhLists;

/* n items into lists by key; counting keeps the order of the items. */
PhStatus ph_lists_make(PhArena *arena, uint32_t n_lists, uint32_t n, const uint32_t *key,
					   PhLists *out) PH_MUST_CHECK;

/* The other end of a link, and what a crossing of it weighs. */
typedef struct PhLayeringEnd
{
	double weight;
	uint32_t box;
} PhLayeringEnd;

/* Something to be sorted by a number. */
typedef struct PhLayeringKey
{
	double key;
	uint32_t index;
} PhLayeringKey;

/* What is given. Edges must go to later layers; by order are those that are linked, in canonical
 * order. */
typedef struct PhLayeringInput
{
	uint32_t n_nodes;
	const uint32_t *layer;
	const double *value;	 /* finite, not negative */
	const double *previous;	 /* order in an older layout; not finite: none */
	const uint32_t *by_rank; /* nodes in their canonical order */
	const uint32_t *rank;	 /* place of a node in by_rank */
	uint32_t n_edges;
	const PhLayoutEdge *edges;
	const double *weight; /* of every edge */
	uint32_t n_linked;
	const uint32_t *order;				/* of linked edges */
	const PhLayoutOrders *dummy_orders; /* per edge, in an older layout; NULL: none */
} PhLayeringInput;

typedef struct PhLayeringRules
{
	double gap, dummy_gap;
	uint32_t sweeps;	   /* for the order, at most */
	uint32_t most_dummies; /* of edges of their own: beyond, edges to one box share them */
	bool counts_crossings; /* every crossing counts one; else the product of its weights */
	double port_align;	   /* bands at a box: 0 from its top on, 0.5 around its middle */
} PhLayeringRules;

typedef struct PhLayering
{
	PhArena *arena; /* dies with the work */
	PhLayeringRules rules;
	bool is_shared; /* edges to one box have their dummies in common */
	uint32_t n_layers;
	uint32_t n_real;
	uint32_t n_boxes;
	PhLayeringBox *boxes;
	uint32_t n_links;
	PhLayeringLink *links;	/* canonical order: by edge, then from left to right */
	PhLists out, in;		/* links by box, canonical until ports are set, then by position */
	PhLists layers;			/* boxes by layer, in order */
	PhLists bands;			/* links by edge; the last list: shared ones */
	uint32_t *position;		/* of every box within its layer */
	PhLayeringEnd *callees; /* beside out.items, until ports are set; exchanges sort them */
	PhLayeringEnd *callers; /* beside in.items */
	PhLayeringEnd *ends;	/* room for as many */
	PhLayeringKey *keys;	/* room for the boxes or the links, twice */
	double *tree;			/* room for a sum per box and one more */
	double *crossed;		/* per layer: crossings of the bands to the next one */
	bool *is_moved;			/* per layer: boxes changed places since they were counted */
	double crossings_first, crossings;
	uint32_t n_sweeps;
	double *objective; /* n_sweeps + 1 values, never rising */
} PhLayering;

/* layering_chains.c: boxes, dummies, links and their lists. Arena and rules are set before. */
PhStatus ph_layering_build(PhLayering *layering, const PhLayeringInput *input) PH_MUST_CHECK;

/* layering_order.c: positions within the layers with few crossings. */
PhStatus ph_layering_order(PhLayering *layering) PH_MUST_CHECK;

/* Gaps and values of a layer, summed in the order of its boxes. */
void ph_layering_sum(const PhLayering *layering, uint32_t layer, double *gaps, double *values);

/* layering_settle.c. Heights are set before. scale: thickness of a band per weight. */
PhStatus ph_layering_place_ports(PhLayering *layering, double scale) PH_MUST_CHECK;

/* y of the boxes within height, or what a layer takes if that is more. centred: start in the middle
 * of the room rather than on top, for where few sweeps follow. */
PhStatus ph_layering_settle(PhLayering *layering, double height, bool centred) PH_MUST_CHECK;

#endif
