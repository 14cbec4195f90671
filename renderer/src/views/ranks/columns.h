/*
 * columns.h - one supernode's values over the columns (ranks, threads) of a run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_RANKS_COLUMNS_H
#define PH_VIEWS_RANKS_COLUMNS_H

#include "drawing/page.h"
#include "request/rows.h"

typedef struct PhColumns
{
	const char *node;
	uint32_t n;
	double *rank, *thread; /* NaN: none */
	const char **host, **name;
	double *inclusive, *exclusive;
	double *inclusive_y, *exclusive_y; /* second metric; NULL: none */
	bool threaded;					   /* several columns of one rank */
} PhColumns;

/* Sections "values" and "values_y". Values that are no numbers count 0. */
void ph_columns_read(PhArena *arena, const PhViewRows *rows, PhColumns *out);

/* What the columns are: "rank", "thread", or "column" when neither is known. */
const char *ph_columns_noun(const PhColumns *columns, bool one);

/* "rank 3", "rank 3, thread 1", or the column's name. */
const char *ph_column_text(PhArena *arena, const PhColumns *columns, uint32_t i);

/* Ranks (or column numbers) as ranges: "0-3, 8"; shortened with an ellipsis beyond max bytes. */
const char *ph_ranges_text(PhArena *arena, const double *numbers, uint32_t n, size_t max);

/* Order of the columns on an axis: by rank and thread, or by host first. */
uint32_t *ph_columns_order(PhArena *arena, const PhColumns *columns, bool by_host);

/* Every n-th rank slow: values above the middle of the range are exactly (within 10 %) the ranks
 * first, first + period, ... */
typedef struct PhSlowPattern
{
	uint32_t period, first, n_slow;
	double slow_mean, other_mean;
} PhSlowPattern;

/* values in the order of ranks 0 .. n-1. False: no such pattern. */
bool ph_slow_pattern(const double *values, uint32_t n, PhSlowPattern *out);

/* n values of a column; the filler where there is no finite number. */
double *ph_column_numbers(PhArena *arena, const PhTable *table, const char *column, uint32_t n,
						  double filler);

/* n texts of a column; NULL where there is none. */
const char **ph_column_texts(PhArena *arena, const PhTable *table, const char *column, uint32_t n);

#endif
