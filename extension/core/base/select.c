/*
 * select.c - selection by radix: the bit pattern of a double, suitably flipped, sorts like it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/select.h"

#include <math.h>
#include <string.h>

#define SMALL 24

/* An unsigned number that orders like the double. */
static uint64_t
order_key(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 != 0 ? ~bits : bits | (uint64_t) 1 << 63;
}

static void
insertion_sort(double *values, size_t n)
{
	for (size_t i = 1; i < n; i++)
	{
		double value = values[i];
		size_t at = i;
		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

static void
count_bytes(const double *values, size_t n, unsigned shift, size_t *counts)
{
	memset(counts, 0, 256 * sizeof(*counts));
	for (size_t i = 0; i < n; i++)
		counts[order_key(values[i]) >> shift & 0xFF]++;
}

/* Move the values whose byte is wanted to the front; their number. */
static size_t
keep_byte(double *values, size_t n, unsigned shift, unsigned wanted)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if ((order_key(values[i]) >> shift & 0xFF) == wanted)
		{
			double value = values[i];
			values[i] = values[kept];
			values[kept++] = value;
		}
	return kept;
}

double
ph_select(double *values, size_t n, size_t k)
{
	size_t counts[256];
	unsigned shift = 64;
	while (n > SMALL && shift > 0)
	{
		shift -= 8;
		count_bytes(values, n, shift, counts);
		unsigned byte = 0;
		for (; k >= counts[byte]; byte++)
			k -= counts[byte];
		n = keep_byte(values, n, shift, byte);
	}
	if (n > SMALL)
		return values[0]; /* all bytes agree: equal values */
	insertion_sort(values, n);
	return values[k];
}

double
ph_quantile(double *values, size_t n, double q)
{
	double place = q * (double) (n - 1);
	size_t below = (size_t) floor(place);
	double fraction = place - (double) below;
	double low = ph_select(values, n, below);
	if (fraction == 0 || below + 1 >= n)
		return low;
	double high = ph_select(values, n, below + 1);
	return low + (high - low) * fraction;
}
