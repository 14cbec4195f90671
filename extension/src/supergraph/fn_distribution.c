/*
 * fn_distribution.c - a supernode's vector over columns: values, histogram, scatter, box, gradient.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "profile/histogram_rows.h"
#include "profile/names.h"
#include "profile/rolled_up.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "statistics/distribution.h"
#include "supergraph/supernode_vectors.h"

static void
put_supernode_values(PhRows *rows, const PhSupergraph *graph, uint32 v, uint32 metric)
{
	const PhProfile *profile = graph->profile;
	PhScratch *scratch = ph_scratch_begin();
	const double *inclusive = ph_supernode_vector(scratch, graph, v, metric, PH_COST_INCLUSIVE);
	const double *exclusive = ph_supernode_vector(scratch, graph, v, metric, PH_COST_EXCLUSIVE);
	const double *absorbed = ph_supernode_vector(scratch, graph, v, metric, PH_COST_ABSORBED);
	char label[PH_COLUMN_LABEL_MAX];
	for (uint32 c = 0; c < profile->n_columns; c++)
	{
		ph_column_label(profile, c, label, sizeof(label));
		ph_rows_int(rows, "location", (int32) c);
		ph_rows_known(rows, "rank", profile->columns[c].rank);
		ph_rows_known(rows, "thread", profile->columns[c].thread);
		ph_rows_name(rows, "host", ph_profile_string(profile, profile->columns[c].host));
		ph_rows_text(rows, "name", label);
		ph_rows_number(rows, "inclusive", inclusive[c]);
		ph_rows_number(rows, "exclusive", exclusive[c]);
		ph_rows_number(rows, "absorbed", absorbed[c]);
		ph_rows_text(rows, "node", graph->supernodes[v].name);
		ph_rows_put(rows);
	}
	ph_scratch_end(scratch);
}

PH_FUNCTION(ph_supernode_values)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 2, graph->profile);
	uint32 first = PG_ARGISNULL(1) ? 0 : ph_arg_supernode(fcinfo, 1, graph);
	uint32 end = PG_ARGISNULL(1) ? graph->n_supernodes : first + 1;
	for (uint32 v = first; v < end; v++)
		put_supernode_values(&rows, graph, v, metric);
	return (Datum) 0;
}

PH_FUNCTION(ph_histogram_rows)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	ph_require_units(graph->profile);
	const PhProfile *profile = graph->profile;
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	uint32 n_bins = ph_arg_histogram_bins(fcinfo, 2);
	PhCost cost = ph_arg_cost(fcinfo, 3);
	uint32 metric = ph_arg_metric(fcinfo, 4, profile);
	PhScratch *scratch = ph_scratch_begin();
	PhHistogram histogram;
	const double *vector = ph_supernode_vector(scratch, graph, node, metric, cost);
	PH_CHECK(&scratch->env,
			 ph_histogram(&scratch->arena, vector, profile->n_columns, n_bins, &histogram));
	ph_rows_histogram(&rows, profile, &histogram);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_scatter_fit)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	ph_require_units(graph->profile);
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	uint32 metric_x = ph_arg_metric(fcinfo, 2, graph->profile);
	uint32 metric_y = ph_arg_metric(fcinfo, 3, graph->profile);
	PhScratch *scratch = ph_scratch_begin();
	const double *x = ph_supernode_vector(scratch, graph, node, metric_x, PH_COST_INCLUSIVE);
	const double *y = ph_supernode_vector(scratch, graph, node, metric_y, PH_COST_INCLUSIVE);
	PhFit fit;
	ph_linear_fit(x, y, graph->profile->n_columns, &fit);
	ph_rows_int(&rows, "n", (int32) fit.n);
	ph_rows_number(&rows, "slope", fit.slope);
	ph_rows_number(&rows, "intercept", fit.intercept);
	ph_rows_number(&rows, "r", fit.r);
	ph_rows_number(&rows, "r_squared", fit.r_squared);
	ph_rows_put(&rows);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

static void
put_outliers(PhRows *rows, const PhProfile *profile, const double *vector, const PhBox *box)
{
	double *values = palloc_extended(sizeof(double) * Max(box->n_outliers, 1), MCXT_ALLOC_HUGE);
	int32 *ranks = palloc_extended(sizeof(int32) * Max(box->n_outliers, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < box->n_outliers; i++)
	{
		values[i] = vector[box->outliers[i]];
		ranks[i] = profile->columns[box->outliers[i]].rank;
	}
	ph_rows_numbers(rows, "outliers", values, (int) box->n_outliers);
	ph_rows_ints(rows, "outlier_ranks", ranks, (int) box->n_outliers);
}

PH_FUNCTION(ph_box_plot)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	ph_require_units(graph->profile);
	const PhProfile *profile = graph->profile;
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	PhCost cost = ph_arg_cost(fcinfo, 2);
	uint32 metric = ph_arg_metric(fcinfo, 3, profile);
	PhScratch *scratch = ph_scratch_begin();
	const double *vector = ph_supernode_vector(scratch, graph, node, metric, cost);
	PhBox box;
	PH_CHECK(&scratch->env, ph_box(&scratch->arena, vector, profile->n_columns, &box));
	ph_rows_int(&rows, "n", (int32) box.n);
	ph_rows_number(&rows, "min", box.min);
	ph_rows_number(&rows, "lower_whisker", box.lower_whisker);
	ph_rows_number(&rows, "lower_quartile", box.lower_quartile);
	ph_rows_number(&rows, "median", box.median);
	ph_rows_number(&rows, "upper_quartile", box.upper_quartile);
	ph_rows_number(&rows, "upper_whisker", box.upper_whisker);
	ph_rows_number(&rows, "max", box.max);
	ph_rows_number(&rows, "mean", box.mean);
	put_outliers(&rows, profile, vector, &box);
	ph_rows_put(&rows);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

/* The columns in which any member of the supernode is present, and its values there. */
static uint32
values_with(const PhSupergraphRow *row, double *values, uint32 *columns)
{
	uint32 count = 0;
	for (uint32 run = 0; run < row->runs.count; run++)
		for (uint32 i = 0; i < row->runs.items[run].n; i++)
		{
			columns[count] = row->runs.items[run].first + i;
			values[count] = row->values[columns[count]];
			count++;
		}
	return count;
}

static void
put_runs(PhRows *rows, const PhProfile *profile, const uint32 *columns, const uint32 *of_bin,
		 uint32 n)
{
	const char **labels = palloc(sizeof(char *) * Max(n, 1));
	for (uint32 i = 0; i < n; i++)
	{
		char label[PH_COLUMN_LABEL_MAX];
		ph_column_label(profile, columns[of_bin[i]], label, sizeof(label));
		labels[i] = pstrdup(label);
	}
	ph_rows_texts(rows, "runs", labels, (int) n);
}

PH_FUNCTION(ph_ensemble_gradient)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	const PhProfile *profile = graph->profile;
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	uint32 n_bins = ph_arg_histogram_bins(fcinfo, 2);
	PhCost cost = ph_arg_cost(fcinfo, 3);
	uint32 metric = ph_arg_metric(fcinfo, 4, profile);
	PhScratch *scratch = ph_scratch_begin();
	PhSupergraphRow row = ph_supernode_row(scratch, graph);
	PH_CHECK(&scratch->env, ph_supergraph_node_row(&row, graph, node, metric, cost));
	double *vector = palloc_extended(sizeof(double) * Max(row.n, 1), MCXT_ALLOC_HUGE);
	uint32 *columns = palloc_extended(sizeof(uint32) * Max(row.n, 1), MCXT_ALLOC_HUGE);
	uint32 n = values_with(&row, vector, columns);
	PhHistogram histogram;
	PH_CHECK(&scratch->env, ph_histogram(&scratch->arena, vector, n, n_bins, &histogram));
	PhBinned bins = ph_sort_into_bins(&histogram, n);
	for (uint32 b = 0; b < histogram.n_bins; b++)
	{
		ph_rows_bin(&rows, &histogram, b);
		put_runs(&rows, profile, columns, bins.indices + bins.start[b], histogram.counts[b]);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_mini_histograms)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	ph_require_units(graph->profile);
	uint32 n_bins = ph_arg_histogram_bins(fcinfo, 1);
	uint32 metric = ph_arg_metric(fcinfo, 2, graph->profile);
	for (uint32 v = 0; v < graph->n_supernodes; v++)
	{
		PhScratch *scratch = ph_scratch_begin();
		PhHistogram histogram;
		const double *vector = ph_supernode_vector(scratch, graph, v, metric, PH_COST_INCLUSIVE);
		PH_CHECK(&scratch->env, ph_histogram(&scratch->arena, vector, graph->profile->n_columns,
											 n_bins, &histogram));
		for (uint32 b = 0; b < histogram.n_bins; b++)
		{
			ph_rows_text(&rows, "node", graph->supernodes[v].name);
			ph_rows_int(&rows, "bin", (int32) b);
			ph_rows_int(&rows, "count", (int32) histogram.counts[b]);
			ph_rows_put(&rows);
		}
		ph_scratch_end(scratch);
	}
	return (Datum) 0;
}
