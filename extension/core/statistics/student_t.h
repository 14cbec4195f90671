/*
 * student_t.h - tails and quantiles of Student's t and of the normal distribution.
 *
 * Relative error below 1e-9 wherever the result is a normal number, so that probabilities of 1e-200
 * can be compared. No allocation, no globals.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_STUDENT_T_H
#define PH_STATISTICS_STUDENT_T_H

/* P(|T| >= |t|) for degrees > 0, which may be fractional; NaN when t or degrees are. */
double ph_student_two_sided(double t, double degrees);

/* The t >= 0 with P(|T| >= t) = p, 0 < p <= 1. */
double ph_student_two_sided_quantile(double p, double degrees);

/* P(|Z| >= |z|). */
double ph_normal_two_sided(double z);

/* I_x(a, b), the regularised incomplete beta function, 0 <= x <= 1, a and b > 0. */
double ph_incomplete_beta(double x, double a, double b);

#endif
