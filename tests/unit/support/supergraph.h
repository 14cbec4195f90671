/*
 * supergraph.h - a slow, plain super graph to compare with, and the invariants of one.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_SUPERGRAPH_H
#define SUPPORT_SUPERGRAPH_H

#include "supergraph/supergraph.h"
#include "support/forest.h"

/* By module, after docs/design/supergraph.md 2 and 3, with lists and depth-first searches only. */
typedef struct PlainGraph
{
	uint32_t n_segments;
	uint32_t segment_of[FOREST_MOST_NODES];
	uint32_t entry[FOREST_MOST_NODES];
	uint32_t parent[FOREST_MOST_NODES];
	uint32_t supernode[FOREST_MOST_NODES];
	const char *label_of[FOREST_MOST_NODES]; /* per segment */
	uint32_t n_supernodes;
	char names[FOREST_MOST_NODES][64];
	const char *labels[FOREST_MOST_NODES]; /* per supernode */
	uint32_t indices[FOREST_MOST_NODES];   /* per supernode: its number within its label */
} PlainGraph;

void plain_supergraph(const PhProfile *profile, PlainGraph *out);

/* "" or what differs between the graph and the plain one. */
const char *compare_with_plain(const PhSupergraph *graph, const PlainGraph *plain);

/* "" or the first of the invariants I1 to I9 of docs/design/supergraph.md 10 that does not hold. */
const char *check_invariants(const PhSupergraph *graph);

/* Whether the numbers are the same but for rounding. */
bool nearly(double x, double y);

#endif
