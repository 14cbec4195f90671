/*
 * marshal.h - values that Python's marshal wrote, versions 0 to 4: the few kinds that profiles use.
 *
 * Dictionaries, tuples, lists, strings, numbers and None. Code objects and all else are refused,
 * nothing is ever executed. Values are in arrays and refer to each other by index; a value may be
 * in several places, but never within itself. Nothing recurses.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_CPROFILE_MARSHAL_H
#define PH_READERS_CPROFILE_MARSHAL_H

#include "base/vector.h"
#include "readers/input.h"
#include "readers/slice.h"

#define PH_MARSHAL_DEPTH 16 /* of containers within each other */

typedef enum PhMarshalKind
{
	PH_MARSHAL_NONE, /* and True, False */
	PH_MARSHAL_NUMBER,
	PH_MARSHAL_TEXT,
	PH_MARSHAL_TUPLE, /* and lists */
	PH_MARSHAL_DICT	  /* its items are keys and values in turn */
} PhMarshalKind;

typedef struct PhMarshalValue
{
	PhMarshalKind kind;
	bool is_open;	   /* while it is read */
	size_t offset;	   /* of its first byte in the file */
	double number;	   /* 2^53 and more: rounded */
	PhSlice text;	   /* bytes in the file */
	uint32_t first, n; /* items */
} PhMarshalValue;

typedef struct PhMarshal
{
	PhEnv *env;
	PhInput *input;
	PhArena *arena;
	size_t at;
	PH_VECTOR(PhMarshalValue) values; /* the first is the outermost */
	PhIndices items;				  /* of all containers */
	PhIndices references;			  /* by number in the file */
	PhIndices interned;				  /* strings of versions before 3 by number in the file */
	PhIndices pending;				  /* items of containers that are open */
} PhMarshal;

/* Read the input's only value. */
PhStatus ph_marshal_read(PhMarshal *marshal) PH_MUST_CHECK;

static inline const PhMarshalValue *
ph_marshal_item(const PhMarshal *marshal, const PhMarshalValue *container, uint32_t i)
{
	return &marshal->values.items[marshal->items.items[container->first + i]];
}

/* "path: byte N: message" */
PhStatus ph_marshal_fail(const PhMarshal *marshal, size_t offset, PhStatus status,
						 const char *message);

#endif
