/*
 * sketch_internal.h - what the files of sketches share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_SKETCH_INTERNAL_H
#define PH_STATISTICS_SKETCH_INTERNAL_H

#include "statistics/sketch.h"

/* ln of the base that has a relative error of 0.5 %: (1 + 0.005) / (1 - 0.005). Stored sketches
 * depend on it. */
#define PH_SKETCH_LOG_BASE 0.010000083334583179

/* A double's exponents fit into the buckets of level 10. */
#define PH_SKETCH_LEVEL_MAX 10

/* n, sum, m2, min and max of finite numbers. */
void ph_sketch_measure(PhSketch *sketch, const double *numbers, size_t n);

/* Upper bound of the bucket. */
double ph_sketch_bound(int32_t index, uint32_t level);

#endif
