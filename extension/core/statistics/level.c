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

/* from so many values on, steps and outliers are told from noise by the median difference */
#define LEAST_FOR_STEPS 12
/* they are there when the noise around them is so much smaller than with them */
#define CLEARLY 0.4
/* expected false steps per value of the search: false ones would make the noise too small */
#define STEP_P 1e-6
/* half of normal deviates are smaller than so many standard deviations */
#define MEDIAN_DEVIATE 0.67449
/* what lies outside of so many deviations is not noise, if it is less than a quarter of all */
#define FAR 6.0

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

/* The noise that half of the differences of neighbours show: up to a half may be of steps. */
static double
median_noise(const double *values, uint32_t n, double *room)
{
	for (uint32_t i = 0; i + 1 < n; i++)
		room[i] = fabs(values[i + 1] - values[i]);
	return ph_quantile(room, n - 1, 0.5) / MEDIAN_DEVIATE / sqrt(2);
}

/* The mean of a segment without what lies far from its median. */
static uint32_t
near_values(const double *values, uint32_t n, double limit, double *room, double *mean)
{
	uint32_t count = 0;

	memcpy(room, values, n * sizeof(*room));
	double median = ph_quantile(room, n, 0.5);
	*mean = 0;
	for (uint32_t i = 0; i < n; i++)
		if (fabs(values[i] - median) <= limit)
		{
			room[count++] = values[i];
			*mean += values[i];
		}
	*mean /= count;
	return count;
}

/*
 * The deviation around the levels of the segments between steps, outliers left out; infinite where
 * these are a quarter of all values or more.
 */
static double
deviation_between(const double *values, uint32_t n, const PhChangePoint *points, uint32_t n_points,
				  double limit, double *room)
{
	uint32_t n_near = 0;
	double squares = 0;

	for (uint32_t i = 0; i <= n_points; i++)
	{
		uint32_t from = i == 0 ? 0 : points[i - 1].index, to = i == n_points ? n : points[i].index;
		double mean;
		uint32_t count = near_values(values + from, to - from, limit, room, &mean);
		for (uint32_t k = 0; k < count; k++)
			squares += (room[k] - mean) * (room[k] - mean);
		n_near += count;
	}
	if (4 * (n - n_near) >= n || n_near <= n_points + 1)
		return (double) INFINITY;
	return sqrt(squares / (n_near - n_points - 1));
}

/*
 * Steps that come back, and many outliers, leave more large differences than the noise of change
 * points leaves out; then those steps are not found by it either. Their noise is searched with the
 * median difference, and counts only where it is clearly smaller.
 */
static PhStatus
look_between_steps(PhArena *arena, const double *values, uint32_t n, PhLevel *found)
{
	double *room, *copy;
	PhChangePoint *points;
	uint32_t n_points;

	if (n < LEAST_FOR_STEPS)
		return PH_OK;
	PH_TRY(PH_NEW(arena, n, &room));
	PH_TRY(PH_NEW(arena, n, &copy));
	PhNoise noise = {.sd = median_noise(values, n, room), .degrees = n / 2.0};
	if (!(noise.sd > 0) || noise.sd > CLEARLY * found->spread)
		return PH_OK;
	memcpy(copy, values, n * sizeof(*copy));
	PH_TRY(ph_change_search(arena, copy, NULL, n, &noise, STEP_P, 0, &points, &n_points));
	double spread = deviation_between(values, n, points, n_points, FAR * noise.sd, room);
	if (spread > CLEARLY * found->spread)
		return PH_OK;
	found->spread = spread;
	found->autocorrelation = 0;
	return PH_OK;
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
		PH_TRY(look_between_steps(arena, values, n, &found));
	}
	*out = found;
	return PH_OK;
}
