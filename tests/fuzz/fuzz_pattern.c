/*
 * fuzz_pattern.c - expressions of exchange patterns from anybody, and sequences: bounded, one
 * answer.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "logical/patterns/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One answer, and only of sequences. */
static void
check(PhRegex *regex, const char *sequence, size_t length)
{
	bool found, again;
	if (ph_regex_search(regex, sequence, length, &found) != PH_OK ||
		ph_regex_search(regex, sequence, length, &again) != PH_OK || found != again)
		abort();
	for (size_t i = 0; found && i < length; i++)
		if (sequence[i] == '\0' || strchr(PH_PATTERN_LETTERS, sequence[i]) == NULL)
			abort(); /* nothing but letters has a place in an expression */
}

/* The expression up to the first line feed, then the sequence. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhArena arena;
	PhRegex *regex;
	const char *text = (const char *) data;
	const char *end = size == 0 ? NULL : memchr(text, '\n', size);
	size_t length = end == NULL ? size : (size_t) (end - text);
	ph_env_init_malloc(&env);
	env.byte_limit = 64 << 20;
	ph_arena_init(&arena, &env);
	if (ph_pattern_compile(&arena, text, length, &regex) == PH_OK)
		check(regex, end == NULL ? "" : end + 1, end == NULL ? 0 : size - length - 1);
	ph_arena_drop(&arena);
	if (env.bytes != 0)
		abort();
	return 0;
}
