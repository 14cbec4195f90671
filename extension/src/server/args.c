/*
 * args.c - arguments of SQL functions, checked and resolved against a profile or super graph.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/qunique.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "server/args.h"
#include "server/pgenv.h"

/* How many names an error may list. */
#define LISTED_MAX 8

char *
ph_arg_text(FunctionCallInfo fcinfo, int argument)
{
	if (PG_ARGISNULL(argument))
		return NULL;
	return text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

const char *
ph_arg_text_or(FunctionCallInfo fcinfo, int argument, const char *otherwise)
{
	const char *given = ph_arg_text(fcinfo, argument);
	return given != NULL ? given : otherwise;
}

int64
ph_arg_bigint_or(FunctionCallInfo fcinfo, int argument, int64 otherwise)
{
	return PG_ARGISNULL(argument) ? otherwise : PG_GETARG_INT64(argument);
}

static char *
metric_names(const PhProfile *profile)
{
	StringInfoData list;
	initStringInfo(&list);
	for (uint32 m = 0; m < profile->n_metrics && m < LISTED_MAX; m++)
		appendStringInfo(&list, "%s\"%s\"", m > 0 ? ", " : "",
						 ph_profile_string(profile, profile->metrics[m].name));
	if (profile->n_metrics > LISTED_MAX)
		appendStringInfoString(&list, ", …");
	return list.data;
}

uint32
ph_find_metric(const PhProfile *profile, const char *name)
{
	if (profile->n_metrics == 0)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND), errmsg("the profile has no metrics"),
						errhint("Give it one with profile(run, metric).")));
	uint32 metric = ph_profile_find_metric(profile, name);
	if (metric == PH_NONE)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("the profile has no metric \"%s\"", name),
				 errhint("Its metrics are %s.", metric_names(profile))));
	return metric;
}

uint32
ph_arg_metric(FunctionCallInfo fcinfo, int argument, const PhProfile *profile)
{
	const char *name = ph_arg_text(fcinfo, argument);
	if (name != NULL)
		return ph_find_metric(profile, name);
	if (profile->n_metrics == 0)
		return ph_find_metric(profile, "");
	return 0;
}

uint32
ph_arg_node(FunctionCallInfo fcinfo, int argument, const PhProfile *profile)
{
	int32 node = PG_GETARG_INT32(argument);
	if (node < 0 || (uint32) node >= profile->n_nodes)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND), errmsg("the profile has no node %d", node),
						errhint("Its nodes are 0 to %u; nodes(profile) lists them.",
								profile->n_nodes - 1)));
	return (uint32) node;
}

static char *
supernode_names(const PhSupergraph *graph)
{
	StringInfoData list;
	initStringInfo(&list);
	for (uint32 v = 0; v < graph->n_supernodes && v < LISTED_MAX; v++)
		appendStringInfo(&list, "%s\"%s\"", v > 0 ? ", " : "", graph->supernodes[v].name);
	if (graph->n_supernodes > LISTED_MAX)
		appendStringInfoString(&list, ", …");
	return list.data;
}

uint32
ph_arg_supernode(FunctionCallInfo fcinfo, int argument, const PhSupergraph *graph)
{
	const char *name = ph_arg_text_or(fcinfo, argument, "");
	uint32 node = ph_supergraph_find(graph, name);
	if (node == PH_NONE)
		ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
						errmsg("the super graph has no supernode \"%s\"", name),
						errhint("Its supernodes are %s.", supernode_names(graph))));
	return node;
}

PhCost
ph_arg_cost(FunctionCallInfo fcinfo, int argument)
{
	const char *cost = ph_arg_text_or(fcinfo, argument, "inclusive");
	if (pg_strcasecmp(cost, "inclusive") == 0)
		return PH_COST_INCLUSIVE;
	if (pg_strcasecmp(cost, "exclusive") == 0)
		return PH_COST_EXCLUSIVE;
	if (pg_strcasecmp(cost, "absorbed") == 0)
		return PH_COST_ABSORBED;
	if (pg_strcasecmp(cost, "own") == 0)
		return PH_COST_OWN;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown cost \"%s\"", cost),
					errhint("Use inclusive, exclusive, absorbed or own.")));
}

static ArrayType *
flat_array(FunctionCallInfo fcinfo, int argument)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("array must have one dimension, not %d", ARR_NDIM(array))));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("array must not contain nulls")));
	return array;
}

int32 *
ph_arg_ints(FunctionCallInfo fcinfo, int argument, int *count)
{
	ArrayType *array = flat_array(fcinfo, argument);
	if (ARR_ELEMTYPE(array) != INT4OID)
		elog(ERROR, "array of integers expected");
	*count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	return (int32 *) ARR_DATA_PTR(array);
}

char **
ph_arg_texts(FunctionCallInfo fcinfo, int argument, int *count)
{
	ArrayType *array = flat_array(fcinfo, argument);
	Datum *elements;
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL, count);
	char **texts = palloc(sizeof(char *) * Max(*count, 1));
	for (int i = 0; i < *count; i++)
		texts[i] = TextDatumGetCString(elements[i]);
	return texts;
}

void
ph_refuse_no_columns(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("no column is selected"),
					errhint("Name at least one; columns(profile) lists locations and ranks.")));
}

bool *
ph_arg_columns(FunctionCallInfo fcinfo, int argument, const PhProfile *profile)
{
	int count;
	const int32 *locations = ph_arg_ints(fcinfo, argument, &count);
	bool *keep = palloc0(sizeof(bool) * Max(profile->n_columns, 1));
	if (count == 0)
		ph_refuse_no_columns();
	for (int i = 0; i < count; i++)
	{
		if (locations[i] < 0 || (uint32) locations[i] >= profile->n_columns)
			ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
							errmsg("the profile has no location %d", locations[i]),
							errhint("It has %u columns, numbered from 0.", profile->n_columns)));
		keep[locations[i]] = true;
	}
	return keep;
}

static int
compare_ints(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;
	return (x > y) - (x < y);
}

bool *
ph_arg_rank_columns(FunctionCallInfo fcinfo, int argument, const PhProfile *profile)
{
	int count;
	const int32 *given = ph_arg_ints(fcinfo, argument, &count);
	if (count == 0)
		ph_refuse_no_columns();
	int32 *ranks = palloc(sizeof(int32) * count);
	bool *met = palloc0(sizeof(bool) * count);
	memcpy(ranks, given, sizeof(int32) * count);
	qsort(ranks, count, sizeof(int32), compare_ints);
	count = (int) qunique(ranks, count, sizeof(int32), compare_ints);
	bool *keep = palloc0(sizeof(bool) * Max(profile->n_columns, 1));
	for (uint32 c = 0; c < profile->n_columns; c++)
	{
		const int32 *found =
			bsearch(&profile->columns[c].rank, ranks, count, sizeof(int32), compare_ints);
		keep[c] = found != NULL && *found != PH_NO_NUMBER;
		if (keep[c])
			met[found - ranks] = true;
	}
	for (int i = 0; i < count; i++)
		if (!met[i])
			ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
							errmsg("the profile has no column of rank %d", ranks[i]),
							errhint("columns(profile) lists the ranks that it has.")));
	return keep;
}
