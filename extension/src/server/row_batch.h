/*
 * row_batch.h - rows to insert, collected as arrays of columns and inserted by one statement.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVER_ROW_BATCH_H
#define PH_SERVER_ROW_BATCH_H

#include "postgres.h"

#include "executor/spi.h"

#include "base/bytes.h"

#define PH_BATCH_COLUMNS 20
#define PH_BATCH_ROWS 1024
#define PH_BATCH_BYTES (4 << 20)

typedef struct PhRowBatch
{
	int64 run_id;
	SPIPlanPtr plan;
	MemoryContext rows; /* of the rows that wait */
	int n_columns, n_rows;
	int n_filled; /* columns of the row under way */
	Size bytes;
	Oid types[PH_BATCH_COLUMNS];
	Datum *values[PH_BATCH_COLUMNS];
} PhRowBatch;

/*
 * Under SPI_connect. sql inserts what waits, $1 being the run and $2, $3, … arrays of the columns,
 * whose types are given.
 */
void ph_batch_begin(PhRowBatch *batch, int64 run_id, const char *sql, int n_columns,
					const Oid *types);

/* Fill a column of the row, counted from 0: PH_SLOT of base/warehouse_columns.h. */
void ph_batch_int(PhRowBatch *batch, int column, int32 value);
void ph_batch_bigint(PhRowBatch *batch, int column, int64 value);
void ph_batch_text(PhRowBatch *batch, int column, const char *value);
void ph_batch_bytes(PhRowBatch *batch, int column, PhBytes bytes);

/* The row has all its columns; inserts what waits when that is much. */
void ph_batch_put(PhRowBatch *batch);

/* Insert what waits. */
void ph_batch_end(PhRowBatch *batch);

#endif
