/*
 * change_point.h - where does the level of a series change?
 *
 * Two methods. PH_CHANGE_OTAVA reproduces Apache Otava (E-divisive means in sliding windows,
 * Student's t, bottom-up merge; Matteson and James 2013, Fleming et al. 2023), for those who move
 * from it. PH_CHANGE_DEFAULT looks at deterministic intervals of all scales (seeded binary
 * segmentation: Kovacs et al. 2020), scores the best split of each against an AR(1) model of the
 * noise that steps and outliers do not disturb, and accepts splits in the order of their scores.
 *
 * Laws of the default method: deterministic; the points found with a smaller max_p are a subset of
 * those found with a larger one; adding a constant changes nothing, a positive factor scales means
 * only. Neither method depends on anything but its arguments.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_CHANGE_POINT_H
#define PH_STATISTICS_CHANGE_POINT_H

#include "base/arena.h"

typedef enum PhChangeMode
{
	PH_CHANGE_DEFAULT,
	PH_CHANGE_OTAVA
} PhChangeMode;

#define PH_CHANGE_MAX_P 0.0002		/* of the default method */
#define PH_CHANGE_MIN_SEGMENT 4		/* of the default method: shorter runs are outliers */
#define PH_CHANGE_OTAVA_MAX_P 0.001 /* Otava's default */
#define PH_CHANGE_OTAVA_WINDOW 50	/* Otava's default; 30 in its older versions */
#define PH_CHANGE_WINDOW_MAX 4096

typedef struct PhChangeOptions
{
	PhChangeMode mode;
	double max_p;		  /* NaN: the method's default */
	double min_magnitude; /* Otava: must be exceeded; default method: must be reached */
	uint32_t window;	  /* Otava only; 0: default */
	/*
	 * Default method only, may be NULL: per value a group (a commit). Values of one group are
	 * neighbours; the level does not change within a group.
	 */
	const uint32_t *groups;
} PhChangeOptions;

typedef struct PhChangePoint
{
	uint32_t index; /* of the first value of the new level */
	/*
	 * Otava: of Student's t between the two segments. Default: expected number of false points per
	 * change-free point at the sensitivity at which this point appears: it is found if and only if
	 * p <= max_p.
	 */
	double p;
	double score;		/* Otava: t; default: z of the decision, signed like the change */
	double mean_before; /* of the values since the previous point */
	double mean_after;	/* of the values up to the next point */
	double sd_before;	/* with n, not n - 1 (as Otava says them); 0 for one value */
	double sd_after;
	uint32_t n_before, n_after;
	/* max(|after / before - 1|, |before / after - 1|), 0 where a mean is 0 */
	double magnitude;
} PhChangePoint;

typedef struct PhChangePoints
{
	PhChangePoint *points; /* by index */
	uint32_t n;
	double noise_sd;		/* default method: of one value; NaN where it cannot be estimated */
	double autocorrelation; /* default method: of neighbouring values, 0 to 0.95 */
} PhChangePoints;

/*
 * NaN is a missing value: the default method leaves it out, Otava fills it with the value before
 * (at the start: after). PH_ERR_VALUE when a value is infinite or an option is impossible.
 * Default: O(n log n); Otava: O(n * window).
 */
PhStatus ph_change_points(PhArena *arena, const double *series, uint32_t n,
						  const PhChangeOptions *options, PhChangePoints *out) PH_MUST_CHECK;

/*
 * Probability that a change-free series of n values has a point of the default method with this p
 * or a smaller one, for comparing series of different lengths (ph_false_discovery_rates).
 */
double ph_change_series_p(double p, uint32_t n);

/*
 * Benjamini and Hochberg (1995): q[i] is the least false discovery rate at which test i is a
 * discovery among n_tests >= n tests, those not given having p = 1.
 */
PhStatus ph_false_discovery_rates(PhArena *arena, const double *p, uint32_t n, uint32_t n_tests,
								  double *q) PH_MUST_CHECK;

#endif
