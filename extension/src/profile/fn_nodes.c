/*
 * fn_nodes.c - rows per tree node: nodes, nodes_diff, imbalance, and the tree as text.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "lib/stringinfo.h"
#include "statistics/vector_stats.h"
#include "supergraph/group_by.h"
#include "utils/builtins.h"

#include "profile/cells.h"
#include "profile/gathered.h"
#include "profile/names.h"
#include "profile/node_path.h"
#include "profile/rolled_up.h"
#include "profile/rows/rows.h"
#include "profile/stored_values.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"

static void
put_place(PhRows *rows, const PhProfile *profile, uint32 node)
{
	const PhRegion *region = ph_profile_region(profile, node);
	ph_rows_int(rows, "node", (int32) node);
	ph_rows_index(rows, "parent", profile->parent[node]);
	ph_rows_int(rows, "depth", (int32) profile->depth[node]);
	ph_rows_text(rows, "name", ph_profile_string(profile, region->name));
	ph_rows_text(rows, "kind", ph_region_kind_name(region->kind));
	ph_rows_name(rows, "module", ph_node_module(profile, node));
}

static void
put_node(PhRows *rows, const PhProfile *profile, uint32 metric, uint32 node, StringInfo path)
{
	const PhRegion *region = ph_profile_region(profile, node);
	put_place(rows, profile, node);
	ph_rows_name(rows, "file", ph_profile_string(profile, region->file));
	ph_rows_known(rows, "line", region->line);
	ph_rows_number(rows, "inclusive", ph_profile_mean(profile, metric, node, PH_COST_INCLUSIVE));
	ph_rows_number(rows, "exclusive", ph_profile_mean(profile, metric, node, PH_COST_EXCLUSIVE));
	ph_rows_int(rows, "n_present", (int32) ph_profile_n_present(profile, node));
	ph_rows_number(rows, "absorbed", ph_profile_mean(profile, metric, node, PH_COST_ABSORBED));
	ph_rows_number(rows, "residual", ph_profile_mean(profile, metric, node, PH_COST_RESIDUAL));
	ph_rows_name(rows, "library", ph_profile_string(profile, region->library));
	ph_rows_bigint(rows, "callpath_id", (int64) profile->callpath_id[node]);
	ph_rows_text(rows, "path", ph_node_path(profile, node, path));
	ph_rows_name(rows, "paradigm", ph_region_paradigm(profile, region));
	ph_rows_put(rows);
}

PH_FUNCTION(ph_nodes)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	uint32 metric;
	const PhProfile *profile = ph_arg_profile_means(fcinfo, 0, 1, &metric);
	StringInfoData path;
	initStringInfo(&path);
	for (uint32 n = 0; n < profile->n_nodes; n++)
		put_node(&rows, profile, metric, n, &path);
	return (Datum) 0;
}

/* Both sides of a diff and the metric's index in each; PH_NONE: that side lacks it. */
typedef struct DiffSides
{
	const PhProfile *before;
	const PhProfile *after;
	uint32 before_metric;
	uint32 after_metric;
} DiffSides;

static uint32
same_metric(const PhProfile *profile, const char *name)
{
	for (uint32 m = 0; m < profile->n_metrics; m++)
		if (strcmp(ph_profile_string(profile, profile->metrics[m].name), name) == 0)
			return m;
	return PH_NONE;
}

static DiffSides
sides_of_diff(const PhProfile *profile, uint32 metric)
{
	if (profile->before == NULL || profile->after == NULL || profile->diff_status == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the profile is not a diff"),
				 errhint("Use nodes_diff(diff(before, after)).")));
	const char *name = ph_profile_string(profile, profile->metrics[metric].name);
	return (DiffSides){profile->before, profile->after, same_metric(profile->before, name),
					   same_metric(profile->after, name)};
}

static double
side_value(const PhProfile *side, uint32 metric, uint32 node, PhCost cost)
{
	return metric == PH_NONE ? 0 : ph_profile_mean(side, metric, node, cost);
}

static void
put_sides(PhRows *rows, const DiffSides *sides, uint32 node, PhCost cost)
{
	const bool inclusive = cost == PH_COST_INCLUSIVE;
	double before = side_value(sides->before, sides->before_metric, node, cost);
	double after = side_value(sides->after, sides->after_metric, node, cost);
	ph_rows_number(rows, inclusive ? "before_inclusive" : "before_exclusive", before);
	ph_rows_number(rows, inclusive ? "after_inclusive" : "after_exclusive", after);
	ph_rows_number(rows, inclusive ? "delta_inclusive" : "delta_exclusive", after - before);
}

static const char *
status_name(uint8 status)
{
	switch (status)
	{
		case PH_DIFF_ONLY_BEFORE:
			return "only before";
		case PH_DIFF_ONLY_AFTER:
			return "only after";
		default:
			return "both";
	}
}

PH_FUNCTION(ph_nodes_diff)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	DiffSides sides = sides_of_diff(profile, ph_arg_metric(fcinfo, 1, profile));
	StringInfoData path;
	initStringInfo(&path);
	for (uint32 n = 0; n < profile->n_nodes; n++)
	{
		put_place(&rows, profile, n);
		put_sides(&rows, &sides, n, PH_COST_INCLUSIVE);
		put_sides(&rows, &sides, n, PH_COST_OWN);
		double before = side_value(sides.before, sides.before_metric, n, PH_COST_INCLUSIVE);
		double after = side_value(sides.after, sides.after_metric, n, PH_COST_INCLUSIVE);
		ph_rows_number(&rows, "relative", before != 0 ? (after - before) / before : NAN);
		ph_rows_text(&rows, "status", status_name(profile->diff_status[n]));
		ph_rows_bigint(&rows, "callpath_id", (int64) profile->callpath_id[n]);
		ph_rows_text(&rows, "path", ph_node_path(profile, n, &path));
		ph_rows_put(&rows);
	}
	return (Datum) 0;
}

typedef struct ImbalanceRow
{
	uint32 node;
	PhVectorStats stats;
} ImbalanceRow;

/* What an imbalance rests on; a single column tells nothing unless its file did. */
typedef enum Basis
{
	BASIS_COLUMNS,
	BASIS_FILE,
	BASIS_NONE
} Basis;

static const char *const basis_names[] = {"columns", "file", NULL};

static int
compare_lost(const void *a, const void *b)
{
	const ImbalanceRow *x = a;
	const ImbalanceRow *y = b;
	double lost_x = isnan(x->stats.lost) ? -INFINITY : x->stats.lost;
	double lost_y = isnan(y->stats.lost) ? -INFINITY : y->stats.lost;
	if (lost_x != lost_y)
		return lost_x > lost_y ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* What the file says of a node over the ranks that it was aggregated over. */
static PhVectorStats
statistics_of_file(const PhProfile *profile, const PhGathered *gathered, uint32 node)
{
	PhOverRanks over = ph_over_ranks(profile, gathered, node);
	return (PhVectorStats){.mean = over.mean,
						   .max = over.max,
						   .imbalance_ratio = over.max / over.mean,
						   .imbalance_excess = (over.max - over.mean) / over.mean,
						   .imbalance_range = over.max - over.min,
						   .lost = over.lost};
}

/* One column and no word of ranks: its value is known, how it compares is not. */
static PhVectorStats
statistics_of_one(const PhProfile *profile, uint32 metric, uint32 node)
{
	double value = ph_profile_cell(profile, metric, node, 0, PH_COST_EXCLUSIVE);
	return (PhVectorStats){.mean = value,
						   .max = value,
						   .imbalance_ratio = NAN,
						   .imbalance_excess = NAN,
						   .imbalance_range = NAN,
						   .lost = NAN};
}

static Basis
imbalance_basis(const PhProfile *profile, uint32 metric, PhGathered *gathered)
{
	if (ph_profile_gathered(profile, metric, gathered))
		return BASIS_FILE;
	return profile->n_columns > 1 ? BASIS_COLUMNS : BASIS_NONE;
}

/* The same value in n columns, the first of which is `column`. */
static void
add_to_statistics(PhVectorStats *stats, double value, uint32 column, uint32 n)
{
	if (n == 0 || isnan(value))
		return;
	if (stats->n == 0 || value < stats->min)
		stats->min = value;
	if (stats->n == 0 || value > stats->max)
	{
		stats->max = value;
		stats->argmax = column;
	}
	stats->sum += value * n;
	stats->n += n;
}

/* Beside ranks or threads a column of what several of them did together is nobody's: by column 1
 * for each such one before it. NULL: there are none. */
static uint32 *
count_apart(const PhProfile *profile)
{
	uint32 n_groups = 0, n_units = 0;
	uint32 *before;
	for (uint32 c = 0; c < profile->n_columns; c++)
	{
		n_groups += profile->columns[c].kind == PH_COLUMN_GROUP;
		n_units += profile->columns[c].kind == PH_COLUMN_UNIT;
	}
	if (n_groups == 0 || n_units == 0)
		return NULL;
	before = palloc_extended(sizeof(uint32) * (profile->n_columns + 1), MCXT_ALLOC_HUGE);
	before[0] = 0;
	for (uint32 c = 0; c < profile->n_columns; c++)
		before[c + 1] = before[c] + (profile->columns[c].kind == PH_COLUMN_GROUP);
	return before;
}

/* Columns from `first` to `end` that do not have a value. */
static void
add_absent(PhVectorStats *stats, const uint32 *apart, uint32 first, uint32 end)
{
	while (apart != NULL && first < end && apart[first + 1] > apart[first])
		first++;
	add_to_statistics(stats, 0, first,
					  end - first - (apart == NULL ? 0 : apart[end] - apart[first]));
}

/* How a node's exclusive values compare, absent = 0; O(its cells). */
static PhVectorStats
statistics_of_row(const PhProfile *profile, uint32 metric, uint32 node, const uint32 *apart)
{
	PhVectorStats stats = {.min = NAN, .max = NAN, .argmax = PH_NONE};
	PhRowWalk walk = ph_row_walk(profile, node);
	uint32 at = 0;
	for (PhRowSpan span; ph_row_next(&walk, &span); at = span.first + span.n)
	{
		add_absent(&stats, apart, at, span.first);
		for (uint32 i = 0; i < span.n; i++)
		{
			uint32 column = span.first + i;
			if (apart == NULL || apart[column + 1] == apart[column])
				add_to_statistics(
					&stats, ph_profile_value(profile, metric, span.cell + i, PH_COST_EXCLUSIVE),
					column, 1);
		}
	}
	add_absent(&stats, apart, at, profile->n_columns);
	stats.mean = stats.sum / stats.n;
	ph_stats_imbalance(&stats);
	return stats;
}

/* What imbalances of nodes are found from. */
typedef struct Imbalances
{
	uint32 metric;
	Basis basis;
	PhGathered gathered;
	const uint32 *apart; /* count_apart */
	ImbalanceRow *rows;	 /* by node */
} Imbalances;

static void
take_imbalance(void *user, uint32 node, const PhProfile *one)
{
	Imbalances *found = user;
	found->rows[node] = (ImbalanceRow){
		node, found->basis == BASIS_COLUMNS ? statistics_of_row(one, found->metric, 0, found->apart)
											: statistics_of_one(one, found->metric, 0)};
}

/* Statistics of every node's exclusive vector, by lost descending. */
static ImbalanceRow *
imbalance_rows(PhScratch *scratch, PhValue *value, Imbalances *found)
{
	const PhProfile *profile = value->profile;
	ImbalanceRow *rows =
		MemoryContextAllocHuge(scratch->context, sizeof(ImbalanceRow) * Max(profile->n_nodes, 1));
	found->rows = rows;
	if (found->basis != BASIS_FILE)
		ph_value_each_node(value, found->metric, take_imbalance, found);
	for (uint32 n = 0; found->basis == BASIS_FILE && n < profile->n_nodes; n++)
		rows[n] = (ImbalanceRow){n, statistics_of_file(profile, &found->gathered, n)};
	qsort(rows, profile->n_nodes, sizeof(ImbalanceRow), compare_lost);
	return rows;
}

static void
put_imbalance(PhRows *rows, const PhProfile *profile, Basis basis, const ImbalanceRow *row,
			  StringInfo path)
{
	const PhVectorStats *stats = &row->stats;
	const PhColumn *worst = &profile->columns[stats->argmax];
	bool defined = stats->mean != 0;
	ph_rows_int(rows, "node", (int32) row->node);
	ph_rows_text(rows, "name", ph_profile_node_name(profile, row->node));
	ph_rows_text(rows, "path", ph_node_path(profile, row->node, path));
	ph_rows_number(rows, "mean", stats->mean);
	ph_rows_number(rows, "max", stats->max);
	ph_rows_number(rows, "imbalance_ratio", defined ? stats->imbalance_ratio : NAN);
	ph_rows_number(rows, "imbalance_excess", defined ? stats->imbalance_excess : NAN);
	ph_rows_number(rows, "imbalance_range", stats->imbalance_range);
	ph_rows_number(rows, "lost", stats->lost);
	ph_rows_known(rows, "worst_rank", basis == BASIS_COLUMNS ? worst->rank : PH_NO_NUMBER);
	ph_rows_name(rows, "worst_host",
				 basis == BASIS_COLUMNS ? ph_profile_string(profile, worst->host) : NULL);
	ph_rows_name(rows, "basis", basis_names[basis]);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_imbalance)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhValue *value = ph_arg_as_it_is(fcinfo, 0, PH_VALUE_PROFILE);
	const PhProfile *profile = value->profile;
	ph_require_units(profile);
	Imbalances imbalances = {.metric = ph_arg_metric(fcinfo, 1, profile)};
	if (profile->n_columns == 0)
		return (Datum) 0;
	PhScratch *scratch = ph_scratch_begin();
	imbalances.basis = imbalance_basis(profile, imbalances.metric, &imbalances.gathered);
	if (imbalances.basis == BASIS_FILE)
		ph_value_unpack(value); /* extremes and averages are metrics of their own */
	imbalances.apart = count_apart(profile);
	const ImbalanceRow *found = imbalance_rows(scratch, value, &imbalances);
	StringInfoData path;
	initStringInfo(&path);
	for (uint32 i = 0; i < profile->n_nodes; i++)
		put_imbalance(&rows, profile, imbalances.basis, &found[i], &path);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_tree_text)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	uint32 metric;
	const PhProfile *profile = ph_arg_profile_means(fcinfo, 0, 3, &metric);
	int32 max_depth = PG_ARGISNULL(1) ? INT_MAX : PG_GETARG_INT32(1);
	double min_share = PG_ARGISNULL(2) ? 0 : PG_GETARG_FLOAT8(2);
	if (max_depth < 0 || !(min_share >= 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("depth and share of a tree must not be negative")));
	PhScratch *scratch = ph_scratch_begin();
	char *tree = NULL;
	PH_CHECK(&scratch->env, ph_rows_tree_text(&scratch->arena, profile, metric, (uint32) max_depth,
											  min_share, &tree));
	text *result = cstring_to_text(tree);
	ph_scratch_end(scratch);
	PG_RETURN_TEXT_P(result);
}

PH_FUNCTION(ph_paradigm_by_region_name)
{
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	PG_RETURN_TEXT_P(cstring_to_text(ph_name_paradigm(name)));
}
