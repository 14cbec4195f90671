/*
 * fn_ensemble.c - many runs side by side: a column per run, and one run against the others.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "profile/cells.h"
#include "profile/ensemble_place.h"
#include "profile/histogram_rows.h"
#include "profile/names.h"
#include "profile/node_path.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "statistics/vector_stats.h"
#include "supergraph/supernode_vectors.h"

/* ---- a column per run ---- */

static const char **
column_labels(const PhProfile *profile)
{
	const char **labels =
		palloc_extended(sizeof(char *) * Max(profile->n_columns, 1), MCXT_ALLOC_HUGE);
	char label[PH_COLUMN_LABEL_MAX];
	for (uint32 c = 0; c < profile->n_columns; c++)
	{
		ph_column_label(profile, c, label, sizeof(label));
		labels[c] = pstrdup(label);
	}
	return labels;
}

/* The row's values by column; NaN where it has none. */
static double *
known_vector(PhScratch *scratch, const PhSupergraphRow *row, uint32 n)
{
	double *values = NULL;
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, n, &values));
	for (uint32 c = 0; c < n; c++)
		values[c] = NAN;
	for (uint32 run = 0; run < row->runs.count; run++)
		memcpy(values + row->runs.items[run].first, row->values + row->runs.items[run].first,
			   sizeof(*values) * row->runs.items[run].n);
	return values;
}

static void
mark_columns(const PhSupergraphRow *row, uint32 n, bool *has)
{
	memset(has, 0, sizeof(*has) * n);
	for (uint32 run = 0; run < row->runs.count; run++)
		memset(has + row->runs.items[run].first, true, row->runs.items[run].n);
}

static void
put_runs_of_supernode(PhRows *rows, const PhSupergraph *graph, uint32 v, uint32 metric, double mean,
					  PhSupergraphRow *row, const char *const *labels)
{
	uint32 n = graph->profile->n_columns;
	PhScratch *scratch = ph_scratch_begin();
	PhVectorStats stats;
	PH_CHECK(&scratch->env, ph_supergraph_node_row(row, graph, v, metric, PH_COST_INCLUSIVE));
	double *inclusive = known_vector(scratch, row, n);
	PH_CHECK(&scratch->env, ph_supergraph_node_row(row, graph, v, metric, PH_COST_EXCLUSIVE));
	double *exclusive = known_vector(scratch, row, n);
	uint32 n_present = row->n;
	PH_CHECK(&scratch->env, ph_vector_stats(&scratch->arena, inclusive, n, &stats));
	ph_rows_text(rows, "node", graph->supernodes[v].name);
	ph_rows_text(rows, "label", graph->supernodes[v].label);
	ph_rows_known_numbers(rows, "run_values", inclusive, (int) n);
	ph_rows_number(rows, "inclusive", mean);
	ph_rows_known_numbers(rows, "exclusive_values", exclusive, (int) n);
	ph_rows_texts(rows, "columns", labels, (int) n);
	ph_rows_int(rows, "n_present", (int32) n_present);
	ph_rows_number(rows, "sd", stats.sd);
	ph_rows_number(rows, "min", stats.min);
	ph_rows_number(rows, "max", stats.max);
	ph_rows_put(rows);
	ph_scratch_end(scratch);
}

PH_FUNCTION(ph_supernodes_by_column)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 1, graph->profile);
	const char **labels = column_labels(graph->profile);
	PhScratch *scratch = ph_scratch_begin();
	PhSupergraphMeans means;
	PH_CHECK(&scratch->env, ph_supergraph_means(&scratch->arena, graph, metric, &means));
	PhSupergraphRow row = ph_supernode_row(scratch, graph);
	for (uint32 v = 0; v < graph->n_supernodes; v++)
		put_runs_of_supernode(&rows, graph, v, metric, means.inclusive[v], &row, labels);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

/* ---- one run against the others ---- */

/* The column that a text argument labels. PH002 when none does, 22023 when several do. */
static uint32
arg_labelled_column(FunctionCallInfo fcinfo, int argument, const PhProfile *profile)
{
	const char *wanted = ph_arg_text(fcinfo, argument);
	const char **labels = column_labels(profile);
	uint32 found = PH_NONE;
	for (uint32 c = 0; c < profile->n_columns; c++)
	{
		if (strcmp(labels[c], wanted) != 0)
			continue;
		if (found != PH_NONE)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("several columns have the label \"%s\"", wanted),
							errhint("Give every run its own label in ensemble(profile, label).")));
		found = c;
	}
	if (found == PH_NONE)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND), errmsg("the ensemble has no column \"%s\"", wanted),
				 errhint("columns(profile) lists the labels.")));
	return found;
}

static void
put_place(PhRows *rows, const PhEnsemblePlace *place)
{
	ph_rows_number(rows, "value", place->value);
	ph_rows_number(rows, "mean", place->mean);
	ph_rows_number(rows, "sd", place->sd);
	ph_rows_number(rows, "difference", place->difference);
	ph_rows_number(rows, "z", place->z);
	ph_rows_index(rows, "rank", place->rank == 0 ? PH_NONE : place->rank);
	ph_rows_index(rows, "bin", place->bin);
	ph_rows_int(rows, "n", (int32) place->n);
}

/* A node's values by column, and which columns it is in. */
static void
node_vector(const PhProfile *profile, uint32 metric, uint32 node, PhCost cost, double *values,
			bool *has)
{
	PhRowWalk walk = ph_row_walk(profile, node);
	memset(values, 0, sizeof(*values) * profile->n_columns);
	memset(has, 0, sizeof(*has) * profile->n_columns);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32 i = 0; i < span.n; i++)
		{
			values[span.first + i] = ph_profile_value(profile, metric, span.cell + i, cost);
			has[span.first + i] = true;
		}
}

PH_FUNCTION(ph_nodes_against_ensemble)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	uint32 run = arg_labelled_column(fcinfo, 1, profile);
	PhCost cost = ph_arg_cost(fcinfo, 2);
	uint32 n_bins = ph_arg_histogram_bins(fcinfo, 3);
	uint32 metric = ph_arg_metric(fcinfo, 4, profile);
	uint32 n = profile->n_columns;
	double *values = palloc_extended(sizeof(double) * n, MCXT_ALLOC_HUGE);
	bool *has = palloc_extended(sizeof(bool) * n, MCXT_ALLOC_HUGE);
	StringInfoData path;
	initStringInfo(&path);
	for (uint32 node = 0; node < profile->n_nodes; node++)
	{
		PhScratch *scratch = ph_scratch_begin();
		PhEnsemblePlace place;
		node_vector(profile, metric, node, cost, values, has);
		PH_CHECK(&scratch->env,
				 ph_ensemble_place(&scratch->arena, values, has, n, run, n_bins, &place));
		ph_rows_int(&rows, "node", (int32) node);
		ph_rows_name(&rows, "name", ph_profile_node_name(profile, node));
		ph_rows_text(&rows, "path", ph_node_path(profile, node, &path));
		put_place(&rows, &place);
		ph_rows_put(&rows);
		ph_scratch_end(scratch);
	}
	return (Datum) 0;
}

PH_FUNCTION(ph_supernodes_against_ensemble)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	const PhProfile *profile = graph->profile;
	uint32 run = arg_labelled_column(fcinfo, 1, profile);
	PhCost cost = ph_arg_cost(fcinfo, 2);
	uint32 n_bins = ph_arg_histogram_bins(fcinfo, 3);
	uint32 metric = ph_arg_metric(fcinfo, 4, profile);
	PhScratch *whole = ph_scratch_begin();
	PhSupergraphRow row = ph_supernode_row(whole, graph);
	bool *has = palloc_extended(sizeof(bool) * Max(profile->n_columns, 1), MCXT_ALLOC_HUGE);
	for (uint32 v = 0; v < graph->n_supernodes; v++)
	{
		PhScratch *scratch = ph_scratch_begin();
		PhEnsemblePlace place;
		PH_CHECK(&whole->env, ph_supergraph_node_row(&row, graph, v, metric, cost));
		mark_columns(&row, profile->n_columns, has);
		PH_CHECK(&scratch->env, ph_ensemble_place(&scratch->arena, row.values, has,
												  profile->n_columns, run, n_bins, &place));
		ph_rows_text(&rows, "node", graph->supernodes[v].name);
		ph_rows_text(&rows, "label", graph->supernodes[v].label);
		put_place(&rows, &place);
		ph_rows_put(&rows);
		ph_scratch_end(scratch);
	}
	ph_scratch_end(whole);
	return (Datum) 0;
}
