/*
 * flows.h - who made whom wait, in groups of call paths and blocks of neighbouring ranks.
 *
 * What a picture of many ranks shows. Ranks that matter are not lost in a block: one that caused,
 * or waited, at least 2 % of all waiting has a block of its own on that side.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BLAME_FLOWS_H
#define PH_BLAME_FLOWS_H

#include "blame/edges.h"

typedef struct PhRankBlock
{
	int32_t first, last; /* ranks; PH_NO_NUMBER: not known */
	/* Ranks, without those that have a block of their own; 0: each its own waits for files. */
	uint32_t n;
} PhRankBlock;

typedef struct PhBlameFlow
{
	/* Group PH_NONE: smaller causes; block, too: there, or none is known. */
	uint32_t origin_group, origin_block;
	uint32_t victim_group, victim_block; /* group PH_NONE: not known */
	int64_t ns, inferred;				 /* inferred: of ns, in collectives without records */
	uint64_t n_waits;					 /* that have a share in it */
} PhBlameFlow;

typedef struct PhBlameFlows
{
	uint32_t n;
	PhBlameFlow *flows; /* in no order */
	const PhRankBlock *origin_blocks, *victim_blocks;
} PhBlameFlows;

typedef struct PhFlowInput
{
	uint32_t n_edges;
	const PhBlameEdge *edges;
	const uint32_t *groups; /* by node */
	uint32_t n_locations;
	const int32_t *ranks; /* by location; PH_NO_NUMBER: none */
	uint32_t most_blocks; /* at least 1: of neighbouring ranks, a side */
} PhFlowInput;

/* O(edges + locations). In arena. */
PhStatus ph_blame_flows(PhArena *arena, const PhFlowInput *input, PhBlameFlows *out) PH_MUST_CHECK;

#endif
