/*
 * env.h - the explicit environment of the core: memory, interrupts, budget, error record.
 *
 * The core has no globals. Whatever allocates or loops takes a PhEnv first. In the server the
 * callbacks may longjmp; the core therefore owns nothing but PhEnv memory and may be abandoned at
 * any allocation or interrupt check: the caller drops the memory as a whole.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_ENV_H
#define PH_BASE_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define PH_NONE UINT32_MAX /* an index that is none: no node, no column, no event */

#define PH_MUST_CHECK __attribute__((warn_unused_result))
#define PH_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* One realloc-shaped function: (NULL, 0, n) allocates, (p, old, n) resizes, (p, old, 0) frees. */
typedef void *(*PhAllocFunction)(void *user, void *pointer, size_t old_size, size_t new_size);

/* Returns true when the work should stop; may also longjmp. */
typedef bool (*PhInterruptFunction)(void *user);

typedef struct PhEnv
{
	PhAllocFunction alloc;
	PhInterruptFunction interrupt; /* NULL: never interrupted */
	void *user;
	size_t byte_limit; /* 0: no limit */
	size_t bytes;	   /* in use, as the core counts it */
	uint32_t ticks;	   /* counts ph_env_poll calls, to check only now and then */
	PhError error;
} PhEnv;

/* An environment over malloc/free without limit or interrupts. */
void ph_env_init_malloc(PhEnv *env);

/* Allocate count * size bytes, zeroed. PH_ERR_LIMIT on overflow or budget, PH_ERR_MEMORY on
 * refusal. Asks the interrupt callback before it takes a megabyte or more, as resizing does. */
PhStatus ph_env_alloc(PhEnv *env, size_t count, size_t size, void **out) PH_MUST_CHECK;

/* Resize *pointer from old_count to new_count elements; new elements are NOT zeroed. */
PhStatus ph_env_resize(PhEnv *env, void **pointer, size_t old_count, size_t new_count,
					   size_t size) PH_MUST_CHECK;

/* Free what ph_env_alloc/resize returned; NULL is fine. */
void ph_env_free(PhEnv *env, void *pointer, size_t count, size_t size);

#define PH_POLL_EVERY 4096

/* Ask the interrupt callback. */
PhStatus ph_env_poll_now(PhEnv *env) PH_MUST_CHECK;

PH_MUST_CHECK static inline PhStatus ph_env_poll(PhEnv *env);
PH_MUST_CHECK static inline PhStatus ph_env_poll_at(PhEnv *env, uint64_t index);

/* Call in every loop that grows with data; asks the interrupt callback every 4096 calls. */
static inline PhStatus
ph_env_poll(PhEnv *env)
{
	return ++env->ticks % PH_POLL_EVERY != 0 ? PH_OK : ph_env_poll_now(env);
}

/*
 * The same in a loop over an index that takes every value: asks at multiples of 4096. Counts
 * nothing, which a short loop over millions of events would wait for.
 */
static inline PhStatus
ph_env_poll_at(PhEnv *env, uint64_t index)
{
	return index % PH_POLL_EVERY != 0 ? PH_OK : ph_env_poll_now(env);
}

/* Fill the error record and return status, so that callers write: return ph_fail(env, ...). */
PhStatus ph_fail(PhEnv *env, PhStatus status, const char *format, ...) PH_PRINTF(3, 4);

/* Same, and set the hint of the record. */
PhStatus ph_fail_hint(PhEnv *env, PhStatus status, const char *hint, const char *format, ...)
	PH_PRINTF(4, 5);

/* Return early from a function on a status that is not PH_OK. */
#define PH_TRY(expression)                                                                         \
	do                                                                                             \
	{                                                                                              \
		PhStatus ph_try_status_ = (expression);                                                    \
		if (ph_try_status_ != PH_OK)                                                               \
			return ph_try_status_;                                                                 \
	} while (0)

#endif
