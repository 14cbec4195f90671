/*
 * fn_sketch.c - sketches of distributions: making, merging, asking.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/array.h"

#include "profile/histogram_rows.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/number_args.h"
#include "server/pgenv.h"
#include "server/rowio.h"
#include "statistics/sketch.h"

static PhSketch
arg_sketch(FunctionCallInfo fcinfo, int argument, PhScratch *scratch)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(argument);
	PhSketch sketch;
	PhStatus status = ph_sketch_read(&scratch->arena, (const uint8_t *) VARDATA_ANY(bytes),
									 VARSIZE_ANY_EXHDR(bytes), &sketch);
	if (status == PH_ERR_FORMAT)
		ereport(ERROR, (errcode(PH_ERRCODE_BAD_PROFILE), errmsg("%s", scratch->env.error.message)));
	PH_CHECK(&scratch->env, status);
	return sketch;
}

static uint64
arg_absent(FunctionCallInfo fcinfo, int argument)
{
	int64 absent = PG_GETARG_INT64(argument);
	if (absent < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there cannot be " INT64_FORMAT " absent numbers", absent)));
	return (uint64) absent;
}

static bytea *
sketch_bytes(PhScratch *scratch, const PhSketch *sketch)
{
	uint8_t *bytes;
	size_t size;
	PH_CHECK(&scratch->env, ph_sketch_write(&scratch->arena, sketch, &bytes, &size));
	bytea *out = palloc(VARHDRSZ + size);
	SET_VARSIZE(out, VARHDRSZ + size);
	memcpy(VARDATA(out), bytes, size);
	return out;
}

PH_FUNCTION(ph_sketch_of_numbers)
{
	uint32 n;
	const double *numbers = ph_arg_numbers(fcinfo, 0, &n);
	PhScratch *scratch = ph_scratch_begin();
	PhSketch sketch;
	PH_CHECK(&scratch->env, ph_sketch_of(&scratch->arena, numbers, n, &sketch));
	bytea *out = sketch_bytes(scratch, &sketch);
	ph_scratch_end(scratch);
	PG_RETURN_BYTEA_P(out);
}

PH_FUNCTION(ph_merge_two_sketches)
{
	PhScratch *scratch = ph_scratch_begin();
	PhSketch a = arg_sketch(fcinfo, 0, scratch);
	PhSketch b = arg_sketch(fcinfo, 1, scratch);
	PhSketch merged;
	PH_CHECK(&scratch->env, ph_sketch_merge(&scratch->arena, &a, &b, &merged));
	bytea *out = sketch_bytes(scratch, &merged);
	ph_scratch_end(scratch);
	PG_RETURN_BYTEA_P(out);
}

PH_FUNCTION(ph_sketch_moments)
{
	TupleDesc descriptor;
	Datum values[7];
	bool nulls[7] = {false};
	uint64 absent = arg_absent(fcinfo, 1);
	PhSketchSteps steps;
	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	PhScratch *scratch = ph_scratch_begin();
	PhSketch sketch = arg_sketch(fcinfo, 0, scratch);
	PH_CHECK(&scratch->env, ph_sketch_steps(&scratch->arena, &sketch, absent, &steps));
	double sd = ph_sketch_sd(&sketch, absent);
	values[0] = Int64GetDatum((int64) steps.n);
	values[1] = Float8GetDatum(sketch.sum);
	values[2] = Float8GetDatum(steps.n > 0 ? sketch.sum / (double) steps.n : 0);
	values[3] = Float8GetDatum(sd);
	values[4] = Float8GetDatum(steps.min);
	values[5] = Float8GetDatum(steps.max);
	values[6] = Float8GetDatum(ph_sketch_relative_error(&sketch));
	nulls[2] = nulls[4] = nulls[5] = steps.n == 0;
	nulls[3] = isnan(sd);
	ph_scratch_end(scratch);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls)));
}

PH_FUNCTION(ph_sketch_quantiles)
{
	uint32 n;
	PhSketchSteps steps;
	double *fractions = ph_arg_numbers(fcinfo, 1, &n);
	uint64 absent = arg_absent(fcinfo, 2);
	PhScratch *scratch = ph_scratch_begin();
	PhSketch sketch = arg_sketch(fcinfo, 0, scratch);
	PH_CHECK(&scratch->env, ph_sketch_steps(&scratch->arena, &sketch, absent, &steps));
	for (uint32 i = 0; i < n; i++)
	{
		if (!(fractions[i] >= 0 && fractions[i] <= 1))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("fraction %u is not between 0 and 1", i + 1)));
		fractions[i] = ph_sketch_quantile(&steps, fractions[i]);
	}
	ph_scratch_end(scratch);
	if (steps.n == 0)
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(ph_number_array(fractions, n));
}

PH_FUNCTION(ph_sketch_histogram_rows)
{
	PhRows rows;
	PhSketchSteps steps;
	uint64_t *counts;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;
	uint32 n_bins = ph_arg_histogram_bins(fcinfo, 1);
	uint64 absent = arg_absent(fcinfo, 2);
	PhScratch *scratch = ph_scratch_begin();
	PhSketch sketch = arg_sketch(fcinfo, 0, scratch);
	PH_CHECK(&scratch->env, ph_sketch_steps(&scratch->arena, &sketch, absent, &steps));
	PH_CHECK(&scratch->env, ph_sketch_histogram(&scratch->arena, &steps, n_bins, &counts));
	double width = steps.max / n_bins - steps.min / n_bins;
	for (uint32 b = 0; b < n_bins && steps.n > 0; b++)
	{
		ph_rows_int(&rows, "bin", (int32) b);
		ph_rows_number(&rows, "low", steps.min + width * b);
		ph_rows_number(&rows, "high", b + 1 == n_bins ? steps.max : steps.min + width * (b + 1));
		ph_rows_bigint(&rows, "count", (int64) counts[b]);
		ph_rows_put(&rows);
	}
	ph_scratch_end(scratch);
	return (Datum) 0;
}
