/*
 * fn_kernels.c - kernels and copies of devices by name.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "base/sort.h"
#include "devices/stored.h"
#include "devices/totals.h"
#include "server/compat.h"
#include "server/rowio.h"

typedef struct Totals
{
	PhTraceRun *trace;
	PhActivityTotals all;
	PhActivityKind *kinds; /* by region */
	bool of_kernels;
	int64 sum; /* of those that are wanted */
} Totals;

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Totals *totals = user;
	PH_CHECK(&trace->scratch->env, ph_totals_add_chunk(&totals->all, &chunk->chunk, trace->reader));
}

static bool
is_wanted(const Totals *totals, uint32 region)
{
	return totals->all.by_region[region].n > 0 &&
		   totals->of_kernels == ph_activity_kind_is_kernel(totals->kinds[region]);
}

static void
add_up(FunctionCallInfo fcinfo, Totals *totals)
{
	PhTraceRun *trace = totals->trace;
	PhEnv *env = &trace->scratch->env;
	PhChunkQuery query = {.window = ph_arg_streams(fcinfo, 1, trace),
						  .want = PH_WANT_CALLS | (totals->of_kernels ? 0 : PH_WANT_EXTRA),
						  .from_before = true};
	PH_CHECK(env, ph_totals_begin(&trace->scratch->arena, &trace->model, query.window.from,
								  query.window.to, &totals->all));
	if (trace->n_streams > 0)
		ph_trace_chunks(trace, &query, add_chunk, totals);
	PH_CHECK(env, ph_totals_finish(&totals->all));
	for (uint32 i = 0; i < trace->model.n_regions; i++)
		totals->sum += is_wanted(totals, i) ? totals->all.by_region[i].total : 0;
}

/* The dearest first, then by name. */
static int
compare_totals(const void *context, uint32_t x, uint32_t y)
{
	const Totals *totals = context;
	const PhTraceRegion *regions = totals->trace->model.regions;
	const PhActivityTotal *a = &totals->all.by_region[x], *b = &totals->all.by_region[y];
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return strcmp(regions[x].name, regions[y].name);
}

static void
put_shared(PhRows *rows, const Totals *totals, uint32 region)
{
	const PhActivityTotal *total = &totals->all.by_region[region];
	ph_rows_text(rows, "name", totals->trace->model.regions[region].name);
	ph_rows_bigint(rows, "calls", (int64) total->n);
	ph_rows_bigint(rows, "total", total->total);
	ph_rows_number(rows, "share",
				   totals->sum > 0 ? (double) total->total / (double) totals->sum : NAN);
}

static void
put_kernel(PhRows *rows, const Totals *totals, uint32 region)
{
	const PhActivityTotal *total = &totals->all.by_region[region];
	put_shared(rows, totals, region);
	ph_rows_number(rows, "mean", (double) total->total / (double) total->n);
	ph_rows_bigint(rows, "min", total->min);
	ph_rows_bigint(rows, "max", total->max);
	ph_rows_number(rows, "deviation", ph_total_deviation(total));
	ph_rows_int(rows, "n_ranks", (int32) total->n_ranks);
	ph_rows_bigint(rows, "rank_min", total->rank_min);
	ph_rows_bigint(rows, "rank_max", total->rank_max);
	ph_rows_bool(rows, "communicates", totals->kinds[region] == PH_ACTIVITY_COMMUNICATION);
	ph_rows_number(rows, "p10", ph_total_quantile(total, 0.1));
	ph_rows_number(rows, "median", ph_total_quantile(total, 0.5));
	ph_rows_number(rows, "p90", ph_total_quantile(total, 0.9));
	ph_rows_put(rows);
}

static void
put_copy(PhRows *rows, const Totals *totals, uint32 region)
{
	const PhActivityTotal *total = &totals->all.by_region[region];
	put_shared(rows, totals, region);
	ph_rows_bigint(rows, "bytes", (int64) total->bytes);
	ph_rows_number(rows, "bandwidth",
				   total->total > 0 ? (double) total->bytes * 1e9 / (double) total->total : NAN);
	ph_rows_put(rows);
}

static Datum
rows_by_name(FunctionCallInfo fcinfo, bool of_kernels)
{
	PhRows rows;
	uint32_t *order;
	Totals totals = {.of_kernels = of_kernels};
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	totals.trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhArena *arena = &totals.trace->scratch->arena;
	uint32 n = totals.trace->model.n_regions;
	totals.kinds = ph_activity_kinds(totals.trace);
	add_up(fcinfo, &totals);
	PH_CHECK(arena->env, ph_sort_indices(arena, n, compare_totals, &totals, &order));
	for (uint32 i = 0; i < n; i++)
	{
		if (!is_wanted(&totals, order[i]))
			continue;
		if (of_kernels)
			put_kernel(&rows, &totals, order[i]);
		else
			put_copy(&rows, &totals, order[i]);
	}
	ph_trace_end(totals.trace);
	return (Datum) 0;
}

PH_FUNCTION(ph_kernels)
{
	return rows_by_name(fcinfo, true);
}

PH_FUNCTION(ph_copies)
{
	return rows_by_name(fcinfo, false);
}
