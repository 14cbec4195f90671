/*
 * pool.h - worker threads, each with a connection and fonts of its own, and a bounded queue, from
 * which clients are served in turn.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_POOL_H
#define PH_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drawing/fonts.h"
#include "serve/session.h"

typedef struct PhPool PhPool;

/* What a worker has. */
typedef struct PhPoolWorker
{
	PhSession session;
	PhFonts *fonts;
	bool stopping; /* the server ends: answer quickly */
} PhPoolWorker;

typedef struct PhPoolSettings
{
	size_t n_workers;
	size_t queue; /* jobs that may wait */
	const PhConnection *like;
	int timeout_ms;
	void (*work)(PhPoolWorker *worker, void *job); /* called once for every job added */
	uint64_t (*client)(const void *job);		   /* whose it is (fair.h), not 0 */
} PhPoolSettings;

/* NULL when threads cannot be started. */
PhPool *ph_pool_start(const PhPoolSettings *settings);

/* False: the queue is full or the pool stops; the job stays the caller's. */
bool ph_pool_add(PhPool *pool, void *job);

typedef struct PhPoolCounts
{
	size_t workers, busy, waiting;
} PhPoolCounts;

PhPoolCounts ph_pool_counts(PhPool *pool);

/* Runs what still waits (with worker->stopping), ends the threads. */
void ph_pool_stop(PhPool *pool);

#endif
