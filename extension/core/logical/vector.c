/*
 * vector.c - growing arrays for the columns of a logical model in the making.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/internal.h"

#include <string.h>

#define PH_VECTOR_FIRST 8
#define PH_VECTOR_LARGEST ((uint32_t) 1 << 31)

void
ph_vector_init(PhVector *vector, uint32_t width)
{
	vector->items = NULL;
	vector->count = vector->capacity = 0;
	vector->width = width;
}

PhStatus
ph_vector_grow(PhEnv *env, PhVector *vector)
{
	if (vector->capacity >= PH_VECTOR_LARGEST)
		return ph_fail(env, PH_ERR_LIMIT, "more than %u elements on one location",
					   vector->capacity);
	uint32_t wanted =
		vector->capacity == 0 ? PH_VECTOR_FIRST : vector->capacity + vector->capacity / 2;
	PH_TRY(ph_env_resize(env, &vector->items, vector->capacity, wanted, (size_t) vector->width));
	vector->capacity = wanted;
	return PH_OK;
}

void
ph_vector_free(PhEnv *env, PhVector *vector)
{
	ph_env_free(env, vector->items, vector->capacity, (size_t) vector->width);
	ph_vector_init(vector, vector->width);
}

PhStatus
ph_push_u32(PhEnv *env, PhVector *vector, uint32_t value)
{
	void *at = NULL;
	PH_TRY(ph_vector_add(env, vector, &at));
	memcpy(at, &value, sizeof(value));
	return PH_OK;
}
