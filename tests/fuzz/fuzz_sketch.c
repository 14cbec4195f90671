/*
 * fuzz_sketch.c - a sketch from arbitrary bytes: an error, or one that is written and read as the
 * same, can be merged, and has quantiles between its least and greatest number.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics/sketch.h"

#define BINS 7

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool condition)
{
	if (!condition)
		abort();
}

static void
must_come_back(PhArena *arena, const PhSketch *sketch)
{
	PhSketch back;
	uint8_t *bytes, *again;
	size_t size, same;

	must(ph_sketch_write(arena, sketch, &bytes, &size) == PH_OK);
	must(ph_sketch_read(arena, bytes, size, &back) == PH_OK);
	must(ph_sketch_write(arena, &back, &again, &same) == PH_OK);
	must(same == size && memcmp(bytes, again, size) == 0);
}

static void
try_steps(PhArena *arena, const PhSketch *sketch, uint64_t n_absent)
{
	PhSketchSteps steps;
	uint64_t *counts, n = 0;

	must(ph_sketch_steps(arena, sketch, n_absent, &steps) == PH_OK);
	for (int i = 0; i <= 4 && steps.n > 0; i++)
	{
		double quantile = ph_sketch_quantile(&steps, i / 4.0);

		must(quantile >= steps.min && quantile <= steps.max);
	}
	if (steps.n == 0 || ph_sketch_histogram(arena, &steps, BINS, &counts) != PH_OK)
		return;
	for (int i = 0; i < BINS; i++)
		n += counts[i];
	must(n == steps.n);
}

static void
try_merge(PhArena *arena, const PhSketch *sketch)
{
	static const double numbers[] = {-1e300, -2, 0, 1e-300, 1, 2, 3, 1e300};
	PhSketch other, merged;

	must(ph_sketch_of(arena, numbers, sizeof(numbers) / sizeof(numbers[0]), &other) == PH_OK);
	if (ph_sketch_merge(arena, sketch, &other, &merged) != PH_OK)
		return;
	must(merged.n == sketch->n + other.n);
	must(merged.n_negative + merged.n_positive <= PH_SKETCH_BUCKETS);
	if (ph_sketch_merge(arena, &merged, sketch, &merged) == PH_OK)
		must(merged.n == 2 * sketch->n + other.n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhArena arena;
	PhSketch sketch;

	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 64 << 20;
	ph_arena_init(&arena, &env);
	if (ph_sketch_read(&arena, data, size, &sketch) == PH_OK)
	{
		must_come_back(&arena, &sketch);
		try_steps(&arena, &sketch, 0);
		try_steps(&arena, &sketch, size % 3);
		try_merge(&arena, &sketch);
		(void) ph_sketch_sd(&sketch, 1);
		(void) ph_sketch_relative_error(&sketch);
	}
	ph_arena_drop(&arena);
	must(env.bytes == 0);
	return 0;
}
