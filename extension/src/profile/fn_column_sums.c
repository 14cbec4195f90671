/*
 * fn_column_sums.c - what a stored run cost each of its locations, but for some functions.
 *
 * Rows are added up as they stream by: the run is never there as a whole.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "profile/cells.h"
#include "profile/run_reader.h"
#include "profile/stored_values.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"

typedef struct ColumnSums
{
	const bool *is_left_out; /* by region of the profile */
	const PhProfile *profile;
	double *sums; /* by column; NaN: nothing yet */
} ColumnSums;

static void
add_cells(ColumnSums *sums, uint32 first, const double *values, uint32 n)
{
	double *to = sums->sums + first;
	for (uint32 i = 0; i < n; i++)
		to[i] = isnan(to[i]) ? values[i] : to[i] + values[i];
}

static bool
is_counted(const ColumnSums *sums, uint32 node)
{
	return !sums->is_left_out[sums->profile->region[node]];
}

static PhStatus
add_streamed(void *user, const PhStreamedRow *row)
{
	ColumnSums *sums = user;
	PhRunWalk walk = {0};
	uint32 first, n, cell = 0;
	if (!is_counted(sums, row->node))
		return PH_OK;
	for (; ph_block_next_run(row->block, row->row, &walk, &first, &n); cell += n)
		add_cells(sums, row->stripe * PH_STRIPE_COLUMNS + first, row->exclusive + cell, n);
	return PH_OK;
}

/* Of a run whose values are not in blocks. */
static void
add_unpacked(ColumnSums *sums, const PhMetric *metric)
{
	for (uint32 node = sums->profile->n_nodes; node-- > 0;)
	{
		PhRowWalk walk = ph_row_walk(sums->profile, node);
		CHECK_FOR_INTERRUPTS();
		for (PhRowSpan span; is_counted(sums, node) && ph_row_next(&walk, &span);)
			add_cells(sums, span.first, metric->exclusive + span.cell, span.n);
	}
}

static bool
begins_with_one(const char *name, char **beginnings, int n)
{
	for (int i = 0; i < n; i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

static bool *
mark_left_out(FunctionCallInfo fcinfo, int argument, const PhProfile *profile)
{
	int n;
	char **beginnings = ph_arg_texts(fcinfo, argument, &n);
	bool *marks = palloc(sizeof(bool) * (profile->n_regions + 1));
	for (uint32 r = 0; r < profile->n_regions; r++)
	{
		CHECK_FOR_INTERRUPTS();
		marks[r] =
			begins_with_one(ph_profile_string(profile, profile->regions[r].name), beginnings, n);
	}
	return marks;
}

static void
put_sums(PhRows *rows, const ColumnSums *sums)
{
	for (uint32 c = 0; c < sums->profile->n_columns; c++)
	{
		if (isnan(sums->sums[c]))
			continue;
		ph_rows_int(rows, "location_id", (int32) c);
		ph_rows_number(rows, "sum", sums->sums[c]);
		ph_rows_put(rows);
	}
}

PH_FUNCTION(ph_column_sums)
{
	PhRows rows;
	ph_rows_begin(&rows, fcinfo);
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	PhRunRequest request = {.run_id = PG_GETARG_INT64(0),
							.n_metrics = 1,
							.metrics = &name,
							.all_ranks = true,
							.keep_iterations = true,
							.as_stored = true,
							.may_be_packed = true};
	PhValue *value = ph_run_read(&request);
	const PhProfile *profile = value->profile;
	uint32 m = ph_find_metric(profile, name);
	ColumnSums sums = {
		.is_left_out = mark_left_out(fcinfo, 2, profile),
		.profile = profile,
		.sums = palloc_extended(sizeof(double) * (profile->n_columns + 1), MCXT_ALLOC_HUGE)};
	for (uint32 c = 0; c < profile->n_columns; c++)
		sums.sums[c] = NAN;
	if (value->stored != NULL)
		ph_value_stream(value, m, false, add_streamed, &sums);
	else if (profile->metrics[m].kind != PH_METRIC_RATIO)
		add_unpacked(&sums, &profile->metrics[m]);
	put_sums(&rows, &sums);
	MemoryContextDelete(value->header.eoh_context);
	return (Datum) 0;
}
