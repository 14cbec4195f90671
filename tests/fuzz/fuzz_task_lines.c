/*
 * fuzz_task_lines.c - the neutral format of task-based traces: JSON lines.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "options.h"
#include "readers/tasks/lines.h"
#include "task_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	PhEnv env;
	PhRunInput run;
	PhReadOptions options = fuzz_options(size);
	PhInput input = ph_input_lend("tasks.jsonl", data, size);

	ph_env_init_malloc(&env);
	env.byte_limit = (size_t) 256 << 20;
	if (ph_read_task_lines(&env, &input, &options, &run) == PH_OK)
	{
		fuzz_read_events(&env, run.trace);
		ph_run_input_free(&env, &run);
	}
	else if (env.error.message[0] == '\0')
		abort();
	if (env.bytes != 0)
		abort(); /* something was not given back */
	return 0;
}
