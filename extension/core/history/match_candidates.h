/*
 * match_candidates.h - for nodes that only one of two profiles has, those of the other that they
 * may have become: renamed, moved, from another file.
 *
 * A pair's score is the weighted mean of what is known of it:
 *   name      likeness of the names (name_likeness.h)                                   weight 4
 *   parent    1 when their callers are the same node (or both are roots), else the score
 *             of the callers when those are a kept pair, else 0                         weight 2
 *   children  share of the callees' names in common; unknown when neither has callees   weight 1.5
 *   cost      the smaller over the larger share of the program's inclusive cost         weight 1.5
 *   place     mean over library, file (1 the same, 0.7 only its last part) and line     weight 1
 * Nodes of different kinds never match.
 *
 * Up to PH_MATCH_ALL_PAIRS pairs all are scored. Beyond, each node meets only its neighbours among
 * nodes that share something with it (caller, name, core of the name, source line, callees,
 * caller's candidates) or that are near it in the order of names from either end, so that the work
 * grows with nodes * log(nodes).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_HISTORY_MATCH_CANDIDATES_H
#define PH_HISTORY_MATCH_CANDIDATES_H

#include "profile/profile.h"

#define PH_MATCH_ALL_PAIRS 65536
#define PH_MATCH_KEPT 8 /* best candidates that are kept of a node */

typedef struct PhCandidate
{
	uint32_t node;		/* of a */
	uint32_t candidate; /* of b */
	uint32_t rank;		/* among the node's, from 1 */
	double score;		/* 0 to 1 */
	double name, parent;
	double children, cost, place; /* NaN: unknown */
} PhCandidate;

typedef struct PhMatchOptions
{
	uint32_t metric_a, metric_b; /* whose inclusive is the cost */
	double min_score;
	uint32_t most; /* candidates of a node, at most PH_MATCH_KEPT */
} PhMatchOptions;

/*
 * The candidates of every node that only a has, by (node, rank); equal scores by candidate.
 * only_a: how many such nodes there are.
 */
PhStatus ph_match_candidates(PhArena *arena, const PhProfile *a, const PhProfile *b,
							 const PhMatchOptions *options, PhCandidate **out, uint32_t *n,
							 uint32_t *only_a) PH_MUST_CHECK;

#endif
