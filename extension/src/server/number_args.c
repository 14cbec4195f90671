/*
 * number_args.c - float8[] arguments and results.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "server/number_args.h"

/* Numbers that lie in the array as they are wanted, which is nearly always so, are copied as one.
 */
double *
ph_arg_numbers(FunctionCallInfo fcinfo, int argument, uint32 *count)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(argument);
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a series must have one dimension, not %d", ARR_NDIM(array))));
	int n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	double *numbers = palloc_extended(sizeof(double) * Max(n, 1), MCXT_ALLOC_HUGE);
	*count = (uint32) n;
	if (!ARR_HASNULL(array))
		return memcpy(numbers, ARR_DATA_PTR(array), sizeof(double) * (size_t) n);
	Datum *values;
	bool *nulls;
	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
					  &nulls, &n);
	for (int i = 0; i < n; i++)
		numbers[i] = nulls[i] ? (double) NAN : DatumGetFloat8(values[i]);
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
