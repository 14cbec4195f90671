/*
 * worker.c - what one worker does: take neighbours from the plan, read them, store them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pipeline/hide.h"
#include "pipeline/internal.h"
#include "pipeline/logical.h"
#include "pipeline/records.h"
#include "pipeline/slurm.h"
#include "pipeline/source_units.h"
#include "pipeline/trace.h"
#include "readers/input.h"
#include "system/memory.h"

#define BATCH_JOBS 64
#define BATCH_BYTES ((uint64_t) 1 << 20)
#define LEAST_BYTES ((uint64_t) 64 << 10) /* are not worth another transaction */
#define BIG_BYTES ((uint64_t) 32 << 20)	  /* larger experiments are held one at a time */
#define MOST_ATTEMPTS 5

/* One job of a batch while it is in memory. */
typedef struct Loaded
{
	PhLoadJob *job;
	PhRunInput input;
	PhRunRecord record;
	PhArena names; /* hidden ones */
	int32_t *metric_ids;
	double seconds;
} Loaded;

typedef struct Batch
{
	PhLoadJob *jobs[BATCH_JOBS];
	uint32_t n_jobs;
	Loaded loaded[BATCH_JOBS];
	uint32_t n_loaded;
} Batch;

static bool take_batch(PhCrew *crew, Batch *batch);
static PhStatus read_job(PhWorker *worker, PhLoadJob *job, Loaded *out);
static bool make_ready(PhWorker *worker, Loaded *loaded);
static void load_trace(PhWorker *worker, Loaded *loaded);
static void store_batch(PhWorker *worker, Loaded *loaded, uint32_t n);
static void forget(PhWorker *worker, Loaded *loaded);
static void job_failed(PhWorker *worker, PhLoadJob *job, const PhPqError *error);

void
ph_job_fail(PhLoadJob *job, const PhEnv *env, const PhPqError *error)
{
	const PhError *why = &env->error;
	const char *path = job->experiment->path;
	bool names_file = strstr(why->message, path) != NULL;

	job->outcome = PH_OUTCOME_FAILED;
	job->failure.status = why->status == PH_OK ? PH_ERR_INTERNAL : why->status;
	if (error != NULL)
		job->failure.db = *error;
	snprintf(job->failure.message, sizeof(job->failure.message), "%s%s%s", names_file ? "" : path,
			 names_file ? "" : ": ", why->message);
	snprintf(job->failure.hint, sizeof(job->failure.hint), "%s", why->hint);
}

static void
load_batch(PhWorker *worker, Batch *batch)
{
	for (uint32_t i = 0; i < batch->n_jobs; i++)
	{
		Loaded *loaded = &batch->loaded[batch->n_loaded];

		if (read_job(worker, batch->jobs[i], loaded) != PH_OK)
			job_failed(worker, batch->jobs[i], NULL);
		else if (!make_ready(worker, loaded))
			forget(worker, loaded);
		else if (loaded->input.trace != NULL)
			load_trace(worker, loaded);
		else
			batch->n_loaded++;
	}
	if (worker->crew->load->options.dry_run)
	{
		for (uint32_t i = 0; i < batch->n_loaded; i++)
			batch->loaded[i].job->outcome = PH_OUTCOME_LOADED;
	}
	else if (batch->n_loaded > 0)
		store_batch(worker, batch->loaded, batch->n_loaded);
	for (uint32_t i = 0; i < batch->n_loaded; i++)
		forget(worker, &batch->loaded[i]);
	for (uint32_t i = 0; i < batch->n_jobs; i++)
		atomic_fetch_add(&worker->crew->done_bytes,
						 batch->jobs[i]->bytes - atomic_load(&batch->jobs[i]->reported_bytes));
}

void
ph_worker_load(PhWorker *worker)
{
	Batch *batch = ph_must_alloc(1, sizeof(*batch));

	while (take_batch(worker->crew, batch))
	{
		bool is_big = batch->jobs[0]->bytes >= BIG_BYTES;

		if (is_big)
			pthread_mutex_lock(&worker->crew->big);
		load_batch(worker, batch);
		if (is_big)
			pthread_mutex_unlock(&worker->crew->big);
		memset(batch, 0, sizeof(*batch));
	}
	free(batch);
}

static void
job_failed(PhWorker *worker, PhLoadJob *job, const PhPqError *error)
{
	ph_job_fail(job, &worker->env, error);
	if (worker->crew->load->options.stop_on_error)
		atomic_store(&worker->crew->stop, true);
}

/*
 * Takes the next jobs of the plan: at most BATCH_JOBS, BATCH_BYTES (but one job of any size), and
 * half of an equal share of what is left (but LEAST_BYTES), so that batches become smaller towards
 * the end and all workers finish at about the same time. Files of a folder are neighbours in the
 * plan, so a batch is mostly of one experiment series with the same dictionary. False: nothing is
 * left.
 */
static bool
take_batch(PhCrew *crew, Batch *batch)
{
	PhLoad *load = crew->load;
	uint64_t bytes = 0;
	size_t fair;

	pthread_mutex_lock(&crew->lock);
	fair = (load->n_jobs - crew->next) / (2 * (size_t) crew->n_workers) + 1;
	while (crew->next < load->n_jobs && batch->n_jobs < BATCH_JOBS &&
		   (batch->n_jobs < fair || bytes < LEAST_BYTES) && !atomic_load(&crew->stop))
	{
		PhLoadJob *job = &load->jobs[crew->next];

		if (batch->n_jobs > 0 && bytes + job->bytes > BATCH_BYTES)
			break;
		crew->next++;
		if (job->outcome != PH_OUTCOME_NONE || job->twin != NULL)
			continue;
		batch->jobs[batch->n_jobs++] = job;
		bytes += job->bytes;
	}
	pthread_mutex_unlock(&crew->lock);
	return batch->n_jobs > 0;
}

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

static void
keep_warnings(const PhRunInput *input, PhLoadJob *job)
{
	job->warnings = ph_must_alloc(input->n_warnings, sizeof(*job->warnings));
	for (size_t i = 0; i < input->n_warnings; i++)
		job->warnings[job->n_warnings++] = ph_strdup(input->warnings[i]);
}

/* The run's row: what is given for it, the file and the environment say. */
static PhStatus
make_record(PhWorker *worker, PhLoadJob *job, Loaded *out)
{
	const PhLoadOptions *options = &worker->crew->load->options;
	PhRunInput given = {0}; /* for its metadata */
	char *warning;
	PhStatus status = ph_given_collect(&worker->env, &options->given, job->experiment->path,
									   &given.meta, &warning);

	if (status == PH_OK && warning != NULL)
		status = ph_run_warn(&worker->env, &out->input, "%s", warning);
	if (status == PH_OK)
		status = ph_run_record_make(&worker->env, &out->input, job->experiment->path, &given.meta,
									options->environment, &out->record);
	free(warning);
	ph_run_input_free(&worker->env, &given);
	return status;
}

/* Says where the batch job and the file differ. */
static PhStatus
compare_with_batch_job(PhWorker *worker, Loaded *loaded)
{
	const PhRunInput *input = &loaded->input;
	PhUnits units = {.n_ranks = loaded->job->trace.n_ranks};
	PhStatus status = PH_OK;
	PhArena arena;

	if (worker->crew->load->options.environment == NULL)
		return PH_OK;
	ph_arena_init(&arena, &worker->env);
	if (input->n_ranks != PH_NO_NUMBER && input->n_ranks > 0)
		units.n_ranks = (uint32_t) input->n_ranks;
	else if (input->profile != NULL)
		status = ph_units_find(&arena, input->profile, &units);
	if (status == PH_OK)
		status = ph_slurm_compare(&worker->env, worker->crew->load->options.environment,
								  units.n_ranks, &loaded->input);
	ph_arena_drop(&arena);
	return status;
}

/* What follows reading: has the file stayed the same, and what is it? */
static PhStatus
describe(PhWorker *worker, PhLoadJob *job, Loaded *out)
{
	const PhProfile *profile;
	void *memory;

	PH_TRY(ph_job_check_complete(worker, job, &out->input));
	PH_TRY(ph_record_apply(&worker->env, job->record, &out->input));
	PH_TRY(ph_source_units_convert(&worker->env, &out->input));
	PH_TRY(make_record(worker, job, out));
	if (out->input.trace != NULL)
		return PH_OK;
	profile = out->input.profile;
	job->n_nodes = profile->n_nodes;
	job->n_columns = profile->n_columns;
	job->n_metrics = profile->n_metrics;
	if (ph_experiment_stamp(job->experiment) != job->stamp)
		return ph_fail_hint(&worker->env, PH_ERR_VALUE, "Load it again when nobody writes to it.",
							"%s: changed while it was read", job->experiment->path);
	PH_TRY(compare_with_batch_job(worker, out));
	keep_warnings(&out->input, job);
	PH_TRY(ph_env_alloc(&worker->env, profile->n_metrics, sizeof(*out->metric_ids), &memory));
	out->metric_ids = memory;
	return PH_OK;
}

static PhStatus
read_job(PhWorker *worker, PhLoadJob *job, Loaded *out)
{
	const PhLoadOptions *options = &worker->crew->load->options;
	PhReadOptions read = {.module_map = options->module_map,
						  .source_root = options->source_root,
						  .clock_offsets = options->clock_offsets,
						  .n_threads = options->n_workers,
						  .logical_clock = options->logical_clock};
	double start = now();
	PhStatus status;

	*out = (Loaded){.job = job};
	ph_arena_init(&out->names, &worker->env);
	worker->env.error = (PhError){0};
	PH_TRY(ph_experiment_read(&worker->env, job->experiment, &read, &out->input));
	status = describe(worker, job, out);
	out->seconds = job->seconds = now() - start;
	if (status != PH_OK)
		forget(worker, out);
	return status;
}

static void
forget(PhWorker *worker, Loaded *loaded)
{
	const PhProfile *profile = loaded->input.profile;

	ph_run_record_free(&loaded->record);
	if (loaded->metric_ids != NULL)
		ph_env_free(&worker->env, loaded->metric_ids, profile->n_metrics, sizeof(int32_t));
	ph_run_input_free(&worker->env, &loaded->input);
	ph_arena_drop(&loaded->names);
	*loaded = (Loaded){0};
}

/* ---- storing ---- */

static bool
ensure_connection(PhWorker *worker, PhPqError *error)
{
	const PhLoadOptions *options = &worker->crew->load->options;

	if (worker->db == NULL)
		worker->db = options->open(options->user, error);
	return worker->db != NULL;
}

/*
 * True when the next run would meet the same error: the connection or the server is gone (SQLSTATE
 * classes 08, 57, 58), resources are short (53), a transaction is broken (25), rights or the schema
 * are wrong (28, 42), or the server has a bug (XX). The load then stops instead of failing run by
 * run.
 */
static bool
concerns_everybody(const PhPqError *error)
{
	static const char *const classes[] = {"08", "57", "53", "58", "25", "28", "42", "XX", NULL};

	if (error->code == PH_EXIT_UNREACHABLE || error->code == PH_EXIT_INTERRUPTED)
		return true;
	for (size_t i = 0; classes[i] != NULL; i++)
	{
		if (strncmp(error->sqlstate, classes[i], 2) == 0)
			return true;
	}
	return false;
}

static bool
is_worth_retrying(const PhPqError *error)
{
	return strcmp(error->sqlstate, "40P01") == 0 || strcmp(error->sqlstate, "40001") == 0;
}

static void
all_failed(PhWorker *worker, Loaded *loaded, uint32_t n, const PhPqError *error)
{
	for (uint32_t i = 0; i < n; i++)
		job_failed(worker, loaded[i].job, error);
	if (error != NULL && concerns_everybody(error))
		atomic_store(&worker->crew->stop, true);
}

/*
 * A connection for what was read, and nothing in it that is to be hidden. False: the job failed.
 * Metadata are hidden by the warehouse, which knows the names of hosts while they are there.
 */
static bool
make_ready(PhWorker *worker, Loaded *loaded)
{
	const PhLoadOptions *options = &worker->crew->load->options;
	PhPqError error = {0};
	PhStatus status;

	if (!options->hiding.is_any || options->dry_run)
		return true;
	if (!ensure_connection(worker, &error))
	{
		ph_fail_hint(&worker->env, PH_ERR_INTERNAL, error.hint, "%s", error.message);
		all_failed(worker, loaded, 1, &error);
		return false;
	}
	status =
		ph_hide_record(&worker->env, worker->db, &options->hiding, &loaded->input, &loaded->record);
	if (status == PH_ERR_INTERNAL)
		error = worker->db->error;
	if (status == PH_OK)
		status = ph_hide_input(&worker->env, &loaded->names, &options->hiding, &loaded->input);
	if (status != PH_OK)
		all_failed(worker, loaded, 1, error.code != PH_EXIT_OK ? &error : NULL);
	return status == PH_OK;
}

/* Traces of tasks; those of processes have theirs by now. */
static bool
wants_steps_later(const PhWorker *worker, const Loaded *loaded)
{
	const PhLoadOptions *options = &worker->crew->load->options;

	return options->logical_steps && !options->dry_run &&
		   loaded->job->outcome != PH_OUTCOME_SKIPPED && loaded->input.trace->links != NULL;
}

/* Traces are stored one by one. */
static void
load_trace(PhWorker *worker, Loaded *loaded)
{
	PhLoadJob *job = loaded->job;
	const PhPqError *error = NULL;
	PhPqError failed = {0};
	double start = now();
	PhStatus status;

	if (!worker->crew->load->options.dry_run && !ensure_connection(worker, &failed))
	{
		ph_fail_hint(&worker->env, PH_ERR_INTERNAL, failed.hint, "%s", failed.message);
		all_failed(worker, loaded, 1, &failed);
		forget(worker, loaded);
		return;
	}
	status = ph_load_trace(worker, job, &loaded->input, &loaded->record, &error);
	if (status == PH_OK)
		status = compare_with_batch_job(worker, loaded);
	if (status == PH_OK && wants_steps_later(worker, loaded))
		status = ph_load_logical_later(worker, job, &loaded->input);
	job->seconds += now() - start;
	if (status == PH_OK)
		keep_warnings(&loaded->input, job);
	else
		all_failed(worker, loaded, 1, error);
	forget(worker, loaded);
}

static PhStoreRun
store_run(const PhWorker *worker, const Loaded *loaded)
{
	PhStoreRun run = ph_job_store_run(worker, loaded->job, &loaded->input, &loaded->record);

	run.metric_ids = loaded->metric_ids;
	run.seconds = loaded->seconds;
	return run;
}

/* The runs come back in another order: find each one's job by its reserved or replaced id. */
static void
note_stored(Loaded *loaded, const PhStoreRun *runs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		for (uint32_t k = 0; k < n; k++)
		{
			if (runs[k].input == &loaded[i].input)
			{
				loaded[i].job->outcome = runs[k].outcome;
				loaded[i].job->stored_id = runs[k].stored_id;
			}
		}
	}
}

static PhStatus
try_to_store(PhWorker *worker, Loaded *loaded, uint32_t n)
{
	PhStoreRun runs[BATCH_JOBS];
	PhStatus status;

	for (int attempt = 1;; attempt++)
	{
		for (uint32_t i = 0; i < n; i++)
			runs[i] = store_run(worker, &loaded[i]);
		worker->env.error = (PhError){0};
		status = ph_store_runs(&worker->env, worker->db, worker->crew->dictionary, runs, n);
		if (status != PH_ERR_INTERNAL || attempt == MOST_ATTEMPTS ||
			!is_worth_retrying(&worker->db->error))
			break;
	}
	if (status == PH_OK)
		note_stored(loaded, runs, n);
	return status;
}

static void
store_batch(PhWorker *worker, Loaded *loaded, uint32_t n)
{
	PhPqError error = {0};
	PhStatus status;

	if (!ensure_connection(worker, &error))
	{
		ph_fail_hint(&worker->env, PH_ERR_INTERNAL, error.hint, "%s", error.message);
		all_failed(worker, loaded, n, &error);
		return;
	}
	status = try_to_store(worker, loaded, n);
	if (status == PH_OK)
		return;
	if (status == PH_ERR_INTERNAL)
		error = worker->db->error;
	if (n == 1 || concerns_everybody(&error) || status == PH_ERR_INTERRUPTED)
	{
		all_failed(worker, loaded, n, status == PH_ERR_INTERNAL ? &error : NULL);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		store_batch(worker, &loaded[i], 1);
}
