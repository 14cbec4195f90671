/*
 * env.c - allocation with checked sizes and a budget, interrupt polling, error records.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/env.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
malloc_alloc(void *user, void *pointer, size_t old_size, size_t new_size)
{
	(void) user;
	(void) old_size;
	if (new_size == 0)
	{
		free(pointer);
		return NULL;
	}
	return realloc(pointer, new_size);
}

void
ph_env_init_malloc(PhEnv *env)
{
	memset(env, 0, sizeof(*env));
	env->alloc = malloc_alloc;
}

/* Who asks for so much fills or copies it, which takes as long as thousands of polls. */
#define POLLED_BYTES ((size_t) 1 << 20)

static PhStatus
out_of_budget(PhEnv *env, size_t wanted)
{
	return ph_fail_hint(env, PH_ERR_LIMIT,
						"Select fewer runs, ranks or metrics, or raise the memory limit.",
						"needs %zu bytes more than the %zu in use, but the limit is %zu bytes",
						wanted, env->bytes, env->byte_limit);
}

PhStatus
ph_env_resize(PhEnv *env, void **pointer, size_t old_count, size_t new_count, size_t size)
{
	size_t new_size;
	if (__builtin_mul_overflow(new_count, size, &new_size))
		return ph_fail(env, PH_ERR_LIMIT, "%zu elements of %zu bytes do not fit into memory",
					   new_count, size);
	size_t old_size = old_count * size;
	size_t growth = new_size > old_size ? new_size - old_size : 0;
	if (env->byte_limit != 0 &&
		(env->bytes > env->byte_limit || growth > env->byte_limit - env->bytes))
		return out_of_budget(env, growth);
	if (growth >= POLLED_BYTES)
		PH_TRY(ph_env_poll_now(env));
	size_t asked = new_size > 0 ? new_size : 1;
	void *moved = env->alloc(env->user, *pointer, old_size, asked);
	if (moved == NULL)
		return ph_fail(env, PH_ERR_MEMORY, "out of memory: %zu bytes could not be allocated",
					   asked);
	*pointer = moved;
	env->bytes = env->bytes + growth - (old_size > new_size ? old_size - new_size : 0);
	return PH_OK;
}

PhStatus
ph_env_alloc(PhEnv *env, size_t count, size_t size, void **out)
{
	void *pointer = NULL;
	PH_TRY(ph_env_resize(env, &pointer, 0, count, size));
	memset(pointer, 0, count * size);
	*out = pointer;
	return PH_OK;
}

void
ph_env_free(PhEnv *env, void *pointer, size_t count, size_t size)
{
	if (pointer == NULL)
		return;
	size_t bytes = count * size;
	env->alloc(env->user, pointer, bytes, 0);
	env->bytes -= bytes <= env->bytes ? bytes : env->bytes;
}

PhStatus
ph_env_poll_now(PhEnv *env)
{
	if (env->interrupt == NULL || !env->interrupt(env->user))
		return PH_OK;
	return ph_fail(env, PH_ERR_INTERRUPTED, "interrupted");
}

static void
fail_message(PhEnv *env, PhStatus status, const char *format, va_list arguments)
{
	env->error.status = status;
	vsnprintf(env->error.message, sizeof(env->error.message), format, arguments);
}

PhStatus
ph_fail(PhEnv *env, PhStatus status, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fail_message(env, status, format, arguments);
	va_end(arguments);
	env->error.hint[0] = '\0';
	return status;
}

PhStatus
ph_fail_hint(PhEnv *env, PhStatus status, const char *hint, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fail_message(env, status, format, arguments);
	va_end(arguments);
	snprintf(env->error.hint, sizeof(env->error.hint), "%s", hint);
	return status;
}
