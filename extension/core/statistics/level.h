/*
 * level.h - at what level measurements under one condition lie, and how far they scatter.
 *
 * The noise is that of change points: from differences of neighbours, so that neither steps nor
 * outliers disturb it (change_point.h). In short series its autocorrelation is hardly known and may
 * make far too much of it; but steps and outliers only add to the deviation from the mean, so the
 * smaller of the two is taken. Steps that come back, or a fifth of outliers, leave more large
 * differences than change points leave out: from 12 values on, where most neighbours differ by
 * clearly less, the spread is that around the levels between the steps. Everything that judges a
 * run by earlier ones rests on it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_LEVEL_H
#define PH_STATISTICS_LEVEL_H

#include "base/arena.h"

#define PH_LEVEL_RECENT 8 /* values whose median is the level: what the last step left behind */

typedef struct PhLevel
{
	uint32_t n;
	double level;			/* median of the latest PH_LEVEL_RECENT; NaN of none */
	double spread;			/* standard deviation of one value; NaN below three */
	double autocorrelation; /* of neighbours, 0 to 0.95; NaN below three */
	double degrees;			/* how well the spread is known, as degrees of freedom; 0: not at all */
} PhLevel;

/* values: in order of time, without NaN and infinities. O(n). */
PhStatus ph_level_find(PhArena *arena, const double *values, uint32_t n,
					   PhLevel *out) PH_MUST_CHECK;

#endif
