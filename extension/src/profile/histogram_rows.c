/*
 * histogram_rows.c - bins of a vector over columns as fields of rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "profile/histogram_rows.h"

#define BINS_MAX 10000

uint32
ph_arg_histogram_bins(FunctionCallInfo fcinfo, int argument)
{
	int32 bins = PG_ARGISNULL(argument) ? 20 : PG_GETARG_INT32(argument);
	if (bins < 1 || bins > BINS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("number of bins must be 1 to %d, not %d", BINS_MAX, bins)));
	return (uint32) bins;
}

PhBinned
ph_sort_into_bins(const PhHistogram *histogram, uint32 n)
{
	PhBinned bins;
	bins.start = palloc0(sizeof(uint32) * (histogram->n_bins + 1));
	bins.indices = palloc_extended(sizeof(uint32) * Max(n, 1), MCXT_ALLOC_HUGE);
	uint32 *next = palloc(sizeof(uint32) * (histogram->n_bins + 1));
	for (uint32 b = 0; b < histogram->n_bins; b++)
		bins.start[b + 1] = bins.start[b] + histogram->counts[b];
	memcpy(next, bins.start, sizeof(uint32) * (histogram->n_bins + 1));
	for (uint32 i = 0; i < n; i++)
		if (histogram->bin_of[i] != PH_NONE)
			bins.indices[next[histogram->bin_of[i]]++] = i;
	return bins;
}

/* Lower edge of a bin; of the one after the last: the maximum. */
static double
histogram_edge(const PhHistogram *histogram, uint32 bin)
{
	if (bin == histogram->n_bins)
		return histogram->max;
	return histogram->min + (histogram->max - histogram->min) * bin / histogram->n_bins;
}

void
ph_rows_bin(PhRows *rows, const PhHistogram *histogram, uint32 bin)
{
	ph_rows_int(rows, "bin", (int32) bin);
	ph_rows_number(rows, "low", histogram_edge(histogram, bin));
	ph_rows_number(rows, "high", histogram_edge(histogram, bin + 1));
	ph_rows_int(rows, "count", (int32) histogram->counts[bin]);
}

static int
compare_ranks(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;
	return (x > y) - (x < y);
}

/* Locations of a bin, and their distinct known ranks, both ascending. */
static void
put_bin_columns(PhRows *rows, const PhProfile *profile, const uint32 *columns, uint32 n)
{
	int32 *numbers = palloc_extended(sizeof(int32) * Max(n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < n; i++)
		numbers[i] = (int32) columns[i];
	ph_rows_ints(rows, "locations", numbers, (int) n);
	int n_ranks = 0;
	for (uint32 i = 0; i < n; i++)
		if (profile->columns[columns[i]].rank != PH_NO_NUMBER)
			numbers[n_ranks++] = profile->columns[columns[i]].rank;
	qsort(numbers, n_ranks, sizeof(int32), compare_ranks);
	int n_distinct = 0;
	for (int i = 0; i < n_ranks; i++)
		if (i == 0 || numbers[i] != numbers[i - 1])
			numbers[n_distinct++] = numbers[i];
	ph_rows_ints(rows, "ranks", numbers, n_distinct);
	pfree(numbers);
}

void
ph_rows_histogram(PhRows *rows, const PhProfile *profile, const PhHistogram *histogram)
{
	PhBinned bins = ph_sort_into_bins(histogram, profile->n_columns);
	for (uint32 b = 0; b < histogram->n_bins; b++)
	{
		ph_rows_bin(rows, histogram, b);
		put_bin_columns(rows, profile, bins.indices + bins.start[b], histogram->counts[b]);
		ph_rows_put(rows);
	}
}
