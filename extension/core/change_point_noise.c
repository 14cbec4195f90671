/*
 * change_point_noise.c - the noise of a series, undisturbed by steps and outliers.
 *
 * A step is one large difference of neighbours among many, so the noise is estimated from
 * differences, leaving out the largest ones. For AR(1) noise the differences at lag 1 have the
 * variance 2 s^2 (1 - r), those at lag 2 have 2 s^2 (1 - r^2): their ratio is 1 + r.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "change_point_internal.h"
#include "select.h"
#include "student_t.h"

#define NEIGHBOURS (2 * (PH_CHANGE_MIN_SEGMENT - 1) - 1) /* a run of outliers is their minority */
#define PI 3.14159265358979323846
#define CLIP 3.0	  /* deviations that are not outliers */
#define LEFT_OUT 0.05 /* share of the differences */
#define DEGREES 0.5	  /* of freedom, a difference */
#define HIGHEST_AUTOCORRELATION 0.95

/*
 * How many of the largest differences do not count: a share, but in short series as many as two
 * steps make, up to a quarter.
 */
static uint32_t
left_out(uint32_t count, uint32_t lag)
{
	uint32_t share = (uint32_t) (LEFT_OUT * count), steps = 2 * lag, quarter = count / 4;
	uint32_t least = steps < quarter ? steps : quarter;
	return share > least ? share : least;
}

/* The variance of a standard normal deviate that is among this share of the smallest ones. */
static double
kept_variance(double share)
{
	if (share >= 1)
		return 1;
	double z = ph_student_two_sided_quantile(1 - share, (double) INFINITY);
	return 1 - 2 * z * exp(-z * z / 2) / sqrt(2 * PI) / share;
}

/* The variance of differences at this lag, from the smaller ones; room for n values. */
static double
difference_variance(const double *values, uint32_t n, uint32_t lag, double *room)
{
	uint32_t count = n > lag ? n - lag : 0;
	double sum = 0;
	if (count == 0)
		return 0;
	for (uint32_t i = 0; i < count; i++)
		room[i] = fabs(values[i + lag] - values[i]);
	uint32_t kept = count - left_out(count, lag);
	double limit = ph_select(room, count, kept - 1);
	for (uint32_t i = 0; i < count; i++)
	{
		double size = fabs(values[i + lag] - values[i]);
		if (size <= limit)
			sum += size * size;
	}
	return sum / kept / kept_variance((double) kept / count);
}

static double
median_of(const double *values, uint32_t n)
{
	double room[NEIGHBOURS];
	for (uint32_t i = 0; i < n; i++)
		room[i] = values[i];
	return ph_quantile(room, n, 0.5);
}

/* An outlier becomes the nearer of the medians on both sides; at an end there is only one side. */
static double
clip_value(const double *values, uint32_t n, uint32_t i, double limit)
{
	uint32_t n_left = i < NEIGHBOURS ? i : NEIGHBOURS;
	uint32_t n_right = n - 1 - i < NEIGHBOURS ? n - 1 - i : NEIGHBOURS;
	double left = n_left > 0 ? median_of(values + i - n_left, n_left) : (double) NAN;
	double right = n_right > 0 ? median_of(values + i + 1, n_right) : (double) NAN;
	double high = fmax(left, right), low = fmin(left, right);
	return values[i] > high + limit ? high : values[i] < low - limit ? low : values[i];
}

static PhStatus
clip_outliers(PhArena *arena, double *values, uint32_t n, double limit)
{
	double *clipped;
	PH_TRY(PH_NEW(arena, n, &clipped));
	for (uint32_t i = 0; i < n && n > 1; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		clipped[i] = clip_value(values, n, i, limit);
	}
	for (uint32_t i = 0; i < n && n > 1; i++)
		values[i] = clipped[i];
	return PH_OK;
}

static double
autocorrelation_of(double variance_1, double variance_2)
{
	double estimate = variance_1 > 0 ? variance_2 / variance_1 - 1 : 0;
	return fmin(fmax(estimate, 0), HIGHEST_AUTOCORRELATION);
}

/* From lag 1 with the autocorrelation; never below what lag 2 says. */
static double
noise_sd(double variance_1, double variance_2, double r)
{
	return sqrt(fmax(variance_1 / (2 * (1 - r)), variance_2 / (2 * (1 - r * r))));
}

static void
estimate(const double *values, uint32_t n, double *room, PhNoise *out)
{
	double variance_1 = difference_variance(values, n, 1, room);
	double variance_2 = difference_variance(values, n, 2, room);
	out->autocorrelation = autocorrelation_of(variance_1, variance_2);
	out->sd = noise_sd(variance_1, variance_2, out->autocorrelation);
	out->degrees = fmax(DEGREES * n, 1);
}

PhStatus
ph_change_noise(PhArena *arena, double *values, uint32_t n, PhNoise *out)
{
	double *room;
	PH_TRY(PH_NEW(arena, n, &room));
	estimate(values, n, room, out);
	PH_TRY(clip_outliers(arena, values, n, CLIP * out->sd));
	estimate(values, n, room, out);
	return PH_OK;
}
