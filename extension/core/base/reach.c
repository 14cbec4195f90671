/*
 * reach.c - one face for the two methods that keep a graph acyclic.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/reach.h"

/* Where the methods break even, measured on random graphs of 10^3 to 10^5 edges. */
#define PH_FEW_VERTICES 1024
#define PH_MANY_EDGES 24 /* per vertex */

PhReachMethod
ph_reach_choose(uint32_t n, uint32_t n_edges)
{
	bool is_dense = n_edges / PH_MANY_EDGES > n;
	return n <= PH_FEW_VERTICES || is_dense ? PH_REACH_CLOSURE : PH_REACH_ORDER;
}

void
ph_reach_init(PhReach *reach, PhArena *arena, PhReachMethod method)
{
	reach->method = method;
	ph_closure_init(&reach->closure, arena);
	ph_order_init(&reach->order, arena);
}

PhStatus
ph_reach_add_vertex(PhReach *reach)
{
	if (reach->method == PH_REACH_CLOSURE)
		return ph_closure_add_vertex(&reach->closure);
	return ph_order_add_vertex(&reach->order);
}

PhStatus
ph_reach_add_edge(PhReach *reach, uint32_t source, uint32_t target, bool *added)
{
	if (reach->method == PH_REACH_CLOSURE)
		return ph_closure_add_edge(&reach->closure, source, target, added);
	return ph_order_add_edge(&reach->order, source, target, added);
}
