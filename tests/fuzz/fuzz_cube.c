/*
 * fuzz_cube.c - the reader of Cube archives. Input that begins with "%%" is taken as members of an
 * archive, each behind a line "%%NAME": a tar of its own would rarely survive a change, because of
 * its check sums.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "readers/cube/source.h"
#include "support/tar.h"

#define MAX_MEMBERS 16
#define NAME_SIZE 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Cut the input into members; their number. */
static size_t
cut_members(const uint8_t *data, size_t size, TarMember *members, char names[][NAME_SIZE])
{
	size_t n = 0;
	const uint8_t *end = data + size;
	for (const uint8_t *at = data; at != NULL && n < MAX_MEMBERS; n++)
	{
		const uint8_t *line = memchr(at, '\n', (size_t) (end - at));
		const uint8_t *name_end = line != NULL ? line : end;
		const uint8_t *bytes = line != NULL ? line + 1 : end;
		const uint8_t *next = memmem(bytes, (size_t) (end - bytes), "\n%%", 3);
		size_t length = (size_t) (name_end - at) - 2;
		length = length < NAME_SIZE - 1 ? length : NAME_SIZE - 1;
		memcpy(names[n], at + 2, length);
		names[n][length] = '\0';
		members[n].name = names[n];
		members[n].bytes = bytes;
		members[n].size = (size_t) ((next != NULL ? next : end) - bytes);
		at = next != NULL ? next + 1 : NULL;
	}
	return n;
}

static void
read_archive(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = {0};
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
	if (size < 2 || memcmp(data, "%%", 2) != 0)
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
