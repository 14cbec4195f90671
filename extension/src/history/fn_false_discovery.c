/*
 * fn_false_discovery.c - false discovery rates of an array of probabilities, or of the rows of a
 * window.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "windowapi.h"

#include "server/args.h"
#include "server/compat.h"
#include "server/number_args.h"
#include "server/pgenv.h"
#include "statistics/change_point.h"

#define TESTS_MAX 10000000

static void
require_probability(double p, uint64 number)
{
	if (!(p >= 0 && p <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("probability %llu is not between 0 and 1", (unsigned long long) number)));
}

PH_FUNCTION(ph_false_discovery_rates_of)
{
	uint32 n;
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	double *p = ph_arg_numbers(fcinfo, 0, &n);
	int32 tests = PG_ARGISNULL(1) ? (int32) n : PG_GETARG_INT32(1);
	for (uint32 i = 0; i < n; i++)
		require_probability(p[i], i + 1);
	if (tests < 0 || (uint32) tests < n)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%d tests cannot have %u probabilities", tests, n)));
	double *q = palloc_extended(sizeof(double) * Max(n, 1), MCXT_ALLOC_HUGE);
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_false_discovery_rates(&scratch->arena, p, n, (uint32) tests, q));
	ph_scratch_end(scratch);
	PG_RETURN_ARRAYTYPE_P(ph_number_array(q, n));
}

/* The rates of a window's rows, reckoned with the first of them; NaN: null. */
typedef struct WindowRates
{
	bool is_known;
	double rates[FLEXIBLE_ARRAY_MEMBER];
} WindowRates;

static void
find_rates(WindowObject window, uint32 n, double *rates)
{
	PhScratch *scratch = ph_scratch_begin();
	double *p = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * 2 * (Size) n);
	double *q = p + n;
	uint32 given = 0;
	for (uint32 i = 0; i < n; i++)
	{
		bool isnull;
		Datum value =
			WinGetFuncArgInPartition(window, 0, (int) i, WINDOW_SEEK_HEAD, false, &isnull, NULL);
		rates[i] = isnull ? (double) NAN : DatumGetFloat8(value);
		if (isnull)
			continue;
		require_probability(rates[i], (uint64) i + 1);
		p[given++] = rates[i];
	}
	PH_CHECK(&scratch->env, ph_false_discovery_rates(&scratch->arena, p, given, n, q));
	for (uint32 i = 0, next = 0; i < n; i++)
		if (!isnan(rates[i]))
			rates[i] = q[next++];
	pfree(p);
	ph_scratch_end(scratch);
}

PH_FUNCTION(ph_false_discovery_rate)
{
	WindowObject window = PG_WINDOW_OBJECT();
	int64 n = WinGetPartitionRowCount(window);
	int64 row = WinGetCurrentPosition(window);
	if (n > TESTS_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("false discovery rates of %lld tests", (long long) n),
						errhint("The limit is %d.", TESTS_MAX)));
	WindowRates *all = WinGetPartitionLocalMemory(window, offsetof(WindowRates, rates) +
															  sizeof(double) * (Size) n);
	if (!all->is_known)
		find_rates(window, (uint32) n, all->rates);
	all->is_known = true;
	if (isnan(all->rates[row]))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(all->rates[row]);
}
