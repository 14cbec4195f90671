/*
 * repeat_test.h - are two sets of repeated measurements different, the same, or is it too early?
 *
 * Welch's confidence interval (95 %) for the difference of the means. No verdict from fewer than
 * PH_MIN_REPEATS measurements on a side, unless how they scatter is known (PhRepeatRule.pools), nor
 * when the interval allows both answers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_REPEAT_TEST_H
#define PH_STATISTICS_REPEAT_TEST_H

#include <stdbool.h>
#include <stddef.h>

#define PH_MIN_REPEATS 3
#define PH_MIN_KNOWN_DEGREES 4 /* below, a spread is hardly known; arbitrary */

typedef enum PhVerdict
{
	PH_VERDICT_UNKNOWN,
	PH_VERDICT_SAME,
	PH_VERDICT_SLOWER,
	PH_VERDICT_FASTER
} PhVerdict;

typedef struct PhRepeatTest
{
	PhVerdict verdict;
	size_t n_a, n_b;
	double mean_a, mean_b;
	double sd_a, sd_b;	   /* n - 1; NaN below two measurements */
	double difference;	   /* mean_b - mean_a */
	double relative;	   /* difference / mean_a; NaN when mean_a is 0 */
	double low, high;	   /* interval of the difference; NaN when it cannot be had */
	double t, degrees, p;  /* Welch's test; NaN when it cannot be made */
	size_t repeats_needed; /* per side, for a verdict; 0: has one; SIZE_MAX: cannot be said */
} PhRepeatTest;

/* How strict a test is; zero is that of ph_repeat_test without a margin. */
typedef struct PhRepeatRule
{
	double margin;	   /* changes below this share of mean_a are "same" (0.02 = 2 %) */
	double confidence; /* of the interval; 0: 0.95 */
	/*
	 * For amounts that hardly scatter: a change is one when the whole interval lies beyond the
	 * margin, not only its middle.
	 */
	bool is_strict;
	/*
	 * A side with fewer than PH_MIN_REPEATS measurements is taken to scatter as the other one does,
	 * and as measurements of the same condition did before (statistics/level.h): by known_spread,
	 * as a share of mean_a, which is known with known_degrees of freedom (0: nothing is known).
	 * There is a verdict when all of them have PH_MIN_KNOWN_DEGREES together.
	 */
	bool pools;
	double known_spread, known_degrees;
} PhRepeatRule;

/*
 * Larger values are slower. Deterministic; independent of the order of the values up to rounding.
 */
void ph_repeat_test_by(const double *a, size_t n_a, const double *b, size_t n_b,
					   const PhRepeatRule *rule, PhRepeatTest *out);

/* By a margin alone. */
void ph_repeat_test(const double *a, size_t n_a, const double *b, size_t n_b, double margin,
					PhRepeatTest *out);

/* "slower", "faster", "same", "unknown". */
const char *ph_verdict_name(PhVerdict verdict);

#endif
