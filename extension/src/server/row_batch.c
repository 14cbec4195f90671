/*
 * row_batch.c - many rows by one statement: starting one costs more than a row.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "server/compat.h"
#include "server/row_batch.h"

void
ph_batch_begin(PhRowBatch *batch, int64 run_id, const char *sql, int n_columns, const Oid *types)
{
	Oid arguments[PH_BATCH_COLUMNS + 1] = {INT8OID};
	memset(batch, 0, sizeof(*batch));
	batch->run_id = run_id;
	batch->n_columns = n_columns;
	batch->rows =
		AllocSetContextCreate(CurrentMemoryContext, "perfhouse batch", ALLOCSET_DEFAULT_SIZES);
	for (int c = 0; c < n_columns; c++)
	{
		batch->types[c] = types[c];
		batch->values[c] = palloc(sizeof(Datum) * PH_BATCH_ROWS);
		arguments[c + 1] = get_array_type(types[c]);
	}
	batch->plan = SPI_prepare(sql, n_columns + 1, arguments);
	if (batch->plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
}

static void
put_datum(PhRowBatch *batch, int column, Datum value)
{
	Assert(column >= 0 && column < batch->n_columns);
	batch->values[column][batch->n_rows] = value;
	batch->n_filled++;
}

void
ph_batch_int(PhRowBatch *batch, int column, int32 value)
{
	put_datum(batch, column, Int32GetDatum(value));
}

void
ph_batch_bigint(PhRowBatch *batch, int column, int64 value)
{
	put_datum(batch, column, Int64GetDatum(value));
}

void
ph_batch_text(PhRowBatch *batch, int column, const char *value)
{
	ph_batch_bytes(batch, column, (PhBytes){(const uint8_t *) value, strlen(value)});
}

void
ph_batch_bytes(PhRowBatch *batch, int column, PhBytes bytes)
{
	struct varlena *value = MemoryContextAlloc(batch->rows, VARHDRSZ + bytes.size);
	SET_VARSIZE(value, VARHDRSZ + bytes.size);
	if (bytes.size > 0)
		memcpy(VARDATA(value), bytes.data, bytes.size);
	batch->bytes += bytes.size;
	put_datum(batch, column, PointerGetDatum(value));
}

void
ph_batch_put(PhRowBatch *batch)
{
	if (batch->n_filled != batch->n_columns)
		elog(ERROR, "a row has %d of %d columns", batch->n_filled, batch->n_columns);
	batch->n_filled = 0;
	batch->n_rows++;
	if (batch->n_rows == PH_BATCH_ROWS || batch->bytes >= PH_BATCH_BYTES)
		ph_batch_end(batch);
}

static Datum
column_array(const PhRowBatch *batch, int column)
{
	int16 length;
	bool by_value;
	char alignment;
	get_typlenbyvalalign(batch->types[column], &length, &by_value, &alignment);
	return PointerGetDatum(construct_array(batch->values[column], batch->n_rows,
										   batch->types[column], length, by_value, alignment));
}

void
ph_batch_end(PhRowBatch *batch)
{
	Datum arguments[PH_BATCH_COLUMNS + 1] = {Int64GetDatum(batch->run_id)};
	CHECK_FOR_INTERRUPTS();
	if (batch->n_rows == 0)
		return;
	MemoryContext old = MemoryContextSwitchTo(batch->rows);
	for (int c = 0; c < batch->n_columns; c++)
		arguments[c + 1] = column_array(batch, c);
	MemoryContextSwitchTo(old);
	int result = SPI_execute_plan(batch->plan, arguments, NULL, false, 0);
	if (result != SPI_OK_INSERT)
		elog(ERROR, "inserting rows failed: %s", SPI_result_code_string(result));
	MemoryContextReset(batch->rows);
	batch->n_rows = 0;
	batch->bytes = 0;
}
