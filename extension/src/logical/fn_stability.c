/*
 * fn_stability.c - how much of a stored structure stays when times are a little different.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "logical/again.h"
#include "logical/stability.h"
#include "server/compat.h"
#include "server/rowio.h"
#include "tasks/stability.h"

#define MOST_ROUNDS 100

static void
try_once(const PhLogicalRun *run, int64 within, uint64 seed, PhStability *out)
{
	PhEnv *env = &run->trace->scratch->env;
	if (run->task_metrics == NULL)
		PH_CHECK(env, ph_logical_stability(env, &run->logical, &run->request.options, within, seed,
										   out));
	else
		PH_CHECK(env, ph_task_stability(env, run->task_metrics->structure, &run->request.tasks,
										within, seed, out));
}

static void
put_round(PhRows *rows, int round, int64 within, const PhStability *found)
{
	ph_rows_int(rows, "round", round);
	ph_rows_bigint(rows, "within_ns", within);
	ph_rows_int(rows, "moved", (int32) found->n_moved);
	ph_rows_int(rows, "phases", (int32) found->n_phases);
	ph_rows_int(rows, "phases_kept", (int32) found->n_phases_kept);
	ph_rows_int(rows, "steps", (int32) found->n_steps);
	ph_rows_int(rows, "steps_kept", (int32) found->n_steps_kept);
	ph_rows_put(rows);
}

static int32
arg_rounds(FunctionCallInfo fcinfo, int argument)
{
	int32 rounds = PG_GETARG_INT32(argument);
	if (rounds < 1 || rounds > MOST_ROUNDS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("rounds must be from 1 to %d, not %d", MOST_ROUNDS, rounds)));
	return rounds;
}

static int64
arg_within(FunctionCallInfo fcinfo, int argument)
{
	int64 within = PG_ARGISNULL(argument) ? 0 : PG_GETARG_INT64(argument);
	if (within < 0 || within > INT64CONST(1000000000000))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("within_ns must be from 0 to 10^12, not " INT64_FORMAT, within)));
	return within;
}

PH_FUNCTION(ph_structure_stability)
{
	PhRows rows;
	PhStability found;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	int32 rounds = arg_rounds(fcinfo, 1);
	int64 within = arg_within(fcinfo, 2);
	PhLogicalRun *run = ph_logical_again(PG_GETARG_INT64(0));
	if (PG_ARGISNULL(2))
		within = ph_stability_within(&run->logical);
	for (int32 round = 1; round <= rounds; round++)
	{
		try_once(run, within, (uint64) round, &found);
		put_round(&rows, round, within, &found);
	}
	ph_trace_end(run->trace);
	return (Datum) 0;
}
