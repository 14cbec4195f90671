/*
 * fn_upkeep.c - removing a stored run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"

#include "compat.h"
#include "query_rows.h"

/* The rows by run go with it: their foreign keys cascade. */
PH_FUNCTION(ph_drop_run)
{
	Oid type = INT8OID;
	Datum run = PG_GETARG_DATUM(0);
	ph_require_warehouse();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	int result = SPI_execute_with_args("DELETE FROM perfhouse.run WHERE run_id = $1", 1, &type,
									   &run, NULL, false, 0);
	if (result != SPI_OK_DELETE)
		elog(ERROR, "delete failed: %s", SPI_result_code_string(result));
	bool dropped = SPI_processed > 0;
	SPI_finish();
	PG_RETURN_BOOL(dropped);
}
