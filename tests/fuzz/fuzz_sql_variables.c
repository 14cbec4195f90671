/*
 * fuzz_sql_variables.c - variables of SQL from anybody: parts cover the text, in order, and names
 * are names.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "base/sql_variables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_parts(const char *text, const PhSqlParts *parts)
{
	const char *at = text;

	for (uint32_t i = 0; i < parts->count; i++)
	{
		const PhSqlPart *part = &parts->items[i];

		if (part->text < at || part->length == 0)
			abort();
		for (uint32_t k = 0; part->is_variable && k < part->length; k++)
			if (!ph_is_letter(part->text[k]) && (k == 0 || !ph_is_digit(part->text[k])))
				abort();
		at = part->text + part->length;
	}
	if (at > text + strlen(text))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	PhEnv env;
	PhArena arena;
	PhSqlParts parts;
	PhSqlNumbered numbered;

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	ph_env_init_malloc(&env);
	env.byte_limit = 64 << 20;
	ph_arena_init(&arena, &env);
	if (ph_sql_parts(&arena, text, &parts) == PH_OK)
		check_parts(text, &parts);
	if (ph_sql_number(&arena, text, &numbered) == PH_OK && numbered.n > PH_SQL_MOST_VARIABLES)
		abort();
	ph_arena_drop(&arena);
	free(text);
	return 0;
}
