/*
 * reader.c - readers over bytes in memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/flat.h"
#include "readers/hpctoolkit/hpctoolkit.h"
#include "support/csv.h"
#include "support/fault_env.h"

PhStatus
read_bytes(PhEnv *env, ReaderKind reader, const void *bytes, size_t size, PhRunInput *run)
{
	PhReadOptions options = {0};
	PhInput input = ph_input_lend("input", bytes, size);
	switch (reader)
	{
		case READ_CALIPER_JSON:
			return ph_reader_caliper_json.read_file(env, &input, &options, run);
		case READ_CALIPER_CALI:
			return ph_reader_caliper_cali.read_file(env, &input, &options, run);
		case READ_HATCHET_JSON:
			return ph_reader_hatchet_json.read_file(env, &input, &options, run);
		case READ_HPCTOOLKIT:
			return ph_read_hpctoolkit(env, &input, NULL, 0, &options, run);
	}
	return PH_ERR_INTERNAL;
}

void
must_read(PhEnv *env, const char *path, PhRunInput *run)
{
	ph_env_init_malloc(env);
	if (read_path(env, path, run) != PH_OK)
		fail_msg("%s", env->error.message);
	assert_int_equal(ph_profile_check(env, run->profile), PH_OK);
}

void
done(PhEnv *env, PhRunInput *run)
{
	ph_run_input_free(env, run);
	assert_int_equal(env->bytes, 0);
}

void
check_error(const PhEnv *env, PhStatus status, PhStatus expected, const char *message,
			const char *what)
{
	if (status != expected || strstr(env->error.message, message) == NULL)
		fail_msg("%s: %s \"%s\", expected %s \"...%s...\"", what, ph_status_name(status),
				 status == PH_OK ? "" : env->error.message, ph_status_name(expected), message);
	assert_int_equal(env->bytes, 0);
}

char *
replace_text(const char *text, const char *from, const char *to)
{
	char *out;
	if (from == NULL)
		return strdup(to);
	const char *at = strstr(text, from);
	if (at == NULL)
		fail_msg("the good file has no \"%s\"", from);
	assert_true(asprintf(&out, "%.*s%s%s", (int) (at - text), text, to, at + strlen(from)) >= 0);
	return out;
}

PhStatus
read_input(PhEnv *env, const ReaderInput *input, PhRunInput *run)
{
	return read_bytes(env, input->reader, input->bytes, input->size, run);
}

void
fail_every_allocation(ReadFunction read, const ReaderInput *input)
{
	bool failed = true;
	for (size_t n = 1; failed; n++)
	{
		FaultEnv fault;
		PhRunInput run;
		fault_env_init(&fault);
		fault.fail_at = n;
		PhStatus status = read(&fault.env, input, &run);
		failed = status != PH_OK;
		if (failed)
			assert_int_equal(status, PH_ERR_MEMORY);
		else
			ph_run_input_free(&fault.env, &run);
		assert_int_equal(fault.n_blocks, 0);
		fault_env_drop(&fault);
	}
}

uint32_t
find_node(const PhProfile *profile, const char *path)
{
	for (uint32_t i = 0; i < profile->n_nodes; i++)
	{
		char *text = path_text(profile, i);
		bool same = strcmp(text, path) == 0;
		free(text);
		if (same)
			return i;
	}
	fail_msg("no node %s", path);
	return 0;
}

uint32_t
find_metric(const PhProfile *profile, const char *name)
{
	uint32_t metric = ph_profile_find_metric(profile, name);
	if (metric == PH_NONE)
		fail_msg("no metric %s", name);
	return metric;
}

int
make_scratch(void **state)
{
	char *path = strdup("/tmp/perfhouse-test-XXXXXX");
	*state = mkdtemp(path);
	return *state == NULL;
}

int
drop_scratch(void **state)
{
	char *command;
	if (asprintf(&command, "rm -rf '%s'", (char *) *state) < 0 || system(command) != 0)
		return 1;
	free(command);
	free(*state);
	return 0;
}

uint8_t *
stored_bytes(PhEnv *env, const PhProfile *profile, size_t *size)
{
	if (ph_profile_flat_size(env, profile, size) != PH_OK)
		abort();
	uint8_t *bytes = malloc(*size);
	if (ph_profile_flatten(env, profile, bytes) != PH_OK)
		abort();
	return bytes;
}

uint32_t
draw_below(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t) ((*state >> 33) % limit);
}
