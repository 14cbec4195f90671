/*
 * test_join.c - a run is a job: files of ranks in random folders, jobs and cycles of a profiler, in
 * any order, become the runs that they were made of, whole and apart; what is not known stays
 * alone.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/name_set.h"
#include "pipeline/join.h"
#include "readers/experiment_folder.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_PLANS rounds(2000)
#define MOST_FILES 200

static RandomNumbers numbers;

/* A file: its name says what the reader finds in it. */
typedef struct Planned
{
	int folder, job, cycle, rank; /* job -1: not known; -2: it cannot be read */
	bool is_twice;				  /* its run has two files of a rank */
	char path[96];
} Planned;

typedef struct Plan
{
	uint32_t n;
	Planned files[MOST_FILES];
} Plan;

static PhStatus
find_job(PhArena *arena, const char *path, PhFileJob *out)
{
	int folder, job, rank;
	long long begin, end;
	const char *name;

	assert_int_equal(sscanf(path, "/d%d/j%d-r%d-%lld-%lld", &folder, &job, &rank, &begin, &end), 5);
	*out = (PhFileJob){.rank = rank, .begin = begin, .end = end};
	if (job == -2)
		return ph_fail(arena->env, PH_ERR_FORMAT, "%s: damaged", path);
	if (job == -1)
		return PH_OK;
	PH_TRY(ph_arena_printf(arena, &name, "job %d", job));
	out->job = (char *) (uintptr_t) name;
	return PH_OK;
}

static const PhReader reader = {.name = "fake", .find_job = find_job};

/* ---- what is planned ---- */

/* Cycles begin 1000 ns apart; a rank's file begins up to 100 ns later and is 600 to 800 ns long, so
 * that those of a cycle overlap by more than half, and those of two not at all. */
static void
add_file(Plan *plan, Planned file)
{
	int begin = 1000 * file.cycle + (int) numbers_below(&numbers, 100);
	int end = begin + 600 + (int) numbers_below(&numbers, 200);

	if (plan->n == MOST_FILES)
		return;
	snprintf(file.path, sizeof(file.path), "/d%d/j%d-r%d-%d-%d-%u", file.folder, file.job,
			 file.rank, begin, end, plan->n);
	plan->files[plan->n++] = file;
}

static void
plan_run(Plan *plan, int folder, int job, int cycle, int n_ranks)
{
	bool is_twice = n_ranks > 1 && numbers_below(&numbers, 8) == 0;

	for (int rank = 0; rank < n_ranks; rank++)
		add_file(plan, (Planned){folder, job, cycle, rank, is_twice, ""});
	if (is_twice)
		add_file(plan, (Planned){folder, job, cycle, n_ranks - 1, true, ""});
}

static void
make_plan(Plan *plan)
{
	int n_folders = 1 + (int) numbers_below(&numbers, 2);

	plan->n = 0;
	for (int folder = 0; folder < n_folders; folder++)
	{
		int n_jobs = 1 + (int) numbers_below(&numbers, 3);

		for (int job = 0; job < n_jobs; job++)
		{
			int n_cycles = 1 + (int) numbers_below(&numbers, 3);
			int n_ranks = 1 + (int) numbers_below(&numbers, 5);

			for (int cycle = 0; cycle < n_cycles; cycle++)
				plan_run(plan, folder, job, cycle, n_ranks);
		}
		for (uint32_t i = numbers_below(&numbers, 3); i > 0; i--)
			add_file(plan,
					 (Planned){folder, -1 - (int) numbers_below(&numbers, 2), 0, 0, false, ""});
	}
	for (uint32_t i = plan->n; i > 1; i--)
	{
		uint32_t k = numbers_below(&numbers, i);
		Planned swap = plan->files[k];

		plan->files[k] = plan->files[i - 1];
		plan->files[i - 1] = swap;
	}
}

static void
make_load(PhEnv *env, const Plan *plan, PhLoad *load, PhLoadJob *jobs)
{
	ph_load_init(load, env, &(PhLoadOptions){0});
	load->jobs = jobs;
	load->n_jobs = plan->n;
	memset(jobs, 0, sizeof(*jobs) * plan->n);
	for (uint32_t i = 0; i < plan->n; i++)
	{
		PhExperiment *experiment;

		assert_int_equal(PH_NEW(&load->arena, 1, &experiment), PH_OK);
		experiment->reader = &reader;
		experiment->arena = &load->arena;
		assert_int_equal(ph_arena_strndup(&load->arena, plan->files[i].path,
										  strlen(plan->files[i].path), &experiment->path),
						 PH_OK);
		assert_int_equal(ph_experiment_add(experiment, "%s", plan->files[i].path), PH_OK);
		jobs[i].experiment = experiment;
	}
}

/* ---- what follows ---- */

static const Planned *
planned(const Plan *plan, const char *path)
{
	for (uint32_t i = 0; i < plan->n; i++)
		if (strcmp(plan->files[i].path, path) == 0)
			return &plan->files[i];
	fail_msg("%s was not planned", path);
	return NULL;
}

static bool
are_of_one_run(const Planned *a, const Planned *b)
{
	return a == b ||
		   (a->job >= 0 && a->folder == b->folder && a->job == b->job && a->cycle == b->cycle);
}

/* How many files are of the run, and how many in its folder. */
static void
count_files(const Plan *plan, const Planned *file, uint32_t *of_run, uint32_t *of_folder)
{
	*of_run = *of_folder = 0;
	for (uint32_t i = 0; i < plan->n; i++)
	{
		*of_run += are_of_one_run(file, &plan->files[i]);
		*of_folder += file->folder == plan->files[i].folder;
	}
}

static void
check_job(const Plan *plan, const PhLoadJob *job)
{
	const PhExperiment *experiment = job->experiment;
	const Planned *first = planned(plan, experiment->files[0]);
	uint32_t of_run, of_folder;
	char folder[16];

	count_files(plan, first, &of_run, &of_folder);
	for (uint32_t i = 0; i < experiment->n_files; i++)
		assert_true(are_of_one_run(first, planned(plan, experiment->files[i])));
	assert_int_equal(job->outcome == PH_OUTCOME_FAILED, first->is_twice);
	assert_int_equal(experiment->n_files, first->is_twice ? 1 : of_run);
	if (experiment->n_files == 1)
		return;
	snprintf(folder, sizeof(folder), "/d%d", first->folder);
	if (of_run == of_folder)
		assert_string_equal(experiment->path, folder);
	else
		assert_int_equal(planned(plan, experiment->path)->cycle, first->cycle);
}

static bool
is_interrupted(void)
{
	return true;
}

/* Jobs without fingerprints are not handed on to what asks the warehouse about them. */
static void
test_interrupted(void **state)
{
	PhEnv env;
	PhLoad load;

	(void) state;
	ph_env_init_malloc(&env);
	ph_load_init(&load, &env, &(PhLoadOptions){.n_workers = 1, .interrupted = is_interrupted});
	assert_int_equal(ph_load_fingerprint(&load, &env), PH_ERR_INTERRUPTED);
	ph_load_free(&load);
}

static void
test_plans(void **state)
{
	static PhLoadJob jobs[MOST_FILES];
	static Plan plan;

	(void) state;
	numbers.state = 5;
	for (uint32_t p = 0; p < N_PLANS; p++)
	{
		PhEnv env;
		PhLoad load;
		uint32_t n_files = 0;

		ph_env_init_malloc(&env);
		make_plan(&plan);
		make_load(&env, &plan, &load, jobs);
		assert_int_equal(ph_load_join_ranks(&load, &env), PH_OK);
		for (size_t i = 0; i < load.n_jobs; i++)
		{
			check_job(&plan, &load.jobs[i]);
			n_files += load.jobs[i].experiment->n_files;
		}
		assert_int_equal(n_files, plan.n);
		ph_arena_drop(&load.arena);
		assert_int_equal(env.bytes, 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_interrupted),
									   cmocka_unit_test(test_plans)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
