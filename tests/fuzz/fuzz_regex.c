/*
 * fuzz_regex.c - any pattern on any text: "pattern NUL text", the first byte chooses the letters.
 *
 * Checks that a search leaves the expression as it was and that a match is still one when the
 * pattern is asked for inside a group.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "base/regex_match.h"

#define LONGEST 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
search_grouped(PhArena *arena, const char *pattern, size_t length, PhRegexCase letters,
			   const char *text, size_t text_length, bool otherwise)
{
	char *grouped;
	bool found = otherwise;
	PhRegex *regex;
	if (PH_NEW(arena, length + 2, &grouped) != PH_OK)
		return otherwise;
	grouped[0] = '(';
	memcpy(grouped + 1, pattern, length);
	grouped[length + 1] = ')';
	if (ph_regex_compile(arena, grouped, length + 2, letters, &regex) == PH_OK &&
		ph_regex_search(regex, text, text_length, &found) != PH_OK)
		abort();
	return found;
}

static void
check(PhArena *arena, const char *pattern, size_t length, PhRegexCase letters, const char *text,
	  size_t text_length)
{
	PhRegex *regex;
	bool first, second;
	if (ph_regex_compile(arena, pattern, length, letters, &regex) != PH_OK)
		return;
	if (ph_regex_search(regex, text, text_length, &first) != PH_OK ||
		ph_regex_search(regex, text, text_length, &second) != PH_OK || first != second)
		abort();
	if (search_grouped(arena, pattern, length, letters, text, text_length, first) != first)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhArena arena;
	if (size < 1 || size > LONGEST)
		return 0;
	const char *pattern = (const char *) data + 1;
	const char *nul = memchr(pattern, '\0', size - 1);
	size_t length = nul == NULL ? size - 1 : (size_t) (nul - pattern);
	const char *text = nul == NULL ? pattern : nul + 1;
	size_t text_length = nul == NULL ? length : size - 2 - length;
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 64 << 20;
	ph_arena_init(&arena, &env);
	check(&arena, pattern, length, data[0] % 2 == 0 ? PH_REGEX_EXACT : PH_REGEX_IGNORE_CASE, text,
		  text_length);
	ph_arena_drop(&arena);
	return 0;
}
