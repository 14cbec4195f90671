/*
 * fuzz_launch_chunk.c - the launches of a chunk's activities from arbitrary bytes: an error, or
 * links that are the same when they are stored again, and delays that say what they say.
 *
 * Input: how many ENTERs the chunk has, two bytes; then the links.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>

#include "trace/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_ENTERS 4096

static void
must(bool condition)
{
	if (!condition)
		abort();
}

static void
must_be_same(PhArena *arena, const PhLink *links, const int64_t *times, uint32_t n)
{
	PhBytes bytes;
	const PhLink *again;
	must(ph_links_encode(arena, links, times, n, &bytes) == PH_OK);
	must(ph_links_decode(arena, bytes, times, n, &again) == PH_OK);
	for (uint32_t i = 0; i < n; i++)
		must(links[i].location == again[i].location && links[i].seq == again[i].seq &&
			 links[i].time == again[i].time);
}

/* Times as decoded may wrap around; so do differences. */
static void
must_have_delays(PhArena *arena, PhBytes bytes, const PhLink *links, const int64_t *times,
				 uint32_t n)
{
	const int64_t *delays;
	must(ph_launch_delays(arena, bytes, n, &delays) == PH_OK);
	for (uint32_t i = 0; i < n; i++)
		must(links[i].location == PH_NONE
				 ? delays[i] == PH_NO_TIME
				 : (uint64_t) times[i] - (uint64_t) delays[i] == (uint64_t) links[i].time);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int64_t times[MOST_ENTERS];
	PhEnv env;
	PhArena arena;
	const PhLink *links;
	const int64_t *delays;
	if (size < 2)
		return 0;
	uint32_t n = ((uint32_t) data[0] << 8 | data[1]) % MOST_ENTERS;
	PhBytes bytes = {data + 2, size - 2};
	for (uint32_t i = 0; i < n; i++)
		times[i] = 1000 * (int64_t) i;
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 64 << 20;
	ph_arena_init(&arena, &env);
	if (bytes.size > 0 && ph_links_decode(&arena, bytes, times, n, &links) == PH_OK)
	{
		must_be_same(&arena, links, times, n);
		must_have_delays(&arena, bytes, links, times, n);
	}
	else
		(void) ph_launch_delays(&arena, bytes, n, &delays);
	ph_arena_drop(&arena);
	must(env.bytes == 0);
	return 0;
}
