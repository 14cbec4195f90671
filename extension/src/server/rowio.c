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

#include "server/rowio.h"

void
ph_rows_begin(PhRows *rows, FunctionCallInfo fcinfo, int n_columns)
{
	InitMaterializedSRF(fcinfo, 0);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	if (result->setDesc->natts != n_columns || n_columns > PH_ROW_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("function returns %d columns, but its declaration has %d", n_columns,
						result->setDesc->natts),
				 errhint("Run ALTER EXTENSION perfhouse UPDATE to match the installed library.")));
	rows->store = result->setResult;
	rows->descriptor = result->setDesc;
	rows->scratch =
		AllocSetContextCreate(CurrentMemoryContext, "perfhouse row", ALLOCSET_DEFAULT_SIZES);
	rows->n_columns = n_columns;
	rows->next = 0;
}

void
ph_rows_datum(PhRows *rows, Datum value)
{
	Assert(rows->next < rows->n_columns);
	rows->values[rows->next] = value;
	rows->nulls[rows->next++] = false;
}

void
ph_rows_null(PhRows *rows)
{
	Assert(rows->next < rows->n_columns);
	rows->values[rows->next] = (Datum) 0;
	rows->nulls[rows->next++] = true;
}

void
ph_rows_int(PhRows *rows, int32 value)
{
	ph_rows_datum(rows, Int32GetDatum(value));
}

void
ph_rows_index(PhRows *rows, uint32 value)
{
	if (value == PH_NONE)
		ph_rows_null(rows);
	else
		ph_rows_int(rows, (int32) value);
}

void
ph_rows_known(PhRows *rows, int32 value)
{
	if (value == PH_NO_NUMBER)
		ph_rows_null(rows);
	else
		ph_rows_int(rows, value);
}

void
ph_rows_bigint(PhRows *rows, int64 value)
{
	ph_rows_datum(rows, Int64GetDatum(value));
}

void
ph_rows_bigint_unless(PhRows *rows, int64 value, int64 null)
{
	if (value == null)
		ph_rows_null(rows);
	else
		ph_rows_bigint(rows, value);
}

void
ph_rows_number(PhRows *rows, double value)
{
	if (isnan(value))
		ph_rows_null(rows);
	else
		ph_rows_datum(rows, Float8GetDatum(value));
}

void
ph_rows_bool(PhRows *rows, bool value)
{
	ph_rows_datum(rows, BoolGetDatum(value));
}

void
ph_rows_text(PhRows *rows, const char *value)
{
	if (value == NULL)
	{
		ph_rows_null(rows);
		return;
	}
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	ph_rows_datum(rows, CStringGetTextDatum(value));
	MemoryContextSwitchTo(old);
}

void
ph_rows_name(PhRows *rows, const char *value)
{
	ph_rows_text(rows, value != NULL && value[0] != '\0' ? value : NULL);
}

static void
put_array(PhRows *rows, Datum *elements, int count, Oid type, int length, bool by_value, char align)
{
	ph_rows_datum(rows,
				  PointerGetDatum(construct_array(elements, count, type, length, by_value, align)));
}

void
ph_rows_ints(PhRows *rows, const int32 *values, int count)
{
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	Datum *elements = palloc(sizeof(Datum) * Max(count, 1));
	for (int i = 0; i < count; i++)
		elements[i] = Int32GetDatum(values[i]);
	put_array(rows, elements, count, INT4OID, 4, true, TYPALIGN_INT);
	MemoryContextSwitchTo(old);
}

void
ph_rows_numbers(PhRows *rows, const double *values, int count)
{
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	Datum *elements = palloc(sizeof(Datum) * Max(count, 1));
	for (int i = 0; i < count; i++)
		elements[i] = Float8GetDatum(values[i]);
	put_array(rows, elements, count, FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	MemoryContextSwitchTo(old);
}

void
ph_rows_known_numbers(PhRows *rows, const double *values, int count)
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
	ph_rows_datum(
		rows, PointerGetDatum(construct_md_array(elements, nulls, n_dimensions, &count, &first,
												 FLOAT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)));
	MemoryContextSwitchTo(old);
}

void
ph_rows_texts(PhRows *rows, const char *const *values, int count)
{
	MemoryContext old = MemoryContextSwitchTo(rows->scratch);
	Datum *elements = palloc(sizeof(Datum) * Max(count, 1));
	for (int i = 0; i < count; i++)
		elements[i] = CStringGetTextDatum(values[i]);
	put_array(rows, elements, count, TEXTOID, -1, false, TYPALIGN_INT);
	MemoryContextSwitchTo(old);
}

void
ph_rows_put(PhRows *rows)
{
	Assert(rows->next == rows->n_columns);
	CHECK_FOR_INTERRUPTS();
	tuplestore_putvalues(rows->store, rows->descriptor, rows->values, rows->nulls);
	rows->next = 0;
	MemoryContextReset(rows->scratch);
}
