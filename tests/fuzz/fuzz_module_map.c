/*
 * fuzz_module_map.c - a module map from arbitrary text, applied to its own pieces.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "supergraph/supergraph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhArena arena;
	PhModuleMap *map;
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 64 << 20;
	ph_arena_init(&arena, &env);
	if (ph_module_map_parse(&arena, text, &map) == PH_OK)
	{
		const char *module = ph_module_map_apply(map, text, text + size / 2, "libm.so");
		if (module != NULL && module[0] == '\0')
			abort();
	}
	ph_arena_drop(&arena);
	if (env.bytes != 0)
		abort();
	free(text);
	return 0;
}
