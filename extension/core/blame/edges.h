/*
 * edges.h - who made whom wait: from call paths and locations that caused waits to those that
 * waited.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_EDGES_H
#define PH_BLAME_EDGES_H

#include "blame/origins.h"

typedef struct PhBlameEdge
{
	/* Location; node PH_NONE: smaller causes there; both PH_NONE: smaller causes, or none is known.
	 */
	uint32_t origin_node, origin;
	uint32_t victim_node, victim; /* node PH_NONE: not known */
	uint32_t n_waits;			  /* that it has a share in */
	int64_t ns;					  /* of them */
	int64_t inferred;			  /* of that, in collectives without records */
	bool is_own;				  /* waits for files, which the victim itself caused, no other */
} PhBlameEdge;

/*
 * By ns descending, then victim, origin. wait_nodes: by wait. A wait is shared among its largest
 * origins, and the locations with most of the others, the rest of it has none; so the sum of all
 * edges is that of the waits that end in (from, to]. In arena.
 */
PhStatus ph_blame_edges(PhArena *arena, const PhBlameInput *input, const PhBlame *blame,
						const uint32_t *wait_nodes, const PhBlameEdge **out,
						uint32_t *n) PH_MUST_CHECK;

#endif
