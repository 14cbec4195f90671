/*
 * fn_column_diff.c - two runs with the same columns, rank by rank: differences and their histogram.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "profile/histogram_rows.h"
#include "profile/names.h"
#include "profile/node_path.h"
#include "profile/node_table.h"
#include "profile/ops.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "statistics/distribution.h"

typedef struct Side
{
	const PhProfile *profile;
	uint32 metric;
	uint32 node;		   /* PH_NONE: the whole; n_nodes: it has none */
	const uint32 *columns; /* of this profile, by the first one's column; NULL: as they are */
} Side;

/* Cost of the node, or of all roots together; absent = 0. */
static double
side_value(const Side *side, uint32 column, PhCost cost)
{
	const PhProfile *profile = side->profile;
	uint32 own = side->columns != NULL ? side->columns[column] : column;
	double sum = 0;
	if (side->node == profile->n_nodes)
		return 0;
	if (side->node != PH_NONE)
		return ph_profile_cell(profile, side->metric, side->node, own, cost);
	for (uint32 n = 0; n < profile->n_nodes; n = profile->subtree_end[n])
		sum += ph_profile_cell(profile, side->metric, n, own, cost);
	return sum;
}

/* The node of another profile with this call path, or n_nodes. */
static uint32
same_node(const PhProfile *other, uint64 callpath_id)
{
	PhNodeTable table = ph_node_table(other, CurrentMemoryContext);
	uint32 node = ph_node_table_find(&table, callpath_id);
	return node == PH_NONE ? other->n_nodes : node;
}

/* The path names a node of a or, when only b has it, of b. */
static void
find_sides(Side *a, Side *b, const char *path)
{
	if (path == NULL)
	{
		a->node = b->node = PH_NONE;
		return;
	}
	bool in_a = ph_find_node_by_path(a->profile, path) != PH_NONE;
	Side *first = in_a ? a : b;
	Side *second = in_a ? b : a;
	first->node = ph_node_by_path(first->profile, path);
	second->node = same_node(second->profile, first->profile->callpath_id[first->node]);
}

/* The metric of the same name and unit. */
static uint32
same_metric(const Side *a, const PhProfile *profile)
{
	const PhMetric *metric = &a->profile->metrics[a->metric];
	const char *name = ph_profile_string(a->profile, metric->name);
	const char *unit = ph_profile_string(a->profile, metric->unit);
	uint32 found = ph_find_metric(profile, name);
	const char *other = ph_profile_string(profile, profile->metrics[found].unit);
	if (strcmp(unit, other) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("metric \"%s\" is in \"%s\" in one profile and \"%s\" in the other", name,
						unit, other),
				 errhint("Select metrics with the same unit, or scale one of the profiles.")));
	return found;
}

static void
pair_columns(PhScratch *scratch, Side *a, Side *b)
{
	uint32_t *columns = NULL;
	PH_CHECK(&scratch->env,
			 ph_profile_pair_columns(&scratch->arena, a->profile, b->profile, &columns));
	if (columns == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the profiles do not have the same columns (%u and %u)",
						a->profile->n_columns, b->profile->n_columns),
				 errhint("Roll both up to what they have in common (roll_up), or compare means "
						 "(diff).")));
	b->columns = columns;
}

typedef struct ColumnDifferences
{
	const PhProfile *profile; /* the first one */
	double *before;
	double *after;
	double *difference;
	PhHistogram histogram;
} ColumnDifferences;

/* Arguments: a, b, path, bins, cost, metric. */
static ColumnDifferences
column_differences(FunctionCallInfo fcinfo, PhScratch *scratch)
{
	Side a = {.profile = ph_arg_profile(fcinfo, 0)};
	Side b = {.profile = ph_arg_profile(fcinfo, 1)};
	uint32 n_bins = ph_arg_histogram_bins(fcinfo, 3);
	PhCost cost = ph_arg_cost(fcinfo, 4);
	uint32 n = a.profile->n_columns;
	ColumnDifferences differences = {.profile = a.profile};
	a.metric = ph_arg_metric(fcinfo, 5, a.profile);
	b.metric = same_metric(&a, b.profile);
	find_sides(&a, &b, ph_arg_text(fcinfo, 2));
	pair_columns(scratch, &a, &b);
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &differences.before));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &differences.after));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &differences.difference));
	for (uint32 c = 0; c < n; c++)
	{
		differences.before[c] = side_value(&a, c, cost);
		differences.after[c] = side_value(&b, c, cost);
		differences.difference[c] = differences.after[c] - differences.before[c];
	}
	PH_CHECK(&scratch->env, ph_histogram(&scratch->arena, differences.difference, n, n_bins,
										 &differences.histogram));
	return differences;
}

PH_FUNCTION(ph_column_values_diff)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	PhScratch *scratch = ph_scratch_begin();
	ColumnDifferences differences = column_differences(fcinfo, scratch);
	const PhProfile *profile = differences.profile;
	char label[PH_COLUMN_LABEL_MAX];
	for (uint32 c = 0; c < profile->n_columns; c++)
	{
		ph_column_label(profile, c, label, sizeof(label));
		ph_rows_int(&rows, "location", (int32) c);
		ph_rows_known(&rows, "rank", profile->columns[c].rank);
		ph_rows_known(&rows, "thread", profile->columns[c].thread);
		ph_rows_bigint_unless(&rows, "iteration", profile->columns[c].iteration, PH_NO_ITERATION);
		ph_rows_text(&rows, "name", label);
		ph_rows_number(&rows, "before", differences.before[c]);
		ph_rows_number(&rows, "after", differences.after[c]);
		ph_rows_number(&rows, "difference", differences.difference[c]);
		ph_rows_index(&rows, "bin", differences.histogram.bin_of[c]);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_histogram_diff)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	PhScratch *scratch = ph_scratch_begin();
	ColumnDifferences differences = column_differences(fcinfo, scratch);
	ph_rows_histogram(&rows, differences.profile, &differences.histogram);
	ph_scratch_end(scratch);
	return (Datum) 0;
}
