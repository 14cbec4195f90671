/*
 * change_point_levels.c - means, deviations and magnitudes of the levels around change points.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "statistics/change_point_internal.h"

static double
mean_of(const double *values, uint32_t start, uint32_t end)
{
	double sum = 0;
	for (uint32_t i = start; i < end; i++)
		sum += values[i];
	return sum / (end - start);
}

static double
deviation_of(const double *values, uint32_t start, uint32_t end, double mean)
{
	double sum = 0;
	for (uint32_t i = start; i < end; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sqrt(sum / (end - start));
}

static double
magnitude_of(double before, double after)
{
	double forward = before == 0 ? 0 : fabs(after / before - 1);
	double backward = after == 0 ? 0 : fabs(before / after - 1);
	return fmax(forward, backward);
}

void
ph_change_describe_one(const double *values, uint32_t start, uint32_t end, PhChangePoint *point)
{
	point->n_before = point->index - start;
	point->n_after = end - point->index;
	point->mean_before = mean_of(values, start, point->index);
	point->mean_after = mean_of(values, point->index, end);
	point->sd_before = deviation_of(values, start, point->index, point->mean_before);
	point->sd_after = deviation_of(values, point->index, end, point->mean_after);
	point->magnitude = magnitude_of(point->mean_before, point->mean_after);
}

void
ph_change_describe(const double *values, uint32_t n, PhChangePoint *points, uint32_t n_points)
{
	for (uint32_t i = 0; i < n_points; i++)
		ph_change_describe_one(values, i == 0 ? 0 : points[i - 1].index,
							   i + 1 == n_points ? n : points[i + 1].index, &points[i]);
}
