/*
 * exact_sum.c - see exact_sum.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/exact_sum.h"

#include <math.h>

/* The same sum in the fewest parts (Shewchuk's COMPRESS): each has all bits that it can hold. */
static void
compress(PhExactSum *sum)
{
	double large[PH_EXACT_PARTS], rest = sum->parts[sum->n - 1], lost;
	uint32_t first = sum->n, kept = 0;
	for (uint32_t i = sum->n - 1; i-- > 0;)
	{
		rest = ph_two_sum(rest, sum->parts[i], &lost);
		if (lost == 0)
			continue;
		large[--first] = rest;
		rest = lost;
	}
	for (uint32_t i = first; i < sum->n; i++)
	{
		rest = ph_two_sum(large[i], rest, &lost);
		if (lost != 0)
			sum->parts[kept++] = lost;
	}
	sum->parts[kept] = rest;
	sum->n = kept + 1;
}

void
ph_exact_add(PhExactSum *sum, double value)
{
	uint32_t kept = 0;
	if (sum->n >= PH_EXACT_PARTS - 1)
		compress(sum);
	for (uint32_t i = 0; i < sum->n; i++)
	{
		double lost;
		value = ph_two_sum(value, sum->parts[i], &lost);
		if (lost != 0)
			sum->parts[kept++] = lost;
	}
	if (!isfinite(value)) /* what ph_two_sum says to be lost is no number */
		kept = 0;
	sum->parts[kept] = value;
	sum->n = kept + 1;
}

/*
 * The sum, rounded once, to nearest even. Parts grow in magnitude and do not overlap, so adding
 * them from the largest down is exact until a rounding error appears; all that is left is smaller.
 * That rest matters in one case: when the error is exactly half a unit in the last place, the sign
 * of the next part decides which way to round.
 */
double
ph_exact_value(const PhExactSum *sum)
{
	if (sum->n == 0)
		return 0;
	uint32_t at = sum->n - 1;
	double total = sum->parts[at], lost = 0;
	while (at > 0 && lost == 0)
		total = ph_two_sum(total, sum->parts[--at], &lost);
	/*
	 * exactly half way between two doubles, and the next part has the same sign: the true sum is
	 * beyond the middle
	 */
	if (at > 0 && lost != 0 && signbit(lost) == signbit(sum->parts[at - 1]))
	{
		double twice = lost * 2, moved = total + twice;
		if (twice == moved - total)
			total = moved;
	}
	return total + 0.0;
}
