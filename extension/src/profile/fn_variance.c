/*
 * fn_variance.c - how much of a vector's variance a grouping explains.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "server/args.h"
#include "server/compat.h"
#include "server/number_args.h"
#include "server/pgenv.h"
#include "server/rowio.h"
#include "statistics/variance.h"

/* Numbers of groups, of which below 0 is none; *n_groups: one more than the largest. */
static uint32 *
group_numbers(FunctionCallInfo fcinfo, int argument, uint32 n, uint32 *n_groups)
{
	int count;
	int32 *numbers = ph_arg_ints(fcinfo, argument, &count);
	uint32 *groups = palloc(sizeof(uint32) * Max(n, 1));
	*n_groups = 0;
	if ((uint32) count != n)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there are %u values and %d groups", n, count)));
	for (uint32 i = 0; i < n; i++)
	{
		/* as many groups as values are enough, and bound the memory */
		if (numbers[i] >= (int32) n)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("group %d is none of %u", numbers[i], n)));
		groups[i] = numbers[i] < 0 ? PH_NONE : (uint32) numbers[i];
		if (groups[i] != PH_NONE)
			*n_groups = Max(*n_groups, groups[i] + 1);
	}
	return groups;
}

PH_FUNCTION(ph_variance_share)
{
	PhRows rows;
	PhVarianceShare share;
	uint32 n, n_groups;
	ph_rows_begin(&rows, fcinfo);
	const double *values = ph_arg_numbers(fcinfo, 0, &n);
	const uint32 *groups = group_numbers(fcinfo, 1, n, &n_groups);
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env,
			 ph_variance_explain(&scratch->arena, values, groups, n, n_groups, &share));
	ph_rows_int(&rows, "n", (int32) share.n);
	ph_rows_int(&rows, "n_groups", (int32) share.n_groups);
	ph_rows_number(&rows, "share", share.share);
	ph_rows_number(&rows, "adjusted", share.adjusted);
	ph_rows_number(&rows, "p_value", share.p_value);
	ph_rows_index(&rows, "extreme", share.extreme);
	ph_rows_number(&rows, "extreme_share", share.extreme_share);
	ph_rows_number(&rows, "mean_in", share.mean_in);
	ph_rows_number(&rows, "mean_out", share.mean_out);
	ph_rows_int(&rows, "n_in", (int32) share.n_in);
	ph_rows_put(&rows);
	ph_scratch_end(scratch);
	return (Datum) 0;
}
