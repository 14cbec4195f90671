/*
 * search.h - the clearest change on an axis: a call path, and the places that it is on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_SEARCH_H
#define PH_EXPLAIN_SEARCH_H

#include "explain/axis.h"
#include "explain/shared.h"

typedef struct PhExplainCandidate
{
	uint32_t node; /* PH_NONE: nothing is clear enough */
	bool *is_in;   /* by place */
	uint32_t n_in;
	double contrast; /* of a place that is in, beyond the places that are not */
	double effect;	 /* contrast; of places that add up their sum */
	double score;	 /* contrast as a multiple of its standard error */
} PhExplainCandidate;

typedef struct PhSearch
{
	const PhExplainAxis *axis; /* measured */
	bool adds_up;			   /* places follow each other (iterations); else the slowest counts */
	double least;			   /* effects below are not looked at */
	double least_score;
	const PhHosts *hosts; /* of an axis of units, to see what they share; else NULL */
} PhSearch;

/*
 * Of an axis of several places: half of the places or fewer stand out, in most of what the subtree
 * does there. Of an axis of one place: most of the subtree changed. The one with the largest
 * effect, and in it the deepest subtree that holds nearly all of that.
 */
PhStatus ph_search_axis(PhArena *arena, const PhSearch *search,
						PhExplainCandidate *out) PH_MUST_CHECK;

/* By node below the candidate's: what of the own cost of each place is its contrast; others 0. */
PhStatus ph_candidate_parts(PhArena *arena, const PhExplainAxis *axis,
							const PhExplainCandidate *candidate, double **out) PH_MUST_CHECK;

/* Take the contrast out of the runs of side B, so that what is left can be searched. */
void ph_candidate_take_out(PhExplainAxis *axis, const PhExplainCandidate *candidate,
						   const double *parts);

/* Once its places are others than the search found: its call path, contrast, effect and score. */
PhStatus ph_candidate_measure(PhArena *arena, const PhSearch *search,
							  PhExplainCandidate *candidate) PH_MUST_CHECK;

#endif
