/*
 * rowio.h - core structs to rows: a tuplestore filled field by field.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVER_ROWIO_H
#define PH_SERVER_ROWIO_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/tuplestore.h"

#include "profile/profile.h"

#define PH_ROW_MAX 40

typedef struct PhRows
{
	Tuplestorestate *store;
	TupleDesc descriptor;
	MemoryContext scratch; /* of one row's datums */
	int n_columns;
	int next; /* the column to fill next */
	Datum values[PH_ROW_MAX];
	bool nulls[PH_ROW_MAX];
} PhRows;

/* Start the result of a set-returning function with this many columns. */
void ph_rows_begin(PhRows *rows, FunctionCallInfo fcinfo, int n_columns);

/* Fill the next column. Text: NULL and, for _name, the empty string are null. Number: NaN is null.
 */
void ph_rows_int(PhRows *rows, int32 value);
void ph_rows_index(PhRows *rows, uint32 value); /* PH_NONE is null */
void ph_rows_known(PhRows *rows, int32 value);	/* PH_NO_NUMBER is null */
void ph_rows_bigint(PhRows *rows, int64 value);
void ph_rows_bigint_unless(PhRows *rows, int64 value, int64 null); /* this one is null */
void ph_rows_number(PhRows *rows, double value);
void ph_rows_bool(PhRows *rows, bool value);
void ph_rows_text(PhRows *rows, const char *value);
void ph_rows_name(PhRows *rows, const char *value);
void ph_rows_datum(PhRows *rows, Datum value);
void ph_rows_null(PhRows *rows);

/* Arrays, one per bin or box, made in the row's memory. */
void ph_rows_ints(PhRows *rows, const int32 *values, int count);
void ph_rows_numbers(PhRows *rows, const double *values, int count);
void ph_rows_known_numbers(PhRows *rows, const double *values, int count); /* NaN is null */
void ph_rows_texts(PhRows *rows, const char *const *values, int count);

/* Store the row; every column must be filled. */
void ph_rows_put(PhRows *rows);

#endif
