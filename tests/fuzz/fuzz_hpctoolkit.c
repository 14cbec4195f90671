/*
 * fuzz_hpctoolkit.c - the reader of HPCToolkit databases: experiment.xml, then, after a NUL byte,
 * one metric-db.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "readers/hpctoolkit/hpctoolkit.h"

#include "options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = fuzz_options(size);
	const uint8_t *end = size > 0 ? memchr(data, '\0', size) : NULL;
	size_t xml_size = end != NULL ? (size_t) (end - data) : size;
	PhInput xml = ph_input_lend("experiment.xml", data, xml_size);
	PhInput db = ph_input_lend("1.app-000000-000-host-1-0.metric-db", end != NULL ? end + 1 : data,
							   end != NULL ? size - xml_size - 1 : 0);
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_read_hpctoolkit(&env, &xml, &db, end != NULL, &options, &run) == PH_OK)
	{
		if (ph_profile_check(&env, run.profile) != PH_OK)
			abort();
		ph_run_input_free(&env, &run);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}
