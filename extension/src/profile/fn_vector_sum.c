/*
 * fn_vector_sum.c - the aggregate vector_sum: arrays added up element by element.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "server/compat.h"
#include "server/number_args.h"
#include "server/pgenv.h"

typedef struct VectorSum
{
	uint32 n;
	double values[FLEXIBLE_ARRAY_MEMBER]; /* NaN: only nulls so far */
} VectorSum;

static VectorSum *
vector_sum_new(MemoryContext context, uint32 n)
{
	Size size = offsetof(VectorSum, values) + sizeof(double) * (Size) n;
	VectorSum *sum = MemoryContextAllocExtended(context, size, MCXT_ALLOC_HUGE);
	sum->n = n;
	for (uint32 i = 0; i < n; i++)
		sum->values[i] = NAN;
	return sum;
}

PH_FUNCTION(ph_vector_sum_add)
{
	MemoryContext context;
	uint32 n;
	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	VectorSum *sum = PG_ARGISNULL(0) ? NULL : (VectorSum *) PG_GETARG_POINTER(0);
	if (PG_ARGISNULL(1))
	{
		if (sum == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(sum);
	}
	double *numbers = ph_arg_numbers(fcinfo, 1, &n);
	if (sum == NULL)
		sum = vector_sum_new(context, n);
	if (sum->n != n)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("an array of %u numbers cannot be added to one of %u", n, sum->n)));
	for (uint32 i = 0; i < n; i++)
		if (!isnan(numbers[i]))
			sum->values[i] = isnan(sum->values[i]) ? numbers[i] : sum->values[i] + numbers[i];
	pfree(numbers);
	PG_RETURN_POINTER(sum);
}

PH_FUNCTION(ph_vector_sum_final)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	const VectorSum *sum = (const VectorSum *) PG_GETARG_POINTER(0);
	PG_RETURN_ARRAYTYPE_P(ph_number_array(sum->values, sum->n));
}
