/*
 * fault_env.h - an environment for tests that fails or is abandoned where one wants it.
 *
 * It remembers every block, so that work which was left by longjmp can be dropped as a whole, as a
 * memory context of the server would be, and so that a test sees what was not given back.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_FAULT_ENV_H
#define SUPPORT_FAULT_ENV_H

#include <setjmp.h>

#include "base/env.h"

typedef struct FaultBlock FaultBlock;

typedef struct FaultEnv
{
	PhEnv env; /* hand this to the core */
	FaultBlock *blocks;
	size_t n_blocks;
	size_t n_allocations; /* calls that allocate or grow */
	size_t n_interrupts;  /* calls of the interrupt callback */
	size_t fail_at;		  /* the n-th allocation (from 1) fails; 0: none */
	size_t stop_at;		  /* the n-th interrupt check stops; 0: none */
	bool jump;			  /* leave by longjmp to `out` instead of returning */
	jmp_buf out;
} FaultEnv;

void fault_env_init(FaultEnv *fault);

/* Free every block that is left and forget all counters and faults. */
void fault_env_drop(FaultEnv *fault);

/* One piece of work: must fail cleanly or succeed. Given the environment to use. */
typedef PhStatus (*FaultWork)(PhEnv *env, void *user);

/*
 * Run work without a fault, then with the n-th allocation failing and with the n-th abandoned by
 * longjmp, for every n up to limit (0: all; make check: the first of them and some of the rest).
 * After a failure the status must be PH_ERR_MEMORY and nothing may be left but what an arena of the
 * caller's would hold: work must free what it made. Returns "", or what went wrong.
 */
const char *fault_env_try_allocations(FaultWork work, void *user, size_t limit);

/* The same for interrupts: work must stop with PH_ERR_INTERRUPTED. */
const char *fault_env_try_interrupts(FaultWork work, void *user, size_t limit);

#endif
