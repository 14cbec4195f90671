/*
 * blame.c - see blame.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/blame.h"

#include "pipeline/store/copy_table.h"
#include "queries.h"
#include "readers/input.h"

PhStatus
ph_load_blame(PhWorker *worker, int64_t run_id, PhRunInput *input)
{
	PhParam run = ph_param_int(run_id);
	PhResult *rows = ph_pq_query(worker->db, ph_sql_load_blame, &run, 1);
	PhStatus status = PH_OK;

	if (rows == NULL)
		return ph_refused(&worker->env, worker->db);
	if (!ph_result_is_null(rows, 0, 0))
		status = ph_run_warn(&worker->env, input,
							 "not known who caused waits: %s; to find it: SELECT "
							 "perfhouse.assign_blame(%lld)",
							 ph_result_text(rows, 0, 0), (long long) run_id);
	ph_result_free(rows);
	return status;
}
