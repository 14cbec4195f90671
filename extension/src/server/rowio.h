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

#include "base/bytes.h"
#include "profile/profile.h"

#define PH_ROW_MAX 40

/*
 * A row under construction. Columns are found by their names in the function's declaration: the
 * first row pays for the search, later ones fill the same columns in the same order and pay a
 * comparison of pointers.
 */
typedef struct PhRows
{
	Tuplestorestate *store;
	TupleDesc descriptor;
	MemoryContext scratch;		   /* of one row's datums */
	uint64 row;					   /* from 1 on */
	int n_filled;				   /* columns of this row */
	const char *names[PH_ROW_MAX]; /* by order of filling: the name that was given, … */
	int places[PH_ROW_MAX];		   /* … and its column */
	uint64 filled[PH_ROW_MAX];	   /* by column: the last row that filled it */
	Datum values[PH_ROW_MAX];
	bool nulls[PH_ROW_MAX];
} PhRows;

/* Start the result of a set-returning function. */
void ph_rows_begin(PhRows *rows, FunctionCallInfo fcinfo);

/*
 * Fill a column, named as in the declaration, whatever its place there; the name must live as long
 * as the rows. 42804 when the declaration has no such column of this type: an older one, most
 * likely. Text: NULL and, for _name, the empty string are null. Number: NaN is null.
 */
void ph_rows_int(PhRows *rows, const char *column, int32 value);
void ph_rows_index(PhRows *rows, const char *column, uint32 value); /* PH_NONE is null */
void ph_rows_known(PhRows *rows, const char *column, int32 value);	/* PH_NO_NUMBER is null */
void ph_rows_bigint(PhRows *rows, const char *column, int64 value);
void ph_rows_bigint_unless(PhRows *rows, const char *column, int64 value,
						   int64 null); /* this one is null */
void ph_rows_number(PhRows *rows, const char *column, double value);
void ph_rows_bool(PhRows *rows, const char *column, bool value);
void ph_rows_text(PhRows *rows, const char *column, const char *value);
void ph_rows_name(PhRows *rows, const char *column, const char *value);
/* A value of any type: it must be the column's. */
void ph_rows_datum(PhRows *rows, const char *column, Datum value);
void ph_rows_null(PhRows *rows, const char *column);
/* A column that declarations of older releases lack, to be filled last: it is left out there. */
void ph_rows_new_bool(PhRows *rows, const char *column, bool value);

/* Arrays, one per bin or box, made in the row's memory. */
void ph_rows_ints(PhRows *rows, const char *column, const int32 *values, int count);
void ph_rows_numbers(PhRows *rows, const char *column, const double *values, int count);
void ph_rows_known_numbers(PhRows *rows, const char *column, const double *values,
						   int count); /* NaN is null */
void ph_rows_texts(PhRows *rows, const char *column, const char *const *values, int count);

/* A byte string of this size in the row's memory, which the caller writes before the row is put. */
PhByteWriter ph_rows_bytes(PhRows *rows, const char *column, Size size);

/* Store the row; every column must have been filled, once. */
void ph_rows_put(PhRows *rows);

#endif
