/*
 * array_param.h - an array as a parameter of a statement, in the form that servers receive.
 *
 * Its elements are appended one by one; those of an array that was announced longer than it got are
 * refused by the server.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_STORE_ARRAY_PARAM_H
#define PH_PIPELINE_STORE_ARRAY_PARAM_H

#include "base/str.h"
#include "database/pq.h"

typedef enum PhArrayType
{
	PH_ARRAY_BYTEA,
	PH_ARRAY_INT2,
	PH_ARRAY_INT4,
	PH_ARRAY_INT8,
	PH_ARRAY_TEXT
} PhArrayType;

typedef struct PhArrayParam
{
	PhStr bytes;
	PhArrayType type;
} PhArrayParam;

/* Of n > 0 elements; the bytes are the arena's. */
PhStatus ph_array_begin(PhArrayParam *array, PhArena *arena, PhArrayType type,
						uint32_t n) PH_MUST_CHECK;

PhStatus ph_array_null(PhArrayParam *array) PH_MUST_CHECK;
PhStatus ph_array_number(PhArrayParam *array, int64_t value) PH_MUST_CHECK;
PhStatus ph_array_bytes(PhArrayParam *array, const void *bytes, size_t size) PH_MUST_CHECK;

/* NULL and "" are null. */
PhStatus ph_array_string(PhArrayParam *array, const char *text) PH_MUST_CHECK;

/* Valid until the arena is dropped. */
PhParam ph_array_param(const PhArrayParam *array);

#endif
