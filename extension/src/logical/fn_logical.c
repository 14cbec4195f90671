/*
 * fn_logical.c - assigning logical steps to a stored trace.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "fmgr.h"
#include "portability/instr_time.h"

#include "logical/again.h"
#include "logical/writer.h"
#include "server/compat.h"

static double
seconds_since(instr_time start)
{
	instr_time now;
	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_DOUBLE(now);
}

PH_FUNCTION(ph_assign_logical_steps)
{
	PhLogicalRequest request;
	instr_time start;
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	INSTR_TIME_SET_CURRENT(start);
	PhTraceRun *trace = ph_trace_begin(PG_GETARG_INT64(0), PH_LOGICAL_PARTS);
	ph_logical_request_of(trace, PG_GETARG_JSONB_P(1), &request);
	ph_logical_lock(trace->run_id);
	PhLogicalRun *run = ph_logical_compute(trace, &request);
	Datum result = ph_logical_write(run, seconds_since(start));
	ph_trace_end(trace);
	PG_RETURN_DATUM(result);
}
