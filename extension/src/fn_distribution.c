/*
 * fn_distribution.c - a supernode's vector over columns: values, histogram, scatter, box, gradient.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "args.h"
#include "compat.h"
#include "distribution.h"
#include "names.h"
#include "rowio.h"
#include "supernode_vectors.h"
#include "value.h"

#define BINS_MAX 10000

static uint32
arg_bins(FunctionCallInfo fcinfo, int argument)
{
	int32 bins = PG_ARGISNULL(argument) ? 20 : PG_GETARG_INT32(argument);
	if (bins < 1 || bins > BINS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("number of bins must be 1 to %d, not %d", BINS_MAX, bins)));
	return (uint32) bins;
}

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
		ph_rows_int(rows, (int32) c);
		ph_rows_known(rows, profile->columns[c].rank);
		ph_rows_known(rows, profile->columns[c].thread);
		ph_rows_name(rows, ph_profile_string(profile, profile->columns[c].host));
		ph_rows_text(rows, label);
		ph_rows_number(rows, inclusive[c]);
		ph_rows_number(rows, exclusive[c]);
		ph_rows_number(rows, absorbed[c]);
		ph_rows_text(rows, graph->supernodes[v].name);
		ph_rows_put(rows);
	}
	ph_scratch_end(scratch);
}

PH_FUNCTION(ph_supernode_values)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo, 9);
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

/* Columns in the order of their bins; start[b] is the first place of bin b. */
typedef struct BinnedColumns
{
	uint32 *start;
	uint32 *columns;
} BinnedColumns;

static BinnedColumns
sort_into_bins(const PhHistogram *histogram, uint32 n)
{
	BinnedColumns bins;
	bins.start = palloc0(sizeof(uint32) * (histogram->n_bins + 1));
	bins.columns = palloc_extended(sizeof(uint32) * Max(n, 1), MCXT_ALLOC_HUGE);
	uint32 *next = palloc(sizeof(uint32) * (histogram->n_bins + 1));
	for (uint32 b = 0; b < histogram->n_bins; b++)
		bins.start[b + 1] = bins.start[b] + histogram->counts[b];
	memcpy(next, bins.start, sizeof(uint32) * (histogram->n_bins + 1));
	for (uint32 i = 0; i < n; i++)
		bins.columns[next[histogram->bin_of[i]]++] = i;
	return bins;
}

static double
bin_edge(const PhHistogram *histogram, uint32 bin)
{
	if (bin == histogram->n_bins)
		return histogram->max;
	return histogram->min + (histogram->max - histogram->min) * bin / histogram->n_bins;
}

static void
put_bin(PhRows *rows, const PhHistogram *histogram, uint32 bin)
{
	ph_rows_int(rows, (int32) bin);
	ph_rows_number(rows, bin_edge(histogram, bin));
	ph_rows_number(rows, bin_edge(histogram, bin + 1));
	ph_rows_int(rows, (int32) histogram->counts[bin]);
}

static int
compare_ranks(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;
	return (x > y) - (x < y);
}

/* Locations of a bin, and their distinct known ranks, both ascending. */
static void
put_bin_columns(PhRows *rows, const PhProfile *profile, const uint32 *columns, uint32 n)
{
	int32 *numbers = palloc_extended(sizeof(int32) * Max(n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < n; i++)
		numbers[i] = (int32) columns[i];
	ph_rows_ints(rows, numbers, (int) n);
	int n_ranks = 0;
	for (uint32 i = 0; i < n; i++)
		if (profile->columns[columns[i]].rank != PH_NO_NUMBER)
			numbers[n_ranks++] = profile->columns[columns[i]].rank;
	qsort(numbers, n_ranks, sizeof(int32), compare_ranks);
	int n_distinct = 0;
	for (int i = 0; i < n_ranks; i++)
		if (i == 0 || numbers[i] != numbers[i - 1])
			numbers[n_distinct++] = numbers[i];
	ph_rows_ints(rows, numbers, n_distinct);
	pfree(numbers);
}

PH_FUNCTION(ph_histogram_rows)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo, 6);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	const PhProfile *profile = graph->profile;
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	uint32 n_bins = arg_bins(fcinfo, 2);
	PhCost cost = ph_arg_cost(fcinfo, 3);
	uint32 metric = ph_arg_metric(fcinfo, 4, profile);
	PhScratch *scratch = ph_scratch_begin();
	PhHistogram histogram;
	const double *vector = ph_supernode_vector(scratch, graph, node, metric, cost);
	PH_CHECK(&scratch->env,
			 ph_histogram(&scratch->arena, vector, profile->n_columns, n_bins, &histogram));
	BinnedColumns bins = sort_into_bins(&histogram, profile->n_columns);
	for (uint32 b = 0; b < histogram.n_bins; b++)
	{
		put_bin(&rows, &histogram, b);
		put_bin_columns(&rows, profile, bins.columns + bins.start[b], histogram.counts[b]);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_scatter_fit)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo, 5);
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	uint32 metric_x = ph_arg_metric(fcinfo, 2, graph->profile);
	uint32 metric_y = ph_arg_metric(fcinfo, 3, graph->profile);
	PhScratch *scratch = ph_scratch_begin();
	const double *x = ph_supernode_vector(scratch, graph, node, metric_x, PH_COST_INCLUSIVE);
	const double *y = ph_supernode_vector(scratch, graph, node, metric_y, PH_COST_INCLUSIVE);
	PhFit fit;
	ph_linear_fit(x, y, graph->profile->n_columns, &fit);
	ph_rows_int(&rows, (int32) fit.n);
	ph_rows_number(&rows, fit.slope);
	ph_rows_number(&rows, fit.intercept);
	ph_rows_number(&rows, fit.r);
	ph_rows_number(&rows, fit.r_squared);
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
	ph_rows_numbers(rows, values, (int) box->n_outliers);
	ph_rows_ints(rows, ranks, (int) box->n_outliers);
}

PH_FUNCTION(ph_box_plot)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo, 11);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	const PhProfile *profile = graph->profile;
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	PhCost cost = ph_arg_cost(fcinfo, 2);
	uint32 metric = ph_arg_metric(fcinfo, 3, profile);
	PhScratch *scratch = ph_scratch_begin();
	const double *vector = ph_supernode_vector(scratch, graph, node, metric, cost);
	PhBox box;
	PH_CHECK(&scratch->env, ph_box(&scratch->arena, vector, profile->n_columns, &box));
	ph_rows_int(&rows, (int32) box.n);
	ph_rows_number(&rows, box.min);
	ph_rows_number(&rows, box.lower_whisker);
	ph_rows_number(&rows, box.lower_quartile);
	ph_rows_number(&rows, box.median);
	ph_rows_number(&rows, box.upper_quartile);
	ph_rows_number(&rows, box.upper_whisker);
	ph_rows_number(&rows, box.max);
	ph_rows_number(&rows, box.mean);
	put_outliers(&rows, profile, vector, &box);
	ph_rows_put(&rows);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

/* The columns in which any member of the supernode is present. */
static uint32
columns_with(const PhSupergraph *graph, uint32 node, uint32 *columns)
{
	const PhProfile *profile = graph->profile;
	bool *has = palloc0(sizeof(bool) * Max(profile->n_columns, 1));
	for (uint32 n = 0; n < profile->n_nodes; n++)
	{
		if (graph->segments[graph->segment_of[n]].supernode != node)
			continue;
		for (uint32 c = 0; c < profile->n_columns; c++)
			has[c] = has[c] || ph_profile_is_present(profile, n, c);
	}
	uint32 count = 0;
	for (uint32 c = 0; c < profile->n_columns; c++)
		if (has[c])
			columns[count++] = c;
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
	ph_rows_texts(rows, labels, (int) n);
}

PH_FUNCTION(ph_ensemble_gradient)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo, 5);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	const PhProfile *profile = graph->profile;
	uint32 node = ph_arg_supernode(fcinfo, 1, graph);
	uint32 n_bins = arg_bins(fcinfo, 2);
	PhCost cost = ph_arg_cost(fcinfo, 3);
	uint32 metric = ph_arg_metric(fcinfo, 4, profile);
	PhScratch *scratch = ph_scratch_begin();
	double *vector = ph_supernode_vector(scratch, graph, node, metric, cost);
	uint32 *columns = palloc(sizeof(uint32) * Max(profile->n_columns, 1));
	uint32 n = columns_with(graph, node, columns);
	for (uint32 i = 0; i < n; i++)
		vector[i] = vector[columns[i]];
	PhHistogram histogram;
	PH_CHECK(&scratch->env, ph_histogram(&scratch->arena, vector, n, n_bins, &histogram));
	BinnedColumns bins = sort_into_bins(&histogram, n);
	for (uint32 b = 0; b < histogram.n_bins; b++)
	{
		put_bin(&rows, &histogram, b);
		put_runs(&rows, profile, columns, bins.columns + bins.start[b], histogram.counts[b]);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_mini_histograms)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo, 3);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 n_bins = arg_bins(fcinfo, 1);
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
			ph_rows_text(&rows, graph->supernodes[v].name);
			ph_rows_int(&rows, (int32) b);
			ph_rows_int(&rows, (int32) histogram.counts[b]);
			ph_rows_put(&rows);
		}
		ph_scratch_end(scratch);
	}
	return (Datum) 0;
}
