/*
 * explain_change.h - the smallest subtree that explains a difference of two profiles.
 *
 * From the forest as a whole, descend to the child with the largest change in the direction of the
 * total while it explains PH_EXPLAIN_OF_PARENT of its parent's change and PH_EXPLAIN_OF_TOTAL of
 * the whole. What the subtree's change consists of (its own cost and its children) adds up to it
 * exactly, and the change elsewhere is the rest of the total.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPLAIN_CHANGE_H
#define PH_REPORTS_EXPLAIN_CHANGE_H

#include "profile/profile.h"

#define PH_EXPLAIN_OF_PARENT 0.75
#define PH_EXPLAIN_OF_TOTAL 0.5

typedef struct PhExplainPart
{
	uint32_t node; /* a child of the subtree's top, or the top itself for its own cost */
	double change;
} PhExplainPart;

typedef struct PhExplanation
{
	double total;	 /* change of the whole */
	uint32_t *path;	 /* from a root to the top of the subtree */
	uint32_t n_path; /* 0: no single subtree explains the change */
	double subtree;	 /* change of the subtree (n_path 0: the total) */
	double elsewhere;
	PhExplainPart *parts; /* by |change| descending, then node; sums to subtree */
	uint32_t n_parts;
} PhExplanation;

/* difference: a profile from ph_profile_diff. O(nodes * columns). */
PhStatus ph_explain_change(PhArena *arena, const PhProfile *difference, uint32_t metric,
						   PhExplanation *out) PH_MUST_CHECK;

#endif
