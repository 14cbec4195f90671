/*
 * fuzz_phase_block.c - packed phases from arbitrary bytes: an error, or sound phases.
 *
 * Input: how many phases, two bytes; then what is packed.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "logical/pattern.h"
#include "logical/store/phases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must_be_sound(const PhStoredPhases *phases)
{
	for (uint32_t i = 0; i < phases->n; i++)
		if (phases->pattern[i] >= PH_PATTERNS || phases->reason[i] >= PH_MERGE_REASONS ||
			strlen(phases->name[phases->names[i]]) > (size_t) 64 << 20 ||
			phases->first_follower[i] > phases->first_follower[i + 1] ||
			phases->first_step[i] > phases->last_step[i])
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhArena arena;
	PhLogicalCodec *codec;
	PhStoredPhases phases;
	PhByteReader reader = {data, data, data + size, false};
	PhPhaseChunk chunk = {.first_phase = 7, .n_phases = (uint32_t) ph_get(&reader, 2)};
	chunk.packed = (PhBytes){reader.at, ph_left(&reader)};
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	ph_arena_init(&arena, &env);
	if (ph_logical_codec_new(&env, &codec) != PH_OK)
		abort();
	if (ph_phases_unpack(&arena, codec, &chunk, &phases) == PH_OK)
		must_be_sound(&phases);
	ph_logical_codec_free(codec);
	ph_arena_drop(&arena);
	if (env.bytes != 0)
		abort();
	return 0;
}
