/*
 * reader_cost.h - memory and time of a reader that is measured without a database.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BENCH_READER_COST_H
#define PH_BENCH_READER_COST_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/env.h"
#include "base/min_max.h"

typedef struct Memory
{
	size_t now, peak; /* bytes */
} Memory;

/* For PhEnv.alloc, with a Memory as user. */
static inline void *
allocate(void *user, void *pointer, size_t old_size, size_t new_size)
{
	Memory *memory = user;

	memory->now += new_size - old_size;
	memory->peak = PH_MAX(memory->peak, memory->now);
	if (new_size > 0)
		return realloc(pointer, new_size);
	free(pointer);
	return NULL;
}

static inline double
cpu_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

static inline void
must(PhStatus status, const PhEnv *env)
{
	if (status == PH_OK)
		return;
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, env->error.message);
	exit(1);
}

#endif
