/*
 * formula_units.c - what a formula makes of the units of its operands.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/unit.h"
#include "metrics/formula.h"
#include "profile/ops.h"

/* Multiply coefficients so that all operands have the first one's unit, which is *unit. */
static PhStatus
settle_sum(PhEnv *env, const PhFormula *formula, const char *const *units, double *coefficients,
		   const char **unit)
{
	*unit = NULL;
	for (uint32_t i = 0; i < formula->n_names; i++)
	{
		double factor;
		if (coefficients[i] == 0)
			continue;
		*unit = *unit == NULL ? units[i] : *unit;
		if (!ph_unit_factor(units[i], *unit, &factor))
			return ph_fail_hint(
				env, PH_ERR_CONFLICT,
				"Only metrics of one dimension can be added; with_unit(profile, metric, unit) "
				"names the unit of a metric that has none.",
				"metric \"%.*s\" is in \"%.*s\", what it is added to in \"%.*s\"",
				ph_text_fit(formula->names[i], 100), formula->names[i], ph_text_fit(units[i], 30),
				units[i], ph_text_fit(*unit, 30), *unit);
		coefficients[i] *= factor;
	}
	return PH_OK;
}

/* The unit of a quotient: none within a dimension, where *factor makes the numerator the divisor's.
 */
static PhStatus
quotient_unit(PhArena *arena, const char *over, const char *under, double *factor,
			  const char **unit)
{
	char *text;
	PhUnitMeaning meaning;
	*unit = "";
	if (ph_unit_factor(over, under, factor) && (ph_unit_meaning(over, &meaning) || over[0] == '\0'))
		return PH_OK;
	*factor = 1;
	if (strcmp(over, under) == 0)
		return PH_OK;
	if (over[0] == '\0' && under[0] == '\0')
		return PH_OK;
	size_t size = 2 * PH_UNIT_MAX + 4;
	PH_TRY(PH_NEW(arena, size, &text));
	snprintf(text, size, "%.*s/%.*s", ph_text_fit(over[0] == '\0' ? "1" : over, PH_UNIT_MAX),
			 over[0] == '\0' ? "1" : over, ph_text_fit(under[0] == '\0' ? "1" : under, PH_UNIT_MAX),
			 under[0] == '\0' ? "1" : under);
	*unit = text;
	return PH_OK;
}

/* To the unit that was asked for, where it is of the dimension of what the operands give. */
static double
factor_asked(const char *unit, const char *asked)
{
	double factor;
	return asked != NULL && unit[0] != '\0' && ph_unit_factor(unit, asked, &factor) ? factor : 1;
}

static PhStatus
settle_ratio(PhArena *arena, const PhFormula *formula, const char *const *units, const char *asked,
			 PhFormulaTerms *terms)
{
	double factor;
	PH_TRY(settle_sum(arena->env, formula, units, terms->over, &terms->over_unit));
	PH_TRY(settle_sum(arena->env, formula, units, terms->under, &terms->under_unit));
	PH_TRY(quotient_unit(arena, terms->over_unit, terms->under_unit, &factor, &terms->unit));
	/* microseconds of a time by a count are those of one */
	double to_asked = terms->unit[0] != '\0' ? factor_asked(terms->over_unit, asked) : 1;
	for (uint32_t i = 0; i < formula->n_names; i++)
		terms->over[i] *= factor * to_asked;
	if (to_asked != 1)
		terms->over_unit = asked;
	else if (factor != 1)
		terms->over_unit = terms->under_unit;
	return PH_OK;
}

static PhStatus
settle_whole(PhArena *arena, const PhFormula *formula, const char *const *units, const char *asked,
			 PhFormulaTerms *terms)
{
	PH_TRY(settle_sum(arena->env, formula, units, terms->over, &terms->unit));
	double to_asked = factor_asked(terms->unit, asked);
	for (uint32_t i = 0; i < formula->n_names; i++)
		terms->over[i] *= to_asked;
	terms->over_unit = asked != NULL ? asked : terms->unit;
	return PH_OK;
}

PhStatus
ph_formula_settle(PhArena *arena, const PhFormula *formula, const char *const *units,
				  const char *asked, PhFormulaTerms *out)
{
	memset(out, 0, sizeof(*out));
	PH_TRY(PH_NEW(arena, formula->n_names, &out->over));
	PH_TRY(PH_NEW(arena, formula->n_names, &out->under));
	for (uint32_t i = 0; i < formula->n_names; i++)
	{
		out->over[i] = formula->is_ratio ? formula->over[i] : formula->over[i] / formula->constant;
		out->under[i] = formula->under[i];
	}
	if (formula->is_ratio)
		PH_TRY(settle_ratio(arena, formula, units, asked, out));
	else
		PH_TRY(settle_whole(arena, formula, units, asked, out));
	out->unit = asked != NULL ? asked : out->unit;
	return PH_OK;
}
