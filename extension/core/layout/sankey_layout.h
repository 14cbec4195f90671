/*
 * sankey_layout.h - positions of supernodes and bands: docs/design/supergraph.md 9, invariants
 * L1-L9.
 *
 * Plain numbers in, plain numbers out; knows nothing of profiles. Deterministic.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LAYOUT_SANKEY_LAYOUT_H
#define PH_LAYOUT_SANKEY_LAYOUT_H

#include "layout/layers.h"

typedef struct PhLayoutNode
{
	const char *name;
	uint32_t level;
	double value;
	double previous_order; /* position in its layer of an older layout to keep; NaN: none. Bars
							  with different ones keep that order; equal ones (the parts of a
							  split bar) are ordered among themselves. */
} PhLayoutNode;

typedef struct PhLayoutOptions
{
	double width, height;
	double bar_width;	   /* 24 */
	double min_gap_x;	   /* 40 */
	double exponent;	   /* 0.1 */
	double gap;			   /* above a real bar, 36 */
	double dummy_gap;	   /* above a dummy, 4 */
	double scale_limit;	   /* pixels per unit at most; 0: none (to share one scale) */
	uint32_t sweeps;	   /* 24 */
	uint32_t most_dummies; /* of their own for all edges, 4096 */
	const PhLayoutOrders *previous_dummies; /* per edge; NULL: none */
} PhLayoutOptions;

PhLayoutOptions ph_layout_defaults(double width, double height);

/*
 * previous_order for a bar: that of its own name in an older layout, else that of the bar it is a
 * part of ("lib" for "lib-entry" and "lib/file"; the longest such name), else NaN.
 */
double ph_layout_previous(const char *name, uint32_t n, const char *const *names,
						  const double *orders);

/* A bar; the first n_nodes boxes are the real ones, then the dummies. */
typedef struct PhLayoutBox
{
	bool dummy;
	uint32_t level, order; /* order within the layer, from the top */
	double x, y, width, height, value;
} PhLayoutBox;

/* One piece of a band between neighbouring layers. */
typedef struct PhLayoutBand
{
	uint32_t edge; /* index of the PhLayoutEdge it belongs to; PH_LAYOUT_SHARED: several */
	uint32_t bar;  /* where it ends at last */
	uint32_t source, target; /* boxes */
	double x0, y0, x1, y1;	 /* top of the band at either end */
	double thickness;
} PhLayoutBand;

typedef struct PhLayout
{
	double width, height, scale; /* both may exceed what was asked for: gaps are never squeezed */
	uint32_t n_boxes;
	PhLayoutBox *boxes;
	uint32_t n_bands;
	PhLayoutBand *bands; /* by edge, from left to right; then the shared ones, by bar */
	double crossings_first, crossings; /* weighted, before and after ordering */
	uint32_t n_sweeps;
	double *objective; /* n_sweeps + 1 values, never rising */
	double distance;   /* sum of weight * |dy| */
} PhLayout;

/*
 * An edge over several layers has a dummy of its own in each layer between, until that would be
 * more than most_dummies: then the edges to one bar share one dummy a layer, whose height grows as
 * they join.
 *
 * Levels must rise along edges and be below n_nodes; values and weights must be finite and not
 * negative (PH_ERR_VALUE). Edges that weigh more than their bar are drawn scaled to fit. The result
 * lives in arena and does not depend on the order of nodes and edges.
 */
PhStatus ph_layout_sankey(PhArena *arena, const PhLayoutNode *nodes, uint32_t n_nodes,
						  const PhLayoutEdge *edges, uint32_t n_edges,
						  const PhLayoutOptions *options, PhLayout *out) PH_MUST_CHECK;

#endif
