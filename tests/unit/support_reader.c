/*
 * support_reader.c - readers over bytes in memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support_reader.h"

#include <stdlib.h>

#include "hatchet_literal.h"
#include "hpctoolkit.h"
#include "profile_flat.h"
#include "source_caliper_cali.h"
#include "source_caliper_json.h"

PhStatus
read_bytes(PhEnv *env, ReaderKind reader, const void *bytes, size_t size, PhRunInput *run)
{
	PhReadOptions options = {0};
	PhInput input = ph_input_lend("input", bytes, size);
	switch (reader)
	{
		case READ_CALIPER_JSON:
			return ph_read_caliper_json(env, &input, &options, run);
		case READ_CALIPER_CALI:
			return ph_read_caliper_cali(env, &input, &options, run);
		case READ_HATCHET_JSON:
			return ph_read_hatchet_json(env, &input, &options, run);
		case READ_HPCTOOLKIT:
			return ph_read_hpctoolkit(env, &input, NULL, 0, &options, run);
	}
	return PH_ERR_INTERNAL;
}

uint8_t *
stored_bytes(PhEnv *env, const PhProfile *profile, size_t *size)
{
	if (ph_profile_flat_size(env, profile, size) != PH_OK)
		abort();
	uint8_t *bytes = malloc(*size);
	ph_profile_flatten(profile, bytes);
	return bytes;
}

uint32_t
draw_below(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t) ((*state >> 33) % limit);
}
