/*
 * number_args.h - float8[] arguments and results.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVER_NUMBER_ARGS_H
#define PH_SERVER_NUMBER_ARGS_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/array.h"

/* Elements of a float8[] argument that is not null, of one dimension; a null one is NaN. */
double *ph_arg_numbers(FunctionCallInfo fcinfo, int argument, uint32 *count);

/* The same without nulls and NaN. */
double *ph_arg_known_numbers(FunctionCallInfo fcinfo, int argument, uint32 *count);

/* A float8[] of them. */
ArrayType *ph_number_array(const double *numbers, uint32 n);

#endif
