/*
 * fn_polymetric.c - least, greatest and mean cost: of every node over columns, of every column over
 * nodes; which nodes a query or a path means.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "profile/cells.h"
#include "profile/gathered.h"
#include "profile/names.h"
#include "profile/node_path.h"
#include "profile/stored_values.h"
#include "profile/value.h"
#include "query/query.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"

/* ---- a row per node ------------------------------------------------------------------------- */

static double
known_value(const PhProfile *profile, uint32 metric, size_t cell, PhCost cost)
{
	double value = ph_profile_value(profile, metric, cell, cost);
	return isnan(value) ? 0 : value;
}

/* Least and greatest of the values of one node, and the column of the greatest. */
typedef struct NodeRange
{
	double min, max, sum;
	uint32 worst;
} NodeRange;

/* A value; or 0, of all columns that the node lacks from this one on. */
static void
widen(NodeRange *range, double value, uint32 column)
{
	range->sum += value;
	range->min = Min(range->min, value);
	if (value > range->max)
	{
		range->max = value;
		range->worst = column;
	}
}

static NodeRange
find_range(const PhProfile *profile, uint32 metric, uint32 node, PhCost cost)
{
	NodeRange range = {INFINITY, -INFINITY, 0, 0};
	PhRowWalk walk = ph_row_walk(profile, node);
	uint32 at = 0;
	for (PhRowSpan span; ph_row_next(&walk, &span); at = span.first + span.n)
	{
		if (span.first > at)
			widen(&range, 0, at);
		for (uint32 i = 0; i < span.n; i++)
			widen(&range, known_value(profile, metric, span.cell + i, cost), span.first + i);
	}
	if (at < profile->n_columns)
		widen(&range, 0, at);
	return range;
}

/* Ranges of all nodes, by node. */
typedef struct NodeRanges
{
	uint32 metric;
	PhCost cost;
	NodeRange *ranges;
} NodeRanges;

static void
take_range(void *user, uint32 node, const PhProfile *one)
{
	NodeRanges *found = user;
	found->ranges[node] = find_range(one, found->metric, 0, found->cost);
}

static void
put_node_range(PhRows *rows, const PhProfile *profile, uint32 node, const PhGathered *gathered,
			   NodeRange range)
{
	double mean = range.sum / profile->n_columns;
	char label[PH_COLUMN_LABEL_MAX];
	if (gathered != NULL)
	{
		PhOverRanks over = ph_over_ranks(profile, gathered, node);
		range.min = isnan(over.min) ? over.mean : over.min;
		range.max = over.max;
		mean = over.mean;
	}
	ph_column_label(profile, range.worst, label, sizeof(label));
	ph_rows_int(rows, "node", (int32) node);
	ph_rows_int(rows, "n_present", (int32) ph_profile_n_present(profile, node));
	ph_rows_number(rows, "min", range.min);
	ph_rows_number(rows, "max", range.max);
	ph_rows_number(rows, "mean", mean);
	ph_rows_known(rows, "max_rank", profile->columns[range.worst].rank);
	ph_rows_text(rows, "max_column", label);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_node_ranges)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhValue *value = ph_arg_as_it_is(fcinfo, 0, PH_VALUE_PROFILE);
	const PhProfile *profile = value->profile;
	NodeRanges found = {.metric = ph_arg_metric(fcinfo, 2, profile),
						.cost = ph_arg_cost(fcinfo, 1)};
	if (profile->n_columns == 0)
		return (Datum) 0;
	PhGathered gathered;
	bool is_gathered =
		found.cost == PH_COST_EXCLUSIVE && ph_profile_gathered(profile, found.metric, &gathered);
	if (is_gathered)
		ph_value_unpack(value); /* extremes and averages are metrics of their own */
	found.ranges = palloc_extended(sizeof(NodeRange) * Max(profile->n_nodes, 1), MCXT_ALLOC_HUGE);
	ph_value_each_node(value, found.metric, take_range, &found);
	for (uint32 node = 0; node < profile->n_nodes; node++)
	{
		CHECK_FOR_INTERRUPTS();
		put_node_range(&rows, profile, node, is_gathered ? &gathered : NULL, found.ranges[node]);
	}
	return (Datum) 0;
}

/* ---- a row per column ----------------------------------------------------------------------- */

typedef struct ColumnRange
{
	uint32 n, worst;
	double min, max, sum;
} ColumnRange;

static void
add_cell(ColumnRange *range, uint32 node, double value)
{
	if (value == 0)
		return;
	if (range->n == 0 || value < range->min)
		range->min = value;
	if (range->n == 0 || value > range->max)
	{
		range->max = value;
		range->worst = node;
	}
	range->sum += value;
	range->n++;
}

static void
put_column_range(PhRows *rows, const PhProfile *profile, uint32 column, const ColumnRange *range)
{
	char label[PH_COLUMN_LABEL_MAX];
	ph_column_label(profile, column, label, sizeof(label));
	ph_rows_int(rows, "location", (int32) column);
	ph_rows_known(rows, "rank", profile->columns[column].rank);
	ph_rows_known(rows, "thread", profile->columns[column].thread);
	ph_rows_name(rows, "host", ph_profile_string(profile, profile->columns[column].host));
	ph_rows_text(rows, "name", label);
	ph_rows_int(rows, "n_nodes", (int32) range->n);
	ph_rows_number(rows, "min", range->min);
	ph_rows_number(rows, "max", range->max);
	ph_rows_number(rows, "mean", range->n > 0 ? range->sum / range->n : 0);
	ph_rows_number(rows, "total", range->sum);
	if (range->n > 0)
		ph_rows_int(rows, "max_node", (int32) range->worst);
	else
		ph_rows_null(rows, "max_node");
	ph_rows_put(rows);
}

PH_FUNCTION(ph_column_statistics)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhCost cost = ph_arg_cost(fcinfo, 1);
	uint32 metric = ph_arg_metric(fcinfo, 2, profile);
	ColumnRange *ranges = palloc_extended(sizeof(ColumnRange) * Max(profile->n_columns, 1),
										  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 node = 0; node < profile->n_nodes; node++)
	{
		CHECK_FOR_INTERRUPTS();
		PhRowWalk walk = ph_row_walk(profile, node);
		for (PhRowSpan span; ph_row_next(&walk, &span);)
			for (uint32 i = 0; i < span.n; i++)
				add_cell(&ranges[span.first + i], node,
						 known_value(profile, metric, span.cell + i, cost));
	}
	for (uint32 c = 0; c < profile->n_columns; c++)
		put_column_range(&rows, profile, c, &ranges[c]);
	return (Datum) 0;
}

/* ---- nodes found ---------------------------------------------------------------------------- */

PH_FUNCTION(ph_matching_nodes)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhScratch *scratch = ph_scratch_begin();
	PhQuery *query = NULL;
	bool *matches = NULL;
	PH_CHECK(&scratch->env, ph_query_parse(&scratch->arena, ph_arg_text(fcinfo, 1), &query));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, profile->n_nodes, &matches));
	PH_CHECK(&scratch->env, ph_query_run(&scratch->arena, query, profile, matches));
	for (uint32 node = 0; node < profile->n_nodes; node++)
		if (matches[node])
		{
			const PhRegion *region = ph_profile_region(profile, node);
			ph_rows_int(&rows, "node", (int32) node);
			ph_rows_name(&rows, "name", ph_profile_string(profile, region->name));
			ph_rows_put(&rows);
		}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_node_at)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PG_RETURN_INT32((int32) ph_node_by_path(profile, ph_arg_text(fcinfo, 1)));
}
