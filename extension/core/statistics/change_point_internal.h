/*
 * change_point_internal.h - between the parts of the search for change points.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_CHANGE_POINT_INTERNAL_H
#define PH_STATISTICS_CHANGE_POINT_INTERNAL_H

#include "statistics/change_point.h"

/* AR(1) noise around a piecewise constant level. */
typedef struct PhNoise
{
	double sd;				/* of one value; 0: the values show no noise */
	double autocorrelation; /* 0 to 0.95 */
	double degrees;			/* how well sd is known, as degrees of freedom */
} PhNoise;

/*
 * Pull values that stick out from both sides' neighbours (runs of up to PH_CHANGE_MIN_SEGMENT - 1)
 * to them, in place, and estimate the noise from differences. O(n).
 */
PhStatus ph_change_noise(PhArena *arena, double *values, uint32_t n, PhNoise *out) PH_MUST_CHECK;

/*
 * The noise around the means of the segments that points (by index) make: the efficient estimate
 * once large steps are known. Keeps *noise where the residuals show none. O(n).
 */
void ph_change_residual_noise(const double *values, uint32_t n, const PhChangePoint *points,
							  uint32_t n_points, PhNoise *noise);

/* Expected false points per change-free value at this score, given how well the noise is known. */
double ph_change_rate(double score, double degrees);

/* values: without missing ones; changed. Points get index, p and score only; in order of index. */
PhStatus ph_change_search(PhArena *arena, double *values, const uint32_t *groups, uint32_t n,
						  const PhNoise *noise, double max_p, double min_magnitude,
						  PhChangePoint **points, uint32_t *n_points) PH_MUST_CHECK;

/* values: without missing ones. Fills everything but index shifts. */
PhStatus ph_change_otava(PhArena *arena, const double *values, uint32_t n, uint32_t window,
						 double max_p, double min_magnitude, PhChangePoint **points,
						 uint32_t *n_points) PH_MUST_CHECK;

/* Means, deviations, counts and magnitudes of points (index set) over values. */
void ph_change_describe(const double *values, uint32_t n, PhChangePoint *points, uint32_t n_points);

/* The same for one point between segment borders. */
void ph_change_describe_one(const double *values, uint32_t start, uint32_t end,
							PhChangePoint *point);

#endif
