/*
 * crew.c - worker threads of a load, its phases and its end.
 *
 * The calling thread draws progress and looks for SIGINT ten times a second; when it comes, the
 * workers stop at their next poll; what the server does for them is cancelled by the connection.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/min_max.h"
#include "pipeline/internal.h"
#include "pipeline/join.h"
#include "pipeline/records.h"
#include "queries.h"
#include "system/log.h"
#include "system/memory.h"

static void *run_worker(void *argument);
static void watch(PhCrew *crew);

static bool
worker_interrupted(void *user)
{
	PhWorker *worker = user;

	return atomic_load(&worker->crew->stop);
}

static void
start_workers(PhCrew *crew)
{
	for (uint32_t i = 0; i < crew->n_workers; i++)
	{
		PhWorker *worker = &crew->workers[i];

		worker->crew = crew;
		ph_env_init_malloc(&worker->env);
		worker->env.interrupt = worker_interrupted;
		worker->env.user = worker;
		pthread_mutex_lock(&crew->lock);
		worker->is_started = pthread_create(&worker->thread, NULL, run_worker, worker) == 0;
		crew->n_running += worker->is_started;
		pthread_mutex_unlock(&crew->lock);
	}
}

static void
end_workers(PhCrew *crew)
{
	for (uint32_t i = 0; i < crew->n_workers; i++)
	{
		if (crew->workers[i].is_started)
			pthread_join(crew->workers[i].thread, NULL);
		ph_pq_close(crew->workers[i].helper);
		ph_pq_close(crew->workers[i].db);
	}
}

/* Run work in options.n_workers threads and wait; progress and interrupts are the caller's
 * thread's. */
static void
crew_run(PhLoad *load, void (*work)(PhWorker *worker), PhDictionary *dictionary)
{
	PhCrew crew = {.load = load, .work = work, .dictionary = dictionary};
	size_t n = PH_MIN(load->options.n_workers, load->n_jobs);

	crew.n_workers = (uint32_t) n;
	crew.workers = ph_must_alloc(n, sizeof(*crew.workers));
	for (size_t i = 0; i < load->n_jobs; i++)
		crew.total_bytes += load->jobs[i].bytes;
	pthread_mutex_init(&crew.lock, NULL);
	pthread_mutex_init(&crew.big, NULL);
	pthread_cond_init(&crew.changed, NULL);
	start_workers(&crew);
	watch(&crew);
	end_workers(&crew);
	pthread_cond_destroy(&crew.changed);
	pthread_mutex_destroy(&crew.big);
	pthread_mutex_destroy(&crew.lock);
	free(crew.workers);
}

static void *
run_worker(void *argument)
{
	PhWorker *worker = argument;
	PhCrew *crew = worker->crew;

	crew->work(worker);
	pthread_mutex_lock(&crew->lock);
	crew->n_running--;
	pthread_cond_signal(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

/* Until the last worker has ended. Called with the lock free. */
static void
watch(PhCrew *crew)
{
	const PhLoadOptions *options = &crew->load->options;

	pthread_mutex_lock(&crew->lock);
	while (crew->n_running > 0)
	{
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 100 * 1000 * 1000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&crew->changed, &crew->lock, &until);
		if (options->interrupted != NULL && options->interrupted())
			atomic_store(&crew->stop, true);
		if (options->progress != NULL)
			options->progress(options->user, atomic_load(&crew->done_bytes), crew->total_bytes,
							  atomic_load(&crew->doing));
	}
	pthread_mutex_unlock(&crew->lock);
}

/* ---- the phases ---- */

static PhLoadJob *
take_job(PhCrew *crew)
{
	PhLoadJob *job = NULL;

	pthread_mutex_lock(&crew->lock);
	if (crew->next < crew->load->n_jobs && !atomic_load(&crew->stop))
		job = &crew->load->jobs[crew->next++];
	pthread_mutex_unlock(&crew->lock);
	return job;
}

static void
fingerprint_jobs(PhWorker *worker)
{
	PhLoadJob *job;

	while ((job = take_job(worker->crew)) != NULL)
	{
		job->stamp = ph_experiment_stamp(job->experiment);
		if (ph_experiment_fingerprint(&worker->env, job->experiment, job->fingerprint,
									  &job->bytes) != PH_OK)
			ph_job_fail(job, &worker->env, NULL);
	}
}

PhStatus
ph_load_fingerprint(PhLoad *load, PhEnv *env)
{
	PH_TRY(ph_load_drop_doubles(load, env));
	if (!load->options.each_file)
		PH_TRY(ph_load_join_ranks(load, env));
	PH_TRY(ph_load_match_records(load));
	crew_run(load, fingerprint_jobs, NULL);
	if (load->options.interrupted != NULL && load->options.interrupted())
		return ph_fail(env, PH_ERR_INTERRUPTED, "interrupted"); /* some jobs have none */
	return PH_OK;
}

/* What is left without an outcome was not tried: the load stopped before. */
static void
close_jobs(PhLoad *load)
{
	for (size_t i = 0; i < load->n_jobs; i++)
	{
		PhLoadJob *job = &load->jobs[i];

		if (job->twin != NULL && job->outcome == PH_OUTCOME_NONE)
		{
			job->stored_id = job->twin->stored_id;
			job->outcome =
				job->twin->outcome == PH_OUTCOME_FAILED || job->twin->outcome == PH_OUTCOME_NONE
					? PH_OUTCOME_FAILED
					: PH_OUTCOME_SKIPPED;
			job->failure = job->twin->failure;
		}
		if (job->outcome == PH_OUTCOME_NONE)
		{
			job->outcome = PH_OUTCOME_FAILED;
			job->failure.status = PH_ERR_INTERRUPTED;
			snprintf(job->failure.message, sizeof(job->failure.message), "%s: not loaded",
					 job->experiment->path);
		}
	}
}

void
ph_load_run(PhLoad *load)
{
	PhDictionary *dictionary = ph_dictionary_new();

	crew_run(load, ph_worker_load, dictionary);
	close_jobs(load);
	ph_dictionary_free(dictionary);
}

/* ---- the end ---- */

static bool
log_job(const PhLoad *load, const PhLoadJob *job, PhConnection *db)
{
	PhParam params[7] = {
		job->stored_id != 0 ? ph_param_int(job->stored_id) : ph_param_null(),
		ph_param_text(job->experiment->path),
		ph_param_text(ph_outcome_name(job->outcome)),
		job->failure.message[0] != '\0' ? ph_param_text(job->failure.message) : ph_param_null(),
		ph_param_int((int64_t) job->bytes),
		ph_param_text(load->options.hiding.is_any ? load->options.hiding.what : "{}"),
		ph_param_text(load->options.hiding.salt)};

	return ph_pq_execute(db, ph_sql_load_log_add, params, 7);
}

/* One warning a key of --set that a run keeps another value of; of many runs the first is named. */
static void
warn_of_kept(const PhMeta *set, const PhResult *rows)
{
	for (size_t i = 0; i < set->n_items; i++)
	{
		const PhMetaItem *item = &set->items[i];
		size_t n = 0, first = 0;

		for (size_t row = 0; row < ph_result_count(rows); row++)
			if (strcmp(ph_result_text(rows, row, 1), item->key) == 0 && n++ == 0)
				first = row;
		if (n == 0)
			continue;
		const char *run = ph_result_text(rows, first, 0);
		const char *kept = ph_result_text(rows, first, 2);

		ph_log_warning("%s is not set to \"%s\" in run %s%s, loaded before: it keeps %s%s%s",
					   item->key, item->value, run, n > 1 ? " and others" : "",
					   kept != NULL ? "\"" : "", kept != NULL ? kept : "no value",
					   kept != NULL ? "\"" : "");
		ph_log_hint(
			"perfhouse set %s %s=... changes what is stored; --if-exists replace loads anew.", run,
			item->key);
	}
}

/* Runs that were there already stay as they are, also what --set says of them: it is not silent. */
static void
name_kept(const PhLoad *load, PhConnection *db)
{
	const PhMeta *set = load->options.given.set;
	size_t n_set = set != NULL ? set->n_items : 0, n = 0;
	int64_t *ids = ph_must_alloc(load->n_jobs + 1, sizeof(*ids));
	const char **texts = ph_must_alloc(2 * n_set + 1, sizeof(*texts));
	char *lists[3] = {NULL};

	for (size_t i = 0; i < load->n_jobs; i++)
		if (load->jobs[i].outcome == PH_OUTCOME_SKIPPED && load->jobs[i].twin == NULL)
			ids[n++] = load->jobs[i].stored_id;
	for (size_t i = 0; i < n_set; i++)
	{
		texts[i] = set->items[i].key;
		texts[n_set + i] = set->items[i].value;
	}
	if (n > 0 && n_set > 0)
	{
		lists[0] = ph_array_int(ids, n);
		lists[1] = ph_array_text(texts, n_set);
		lists[2] = ph_array_text(texts + n_set, n_set);
		PhParam params[] = {ph_param_text(lists[0]), ph_param_text(lists[1]),
							ph_param_text(lists[2])};
		PhResult *rows = ph_pq_query(db, ph_sql_load_kept, params, 3);

		if (rows != NULL)
			warn_of_kept(set, rows);
		ph_result_free(rows);
	}
	for (size_t i = 0; i < 3; i++)
		free(lists[i]);
	free(texts);
	free(ids);
}

static void
analyze_if_due(PhConnection *db, size_t n_loaded)
{
	PhParam param = ph_param_int((int64_t) n_loaded);

	if (!ph_pq_execute(db, ph_sql_load_analyze, &param, 1))
		ph_log_warning("no statistics were made: %s", db->error.message);
}

/* Names that are new to their applications get colours; without them pictures choose their own. */
static void
assign_colors(const PhLoad *load, PhConnection *db)
{
	int64_t *ids = ph_must_alloc(load->n_jobs + 1, sizeof(*ids));
	char *list;
	size_t n = 0;

	for (size_t i = 0; i < load->n_jobs; i++)
		if (load->jobs[i].outcome != PH_OUTCOME_SKIPPED &&
			load->jobs[i].outcome != PH_OUTCOME_FAILED)
			ids[n++] = load->jobs[i].stored_id;
	list = n > 0 ? ph_array_int(ids, n) : NULL;
	if (list != NULL)
	{
		PhParam param = ph_param_text(list);

		if (!ph_pq_execute(db, ph_sql_load_assign_colors, &param, 1))
			ph_log_warning("colours were not assigned: %s", db->error.message);
	}
	free(list);
	free(ids);
}

/* Skipped and failed jobs: those that stored a run have noted it with that. */
static void
log_others(const PhLoad *load, PhConnection *db)
{
	bool ok = ph_pq_script(db, ph_sql_intern_begin);

	for (size_t i = 0; i < load->n_jobs && ok; i++)
	{
		const PhLoadJob *job = &load->jobs[i];

		if ((job->outcome == PH_OUTCOME_SKIPPED || job->outcome == PH_OUTCOME_FAILED) &&
			!job->comes_again)
			ok = log_job(load, job, db);
	}
	if (ok && ph_pq_commit(db))
		return;
	ph_log_warning("what was skipped or failed is not in load_log: %s", db->error.message);
	ph_pq_rollback(db);
}

void
ph_load_finish(PhLoad *load, PhConnection *db)
{
	size_t n_loaded = 0;

	for (size_t i = 0; i < load->n_jobs; i++)
		n_loaded += load->jobs[i].outcome != PH_OUTCOME_SKIPPED &&
					load->jobs[i].outcome != PH_OUTCOME_FAILED;
	log_others(load, db);
	name_kept(load, db);
	if (n_loaded > 0)
	{
		analyze_if_due(db, n_loaded);
		assign_colors(load, db);
	}
}
