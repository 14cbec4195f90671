/*
 * pgenv.h - the core's environment inside the server: palloc, interrupts, errors.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVER_PGENV_H
#define PH_SERVER_PGENV_H

#include "postgres.h"

#include "base/arena.h"
#include "base/env.h"

/* SQLSTATEs of our own; everything else uses standard ones. */
#define PH_ERRCODE_BAD_PROFILE MAKE_SQLSTATE('P', 'H', '0', '0', '1')
#define PH_ERRCODE_NOT_FOUND MAKE_SQLSTATE('P', 'H', '0', '0', '2')
#define PH_ERRCODE_UNSUPPORTED MAKE_SQLSTATE('P', 'H', '0', '0', '3')

/* Setting perfhouse.memory_limit, in kB. */
extern int ph_memory_limit_kb;

/* Memory comes from context, which must outlive the environment and all that is made with it. */
void ph_pgenv_init(PhEnv *env, MemoryContext context);

/* Raise what the core reports. Returns only when status is PH_OK. */
void ph_pgenv_raise(const PhEnv *env, PhStatus status);

#define PH_CHECK(env, expression)                                                                  \
	do                                                                                             \
	{                                                                                              \
		PhStatus ph_check_status_ = (expression);                                                  \
		if (unlikely(ph_check_status_ != PH_OK))                                                   \
			ph_pgenv_raise((env), ph_check_status_);                                               \
	} while (0)

/* Scratch memory for one call: an environment and an arena in a context of their own. */
typedef struct PhScratch
{
	MemoryContext context;
	PhEnv env;
	PhArena arena;
} PhScratch;

PhScratch *ph_scratch_begin(void);
void ph_scratch_end(PhScratch *scratch);

#endif
