/*
 * load_logical.c - see load_logical.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "load_logical.h"

#include "input.h"
#include "queries.h"

static bool
assign_steps(PhConnection *db, PhLoadJob *job)
{
	PhParam run_id = ph_param_int(job->stored_id);
	PhResult *rows;

	if (!ph_pq_begin(db))
		return false;
	rows = ph_pq_query(db, ph_sql_assign_logical_steps, &run_id, 1);
	if (rows == NULL)
		return false;
	job->trace.n_comm_events = (uint64_t) ph_result_int(rows, 0, 0);
	job->trace.n_phases = (uint64_t) ph_result_int(rows, 0, 1);
	job->trace.last_step = ph_result_int(rows, 0, 2);
	job->trace.has_steps = true;
	ph_result_free(rows);
	return ph_pq_commit(db);
}

PhStatus
ph_load_logical(PhWorker *worker, PhLoadJob *job, PhRunInput *input)
{
	PhConnection *db = worker->db;

	if (assign_steps(db, job))
		return PH_OK;
	job->trace.has_steps = false;
	ph_pq_rollback(db);
	return ph_run_warn(&worker->env, input,
					   "no logical steps: %s; to assign them: SELECT "
					   "perfhouse.assign_logical_steps(%lld)",
					   db->error.message, (long long) job->stored_id);
}
