/*
 * fn_change_points.c - change points of any series, sparse series made dense, run filters.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "history/run_filter.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/number_args.h"
#include "server/pgenv.h"
#include "server/rowio.h"
#include "statistics/change_point.h"

#define SERIES_MAX 10000000

static PhChangeMode
arg_mode(FunctionCallInfo fcinfo, int argument)
{
	const char *mode = ph_arg_text_or(fcinfo, argument, "default");
	if (strcmp(mode, "default") == 0)
		return PH_CHANGE_DEFAULT;
	if (strcmp(mode, "otava") == 0)
		return PH_CHANGE_OTAVA;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unknown mode \"%s\" of change points", mode),
					errhint("The modes are default and otava.")));
}

static const uint32 *
arg_groups(FunctionCallInfo fcinfo, int argument, uint32 n)
{
	int count;
	if (PG_ARGISNULL(argument))
		return NULL;
	const int32 *groups = ph_arg_ints(fcinfo, argument, &count);
	if ((uint32) count != n)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%d groups for a series of %u values", count, n)));
	return (const uint32 *) groups;
}

static PhChangeOptions
arg_options(FunctionCallInfo fcinfo, uint32 n)
{
	PhChangeOptions options = {0};
	options.mode = arg_mode(fcinfo, 1);
	options.max_p = PG_ARGISNULL(2) ? (double) NAN : PG_GETARG_FLOAT8(2);
	options.min_magnitude = PG_ARGISNULL(3) ? 0 : PG_GETARG_FLOAT8(3);
	if (!PG_ARGISNULL(4))
	{
		int32 window = PG_GETARG_INT32(4);
		options.window = window < 2 ? 1 : (uint32) window; /* 1 is refused, 0 is the default */
	}
	options.groups = arg_groups(fcinfo, 5, n);
	return options;
}

static void
put_point(PhRows *rows, const PhChangePoints *found, const PhChangePoint *point, uint32 n)
{
	ph_rows_int(rows, "index", (int32) point->index);
	ph_rows_number(rows, "magnitude", point->magnitude);
	ph_rows_number(rows, "p_value", point->p);
	ph_rows_number(rows, "mean_before", point->mean_before);
	ph_rows_number(rows, "mean_after", point->mean_after);
	ph_rows_number(rows, "sd_before", point->sd_before);
	ph_rows_number(rows, "sd_after", point->sd_after);
	ph_rows_int(rows, "n_before", (int32) point->n_before);
	ph_rows_int(rows, "n_after", (int32) point->n_after);
	ph_rows_number(rows, "score", point->score);
	ph_rows_number(rows, "series_p_value", ph_change_series_p(point->p, n));
	ph_rows_number(rows, "noise", found->noise_sd);
	ph_rows_number(rows, "autocorrelation", found->autocorrelation);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_change_point_indexes)
{
	PhRows rows;
	uint32 n;
	PhChangePoints found;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	const double *series = ph_arg_numbers(fcinfo, 0, &n);
	PhChangeOptions options = arg_options(fcinfo, n);
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_change_points(&scratch->arena, series, n, &options, &found));
	for (uint32 i = 0; i < found.n; i++)
		put_point(&rows, &found, &found.points[i], n);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

/* ---- the aggregate dense_series ---- */

typedef struct DenseSeries
{
	uint32 n;
	double values[FLEXIBLE_ARRAY_MEMBER];
} DenseSeries;

static DenseSeries *
dense_new(MemoryContext context, int32 length)
{
	if (length < 0 || length > SERIES_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a series cannot have %d values", length),
						errhint("The limit is %d.", SERIES_MAX)));
	Size size = offsetof(DenseSeries, values) + sizeof(double) * (Size) length;
	DenseSeries *series =
		MemoryContextAllocExtended(context, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	series->n = (uint32) length;
	return series;
}

PH_FUNCTION(ph_dense_series_add)
{
	MemoryContext context;
	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	DenseSeries *series = PG_ARGISNULL(0) ? NULL : (DenseSeries *) PG_GETARG_POINTER(0);
	if (series == NULL && !PG_ARGISNULL(3))
		series = dense_new(context, PG_GETARG_INT32(3));
	if (series == NULL)
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
	{
		int32 place = PG_GETARG_INT32(1);
		if (place < 0 || (uint32) place >= series->n)
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("place %d of a series of %u values", place, series->n)));
		series->values[place] += PG_GETARG_FLOAT8(2);
	}
	PG_RETURN_POINTER(series);
}

PH_FUNCTION(ph_dense_series_final)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const DenseSeries *series = (const DenseSeries *) PG_GETARG_POINTER(0);
	PG_RETURN_ARRAYTYPE_P(ph_number_array(series->values, series->n));
}

/* ---- run filters ---- */

PH_FUNCTION(ph_run_filter_sql)
{
	text *filter = PG_GETARG_TEXT_PP(0);
	TupleDesc descriptor;
	PhRunFilter translated;
	Datum values[2];
	bool nulls[2] = {false, false};
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_run_filter(&scratch->arena, VARDATA_ANY(filter),
										  VARSIZE_ANY_EXHDR(filter), &translated));
	Datum *arguments = palloc(sizeof(Datum) * Max(translated.n_arguments, 1));
	for (uint32 i = 0; i < translated.n_arguments; i++)
		arguments[i] = CStringGetTextDatum(translated.arguments[i]);
	values[0] = CStringGetTextDatum(translated.sql);
	values[1] = PointerGetDatum(
		construct_array(arguments, (int) translated.n_arguments, TEXTOID, -1, false, TYPALIGN_INT));
	ph_scratch_end(scratch);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}
