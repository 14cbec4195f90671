/*
 * caller_graph.h - from functions and who called whom, as gprof and cProfile count them, to a tree.
 *
 * Such profiles have no call paths: a function's callees are known for all of its calls together.
 * Every function is one node with all that it calls, below the caller that it took most time for;
 * for each other caller, and for recursion, there is a leaf below that caller with what the profile
 * says of just these calls. So the exclusive values of a function, over all of its nodes, and those
 * of each pair of caller and callee are as the profile has them, nothing is guessed and nothing
 * counts twice. Inclusive values are sums over this tree; those of the profile are a metric of
 * their own.
 *
 * The tree does not depend on the order of functions and arcs. Cost: O((functions + arcs) log).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CALLER_GRAPH_H
#define PH_READERS_CALLER_GRAPH_H

#include "base/vector.h"
#include "readers/source_paths.h"

typedef struct PhCallCosts
{
	double self;	  /* exclusive time */
	double total;	  /* inclusive time */
	double calls;	  /* all of them */
	double primitive; /* not from itself, directly or through others */
} PhCallCosts;

typedef struct PhCallFunction
{
	PhRegionSpec region; /* texts must stay */
	PhCallCosts costs;
} PhCallFunction;

/* One for each pair of caller and callee. */
typedef struct PhCallArc
{
	uint32_t caller, callee;
	PhCallCosts costs;
} PhCallArc;

typedef struct PhCallerGraph
{
	PhArena *arena;
	bool lacks_calls;	  /* calls are not counted */
	bool lacks_primitive; /* primitive calls are not counted */
	PH_VECTOR(PhCallFunction) functions;
	PH_VECTOR(PhCallArc) arcs;
} PhCallerGraph;

/* Normalise the functions' files, and find their modules. options may be NULL. */
PhStatus ph_caller_graph_normalise(PhCallerGraph *graph, const PhReadOptions *options,
								   PhSourcePaths *paths) PH_MUST_CHECK;

/*
 * Metrics "time" with this unit, "calls" and "primitive calls" where they are counted, and
 * "time (inclusive)", one column, the tree. Costs must not be negative; PH_ERR_VALUE for graphs
 * without functions.
 */
PhStatus ph_caller_graph_build(PhCallerGraph *graph, PhProfileBuilder *builder,
							   const char *unit) PH_MUST_CHECK;

#endif
