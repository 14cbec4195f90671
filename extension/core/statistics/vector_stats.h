/*
 * vector_stats.h - statistics of one vector over columns, imbalance among them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_VECTOR_STATS_H
#define PH_STATISTICS_VECTOR_STATS_H

#include "base/arena.h"

/* Statistics of one vector over columns (absent = 0); values that are not a number are left out. sd
 * is n-1; NaN where undefined. */
typedef struct PhVectorStats
{
	uint32_t n;
	double sum, mean, sd, min, max, median;
	uint32_t argmin, argmax;
	double imbalance_ratio;	 /* max / mean */
	double imbalance_excess; /* (max - mean) / mean */
	double imbalance_range;	 /* max - min */
	double lost;			 /* (max - mean) * n: unit-time lost to waiting for the slowest */
} PhVectorStats;

PhStatus ph_vector_stats(PhArena *arena, const double *values, uint32_t n,
						 PhVectorStats *out) PH_MUST_CHECK;

/* The same without the median, which is NaN: costs two passes. */
void ph_vector_moments(const double *values, uint32_t n, PhVectorStats *out);

/* The measures of imbalance, from what else there is: for who adds up without a vector. */
void ph_stats_imbalance(PhVectorStats *stats);

#endif
