/*
 * blamed.h - waits, intervals, times and delay costs of a program, and the costs once more by plain
 * loops that follow the published method.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_BLAMED_H
#define SUPPORT_BLAMED_H

#include "blame/edges.h"
#include "support/skeleton.h"
#include "trace/tree/tree.h"

#define BLAMED_NODES 4000
#define BLAMED_STRETCHES (COMM_LOCATIONS * COMM_EVENTS)

typedef struct BlamedStretch
{
	uint32_t location, node;
	int64_t from, to;
} BlamedStretch;

/* Large: static. */
typedef struct Blamed
{
	const CommTrace *trace;
	PhSkeleton *skeleton;
	PhArena arena;
	PhWaitStates waits;
	PhPathTimes *times;
	PhTraceTree *tree;
	const PhWaitInterval *intervals;
	uint64_t *node_keys;
	PhBlame blame;
	const PhBlameEdge *edges;
	uint32_t n_edges, n_stretches;
	BlamedStretch stretches[BLAMED_STRETCHES];
} Blamed;

/* The seed decides in which order and in what pieces the trace is fed. Then free, also on failure.
 */
PhStatus blamed_find(Blamed *blamed, PhEnv *env, const CommTrace *trace, uint64_t seed);
void blamed_free(Blamed *blamed);

/* Costs, edges and their sums against plain loops over waits, intervals and stretches. Slow. */
void blamed_check_costs(Blamed *blamed, uint64_t seed);

#endif
