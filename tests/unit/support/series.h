/*
 * series.h - random series and change points in them, for tests of statistics.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_TEST_SERIES_H
#define PH_TEST_SERIES_H

#include "statistics/change_point.h"

/* Of the test that runs; its tear-down drops the arena and finds that nothing is left. */
extern PhEnv series_env;
extern PhArena series_arena;
int series_set_up(void **state);
int series_tear_down(void **state);

/* In series_arena; the test fails with the reason when there is an error. */
PhChangePoints find_points(const double *series, uint32_t n, PhChangeOptions options);

/* Of (0, 1), and of mean 0 and variance 1. */
double random_uniform(void);
double random_normal(void);

/* The test fails unless value / expected is 1 within the tolerance. */
void assert_ratio(double value, double expected, double tolerance);

#endif
