/*
 * names.c - see names.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "base/table.h"
#include "trace/names.h"

const uint32 *
ph_trace_regions_by_name(const PhTraceRun *trace)
{
	PhArena *arena = &trace->scratch->arena;
	PhStrings names;
	uint32 *first, *by_name;
	uint32 n = trace->model.n_regions;
	PH_CHECK(arena->env, ph_strings_init(&names, arena));
	PH_CHECK(arena->env, PH_NEW(arena, n, &first));
	PH_CHECK(arena->env, PH_NEW(arena, (size_t) n + 1, &by_name));
	memset(by_name, 0xff, sizeof(uint32) * (n + 1));
	for (uint32 i = 0; i < n; i++)
	{
		uint32_t name;
		PH_CHECK(arena->env, ph_strings_intern(&names, trace->model.regions[i].name, &name));
		if (by_name[name] == PH_NONE)
			by_name[name] = i;
		first[i] = by_name[name];
	}
	return first;
}
