/*
 * args.c - windows and bins from the arguments of functions on traces.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/args.h"
#include "trace/args.h"

PhTraceWindow
ph_arg_times(FunctionCallInfo fcinfo, int first)
{
	PhTraceWindow window = {.from = PG_INT64_MIN, .to = PG_INT64_MAX};
	if (!PG_ARGISNULL(first))
		window.from = PG_GETARG_INT64(first);
	if (!PG_ARGISNULL(first + 1))
		window.to = PG_GETARG_INT64(first + 1);
	if (window.to < window.from)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the window ends at " INT64_FORMAT
							   " ns, before it begins at " INT64_FORMAT " ns",
							   window.to, window.from),
						errhint("Times are nanoseconds since the run's first event.")));
	return window;
}

bool *
ph_arg_locations(FunctionCallInfo fcinfo, int argument, const PhTraceRun *trace)
{
	if (PG_ARGISNULL(argument))
		return NULL;
	int count;
	const int32 *given = ph_arg_ints(fcinfo, argument, &count);
	uint32 n = trace->model.n_locations;
	bool *locations = MemoryContextAllocZero(trace->scratch->context, Max(n, 1));
	for (int i = 0; i < count; i++)
	{
		if (given[i] < 0 || (uint32) given[i] >= n)
			ereport(ERROR, (errcode(PH_ERRCODE_NOT_FOUND),
							errmsg("run " INT64_FORMAT " has no location %d in its trace",
								   trace->run_id, given[i]),
							errhint("It has %u locations, numbered from 0.", n)));
		locations[given[i]] = true;
	}
	return locations;
}

PhTraceWindow
ph_arg_window(FunctionCallInfo fcinfo, int first, const PhTraceRun *trace)
{
	PhTraceWindow window = ph_arg_times(fcinfo, first);
	window.locations = ph_arg_locations(fcinfo, first + 2, trace);
	window.n_locations = window.locations != NULL ? trace->model.n_locations : 0;
	return window;
}

uint32
ph_arg_bin_count(FunctionCallInfo fcinfo, int argument, int32 otherwise)
{
	int32 n = PG_ARGISNULL(argument) ? otherwise : PG_GETARG_INT32(argument);
	if (n < 1 || n > PH_MOST_BINS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the number of bins must be 1 to %d, not %d", PH_MOST_BINS, n)));
	return (uint32) n;
}

PhTimeBins
ph_arg_bins(FunctionCallInfo fcinfo, int bins, int first, const PhTraceRun *trace)
{
	PhTraceWindow window = ph_arg_times(fcinfo, first);
	PhTimeBins result = {window.from, window.to, ph_arg_bin_count(fcinfo, bins, 50)};
	if (PG_ARGISNULL(first))
		result.from = 0;
	if (PG_ARGISNULL(first + 1))
		result.to = Max(trace->duration, result.from) + 1;
	if (result.from < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the window begins at " INT64_FORMAT " ns, before the run", result.from),
				 errhint("Times are nanoseconds since the run's first event.")));
	if (result.to <= result.from)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the window is empty"),
						errhint("Its end must be later than its beginning, " INT64_FORMAT " ns.",
								result.from)));
	return result;
}
