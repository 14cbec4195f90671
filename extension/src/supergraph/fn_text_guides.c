/*
 * fn_text_guides.c - what stands beside the gradient of an ensemble's bars: values and runs by bin.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "profile/histogram_rows.h"
#include "profile/names.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "statistics/distribution.h"
#include "supergraph/supernode_vectors.h"

/* The values of a supernode in the runs that have it, sorted into bins. */
typedef struct Guides
{
	const PhProfile *profile;
	const char *node;
	double *values;
	uint32 *columns;
	uint32 n;
	PhHistogram histogram;
	PhBinned bins;
} Guides;

/* The least value of the first bin, the greatest of the last, the mean of the others. */
static double
guide_value(const Guides *guides, uint32 bin, bool is_first, bool is_last)
{
	double sum = 0;
	if (is_first)
		return guides->histogram.min;
	if (is_last)
		return guides->histogram.max;
	for (uint32 i = guides->bins.start[bin]; i < guides->bins.start[bin + 1]; i++)
		sum += guides->values[guides->bins.indices[i]];
	return sum / guides->histogram.counts[bin];
}

static void
put_runs(PhRows *rows, const Guides *guides, uint32 bin)
{
	uint32 n = guides->histogram.counts[bin];
	const char **labels = palloc_extended(sizeof(char *) * Max(n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < n; i++)
	{
		uint32 value = guides->bins.indices[guides->bins.start[bin] + i];
		char label[PH_COLUMN_LABEL_MAX];
		ph_column_label(guides->profile, guides->columns[value], label, sizeof(label));
		labels[i] = pstrdup(label);
	}
	ph_rows_texts(rows, "runs", labels, (int) n);
}

static void
put_guide(PhRows *rows, const Guides *guides, uint32 bin)
{
	bool is_first = guides->bins.start[bin] == 0;
	bool is_last = guides->bins.start[bin + 1] == guides->bins.start[guides->histogram.n_bins];
	const char *mark = is_first ? (is_last ? "only" : "min") : (is_last ? "max" : NULL);
	ph_rows_text(rows, "node", guides->node);
	ph_rows_bin(rows, &guides->histogram, bin);
	ph_rows_number(rows, "value", guide_value(guides, bin, is_first, is_last));
	if (mark != NULL)
		ph_rows_text(rows, "mark", mark);
	else
		ph_rows_null(rows, "mark");
	put_runs(rows, guides, bin);
	ph_rows_number(rows, "begin_share", (double) bin / guides->histogram.n_bins);
	ph_rows_number(rows, "end_share", (bin + 1.0) / guides->histogram.n_bins);
	ph_rows_put(rows);
}

static void
keep_present(Guides *guides, const PhSupergraphRow *row)
{
	guides->n = 0;
	for (uint32 run = 0; run < row->runs.count; run++)
		for (uint32 i = 0; i < row->runs.items[run].n; i++)
		{
			uint32 column = row->runs.items[run].first + i;
			guides->values[guides->n] = row->values[column];
			guides->columns[guides->n++] = column;
		}
}

PH_FUNCTION(ph_text_guides)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const PhSupergraph *graph = ph_arg_graph(fcinfo, 0);
	uint32 n_columns = graph->profile->n_columns;
	uint32 first = PG_ARGISNULL(1) ? 0 : ph_arg_supernode(fcinfo, 1, graph);
	uint32 end = PG_ARGISNULL(1) ? graph->n_supernodes : first + 1;
	uint32 n_bins = ph_arg_histogram_bins(fcinfo, 2);
	PhCost cost = ph_arg_cost(fcinfo, 3);
	uint32 metric = ph_arg_metric(fcinfo, 4, graph->profile);
	PhScratch *whole = ph_scratch_begin();
	PhSupergraphRow row = ph_supernode_row(whole, graph);
	Guides guides = {.profile = graph->profile};
	guides.values = palloc_extended(sizeof(double) * Max(n_columns, 1), MCXT_ALLOC_HUGE);
	guides.columns = palloc_extended(sizeof(uint32) * Max(n_columns, 1), MCXT_ALLOC_HUGE);
	for (uint32 v = first; v < end; v++)
	{
		PhScratch *scratch = ph_scratch_begin();
		guides.node = graph->supernodes[v].name;
		PH_CHECK(&whole->env, ph_supergraph_node_row(&row, graph, v, metric, cost));
		keep_present(&guides, &row);
		PH_CHECK(&scratch->env,
				 ph_histogram(&scratch->arena, guides.values, guides.n, n_bins, &guides.histogram));
		guides.bins = ph_sort_into_bins(&guides.histogram, guides.n);
		for (uint32 b = 0; b < guides.histogram.n_bins; b++)
			if (guides.histogram.counts[b] > 0)
				put_guide(&rows, &guides, b);
		ph_scratch_end(scratch);
	}
	ph_scratch_end(whole);
	return (Datum) 0;
}
