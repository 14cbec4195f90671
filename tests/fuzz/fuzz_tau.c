/*
 * fuzz_tau.c - the reader of TAU profiles: two files of one run, parted by a NUL byte.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "readers/tau/tau.h"

#include "options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = fuzz_options(size);
	const uint8_t *end = size > 0 ? memchr(data, '\0', size) : NULL;
	size_t first = end != NULL ? (size_t) (end - data) : size;
	PhInput inputs[2] = {ph_input_lend("profile.0.0.0", data, first),
						 ph_input_lend("profile.0.0.1", end != NULL ? end + 1 : data,
									   end != NULL ? size - first - 1 : 0)};
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_read_tau(&env, inputs, end != NULL ? 2 : 1, &options, &run) == PH_OK)
	{
		if (ph_profile_check(&env, run.profile) != PH_OK)
			abort();
		ph_run_input_free(&env, &run);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}
