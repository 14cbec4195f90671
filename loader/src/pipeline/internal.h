/*
 * internal.h - what the files of load.h share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_INTERNAL_H
#define PH_PIPELINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "pipeline/load.h"

/* Drop what is in the plan before; the order of what stays is that of the plan. */
PhStatus ph_load_drop_doubles(PhLoad *load, PhEnv *env) PH_MUST_CHECK;

/* One worker thread and what it owns. */
typedef struct PhWorker
{
	struct PhCrew *crew;
	PhEnv env;
	PhConnection *db; /* NULL until it has something to store */
	PhConnection
		*helper; /* for the dictionary while db is in a transaction; NULL: not needed yet */
	PhPqError last_error; /* of a connection that is closed */
	pthread_t thread;
	bool is_started;
} PhWorker;

/* The workers of one phase. */
typedef struct PhCrew
{
	PhLoad *load;
	void (*work)(PhWorker *worker);
	PhDictionary *dictionary;
	PhWorker *workers;
	uint32_t n_workers;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a worker ended */
	pthread_mutex_t big;	/* held while a large experiment is in memory */
	size_t next;			/* job to take next */
	uint32_t n_running;
	uint64_t total_bytes;
	atomic_ullong done_bytes;
	const char *_Atomic doing; /* with the trace that a worker has read; NULL: reading */
	atomic_bool stop;		   /* interrupted, or an error that hits everybody */
} PhCrew;

/* The job failed as env->error says; db: the connection when the database refused, else NULL. */
void ph_job_fail(PhLoadJob *job, const PhEnv *env, const PhPqError *error);

/*
 * Keep for the job how complete its input is. PH_ERR_FORMAT when it lacks something and the load
 * does not allow that. A trace is asked again when its events were read.
 */
PhStatus ph_job_check_complete(PhWorker *worker, PhLoadJob *job,
							   const PhRunInput *input) PH_MUST_CHECK;

/* Work of the second phase: read and store. */
void ph_worker_load(PhWorker *worker);

/* Sizes and modification times of the experiment's files, as one number. */
uint64_t ph_experiment_stamp(const PhExperiment *experiment);

/* What is stored of the job's run, but for what only a profile has: metric_ids and seconds. */
static inline PhStoreRun
ph_job_store_run(const PhWorker *worker, const PhLoadJob *job, const PhRunInput *input,
				 const PhRunRecord *record)
{
	const PhLoadOptions *options = &worker->crew->load->options;

	return (PhStoreRun){
		.fingerprint = job->fingerprint,
		.reader = job->experiment->reader,
		.bytes = job->bytes,
		.tags = options->tags,
		.if_exists = options->if_exists,
		.run_id = job->run_id,
		.replace_id = job->replace_id,
		.repeat = job->repeat,
		.input = input,
		.record = record,
	};
}

#endif
