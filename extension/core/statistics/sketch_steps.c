/*
 * sketch_steps.c - quantiles and histograms of a sketch.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>

#include "statistics/sketch_internal.h"

static void
put_step(PhSketchSteps *steps, double value, uint64_t count)
{
	if (count == 0)
		return;
	if (steps->n_steps > 0 && steps->steps[steps->n_steps - 1].value == value)
		steps->steps[steps->n_steps - 1].count += count;
	else
		steps->steps[steps->n_steps++] = (PhSketchStep){value, count};
}

/* The number that is off from every one of the bucket by the relative error at most. */
static double
middle(const PhSketch *sketch, int32_t index)
{
	double base = ph_sketch_bound(1, sketch->level);

	return ph_sketch_bound(index, sketch->level) * 2 / (base + 1);
}

static void
put_bucket(const PhSketch *sketch, PhSketchSteps *steps, double value, uint64_t count)
{
	value = value < sketch->min ? sketch->min : value > sketch->max ? sketch->max : value;
	put_step(steps, value, count);
}

static void
put_values(const PhSketch *sketch, uint64_t n_absent, PhSketchSteps *out)
{
	uint32_t i = 0;

	for (; i < sketch->n_values && sketch->values[i] < 0; i++)
		put_step(out, sketch->values[i], 1);
	put_step(out, 0, n_absent);
	for (; i < sketch->n_values; i++)
		put_step(out, sketch->values[i], 1);
}

PhStatus
ph_sketch_steps(PhArena *arena, const PhSketch *sketch, uint64_t n_absent, PhSketchSteps *out)
{
	PhSketchSteps steps = {.n = sketch->n + n_absent, .min = sketch->min, .max = sketch->max};
	size_t most = (size_t) sketch->n_values + sketch->n_negative + sketch->n_positive + 1;

	PH_TRY(PH_NEW(arena, most, &steps.steps));
	if (sketch->n_values > 0)
		put_values(sketch, n_absent, &steps);
	else
	{
		for (uint32_t i = sketch->n_negative; i-- > 0;)
			put_bucket(sketch, &steps, -middle(sketch, sketch->negative[i].index),
					   sketch->negative[i].count);
		put_step(&steps, 0, sketch->n_zeros + n_absent);
		for (uint32_t i = 0; i < sketch->n_positive; i++)
			put_bucket(sketch, &steps, middle(sketch, sketch->positive[i].index),
					   sketch->positive[i].count);
	}
	if (n_absent > 0)
	{
		steps.min = sketch->n == 0 || steps.min > 0 ? 0 : steps.min;
		steps.max = sketch->n == 0 || steps.max < 0 ? 0 : steps.max;
	}
	*out = steps;
	return PH_OK;
}

/* The k-th smallest, from 0. The least and the greatest are known exactly. */
static double
order_statistic(const PhSketchSteps *steps, uint64_t k)
{
	uint64_t below = 0;

	if (k == 0)
		return steps->min;
	for (uint32_t i = 0; i < steps->n_steps && k + 1 < steps->n; i++)
	{
		below += steps->steps[i].count;
		if (k < below)
			return steps->steps[i].value;
	}
	return steps->max;
}

double
ph_sketch_quantile(const PhSketchSteps *steps, double q)
{
	double place = q * (double) (steps->n - 1);
	double low, high;
	uint64_t k;

	if (steps->n == 0 || !(q >= 0 && q <= 1))
		return (double) NAN;
	k = (uint64_t) place;
	if (k + 1 >= steps->n)
		return steps->max;
	low = order_statistic(steps, k);
	high = order_statistic(steps, k + 1);
	return low + (high - low) * (place - (double) k);
}

PhStatus
ph_sketch_histogram(PhArena *arena, const PhSketchSteps *steps, uint32_t n_bins, uint64_t **counts)
{
	double width = steps->max / n_bins - steps->min / n_bins;

	PH_TRY(PH_NEW(arena, n_bins, counts));
	for (uint32_t i = 0; i < steps->n_steps; i++)
	{
		double place = width > 0 ? floor((steps->steps[i].value - steps->min) / width) : 0;
		uint32_t bin = !(place >= 0) ? 0 : place >= n_bins ? n_bins - 1 : (uint32_t) place;
		(*counts)[bin] += steps->steps[i].count;
	}
	return PH_OK;
}
