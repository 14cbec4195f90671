/*
 * number_args.c - float8[] arguments and results.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "server/number_args.h"

double *
ph_arg_numbers(FunctionCallInfo fcinfo, int argument, uint32 *count)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
	Datum *values;
	bool *nulls;
	int n;
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a series must have one dimension, not %d", ARR_NDIM(array))));
	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
					  &nulls, &n);
	double *numbers = palloc_extended(sizeof(double) * Max(n, 1), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
		numbers[i] = nulls[i] ? (double) NAN : DatumGetFloat8(values[i]);
	*count = (uint32) n;
	return numbers;
}

double *
ph_arg_known_numbers(FunctionCallInfo fcinfo, int argument, uint32 *count)
{
	double *numbers = ph_arg_numbers(fcinfo, argument, count);
	uint32 kept = 0;
	for (uint32 i = 0; i < *count; i++)
		if (!isnan(numbers[i]))
			numbers[kept++] = numbers[i];
	*count = kept;
	return numbers;
}

ArrayType *
ph_number_array(const double *numbers, uint32 n)
{
	Datum *values = palloc_extended(sizeof(Datum) * Max(n, 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < n; i++)
		values[i] = Float8GetDatum(numbers[i]);
	return construct_array(values, (int) n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
						   TYPALIGN_DOUBLE);
}
