/*
 * fuzz_run_filter.c - run filters from anybody: bounded, and no text of theirs in the SQL.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "history/run_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* what SQL text could do harm with; the one quoted text is our own pattern of a number */
	static const char *const never[] = {";", "--", "/*", "\"", "\\", "select", "pg_", "''", "$$"};
	PhEnv env;
	PhArena arena;
	PhRunFilter filter;
	ph_env_init_malloc(&env);
	env.byte_limit = 64 << 20;
	ph_arena_init(&arena, &env);
	if (ph_run_filter(&arena, (const char *) data, size, &filter) == PH_OK)
		for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
			if (strstr(filter.sql, never[i]) != NULL)
				abort();
	ph_arena_drop(&arena);
	return 0;
}
