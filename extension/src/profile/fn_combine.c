/*
 * fn_combine.c - arithmetic on profiles and diff.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "metrics/derived_metric.h"
#include "metrics/formula.h"
#include "profile/ops.h"
#include "profile/stored_values.h"
#include "profile/value.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/rowio.h"

static Datum
arithmetic(FunctionCallInfo fcinfo, PhArithmetic operation)
{
	const PhProfile *a = ph_arg_profile(fcinfo, 0);
	const PhProfile *b = ph_arg_profile(fcinfo, 1);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_arithmetic(&out->env, a, b, operation, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_subtract)
{
	return arithmetic(fcinfo, PH_SUBTRACT);
}

PH_FUNCTION(ph_profile_add)
{
	return arithmetic(fcinfo, PH_ADD);
}

PH_FUNCTION(ph_profile_multiply)
{
	return arithmetic(fcinfo, PH_MULTIPLY);
}

PH_FUNCTION(ph_profile_divide)
{
	return arithmetic(fcinfo, PH_DIVIDE);
}

static Datum
scale(FunctionCallInfo fcinfo, double factor)
{
	if (!isfinite(factor))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a profile cannot be scaled by a number that is not finite")));
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_scale(&out->env, profile, factor, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_scale_by)
{
	return scale(fcinfo, PG_GETARG_FLOAT8(1));
}

PH_FUNCTION(ph_profile_divide_by)
{
	double divisor = PG_GETARG_FLOAT8(1);
	if (divisor == 0)
		ereport(ERROR, (errcode(ERRCODE_DIVISION_BY_ZERO), errmsg("division by zero")));
	if (!isfinite(divisor))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a profile cannot be divided by a number that is not finite")));
	return scale(fcinfo, 1 / divisor);
}

PH_FUNCTION(ph_derive)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	const char *name = ph_arg_text(fcinfo, 1);
	const char *formula = ph_arg_text(fcinfo, 2);
	const char *unit = ph_arg_text(fcinfo, 3);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_derive(&out->env, profile, name, formula, unit, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_formula_metrics)
{
	PhFormula formula;
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_formula_parse(&scratch->arena, ph_arg_text(fcinfo, 0), &formula));
	Datum *names = palloc(sizeof(Datum) * (formula.n_names + 1));
	for (uint32 i = 0; i < formula.n_names; i++)
		names[i] = CStringGetTextDatum(formula.names[i]);
	ArrayType *out =
		construct_array(names, (int) formula.n_names, TEXTOID, -1, false, TYPALIGN_INT);
	ph_scratch_end(scratch);
	PG_RETURN_ARRAYTYPE_P(out);
}

PH_FUNCTION(ph_formula_terms_of)
{
	PhRows rows;
	PhFormula formula;
	PhFormulaTerms terms;
	int n;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	PhScratch *scratch = ph_scratch_begin();
	PH_CHECK(&scratch->env, ph_formula_parse(&scratch->arena, ph_arg_text(fcinfo, 0), &formula));
	const char *const *units = (const char *const *) ph_arg_texts(fcinfo, 1, &n);
	if ((uint32) n != formula.n_names)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%d units for %u metrics", n, formula.n_names)));
	PH_CHECK(&scratch->env,
			 ph_formula_settle(&scratch->arena, &formula, units, ph_arg_text(fcinfo, 2), &terms));
	ph_rows_numbers(&rows, "numerator", terms.over, n);
	if (formula.is_ratio)
		ph_rows_numbers(&rows, "denominator", terms.under, n);
	else
		ph_rows_null(&rows, "denominator");
	ph_rows_text(&rows, "unit", terms.unit);
	ph_rows_put(&rows);
	ph_scratch_end(scratch);
	return (Datum) 0;
}

PH_FUNCTION(ph_with_unit)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	uint32 metric = ph_arg_metric(fcinfo, 1, profile);
	const char *unit = ph_arg_text(fcinfo, 2);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_with_unit(&out->env, profile, metric, unit, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

/* A profile of which all means will do. */
static const PhProfile *
operand_of_diff(FunctionCallInfo fcinfo, int argument)
{
	PhValue *value = ph_arg_as_it_is(fcinfo, argument, PH_VALUE_PROFILE);
	for (uint32 m = 0; m < value->profile->n_metrics; m++)
		ph_value_find_means(value, m);
	return value->profile;
}

PH_FUNCTION(ph_profile_diff_of)
{
	const PhProfile *a = operand_of_diff(fcinfo, 0);
	const PhProfile *b = operand_of_diff(fcinfo, 1);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_diff(&out->env, a, b, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_intersect_of)
{
	const PhProfile *a = ph_arg_profile(fcinfo, 0);
	const PhProfile *b = ph_arg_profile(fcinfo, 1);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_intersect(&out->env, a, b, &out->profile));
	PG_RETURN_PH_VALUE(out);
}

PH_FUNCTION(ph_profile_intersect_all)
{
	const PhProfile *profile = ph_arg_profile(fcinfo, 0);
	PhValue *out = ph_value_new(PH_VALUE_PROFILE, CurrentMemoryContext);
	PH_CHECK(&out->env, ph_profile_intersect_columns(&out->env, profile, &out->profile));
	PG_RETURN_PH_VALUE(out);
}
