/*
 * fn_statistics.c - tests of two vectors: repeats, correlation, ranks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "server/compat.h"
#include "server/number_args.h"
#include "server/pgenv.h"
#include "server/rowio.h"
#include "statistics/level.h"
#include "statistics/repeat_test.h"
#include "statistics/two_sample.h"

static void
put_repeats(PhRows *rows, const PhRepeatTest *test)
{
	ph_rows_int(rows, "n_a", (int32) test->n_a);
	ph_rows_int(rows, "n_b", (int32) test->n_b);
	ph_rows_number(rows, "mean_a", test->mean_a);
	ph_rows_number(rows, "mean_b", test->mean_b);
	ph_rows_number(rows, "sd_a", test->sd_a);
	ph_rows_number(rows, "sd_b", test->sd_b);
	ph_rows_number(rows, "difference", test->difference);
	ph_rows_number(rows, "relative", test->relative);
	ph_rows_number(rows, "low", test->low);
	ph_rows_number(rows, "high", test->high);
	ph_rows_number(rows, "t", test->t);
	ph_rows_number(rows, "degrees", test->degrees);
	ph_rows_number(rows, "p_value", test->p);
}

PH_FUNCTION(ph_repeat_test_rows)
{
	PhRows rows;
	PhRepeatTest test;
	uint32 n_a, n_b;
	ph_rows_begin(&rows, fcinfo);
	const double *a = ph_arg_known_numbers(fcinfo, 0, &n_a);
	const double *b = ph_arg_known_numbers(fcinfo, 1, &n_b);
	double margin = PG_GETARG_FLOAT8(2);
	int32 least = PG_GETARG_INT32(3);
	if (!(margin >= 0 && margin < 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("margin must be 0 or more and less than 1, not %g", margin)));
	ph_repeat_test(a, n_a, b, n_b, margin, &test);
	put_repeats(&rows, &test);
	if ((int64) Min(n_a, n_b) < least)
	{
		ph_rows_text(&rows, "verdict", "unknown");
		ph_rows_int(&rows, "runs_needed", Max(least, PH_MIN_REPEATS));
	}
	else
	{
		ph_rows_text(&rows, "verdict",
					 test.verdict == PH_VERDICT_UNKNOWN ? "unknown"
					 : test.verdict == PH_VERDICT_SAME	? "same"
														: "different");
		if (test.verdict == PH_VERDICT_UNKNOWN && test.repeats_needed < SIZE_MAX)
			ph_rows_int(&rows, "runs_needed", (int32) test.repeats_needed);
		else
			ph_rows_null(&rows, "runs_needed");
	}
	ph_rows_put(&rows);
	return (Datum) 0;
}

PH_FUNCTION(ph_level_rows)
{
	PhRows rows;
	PhLevel found;
	uint32 n;
	ph_rows_begin(&rows, fcinfo);
	const double *values = ph_arg_known_numbers(fcinfo, 0, &n);
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_level_find(&scratch->arena, values, n, &found));
	ph_rows_int(&rows, "n", (int32) found.n);
	ph_rows_number(&rows, "level", found.level);
	ph_rows_number(&rows, "spread", found.spread);
	ph_rows_number(&rows, "autocorrelation", found.autocorrelation);
	ph_rows_number(&rows, "degrees", found.degrees);
	ph_rows_put(&rows);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_correlation_rows)
{
	PhRows rows;
	PhCorrelation found;
	uint32 n_x, n_y;
	ph_rows_begin(&rows, fcinfo);
	const double *x = ph_arg_numbers(fcinfo, 0, &n_x);
	const double *y = ph_arg_numbers(fcinfo, 1, &n_y);
	if (n_x != n_y)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%u and %u values do not make pairs", n_x, n_y)));
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_correlation(&scratch->arena, x, y, n_x, &found));
	ph_rows_int(&rows, "n", (int32) found.n);
	ph_rows_number(&rows, "pearson", found.pearson);
	ph_rows_number(&rows, "pearson_p_value", found.pearson_p);
	ph_rows_number(&rows, "spearman", found.spearman);
	ph_rows_number(&rows, "spearman_p_value", found.spearman_p);
	ph_rows_put(&rows);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_mann_whitney_rows)
{
	PhRows rows;
	PhMannWhitney test;
	uint32 n_a, n_b;
	ph_rows_begin(&rows, fcinfo);
	const double *a = ph_arg_numbers(fcinfo, 0, &n_a);
	const double *b = ph_arg_numbers(fcinfo, 1, &n_b);
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_mann_whitney(&scratch->arena, a, n_a, b, n_b, &test));
	ph_rows_int(&rows, "n_a", (int32) test.n_a);
	ph_rows_int(&rows, "n_b", (int32) test.n_b);
	ph_rows_number(&rows, "u", test.u);
	ph_rows_number(&rows, "p_value", test.p);
	ph_rows_number(&rows, "share", test.share);
	ph_rows_number(&rows, "effect", test.effect);
	ph_rows_bool(&rows, "is_exact", test.is_exact);
	ph_rows_put(&rows);
	ph_scratch_end(scratch);
	return (Datum) 0;
}
