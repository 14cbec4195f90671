/*
 * fuzz_harness.c - the readers of harnesses' files on arbitrary bytes: an error, or records that
 * become sound runs. The first byte chooses the reader.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>

#include "readers/input.h"
#include "readers/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const PhReader *const readers[] = {&ph_reader_ramble, &ph_reader_reframe_report,
										  &ph_reader_reframe_log, &ph_reader_exacb,
										  &ph_reader_exacb_table};

static void
check_record(PhEnv *env, const PhRecord *record)
{
	PhRunInput run;

	if (record->n_figures == 0 || ph_record_run(env, record, &run) != PH_OK)
		return;
	if (ph_profile_check(env, run.profile) != PH_OK)
		abort();
	ph_run_input_free(env, &run);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhRecordList records = {0};
	PhArena arena;
	PhInput input;
	PhEnv env;

	if (size == 0)
		return 0;
	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	ph_arena_init(&arena, &env);
	input = ph_input_lend("input", data + 1, size - 1);
	if (readers[data[0] % (sizeof(readers) / sizeof(readers[0]))]->read_records(&arena, &input,
																				&records) == PH_OK)
		for (uint32_t i = 0; i < records.n; i++)
			check_record(&env, &records.list[i]);
	ph_arena_drop(&arena);
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}
