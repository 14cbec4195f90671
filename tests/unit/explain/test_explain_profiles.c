/*
 * test_explain_profiles.c - profiles of runs to numbers to explain, and findings to sentences.
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

#include "explain/from_profiles.h"
#include "explain/sentence.h"
#include "profile/builder.h"
#include "support/fault_env.h"

#define RANKS 4
#define RUNS 8

typedef struct Runs
{
	PhProfile *profiles[RUNS];
	bool is_after[RUNS];
} Runs;

static const char *const names[] = {"main", "solve", "MPI_Allreduce", "tiny", "fresh"};

static void
add_region(PhProfileBuilder *builder, uint32_t parent, const char *name, uint32_t *node)
{
	PhRegionSpec spec = {.kind = PH_KIND_FUNCTION, .name = name};
	uint32_t region;

	assert_int_equal(ph_builder_add_region(builder, &spec, &region), PH_OK);
	assert_int_equal(ph_builder_child(builder, parent, region, node), PH_OK);
}

static void
add_value(PhProfileBuilder *builder, uint32_t metric, uint32_t node, uint32_t column, double value)
{
	assert_int_equal(ph_builder_add_value(builder, metric, node, column, PH_COST_EXCLUSIVE, value),
					 PH_OK);
}

/* Time in `unit`, visits; solve takes `solve` on each rank and iteration. */
static PhProfile *
make_run(PhEnv *env, int64_t run, uint32_t n_ranks, uint32_t n_steps, double solve, bool is_after)
{
	PhProfileBuilder *builder;
	PhProfile *profile;
	uint32_t metric[2], nodes[5], column;

	assert_int_equal(ph_builder_new(env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(
						 builder,
						 &(PhMetricSpec){.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE},
						 &metric[0]),
					 PH_OK);
	assert_int_equal(
		ph_builder_add_metric(
			builder,
			&(PhMetricSpec){.name = "visits", .unit = "count", .given = PH_GIVEN_EXCLUSIVE},
			&metric[1]),
		PH_OK);
	add_region(builder, PH_NONE, names[0], &nodes[0]);
	for (uint32_t i = 1; i < 4u + is_after; i++)
		add_region(builder, nodes[0], names[i], &nodes[i]);
	for (uint32_t rank = 0; rank < n_ranks; rank++)
		for (uint32_t step = 0; step < n_steps; step++)
		{
			PhColumnSpec spec = {.run_id = run,
								 .rank = (int32_t) rank,
								 .thread = PH_NO_NUMBER,
								 .iteration = n_steps == 1 ? PH_NO_ITERATION : (int64_t) step,
								 .host = rank < 2 ? "left" : "right"};

			assert_int_equal(ph_builder_add_column(builder, &spec, &column), PH_OK);
			add_value(builder, metric[0], nodes[0], column, 1);
			add_value(builder, metric[0], nodes[1], column, solve);
			add_value(builder, metric[0], nodes[2], column, 2);
			add_value(builder, metric[0], nodes[3], column, 0.001);
			if (is_after)
				add_value(builder, metric[0], nodes[4], column, 5);
			for (uint32_t i = 0; i < 4u + is_after; i++)
				add_value(builder, metric[1], nodes[i], column, 1);
		}
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	return profile;
}

static void
make_runs(PhEnv *env, uint32_t n_steps, Runs *runs)
{
	for (uint32_t run = 0; run < RUNS; run++)
	{
		runs->is_after[run] = run >= RUNS / 2;
		runs->profiles[run] =
			make_run(env, run + 1, RANKS, n_steps, 10 + 0.05 * (run % 3), runs->is_after[run]);
	}
}

static void
free_runs(PhEnv *env, Runs *runs)
{
	for (uint32_t run = 0; run < RUNS; run++)
		ph_profile_free(env, runs->profiles[run]);
}

static uint32_t
find(const PhExplainCube *cube, const char *name)
{
	for (uint32_t node = 0; node < cube->n_nodes; node++)
		if (strcmp(cube->nodes[node].name, name) == 0)
			return node;
	return PH_NONE;
}

static PhStatus
make_cube(PhArena *arena, const Runs *runs, PhExplainCube *cube)
{
	return ph_explain_cube(arena, RUNS, (const PhProfile *const *) runs->profiles, runs->is_after,
						   cube);
}

static void
takes_own_times(void **state)
{
	PhEnv env;
	PhArena arena;
	PhExplainCube cube;
	Runs runs;

	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	make_runs(&env, 1, &runs);
	assert_int_equal(make_cube(&arena, &runs, &cube), PH_OK);
	assert_int_equal(cube.n_units, RANKS);
	assert_int_equal(cube.n_nodes, 4); /* tiny is part of main */
	assert_int_equal(find(&cube, "tiny"), PH_NONE);
	assert_int_equal(cube.n_steps, 0);
	assert_null(cube.work[PH_WORK_BYTES]);
	assert_non_null(cube.work[PH_WORK_VISITS]);
	for (uint32_t run = 0; run < RUNS; run++)
	{
		assert_true(fabs(cube.time[ph_explain_cell(&cube, run, find(&cube, "main"), 2)] - 1.001) <
					1e-9);
		assert_true(fabs(cube.time[ph_explain_cell(&cube, run, find(&cube, "solve"), 3)] - 10 -
						 0.05 * (run % 3)) < 1e-9);
		assert_true(cube.time[ph_explain_cell(&cube, run, find(&cube, "fresh"), 0)] ==
					(run < RUNS / 2 ? 0 : 5));
	}
	assert_string_equal(cube.units[1].host, "left");
	assert_int_equal(cube.nodes[find(&cube, "MPI_Allreduce")].kind, PH_EXPLAIN_COMMUNICATION);
	free_runs(&env, &runs);
	ph_arena_drop(&arena);
}

static void
takes_iterations(void **state)
{
	PhEnv env;
	PhArena arena;
	PhExplainCube cube;
	Runs runs;

	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	make_runs(&env, 5, &runs);
	assert_int_equal(make_cube(&arena, &runs, &cube), PH_OK);
	assert_int_equal(cube.n_units, RANKS);
	assert_int_equal(cube.n_steps, 5);
	assert_true(fabs(cube.time[ph_explain_cell(&cube, 0, find(&cube, "solve"), 0)] - 50) < 1e-9);
	assert_true(fabs(cube.step_time[find(&cube, "solve") * 5 + 4] - 10) < 1e-9);
	free_runs(&env, &runs);
	ph_arena_drop(&arena);
}

/* Runs of other ranks are compared by their means. */
static void
joins_units_that_differ(void **state)
{
	PhEnv env;
	PhArena arena;
	PhExplainCube cube;
	PhProfile *profiles[2];
	const bool is_after[2] = {false, true};

	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	profiles[0] = make_run(&env, 1, 2, 1, 10, false);
	profiles[1] = make_run(&env, 2, 3, 1, 14, false);
	assert_int_equal(
		ph_explain_cube(&arena, 2, (const PhProfile *const *) profiles, is_after, &cube), PH_OK);
	assert_int_equal(cube.n_units, 1);
	assert_true(fabs(cube.time[ph_explain_cell(&cube, 1, find(&cube, "solve"), 0)] - 14) < 1e-9);
	ph_profile_free(&env, profiles[0]);
	ph_profile_free(&env, profiles[1]);
	ph_arena_drop(&arena);
}

static void
says_what_was_found(void **state)
{
	PhEnv env;
	PhArena arena;
	PhExplainCube cube;
	PhExplained explained;
	Runs runs;
	char *text;

	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	make_runs(&env, 1, &runs);
	assert_int_equal(make_cube(&arena, &runs, &cube), PH_OK);
	assert_int_equal(ph_explain(&arena, &cube, 0.02, &explained), PH_OK);
	assert_int_equal(explained.n_findings, 1);
	assert_int_equal(ph_finding_sentence(&arena, &cube, explained.findings, "s", &text), PH_OK);
	assert_string_equal(text,
						"main/fresh takes 5 s more (38.4 % of the run), more work: it was not "
						"there before.");
	assert_int_equal(ph_explained_sentence(&arena, &explained, "s", &text), PH_OK);
	assert_string_equal(text,
						"The runs are slower: 18.1 s against 13 s (+38.4 %), where single runs "
						"vary by 0.3 %.");
	free_runs(&env, &runs);
	ph_arena_drop(&arena);
}

static void
lists_places_in_short(void **state)
{
	PhExplainUnit units[40] = {{0, -1, ""}};
	PhExplainNode node = {"solve", PH_NONE, 1, PH_EXPLAIN_WORK, PH_EXPLAIN_MAIN_PART};
	PhExplainCube cube = {.n_units = 40, .units = units, .n_nodes = 1, .nodes = &node};
	uint32_t block[] = {4, 5, 6, 7, 12}, odd[20];
	PhFinding finding = {PH_SHAPE_SOME_UNITS,
						 PH_CAUSE_SLOWER_WORK,
						 PH_SHARED_NOTHING,
						 PH_CONFIDENCE_HIGH,
						 0,
						 5,
						 block,
						 1.5,
						 0.1,
						 9,
						 1,
						 PH_WORK_INSTRUCTIONS,
						 0};
	PhEnv env;
	PhArena arena;
	char *text;

	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	for (uint32_t i = 0; i < 40; i++)
		units[i] = (PhExplainUnit){(int32_t) i, -1, "node"};
	for (uint32_t i = 0; i < 20; i++)
		odd[i] = 2 * i + 1;
	assert_int_equal(ph_finding_places(&arena, &cube, &finding, &text), PH_OK);
	assert_string_equal(text, "ranks 4-7, 12");
	finding.places = odd;
	finding.n_places = 20;
	assert_int_equal(ph_finding_places(&arena, &cube, &finding, &text), PH_OK);
	assert_string_equal(text, "ranks 1, 3, 5, 7, 9, 11 and 14 more");
	finding.shared = PH_SHARED_ODD_RANKS;
	assert_int_equal(ph_finding_sentence(&arena, &cube, &finding, "s", &text), PH_OK);
	assert_string_equal(
		text, "solve takes 1.5 s more (10.0 % of the run) on ranks 1, 3, 5, 7, 9, 11 "
			  "and 14 more (all odd ranks), slower work: the same work (instructions: +0.0 %).");
	finding.cause = PH_CAUSE_MORE_WORK;
	finding.work = 29.5;
	assert_int_equal(ph_finding_sentence(&arena, &cube, &finding, "s", &text), PH_OK);
	assert_non_null(strstr(text, ", more work: 29.5 times as many instructions."));
	finding.work = 1.5;
	assert_int_equal(ph_finding_sentence(&arena, &cube, &finding, "s", &text), PH_OK);
	assert_non_null(strstr(text, ", more work: 50 % more instructions."));
	finding.n_places = 1;
	units[1].thread = 2;
	assert_int_equal(ph_finding_places(&arena, &cube, &finding, &text), PH_OK);
	assert_string_equal(text, "rank 1 thread 2");
	/* without ranks threads, and without these places, by their numbers */
	for (uint32_t i = 0; i < 40; i++)
		units[i] = (PhExplainUnit){-1, (int32_t) i + 1, ""};
	finding.places = block;
	finding.n_places = 5;
	assert_int_equal(ph_finding_places(&arena, &cube, &finding, &text), PH_OK);
	assert_string_equal(text, "threads 5-8, 13");
	for (uint32_t i = 0; i < 40; i++)
		units[i].thread = -1;
	assert_int_equal(ph_finding_places(&arena, &cube, &finding, &text), PH_OK);
	assert_string_equal(text, "units 4-7, 12");
	ph_arena_drop(&arena);
}

static PhStatus
work(PhEnv *env, void *user)
{
	const Runs *runs = user;
	PhExplainCube cube;
	PhExplained explained;
	PhArena arena;
	char *text;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = make_cube(&arena, runs, &cube);
	if (status == PH_OK)
		status = ph_explain(&arena, &cube, 0.02, &explained);
	if (status == PH_OK)
		status = ph_finding_sentence(&arena, &cube, explained.findings, "s", &text);
	ph_arena_drop(&arena);
	return status;
}

static void
survives_failures(void **state)
{
	PhEnv env;
	Runs runs;

	(void) state;
	ph_env_init_malloc(&env);
	make_runs(&env, 5, &runs);
	assert_string_equal(fault_env_try_allocations(work, &runs, 0), "");
	free_runs(&env, &runs);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_own_times),		   cmocka_unit_test(takes_iterations),
		cmocka_unit_test(joins_units_that_differ), cmocka_unit_test(says_what_was_found),
		cmocka_unit_test(lists_places_in_short),   cmocka_unit_test(survives_failures)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
