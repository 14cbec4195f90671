/*
 * fuzz_query.c - any text as a call-path query, run on a small profile of every kind of node.
 *
 * Checks that NOT (query) selects exactly the other nodes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/query.h"
#include "support/random_profile.h"

#define LONGEST 4000
#define MOST_NODES 60

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static PhProfile *
profile_once(void)
{
	static PhProfile *profile;
	static PhEnv env;
	RandomNumbers numbers = {20};
	if (profile != NULL)
		return profile;
	ph_env_init_malloc(&env);
	if (random_profile(&env, &numbers, MOST_NODES, 4, &profile) != PH_OK)
		abort();
	return profile;
}

static PhStatus
run(PhArena *arena, const char *text, bool *matches)
{
	PhQuery *query;
	PH_TRY(ph_query_parse(arena, text, &query));
	return ph_query_run(arena, query, profile_once(), matches);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[LONGEST + 1], opposite[LONGEST + 16];
	bool matches[MOST_NODES], others[MOST_NODES];
	PhEnv env;
	PhArena arena;
	if (size > LONGEST)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	snprintf(opposite, sizeof(opposite), "NOT (%s)", text);
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 64 << 20;
	ph_arena_init(&arena, &env);
	if (run(&arena, text, matches) == PH_OK && run(&arena, opposite, others) == PH_OK)
		for (uint32_t node = 0; node < profile_once()->n_nodes; node++)
			if (matches[node] == others[node])
				abort();
	ph_arena_drop(&arena);
	return 0;
}
