/*
 * fn_rows.c - tables from one profile: flat profile, flame graphs, hot path, columns, metrics.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "profile/gathered.h"
#include "profile/names.h"
#include "profile/rows/rows.h"
#include "profile/stored_values.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "supergraph/group_by.h"

static double
share_of(double part, double whole)
{
	return whole != 0 ? part / whole : NAN;
}

/* Calls of every group by its first node; NULL: the profile does not count them. */
static double *
calls_by_first_node(PhArena *arena, const PhProfile *profile, PhGroupBy by)
{
	PhFlatRow *visits = NULL;
	uint32 n_rows = 0;
	uint32 metric = ph_profile_visits(profile);
	if (metric == PH_NONE)
		return NULL;
	PH_CHECK(arena->env, ph_rows_flat(arena, profile, metric, by, &visits, &n_rows));
	double *calls = palloc_extended(sizeof(double) * Max(profile->n_nodes, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < n_rows; i++)
		calls[visits[i].first_node] = visits[i].exclusive;
	return calls;
}

/* has_residual: whether the function's declaration has that column. */
static Datum
flat_rows(FunctionCallInfo fcinfo, bool has_residual)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 2, profile);
	PhScratch *scratch = ph_scratch_begin();
	PhGroupBy by;
	PH_CHECK(&scratch->env,
			 ph_group_by_parse(&scratch->env, ph_arg_text_or(fcinfo, 1, "function"), &by));
	PhFlatRow *flat = NULL;
	uint32 n_rows = 0;
	PH_CHECK(&scratch->env, ph_rows_flat(&scratch->arena, profile, metric, by, &flat, &n_rows));
	const double *calls = calls_by_first_node(&scratch->arena, profile, by);
	double total = ph_profile_total(profile, metric);
	for (uint32 i = 0; i < n_rows; i++)
	{
		ph_rows_text(&rows, "name", flat[i].name);
		ph_rows_int(&rows, "n_nodes", (int32) flat[i].n_nodes);
		ph_rows_number(&rows, "inclusive", flat[i].inclusive);
		ph_rows_number(&rows, "exclusive", flat[i].exclusive);
		ph_rows_number(&rows, "absorbed", flat[i].absorbed);
		if (has_residual)
			ph_rows_number(&rows, "residual", flat[i].residual);
		ph_rows_number(&rows, "share", share_of(flat[i].exclusive, total));
		ph_rows_text(&rows, "region", flat[i].name);
		ph_rows_number(&rows, "calls", calls != NULL ? calls[flat[i].first_node] : NAN);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_flat_profile)
{
	return flat_rows(fcinfo, true);
}

PH_FUNCTION(ph_flat)
{
	return flat_rows(fcinfo, false);
}

PH_FUNCTION(ph_flame)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	uint32 metric;
	const PhProfile *profile = ph_arg_profile_means(fcinfo, 0, 1, &metric);
	PhScratch *scratch = ph_scratch_begin();
	PhFlameRow *flame = NULL;
	uint32 n_rows = 0;
	uint64_t n_clamped = 0;
	PH_CHECK(&scratch->env,
			 ph_rows_flame(&scratch->arena, profile, metric, &flame, &n_rows, &n_clamped));
	for (uint32 i = 0; i < n_rows; i++)
	{
		ph_rows_int(&rows, "level", (int32) flame[i].level);
		ph_rows_text(&rows, "label", flame[i].label);
		ph_rows_number(&rows, "value", flame[i].value);
		ph_rows_number(&rows, "self", flame[i].self);
		ph_rows_index(&rows, "node", flame[i].node);
		ph_rows_put(&rows);
	}
	if (n_clamped > 0)
		ereport(NOTICE, (errmsg("%llu nodes were clamped to their parent's value",
								(unsigned long long) n_clamped)));
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_flame_boxes)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	uint32 metric;
	const PhProfile *profile = ph_arg_profile_means(fcinfo, 0, 1, &metric);
	PhScratch *scratch = ph_scratch_begin();
	PhFlameRow *flame = NULL;
	uint32 n_rows = 0;
	PH_CHECK(&scratch->env, ph_rows_flame_boxes(&scratch->arena, profile, metric,
												PG_GETARG_FLOAT8(2), &flame, &n_rows));
	for (uint32 i = 0; i < n_rows; i++)
	{
		uint32 node = flame[i].node;
		ph_rows_int(&rows, "level", (int32) flame[i].level);
		ph_rows_text(&rows, "label", flame[i].label);
		ph_rows_number(&rows, "value", flame[i].value);
		ph_rows_number(&rows, "self", flame[i].self);
		ph_rows_index(&rows, "node", node);
		ph_rows_name(&rows, "module", node != PH_NONE ? ph_node_module(profile, node) : NULL);
		ph_rows_index(&rows, "others", flame[i].n_others > 0 ? flame[i].n_others : PH_NONE);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

static void
put_flame_difference(PhRows *rows, const PhFlameRow *row)
{
	ph_rows_int(rows, "level", (int32) row->level);
	ph_rows_text(rows, "label", row->label);
	ph_rows_number(rows, "value", row->value_before);
	ph_rows_number(rows, "self", row->self_before);
	ph_rows_number(rows, "value_right", row->value);
	ph_rows_number(rows, "self_right", row->self);
	ph_rows_index(rows, "node", row->node);
}

static void
put_others(PhRows *rows, const PhFlameRow *row)
{
	bool is_sum = row->n_others > 0;
	ph_rows_index(rows, "others", is_sum ? row->n_others : PH_NONE);
	ph_rows_number(rows, "more", is_sum ? row->more : NAN);
	ph_rows_number(rows, "less", is_sum ? row->less : NAN);
}

/* with_others: call paths under a share of the whole are summed. */
static Datum
flame_diff(FunctionCallInfo fcinfo, bool with_others)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	const PhProfile *a = ph_arg_profile(fcinfo, 0);
	const PhProfile *b = ph_arg_profile(fcinfo, 1);
	uint32 metric = ph_arg_metric(fcinfo, 2, a);
	const char *name = ph_profile_string(a, a->metrics[metric].name);
	double share = with_others && !PG_ARGISNULL(3) ? PG_GETARG_FLOAT8(3) : 0;
	PhScratch *scratch = ph_scratch_begin();
	PhArena *arena = &scratch->arena;
	PhFlameRow *flame = NULL;
	uint32 n_rows = 0;
	PH_CHECK(&scratch->env,
			 with_others ? ph_rows_flame_diff_boxes(arena, a, b, name, share, &flame, &n_rows)
						 : ph_rows_flame_diff(arena, a, b, name, &flame, &n_rows));
	for (uint32 i = 0; i < n_rows; i++)
	{
		put_flame_difference(&rows, &flame[i]);
		if (with_others)
			put_others(&rows, &flame[i]);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_flame_diff)
{
	return flame_diff(fcinfo, false);
}

PH_FUNCTION(ph_flame_diff_boxes)
{
	return flame_diff(fcinfo, true);
}

PH_FUNCTION(ph_hot_path)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	uint32 metric;
	const PhProfile *profile = ph_arg_profile_means(fcinfo, 0, 3, &metric);
	double share = PG_ARGISNULL(1) ? 0.5 : PG_GETARG_FLOAT8(1);
	uint32 start = PG_ARGISNULL(2) ? PH_NONE : ph_arg_node(fcinfo, 2, profile);
	PhScratch *scratch = ph_scratch_begin();
	uint32_t *path = NULL;
	uint32 n_steps = 0;
	PH_CHECK(&scratch->env,
			 ph_rows_hot_path(&scratch->arena, profile, metric, share, start, &path, &n_steps));
	double total = ph_profile_total(profile, metric);
	for (uint32 i = 0; i < n_steps; i++)
	{
		double inclusive = ph_profile_mean(profile, metric, path[i], PH_COST_INCLUSIVE);
		ph_rows_int(&rows, "step", (int32) i);
		ph_rows_int(&rows, "node", (int32) path[i]);
		ph_rows_text(&rows, "name", ph_profile_node_name(profile, path[i]));
		ph_rows_number(&rows, "inclusive", inclusive);
		ph_rows_number(&rows, "exclusive",
					   ph_profile_mean(profile, metric, path[i], PH_COST_EXCLUSIVE));
		ph_rows_number(&rows, "share", share_of(inclusive, total));
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

static void
put_column_place(PhRows *rows, const PhProfile *profile, uint32 column)
{
	const PhColumn *place = &profile->columns[column];
	char label[PH_COLUMN_LABEL_MAX];
	ph_column_label(profile, column, label, sizeof(label));
	ph_rows_known(rows, "rank", place->rank);
	ph_rows_known(rows, "thread", place->thread);
	ph_rows_name(rows, "host", ph_profile_string(profile, place->host));
	ph_rows_text(rows, "name", label);
	ph_rows_bigint_unless(rows, "iteration", place->iteration, PH_NO_ITERATION);
}

static void
put_cell(PhRows *rows, const PhProfile *profile, uint32 metric, uint32 node, uint32 column)
{
	static const struct
	{
		const char *name;
		PhCost cost;
	} costs[] = {{"inclusive", PH_COST_INCLUSIVE},
				 {"exclusive", PH_COST_EXCLUSIVE},
				 {"absorbed", PH_COST_ABSORBED}};
	bool present = ph_profile_is_present(profile, node, column);
	ph_rows_int(rows, "location", (int32) column);
	put_column_place(rows, profile, column);
	ph_rows_bool(rows, "present", present);
	for (int i = 0; i < (int) lengthof(costs); i++)
		ph_rows_number(rows, costs[i].name,
					   present ? ph_profile_cell(profile, metric, node, column, costs[i].cost)
							   : NAN);
	ph_rows_int(rows, "node", (int32) node);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_column_values)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 2, profile);
	uint32 first = PG_ARGISNULL(1) ? 0 : ph_arg_node(fcinfo, 1, profile);
	uint32 end = PG_ARGISNULL(1) ? profile->n_nodes : first + 1;
	for (uint32 n = first; n < end; n++)
		for (uint32 c = 0; c < profile->n_columns; c++)
			put_cell(&rows, profile, metric, n, c);
	return (Datum) 0;
}

PH_FUNCTION(ph_columns)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile = ph_arg_as_it_is(fcinfo, 0, PH_VALUE_PROFILE)->profile;
	for (uint32 c = 0; c < profile->n_columns; c++)
	{
		ph_rows_int(&rows, "location", (int32) c);
		ph_rows_text(&rows, "kind", ph_column_kind_name(profile->columns[c].kind));
		ph_rows_bigint_unless(&rows, "run_id", profile->columns[c].run_id, 0);
		put_column_place(&rows, profile, c);
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}

PH_FUNCTION(ph_metrics)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile = ph_arg_as_it_is(fcinfo, 0, PH_VALUE_PROFILE)->profile;
	for (uint32 m = 0; m < profile->n_metrics; m++)
	{
		const PhMetric *metric = &profile->metrics[m];
		ph_rows_text(&rows, "metric", ph_profile_string(profile, metric->name));
		ph_rows_text(&rows, "unit", ph_profile_string(profile, metric->unit));
		ph_rows_text(&rows, "kind", ph_metric_kind_name(metric->kind));
		ph_rows_bool(&rows, "is_signed", metric->is_signed != 0);
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}
