/*
 * fn_idle.c - time in functions that wait.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "trace/args.h"
#include "trace/region_profile.h"

typedef struct Waiting
{
	bool *is_marked; /* by region */
	int64 *idle;	 /* by location; -1: no calls */
} Waiting;

/* Pipit's, and the other forms of waiting for requests. */
static const char *const waiting_functions[] = {"Idle",		   "MPI_Recv",	  "MPI_Wait",
												"MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"};

static bool
is_one_of(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void
add_waiting(void *user, PhTraceRun *trace, const PhTraceChunk *chunk)
{
	Waiting *out = user;
	int64 *idle = &out->idle[chunk->chunk.location];
	if (*idle < 0 && chunk->chunk.n_enter == 0)
		return;
	*idle = Max(*idle, 0) + ph_chunk_time_in_regions(&chunk->chunk, trace->reader, out->is_marked,
													 trace->model.n_regions, PG_INT64_MIN,
													 PG_INT64_MAX);
}

static void
mark_functions(FunctionCallInfo fcinfo, const PhTraceRun *trace, Waiting *out)
{
	int n = lengthof(waiting_functions);
	const char *const *names = waiting_functions;
	if (!PG_ARGISNULL(1))
		names = (const char *const *) ph_arg_texts(fcinfo, 1, &n);
	out->is_marked = MemoryContextAllocZero(trace->scratch->context, trace->model.n_regions + 1);
	for (uint32 i = 0; i < trace->model.n_regions; i++)
	{
		CHECK_FOR_INTERRUPTS();
		out->is_marked[i] = is_one_of(trace->model.regions[i].name, names, n);
	}
}

PH_FUNCTION(ph_trace_idle)
{
	PhRows rows;
	Waiting out;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	const PhTraceModel *model = &trace->model;
	PhChunkQuery query = {.window = ph_window_all(), .want = PH_WANT_CALLS};
	mark_functions(fcinfo, trace, &out);
	out.idle =
		MemoryContextAllocHuge(trace->scratch->context, sizeof(int64) * (model->n_locations + 1));
	memset(out.idle, 0xff, sizeof(int64) * (model->n_locations + 1));
	ph_trace_chunks(trace, &query, add_waiting, &out);
	for (uint32 i = 0; i < model->n_locations; i++)
	{
		if (out.idle[i] < 0)
			continue;
		ph_rows_int(&rows, "location", (int32) i);
		ph_rows_known(&rows, "rank", model->locations[i].rank);
		ph_rows_known(&rows, "thread", model->locations[i].thread);
		ph_rows_bigint(&rows, "idle", out.idle[i]);
		ph_rows_number(&rows, "share",
					   trace->duration > 0 ? (double) out.idle[i] / (double) trace->duration : NAN);
		ph_rows_put(&rows);
	}
	ph_trace_end(trace);
	return (Datum) 0;
}
