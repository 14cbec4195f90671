/*
 * formula.h - formulas of derived metrics: 'PAPI_TOT_INS / PAPI_TOT_CYC'.
 *
 * A formula is numbers, names of metrics, + - * / and parentheses. Names of letters, digits and
 * "_.:#" stand as they are, others in double quotes, with "" for a quote. What a formula may say is
 * what can be evaluated after aggregation: a sum of multiples of metrics, or the quotient of two.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_METRICS_FORMULA_H
#define PH_METRICS_FORMULA_H

#include "base/arena.h"

#define PH_FORMULA_MAX 4096	 /* bytes of a formula */
#define PH_FORMULA_NAMES 64	 /* different metrics in one */
#define PH_FORMULA_DEPTH 256 /* operands and operators that wait for each other */

/* (over[0] * name 0 + ...) / (under[0] * name 0 + ... + constant). */
typedef struct PhFormula
{
	uint32_t n_names;
	const char **names;
	double *over;
	double *under;
	double constant; /* of the divisor; 0 when it holds metrics */
	bool is_ratio;	 /* the divisor holds metrics */
} PhFormula;

/*
 * Names and numbers are the arena's. PH_ERR_VALUE says at which byte what is wrong, or why the
 * formula cannot be evaluated after aggregation.
 */
PhStatus ph_formula_parse(PhArena *arena, const char *text, PhFormula *out) PH_MUST_CHECK;

/* What the operands' values, in their units, are multiplied by to be added up. */
typedef struct PhFormulaTerms
{
	double *over;
	double *under;		   /* of ratios only */
	const char *over_unit; /* of the sums; under_unit of ratios only */
	const char *under_unit;
	const char *unit; /* of the whole */
} PhFormulaTerms;

/*
 * units: of the formula's names. asked: the unit that the whole shall have, NULL for what the
 * operands give; values are converted to one of that dimension, others name what the values are
 * in. PH_ERR_CONFLICT: metrics of different dimensions are added.
 */
PhStatus ph_formula_settle(PhArena *arena, const PhFormula *formula, const char *const *units,
						   const char *asked, PhFormulaTerms *out) PH_MUST_CHECK;

#endif
