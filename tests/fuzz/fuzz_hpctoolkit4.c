/*
 * fuzz_hpctoolkit4.c - the reader of HPCToolkit 4 databases.
 *
 * An input is the size of meta.db in 4 bytes, meta.db, and profile.db.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "readers/hpctoolkit4/database.h"

#include "options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = fuzz_options(size);
	uint32_t first = 0;
	if (size < sizeof(first))
		return 0;
	memcpy(&first, data, sizeof(first));
	data += sizeof(first);
	size -= sizeof(first);
	size_t split = PH_MIN((size_t) first, size);
	PhInput meta = ph_input_lend("meta.db", data, split);
	PhInput profile = ph_input_lend("profile.db", data + split, size - split);
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_read_hpctoolkit4(&env, &meta, &profile, &options, &run) == PH_OK)
	{
		if (ph_profile_check(&env, run.profile) != PH_OK)
			abort();
		ph_run_input_free(&env, &run);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}
