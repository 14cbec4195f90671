/*
 * flat_object.h - JSON objects of plain values, as nearly all rows are, read without a tree.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_FLAT_OBJECT_H
#define PH_REQUEST_FLAT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Points into the object's text; what stands there is the value's text. */
typedef struct PhFlatPair
{
	const char *key, *value; /* value NULL: null */
	size_t key_length, length;
} PhFlatPair;

/* The pairs of an object of numbers, true, false, null and texts without escapes. False: it is
 * another one, has more than most pairs, or is no object; what is in out then means nothing. */
bool ph_flat_object(const char *json, PhFlatPair *out, size_t most, size_t *n);

#endif
