/*
 * planted.c - pairs of sides with a planted cause, or none: their truth, perfhouse's answers,
 * files.
 *
 *   planted truth CASES UNCHANGED [SEED]           a line a case of what is true
 *   planted answer CASES UNCHANGED [SEED]          a line a case of what perfhouse answers
 *   planted export FOLDER CASES UNCHANGED [SEED]   the runs as CSV: FOLDER/0007/a1.csv to b5.csv
 *
 * Cases without a cause are numbered after those with one. judge.pl compares truth and answers, of
 * any tool. README.md has the formats.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ask.h"

#define USUAL_SEED 20261125

typedef struct Task
{
	const char *what, *folder;
	uint32_t n_planted, n_unchanged;
	uint64_t seed;
} Task;

static PhStatus
export_run(PhArena *arena, const Setup *setup, const Run *runs, uint32_t run, const char *folder)
{
	char path[4096];
	PhStatus status;
	FILE *file;
	bool is_first_side = run < RUNS_A_SIDE;

	snprintf(path, sizeof(path), "%s/%c%u.csv", folder, is_first_side ? 'a' : 'b',
			 run % RUNS_A_SIDE + 1);
	file = fopen(path, "w");
	if (file == NULL)
		return ph_fail(arena->env, PH_ERR_VALUE, "cannot write %s", path);
	status = write_run(arena, setup, &runs[run], is_first_side, file);
	if (fclose(file) != 0 && status == PH_OK)
		status = ph_fail(arena->env, PH_ERR_VALUE, "cannot write %s", path);
	return status;
}

static PhStatus
export_case(PhArena *arena, const Setup *setup, const Run *runs, const Task *task, uint32_t number)
{
	char folder[4000];

	snprintf(folder, sizeof(folder), "%s/%04u", task->folder, number);
	(void) mkdir(task->folder, 0777); /* export_run says what is wrong */
	(void) mkdir(folder, 0777);
	for (uint32_t run = 0; run < 2 * RUNS_A_SIDE; run++)
		PH_TRY(export_run(arena, setup, runs, run, folder));
	return PH_OK;
}

static PhStatus
do_case(PhArena *arena, const Task *task, uint32_t number)
{
	bool is_unchanged = number >= task->n_planted;
	uint32_t in_kind = is_unchanged ? number - task->n_planted : number;
	Setup setup;
	Run *runs;

	PH_TRY(draw_setup(arena, task->seed, in_kind, is_unchanged, &setup));
	PH_TRY(fit_setup(arena, &setup));
	if (strcmp(task->what, "truth") == 0)
		return write_truth(arena, &setup, number, stdout);
	PH_TRY(simulate_runs(arena, &setup, &runs));
	if (strcmp(task->what, "export") == 0)
		return export_case(arena, &setup, runs, task, number);
	return answer_case(arena, &setup, number, runs, stdout);
}

static int
do_task(const Task *task)
{
	PhEnv env;
	PhArena arena;

	ph_env_init_malloc(&env);
	for (uint32_t number = 0; number < task->n_planted + task->n_unchanged; number++)
	{
		PhStatus status;
		ph_arena_init(&arena, &env);
		status = do_case(&arena, task, number);
		ph_arena_drop(&arena);
		if (status != PH_OK)
		{
			fprintf(stderr, "case %u: %s\n", number, env.error.message);
			return 1;
		}
	}
	return fflush(stdout) == 0 ? 0 : 1;
}

static bool
read_number(const char *text, uint64_t *out)
{
	char *end;

	*out = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0';
}

/* false: not what the head of this file says. */
static bool
read_task(int n_arguments, char **arguments, Task *out)
{
	bool is_export = n_arguments > 1 && strcmp(arguments[1], "export") == 0;
	int at = is_export ? 3 : 2;
	uint64_t numbers[3] = {0, 0, USUAL_SEED};

	if (n_arguments < at + 2 || n_arguments > at + 3)
		return false;
	if (!is_export && strcmp(arguments[1], "truth") != 0 && strcmp(arguments[1], "answer") != 0)
		return false;
	for (int i = at; i < n_arguments; i++)
		if (!read_number(arguments[i], &numbers[i - at]))
			return false;
	*out = (Task){arguments[1], is_export ? arguments[2] : "", (uint32_t) numbers[0],
				  (uint32_t) numbers[1], numbers[2]};
	return true;
}

int
main(int n_arguments, char **arguments)
{
	Task task;

	if (!read_task(n_arguments, arguments, &task))
	{
		fputs("use: planted truth|answer CASES UNCHANGED [SEED]\n"
			  "     planted export FOLDER CASES UNCHANGED [SEED]\n",
			  stderr);
		return 2;
	}
	return do_task(&task);
}
