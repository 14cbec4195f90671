/*
 * sankey.h - a slow, plain layout to compare with, and the invariants of one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_SANKEY_H
#define SUPPORT_SANKEY_H

#include "layout/sankey_layout.h"

#define SANKEY_MOST 400 /* boxes and links */

typedef struct PlainLink
{
	uint32_t edge, source, target;
	double weight, source_port, target_port;
} PlainLink;

/* docs/design/supergraph.md 9 step by step: crossings by all pairs, pooling by averages of
 * averages. */
typedef struct PlainSankey
{
	uint32_t n_boxes, n_links, n_layers;
	bool is_shared; /* edges to one bar have their dummies in common */
	bool dummy[SANKEY_MOST];
	uint32_t layer[SANKEY_MOST], position[SANKEY_MOST];
	double value[SANKEY_MOST], gap[SANKEY_MOST], y[SANKEY_MOST];
	const char *name[SANKEY_MOST];
	PlainLink links[SANKEY_MOST];
	double scale, height, crossings_first, crossings, objective;
} PlainSankey;

/* Without older orders. false: too large for it. */
bool plain_sankey(const PhLayoutNode *nodes, uint32_t n_nodes, const PhLayoutEdge *edges,
				  uint32_t n_edges, const PhLayoutOptions *options, PlainSankey *out);

/* "" or the first of the invariants L1 to L7 of docs/design/supergraph.md 10 that does not hold. */
const char *check_layout(const PhLayout *layout, const PhLayoutNode *nodes, uint32_t n_nodes,
						 const PhLayoutEdge *edges, uint32_t n_edges,
						 const PhLayoutOptions *options);

/* Weighted crossings, pair by pair. */
double count_crossings(const PhLayout *layout, const PhLayoutEdge *edges);

#endif
