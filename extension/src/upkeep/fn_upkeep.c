/*
 * fn_upkeep.c - removing a stored run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"

#include "server/compat.h"
#include "server/query_rows.h"

static const char lock_sql[] = "SELECT FROM perfhouse.run WHERE run_id = $1 FOR UPDATE";
static const char mark_sql[] =
	"UPDATE perfhouse.run SET state = 'failed' WHERE run_id = $1 AND state = 'ready'"
	" RETURNING perfhouse_internal.notify_run(run_id, application, 'dropped')";
static const char clear_sql[] = "SELECT perfhouse.clear_run($1)";
static const char delete_sql[] = "DELETE FROM perfhouse.run WHERE run_id = $1";

/* Number of rows that the statement found or changed. */
static uint64
execute_with_run(const char *sql, Datum run)
{
	Oid type = INT8OID;
	int result = SPI_execute_with_args(sql, 1, &type, &run, NULL, false, 0);
	if (result < 0)
		elog(ERROR, "removing a run failed: %s", SPI_result_code_string(result));
	return SPI_processed;
}

/*
 * The lock comes first, so that a loader that replaces the run has ended before its rows are looked
 * for; the run's row goes last, because policies of row-level security see the others through it.
 * A ready run is marked first: clear_run takes no others.
 */
PH_FUNCTION(ph_drop_run)
{
	Datum run = PG_GETARG_DATUM(0);
	ph_require_warehouse();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	bool found = execute_with_run(lock_sql, run) > 0;
	if (found)
	{
		execute_with_run(mark_sql, run);
		execute_with_run(clear_sql, run);
		execute_with_run(delete_sql, run);
	}
	SPI_finish();
	PG_RETURN_BOOL(found);
}
