/*
 * blame.c - see blame.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/blame.h"

#include "pipeline/store/copy_table.h"
#include "queries.h"
#include "readers/input.h"

static PhStatus
note_blame(PhWorker *worker, int64_t run_id, const PhTraceRead *read, PhRunInput *input)
{
	bool is_known = read->no_blame[0] == '\0';
	PhParam params[2] = {ph_param_int(run_id), ph_param_text(is_known ? "true" : "false")};

	if (!ph_pq_execute(worker->db, ph_sql_load_note_blame, params, 2))
		return ph_refused(&worker->env, worker->db);
	if (is_known)
		return PH_OK;
	return ph_run_warn(&worker->env, input,
					   "not known who caused waits: %s; to find it: SELECT "
					   "perfhouse.assign_blame(%lld)",
					   read->no_blame, (long long) run_id);
}

static PhStatus
load_efficiency(PhWorker *worker, int64_t run_id, PhRunInput *input)
{
	PhParam run = ph_param_int(run_id);
	PhResult *rows = ph_pq_query(worker->db, ph_sql_load_efficiency, &run, 1);
	PhStatus status = PH_OK;

	if (rows == NULL)
		return ph_refused(&worker->env, worker->db);
	if (!ph_result_is_null(rows, 0, 0))
		status = ph_run_warn(&worker->env, input,
							 "efficiencies are estimated: %s; to compute them: SELECT "
							 "perfhouse.assign_efficiency(%lld)",
							 ph_result_text(rows, 0, 0), (long long) run_id);
	ph_result_free(rows);
	return status;
}

PhStatus
ph_load_blame(PhWorker *worker, int64_t run_id, const PhTraceRead *read, PhRunInput *input)
{
	PH_TRY(note_blame(worker, run_id, read, input));
	return load_efficiency(worker, run_id, input);
}
