/*
 * reader.c - readers over bytes in memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/reader.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/flat.h"
#include "readers/hpctoolkit/hpctoolkit.h"
#include "readers/hpctoolkit4/database.h"
#include "support/csv.h"
#include "support/fault_env.h"

static const PhReader *const readers[] = {
	[READ_CALIPER_JSON] = &ph_reader_caliper_json,
	[READ_CALIPER_CALI] = &ph_reader_caliper_cali,
	[READ_HATCHET_JSON] = &ph_reader_hatchet_json,
	[READ_HPCTOOLKIT] = &ph_reader_hpctoolkit,
	[READ_PERF_SCRIPT] = &ph_reader_perf_script,
	[READ_FOLDED] = &ph_reader_folded,
	[READ_SPEEDSCOPE] = &ph_reader_speedscope,
	[READ_TABLE] = &ph_reader_table,
	[READ_PPROF] = &ph_reader_pprof,
	[READ_CHROME] = &ph_reader_chrome,
	[READ_CPROFILE] = &ph_reader_cprofile,
	[READ_NSIGHT] = &ph_reader_nsight,
	[READ_ROCPD] = &ph_reader_rocpd,
	[READ_GPROF] = &ph_reader_gprof,
	[READ_GPROF2DOT] = &ph_reader_gprof2dot,
	[READ_PYINSTRUMENT] = &ph_reader_pyinstrument,
	[READ_TIMEMORY] = &ph_reader_timemory,
	[READ_TALP] = &ph_reader_talp,
	[READ_DARSHAN] = &ph_reader_darshan,
	[READ_DARSHAN_TEXT] = &ph_reader_darshan_text,
	[READ_OTLP] = &ph_reader_otlp,
};

PhStatus
read_bytes(PhEnv *env, ReaderKind reader, const void *bytes, size_t size, PhRunInput *run)
{
	PhReadOptions options = {0};
	PhInput input = ph_input_lend("input", bytes, size);
	if (reader == READ_HPCTOOLKIT)
		return ph_read_hpctoolkit(env, &input, NULL, 0, &options, run);
	return readers[reader]->read_file(env, &input, &options, run);
}

PhStatus
h4_read(PhEnv *env, const H4Bytes *meta, const H4Bytes *profile, PhRunInput *run)
{
	PhReadOptions options = {0};
	PhInput inputs[] = {ph_input_lend("meta.db", meta->data, meta->size),
						ph_input_lend("profile.db", profile->data, profile->size)};
	return ph_read_hpctoolkit4(env, &inputs[0], &inputs[1], &options, run);
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

static void
check_bad_case(ReaderKind reader, const char *good, const BadCase *bad)
{
	PhEnv env;
	PhRunInput run;
	ph_env_init_malloc(&env);
	char *text = replace_text(good, bad->replace, bad->by);
	PhStatus status = read_bytes(&env, reader, text, strlen(text), &run);
	if (status == PH_OK)
		fail_msg("\"%s\" -> \"%s\" is accepted", bad->replace, bad->by);
	if (status != bad->status || strstr(env.error.message, bad->message) == NULL)
		fail_msg("\"%s\" -> \"%s\": %s \"%s\", expected %s \"...%s...\"",
				 bad->replace != NULL ? bad->replace : "", bad->by, ph_status_name(status),
				 env.error.message, ph_status_name(bad->status), bad->message);
	assert_int_equal(env.bytes, 0);
	free(text);
}

void
check_bad_cases(ReaderKind reader, const char *file, const BadCase *cases, size_t n)
{
	char *good = read_text(file, NULL);
	assert_non_null(good);
	for (size_t i = 0; i < n; i++)
		check_bad_case(reader, good, &cases[i]);
	free(good);
}

void
check_unproven_cuts(ReaderKind reader, const char *file,
					bool (*is_boundary)(const char *text, size_t cut))
{
	size_t size;
	char *text = read_text(file, &size);
	assert_non_null(text);
	for (size_t cut = 0; cut < size; cut++)
	{
		PhEnv env;
		PhRunInput run;
		char *copy = malloc(cut); /* its exact size, so that reading over shows */
		ph_env_init_malloc(&env);
		memcpy(copy, text, cut);
		PhStatus status = read_bytes(&env, reader, copy, cut, &run);
		if (status == PH_OK && run.n_missing == 0 && !is_boundary(text, cut))
			fail_msg("%s: %zu bytes are taken for the whole", file, cut);
		if (status == PH_OK)
			ph_run_input_free(&env, &run);
		assert_int_equal(env.bytes, 0);
		free(copy);
	}
	free(text);
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

void
fail_every_allocation_of(ReaderKind reader, const char *path)
{
	ReaderInput input = {.reader = reader};
	char *text = read_text(path, &input.size);
	input.bytes = text;
	fail_every_allocation(read_input, &input);
	free(text);
}

static void
check_one_cost(const PhProfile *profile, const char *metric, const char *path, uint32_t column,
			   PhCost cost, double expected)
{
	double ours = ph_profile_cell(profile, find_metric(profile, metric), find_node(profile, path),
								  column, cost);
	if (fabs(ours - expected) > 1e-12 * fabs(expected))
		fail_msg("%s of %s, column %u: %s %.17g, expected %.17g", metric, path, column,
				 cost == PH_COST_INCLUSIVE ? "inclusive" : "exclusive", ours, expected);
}

void
check_cost(const PhProfile *profile, const char *metric, const char *path, uint32_t column,
		   double inclusive, double exclusive)
{
	check_one_cost(profile, metric, path, column, PH_COST_INCLUSIVE, inclusive);
	check_one_cost(profile, metric, path, column, PH_COST_EXCLUSIVE, exclusive);
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

static void
write_if_asked(const char *path, const void *bytes, size_t size)
{
	if (getenv("PERFHOUSE_WRITE") == NULL)
		return;
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

void
check_generated_gzip(const char *path, const void *gzip, size_t gzip_size, const void *content,
					 size_t size)
{
	write_if_asked(path, gzip, gzip_size);
	size_t found;
	char *text = read_text(path, &found);
	assert_non_null(text);
	assert_int_equal(found, size);
	assert_memory_equal(text, content, size);
	free(text);
}

void
check_generated_file(const char *path, const void *bytes, size_t size)
{
	check_generated_gzip(path, bytes, size, bytes, size);
}

uint32_t
draw_below(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t) ((*state >> 33) % limit);
}
