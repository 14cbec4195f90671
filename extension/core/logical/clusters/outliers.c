/*
 * outliers.c - the series of a phase that are far from the rest.
 *
 * Samples and sums of distances over thousands of processes do not see a single one, which is what
 * people look for. So those far from the mean are taken out first: the farthest, then always the
 * one farthest from those that were taken (Gonzalez' traversal), while it is far.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/min_max.h"
#include "base/select.h"
#include "logical/clusters/series.h"

/* Distances are of squares: five times the distance that half of the series keep. */
#define FAR 25

/* By series, its distance from the mean of all. */
static PhStatus
measure_from_mean(PhArena *arena, const PhSeriesSet *set, double *distance)
{
	PhSeries mean;
	uint32_t *all;
	PH_TRY(PH_NEW(arena, set->n, &all));
	for (uint32_t i = 0; i < set->n; i++)
		all[i] = i;
	PH_TRY(ph_series_mean(arena, set, all, set->n, &mean));
	for (uint32_t i = 0; i < set->n; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		distance[i] = ph_series_distance(set, &set->series[i], &mean);
	}
	return PH_OK;
}

static PhStatus
median_of(PhArena *arena, const double *values, uint32_t n, double *out)
{
	double *copy;
	PH_TRY(PH_NEW(arena, n, &copy));
	memcpy(copy, values, n * sizeof(*copy));
	*out = ph_select(copy, n, (n - 1) / 2);
	return PH_OK;
}

PhStatus
ph_series_outliers(PhArena *arena, const PhSeriesSet *set, uint32_t most, uint32_t *taken,
				   uint32_t *n_taken, bool *is_far)
{
	double *distance, limit;
	PH_TRY(PH_NEW(arena, set->n, &distance));
	PH_TRY(measure_from_mean(arena, set, distance));
	PH_TRY(median_of(arena, distance, set->n, &limit));
	limit *= FAR;
	for (uint32_t i = 0; i < set->n; i++)
		is_far[i] = distance[i] > limit;
	for (*n_taken = 0; *n_taken < most; ++*n_taken)
	{
		uint32_t farthest = 0;
		for (uint32_t i = 1; i < set->n; i++)
			if (distance[i] > distance[farthest])
				farthest = i;
		if (!(distance[farthest] > limit))
			break;
		taken[*n_taken] = farthest;
		for (uint32_t i = 0; i < set->n; i++)
			if (is_far[i])
			{
				PH_TRY(ph_env_poll(arena->env));
				double gap = ph_series_distance(set, &set->series[i], &set->series[farthest]);
				distance[i] = i == farthest ? 0 : PH_MIN(distance[i], gap);
			}
	}
	return PH_OK;
}
