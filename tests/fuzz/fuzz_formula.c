/*
 * fuzz_formula.c - formulas of derived metrics from anybody: bounded, and all numbers finite.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/formula.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const PhFormula *formula)
{
	if (formula->n_names == 0 || formula->n_names > PH_FORMULA_NAMES)
		abort();
	for (uint32_t i = 0; i < formula->n_names; i++)
		if (formula->names[i][0] == '\0' || !isfinite(formula->over[i]) ||
			!isfinite(formula->under[i]))
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhArena arena;
	PhFormula formula;
	char *text = malloc(size + 1);
	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	ph_env_init_malloc(&env);
	env.byte_limit = 64 << 20;
	ph_arena_init(&arena, &env);
	if (ph_formula_parse(&arena, text, &formula) == PH_OK)
		check(&formula);
	ph_arena_drop(&arena);
	free(text);
	if (env.bytes != 0)
		abort();
	return 0;
}
