/*
 * reach.h - a graph that stays acyclic: an edge that would close a cycle is refused.
 *
 * Two methods with the same answers. A closure keeps all ancestors of every vertex: best when few
 * labels call each other in many ways. An order keeps a topological order and searches only where
 * an edge goes against it: best when many vertices have few edges each.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_REACH_H
#define PH_BASE_REACH_H

#include "base/reach_closure.h"
#include "base/reach_order.h"

typedef enum PhReachMethod
{
	PH_REACH_CLOSURE,
	PH_REACH_ORDER
} PhReachMethod;

typedef struct PhReach
{
	PhReachMethod method;
	PhClosure closure;
	PhOrder order;
} PhReach;

/* What suits n vertices with n_edges tried edges that may lie on cycles. */
PhReachMethod ph_reach_choose(uint32_t n, uint32_t n_edges);

void ph_reach_init(PhReach *reach, PhArena *arena, PhReachMethod method);

/* One more vertex without edges; vertices count up from 0. Best added callers first. */
PhStatus ph_reach_add_vertex(PhReach *reach) PH_MUST_CHECK;

/*
 * Add the edge unless target reaches source already (or is source): *added says which. Adding an
 * edge twice is harmless.
 */
PhStatus ph_reach_add_edge(PhReach *reach, uint32_t source, uint32_t target,
						   bool *added) PH_MUST_CHECK;

#endif
