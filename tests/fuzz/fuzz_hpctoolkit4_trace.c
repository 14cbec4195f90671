/*
 * fuzz_hpctoolkit4_trace.c - traces of HPCToolkit 4 databases.
 *
 * An input is the sizes of meta.db and of profile.db in 4 bytes each, these files, and trace.db.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "options.h"
#include "readers/hpctoolkit4/database.h"
#include "span_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = fuzz_options(size);
	uint32_t sizes[2];
	if (size < sizeof(sizes))
		return 0;
	memcpy(sizes, data, sizeof(sizes));
	data += sizeof(sizes);
	size -= sizeof(sizes);
	size_t first = PH_MIN((size_t) sizes[0], size),
		   second = PH_MIN((size_t) sizes[1], size - first);
	PhInput meta = ph_input_lend("meta.db", data, first);
	PhInput profile = ph_input_lend("profile.db", data + first, second);
	PhInput trace = ph_input_lend("trace.db", data + first + second, size - first - second);
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_read_hpctoolkit4_trace(&env, &meta, &profile, &trace, &options, &run) == PH_OK)
	{
		read_locations(&env, run.trace);
		ph_run_input_free(&env, &run);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}
