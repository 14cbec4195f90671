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

/* Welch-Satterthwaite. */
static double
degrees_of_freedom(double variance_a, size_t n_a, double variance_b, size_t n_b)
{
	double a = variance_a / (double) n_a;
	double b = variance_b / (double) n_b;
	double below = a * a / (double) (n_a - 1) + b * b / (double) (n_b - 1);

	return below > 0 ? (a + b) * (a + b) / below : (double) (n_a + n_b - 2);
}

/* How the measurements of both sides vary. */
typedef struct Variation
{
	double a, b;	/* variances */
	double degrees; /* of both together, where they are one; 0: Welch's */
	double confidence;
} Variation;

static double
standard_error(const Variation *variation, size_t n_a, size_t n_b)
{
	return sqrt(variation->a / (double) n_a + variation->b / (double) n_b);
}

static double
degrees_of(const Variation *variation, size_t n_a, size_t n_b)
{
	return variation->degrees > 0 ? variation->degrees
								  : degrees_of_freedom(variation->a, n_a, variation->b, n_b);
}

static double
half_width(const Variation *variation, size_t n_a, size_t n_b)
{
	double error = standard_error(variation, n_a, n_b);
	double degrees = degrees_of(variation, n_a, n_b);

	return error == 0 ? 0
					  : error * ph_student_two_sided_quantile(1 - variation->confidence,
															  degrees >= 1 ? degrees : 1);
}

/* Student's t; without any variance, equal means are the same for sure. */
static void
test_difference(PhRepeatTest *test, const Variation *variation)
{
	double error = standard_error(variation, test->n_a, test->n_b);
	double half = half_width(variation, test->n_a, test->n_b);

	test->low = test->difference - half;
	test->high = test->difference + half;
	test->degrees = degrees_of(variation, test->n_a, test->n_b);
	test->t = error > 0 ? test->difference / error : (double) NAN;
	test->p =
		error > 0 ? ph_student_two_sided(test->t, test->degrees) : (test->difference == 0 ? 1 : 0);
}

static PhVerdict
decide(double difference, double half, double margin, bool is_strict)
{
	double least = fabs(difference) - half; /* that the change amounts to */

	if (fabs(difference) + half <= margin)
		return PH_VERDICT_SAME;
	if (is_strict ? least > margin : least > 0 && fabs(difference) > margin)
		return difference > 0 ? PH_VERDICT_SLOWER : PH_VERDICT_FASTER;
	return PH_VERDICT_UNKNOWN;
}

/*
 * Least repeats on either side that would settle it, if means and variances stay as they are. The
 * interval shrinks with every repeat, so what is settled stays settled.
 */
static size_t
repeats_needed(const PhRepeatTest *test, const Variation *variation, double margin, bool is_strict)
{
	Variation welch = {.a = variation->a, .b = variation->b, .confidence = variation->confidence};
	size_t open = PH_MAX(PH_MIN(test->n_a, test->n_b), PH_MIN_REPEATS - 1); /* not enough */
	size_t settled = MOST_REPEATS + 1;

	while (settled - open > 1)
	{
		size_t n = open + (settled - open) / 2;
		double half = half_width(&welch, n, n);

		if (decide(test->difference, half, margin, is_strict) == PH_VERDICT_UNKNOWN)
			open = n;
		else
			settled = n;
	}
	return settled > MOST_REPEATS ? SIZE_MAX : settled;
}

/* One variance of all that was measured, and of what is known. False: too little is. */
static bool
pool_variances(const PhRepeatTest *test, const PhRepeatRule *rule, Variation *out)
{
	double known = rule->known_spread * test->mean_a;
	double squares = known * known * rule->known_degrees;
	double degrees = rule->known_degrees;

	if (test->n_a >= 2)
	{
		squares += test->sd_a * test->sd_a * (double) (test->n_a - 1);
		degrees += (double) (test->n_a - 1);
	}
	if (test->n_b >= 2)
	{
		squares += test->sd_b * test->sd_b * (double) (test->n_b - 1);
		degrees += (double) (test->n_b - 1);
	}
	if (!rule->pools || test->n_a == 0 || test->n_b == 0 || degrees < PH_MIN_KNOWN_DEGREES)
		return false;
	out->a = out->b = squares / degrees;
	out->degrees = degrees;
	return true;
}

/* False: the sides are too small to say how they vary. */
static bool
find_variation(const PhRepeatTest *test, const PhRepeatRule *rule, Variation *out)
{
	*out = (Variation){.confidence = rule->confidence > 0 ? rule->confidence : CONFIDENCE};
	if ((test->n_a < PH_MIN_REPEATS || test->n_b < PH_MIN_REPEATS) &&
		pool_variances(test, rule, out))
		return true;
	out->a = test->sd_a * test->sd_a;
	out->b = test->sd_b * test->sd_b;
	return test->n_a >= 2 && test->n_b >= 2;
}

static void
describe_sides(const double *a, size_t n_a, const double *b, size_t n_b, PhRepeatTest *out)
{
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
}

void
ph_repeat_test_by(const double *a, size_t n_a, const double *b, size_t n_b,
				  const PhRepeatRule *rule, PhRepeatTest *out)
{
	Variation variation;
	double margin, half;

	describe_sides(a, n_a, b, n_b, out);
	margin = fabs(out->mean_a) * rule->margin;
	if (find_variation(out, rule, &variation))
		test_difference(out, &variation);
	if (variation.degrees == 0 && (n_a < PH_MIN_REPEATS || n_b < PH_MIN_REPEATS))
	{
		out->repeats_needed = PH_MIN_REPEATS;
		return;
	}
	half = half_width(&variation, n_a, n_b);
	out->verdict = decide(out->difference, half, margin, rule->is_strict);
	if (out->verdict == PH_VERDICT_UNKNOWN)
		out->repeats_needed = repeats_needed(out, &variation, margin, rule->is_strict);
}

void
ph_repeat_test(const double *a, size_t n_a, const double *b, size_t n_b, double margin,
			   PhRepeatTest *out)
{
	PhRepeatRule rule = {.margin = margin};

	ph_repeat_test_by(a, n_a, b, n_b, &rule, out);
}

const char *
ph_verdict_name(PhVerdict verdict)
{
	static const char *const names[] = {"unknown", "same", "slower", "faster"};

	return names[verdict];
}
