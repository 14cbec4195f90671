/*
 * fn_aggregate.c - the aggregates ensemble, mean and sum.
 *
 * The state keeps every input profile in the aggregate's memory: the result of mean and sum must
 * not depend on the order of the input to the last bit, so nothing is added up early. An ensemble
 * needs only each profile's mean over columns, so its inputs are reduced to one column as they
 * come. What is kept is bounded by perfhouse.memory_limit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "profile/names.h"
#include "profile/ops.h"
#include "profile/value.h"
#include "server/compat.h"

typedef struct PhCollection
{
	MemoryContext context;
	uint32 count;
	uint32 capacity;
	size_t bytes; /* of the values */
	PhValue **values;
	char **labels; /* NULL elements: the profile's own source */
} PhCollection;

static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	return context;
}

static PhCollection *
collection_new(MemoryContext context)
{
	PhCollection *collection = MemoryContextAllocZero(context, sizeof(PhCollection));
	collection->context = context;
	collection->capacity = 16;
	collection->values = MemoryContextAllocZero(context, sizeof(PhValue *) * 16);
	collection->labels = MemoryContextAllocZero(context, sizeof(char *) * 16);
	return collection;
}

static PhCollection *
collection_of(FunctionCallInfo fcinfo, MemoryContext context)
{
	if (!PG_ARGISNULL(0))
		return (PhCollection *) PG_GETARG_POINTER(0);
	return collection_new(context);
}

static void
collection_add(PhCollection *collection, PhValue *value, char *label)
{
	collection->bytes += value->env.bytes;
	if (collection->bytes / 1024 > (size_t) ph_memory_limit_kb)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("%u profiles need more than %d kB together", collection->count + 1,
							   ph_memory_limit_kb),
						errhint("Add up fewer, or groups of them first; an administrator can raise "
								"\"perfhouse.memory_limit\".")));
	if (collection->count == collection->capacity)
	{
		collection->capacity *= 2;
		collection->values =
			repalloc_huge(collection->values, sizeof(PhValue *) * collection->capacity);
		collection->labels =
			repalloc_huge(collection->labels, sizeof(char *) * collection->capacity);
	}
	collection->values[collection->count] = value;
	collection->labels[collection->count++] = label;
}

PH_FUNCTION(ph_profile_collect)
{
	MemoryContext context = aggregate_context(fcinfo);
	PhCollection *collection = collection_of(fcinfo, context);
	if (!PG_ARGISNULL(1))
	{
		PhValue *value = ph_value_take_profile(PG_GETARG_DATUM(1));
		MemoryContextSetParent(value->header.eoh_context, context);
		collection_add(collection, value, NULL);
	}
	PG_RETURN_POINTER(collection);
}

/* What a column of an ensemble is called when the caller gave no label. */
static const char *
own_label(const PhProfile *profile)
{
	const PhProvenance *provenance = &profile->provenance;
	return provenance->n_sources == 1 ? ph_source_label(profile, &provenance->sources[0])
									  : "profile";
}

PH_FUNCTION(ph_profile_collect_labelled)
{
	MemoryContext context = aggregate_context(fcinfo);
	PhCollection *collection = collection_of(fcinfo, context);
	if (!PG_ARGISNULL(1))
	{
		const PhProfile *profile = ph_arg_profile(fcinfo, 1);
		const char *label =
			PG_ARGISNULL(2) ? own_label(profile) : text_to_cstring(PG_GETARG_TEXT_PP(2));
		PhValue *column = ph_value_new(PH_VALUE_PROFILE, context);
		PH_CHECK(&column->env,
				 ph_profile_ensemble(&column->env, 1, &profile, &label, &column->profile));
		collection_add(collection, column, MemoryContextStrdup(context, label));
	}
	PG_RETURN_POINTER(collection);
}

PH_FUNCTION(ph_profile_collect_combine)
{
	MemoryContext context = aggregate_context(fcinfo);
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_POINTER(PG_GETARG_POINTER(0));
	}
	PhCollection *collection = collection_of(fcinfo, context);
	PhCollection *other = (PhCollection *) PG_GETARG_POINTER(1);
	for (uint32 i = 0; i < other->count; i++)
	{
		MemoryContextSetParent(other->values[i]->header.eoh_context, context);
		collection_add(collection, other->values[i], NULL);
	}
	PG_RETURN_POINTER(collection);
}

PH_FUNCTION(ph_profile_collect_serialize)
{
	aggregate_context(fcinfo);
	const PhCollection *collection = (PhCollection *) PG_GETARG_POINTER(0);
	StringInfoData buffer;
	pq_begintypsend(&buffer);
	pq_sendint32(&buffer, collection->count);
	for (uint32 i = 0; i < collection->count; i++)
	{
		const bytea *flat = ph_value_flat(ph_value_datum(collection->values[i]));
		pq_sendint32(&buffer, VARSIZE(flat) - VARHDRSZ);
		pq_sendbytes(&buffer, VARDATA(flat), VARSIZE(flat) - VARHDRSZ);
	}
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

PH_FUNCTION(ph_profile_collect_deserialize)
{
	aggregate_context(fcinfo);
	const bytea *bytes = PG_GETARG_BYTEA_PP(0);
	StringInfoData message;
	initStringInfo(&message);
	appendBinaryStringInfo(&message, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	PhCollection *collection = collection_new(CurrentMemoryContext);
	uint32 count = pq_getmsgint(&message, 4);
	for (uint32 i = 0; i < count; i++)
	{
		int size = (int) pq_getmsgint(&message, 4);
		const char *flat = pq_getmsgbytes(&message, size);
		collection_add(collection,
					   ph_value_from_bytes(PH_VALUE_PROFILE, flat, size, CurrentMemoryContext),
					   NULL);
	}
	pq_getmsgend(&message);
	pfree(message.data);
	PG_RETURN_POINTER(collection);
}

static const PhProfile **
collected_profiles(const PhCollection *collection)
{
	const PhProfile **profiles = palloc(sizeof(PhProfile *) * collection->count);
	for (uint32 i = 0; i < collection->count; i++)
		profiles[i] = collection->values[i]->profile;
	return profiles;
}

PH_FUNCTION(ph_profile_ensemble_final)
{
	const PhCollection *collection = PG_ARGISNULL(0) ? NULL : (PhCollection *) PG_GETARG_POINTER(0);
	aggregate_context(fcinfo);
	if (collection == NULL || collection->count == 0)
		PG_RETURN_NULL();
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env,
			 ph_profile_ensemble(&out->env, collection->count, collected_profiles(collection),
								 (const char *const *) collection->labels, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

static Datum
sum_final(FunctionCallInfo fcinfo, bool mean)
{
	const PhCollection *collection = PG_ARGISNULL(0) ? NULL : (PhCollection *) PG_GETARG_POINTER(0);
	aggregate_context(fcinfo);
	if (collection == NULL || collection->count == 0)
		PG_RETURN_NULL();
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_sum(&out->env, collection->count, collected_profiles(collection),
									   mean, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_mean_final)
{
	return sum_final(fcinfo, true);
}

PH_FUNCTION(ph_profile_sum_final)
{
	return sum_final(fcinfo, false);
}
