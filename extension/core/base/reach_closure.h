/*
 * reach_closure.h - acyclic graph by the ancestors of every vertex, kept up while edges are added.
 *
 * Every vertex keeps the set of its ancestors as a bit set in chunks. A chunk is shared between
 * vertices until one of them changes it, so a chain of n vertices costs O(n) chunks and not O(n^2)
 * bits. Adding an edge visits only the vertices whose set grows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_REACH_CLOSURE_H
#define PH_BASE_REACH_CLOSURE_H

#include "base/arena.h"

typedef struct PhClosureRow PhClosureRow;
typedef struct PhClosureArc PhClosureArc;

typedef struct PhClosure
{
	PhArena *arena;
	uint32_t n;
	uint32_t capacity;
	PhClosureRow *rows; /* per vertex */
	PhClosureArc *arcs; /* of all vertices, linked per source */
	uint32_t n_arcs;
	uint32_t arc_capacity;
	uint32_t *stack;
	uint32_t stack_capacity;
} PhClosure;

void ph_closure_init(PhClosure *closure, PhArena *arena);

/* One more vertex without edges; vertices count up from 0. */
PhStatus ph_closure_add_vertex(PhClosure *closure) PH_MUST_CHECK;

/*
 * Add the edge unless target reaches source already (or is source): *added says which.
 * Amortised: O(bits set) over all calls; a refusal is one bit test.
 */
PhStatus ph_closure_add_edge(PhClosure *closure, uint32_t source, uint32_t target,
							 bool *added) PH_MUST_CHECK;

#endif
