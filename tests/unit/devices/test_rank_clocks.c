/*
 * test_rank_clocks.c - clocks of ranks from collectives of their devices: random programs whose
 * clocks are ahead of each other and drift, groups that share ranks, cut and sampled traces, clocks
 * that are right, faults.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/min_max.h"
#include "devices/rank_clocks.h"
#include "support/fault_env.h"
#include "support/random_trace.h"
#include "support/rounds.h"

#define N_PROGRAMS rounds(500)
#define MOST_RANKS 7
#define MOST_STEPS 60
#define NOISE 3000 /* ns by which ends of a collective differ */

static RandomNumbers numbers;

/* What a rank's clock shows at a true time. */
typedef struct Skew
{
	int64_t ahead;
	double drift;
} Skew;

typedef struct Program
{
	uint32_t n_ranks, n_steps, n;
	Skew skews[MOST_RANKS];
	PhClockKernel kernels[MOST_RANKS * MOST_STEPS * 2];
} Program;

static int64_t
shown(const Skew *skew, int64_t time)
{
	return time + skew->ahead + (int64_t) (skew->drift * (double) time);
}

/* A collective of some ranks: all begin at some time, none ends before all have. */
static void
collect(Program *program, uint32_t from, uint32_t to, uint32_t key, int64_t time)
{
	int64_t last = 0, begins[MOST_RANKS];

	for (uint32_t r = from; r < to; r++)
	{
		begins[r] = time + numbers_below(&numbers, 400000);
		last = PH_MAX(last, begins[r]);
	}
	for (uint32_t r = from; r < to; r++)
		program->kernels[program->n++] = (PhClockKernel){
			r, key, shown(&program->skews[r], begins[r]),
			shown(&program->skews[r], last + 50000 + numbers_below(&numbers, NOISE))};
}

/* Even and odd steps: all ranks, or two groups that share a rank. */
static void
make_program(Program *program, bool groups, int64_t most_ahead, int most_ppm)
{
	uint32_t middle;

	program->n = 0;
	program->n_ranks = 2 + numbers_below(&numbers, MOST_RANKS - 1);
	program->n_steps = 20 + numbers_below(&numbers, MOST_STEPS - 19);
	middle = program->n_ranks / 2;
	for (uint32_t r = 0; r < program->n_ranks; r++)
		program->skews[r] = (Skew){
			(int64_t) ((double) most_ahead * ((int) numbers_below(&numbers, 2001) - 1000) / 1000),
			most_ppm * 1e-6 * ((int) numbers_below(&numbers, 2001) - 1000) / 1000};
	for (uint32_t i = 0; i < program->n_steps; i++)
	{
		int64_t time = i * INT64_C(10000000) + numbers_below(&numbers, 5000000);

		if (groups)
		{
			collect(program, 0, middle + 1, 0, time);
			collect(program, middle, program->n_ranks, 1, time + 2000000);
		}
		else
			collect(program, 0, program->n_ranks, i % 2, time);
	}
}

/* By its clock and that of the reference, a rank's times are the reference's. */
static void
check_clocks(const Program *program, const PhRankClocks *clocks, int64_t most)
{
	int64_t length = program->n_steps * INT64_C(10000000);

	assert_int_equal(clocks->n_ranks, program->n_ranks);
	for (uint32_t r = 0; r < program->n_ranks; r++)
	{
		assert_int_not_equal(clocks->ranks[r].reference, PH_NONE);
		for (int64_t time = 0; time <= length; time += length / 8)
		{
			int64_t found = ph_rank_clock_time(&clocks->ranks[r], shown(&program->skews[r], time));
			int64_t off = found - shown(&program->skews[0], time);

			assert_in_range(off < 0 ? -off : off, 0, most);
		}
	}
	assert_int_equal(clocks->n_early_after, 0);
}

static void
test_planted_clocks(void **state)
{
	Program program;
	uint64_t n_early = 0;
	PhEnv env;

	(void) state;
	ph_env_init_malloc(&env);
	for (uint32_t i = 0; i < N_PROGRAMS; i++)
	{
		PhRankClocks clocks;
		PhArena arena;

		make_program(&program, i % 2 == 1, i % 3 == 0 ? 1000000000 : 2000000, i % 4 == 0 ? 0 : 40);
		ph_arena_init(&arena, &env);
		assert_int_equal(
			ph_rank_clocks_find(&arena, program.kernels, program.n, program.n_ranks, &clocks),
			PH_OK);
		/* in chains of two the noise counts twice */
		check_clocks(&program, &clocks, 4 * NOISE);
		n_early += clocks.n_early;
		ph_arena_drop(&arena);
	}
	assert_true(n_early > N_PROGRAMS);
}

/* Some of the first or of the last kernels of one rank are not there. */
static void
test_cut(void **state)
{
	Program program;
	PhEnv env;

	(void) state;
	ph_env_init_malloc(&env);
	for (uint32_t i = 0; i < N_PROGRAMS / 5; i++)
	{
		uint32_t lost = 1 + numbers_below(&numbers, 9), n = 0, seen = 0;
		PhRankClocks clocks;
		PhArena arena;

		make_program(&program, false, 3000000, 20);
		for (uint32_t k = 0; k < program.n; k++)
		{
			const PhClockKernel *kernel = &program.kernels[k];
			bool is_lost =
				kernel->rank == 1 && (i % 2 == 0 ? seen < lost : seen >= program.n_steps - lost);

			seen += kernel->rank == 1;
			if (!is_lost)
				program.kernels[n++] = *kernel;
		}
		ph_arena_init(&arena, &env);
		assert_int_equal(ph_rank_clocks_find(&arena, program.kernels, n, program.n_ranks, &clocks),
						 PH_OK);
		check_clocks(&program, &clocks, 4 * NOISE);
		ph_arena_drop(&arena);
	}
}

/* Nothing is said of ranks whose kernels are sampled, nor of those without. */
static void
test_sampled(void **state)
{
	Program program;
	uint32_t n_known = 0;
	PhEnv env;

	(void) state;
	ph_env_init_malloc(&env);
	for (uint32_t i = 0; i < N_PROGRAMS / 5; i++)
	{
		uint32_t n = 0;
		PhRankClocks clocks;
		PhArena arena;

		make_program(&program, false, 3000000, 20);
		for (uint32_t k = 0; k < program.n; k++)
			if (numbers_below(&numbers, 2) == 0)
				program.kernels[n++] = program.kernels[k];
		ph_arena_init(&arena, &env);
		assert_int_equal(
			ph_rank_clocks_find(&arena, program.kernels, n, program.n_ranks + 1, &clocks), PH_OK);
		assert_int_equal(clocks.ranks[program.n_ranks].reference, PH_NONE);
		for (uint32_t r = 0; r < program.n_ranks; r++)
			n_known += clocks.ranks[r].reference != PH_NONE;
		assert_int_equal(clocks.n_early, 0);
		ph_arena_drop(&arena);
	}
	assert_int_equal(n_known, 0);
}

static PhStatus
find_under_faults(PhEnv *env, void *user)
{
	Program *program = user;
	PhRankClocks clocks;
	PhArena arena;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = ph_rank_clocks_find(&arena, program->kernels, program->n, program->n_ranks, &clocks);
	ph_arena_drop(&arena);
	return status;
}

static void
test_faults(void **state)
{
	Program program;

	(void) state;
	make_program(&program, true, 1000, 10);
	assert_string_equal(fault_env_try_allocations(find_under_faults, &program, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted_clocks),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_faults),
	};

	numbers = (RandomNumbers){7};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
