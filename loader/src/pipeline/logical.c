/*
 * logical.c - see logical.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/logical.h"

#include <pthread.h>
#include <stdatomic.h>

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

struct PhLogicalSearch
{
	PhWorker *worker;
	PhTraceRead *read;
	pthread_t thread;
	bool is_beside;	  /* the thread is to be joined */
	atomic_bool stop; /* nobody wants the answer any more */
	PhStatus status;
	PhLogicalModel model; /* what was not made is zeroed */
	PhLogical logical;
	PhLogicalMetrics metrics;
};

static bool
search_stopped(void *user)
{
	PhLogicalSearch *search = user;
	const PhEnv *env = &search->worker->env;

	return atomic_load(&search->stop) || (env->interrupt != NULL && env->interrupt(env->user));
}

static PhStatus
find_structure(PhLogicalSearch *search)
{
	PhEnv *env = search->read->steps_env;
	PhLogicalOptions options;

	ph_logical_options_default(&options);
	PH_TRY(ph_trace_read_logical(search->read, &search->model));
	PH_TRY(ph_logical_build(env, &search->model, &options, &search->logical));
	return ph_logical_metrics_build(env, &search->logical, &search->metrics);
}

static void *
run_search(void *user)
{
	PhLogicalSearch *search = user;

	search->status = find_structure(search);
	return NULL;
}

PhStatus
ph_logical_search_begin(PhWorker *worker, PhTraceRead *read, bool is_beside, PhLogicalSearch **out)
{
	PhLogicalSearch *search;
	void *memory;

	*out = NULL;
	if (read->logical == NULL)
		return PH_OK;
	PH_TRY(ph_env_alloc(&worker->env, 1, sizeof(*search), &memory));
	*out = search = memory;
	search->worker = worker;
	search->read = read;
	read->steps_env->interrupt = search_stopped;
	read->steps_env->user = search;
	search->is_beside = is_beside && pthread_create(&search->thread, NULL, run_search, search) == 0;
	return PH_OK;
}

/* Whoever does it, it is done then. */
static PhStatus
await_search(PhLogicalSearch *search)
{
	if (search->is_beside)
		pthread_join(search->thread, NULL);
	else
		run_search(search);
	search->is_beside = false;
	return search->status;
}

static void
free_structure(PhLogicalSearch *search)
{
	ph_logical_metrics_free(&search->metrics);
	ph_logical_free(&search->logical);
	ph_logical_model_free(&search->model);
}

void
ph_logical_search_free(PhLogicalSearch *search)
{
	if (search == NULL)
		return;
	atomic_store(&search->stop, true);
	if (search->is_beside)
		pthread_join(search->thread, NULL);
	free_structure(search);
	ph_env_free(&search->worker->env, search, 1, sizeof(*search));
}

static PhStatus
store_structure(PhWorker *worker, PhLoadJob *job, const PhTraceModel *trace, int64_t run_id,
				const PhLogicalSearch *found)
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
				PhTraceRead *read, PhLogicalSearch *search)
{
	PhStatus status;

	if (search == NULL)
		return read->no_steps[0] == '\0' ? PH_OK : warn(worker, job, input, run_id, read->no_steps);
	status = await_search(search);
	ph_trace_read_drop_stored_links(read);
	if (status == PH_OK)
		status = store_structure(worker, job, &input->trace->model, run_id, search);
	else if (status == PH_ERR_INTERRUPTED)
		worker->env.error = read->steps_env->error;
	else
		status = warn(worker, job, input, run_id, read->steps_env->error.message);
	free_structure(search);
	return status;
}
