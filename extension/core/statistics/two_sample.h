/*
 * two_sample.h - correlation and rank tests of small vectors.
 *
 * Pairs and values that are not numbers are left out. Results do not depend on the order of the
 * values.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_TWO_SAMPLE_H
#define PH_STATISTICS_TWO_SAMPLE_H

#include "base/arena.h"

/* Of ranks for Spearman's; p from Student's t. NaN for fewer than 3 pairs or without variance. */
typedef struct PhCorrelation
{
	uint32_t n;
	double pearson, pearson_p;
	double spearman, spearman_p;
} PhCorrelation;

PhStatus ph_correlation(PhArena *arena, const double *x, const double *y, uint32_t n,
						PhCorrelation *out) PH_MUST_CHECK;

/* Mann and Whitney's U: how often a value of b is larger than one of a, ties counting half. */
typedef struct PhMannWhitney
{
	uint32_t n_a, n_b;
	double u;	   /* of b over a */
	double p;	   /* two-sided; exact for small samples without ties; NaN when one is empty */
	double share;  /* u / (n_a n_b): chance that b's value is larger */
	double effect; /* rank-biserial correlation: 2 share - 1 */
	bool is_exact;
} PhMannWhitney;

/* O(n log n), and O(n_a n_b (n_a + n_b)) for the exact distribution up to 40 values. */
PhStatus ph_mann_whitney(PhArena *arena, const double *a, uint32_t n_a, const double *b,
						 uint32_t n_b, PhMannWhitney *out) PH_MUST_CHECK;

#endif
