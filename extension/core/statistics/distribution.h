/*
 * distribution.h - a vector over columns as histogram, scatter fit or box plot
 * (docs/design/supergraph.md 6).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_DISTRIBUTION_H
#define PH_STATISTICS_DISTRIBUTION_H

#include "base/arena.h"

/* Values that are not a number (a ratio over 0) are left out everywhere. */

/* Equal bins over [min, max], right-open, last closed; equal values all in bin 0. */
typedef struct PhHistogram
{
	uint32_t n_bins;
	double min, max;
	uint32_t *counts; /* per bin */
	uint32_t *bin_of; /* per value; UINT32_MAX: not a number */
} PhHistogram;

PhStatus ph_histogram(PhArena *arena, const double *values, uint32_t n, uint32_t n_bins,
					  PhHistogram *out) PH_MUST_CHECK;

/* Least squares y = intercept + slope x; NaN everywhere when either variance is 0. */
typedef struct PhFit
{
	uint32_t n;
	double slope, intercept, r, r_squared;
} PhFit;

void ph_linear_fit(const double *x, const double *y, uint32_t n, PhFit *out);

/* Quartiles by linear interpolation, fences 1.5 IQR, whiskers = extreme values inside the fences.
 */
typedef struct PhBox
{
	uint32_t n;
	double min, lower_whisker, lower_quartile, median, upper_quartile, upper_whisker, max, mean;
	uint32_t n_outliers;
	uint32_t *outliers; /* indices into values, ascending */
} PhBox;

PhStatus ph_box(PhArena *arena, const double *values, uint32_t n, PhBox *out) PH_MUST_CHECK;

#endif
