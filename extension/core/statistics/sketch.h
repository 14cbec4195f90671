/*
 * sketch.h - the distribution of many numbers in little room: moments and quantiles.
 *
 * What stays of a vector over ranks when retention rolls it up. Up to PH_SKETCH_EXACT numbers are
 * kept as they are. More are counted in buckets whose bounds are powers of one base (DDSketch,
 * Masson et al. 2019); when there are more than PH_SKETCH_BUCKETS, neighbours are joined all over,
 * which squares the base (UDDSketch, Epicoco et al. 2020). So every order statistic, and with it
 * every quantile between two of one sign, is off by the relative error at most, which the sketch
 * knows: 0.5 % for numbers within a factor of 13 at least, 1 % within 160, 2 % within 28000.
 *
 * Buckets depend on the set of numbers only, not on their order nor on how they were put together:
 * merging sketches of parts gives the buckets of the whole. Sums may differ in the last bits.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_STATISTICS_SKETCH_H
#define PH_STATISTICS_SKETCH_H

#include "base/arena.h"

#define PH_SKETCH_EXACT 16
#define PH_SKETCH_BUCKETS 512

/* Numbers x with base^(index - 1) < |x| <= base^index. */
typedef struct PhSketchBucket
{
	int32_t index;
	uint64_t count;
} PhSketchBucket;

typedef struct PhSketch
{
	uint64_t n;
	double sum;
	double m2;			  /* sum of squared distances from the mean */
	double min, max;	  /* 0 of none */
	uint32_t level;		  /* how often the base was squared */
	uint32_t n_values;	  /* n, when it is at most PH_SKETCH_EXACT, else 0 */
	const double *values; /* ascending */
	uint64_t n_zeros;	  /* the rest: of more numbers */
	uint32_t n_negative, n_positive;
	const PhSketchBucket *negative, *positive; /* by ascending index */
} PhSketch;

/* Of n numbers; NaNs are left out. PH_ERR_VALUE for an infinite one. */
PhStatus ph_sketch_of(PhArena *arena, const double *numbers, size_t n, PhSketch *out) PH_MUST_CHECK;

/* Of the numbers of both; out may point into a and b. */
PhStatus ph_sketch_merge(PhArena *arena, const PhSketch *a, const PhSketch *b,
						 PhSketch *out) PH_MUST_CHECK;

/* How far order statistics may be off, relative to themselves; 0: they are exact. */
double ph_sketch_relative_error(const PhSketch *sketch);

/* Standard deviation (n - 1) with n_absent more zeros; NaN of less than two numbers. */
double ph_sketch_sd(const PhSketch *sketch, uint64_t n_absent);

/* The numbers in ascending order as runs of equal ones, with n_absent more zeros. */
typedef struct PhSketchStep
{
	double value;
	uint64_t count;
} PhSketchStep;

typedef struct PhSketchSteps
{
	uint64_t n; /* numbers */
	double min, max;
	uint32_t n_steps;
	PhSketchStep *steps;
} PhSketchSteps;

PhStatus ph_sketch_steps(PhArena *arena, const PhSketch *sketch, uint64_t n_absent,
						 PhSketchSteps *out) PH_MUST_CHECK;

/* The quantile q in 0..1 by linear interpolation between order statistics; NaN of no numbers. */
double ph_sketch_quantile(const PhSketchSteps *steps, double q);

/* Numbers per bin of n_bins equal ones over [min, max]: right-open, the last one closed. */
PhStatus ph_sketch_histogram(PhArena *arena, const PhSketchSteps *steps, uint32_t n_bins,
							 uint64_t **counts) PH_MUST_CHECK;

/* The stored form; ph_sketch_read trusts nothing: PH_ERR_FORMAT. */
PhStatus ph_sketch_write(PhArena *arena, const PhSketch *sketch, uint8_t **bytes,
						 size_t *size) PH_MUST_CHECK;
PhStatus ph_sketch_read(PhArena *arena, const uint8_t *bytes, size_t size,
						PhSketch *out) PH_MUST_CHECK;

#endif
