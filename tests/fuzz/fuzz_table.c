/*
 * fuzz_table.c - the reader of tables of call paths on arbitrary bytes: an error or a sound
 * profile.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>

#include "readers/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = {0};
	PhInput input = ph_input_lend("input", data, size);
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_reader_table.read_file(&env, &input, &options, &run) == PH_OK)
	{
		if (ph_profile_check(&env, run.profile) != PH_OK)
			abort();
		ph_run_input_free(&env, &run);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}
