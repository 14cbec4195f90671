/*
 * test_explain.c - planted causes are named, nothing is found where nothing is, and laws hold.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/axis.h"
#include "explain/explain.h"
#include "explain/kinds.h"
#include "explain/known.h"
#include "explain/search.h"
#include "explain/sentence.h"
#include "support/explained.h"
#include "support/fault_env.h"

static void
finds_nothing_in_noise(void **state)
{
	Test *test = *state;

	for (uint64_t seed = 1; seed <= 20; seed++)
	{
		Program *program = make_program(seed);

		assert_int_equal(explain(&test->arena, program).n_findings, 0);
		free(program);
	}
}

static void
names_a_slow_region(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, SOLVE_B, 0, UNITS, 8);
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_WORK, SOLVE_B, 0);
	assert_int_equal(explained.n_findings, 1);
	assert_true(fabs(explained.findings[0].effect - 8) < 0.8);
	assert_true(fabs(explained.findings[0].share - 0.098) < 0.015);
	assert_int_equal(explained.findings[0].confidence, PH_CONFIDENCE_HIGH);
	assert_int_equal(explained.total.verdict, PH_VERDICT_SLOWER);
}

static void
names_the_subtree_that_is_slow_as_a_whole(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, SOLVE_A, 0, UNITS, 6);
	add_time(test->program, SOLVE_B, 0, UNITS, 7);
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_WORK, SOLVE, 0);
}

static void
keeps_two_causes_apart(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, SOLVE_A, 0, UNITS, 9);
	add_time(test->program, LIMIT, 0, UNITS, 5);
	explained = explain(&test->arena, test->program);
	assert_int_equal(explained.n_findings, 2);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_WORK, SOLVE_A, 0);
	assert_int_equal(explained.findings[1].node, LIMIT);
}

/* The others wait, which is no cause. */
/* Where nothing is counted only the amount tells two call paths of the same names apart. */
static void
tells_what_looks_alike_once(void **state)
{
	Test *test = *state;
	PhExplained explained;
	double effects[2];
	char *sentence;

	memset(test->program->cube.work, 0, sizeof(test->program->cube.work));
	add_time(test->program, FLUX, 0, UNITS, 9);
	add_time(test->program, LIMIT, 0, UNITS, 5);
	explained = explain(&test->arena, test->program);
	assert_int_equal(explained.n_findings, 2);
	effects[0] = explained.findings[0].effect;
	effects[1] = explained.findings[1].effect;
	test->program->nodes[LIMIT].name = test->program->nodes[FLUX].name;
	explained = explain(&test->arena, test->program);
	assert_int_equal(explained.n_findings, 1);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_UNKNOWN, FLUX, 0);
	assert_true(explained.findings[0].effect == effects[0] + effects[1]);
	assert_int_equal(
		ph_finding_sentence(&test->arena, &test->program->cube, explained.findings, "s", &sentence),
		PH_OK);
	assert_non_null(strstr(sentence, "of the run), in 2 call paths of these names, unknown: "));
}

static void
names_a_slow_rank(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, FLUX, 5, 6, 10);
	add_time(test->program, REDUCE, 0, 5, 10);
	add_time(test->program, REDUCE, 6, UNITS, 10);
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_SOME_UNITS, PH_CAUSE_SLOWER_WORK, FLUX, 1);
	assert_int_equal(explained.findings[0].places[0], 5);
	assert_int_equal(explained.findings[0].shared, PH_SHARED_NOTHING);
	assert_int_equal(explained.n_findings, 1);
}

static void
names_a_slow_host(void **state)
{
	Test *test = *state;
	PhExplained explained;

	for (uint32_t node = SOLVE; node <= LIMIT; node++)
		add_time(test->program, node, 4, 8, 0.25 * tree[node].cost);
	add_time(test->program, REDUCE, 0, 4, 14);
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_SOME_UNITS, PH_CAUSE_SLOWER_WORK, LOOP, 4);
	assert_int_equal(explained.findings[0].shared, PH_SHARED_HOST);
	assert_int_equal(explained.n_findings, 1);
}

static void
names_more_work(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, FLUX, 0, UNITS, 7);
	for (uint32_t run = 0; run < RUNS; run++)
		for (uint32_t unit = 0; test->program->is_after[run] && unit < UNITS; unit++)
			test->program->instructions[run][FLUX][unit] *= 1.33;
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_MORE_WORK, FLUX, 0);
	assert_int_equal(explained.findings[0].work_kind, PH_WORK_INSTRUCTIONS);
	assert_true(fabs(explained.findings[0].work - 1.33) < 0.001);
}

static void
knows_no_cause_where_nothing_is_counted(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, FLUX, 0, UNITS, 7);
	memset(test->program->cube.work, 0, sizeof(test->program->cube.work));
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_UNKNOWN, FLUX, 0);
}

static void
names_one_bad_iteration(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, LIMIT, 0, UNITS, 6);
	for (uint32_t run = 0; run < RUNS; run++)
		test->program->step_time[run][LIMIT][4] += test->program->is_after[run] ? 6 : 0;
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_SOME_ITERATIONS, PH_CAUSE_SLOWER_WORK, LIMIT, 1);
	assert_int_equal(explained.findings[0].places[0], 4);
	assert_int_equal(explained.n_findings, 1);
}

static void
names_kinds_of_waiting_and_devices(void **state)
{
	static const struct
	{
		uint32_t node;
		PhShape shape;
		PhCause cause;
	} cases[] = {{REDUCE, PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_COMMUNICATION},
				 {LOCK, PH_SHAPE_UNIFORM, PH_CAUSE_MORE_WAITING},
				 {WRITE, PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_IO},
				 {KERNEL, PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_DEVICE},
				 {INIT, PH_SHAPE_START_UP, PH_CAUSE_SLOWER_COMMUNICATION}};
	Test *test = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Program *program = make_program(100 + i);
		PhExplained explained;

		add_time(program, cases[i].node, 0, UNITS, 7);
		explained = explain(&test->arena, program);
		assert_first(&explained, cases[i].shape, cases[i].cause, cases[i].node, 0);
		free(program);
	}
}

/* Sides the other way round: the same findings, as improvements. */
static void
explains_faster_runs(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, SOLVE_B, 0, UNITS, 8);
	for (uint32_t run = 0; run < RUNS; run++)
		test->program->is_after[run] = !test->program->is_after[run];
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_WORK, SOLVE_B, 0);
	assert_true(explained.findings[0].effect < -7);
	assert_string_equal(ph_cause_name(explained.findings[0].cause, true), "faster work");
	assert_int_equal(explained.total.verdict, PH_VERDICT_FASTER);
}

/* Another order of the runs, all times in another unit: the same answer. */
static void
does_not_depend_on_order_nor_unit(void **state)
{
	Test *test = *state;
	Program *other = make_program(7);
	PhExplained a, b;

	add_time(test->program, SOLVE_B, 0, UNITS, 8);
	a = explain(&test->arena, test->program);
	add_time(other, SOLVE_B, 0, UNITS, 8);
	for (uint32_t run = 0; run < RUNS / 2; run++)
	{
		double kept[NODES][UNITS], steps[NODES][STEPS];
		uint32_t last = RUNS - 1 - run;

		memcpy(kept, other->time[run], sizeof(kept));
		memcpy(other->time[run], other->time[last], sizeof(kept));
		memcpy(other->time[last], kept, sizeof(kept));
		memcpy(steps, other->step_time[run], sizeof(steps));
		memcpy(other->step_time[run], other->step_time[last], sizeof(steps));
		memcpy(other->step_time[last], steps, sizeof(steps));
		other->is_after[run] = !other->is_after[run];
		other->is_after[last] = !other->is_after[last];
	}
	for (size_t i = 0; i < RUNS * NODES * UNITS; i++)
		((double *) other->time)[i] *= 1024;
	for (size_t i = 0; i < RUNS * NODES * STEPS; i++)
		((double *) other->step_time)[i] *= 1024;
	b = explain(&test->arena, other);
	assert_int_equal(a.n_findings, b.n_findings);
	assert_int_equal(a.findings[0].node, b.findings[0].node);
	assert_true(fabs(b.findings[0].effect / a.findings[0].effect / 1024 - 1) < 1e-9);
	assert_true(fabs(b.findings[0].score / a.findings[0].score - 1) < 1e-9);
	free(other);
}

/* Factors of time and of what is counted after, in a subtree. */
static void
multiply(Program *program, uint32_t node, double time, double instructions, double visits)
{
	for (uint32_t run = 0; run < RUNS; run++)
		for (uint32_t i = node; program->is_after[run] && i < tree[node].end; i++)
			for (uint32_t unit = 0; unit < UNITS; unit++)
			{
				program->time[run][i][unit] *= time;
				program->instructions[run][i][unit] *= instructions;
				program->visits[run][i][unit] *= visits;
			}
}

/* As threads that call no MPI: they are no evidence of how long it takes. */
static void
knows_who_is_there(void **state)
{
	Test *test = *state;
	PhExplained explained;

	for (uint32_t run = 0; run < RUNS; run++)
		for (uint32_t unit = 3; unit < UNITS; unit++)
			test->program->time[run][FLUX][unit] = 0;
	add_time(test->program, FLUX, 0, 3, 9);
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_WORK, FLUX, 0);
	assert_int_equal(explained.n_findings, 1);
}

/* The time of the run grows by what a bad iteration takes, and the pace of its machine does not. */
static void
names_a_bad_iteration_once(void **state)
{
	Test *test = *state;
	PhExplained explained;

	for (uint32_t run = 0; run < RUNS; run++)
		for (uint32_t node = SOLVE; test->program->is_after[run] && node <= LIMIT; node++)
			test->program->step_time[run][node][2] += 0.4 * tree[node].cost;
	for (uint32_t node = SOLVE; node <= LIMIT; node++)
		add_time(test->program, node, 0, UNITS, 0.4 * tree[node].cost);
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_SOME_ITERATIONS, PH_CAUSE_SLOWER_WORK, LOOP, 1);
	assert_int_equal(explained.findings[0].places[0], 2);
	assert_int_equal(explained.n_findings, 1);
}

/* Bytes say nothing of what is computed, also where they are recorded. */
static void
counts_calls_of_work_not_bytes(void **state)
{
	Test *test = *state;
	PhExplained explained;

	multiply(test->program, FLUX, 1.4, 1, 1.4);
	test->program->cube.work[PH_WORK_BYTES] = test->program->cube.work[PH_WORK_INSTRUCTIONS];
	test->program->cube.work[PH_WORK_INSTRUCTIONS] = NULL;
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_MORE_WORK, FLUX, 0);
	assert_int_equal(explained.findings[0].work_kind, PH_WORK_VISITS);
}

/* With more calls everywhere the machine is as fast as before. */
static void
tells_more_calls_from_a_slower_machine(void **state)
{
	Test *test = *state;
	PhExplained explained;

	multiply(test->program, LOOP, 1.15, 1, 1.15);
	test->program->cube.work[PH_WORK_INSTRUCTIONS] = NULL;
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_MORE_WORK, LOOP, 0);
}

/* It used up what it waited before: the others wait for the rest only. */
static void
knows_spare_time_of_a_slow_rank(void **state)
{
	Test *test = *state;
	PhExplained explained;

	for (uint32_t run = 0; run < RUNS; run++)
	{
		test->program->time[run][FLUX][5] -= 8;
		test->program->time[run][REDUCE][5] += test->program->is_after[run] ? 0 : 8;
	}
	add_time(test->program, FLUX, 5, 6, 13);
	add_time(test->program, REDUCE, 0, 5, 5);
	add_time(test->program, REDUCE, 6, UNITS, 5);
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_SOME_UNITS, PH_CAUSE_SLOWER_WORK, FLUX, 1);
	assert_true(fabs(explained.findings[0].effect - 5) < 0.5);
}

static void
finds_what_cancels_out(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, SOLVE_B, 0, UNITS, 6);
	add_time(test->program, FLUX, 0, UNITS, -6);
	explained = explain(&test->arena, test->program);
	assert_int_equal(explained.n_findings, 2);
	for (uint32_t i = 0; i < 2; i++)
	{
		const PhFinding *finding = &explained.findings[i];

		assert_int_equal(finding->node, finding->effect < 0 ? FLUX : SOLVE_B);
		assert_true(fabs(fabs(finding->effect) - 6) < 0.8);
	}
	assert_true(explained.findings[0].effect * explained.findings[1].effect < 0);
}

static void
is_unsure_of_single_runs(void **state)
{
	Test *test = *state;
	PhExplained explained;

	add_time(test->program, FLUX, 0, UNITS, 15);
	test->program->cube.n_runs = 2;
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_WORK, FLUX, 0);
	assert_int_equal(explained.findings[0].confidence, PH_CONFIDENCE_LOW);
	assert_true(isnan(explained.noise));
	assert_int_equal(explained.total.verdict, PH_VERDICT_UNKNOWN);
}

/* What is known of others of their condition: quiet runs show a change, noisy ones hide it. */
static void
judges_single_runs_by_what_is_known(void **state)
{
	Test *test = *state;
	PhExplainCube *cube = &test->program->cube;
	double known_of[NODES] = {[FLUX] = 0.2};
	PhExplained explained;

	add_time(test->program, FLUX, 0, UNITS, 8);
	cube->n_runs = 2;
	assert_int_equal(explain(&test->arena, test->program).n_findings, 0);
	cube->known = (PhKnownSpread){0.01, 20};
	explained = explain(&test->arena, test->program);
	assert_first(&explained, PH_SHAPE_UNIFORM, PH_CAUSE_SLOWER_WORK, FLUX, 0);
	assert_int_equal(explained.findings[0].confidence, PH_CONFIDENCE_MEDIUM);
	assert_int_equal(explained.total.verdict, PH_VERDICT_SLOWER);
	assert_true(fabs(explained.noise - 0.01) < 1e-12);
	cube->known_of = known_of; /* that call path alone */
	assert_int_equal(explain(&test->arena, test->program).n_findings, 0);
	known_of[FLUX] = cube->known.spread = 0.2;
	explained = explain(&test->arena, test->program);
	assert_true(explained.total.repeats_needed > PH_MIN_REPEATS); /* for a verdict */
	known_of[FLUX] = cube->known.spread = 0.01;
	add_time(test->program, FLUX, 0, UNITS, -8);
	add_time(test->program, FLUX, 5, 6, 30); /* of units nothing is known */
	explained = explain(&test->arena, test->program);
	assert_int_equal(explained.findings[0].confidence, PH_CONFIDENCE_LOW);
	cube->known = (PhKnownSpread){0.01, PH_MIN_KNOWN_DEGREES - 1}; /* hardly known */
	assert_true(isnan(explain(&test->arena, test->program).noise));
}

/* Of six runs or more their own scatter counts, of fewer what they lack is made up for. */
static void
mixes_scatter_with_what_is_known(void **state)
{
	Test *test = *state;
	PhExplainCube cube = test->program->cube;
	PhExplainAxis plain, known;

	for (cube.n_runs = 3; cube.n_runs <= RUNS; cube.n_runs++)
	{
		double degrees = cube.n_runs - 2, own, usual, expected;

		cube.known = (PhKnownSpread){0};
		assert_int_equal(ph_axis_new(&test->arena, &cube, test->program->is_after, UNITS, &plain),
						 PH_OK);
		cube.known = (PhKnownSpread){0.3, 9};
		assert_int_equal(ph_axis_new(&test->arena, &cube, test->program->is_after, UNITS, &known),
						 PH_OK);
		memcpy(plain.own, test->program->time, cube.n_runs * sizeof(test->program->time[0]));
		memcpy(known.own, test->program->time, cube.n_runs * sizeof(test->program->time[0]));
		assert_int_equal(ph_axis_measure(&test->arena, &plain), PH_OK);
		assert_int_equal(ph_axis_measure(&test->arena, &known), PH_OK);
		own = plain.noise[FLUX];
		usual = 0;
		for (uint32_t unit = 0; unit < UNITS; unit++)
			usual += 0.3 * plain.before[FLUX * UNITS + unit] / UNITS;
		usual *= sqrt(1.43 * (1.0 / plain.n_before + 1.0 / plain.n_after));
		expected =
			degrees >= 4 ? own : sqrt((degrees * own * own + (4 - degrees) * usual * usual) / 4);
		assert_true(fabs(known.noise[FLUX] - expected) < 1e-9);
	}
}

static void
finds_what_is_known_of_call_paths(void **state)
{
	const PhKnownPath paths[] = {
		{"main/loop/flux", {0.03, 8}}, {"", {0.01, 30}},
		{"main/loop", {0.02, 3}},	   {"main/gone", {0.4, 30}},
		{"main/fwrite", {0, 30}},	   {"main/loop/solve/solve_b", {0.05, 4}}};
	const PhKnownPath bad[] = {{"main", {NAN, 3}}, {"main", {-1, 3}}, {"main", {1, INFINITY}}};
	Test *test = *state;
	PhExplainCube cube = test->program->cube;

	assert_int_equal(ph_explain_know(&test->arena, 6, paths, &cube), PH_OK);
	assert_true(cube.known.spread == 0.01 && cube.known.degrees == 30);
	for (uint32_t node = 0; node < NODES; node++)
		assert_true(cube.known_of[node] == (node == FLUX ? 0.03 : node == SOLVE_B ? 0.05 : 0));
	assert_int_equal(ph_explain_know(&test->arena, 0, NULL, &cube), PH_OK);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ph_explain_know(&test->arena, 1, &bad[i], &cube), PH_ERR_VALUE);
}

static void
refuses_what_cannot_be_explained(void **state)
{
	Test *test = *state;
	PhExplained explained;

	test->program->cube.n_runs = 1;
	assert_int_equal(ph_explain(&test->arena, &test->program->cube, 0.02, &explained),
					 PH_ERR_VALUE);
	test->program->cube.n_runs = RUNS;
	memset(test->program->time, 0, sizeof(test->program->time));
	assert_int_equal(ph_explain(&test->arena, &test->program->cube, 0.02, &explained),
					 PH_ERR_VALUE);
}

/* Medians and sums of subtrees against plain loops. */
static double
plain_median(double *values, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n; k++)
			if (values[k] < values[i])
			{
				double kept = values[i];

				values[i] = values[k];
				values[k] = kept;
			}
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static double
plain_side(const Program *program, uint32_t node, uint32_t unit, bool after)
{
	double values[RUNS];
	uint32_t n = 0;

	for (uint32_t run = 0; run < RUNS; run++)
	{
		double sum = 0;

		for (uint32_t below = node; below < tree[node].end; below++)
			sum += program->time[run][below][unit];
		if (program->is_after[run] == after)
			values[n++] = sum;
	}
	return plain_median(values, n);
}

static void
measures_as_plain_loops_do(void **state)
{
	Test *test = *state;
	Program *program = test->program;
	PhExplainAxis axis;

	assert_int_equal(ph_axis_new(&test->arena, &program->cube, program->is_after, UNITS, &axis),
					 PH_OK);
	memcpy(axis.own, program->time, sizeof(program->time));
	assert_int_equal(ph_axis_measure(&test->arena, &axis), PH_OK);
	for (uint32_t node = 0; node < NODES; node++)
		for (uint32_t unit = 0; unit < UNITS; unit++)
		{
			double before = plain_side(program, node, unit, false);
			double after = plain_side(program, node, unit, true);

			assert_true(fabs(axis.before[node * UNITS + unit] - before) < 1e-9);
			assert_true(fabs(axis.change[node * UNITS + unit] - (after - before)) < 1e-9);
		}
}

static void
tells_kinds_by_names(void **state)
{
	static const struct
	{
		const char *name, *paradigm;
		PhExplainKind kind;
		PhExplainPeriod part;
	} cases[] = {{"ampi_Allreduce", "", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
				 {"PMPI_Waitall", "", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
				 {"MPI_File_write_all", "mpi", PH_EXPLAIN_IO, PH_EXPLAIN_MAIN_PART},
				 {"MPI_Init_thread", "mpi", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_START_UP},
				 {"MPI_Finalize", "", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_SHUT_DOWN},
				 {"mpi_allreduce_", "", PH_EXPLAIN_COMMUNICATION, PH_EXPLAIN_MAIN_PART},
				 {"read", "", PH_EXPLAIN_IO, PH_EXPLAIN_MAIN_PART},
				 {"read_mesh", "", PH_EXPLAIN_WORK, PH_EXPLAIN_MAIN_PART},
				 {"kernel", "cuda", PH_EXPLAIN_DEVICE, PH_EXPLAIN_MAIN_PART},
				 {"!$omp critical @a.c:3", "openmp", PH_EXPLAIN_WAITING, PH_EXPLAIN_MAIN_PART},
				 {"solve", "user", PH_EXPLAIN_WORK, PH_EXPLAIN_MAIN_PART}};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		PhExplainNode node = {.name = cases[i].name};

		ph_explain_classify(&node, cases[i].paradigm);
		assert_int_equal(node.kind, cases[i].kind);
		assert_int_equal(node.part, cases[i].part);
	}
}

static PhStatus
work(PhEnv *env, void *user)
{
	const Program *program = user;
	const PhKnownPath known = {"", {0.02, 9}};
	PhExplainCube cube = program->cube;
	PhExplained explained;
	PhArena arena;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = ph_explain_know(&arena, 1, &known, &cube);
	for (int i = 0; i < 4 && status == PH_OK; i++) /* long enough to ask for interrupts */
		status = ph_explain(&arena, &cube, 0.02, &explained);
	ph_arena_drop(&arena);
	return status;
}

static void
survives_failures(void **state)
{
	Test *test = *state;

	add_time(test->program, FLUX, 5, 6, 10);
	add_time(test->program, SOLVE_B, 0, UNITS, 8);
	assert_string_equal(fault_env_try_allocations(work, test->program, 0), "");
	assert_string_equal(fault_env_try_interrupts(work, test->program, 0), "");
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {TEST(finds_nothing_in_noise),
									   TEST(names_a_slow_region),
									   TEST(names_the_subtree_that_is_slow_as_a_whole),
									   TEST(keeps_two_causes_apart),
									   TEST(tells_what_looks_alike_once),
									   TEST(names_a_slow_rank),
									   TEST(names_a_slow_host),
									   TEST(names_more_work),
									   TEST(knows_no_cause_where_nothing_is_counted),
									   TEST(names_one_bad_iteration),
									   TEST(names_kinds_of_waiting_and_devices),
									   TEST(explains_faster_runs),
									   TEST(does_not_depend_on_order_nor_unit),
									   TEST(knows_who_is_there),
									   TEST(names_a_bad_iteration_once),
									   TEST(counts_calls_of_work_not_bytes),
									   TEST(tells_more_calls_from_a_slower_machine),
									   TEST(knows_spare_time_of_a_slow_rank),
									   TEST(finds_what_cancels_out),
									   TEST(is_unsure_of_single_runs),
									   TEST(judges_single_runs_by_what_is_known),
									   TEST(mixes_scatter_with_what_is_known),
									   TEST(finds_what_is_known_of_call_paths),
									   TEST(refuses_what_cannot_be_explained),
									   TEST(measures_as_plain_loops_do),
									   cmocka_unit_test(tells_kinds_by_names),
									   TEST(survives_failures)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
