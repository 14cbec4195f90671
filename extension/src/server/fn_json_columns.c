/*
 * fn_json_columns.c - rows as one JSON object of columns.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "server/compat.h"

/* The columns of the rows so far; lives in the aggregate's memory. */
typedef struct JsonColumns
{
	Oid type; /* with typmod: of all rows */
	int32 typmod;
	TupleDesc descriptor;
	ArrayBuildState **arrays; /* by attribute */
	bool *has_value;
	Datum *values; /* of the row at hand */
	bool *nulls;
} JsonColumns;

static void
refuse_arrays(TupleDesc descriptor)
{
	for (int i = 0; i < descriptor->natts; i++)
		if (!TupleDescAttr(descriptor, i)->attisdropped &&
			OidIsValid(get_element_type(TupleDescAttr(descriptor, i)->atttypid)))
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							errmsg("column \"%s\" is an array",
								   NameStr(TupleDescAttr(descriptor, i)->attname)),
							errhint("Columns of single values become arrays; give it as jsonb.")));
}

/* The first row says which columns there are. */
static JsonColumns *
new_columns(HeapTupleHeader row, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	JsonColumns *columns = palloc0(sizeof(JsonColumns));
	columns->type = HeapTupleHeaderGetTypeId(row);
	columns->typmod = HeapTupleHeaderGetTypMod(row);
	TupleDesc descriptor = lookup_rowtype_tupdesc(columns->type, columns->typmod);
	columns->descriptor = CreateTupleDescCopy(descriptor);
	ReleaseTupleDesc(descriptor);
	refuse_arrays(columns->descriptor);
	columns->arrays = palloc0(sizeof(ArrayBuildState *) * columns->descriptor->natts);
	columns->has_value = palloc0(sizeof(bool) * columns->descriptor->natts);
	columns->values = palloc(sizeof(Datum) * columns->descriptor->natts);
	columns->nulls = palloc(sizeof(bool) * columns->descriptor->natts);
	MemoryContextSwitchTo(old);
	return columns;
}

static bool
is_dropped(const JsonColumns *columns, int i)
{
	return TupleDescAttr(columns->descriptor, i)->attisdropped;
}

/* A record's type says how its bytes are read, and each row may have one of its own. */
static void
require_same_type(const JsonColumns *columns, HeapTupleHeader row)
{
	if (HeapTupleHeaderGetTypeId(row) != columns->type ||
		HeapTupleHeaderGetTypMod(row) != columns->typmod)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("rows of different types have no columns in common"),
						errhint("Give all of them the same columns, of the same types.")));
}

static void
add_row(JsonColumns *columns, HeapTupleHeader row, MemoryContext context)
{
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	require_same_type(columns, row);
	heap_deform_tuple(&tuple, columns->descriptor, columns->values, columns->nulls);
	for (int i = 0; i < columns->descriptor->natts; i++)
	{
		if (is_dropped(columns, i))
			continue;
		columns->arrays[i] =
			accumArrayResult(columns->arrays[i], columns->values[i], columns->nulls[i],
							 TupleDescAttr(columns->descriptor, i)->atttypid, context);
		columns->has_value[i] = columns->has_value[i] || !columns->nulls[i];
	}
}

PH_FUNCTION(ph_json_columns_add)
{
	MemoryContext context;
	JsonColumns *columns = PG_ARGISNULL(0) ? NULL : (JsonColumns *) PG_GETARG_POINTER(0);
	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "ph_json_columns_add called outside of an aggregate");
	if (!PG_ARGISNULL(1))
	{
		HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(1);
		if (columns == NULL)
			columns = new_columns(row, context);
		add_row(columns, row, context);
	}
	if (columns == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(columns);
}

/* The state stays as it is: of a window, more rows come. */
static Datum
array_so_far(ArrayBuildState *state)
{
	int dims[1] = {state->nelems}, bounds[1] = {1};
	return makeMdArrayResult(state, 1, dims, bounds, CurrentMemoryContext, false);
}

static void
append_column(StringInfo json, const JsonColumns *columns, int i)
{
	if (json->len > 1)
		appendStringInfoChar(json, ',');
	escape_json(json, NameStr(TupleDescAttr(columns->descriptor, i)->attname));
	appendStringInfoChar(json, ':');
	if (!columns->has_value[i])
	{
		appendStringInfoString(json, "null");
		return;
	}
	text *values =
		DatumGetTextPP(DirectFunctionCall1(array_to_json, array_so_far(columns->arrays[i])));
	appendBinaryStringInfo(json, VARDATA_ANY(values), VARSIZE_ANY_EXHDR(values));
}

PH_FUNCTION(ph_json_columns)
{
	StringInfoData json;
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	JsonColumns *columns = (JsonColumns *) PG_GETARG_POINTER(0);
	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (int i = 0; i < columns->descriptor->natts; i++)
		if (!is_dropped(columns, i))
			append_column(&json, columns, i);
	appendStringInfoChar(&json, '}');
	PG_RETURN_TEXT_P(cstring_to_text_with_len(json.data, json.len));
}
