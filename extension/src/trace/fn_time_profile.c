/*
 * fn_time_profile.c - exclusive time by region and time bin.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"
#include "trace/args.h"
#include "trace/names.h"
#include "trace/time_profile.h"

static const char locations_sql[] = "SELECT DISTINCT location_id FROM perfhouse.trace_chunk"
									" WHERE run_id = $1 AND n_enter > 0";

typedef struct TimeRows
{
	PhTraceWindow window;
	PhTimeBins bins;
	PhTimeProfile *profile;
	uint32 n_locations; /* of the window's that have calls in the run */
	const uint32 *names;
	int64 *sums;	/* of the bin at hand, by region */
	uint32 *in_bin; /* regions that it has, by order of meeting */
	uint32 n_in_bin;
} TimeRows;

static void
receive_location(void *user, TupleTableSlot *slot)
{
	TimeRows *out = user;
	out->n_locations += ph_window_has_location(&out->window, (uint32) ph_slot_int(slot, 0, 0));
}

static void
add_chunk(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	TimeRows *out = user;
	PH_CHECK(&trace->scratch->env,
			 ph_time_profile_add_chunk(out->profile, &chunk->chunk, trace->reader));
}

static int
compare_by_name(const void *a, const void *b, void *arg)
{
	const PhTraceRun *trace = arg;
	return strcmp(trace->model.regions[*(const uint32 *) a].name,
				  trace->model.regions[*(const uint32 *) b].name);
}

static void
put_bin(PhRows *rows, PhTraceRun *trace, TimeRows *out, uint32 bin)
{
	int64 start = ph_bin_start(&out->bins, bin);
	int64 end = ph_bin_start(&out->bins, bin + 1);
	double whole = (double) (end - start) * out->n_locations;
	qsort_arg(out->in_bin, out->n_in_bin, sizeof(uint32), compare_by_name, trace);
	for (uint32 i = 0; i < out->n_in_bin; i++)
	{
		uint32 region = out->in_bin[i];
		ph_rows_int(rows, "bin", (int32) bin);
		ph_rows_bigint(rows, "bin_start", start);
		ph_rows_bigint(rows, "bin_end", end);
		ph_rows_text(rows, "region", trace->model.regions[region].name);
		ph_rows_bigint(rows, "exclusive", out->sums[region]);
		ph_rows_number(rows, "share", (double) out->sums[region] / whole);
		ph_rows_put(rows);
		out->sums[region] = 0;
	}
	out->n_in_bin = 0;
}

/* Regions of one name are one. */
static void
put_rows(PhRows *rows, PhTraceRun *trace, TimeRows *out)
{
	const PhTimeProfileRow *cells = NULL;
	size_t n = 0;
	PH_CHECK(&trace->scratch->env, ph_time_profile_rows(out->profile, &cells, &n));
	for (size_t i = 0; i < n; i++)
	{
		if (cells[i].region >= trace->model.n_regions)
			ph_trace_refuse(trace, "a call is of a region that does not exist");
		if (i > 0 && cells[i].bin != cells[i - 1].bin)
			put_bin(rows, trace, out, cells[i - 1].bin);
		uint32 region = out->names[cells[i].region];
		if (out->sums[region] == 0)
			out->in_bin[out->n_in_bin++] = region;
		out->sums[region] += cells[i].exclusive;
	}
	if (n > 0)
		put_bin(rows, trace, out, cells[n - 1].bin);
}

PH_FUNCTION(ph_trace_time_profile)
{
	PhRows rows;
	TimeRows out = {.n_locations = 0};
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhArena *arena = &trace->scratch->arena;
	out.bins = ph_arg_bins(fcinfo, 1, 2, trace);
	out.window = ph_arg_window(fcinfo, 2, trace);
	out.window.from = out.bins.from;
	out.window.to = out.bins.to;
	out.names = ph_trace_regions_by_name(trace);
	PH_CHECK(arena->env, PH_NEW(arena, (size_t) trace->model.n_regions + 1, &out.sums));
	PH_CHECK(arena->env, PH_NEW(arena, (size_t) trace->model.n_regions + 1, &out.in_bin));
	PH_CHECK(arena->env, ph_time_profile_new(arena->env, &out.bins, &out.profile));
	ph_query_rows(locations_sql, ph_query_parameters(trace->run_id, InvalidOid, (Datum) 0),
				  receive_location, &out);
	PhChunkQuery query = {.window = out.window, .want = PH_WANT_CALLS, .from_before = true};
	ph_trace_chunks(trace, &query, add_chunk, &out);
	put_rows(&rows, trace, &out);
	ph_trace_end(trace);
	return (Datum) 0;
}
