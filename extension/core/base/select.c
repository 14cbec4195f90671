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

/* ---- several at once ---- */

/* The values below the pivot to the front, without a branch that depends on them; their number. */
static size_t
part_below(double *values, size_t n, double pivot)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
	{
		double value = values[i];
		values[i] = values[kept];
		values[kept] = value;
		kept += value < pivot;
	}
	return kept;
}

/* The same for those that are not above it. */
static size_t
part_up_to(double *values, size_t n, double pivot)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
	{
		double value = values[i];
		values[i] = values[kept];
		values[kept] = value;
		kept += value <= pivot;
	}
	return kept;
}

static double
middle_of(double a, double b, double c)
{
	if (a > b)
		return a < c ? a : b > c ? b : c;
	return b < c ? b : a > c ? a : c;
}

/*
 * Put the k-th value (from 0) to its place, what is not above it before and what is not below it
 * behind: quickselect, which is faster than radix selection while values are in the nearest cache.
 * Where pivots do not halve, radix selection says which value it is.
 */
static void
put_in_place(double *values, size_t n, size_t k)
{
	for (unsigned rounds = 0; n > SMALL; rounds++)
	{
		double pivot = middle_of(values[0], values[n / 2], values[n - 1]);
		if (rounds >= 32)
			pivot = ph_select(values, n, k);
		size_t below = part_below(values, n, pivot);
		if (k < below)
		{
			n = below;
			continue;
		}
		size_t up_to = below + part_up_to(values + below, n - below, pivot);
		if (k < up_to)
			return;
		values += up_to;
		n -= up_to;
		k -= up_to;
	}
	insertion_sort(values, n);
}

/*
 * A quantile of n values, of which those of [first, end) have not been put in order; the others
 * that it may need are in their places.
 */
static double
quantile_between(double *values, size_t n, double q, size_t first, size_t end, size_t *at)
{
	double place = q * (double) (n - 1);
	size_t below = (size_t) floor(place);
	double fraction = place - (double) below;
	if (below >= first && below < end)
		put_in_place(values + first, end - first, below - first);
	*at = below;
	if (fraction == 0 || below + 1 >= n)
		return values[below];
	double high = values[below + 1];
	for (size_t i = below + 2; i < end; i++)
		high = values[i] < high ? values[i] : high;
	return values[below] + (high - values[below]) * fraction;
}

/* ---- by bins ---- */

#define N_BINS 512
#define MOST_IN_BIN 24
#define LEAST_BINNED 128
#define N_WANTED 6 /* two neighbours for each quartile */
#define NOT_WANTED 255

/* Of values that are spread evenly enough: how many lie in each of many bins of one width. */
typedef struct Bins
{
	double min, scale;
	uint32_t count[N_BINS];
	uint8_t slot[N_BINS]; /* of a bin that a quartile is in; else NOT_WANTED */
	uint32_t n_slots;
	uint32_t n[N_WANTED];
	double values[N_WANTED][MOST_IN_BIN];
} Bins;

static inline uint32_t
bin_of(const Bins *bins, double value)
{
	uint32_t bin = (uint32_t) ((value - bins->min) * bins->scale);
	return bin < N_BINS ? bin : N_BINS - 1;
}

/* False: there is no such width. */
static bool
count_bins(Bins *bins, const double *values, size_t n)
{
	double min[2] = {values[0], values[0]}, max[2] = {values[0], values[0]};
	for (size_t i = 0; i + 2 <= n; i += 2)
		for (size_t k = 0; k < 2; k++)
		{
			min[k] = values[i + k] < min[k] ? values[i + k] : min[k];
			max[k] = values[i + k] > max[k] ? values[i + k] : max[k];
		}
	min[0] = min[1] < min[0] ? min[1] : min[0];
	max[0] = max[1] > max[0] ? max[1] : max[0];
	min[0] = values[n - 1] < min[0] ? values[n - 1] : min[0];
	max[0] = values[n - 1] > max[0] ? values[n - 1] : max[0];
	bins->min = min[0];
	bins->scale = N_BINS / (max[0] - min[0]);
	if (!isfinite(bins->scale) || !(bins->scale > 0))
		return false;
	memset(bins->count, 0, sizeof(bins->count));
	memset(bins->slot, NOT_WANTED, sizeof(bins->slot));
	bins->n_slots = 0;
	for (size_t i = 0; i < n; i++)
		bins->count[bin_of(bins, values[i])]++;
	return true;
}

/* The bin of the k-th value, and the rank of its first one. */
static uint32_t
find_bin(const Bins *bins, size_t k, size_t *first)
{
	uint32_t bin = 0;
	*first = 0;
	while (k - *first >= bins->count[bin])
		*first += bins->count[bin++];
	return bin;
}

/* False: too many values lie in one bin. */
static bool
want_bin(Bins *bins, size_t k)
{
	size_t first;
	uint32_t bin = find_bin(bins, k, &first);
	if (bins->count[bin] > MOST_IN_BIN)
		return false;
	if (bins->slot[bin] == NOT_WANTED)
	{
		bins->n[bins->n_slots] = 0;
		bins->slot[bin] = (uint8_t) bins->n_slots++;
	}
	return true;
}

static double
binned_value(const Bins *bins, size_t k)
{
	size_t first;
	uint32_t bin = find_bin(bins, k, &first);
	return bins->values[bins->slot[bin]][k - first];
}

static const double shares[3] = {0.25, 0.5, 0.75};

/* Of values in few bins only those are put in order. */
static bool
quartiles_by_bins(const double *values, size_t n, double quartiles[3])
{
	Bins bins;
	if (n < LEAST_BINNED || n > UINT32_MAX || !count_bins(&bins, values, n))
		return false;
	for (uint32_t q = 0; q < 3; q++)
	{
		size_t below = (size_t) floor(shares[q] * (double) (n - 1));
		if (!want_bin(&bins, below) || !want_bin(&bins, below + 1))
			return false;
	}
	for (size_t i = 0; i < n; i++)
	{
		uint8_t slot = bins.slot[bin_of(&bins, values[i])];
		if (slot != NOT_WANTED)
			bins.values[slot][bins.n[slot]++] = values[i];
	}
	for (uint32_t slot = 0; slot < bins.n_slots; slot++)
		insertion_sort(bins.values[slot], bins.n[slot]);
	for (uint32_t q = 0; q < 3; q++)
	{
		double place = shares[q] * (double) (n - 1);
		size_t below = (size_t) floor(place);
		double fraction = place - (double) below, low = binned_value(&bins, below);
		quartiles[q] =
			fraction == 0 ? low : low + (binned_value(&bins, below + 1) - low) * fraction;
	}
	return true;
}

void
ph_quartiles(double *values, size_t n, double quartiles[3])
{
	size_t middle, other;
	if (quartiles_by_bins(values, n, quartiles))
		return;
	quartiles[1] = quantile_between(values, n, 0.5, 0, n, &middle);
	quartiles[0] = quantile_between(values, n, 0.25, 0, middle, &other);
	quartiles[2] = quantile_between(values, n, 0.75, middle + 1, n, &other);
}
