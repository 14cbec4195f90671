/*
 * vector.c - by how much arrays grow.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/vector.h"

#include <string.h>

#include "base/min_max.h"

#define FIRST_IN_ENV 64
#define LARGE_IN_ENV 65536 /* from here on memory matters more than moving */
#define FIRST_IN_ARENA 16
#define LARGEST_IN_ARENA ((uint32_t) 1 << 30)
#define SPARE 1.05 /* more than is expected: what nobody touches costs nothing */
/* A wrong share makes lists at most so many times as long; short ones, up to so many elements. */
#define LEAP 64.0
#define SHORT_LEAP 1024.0
#define SHORT_LENGTH 4194304.0

PhStatus
ph_grow_in_env(PhEnv *env, void **items, uint32_t count, uint32_t *capacity, size_t size)
{
	uint64_t more = *capacity < LARGE_IN_ENV ? *capacity / 2 : *capacity / 4;
	uint64_t wanted = *capacity + more + FIRST_IN_ENV;
	if (wanted >= PH_NONE)
		wanted = PH_NONE - 1;
	if (wanted <= count)
		return ph_fail(env, PH_ERR_LIMIT, "more than %u elements in one list", count);
	PH_TRY(ph_env_resize(env, items, *capacity, wanted, size));
	*capacity = (uint32_t) wanted;
	return PH_OK;
}

PhStatus
ph_grow_in_arena(PhArena *arena, void **items, uint32_t count, uint32_t *capacity, size_t size)
{
	if (*capacity >= LARGEST_IN_ARENA)
		return ph_fail(arena->env, PH_ERR_LIMIT, "more than %u entries in one table", *capacity);
	uint32_t wanted = *capacity == 0 ? FIRST_IN_ARENA : *capacity * 2;
	void *longer;
	PH_TRY(ph_arena_alloc(arena, wanted, size, &longer));
	if (count > 0)
		memcpy(longer, *items, count * size);
	*items = longer;
	*capacity = wanted;
	return PH_OK;
}

PhStatus
ph_reserve_in_env(PhEnv *env, void **items, uint32_t *capacity, size_t n, size_t size)
{
	void *larger = NULL;
	size_t wanted = (size_t) *capacity + *capacity / 2;
	if (n <= *capacity)
		return PH_OK;
	if (n >= PH_NONE)
		return ph_fail(env, PH_ERR_LIMIT, "more than %u elements in one list", PH_NONE - 1);
	wanted = n > wanted || wanted >= PH_NONE ? n : wanted;
	PH_TRY(ph_env_resize(env, &larger, 0, wanted, size));
	ph_env_free(env, *items, *capacity, size);
	*items = larger;
	*capacity = (uint32_t) wanted;
	return PH_OK;
}

double
ph_expected_length(uint32_t n, double share)
{
	double most = PH_MAX(LEAP * n, PH_MIN(SHORT_LEAP * n, SHORT_LENGTH));
	return PH_MIN(SPARE * n / share, most);
}
