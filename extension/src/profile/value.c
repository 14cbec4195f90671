/*
 * value.c - expanded objects around the core's profiles and super graphs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "profile/flat.h"
#include "profile/value.h"
#include "server/compat.h"

static Size get_flat_size(ExpandedObjectHeader *header);
static void flatten_into(ExpandedObjectHeader *header, void *result, Size allocated_size);

static const ExpandedObjectMethods value_methods = {get_flat_size, flatten_into};

PhValue *
ph_value_new(PhValueKind kind, MemoryContext parent)
{
	if (GetDatabaseEncoding() != PG_UTF8)
		ereport(ERROR, (errcode(PH_ERRCODE_UNSUPPORTED),
						errmsg("profiles need a database with encoding UTF8"),
						errhint("Create the database with ENCODING 'UTF8'.")));
	MemoryContext context =
		AllocSetContextCreate(parent, "perfhouse value", ALLOCSET_DEFAULT_SIZES);
	PhValue *value = MemoryContextAllocZero(context, sizeof(PhValue));
	EOH_init_header(&value->header, &value_methods, context);
	value->kind = kind;
	ph_pgenv_init(&value->env, context);
	return value;
}

static Size
get_flat_size(ExpandedObjectHeader *header)
{
	PhValue *value = (PhValue *) header;
	if (value->flat_size != 0)
		return value->flat_size;
	size_t size = 0;
	ph_value_unpack(value);
	if (value->kind == PH_VALUE_PROFILE)
		PH_CHECK(&value->env, ph_profile_flat_size(&value->env, value->profile, &size));
	else
		PH_CHECK(&value->env, ph_supergraph_flat_size(&value->env, value->graph, &size));
	if (size > MaxAllocSize - VARHDRSZ)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the flat form needs %zu bytes, but a stored value can have %zu",
							   size, (size_t) (MaxAllocSize - VARHDRSZ)),
						errhint("Select fewer ranks or metrics, or roll up the columns.")));
	value->flat_size = size + VARHDRSZ;
	return value->flat_size;
}

static void
flatten_into(ExpandedObjectHeader *header, void *result, Size allocated_size)
{
	PhValue *value = (PhValue *) header;
	uint8_t *bytes = (uint8_t *) VARDATA(result);
	Assert(allocated_size == value->flat_size);
	SET_VARSIZE(result, allocated_size);
	if (value->kind == PH_VALUE_PROFILE)
		PH_CHECK(&value->env, ph_profile_flatten(&value->env, value->profile, bytes));
	else
		PH_CHECK(&value->env, ph_supergraph_flatten(&value->env, value->graph, bytes));
}

PhValue *
ph_value_from_bytes(PhValueKind kind, const void *bytes, Size size, MemoryContext parent)
{
	PhValue *value = ph_value_new(kind, parent);
	if (kind == PH_VALUE_PROFILE)
		PH_CHECK(&value->env, ph_profile_unflatten(&value->env, bytes, size, &value->profile));
	else
		PH_CHECK(&value->env, ph_supergraph_unflatten(&value->env, bytes, size, &value->graph));
	return value;
}

static PhValue *
expanded_value(Datum datum, PhValueKind kind)
{
	PhValue *value = (PhValue *) DatumGetEOHP(datum);
	if (value->header.eoh_methods != &value_methods || value->kind != kind)
		elog(ERROR, "expanded object is not a %s",
			 kind == PH_VALUE_PROFILE ? "profile" : "supergraph");
	return value;
}

static PhValue *
expand_flat(Datum datum, PhValueKind kind)
{
	struct varlena *flat = PG_DETOAST_DATUM_PACKED(datum);
	PhValue *value =
		ph_value_from_bytes(kind, VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat), CurrentMemoryContext);
	if ((Pointer) flat != DatumGetPointer(datum))
		pfree(flat);
	return value;
}

PhValue *
ph_value_as_it_is(Datum datum, PhValueKind kind)
{
	if (VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(datum)))
		return expanded_value(datum, kind);
	return expand_flat(datum, kind);
}

PhValue *
ph_value_of(Datum datum, PhValueKind kind)
{
	PhValue *value = ph_value_as_it_is(datum, kind);
	ph_value_unpack(value);
	return value;
}

bytea *
ph_value_flat(Datum datum)
{
	return (bytea *) PG_DETOAST_DATUM(datum);
}

PhValue *
ph_value_take_packed(Datum datum)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(datum);
	if (!VARATT_IS_EXTERNAL_EXPANDED(pointer))
		return expand_flat(datum, PH_VALUE_PROFILE);
	if (VARATT_IS_EXTERNAL_EXPANDED_RW(pointer))
		return expanded_value(datum, PH_VALUE_PROFILE);
	bytea *flat = ph_value_flat(datum);
	PhValue *copy = ph_value_from_bytes(PH_VALUE_PROFILE, VARDATA(flat), VARSIZE(flat) - VARHDRSZ,
										CurrentMemoryContext);
	pfree(flat);
	return copy;
}

PhValue *
ph_value_take_profile(Datum datum)
{
	PhValue *value = ph_value_take_packed(datum);
	ph_value_unpack(value);
	return value;
}

void
ph_value_adopt(PhValue *owner, PhValue *given)
{
	owner->stored = given->stored;
	owner->unpack = given->unpack;
	given->stored = NULL;
	MemoryContextSetParent(given->header.eoh_context, owner->header.eoh_context);
}
