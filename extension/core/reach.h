/*
 * reach.h - which vertices reach which, kept up while edges are added; refuses cycles.
 *
 * Every vertex keeps the set of its ancestors as a bit set in chunks. A chunk is shared between
 * vertices until one of them changes it, so a chain of n vertices costs O(n) chunks and not O(n^2)
 * bits. A query is one bit test; adding an edge visits only the vertices whose set grows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REACH_H
#define PH_REACH_H

#include "arena.h"

typedef struct PhReachRow PhReachRow;
typedef struct PhReachArc PhReachArc;

typedef struct PhReach
{
	PhArena *arena;
	uint32_t n;
	uint32_t capacity;
	PhReachRow *rows; /* per vertex */
	PhReachArc *arcs; /* of all vertices, linked per source */
	uint32_t n_arcs;
	uint32_t arc_capacity;
	uint32_t *stack;
	uint32_t stack_capacity;
} PhReach;

void ph_reach_init(PhReach *reach, PhArena *arena);

/* One more vertex without edges; vertices count up from 0. */
PhStatus ph_reach_add_vertex(PhReach *reach) PH_MUST_CHECK;

/* Whether a path leads from one vertex to the other (a vertex reaches itself). */
bool ph_reach_test(const PhReach *reach, uint32_t from, uint32_t to);

/*
 * Add the edge; the caller has tested that target does not reach source.
 * Amortised: O(bits set) over all calls.
 */
PhStatus ph_reach_add_edge(PhReach *reach, uint32_t source, uint32_t target) PH_MUST_CHECK;

#endif
