/*
 * student_t.c - Student's t through the incomplete beta function.
 *
 * The continued fraction converges fast below the mean of the beta distribution; above it the
 * mirrored one is used, where 1 - result is far from 1, so tails keep their relative accuracy.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "statistics/student_t.h"

#include <float.h>
#include <math.h>

#define MOST_TERMS 20000 /* about the square root of the degrees of freedom is needed */

static double
log_gamma(double x)
{
	int sign;
	return lgamma_r(x, &sign);
}

static double
not_zero(double value)
{
	return fabs(value) < DBL_MIN ? DBL_MIN : value;
}

/* The continued fraction of I_x(a, b) by Lentz's method. */
static double
beta_fraction(double x, double a, double b)
{
	double c = 1;
	double d = 1 / not_zero(1 - (a + b) * x / (a + 1));
	double result = d;
	for (int m = 1; m < MOST_TERMS; m++)
	{
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		result *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		result *= d * c;
		if (fabs(d * c - 1) < 1e-15)
			break;
	}
	return result;
}

/* I_x(a, b) where y = 1 - x is given too, since it may be too small to be had from x. */
static double
incomplete_beta(double x, double y, double a, double b)
{
	if (isnan(x) || isnan(y) || !(a > 0) || !(b > 0))
		return (double) NAN;
	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	double log_front = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y);
	if (x < (a + 1) / (a + b + 2))
		return exp(log_front) * beta_fraction(x, a, b) / a;
	return 1 - exp(log_front) * beta_fraction(y, b, a) / b;
}

double
ph_incomplete_beta(double x, double a, double b)
{
	return incomplete_beta(x, 1 - x, a, b);
}

double
ph_normal_two_sided(double z)
{
	return erfc(fabs(z) / sqrt(2.0));
}

double
ph_student_two_sided(double t, double degrees)
{
	if (isnan(t) || !(degrees > 0))
		return (double) NAN;
	if (isinf(t))
		return 0;
	if (isinf(degrees))
		return ph_normal_two_sided(t);
	double ratio = fabs(t) / sqrt(degrees);
	if (ratio > 1e150)
		return 0;
	double below = 1 + ratio * ratio;
	return incomplete_beta(1 / below, ratio * ratio / below, degrees / 2, 0.5);
}

double
ph_student_two_sided_quantile(double p, double degrees)
{
	double low = 0, high = 1;
	if (!(p > 0 && p <= 1) || !(degrees > 0))
		return (double) NAN;
	while (ph_student_two_sided(high, degrees) > p && high < DBL_MAX / 4)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-14 * high; i++)
	{
		double middle = low + (high - low) / 2;
		if (ph_student_two_sided(middle, degrees) > p)
			low = middle;
		else
			high = middle;
	}
	return low + (high - low) / 2;
}
