/*
 * histogram_rows.h - bins of a vector over columns as fields of rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_HISTOGRAM_ROWS_H
#define PH_PROFILE_HISTOGRAM_ROWS_H

#include "postgres.h"

#include "profile/profile.h"
#include "server/rowio.h"
#include "statistics/distribution.h"

/* 1 to 10000; null: 20. 22023 otherwise. */
uint32 ph_arg_histogram_bins(FunctionCallInfo fcinfo, int argument);

/* bin, low, high, count. */
void ph_rows_bin(PhRows *rows, const PhHistogram *histogram, uint32 bin);

/* Indices in the order of their bins; start[b] is the first place of bin b. */
typedef struct PhBinned
{
	uint32 *start;
	uint32 *indices;
} PhBinned;

PhBinned ph_sort_into_bins(const PhHistogram *histogram, uint32 n);

/*
 * A row for each bin of a vector over all of the profile's columns: bin, low, high, count,
 * locations, distinct known ranks.
 */
void ph_rows_histogram(PhRows *rows, const PhProfile *profile, const PhHistogram *histogram);

#endif
