/*
 * fn_calls.c - calls as rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/compat.h"
#include "server/rowio.h"
#include "trace/args.h"
#include "trace/fetch.h"

typedef struct CallRows
{
	PhRows rows;
	PhTraceRun *trace;
	Datum *regions; /* texts */
} CallRows;

static PhStatus
put_call(void *user, const PhTraceCall *call)
{
	CallRows *out = user;
	PhRows *rows = &out->rows;
	const PhTraceLocation *location = &out->trace->model.locations[call->location];
	if (call->region >= out->trace->model.n_regions)
		ph_trace_refuse(out->trace, "a call is of a region that does not exist");
	ph_rows_int(rows, "location", (int32) call->location);
	ph_rows_known(rows, "rank", location->rank);
	ph_rows_known(rows, "thread", location->thread);
	ph_rows_bigint(rows, "call", (int64) call->seq);
	ph_rows_bigint_unless(rows, "parent", (int64) call->parent, (int64) PH_NO_CALL);
	ph_rows_int(rows, "depth", (int32) call->depth);
	ph_rows_datum(rows, "region", out->regions[call->region]);
	ph_rows_bigint(rows, "enter", call->enter);
	ph_rows_bigint_unless(rows, "leave", call->leave, PH_NO_TIME);
	ph_rows_bigint(rows, "inclusive", call->inclusive);
	ph_rows_bigint(rows, "exclusive", call->exclusive);
	ph_rows_bigint(rows, "region_id", out->trace->region_ids[call->region]);
	ph_rows_put(rows);
	return PH_OK;
}

PH_FUNCTION(ph_trace_calls)
{
	CallRows out = {0};
	PhChunkFetch fetch;
	ph_rows_begin(&out.rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_TRACE_REGIONS);
	PhTraceWindow window = ph_arg_window(fcinfo, 1, trace);
	out.trace = trace;
	out.regions = ph_trace_region_texts(trace);
	ph_chunk_fetch_begin(&fetch, trace);
	for (uint32 i = 0; i < trace->model.n_locations; i++)
	{
		if (!ph_window_has_location(&window, i))
			continue;
		ph_chunk_fetch_location(&fetch, i);
		PH_CHECK(&trace->scratch->env, ph_calls_list(&trace->scratch->env, &fetch.source,
													 window.from, window.to, put_call, &out));
	}
	ph_trace_end(trace);
	return (Datum) 0;
}
