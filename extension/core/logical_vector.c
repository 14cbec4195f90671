/*
 * logical_vector.c - growing arrays for the columns of a logical model in the making.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical_internal.h"

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
ph_vector_add(PhEnv *env, PhVector *vector, void **out)
{
	if (vector->count == vector->capacity)
	{
		if (vector->capacity >= PH_VECTOR_LARGEST)
			return ph_fail(env, PH_ERR_LIMIT, "more than %u elements on one location",
						   vector->capacity);
		uint32_t wanted =
			vector->capacity == 0 ? PH_VECTOR_FIRST : vector->capacity + vector->capacity / 2;
		PH_TRY(
			ph_env_resize(env, &vector->items, vector->capacity, wanted, (size_t) vector->width));
		vector->capacity = wanted;
	}
	*out = (char *) vector->items + (size_t) vector->count * vector->width;
	vector->count++;
	return PH_OK;
}

PhStatus
ph_vector_trim(PhEnv *env, PhVector *vector)
{
	if (vector->count == 0)
	{
		ph_vector_free(env, vector);
		return PH_OK;
	}
	PH_TRY(ph_env_resize(env, &vector->items, vector->capacity, vector->count,
						 (size_t) vector->width));
	vector->capacity = vector->count;
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

PhStatus
ph_push_64(PhEnv *env, PhVector *vector, uint64_t value)
{
	void *at = NULL;
	PH_TRY(ph_vector_add(env, vector, &at));
	memcpy(at, &value, sizeof(value));
	return PH_OK;
}

PhStatus
ph_push_u8(PhEnv *env, PhVector *vector, uint8_t value)
{
	void *at = NULL;
	PH_TRY(ph_vector_add(env, vector, &at));
	memcpy(at, &value, sizeof(value));
	return PH_OK;
}
