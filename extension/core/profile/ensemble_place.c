/*
 * ensemble_place.c - one run against the mean and deviation of the other runs of an ensemble.
 *
 * Two passes for the deviation, so that it does not suffer from large means.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/ensemble_place.h"

#include <math.h>

#include "statistics/distribution.h"

/* Absent counts 0. */
static double
value_of(const double *values, const bool *present, uint32_t i)
{
	return present[i] ? values[i] : 0;
}

static void
measure_others(const double *values, const bool *present, uint32_t n, uint32_t run,
			   PhEnsemblePlace *place)
{
	double sum = 0, squares = 0;
	uint32_t count = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		double value = value_of(values, present, i);
		if (i == run || isnan(value))
			continue;
		sum += value;
		count++;
	}
	place->mean = count > 0 ? sum / count : (double) NAN;
	for (uint32_t i = 0; i < n; i++)
	{
		double away = value_of(values, present, i) - place->mean;
		if (i != run && !isnan(away))
			squares += away * away;
	}
	place->sd = count > 1 ? sqrt(squares / (count - 1)) : (double) NAN;
}

static PhStatus
find_bin(PhArena *arena, const double *values, const bool *present, uint32_t n, uint32_t run,
		 uint32_t n_bins, PhEnsemblePlace *place)
{
	double *known;
	PhHistogram histogram;
	PH_TRY(PH_NEW(arena, n, &known));
	for (uint32_t i = 0; i < n; i++)
	{
		known[i] = present[i] ? values[i] : (double) NAN;
		if (isnan(known[i]))
			continue;
		place->n++;
		place->rank += known[i] < place->value ? 1 : 0;
	}
	place->rank += isnan(place->value) ? 0 : 1;
	PH_TRY(ph_histogram(arena, known, n, n_bins, &histogram));
	place->bin = histogram.bin_of[run];
	return PH_OK;
}

PhStatus
ph_ensemble_place(PhArena *arena, const double *values, const bool *present, uint32_t n,
				  uint32_t run, uint32_t n_bins, PhEnsemblePlace *out)
{
	PhEnsemblePlace place = {.value = present[run] ? values[run] : (double) NAN};
	measure_others(values, present, n, run, &place);
	place.difference = value_of(values, present, run) - place.mean;
	place.z = place.sd > 0 ? place.difference / place.sd : (double) NAN;
	PH_TRY(find_bin(arena, values, present, n, run, n_bins, &place));
	*out = place;
	return PH_OK;
}
