/*
 * one_file.h - a reader of one file on arbitrary bytes: an error or a sound profile, and nothing
 * that is not given back.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FUZZ_ONE_FILE_H
#define PH_FUZZ_ONE_FILE_H

#include <stdlib.h>

#include "readers/input.h"

#include "options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
fuzz_one_file(const PhReader *reader, const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = fuzz_options(size);
	PhInput input = ph_input_lend("input", data, size);
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (reader->read_file(&env, &input, &options, &run) == PH_OK)
	{
		if (ph_profile_check(&env, run.profile) != PH_OK)
			abort();
		ph_run_input_free(&env, &run);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}

/* The target of a reader. */
#define FUZZ_ONE_FILE(reader)                                                                      \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                   \
	{                                                                                              \
		return fuzz_one_file(&(reader), data, size);                                               \
	}

#endif
