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
	bool has_any; /* a value was added, perhaps 0 */
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

/* The series of argument 0, made by the first row that says its length in argument `length`. */
static DenseSeries *
dense_state(FunctionCallInfo fcinfo, int length)
{
	MemoryContext context;
	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	if (!PG_ARGISNULL(0))
		return (DenseSeries *) PG_GETARG_POINTER(0);
	return PG_ARGISNULL(length) ? NULL : dense_new(context, PG_GETARG_INT32(length));
}

static void
dense_add(DenseSeries *series, int32 place, double value)
{
	if (place < 0 || (uint32) place >= series->n)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("place %d of a series of %u values", place, series->n)));
	series->values[place] += value;
	series->has_any = true;
}

PH_FUNCTION(ph_dense_series_add)
{
	DenseSeries *series = dense_state(fcinfo, 3);
	if (series == NULL)
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
		dense_add(series, PG_GETARG_INT32(1), PG_GETARG_FLOAT8(2));
	PG_RETURN_POINTER(series);
}

/* Where the ascending numbers have one; without any they are 0, 1, ... n - 1. Negative: nowhere. */
static int
find_number(const int32 *numbers, int n, int32 number)
{
	int low = 0, high = n;
	if (numbers == NULL)
		return number < n ? number : -1;
	while (low < high)
	{
		int middle = low + (high - low) / 2;
		if (numbers[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && numbers[low] == number ? low : -1;
}

static const int32 *
arg_numbers_or_null(FunctionCallInfo fcinfo, int argument, int wanted)
{
	int n;
	if (PG_ARGISNULL(argument))
		return NULL;
	const int32 *numbers = ph_arg_ints(fcinfo, argument, &n);
	if (n != wanted)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%d numbers for %d others that they belong to", n, wanted)));
	return numbers;
}

PH_FUNCTION(ph_dense_series_add_many)
{
	DenseSeries *series = dense_state(fcinfo, 6);
	if (series == NULL)
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1) || PG_ARGISNULL(4) || PG_ARGISNULL(5))
		PG_RETURN_POINTER(series);
	int n_places;
	uint32 n_values;
	const int32 *places = ph_arg_ints(fcinfo, 1, &n_places);
	const int32 *wanted = arg_numbers_or_null(fcinfo, 2, n_places);
	const double *values = ph_arg_numbers(fcinfo, 4, &n_values);
	const int32 *known = arg_numbers_or_null(fcinfo, 3, (int) n_values);
	double factor = PG_GETARG_FLOAT8(5);
	for (int i = 0; i < n_places; i++)
	{
		int at = find_number(known, (int) n_values, wanted == NULL ? i : wanted[i]);
		if (at >= 0 && !isnan(values[at]))
			dense_add(series, places[i], values[at] * factor);
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

PH_FUNCTION(ph_dense_series_final_any)
{
	if (PG_ARGISNULL(0) || !((const DenseSeries *) PG_GETARG_POINTER(0))->has_any)
		PG_RETURN_NULL();
	return ph_dense_series_final(fcinfo);
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
