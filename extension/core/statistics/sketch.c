/*
 * sketch.c - buckets and moments of many numbers, and how they merge.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "statistics/sketch.h"

#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "base/sort.h"
#include "statistics/sketch_internal.h"

static int
compare_numbers(const void *context, uint32_t x, uint32_t y)
{
	const double *numbers = context;

	return (numbers[x] > numbers[y]) - (numbers[x] < numbers[y]);
}

static PhStatus
sort_numbers(PhArena *arena, double **numbers, uint32_t n)
{
	uint32_t *order;
	double *sorted;

	PH_TRY(PH_NEW(arena, n, &sorted));
	PH_TRY(ph_sort_indices(arena, n, compare_numbers, *numbers, &order));
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (*numbers)[order[i]];
	*numbers = sorted;
	return PH_OK;
}

/* The bucket of a number other than 0 before any joining. */
static int32_t
bucket_of(double number)
{
	return (int32_t) ceil(log(fabs(number)) / PH_SKETCH_LOG_BASE);
}

/* Joining buckets 2 i - 1 and 2 i to i. */
static int32_t
joined(int32_t index)
{
	return index > 0 ? (index + 1) / 2 : -(-index / 2);
}

double
ph_sketch_bound(int32_t index, uint32_t level)
{
	return exp((double) index * PH_SKETCH_LOG_BASE * ldexp(1, (int) level));
}

double
ph_sketch_relative_error(const PhSketch *sketch)
{
	double base = ph_sketch_bound(1, sketch->level);

	return sketch->n == sketch->n_values ? 0 : (base - 1) / (base + 1);
}

double
ph_sketch_sd(const PhSketch *sketch, uint64_t n_absent)
{
	double n = (double) sketch->n;
	double all = n + (double) n_absent;
	double mean = n > 0 ? sketch->sum / n : 0;
	double m2 = n > 0 ? sketch->m2 + mean * mean * n * (double) n_absent / all : 0;

	return all >= 2 ? sqrt(m2 / (all - 1)) : (double) NAN;
}

/* ---- buckets of one sign ---- */

/* Room for all; ascending indices, equal ones added up. */
typedef struct Side
{
	PhSketchBucket *buckets;
	uint32_t n;
} Side;

static int
compare_buckets(const void *context, uint32_t x, uint32_t y)
{
	const PhSketchBucket *buckets = context;

	return (buckets[x].index > buckets[y].index) - (buckets[x].index < buckets[y].index);
}

static PhStatus
sort_side(PhArena *arena, Side *side)
{
	uint32_t *order;
	PhSketchBucket *sorted;

	PH_TRY(PH_NEW(arena, side->n, &sorted));
	PH_TRY(ph_sort_indices(arena, side->n, compare_buckets, side->buckets, &order));
	for (uint32_t i = 0; i < side->n; i++)
		sorted[i] = side->buckets[order[i]];
	side->buckets = sorted;
	return PH_OK;
}

static void
add_up_equal(Side *side)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < side->n; i++)
	{
		if (kept > 0 && side->buckets[kept - 1].index == side->buckets[i].index)
			side->buckets[kept - 1].count += side->buckets[i].count;
		else
			side->buckets[kept++] = side->buckets[i];
	}
	side->n = kept;
}

static void
join_neighbours(Side *side)
{
	for (uint32_t i = 0; i < side->n; i++)
		side->buckets[i].index = joined(side->buckets[i].index);
	add_up_equal(side);
}

static void
put_bucket(Side *side, int32_t index, uint64_t count)
{
	side->buckets[side->n++] = (PhSketchBucket){index, count};
}

/*
 * Makes the buckets of both signs those of the sketch: in ascending order, equal indices added up,
 * neighbours joined on both sides (each time the base is squared and the level rises by one) until
 * they are at most PH_SKETCH_BUCKETS together.
 */
static PhStatus
keep_sides(PhArena *arena, PhSketch *out, Side *negative, Side *positive)
{
	PH_TRY(sort_side(arena, negative));
	PH_TRY(sort_side(arena, positive));
	add_up_equal(negative);
	add_up_equal(positive);
	while (negative->n + positive->n > PH_SKETCH_BUCKETS)
	{
		join_neighbours(negative);
		join_neighbours(positive);
		out->level++;
	}
	out->negative = negative->buckets;
	out->n_negative = negative->n;
	out->positive = positive->buckets;
	out->n_positive = positive->n;
	return PH_OK;
}

static void
put_number(PhSketch *out, Side *negative, Side *positive, double number, uint32_t level)
{
	int32_t index;

	if (number == 0)
	{
		out->n_zeros++;
		return;
	}
	index = bucket_of(number);
	for (uint32_t i = 0; i < level; i++)
		index = joined(index);
	put_bucket(number < 0 ? negative : positive, index, 1);
}

/* ---- of numbers ---- */

void
ph_sketch_measure(PhSketch *out, const double *numbers, size_t n)
{
	double lost = 0;

	for (size_t i = 0; i < n; i++)
	{
		double sum = out->sum + numbers[i];
		lost += fabs(out->sum) >= fabs(numbers[i]) ? out->sum - sum + numbers[i]
												   : numbers[i] - sum + out->sum;
		out->sum = sum;
		out->min = i == 0 || numbers[i] < out->min ? numbers[i] : out->min;
		out->max = i == 0 || numbers[i] > out->max ? numbers[i] : out->max;
	}
	out->sum += lost;
	out->n = n;
	for (size_t i = 0; i < n; i++)
	{
		double distance = numbers[i] - out->sum / (double) n;
		out->m2 += distance * distance;
	}
}

static PhStatus
bucketise(PhArena *arena, const double *numbers, size_t n, PhSketch *out)
{
	Side negative = {0};
	Side positive = {0};

	PH_TRY(PH_NEW(arena, n, &negative.buckets));
	PH_TRY(PH_NEW(arena, n, &positive.buckets));
	for (size_t i = 0; i < n; i++)
		put_number(out, &negative, &positive, numbers[i], 0);
	return keep_sides(arena, out, &negative, &positive);
}

PhStatus
ph_sketch_of(PhArena *arena, const double *numbers, size_t n, PhSketch *out)
{
	PhSketch sketch = {0};
	double *known;
	size_t n_known = 0;

	if (n > UINT32_MAX)
		return ph_fail(arena->env, PH_ERR_LIMIT, "%zu numbers are too many for one call", n);
	PH_TRY(PH_NEW(arena, n, &known));
	for (size_t i = 0; i < n; i++)
	{
		if (isinf(numbers[i]))
			return ph_fail(arena->env, PH_ERR_VALUE, "number %zu is infinite", i + 1);
		if (!isnan(numbers[i]))
			known[n_known++] = numbers[i] == 0 ? 0 : numbers[i]; /* -0 is 0 */
	}
	if (n_known <= PH_SKETCH_EXACT)
		PH_TRY(sort_numbers(arena, &known, (uint32_t) n_known));
	ph_sketch_measure(&sketch, known, n_known);
	if (n_known <= PH_SKETCH_EXACT)
	{
		sketch.values = known;
		sketch.n_values = (uint32_t) n_known;
	}
	else
		PH_TRY(bucketise(arena, known, n_known, &sketch));
	*out = sketch;
	return PH_OK;
}

/* ---- merging ---- */

static void
merge_moments(const PhSketch *a, const PhSketch *b, PhSketch *out)
{
	double n_a = (double) a->n;
	double n_b = (double) b->n;
	double distance = b->sum / n_b - a->sum / n_a;

	out->n = a->n + b->n;
	out->sum = a->sum + b->sum;
	out->m2 = a->m2 + b->m2 + distance * distance * n_a * n_b / (n_a + n_b);
	out->min = PH_MIN(a->min, b->min);
	out->max = PH_MAX(a->max, b->max);
}

static void
put_buckets(Side *side, const PhSketchBucket *buckets, uint32_t n, uint32_t times)
{
	for (uint32_t i = 0; i < n; i++)
	{
		int32_t index = buckets[i].index;
		for (uint32_t k = 0; k < times; k++)
			index = joined(index);
		put_bucket(side, index, buckets[i].count);
	}
}

static void
put_sketch(PhSketch *out, Side *negative, Side *positive, const PhSketch *from)
{
	uint32_t times = out->level - from->level;

	for (uint32_t i = 0; i < from->n_values; i++)
		put_number(out, negative, positive, from->values[i], out->level);
	put_buckets(negative, from->negative, from->n_negative, times);
	put_buckets(positive, from->positive, from->n_positive, times);
	out->n_zeros += from->n_zeros;
}

static PhStatus
merge_values(PhArena *arena, const PhSketch *a, const PhSketch *b, PhSketch *out)
{
	uint32_t n = a->n_values + b->n_values;
	double *values;

	PH_TRY(PH_NEW(arena, n, &values));
	memcpy(values, a->values, a->n_values * sizeof(double));
	memcpy(values + a->n_values, b->values, b->n_values * sizeof(double));
	PH_TRY(sort_numbers(arena, &values, n));
	*out = (PhSketch){.values = values, .n_values = n};
	ph_sketch_measure(out, values, n);
	return PH_OK;
}

PhStatus
ph_sketch_merge(PhArena *arena, const PhSketch *a, const PhSketch *b, PhSketch *out)
{
	PhSketch sketch = {0};
	Side negative = {0};
	Side positive = {0};
	size_t most = (size_t) a->n_values + a->n_negative + a->n_positive + b->n_values +
				  b->n_negative + b->n_positive;

	if (a->n == 0 || b->n == 0)
	{
		*out = a->n == 0 ? *b : *a;
		return PH_OK;
	}
	if (a->n > UINT64_MAX - b->n)
		return ph_fail(arena->env, PH_ERR_LIMIT, "too many numbers for one sketch");
	merge_moments(a, b, &sketch);
	if (sketch.n <= PH_SKETCH_EXACT)
		PH_TRY(merge_values(arena, a, b, &sketch));
	else
	{
		PH_TRY(PH_NEW(arena, most, &negative.buckets));
		PH_TRY(PH_NEW(arena, most, &positive.buckets));
		sketch.level = PH_MAX(a->level, b->level);
		put_sketch(&sketch, &negative, &positive, a);
		put_sketch(&sketch, &negative, &positive, b);
		PH_TRY(keep_sides(arena, &sketch, &negative, &positive));
	}
	*out = sketch;
	return PH_OK;
}
