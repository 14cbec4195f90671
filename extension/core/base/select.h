/*
 * select.h - the k-th smallest of many numbers in linear time, without sorting them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_SELECT_H
#define PH_BASE_SELECT_H

#include "base/env.h"

/*
 * The k-th smallest (k < n, from 0) of values, which are reordered. No value may be NaN. O(n)
 * always: the numbers are narrowed down by the bytes of their bit patterns.
 */
double ph_select(double *values, size_t n, size_t k);

/*
 * The quantile q in 0..1 by linear interpolation between the two nearest of n > 0 values, which
 * are reordered.
 */
double ph_quantile(double *values, size_t n, double q);

/* The quantiles 0.25, 0.5 and 0.75, in one go. */
void ph_quartiles(double *values, size_t n, double quartiles[3]);

#endif
