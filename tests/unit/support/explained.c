/*
 * explained.c - see explained.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/explained.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "explain/kinds.h"

const ProgramPart tree[NODES] = {
	{"main", PH_NONE, 12, 0.1},		{"MPI_Init", MAIN, 2, 1},	   {"loop", MAIN, 11, 0.2},
	{"solve", LOOP, 6, 1},			{"solve_a", SOLVE, 5, 12},	   {"solve_b", SOLVE, 6, 14},
	{"flux", LOOP, 7, 20},			{"limit", LOOP, 8, 11},		   {"cudaLaunchKernel", LOOP, 9, 9},
	{"MPI_Allreduce", LOOP, 10, 6}, {"omp_set_lock", LOOP, 11, 3}, {"fwrite", MAIN, 12, 4}};

uint64_t random_state;

/* -1 to 1 */
double
wobble(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (double) (random_state >> 11) / 4503599627370496.0 - 1;
}

/* Ten runs with noise of about 2 %, four ranks on each of two hosts. */
Program *
make_program(uint64_t seed)
{
	Program *program = calloc(1, sizeof(*program));

	assert_non_null(program);
	random_state = seed;
	program->cube =
		(PhExplainCube){.n_nodes = NODES,
						.n_units = UNITS,
						.n_runs = RUNS,
						.nodes = program->nodes,
						.units = program->units,
						.is_after = program->is_after,
						.time = program->time[0][0],
						.work = {program->instructions[0][0], NULL, program->visits[0][0]},
						.n_steps = STEPS,
						.steps = program->steps,
						.step_time = program->step_time[0][0]};
	for (uint32_t node = 0; node < NODES; node++)
	{
		program->nodes[node] =
			(PhExplainNode){tree[node].name, tree[node].parent, tree[node].end, 0, 0};
		ph_explain_classify(&program->nodes[node], "");
	}
	for (uint32_t unit = 0; unit < UNITS; unit++)
		program->units[unit] = (PhExplainUnit){(int32_t) unit, -1, unit < 4 ? "left" : "right"};
	for (uint32_t run = 0; run < RUNS; run++)
	{
		double pace = 1 + 0.02 * wobble();

		program->is_after[run] = run % 2 == 1;
		for (uint32_t node = 0; node < NODES; node++)
			for (uint32_t unit = 0; unit < UNITS; unit++)
			{
				program->time[run][node][unit] = tree[node].cost * pace * (1 + 0.02 * wobble());
				program->instructions[run][node][unit] = tree[node].cost * 1e9;
				program->visits[run][node][unit] = 10;
			}
		for (uint32_t node = SOLVE; node <= LOCK; node++)
			for (uint32_t step = 0; step < STEPS; step++)
				program->step_time[run][node][step] =
					tree[node].cost * pace / STEPS * (1 + 0.02 * wobble());
	}
	return program;
}

/* More time in a call path after, on units [first, end). */
void
add_time(Program *program, uint32_t node, uint32_t first, uint32_t end, double more)
{
	for (uint32_t run = 0; run < RUNS; run++)
		for (uint32_t unit = first; program->is_after[run] && unit < end; unit++)
			program->time[run][node][unit] += more;
}

PhExplained
explain(PhArena *arena, const Program *program)
{
	PhExplained explained;

	assert_int_equal(ph_explain(arena, &program->cube, 0.02, &explained), PH_OK);
	return explained;
}

int
set_up(void **state)
{
	Test *test = calloc(1, sizeof(*test));

	ph_env_init_malloc(&test->env);
	ph_arena_init(&test->arena, &test->env);
	test->program = make_program(7);
	*state = test;
	return 0;
}

int
tear_down(void **state)
{
	Test *test = *state;

	ph_arena_drop(&test->arena);
	free(test->program);
	free(test);
	return 0;
}

void
assert_first(const PhExplained *explained, PhShape shape, PhCause cause, uint32_t node,
			 uint32_t n_places)
{
	assert_true(explained->n_findings > 0);
	assert_int_equal(explained->findings[0].shape, shape);
	assert_int_equal(explained->findings[0].cause, cause);
	assert_int_equal(explained->findings[0].node, node);
	assert_int_equal(explained->findings[0].n_places, n_places);
}
