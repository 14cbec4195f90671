/*
 * series.h - series of values over the steps of a phase, and how far two are apart.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_LOGICAL_CLUSTERS_SERIES_H
#define PH_LOGICAL_CLUSTERS_SERIES_H

#include "logical/clusters/cluster.h"

/* Values at ascending steps; between them the value before holds. */
typedef struct PhSeries
{
	uint32_t n;
	int32_t *step;
	double *value;
} PhSeries;

/* All members of a phase. */
typedef struct PhSeriesSet
{
	uint32_t n;
	PhSeries *series;
	int32_t first_step, last_step; /* of the phase */
	bool compat; /* values of events only; distances over all steps to the last, twice that */
} PhSeriesSet;

PhStatus ph_series_of_phase(PhArena *arena, const PhLogicalMetrics *metrics, uint32_t phase,
							const PhClusterOptions *options, PhSeriesSet *out) PH_MUST_CHECK;

/* Mean of squared differences. */
double ph_series_distance(const PhSeriesSet *set, const PhSeries *a, const PhSeries *b);

/* Ravel's distance of two leaves' means: by index from where each begins, not by step. */
double ph_series_distance_by_index(const PhSeriesSet *set, const PhSeries *a, const PhSeries *b);

/* The mean of some members at every step where one of them is active, over those that are. */
PhStatus ph_series_mean(PhArena *arena, const PhSeriesSet *set, const uint32_t *members, uint32_t n,
						PhSeries *out) PH_MUST_CHECK;

/*
 * Up to most series that stand for those far from the rest, in taken; is_far: by series, all those
 * that are: at least half are not. The same series give the same answer whatever their order but
 * for ties.
 */
PhStatus ph_series_outliers(PhArena *arena, const PhSeriesSet *set, uint32_t most, uint32_t *taken,
							uint32_t *n_taken, bool *is_far) PH_MUST_CHECK;

/*
 * Put n series into at most PH_CLUSTER_LEAVES leaves: leaf_of by series, medoid by leaf. Of more
 * than a sample, outliers have leaves of their own, the last ones (compat: have not).
 */
PhStatus ph_clara(PhArena *arena, const PhSeriesSet *set, uint64_t seed, uint32_t *leaf_of,
				  uint32_t *medoid, uint32_t *n_leaves) PH_MUST_CHECK;

#endif
