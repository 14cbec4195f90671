/*
 * fuzz_cube.c - the reader of Cube archives. Input that begins with "%%" is taken as members of an
 * archive (members.h): a tar of its own would rarely survive a change, because of its check sums.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "readers/cube/source.h"

#include "members.h"
#include "options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_archive(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = fuzz_options(size);
	PhInput input = ph_input_lend("input.cubex", data, size);
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_read_cube(&env, &input, &options, &run) == PH_OK)
	{
		if (ph_profile_check(&env, run.profile) != PH_OK)
			abort();
		ph_run_input_free(&env, &run);
	}
	if (env.bytes != 0)
		abort(); /* something was not given back */
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	TarMember members[MAX_MEMBERS];
	char names[MAX_MEMBERS][NAME_SIZE];
	if (!has_members(data, size))
	{
		read_archive(data, size);
		return 0;
	}
	size_t archive_size;
	size_t n = cut_members(data, size, members, names);
	uint8_t *archive = make_tar(members, n, &archive_size);
	read_archive(archive, archive_size);
	free(archive);
	return 0;
}
