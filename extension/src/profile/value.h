/*
 * value.h - profiles and super graphs as expanded objects.
 *
 * A PhValue holds one core value in a memory context of its own: an error, a reset or a delete of
 * the context frees all of it. On disk it is the core's flat form behind a varlena header.
 * Functions chained in one expression hand the expanded object on without flattening it.
 *
 * Arguments are read-only to every function but those that take them (ph_value_take_profile).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_VALUE_H
#define PH_PROFILE_VALUE_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/expandeddatum.h"

#include "profile/profile.h"
#include "server/pgenv.h"
#include "supergraph/supergraph.h"

typedef enum PhValueKind
{
	PH_VALUE_PROFILE,
	PH_VALUE_SUPERGRAPH
} PhValueKind;

/* Values of a stored run that have not been unpacked (profile/stored_values.h). */
typedef struct PhStoredValues PhStoredValues;

typedef struct PhValue
{
	ExpandedObjectHeader header;
	PhValueKind kind;
	PhEnv env; /* of everything in this value */
	PhProfile *profile;
	PhSupergraph *graph;
	PhStoredValues *stored;			  /* what profile, or graph->profile, lacks; NULL: nothing */
	void (*unpack)(struct PhValue *); /* makes stored NULL */
	Size flat_size;					  /* with the varlena header; 0: not known yet */
} PhValue;

/* An empty value in a new child of parent; fill profile or graph with its env. */
PhValue *ph_value_new(PhValueKind kind, MemoryContext parent);

/* Check the bytes of a flat form and expand them in a new child of parent. */
PhValue *ph_value_from_bytes(PhValueKind kind, const void *bytes, Size size, MemoryContext parent);

/* The value of an argument: itself when expanded, else expanded into the current context. */
PhValue *ph_value_of(Datum datum, PhValueKind kind);

/* The same, but values that are packed stay so. */
PhValue *ph_value_as_it_is(Datum datum, PhValueKind kind);

/* Unpack what is packed. */
static inline void
ph_value_unpack(PhValue *value)
{
	if (value->stored != NULL)
		value->unpack(value);
}

/* The flat form as a varlena, fully detoasted; do not modify or free it. */
bytea *ph_value_flat(Datum datum);

/*
 * A profile to give away to `owner`: the argument itself when it may be changed or was flat, else a
 * copy. Its memory becomes part of owner's only by ph_value_adopt, after the core has taken it.
 */
PhValue *ph_value_take_profile(Datum datum);
PhValue *ph_value_take_packed(Datum datum); /* the same as it is */
void ph_value_adopt(PhValue *owner, PhValue *given);

static inline Datum
ph_value_datum(PhValue *value)
{
	return EOHPGetRWDatum(&value->header);
}

/* The argument; an error where it is null, for which functions that are not strict have an answer
 * of their own before they ask for it. */
static inline Datum
ph_arg_value(FunctionCallInfo fcinfo, int argument)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("argument %d must not be null", argument + 1)));
	return PG_GETARG_DATUM(argument);
}

static inline PhProfile *
ph_arg_profile(FunctionCallInfo fcinfo, int argument)
{
	return ph_value_of(ph_arg_value(fcinfo, argument), PH_VALUE_PROFILE)->profile;
}

static inline PhSupergraph *
ph_arg_graph(FunctionCallInfo fcinfo, int argument)
{
	return ph_value_of(ph_arg_value(fcinfo, argument), PH_VALUE_SUPERGRAPH)->graph;
}

#define PG_RETURN_PH_VALUE(value) PG_RETURN_DATUM(ph_value_datum(value))

#endif
