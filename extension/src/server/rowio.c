/*
 * rowio.c - rows into the tuplestore of a materialised set-returning function.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "server/compat.h"
#include "server/rowio.h"

void
ph_rows_begin(PhRows *rows, FunctionCallInfo fcinfo)
{
	InitMaterializedSRF(fcinfo, 0);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	memset(rows, 0, sizeof(*rows));
	if (result->setDesc->natts > PH_ROW_MAX)
		elog(ERROR, "a function returns more than %d columns", PH_ROW_MAX);
	rows->store = result->setResult;
	rows->descriptor = result->setDesc;
	rows->scratch =
		AllocSetContextCreate(CurrentMemoryContext, "perfhouse row", ALLOCSET_DEFAULT_SIZES);
	rows->row = 1;
}

/* ---- columns by name ---- */

static void
refuse_column(const char *column, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("the declaration of this function %s \"%s\"", what, column),
			 errhint("Run ALTER EXTENSION perfhouse UPDATE to match the installed library.")));
}

/* The column of this name and type; InvalidOid: any type. */
static int
find_column(const PhRows *rows, const char *column, Oid type)
{
	for (int c = 0; c < rows->descriptor->natts; c++)
	{
		const FormData_pg_attribute *attribute = TupleDescAttr(rows->descriptor, c);
		if (strcmp(NameStr(attribute->attname), column) != 0)
			continue;
		if (type != InvalidOid && attribute->atttypid != type)
			refuse_column(column, "has another type for the column");
		return c;
	}
	refuse_column(column, "has no column");
	pg_unreachable();
}

/* Where the row's next value goes. */
static int
next_place(PhRows *rows, const char *column, Oid type)
{
	int next = rows->n_filled;
	if (next >= rows->descriptor->natts)
	{
		find_column(rows, column, type);
		elog(ERROR, "a row has two values for its column \"%s\"", column);
	}
	if (rows->names[next] != column)
	{
		rows->places[next] = find_column(rows, column, type);
		rows->names[next] = column;
	}
	int place = rows->places[next];
	if (rows->filled[place] == rows->row)
		elog(ERROR, "a row has two values for its column \"%s\"", column);
	rows->filled[place] = rows->row;
	rows->n_filled++;
	return place;
}

static void
fill(PhRows *rows, const char *column, Oid type, Datum value)
{
	int place = next_place(rows, column, type);
	rows->values[place] = value;
	rows->nulls[place] = false;
}

void
ph_rows_datum(PhRows *rows, const char *column, Datum value)
{
	fill(rows, column, InvalidOid, value);
}

void
ph_rows_null(PhRows *rows, const char *column)
{
	int place = next_place(rows, column, InvalidOid);
	rows->values[place] = (Datum) 0;
	rows->nulls[place] = true;
}

/* ---- values ---- */

void
ph_rows_int(PhRows *rows, const char *column, int32 value)
{
	fill(rows, column, INT4OID, Int32GetDatum(value));
}

void
ph_rows_index(PhRows *rows, const char *column, uint32 value)
{
	if (value == PH_NONE)
		ph_rows_null(rows, column);
	else
		ph_rows_int(rows, column, (int32) value);
}

void
ph_rows_known(PhRows *rows, const char *column, int32 value)
{
	if (value == PH_NO_NUMBER)
		ph_rows_null(rows, column);
	else
		ph_rows_int(rows, column, value);
}

void
ph_rows_bigint(PhRows *rows, const char *column, int64 value)
{
	fill(rows, column, INT8OID, Int64GetDatum(value));
}

void
ph_rows_bigint_unless(PhRows *rows, const char *column, int64 value, int64 null)
{
	if (value == null)
		ph_rows_null(rows, column);
	else
		ph_rows_bigint(rows, column, value);
}

void
ph_rows_number(PhRows *rows, const char *column, double value)
{
	if (isnan(value))
		ph_rows_null(rows, column);
	else
		fill(rows, column, FLOAT8OID, Float8GetDatum(value));
}

void
ph_rows_bool(PhRows *rows, const char *column, bool value)
{
	fill(rows, column, BOOLOID, BoolGetDatum(value));
}

void
ph_rows_new_bool(PhRows *rows, const char *column, bool value)
{
	if (rows->n_filled < rows->descriptor->natts)
		ph_rows_bool(rows, column, value);
}

void
ph_rows_text(PhRows *rows, const char *column, const char *value)
{
	if (value == NULL)
	{
		ph_rows_null(rows, column);
		return;
	}
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	fill(rows, column, TEXTOID, CStringGetTextDatum(value));
	MemoryContextSwitchTo(old);
}

void
ph_rows_name(PhRows *rows, const char *column, const char *value)
{
	ph_rows_text(rows, column, value != NULL && value[0] != '\0' ? value : NULL);
}

PhByteWriter
ph_rows_bytes(PhRows *rows, const char *column, Size size)
{
	bytea *bytes = MemoryContextAlloc(rows->scratch, VARHDRSZ + size);
	SET_VARSIZE(bytes, VARHDRSZ + size);
	fill(rows, column, BYTEAOID, PointerGetDatum(bytes));
	return (PhByteWriter){(uint8 *) VARDATA(bytes)};
}

void
ph_rows_ints(PhRows *rows, const char *column, const int32 *values, int count)
{
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	Datum *elements = palloc(sizeof(Datum) * Max(count, 1));
	for (int i = 0; i < count; i++)
		elements[i] = Int32GetDatum(values[i]);
	fill(rows, column, INT4ARRAYOID,
		 PointerGetDatum(construct_array(elements, count, INT4OID, 4, true, TYPALIGN_INT)));
	MemoryContextSwitchTo(old);
}

void
ph_rows_numbers(PhRows *rows, const char *column, const double *values, int count)
{
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	Datum *elements = palloc(sizeof(Datum) * Max(count, 1));
	for (int i = 0; i < count; i++)
		elements[i] = Float8GetDatum(values[i]);
	fill(rows, column, FLOAT8ARRAYOID,
		 PointerGetDatum(
			 construct_array(elements, count, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)));
	MemoryContextSwitchTo(old);
}

void
ph_rows_known_numbers(PhRows *rows, const char *column, const double *values, int count)
{
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	Datum *elements = palloc(sizeof(Datum) * Max(count, 1));
	bool *nulls = palloc(sizeof(bool) * Max(count, 1));
	int n_dimensions = count > 0 ? 1 : 0, first = 1;
	for (int i = 0; i < count; i++)
	{
		nulls[i] = isnan(values[i]);
		elements[i] = Float8GetDatum(values[i]);
	}
	fill(rows, column, FLOAT8ARRAYOID,
		 PointerGetDatum(construct_md_array(elements, nulls, n_dimensions, &count, &first,
											FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)));
	MemoryContextSwitchTo(old);
}

void
ph_rows_texts(PhRows *rows, const char *column, const char *const *values, int count)
{
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	Datum *elements = palloc(sizeof(Datum) * Max(count, 1));
	for (int i = 0; i < count; i++)
		elements[i] = CStringGetTextDatum(values[i]);
	fill(rows, column, TEXTARRAYOID,
		 PointerGetDatum(construct_array(elements, count, TEXTOID, -1, false, TYPALIGN_INT)));
	MemoryContextSwitchTo(old);
}

void
ph_rows_put(PhRows *rows)
{
	if (rows->n_filled != rows->descriptor->natts)
		elog(ERROR, "a row has %d values for %d columns", rows->n_filled, rows->descriptor->natts);
	CHECK_FOR_INTERRUPTS();
	tuplestore_putvalues(rows->store, rows->descriptor, rows->values, rows->nulls);
	rows->row++;
	rows->n_filled = 0;
	MemoryContextReset(rows->scratch);
}
