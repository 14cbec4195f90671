/*
 * fn_aggregate.c - the aggregates ensemble, mean and sum.
 *
 * The state keeps profiles as they come until they are as large as what came before, and then folds
 * them into it (profile/fold.h): sums exactly, so that the result does not depend on the order of
 * the input to the last bit; an ensemble's profiles become one column each at once. So a state is
 * about three times as large as its result, and every profile is folded as often as the result
 * doubles.
 *
 * Profiles add up by column as long as all have had the same columns, and as means else. Which of
 * it the next one decides, so there are sums of both until columns differ.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "profile/fold.h"
#include "profile/names.h"
#include "profile/ops.h"
#include "profile/value.h"
#include "server/compat.h"

#define FOLD_BYTES ((size_t) 1024 * 1024) /* fewer are not worth a fold */
#define N_PARTIALS 2					  /* by PhUnionColumns; an ensemble has the first only */

typedef struct PhCollection
{
	MemoryContext context;
	bool is_ensemble;
	bool matches; /* all columns were the same */
	PhValue *holders[N_PARTIALS];
	PhPartial partials[N_PARTIALS];
	uint32 count; /* profiles that are not folded yet */
	uint32 capacity;
	size_t bytes; /* of these */
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
collection_new(MemoryContext context, bool is_ensemble)
{
	PhCollection *collection = MemoryContextAllocZero(context, sizeof(PhCollection));
	collection->context = context;
	collection->is_ensemble = is_ensemble;
	collection->matches = true;
	collection->capacity = 16;
	collection->values = MemoryContextAllocZero(context, sizeof(PhValue *) * 16);
	collection->labels = MemoryContextAllocZero(context, sizeof(char *) * 16);
	return collection;
}

static PhCollection *
collection_of(FunctionCallInfo fcinfo, MemoryContext context, bool is_ensemble)
{
	if (!PG_ARGISNULL(0))
		return (PhCollection *) PG_GETARG_POINTER(0);
	return collection_new(context, is_ensemble);
}

/* ---- folding ---- */

static const PhProfile **
collected_profiles(const PhCollection *collection)
{
	const PhProfile **profiles = palloc(sizeof(PhProfile *) * Max(collection->count, 1));
	for (uint32 i = 0; i < collection->count; i++)
		profiles[i] = collection->values[i]->profile;
	return profiles;
}

static size_t
partial_bytes(const PhCollection *collection)
{
	size_t bytes = 0;
	for (int i = 0; i < N_PARTIALS; i++)
		if (collection->holders[i] != NULL)
			bytes += collection->holders[i]->env.bytes;
	return bytes;
}

static void
drop_partial(PhCollection *collection, int which)
{
	if (collection->holders[which] != NULL)
		MemoryContextDelete(collection->holders[which]->header.eoh_context);
	collection->holders[which] = NULL;
	collection->partials[which] = (PhPartial){0};
}

static void
keep_partial(PhCollection *collection, int which, PhValue *holder, PhPartial partial)
{
	drop_partial(collection, which);
	holder->profile = partial.profile;
	collection->holders[which] = holder;
	collection->partials[which] = partial;
}

static void
forget_profiles(PhCollection *collection)
{
	for (uint32 i = 0; i < collection->count; i++)
	{
		MemoryContextDelete(collection->values[i]->header.eoh_context);
		if (collection->labels[i] != NULL)
			pfree(collection->labels[i]);
	}
	collection->count = 0;
	collection->bytes = 0;
}

/* Into the sum of one kind; other: one to be added, or of nothing. */
static void
fold_sum(PhCollection *collection, PhUnionColumns columns, const PhPartial *other)
{
	PhPartial both[] = {collection->partials[columns], *other};
	PhPartial next;
	PhSummands in = {2, both, collection->count, collected_profiles(collection)};
	PhValue *holder = ph_value_new(PH_VALUE_PROFILE, collection->context);
	PH_CHECK(&holder->env, ph_profile_fold(&holder->env, &in, columns, &next));
	if (next.profile != NULL)
	{
		keep_partial(collection, (int) columns, holder, next);
		return;
	}
	collection->matches = false;
	drop_partial(collection, (int) columns);
	MemoryContextDelete(holder->header.eoh_context);
}

static void
fold_sums(PhCollection *collection, const PhPartial *others)
{
	if (collection->matches)
		fold_sum(collection, PH_UNION_MATCH, &others[PH_UNION_MATCH]);
	fold_sum(collection, PH_UNION_MEANS, &others[PH_UNION_MEANS]);
	forget_profiles(collection);
}

static void
fold_ensemble(PhCollection *collection)
{
	PhPartial next;
	PhValue *holder = ph_value_new(PH_VALUE_PROFILE, collection->context);
	PH_CHECK(&holder->env,
			 ph_ensemble_fold(&holder->env, &collection->partials[0], collection->count,
							  collected_profiles(collection),
							  (const char *const *) collection->labels, false, &next));
	keep_partial(collection, 0, holder, next);
	forget_profiles(collection);
}

/* When what came is as large as what was there, so that all folds together cost as much as the last
 * few; with little memory, when it is a part of that. */
static void
fold_if_large(PhCollection *collection)
{
	static const PhPartial nothing[N_PARTIALS];
	size_t limit = (size_t) ph_memory_limit_kb * 1024;
	if (collection->bytes < Max(partial_bytes(collection), Min(FOLD_BYTES, limit / 8)))
		return;
	if (collection->is_ensemble)
		fold_ensemble(collection);
	else
		fold_sums(collection, nothing);
}

static void
collection_add(PhCollection *collection, PhValue *value, char *label)
{
	collection->bytes += value->env.bytes;
	if ((collection->bytes + partial_bytes(collection)) / 1024 > (size_t) ph_memory_limit_kb)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the union of the profiles needs more than %d kB", ph_memory_limit_kb),
				 errhint("Take fewer profiles, or filter them first; an administrator can "
						 "raise \"perfhouse.memory_limit\".")));
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

/* ---- transition ---- */

PH_FUNCTION(ph_profile_collect)
{
	MemoryContext context = aggregate_context(fcinfo);
	PhCollection *collection = collection_of(fcinfo, context, false);
	if (!PG_ARGISNULL(1))
	{
		PhValue *value = ph_value_take_profile(PG_GETARG_DATUM(1));
		MemoryContextSetParent(value->header.eoh_context, context);
		collection_add(collection, value, NULL);
		fold_if_large(collection);
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
	PhCollection *collection = collection_of(fcinfo, context, true);
	if (!PG_ARGISNULL(1))
	{
		const PhProfile *profile = ph_arg_profile(fcinfo, 1);
		const char *label =
			PG_ARGISNULL(2) ? own_label(profile) : text_to_cstring(PG_GETARG_TEXT_PP(2));
		PhValue *column = ph_value_new(PH_VALUE_PROFILE, context);
		PH_CHECK(&column->env,
				 ph_profile_ensemble(&column->env, 1, &profile, &label, &column->profile));
		collection_add(collection, column, MemoryContextStrdup(context, label));
		fold_if_large(collection);
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
	PhCollection *collection = collection_of(fcinfo, context, false);
	PhCollection *other = (PhCollection *) PG_GETARG_POINTER(1);
	for (uint32 i = 0; i < other->count; i++)
	{
		MemoryContextSetParent(other->values[i]->header.eoh_context, context);
		collection_add(collection, other->values[i], NULL);
	}
	collection->matches = collection->matches && other->matches;
	if (!collection->matches)
		drop_partial(collection, PH_UNION_MATCH);
	if (other->partials[PH_UNION_MEANS].n > 0)
		fold_sums(collection, other->partials);
	else
		fold_if_large(collection);
	PG_RETURN_POINTER(collection);
}

/* ---- between processes ---- */

static void
send_partial(StringInfo buffer, PhCollection *collection, int which)
{
	const PhPartial *partial = &collection->partials[which];
	size_t size = 0;
	if (partial->profile == NULL)
	{
		pq_sendint32(buffer, 0);
		return;
	}
	PhEnv *env = &collection->holders[which]->env;
	PH_CHECK(env, ph_partial_flat_size(env, partial, &size));
	pq_sendint32(buffer, (uint32) Min(size, (size_t) PG_INT32_MAX));
	enlargeStringInfo(buffer,
					  (int) Min(size, (size_t) PG_INT32_MAX)); /* refuses what is too large */
	PH_CHECK(env, ph_partial_flatten(env, partial, (uint8 *) buffer->data + buffer->len));
	buffer->len += (int) size;
}

static void
receive_partial(StringInfo message, PhCollection *collection, int which)
{
	int size = (int) pq_getmsgint(message, 4);
	PhPartial partial;
	if (size == 0)
		return;
	PhValue *holder = ph_value_new(PH_VALUE_PROFILE, collection->context);
	PH_CHECK(&holder->env,
			 ph_partial_unflatten(&holder->env, (const uint8 *) pq_getmsgbytes(message, size),
								  (size_t) size, &partial));
	keep_partial(collection, which, holder, partial);
}

PH_FUNCTION(ph_profile_collect_serialize)
{
	aggregate_context(fcinfo);
	PhCollection *collection = (PhCollection *) PG_GETARG_POINTER(0);
	StringInfoData buffer;
	pq_begintypsend(&buffer);
	pq_sendbyte(&buffer, collection->matches);
	for (int i = 0; i < N_PARTIALS; i++)
		send_partial(&buffer, collection, i);
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
	PhCollection *collection = collection_new(CurrentMemoryContext, false);
	collection->matches = pq_getmsgbyte(&message) != 0;
	for (int i = 0; i < N_PARTIALS; i++)
		receive_partial(&message, collection, i);
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

/* ---- results: states may be read again (windows) ---- */

static bool
is_empty(const PhCollection *collection)
{
	return collection->count == 0 && collection->partials[0].n + collection->partials[1].n == 0;
}

PH_FUNCTION(ph_profile_ensemble_final)
{
	const PhCollection *collection = PG_ARGISNULL(0) ? NULL : (PhCollection *) PG_GETARG_POINTER(0);
	PhPartial whole;
	aggregate_context(fcinfo);
	if (collection == NULL || is_empty(collection))
		PG_RETURN_NULL();
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_ensemble_fold(&out->env, &collection->partials[0], collection->count,
										 collected_profiles(collection),
										 (const char *const *) collection->labels, true, &whole));
	out->profile = whole.profile;
	PG_RETURN_PH_VALUE(out);
}

static Datum
sum_final(FunctionCallInfo fcinfo, bool mean)
{
	const PhCollection *collection = PG_ARGISNULL(0) ? NULL : (PhCollection *) PG_GETARG_POINTER(0);
	aggregate_context(fcinfo);
	if (collection == NULL || is_empty(collection))
		PG_RETURN_NULL();
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PhSummands in = {1, NULL, collection->count, collected_profiles(collection)};
	if (collection->partials[PH_UNION_MEANS].n == 0)
	{
		PH_CHECK(&out->env,
				 ph_profile_sum(&out->env, in.n_profiles, in.profiles, mean, &out->profile));
		PG_RETURN_PH_VALUE(out);
	}
	in.partials = &collection->partials[PH_UNION_MATCH];
	if (collection->matches)
		PH_CHECK(&out->env,
				 ph_profile_fold_end(&out->env, &in, PH_UNION_MATCH, mean, &out->profile));
	in.partials = &collection->partials[PH_UNION_MEANS];
	if (out->profile == NULL)
		PH_CHECK(&out->env,
				 ph_profile_fold_end(&out->env, &in, PH_UNION_MEANS, mean, &out->profile));
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
