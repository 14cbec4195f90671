/*
 * reach_order.h - acyclic graph by a topological order, kept up while edges are added.
 *
 * Keeps a topological order of its vertices, so most edges are settled by comparing two places. An
 * edge against the order is searched for from both ends at once, between their places; the search
 * that ends first names the few vertices that have to move.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_REACH_ORDER_H
#define PH_BASE_REACH_ORDER_H

#include "base/arena.h"

typedef struct PhOrderVertex PhOrderVertex;
typedef struct PhOrderArc PhOrderArc;

typedef struct PhOrder
{
	PhArena *arena;
	uint32_t n;
	uint32_t capacity;
	PhOrderVertex *vertices;
	PhOrderArc *arcs; /* linked per source and per target */
	uint32_t n_arcs;
	uint32_t arc_capacity;
	uint32_t first, last; /* vertices of the order */
	uint32_t mark;		  /* of the current search */
	uint32_t *work;		  /* room for 3 lists of vertices */
	uint32_t work_capacity;
} PhOrder;

void ph_order_init(PhOrder *order, PhArena *arena);

/* One more vertex without edges, last in the order; vertices count up from 0. */
PhStatus ph_order_add_vertex(PhOrder *order) PH_MUST_CHECK;

/*
 * Add the edge unless target reaches source already (or is source): *added says which. Adding an
 * edge twice is harmless.
 */
PhStatus ph_order_add_edge(PhOrder *order, uint32_t source, uint32_t target,
						   bool *added) PH_MUST_CHECK;

#endif
