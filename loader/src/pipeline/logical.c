/*
 * logical.c - see logical.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/logical.h"

#include "logical/logical.h"
#include "logical/metrics.h"
#include "pipeline/store/logical.h"
#include "queries.h"
#include "readers/input.h"

static bool
assign_steps(PhConnection *db, PhLoadJob *job)
{
	PhParam run_id = ph_param_int(job->stored_id);
	PhResult *rows;

	if (!ph_pq_begin(db))
		return false;
	rows = ph_pq_query(db, ph_sql_load_assign_logical_steps, &run_id, 1);
	if (rows == NULL)
		return false;
	job->trace.n_comm_events = (uint64_t) ph_result_int(rows, 0, 0);
	job->trace.n_phases = (uint64_t) ph_result_int(rows, 0, 1);
	job->trace.last_step = ph_result_int(rows, 0, 2);
	job->trace.has_steps = true;
	ph_result_free(rows);
	return ph_pq_commit(db);
}

static PhStatus
warn(PhWorker *worker, PhLoadJob *job, PhRunInput *input, int64_t run_id, const char *why)
{
	job->trace.has_steps = false;
	return ph_run_warn(&worker->env, input,
					   "no logical steps: %s; to assign them: SELECT "
					   "perfhouse.assign_logical_steps(%lld)",
					   why, (long long) run_id);
}

PhStatus
ph_load_logical_later(PhWorker *worker, PhLoadJob *job, PhRunInput *input)
{
	PhConnection *db = worker->db;

	if (assign_steps(db, job))
		return PH_OK;
	ph_pq_rollback(db);
	return warn(worker, job, input, job->stored_id, db->error.message);
}

/* ---- found here ---- */

/* All that logical time of a trace consists of; what was not made is zeroed. */
typedef struct Structure
{
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalMetrics metrics;
} Structure;

static PhStatus
find_structure(PhEnv *env, PhTraceRead *read, Structure *out)
{
	PhLogicalOptions options;

	ph_logical_options_default(&options);
	PH_TRY(ph_trace_read_logical(read, &out->model));
	PH_TRY(ph_logical_build(env, &out->model, &options, &out->logical));
	return ph_logical_metrics_build(env, &out->logical, &out->metrics);
}

static void
free_structure(Structure *structure)
{
	ph_logical_metrics_free(&structure->metrics);
	ph_logical_free(&structure->logical);
	ph_logical_model_free(&structure->model);
}

static PhStatus
store_structure(PhWorker *worker, PhLoadJob *job, const PhTraceModel *trace, int64_t run_id,
				const Structure *found)
{
	job->trace.n_comm_events = found->model.n_events;
	job->trace.n_phases = found->logical.n_phases;
	job->trace.last_step = found->logical.last_step;
	job->trace.n_inferred = found->model.notes.inferred_collectives;
	job->trace.n_not_inferred = found->model.notes.unknown_collectives;
	job->trace.has_steps = true;
	return ph_store_logical(&worker->env, worker->db, run_id, trace, &found->metrics);
}

PhStatus
ph_load_logical(PhWorker *worker, PhLoadJob *job, int64_t run_id, PhRunInput *input,
				PhTraceRead *read)
{
	Structure found = {0};
	PhStatus status;

	if (read->logical == NULL)
		return read->no_steps[0] == '\0' ? PH_OK : warn(worker, job, input, run_id, read->no_steps);
	status = find_structure(&worker->env, read, &found);
	if (status == PH_OK)
		status = store_structure(worker, job, &input->trace->model, run_id, &found);
	else if (status != PH_ERR_INTERRUPTED)
		status = warn(worker, job, input, run_id, worker->env.error.message);
	free_structure(&found);
	return status;
}
