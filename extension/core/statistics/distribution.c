/*
 * distribution.c - histogram, least squares and box plot of a vector (docs/design/supergraph.md 6).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "statistics/distribution.h"

#include <math.h>
#include <string.h>

#include "base/select.h"

#define MAX_BINS 1000000

/* Least and largest number; false when there is none. */
static bool
find_range(const double *values, uint32_t n, double *min, double *max)
{
	uint32_t first = 0;
	while (first < n && isnan(values[first]))
		first++;
	double least = first < n ? values[first] : (double) NAN, most = least;
	for (uint32_t i = first; i < n; i++)
	{
		/* false for what is no number */
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	*min = least;
	*max = most;
	return first < n;
}

/* The edge between bins bin-1 and bin; halves, so that the range of all doubles does not overflow.
 */
static double
bin_edge(const PhHistogram *histogram, uint32_t bin)
{
	double share = (double) bin / histogram->n_bins;
	return (histogram->min * 0.5 + (histogram->max * 0.5 - histogram->min * 0.5) * share) * 2;
}

/* Guess by division, then let the edges decide, so that bins and printed edges agree. */
static uint32_t
find_bin(const PhHistogram *histogram, double value)
{
	double range = histogram->max * 0.5 - histogram->min * 0.5;
	if (range <= 0)
		return 0;
	double place = (value * 0.5 - histogram->min * 0.5) / range * histogram->n_bins;
	uint32_t last = histogram->n_bins - 1;
	uint32_t bin = place >= last ? last : place > 0 ? (uint32_t) place : 0;
	while (bin > 0 && value < bin_edge(histogram, bin))
		bin--;
	while (bin < last && value >= bin_edge(histogram, bin + 1))
		bin++;
	return bin;
}

PhStatus
ph_histogram(PhArena *arena, const double *values, uint32_t n, uint32_t n_bins, PhHistogram *out)
{
	PhHistogram histogram = {.n_bins = n_bins};
	if (n_bins == 0 || n_bins > MAX_BINS)
		return ph_fail(arena->env, PH_ERR_VALUE,
					   "a histogram has from 1 to %d bins, but %u are asked for", MAX_BINS, n_bins);
	PH_TRY(PH_NEW(arena, n_bins, &histogram.counts));
	PH_TRY(PH_NEW(arena, n, &histogram.bin_of));
	find_range(values, n, &histogram.min, &histogram.max);
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(arena->env));
		histogram.bin_of[i] = UINT32_MAX;
		if (isnan(values[i]))
			continue;
		histogram.bin_of[i] = find_bin(&histogram, values[i]);
		histogram.counts[histogram.bin_of[i]]++;
	}
	*out = histogram;
	return PH_OK;
}

typedef struct Moments
{
	uint32_t n;
	double mean_x, mean_y;
	double xx, yy, xy; /* sums of products of deviations */
} Moments;

static bool
is_point(double x, double y)
{
	return !isnan(x) && !isnan(y);
}

static Moments
find_moments(const double *x, const double *y, uint32_t n)
{
	Moments moments = {0};
	for (uint32_t i = 0; i < n; i++)
		if (is_point(x[i], y[i]))
		{
			moments.n++;
			moments.mean_x += (x[i] - moments.mean_x) / moments.n;
			moments.mean_y += (y[i] - moments.mean_y) / moments.n;
		}
	for (uint32_t i = 0; i < n; i++)
		if (is_point(x[i], y[i]))
		{
			double dx = x[i] - moments.mean_x, dy = y[i] - moments.mean_y;
			moments.xx += dx * dx;
			moments.yy += dy * dy;
			moments.xy += dx * dy;
		}
	return moments;
}

/* Equal values have no variance, whatever rounding made of their mean. */
static bool
is_constant(const double *values, const double *other, uint32_t n)
{
	double first = (double) NAN;
	for (uint32_t i = 0; i < n; i++)
	{
		if (!is_point(values[i], other[i]))
			continue;
		if (isnan(first))
			first = values[i];
		if (values[i] != first)
			return false;
	}
	return true;
}

void
ph_linear_fit(const double *x, const double *y, uint32_t n, PhFit *out)
{
	Moments moments = find_moments(x, y, n);
	double nan = (double) NAN;
	*out = (PhFit){moments.n, nan, nan, nan, nan};
	if (is_constant(x, y, n) || is_constant(y, x, n) || moments.xx <= 0 || moments.yy <= 0)
		return;
	double r = moments.xy / sqrt(moments.xx) / sqrt(moments.yy);
	out->slope = moments.xy / moments.xx;
	out->intercept = moments.mean_y - out->slope * moments.mean_x;
	out->r = r > 1 ? 1 : r < -1 ? -1 : r;
	out->r_squared = out->r * out->r;
}

/* How many of the numbers are outside of the fences. */
static uint32_t
count_outside(const double *values, uint32_t n, double low, double high)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < n; i++)
		count += (uint32_t) (values[i] < low) | (uint32_t) (values[i] > high);
	return count;
}

/* Whiskers are the extreme values inside the fences; what lies outside is an outlier. */
static PhStatus
find_whiskers(PhArena *arena, const double *values, uint32_t n, PhBox *box)
{
	double reach = 1.5 * (box->upper_quartile - box->lower_quartile);
	double low = box->lower_quartile - reach, high = box->upper_quartile + reach;
	uint32_t count = 0;
	box->lower_whisker = box->min >= low ? box->min : box->max;
	box->upper_whisker = box->max <= high ? box->max : box->min;
	box->n_outliers = count_outside(values, n, low, high);
	if (box->n_outliers == 0)
		return PH_OK;
	PH_TRY(PH_NEW(arena, box->n_outliers, &box->outliers));
	for (uint32_t i = 0; i < n; i++)
	{
		double value = values[i];
		if (value < low || value > high)
			box->outliers[count++] = i;
		else
		{
			box->lower_whisker = value < box->lower_whisker ? value : box->lower_whisker;
			box->upper_whisker = value > box->upper_whisker ? value : box->upper_whisker;
		}
	}
	return PH_OK;
}

/* The quartiles of the numbers among values; room has place for n. */
static void
find_quartiles(const double *values, uint32_t n, double *room, PhBox *box)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(values[i]))
		{
			room[box->n++] = values[i];
			sum += values[i];
		}
	if (box->n == 0)
		return;
	box->mean = sum / box->n;
	double quartiles[3];
	ph_quartiles(room, box->n, quartiles);
	box->lower_quartile = quartiles[0];
	box->median = quartiles[1];
	box->upper_quartile = quartiles[2];
}

PhStatus
ph_box(PhArena *arena, const double *values, uint32_t n, PhBox *out)
{
	double nan = (double) NAN;
	PhBox box = {.lower_whisker = nan,
				 .lower_quartile = nan,
				 .median = nan,
				 .upper_quartile = nan,
				 .upper_whisker = nan,
				 .mean = nan};
	void *room;
	PH_TRY(ph_env_alloc(arena->env, n, sizeof(double), &room));
	find_quartiles(values, n, room, &box);
	ph_env_free(arena->env, room, n, sizeof(double));
	if (find_range(values, n, &box.min, &box.max))
		PH_TRY(find_whiskers(arena, values, n, &box));
	*out = box;
	return PH_OK;
}
