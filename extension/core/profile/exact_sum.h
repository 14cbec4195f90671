/*
 * exact_sum.h - sums of doubles that do not depend on the order of what is added.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_EXACT_SUM_H
#define PH_PROFILE_EXACT_SUM_H

#include <stdint.h>

/*
 * The sum as non-overlapping parts (Shewchuk 1997), rounded once at the end. 2100 bits of doubles
 * need at most 41 parts of 53, but parts may have few bits each: those that become too many are
 * compressed. Beyond the largest double the sum is infinite, or no number, and stays so.
 */
#define PH_EXACT_PARTS 64

typedef struct PhExactSum
{
	uint32_t n;
	double parts[PH_EXACT_PARTS];
} PhExactSum;

static inline void
ph_exact_reset(PhExactSum *sum)
{
	sum->n = 0;
}

void ph_exact_add(PhExactSum *sum, double value);
double ph_exact_value(const PhExactSum *sum);

/* a + b rounded, and what rounding lost. */
static inline double
ph_two_sum(double a, double b, double *lost)
{
	double sum = a + b;
	double part = sum - a;
	*lost = (a - (sum - part)) + (b - part);
	return sum;
}

#endif
