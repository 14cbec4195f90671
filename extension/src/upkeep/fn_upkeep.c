/*
 * fn_upkeep.c - removing a stored run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "executor/spi.h"

#include "server/compat.h"
#include "server/query_rows.h"

static const char lock_sql[] = "SELECT FROM perfhouse.run WHERE run_id = $1 FOR UPDATE";
static const char tell_sql[] =
	"SELECT perfhouse_internal.notify_run(run_id, application, 'dropped') FROM perfhouse.run"
	" WHERE run_id = $1 AND state = 'ready'";
static const char mark_sql[] =
	"UPDATE perfhouse.run SET state = 'failed' WHERE run_id = $1 AND state = 'ready'";
static const char clear_sql[] = "SELECT perfhouse.clear_run($1)";
static const char delete_sql[] = "DELETE FROM perfhouse.run WHERE run_id = $1";

/*
 * The lock comes first, so that a loader that replaces the run has ended before its rows are looked
 * for; the run's row goes last, because policies of row-level security see the others through it.
 * A ready run is marked first: clear_run takes no others.
 */
PH_FUNCTION(ph_drop_run)
{
	int64 run = PG_GETARG_INT64(0);
	ph_require_warehouse();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	bool found = ph_execute_with_run(lock_sql, run) > 0;
	if (found)
	{
		ph_execute_with_run(tell_sql, run);
		ph_execute_with_run(mark_sql, run);
		ph_execute_with_run(clear_sql, run);
		ph_execute_with_run(delete_sql, run);
	}
	SPI_finish();
	PG_RETURN_BOOL(found);
}
