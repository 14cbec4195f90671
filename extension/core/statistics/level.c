/*
 * level.c - at what level measurements under one condition lie, and how far they scatter.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "statistics/level.h"

#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "base/select.h"
#include "statistics/change_point_internal.h"

#define LEAST_VALUES 3 /* two differences at lag 1, one at lag 2 */

/* Of all values around their mean. */
static double
plain_deviation(const double *values, uint32_t n)
{
	double mean = 0, squares = 0;

	for (uint32_t i = 0; i < n; i++)
		mean += values[i] / n;
	for (uint32_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return sqrt(squares / (n - 1));
}

PhStatus
ph_level_find(PhArena *arena, const double *values, uint32_t n, PhLevel *out)
{
	PhLevel found = {
		.n = n, .level = (double) NAN, .spread = (double) NAN, .autocorrelation = (double) NAN};
	uint32_t n_recent = PH_MIN(n, PH_LEVEL_RECENT);
	PhNoise noise;
	double *copy;

	PH_TRY(PH_NEW(arena, n, &copy)); /* which is reordered and clipped */
	if (n > 0)
	{
		memcpy(copy, values + n - n_recent, n_recent * sizeof(*copy));
		found.level = ph_quantile(copy, n_recent, 0.5);
	}
	if (n >= LEAST_VALUES)
	{
		memcpy(copy, values, n * sizeof(*copy));
		PH_TRY(ph_change_noise(arena, copy, n, &noise));
		found.spread = fmin(noise.sd, plain_deviation(values, n));
		found.autocorrelation = noise.autocorrelation;
		found.degrees = noise.degrees;
	}
	*out = found;
	return PH_OK;
}
