/*
 * axis.h - what changed between the sides at each call path and place of an axis, and how much of
 * that is noise. Places are execution units, iterations, or the one place of a whole run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EXPLAIN_AXIS_H
#define PH_EXPLAIN_AXIS_H

#include "explain/explain.h"

typedef struct PhExplainAxis
{
	const PhExplainNode *nodes;
	const bool *is_after; /* by run */
	uint32_t n_runs, n_nodes, n_places;
	uint32_t n_before, n_after; /* runs */
	const double *known;		/* by node: how single runs scatter, as a share; NULL: unknown */
	double *own;				/* [run][node][place]; what findings explain is taken out of it */
	/* What follows is measured anew from `own`. All are [node][place] but noise. */
	double *sum;		/* [run][node][place]: of subtrees */
	double *before;		/* subtree, median over the runs of side A */
	double *change;		/* subtree, median of B less that of A */
	double *own_before; /* the same of the call path alone */
	double *own_change;
	double *noise;	   /* by node: standard error of a change of the subtree at one place */
	double *own_noise; /* the same of the call path alone */
} PhExplainAxis;

/* Whether enough is known to count by itself. */
static inline bool
ph_explain_is_known(const PhKnownSpread *known)
{
	return known->degrees >= PH_MIN_KNOWN_DEGREES;
}

/* Room for an axis; own is all 0. */
PhStatus ph_axis_new(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
					 uint32_t n_places, PhExplainAxis *out) PH_MUST_CHECK;

/* Fill what is measured from `own`. O(runs × nodes × places × log runs). */
PhStatus ph_axis_measure(PhArena *arena, PhExplainAxis *axis) PH_MUST_CHECK;

static inline double *
ph_axis_own(const PhExplainAxis *axis, uint32_t run, uint32_t node)
{
	return axis->own + ((size_t) run * axis->n_nodes + node) * axis->n_places;
}

/* The median, reordering values; 0 of none. */
double ph_explain_median(double *values, uint32_t n);

/*
 * By run the factor by which all of its work took longer than in the middle of side A, as the
 * median over call paths of the time per instruction, else per call, else of the time: of
 * the machine, not of a call path. delayed: by node, own time of the runs after that has a reason
 * of its own and is no work. 1 where too few call paths work to tell.
 */
PhStatus ph_explain_pace(PhArena *arena, const PhExplainCube *cube, const bool *is_after,
						 const double *delayed, double **out) PH_MUST_CHECK;

#endif
