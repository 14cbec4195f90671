/*
 * scaling_model.h - how a cost grows with a parameter: the performance model normal form.
 *
 * y = c0 + c1 * p^i * log2(p)^j with i and j from fixed lists (Calotoiu et al. 2013, as Extra-P
 * does for one parameter), or the constant alone. The hypothesis with the smallest squared error
 * of prediction under leave-one-out cross-validation wins; of equals the simplest. Few sizes tell
 * many hypotheses apart badly: those that predict about as well are listed, and a model that is
 * negative where it was measured says so.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_SCALING_MODEL_H
#define PH_STATISTICS_SCALING_MODEL_H

#include <stddef.h>

#include "base/arena.h"

#define PH_SCALING_MIN_POINTS 4 /* distinct parameters; with fewer there is no model */

/* Hypotheses whose error of prediction is at most this much greater are as good: arbitrary, far
 * below what another run would change. */
#define PH_SCALING_EQUAL 1.05
#define PH_SCALING_MOST_ALTERNATIVES 64

/* Another hypothesis that predicts as well. */
typedef struct PhScalingAlternative
{
	double constant, coefficient;
	double exponent, log_exponent;
	double cross_validation;
} PhScalingAlternative;

typedef struct PhScalingModel
{
	uint32_t n;					   /* points used */
	double constant, coefficient;  /* c0, c1 (0: constant model) */
	double exponent, log_exponent; /* i, j */
	double cross_validation;	   /* root mean square error of left-out points */
	double constant_validation;	   /* the same of the constant model */
	double r_squared;			   /* 0 for the constant model */
	double smape;				   /* symmetric mean absolute percentage error, 0 to 200 */
	double growth;				   /* y(largest) / y(smallest parameter) by the model */
	uint32_t n_distinct;		   /* different parameters */
	double negative_at;		 /* least parameter in the range with a value below 0, though none was
							  * measured below 0; NaN: none */
	uint32_t n_alternatives; /* as good as this one, the best first */
	PhScalingAlternative alternatives[PH_SCALING_MOST_ALTERNATIVES];
} PhScalingModel;

/*
 * Parameters must be positive; pairs with a value that is not a number are left out. NaN
 * everywhere for no points; with fewer than PH_SCALING_MIN_POINTS different parameters the constant
 * is the mean of what was measured, which is no model. PH_ERR_VALUE for a parameter that is not
 * positive. O(n) a hypothesis.
 */
PhStatus ph_scaling_model(PhArena *arena, const double *parameters, const double *values,
						  uint32_t n, PhScalingModel *out) PH_MUST_CHECK;

/* "0.5 + 2.1e-3 * p^(3/2) * log2(p)", with the parameter's name. */
void ph_scaling_model_text(const PhScalingModel *model, const char *parameter, char *out,
						   size_t size);
void ph_scaling_alternative_text(const PhScalingAlternative *alternative, const char *parameter,
								 char *out, size_t size);

/* What to know before the model is trusted: "too few sizes: 3, a model needs 4", "5 other models
 * are as good", "negative at 8"; empty when there is nothing. */
void ph_scaling_caution(const PhScalingModel *model, const char *parameter, char *out, size_t size);

#endif
