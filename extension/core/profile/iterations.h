/*
 * iterations.h - the second axis of a profile: what call paths cost in each iteration.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_ITERATIONS_H
#define PH_PROFILE_ITERATIONS_H

#include "profile/profile.h"

/* The iterations of a profile's columns, ascending. Columns without one belong to none. */
typedef struct PhIterations
{
	uint32_t n;
	int64_t *number;	 /* by iteration */
	uint32_t *n_columns; /* units that have it */
	uint32_t *place;	 /* by column: which of the iterations; PH_NONE */
} PhIterations;

PhStatus ph_iterations_find(PhArena *arena, const PhProfile *profile,
							PhIterations *out) PH_MUST_CHECK;

/*
 * Of one node in one iteration, over the units that have the iteration (absent = 0). Ratios: mean
 * is sum / sum; NaN where undefined.
 */
typedef struct PhIterationCost
{
	uint32_t n_present;	 /* units with the node */
	double sum, divisor; /* whose quotient is the mean */
	double mean, min, max;
	uint32_t worst; /* column of max, the first of several; PH_NONE: no unit has the node */
} PhIterationCost;

/* Fills out[0 .. iterations->n). O(iterations + cells of the node). */
void ph_iterations_cost(const PhProfile *profile, const PhIterations *iterations, uint32_t metric,
						uint32_t node, PhCost cost, PhIterationCost *out);

#endif
