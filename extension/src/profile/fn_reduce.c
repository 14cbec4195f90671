/*
 * fn_reduce.c - SQL functions that make a smaller or coarser profile from one profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "profile/node_path.h"
#include "profile/ops.h"
#include "profile/value.h"
#include "query/query.h"
#include "server/args.h"
#include "server/compat.h"

static PhValue *
new_profile(void)
{
	return ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
}

static PhStat
parse_stat(const char *stat)
{
	if (pg_strcasecmp(stat, "mean") == 0)
		return PH_STAT_MEAN;
	if (pg_strcasecmp(stat, "max") == 0)
		return PH_STAT_MAX;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unknown statistic \"%s\"", stat), errhint("Use mean or max.")));
}

static PhCost
parse_filter_cost(FunctionCallInfo fcinfo, int argument)
{
	PhCost cost = ph_arg_cost(fcinfo, argument);
	if (cost != PH_COST_INCLUSIVE && cost != PH_COST_EXCLUSIVE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a filter needs cost inclusive or exclusive")));
	return cost;
}

PH_FUNCTION(ph_profile_filter_by)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhStat stat = parse_stat(ph_arg_text_or(fcinfo, 2, "mean"));
	PhCost cost = parse_filter_cost(fcinfo, 3);
	uint32 metric = ph_arg_metric(fcinfo, 4, profile);
	PhValue *out = new_profile();
	PH_CHECK(&out->env, ph_profile_filter(&out->env, profile, PG_GETARG_FLOAT8(1), stat, metric,
										  cost, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_drop_small_roots)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 2, profile);
	PhValue *out = new_profile();
	PH_CHECK(&out->env,
			 ph_profile_drop_roots(&out->env, profile, PG_GETARG_FLOAT8(1), metric, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

static Datum
subset(const PhProfile *profile, const bool *keep)
{
	PhValue *out = new_profile();
	PH_CHECK(&out->env, ph_profile_subset(&out->env, profile, keep, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_subset_columns)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	return subset(profile, ph_arg_columns(fcinfo, 1, profile));
}

PH_FUNCTION(ph_profile_subset_ranks)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	return subset(profile, ph_arg_rank_columns(fcinfo, 1, profile));
}

static Datum
subtree(const PhProfile *profile, uint32 node, bool reroot)
{
	PhValue *out = new_profile();
	PH_CHECK(&out->env, ph_profile_subtree(&out->env, profile, node, reroot, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_subtree_node)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	return subtree(profile, ph_arg_node(fcinfo, 1, profile), PG_GETARG_BOOL(2));
}

PH_FUNCTION(ph_profile_subtree_path)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	uint32 node = ph_node_by_path(profile, ph_arg_text(fcinfo, 1));
	return subtree(profile, node, PG_GETARG_BOOL(2));
}

/* Marks of the nodes on paths that the query matches; lives in scratch. */
static bool *
query_marks(PhScratch *scratch, const PhProfile *profile, const char *query)
{
	PhQuery *parsed = NULL;
	bool *marks = NULL;
	PH_CHECK(&scratch->env, ph_query_parse(&scratch->arena, query, &parsed));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, profile->n_nodes, &marks));
	PH_CHECK(&scratch->env, ph_query_run(&scratch->arena, parsed, profile, marks));
	return marks;
}

static void
refuse_no_match(const PhProfile *profile, const bool *marks, const char *query)
{
	for (uint32 n = 0; n < profile->n_nodes; n++)
		if (marks[n])
			return;
	ereport(ERROR,
			(errcode(PH_ERRCODE_NOT_FOUND), errmsg("no call path matches the query \"%s\"", query),
			 errhint("nodes(profile) lists names, modules and files.")));
}

PH_FUNCTION(ph_profile_squash_by)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	const char *query = ph_arg_text(fcinfo, 1);
	PhScratch *scratch = ph_scratch_begin();
	bool *keep = query_marks(scratch, profile, query);
	refuse_no_match(profile, keep, query);
	PhValue *out = new_profile();
	PH_CHECK(&out->env, ph_profile_squash(&out->env, profile, keep, psprintf("squash: %s", query),
										  &out->profile));
	ph_scratch_end(scratch);
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_call_path_query)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	const char *query = ph_arg_text(fcinfo, 1);
	PhScratch *scratch = ph_scratch_begin();
	bool *keep = query_marks(scratch, profile, query);
	PhValue *out = new_profile();
	PH_CHECK(&out->env, ph_profile_splice(&out->env, profile, keep,
										  psprintf("call path query: %s", query), &out->profile));
	ph_scratch_end(scratch);
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_invert_of)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhValue *out = new_profile();
	PH_CHECK(&out->env, ph_profile_invert(&out->env, profile, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_roll_up_level)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhValue *out = new_profile();
	PH_CHECK(&out->env,
			 ph_profile_roll_up_by(&out->env, profile, ph_arg_text(fcinfo, 1), &out->profile));
	PG_RETURN_PH_VALUE(out);
}

/* A label per column; null elements drop theirs. */
static const char **
arg_labels(FunctionCallInfo fcinfo, int argument, uint32 n)
{
	Datum *elements;
	bool *nulls;
	int count;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(argument), TEXTOID, -1, false, TYPALIGN_INT, &elements,
					  &nulls, &count);
	if ((uint32) count != n)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%d labels for a profile of %u columns", count, n),
						errhint("columns(profile) lists the columns in order.")));
	const char **labels = palloc(sizeof(char *) * Max(n, 1));
	for (uint32 i = 0; i < n; i++)
		labels[i] = nulls[i] ? NULL : TextDatumGetCString(elements[i]);
	return labels;
}

PH_FUNCTION(ph_profile_roll_up_groups)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	const char **labels = arg_labels(fcinfo, 1, profile->n_columns);
	const char *how = ph_arg_text(fcinfo, 2);
	bool means = strcmp(how, "mean") == 0;
	if (!means && strcmp(how, "sum") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot combine columns by \"%s\"", how), errhint("Use sum or mean.")));
	PhValue *out = new_profile();
	PH_CHECK(&out->env,
			 ph_profile_roll_up_labels(&out->env, profile, labels, means, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_select_metrics_of)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	int count;
	char **names = ph_arg_texts(fcinfo, 1, &count);
	if (count == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("no metric is named"),
						errhint("metrics(profile) lists the metrics of a profile.")));
	uint32 *metrics = palloc(sizeof(uint32) * count);
	for (int i = 0; i < count; i++)
		metrics[i] = ph_find_metric(profile, names[i]);
	PhValue *out = new_profile();
	PH_CHECK(&out->env,
			 ph_profile_select_metrics(&out->env, profile, (uint32) count, metrics, &out->profile));
	PG_RETURN_PH_VALUE(out);
}
