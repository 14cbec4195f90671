/*
 * pool.c - worker threads, each with a connection and fonts of its own, and a bounded queue.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "serve/fair.h"
#include "system/memory.h"

struct PhPool
{
	PhPoolSettings settings;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	void **jobs;	   /* the oldest first */
	uint64_t *clients; /* of theirs */
	uint64_t *busy;	   /* clients that workers work for; 0: for none */
	size_t n;
	size_t n_busy;
	bool stopping;
	pthread_t *threads;
	size_t n_threads;
	size_t n_begun; /* workers that have a place in busy */
};

static void *
take_at(PhPool *pool, size_t at, size_t worker)
{
	void *job = pool->jobs[at];

	pool->busy[worker] = pool->clients[at];
	pool->n--;
	memmove(&pool->jobs[at], &pool->jobs[at + 1], (pool->n - at) * sizeof(void *));
	memmove(&pool->clients[at], &pool->clients[at + 1], (pool->n - at) * sizeof(uint64_t));
	pool->n_busy++;
	return job;
}

/* The job that is next, by its place; n: none may begin. Who stops has them all done. */
static size_t
next_job(const PhPool *pool)
{
	return pool->stopping
			   ? 0
			   : ph_fair_choose(pool->clients, pool->n, pool->busy, pool->settings.n_workers);
}

/* The next job, waiting for one; NULL: none will come. is_next: another one has been done. */
static void *
take(PhPool *pool, size_t worker, bool is_next, bool *stopping)
{
	void *job = NULL;
	size_t at;

	pthread_mutex_lock(&pool->lock);
	pool->n_busy -= is_next;
	pool->busy[worker] = 0;
	if (is_next && pool->n > 0) /* a client has a worker less: others may begin what waits */
		pthread_cond_broadcast(&pool->wake);
	while ((at = next_job(pool)) == pool->n && !pool->stopping)
		pthread_cond_wait(&pool->wake, &pool->lock);
	if (pool->n > 0)
		job = take_at(pool, at, worker);
	*stopping = pool->stopping;
	pthread_mutex_unlock(&pool->lock);
	return job;
}

static size_t
place_of_worker(PhPool *pool)
{
	size_t worker;

	pthread_mutex_lock(&pool->lock);
	worker = pool->n_begun++;
	pthread_mutex_unlock(&pool->lock);
	return worker;
}

static void *
do_jobs(void *user)
{
	PhPool *pool = user;
	size_t place = place_of_worker(pool);
	PhPoolWorker worker = {
		.session = {.like = pool->settings.like, .timeout_ms = pool->settings.timeout_ms},
		.fonts = ph_fonts_open()};
	void *job;

	for (bool is_next = false; (job = take(pool, place, is_next, &worker.stopping)) != NULL;
		 is_next = true)
		pool->settings.work(&worker, job);
	ph_session_close(&worker.session);
	ph_fonts_close(worker.fonts);
	return NULL;
}

PhPool *
ph_pool_start(const PhPoolSettings *settings)
{
	PhPool *pool = ph_must_alloc(1, sizeof(PhPool));

	pool->settings = *settings;
	pool->jobs = ph_must_alloc(settings->queue, sizeof(void *));
	pool->clients = ph_must_alloc(settings->queue, sizeof(uint64_t));
	pool->busy = ph_must_alloc(settings->n_workers, sizeof(uint64_t));
	pool->threads = ph_must_alloc(settings->n_workers, sizeof(pthread_t));
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->wake, NULL);
	for (; pool->n_threads < settings->n_workers; pool->n_threads++)
		if (pthread_create(&pool->threads[pool->n_threads], NULL, do_jobs, pool) != 0)
			break;
	if (pool->n_threads == settings->n_workers)
		return pool;
	ph_pool_stop(pool);
	return NULL;
}

bool
ph_pool_add(PhPool *pool, void *job)
{
	bool ok;

	pthread_mutex_lock(&pool->lock);
	ok = !pool->stopping && pool->n < pool->settings.queue;
	if (ok)
	{
		pool->clients[pool->n] = pool->settings.client(job);
		pool->jobs[pool->n++] = job;
		pthread_cond_signal(&pool->wake);
	}
	pthread_mutex_unlock(&pool->lock);
	return ok;
}

PhPoolCounts
ph_pool_counts(PhPool *pool)
{
	PhPoolCounts counts = {.workers = pool->n_threads};

	pthread_mutex_lock(&pool->lock);
	counts.busy = pool->n_busy;
	counts.waiting = pool->n;
	pthread_mutex_unlock(&pool->lock);
	return counts;
}

void
ph_pool_stop(PhPool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->stopping = true;
	pthread_cond_broadcast(&pool->wake);
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 0; i < pool->n_threads; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->wake);
	pthread_mutex_destroy(&pool->lock);
	free(pool->threads);
	free(pool->jobs);
	free(pool->clients);
	free(pool->busy);
	free(pool);
}
