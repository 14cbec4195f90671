/*
 * match_internal.h - what scoring and blocking of match candidates share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_HISTORY_MATCH_INTERNAL_H
#define PH_HISTORY_MATCH_INTERNAL_H

#include "history/match_candidates.h"
#include "history/name_likeness.h"

#define PH_MATCH_NEAR 6 /* neighbours that a node meets in one pass */

/* One of the two profiles, with what is asked of it often. */
typedef struct PhMatchSide
{
	const PhProfile *profile;
	uint32_t *partner; /* per node: the same node of the other profile, or PH_NONE */
	uint32_t n;		   /* nodes that only this profile has */
	uint32_t *nodes;   /* they, ascending */
	double *share;	   /* per node: of the program's inclusive cost; NaN: the program has none */
	PhCoreName *core;  /* per region */
} PhMatchSide;

typedef struct PhMatch
{
	PhArena *arena; /* of the result */
	PhArena scratch;
	PhMatchSide a, b;
	PhCandidate *kept; /* [index in a.nodes * PH_MATCH_KEPT], best first */
	uint32_t *n_kept;  /* per index in a.nodes */
	uint32_t *index_a; /* per node of a: its index in a.nodes */
} PhMatch;

/* What nodes meet; NULL when there are few enough for every pair. */
typedef struct PhMatchBlocks PhMatchBlocks;

PhStatus ph_match_blocks(PhMatch *match, PhMatchBlocks **out) PH_MUST_CHECK;

/*
 * The nodes of b that the index-th node of a meets, each once, ascending. Its caller's candidates
 * must be there. *nodes holds until the next call.
 */
PhStatus ph_match_meet(PhMatch *match, PhMatchBlocks *blocks, uint32_t index,
					   const uint32_t **nodes, uint32_t *n) PH_MUST_CHECK;

#endif
