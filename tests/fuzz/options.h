/*
 * options.h - how readers are asked to read: every other input with what a user may give.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FUZZ_OPTIONS_H
#define PH_FUZZ_OPTIONS_H

#include <stdlib.h>

#include "readers/source.h"
#include "supergraph/supergraph.h"

static inline const PhModuleMap *
fuzz_module_map(void)
{
	static PhEnv env;
	static PhArena arena;
	static PhModuleMap *map;

	if (map != NULL)
		return map;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	if (ph_module_map_parse(&arena, "^MPI_\tmpi\n[.]so\tlibraries\n[.]c$\tsources\n", &map) !=
		PH_OK)
		abort();
	return map;
}

static inline PhReadOptions
fuzz_options(size_t size)
{
	return size % 2 == 0 ? (PhReadOptions){0}
						 : (PhReadOptions){.module_map = fuzz_module_map(),
										   .source_root = "/home/user/",
										   .logical_clock = true};
}

#endif
