/*
 * repeat_test.c - are two sets of repeated measurements different, the same, or is it too early?
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "statistics/repeat_test.h"

#include <math.h>
#include <stdint.h>

#include "base/min_max.h"
#include "statistics/student_t.h"

#define CONFIDENCE 0.95
#define MOST_REPEATS 10000

static double
mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return n == 0 ? NAN : sum / (double) n;
}

static double
sd_of(const double *values, size_t n, double mean)
{
	double sum = 0;

	if (n < 2)
		return (double) NAN;
	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sqrt(sum / (double) (n - 1));
}

double
ph_student_quantile(double degrees)
{
	return ph_student_two_sided_quantile(1 - CONFIDENCE, degrees >= 1 ? degrees : 1);
}

/* Welch-Satterthwaite. */
static double
degrees_of_freedom(double variance_a, size_t n_a, double variance_b, size_t n_b)
{
	double a = variance_a / (double) n_a;
	double b = variance_b / (double) n_b;
	double below = a * a / (double) (n_a - 1) + b * b / (double) (n_b - 1);

	return below > 0 ? (a + b) * (a + b) / below : (double) (n_a + n_b - 2);
}

static double
half_width(double variance_a, size_t n_a, double variance_b, size_t n_b)
{
	double error = sqrt(variance_a / (double) n_a + variance_b / (double) n_b);

	return error == 0
			   ? 0
			   : error * ph_student_quantile(degrees_of_freedom(variance_a, n_a, variance_b, n_b));
}

/* Student's t with unequal variances; without any variance, equal means are the same for sure. */
static void
test_difference(PhRepeatTest *test)
{
	double variance_a = test->sd_a * test->sd_a, variance_b = test->sd_b * test->sd_b;
	double error = sqrt(variance_a / (double) test->n_a + variance_b / (double) test->n_b);
	test->degrees = degrees_of_freedom(variance_a, test->n_a, variance_b, test->n_b);
	test->t = error > 0 ? test->difference / error : (double) NAN;
	test->p =
		error > 0 ? ph_student_two_sided(test->t, test->degrees) : (test->difference == 0 ? 1 : 0);
}

static PhVerdict
decide(double difference, double half, double margin)
{
	if (fabs(difference) + half <= margin)
		return PH_VERDICT_SAME;
	if (fabs(difference) > half && fabs(difference) > margin)
		return difference > 0 ? PH_VERDICT_SLOWER : PH_VERDICT_FASTER;
	return PH_VERDICT_UNKNOWN;
}

/*
 * Least repeats on either side that would settle it, if means and variances stay as they are. The
 * interval shrinks with every repeat, so what is settled stays settled.
 */
static size_t
repeats_needed(const PhRepeatTest *test, double margin)
{
	double variance_a = test->sd_a * test->sd_a;
	double variance_b = test->sd_b * test->sd_b;
	size_t open = PH_MIN(test->n_a, test->n_b); /* not enough */
	size_t settled = MOST_REPEATS + 1;

	while (settled - open > 1)
	{
		size_t n = open + (settled - open) / 2;
		double half = half_width(variance_a, n, variance_b, n);

		if (decide(test->difference, half, margin) == PH_VERDICT_UNKNOWN)
			open = n;
		else
			settled = n;
	}
	return settled > MOST_REPEATS ? SIZE_MAX : settled;
}

void
ph_repeat_test(const double *a, size_t n_a, const double *b, size_t n_b, double margin,
			   PhRepeatTest *out)
{
	double half = (double) NAN;
	double absolute_margin;

	*out = (PhRepeatTest){.n_a = n_a,
						  .n_b = n_b,
						  .low = (double) NAN,
						  .high = (double) NAN,
						  .t = (double) NAN,
						  .degrees = (double) NAN,
						  .p = (double) NAN};
	out->mean_a = mean_of(a, n_a);
	out->mean_b = mean_of(b, n_b);
	out->sd_a = sd_of(a, n_a, out->mean_a);
	out->sd_b = sd_of(b, n_b, out->mean_b);
	out->difference = out->mean_b - out->mean_a;
	out->relative = out->mean_a != 0 ? out->difference / out->mean_a : (double) NAN;
	absolute_margin = fabs(out->mean_a) * margin;
	if (n_a >= 2 && n_b >= 2)
	{
		half = half_width(out->sd_a * out->sd_a, n_a, out->sd_b * out->sd_b, n_b);
		out->low = out->difference - half;
		out->high = out->difference + half;
		test_difference(out);
	}
	if (n_a < PH_MIN_REPEATS || n_b < PH_MIN_REPEATS)
	{
		out->repeats_needed = PH_MIN_REPEATS;
		return;
	}
	out->verdict = decide(out->difference, half, absolute_margin);
	if (out->verdict == PH_VERDICT_UNKNOWN)
		out->repeats_needed = repeats_needed(out, absolute_margin);
}

const char *
ph_verdict_name(PhVerdict verdict)
{
	static const char *const names[] = {"unknown", "same", "slower", "faster"};

	return names[verdict];
}
