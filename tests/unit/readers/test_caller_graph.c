/*
 * test_caller_graph.c - trees of call graphs: what functions and arcs cost stays, any order gives
 * the same tree, recursion of all kinds ends.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "readers/caller_graph.h"
#include "support/csv.h"
#include "support/fault_env.h"
#include "support/reader.h"
#include "support/test_data.h"

#define MOST 12

/* A graph by hand or by chance: costs[i][j] of calls of j from i, and of functions. */
typedef struct Graph
{
	uint32_t n;
	bool has_arc[MOST][MOST];
	PhCallCosts arcs[MOST][MOST];
	PhCallCosts functions[MOST];
} Graph;

static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

/* Functions and arcs in an order that depends on turn. */
static PhStatus
build_graph(PhEnv *env, const Graph *graph, uint32_t turn, PhProfile **out)
{
	PhArena arena;
	PhCallerGraph calls = {.arena = &arena};
	PhProfileBuilder *builder = NULL;
	uint32_t n = graph->n;
	ph_arena_init(&arena, env);
	PhStatus status = ph_builder_new(env, &builder);
	for (uint32_t i = 0; i < n && status == PH_OK; i++)
	{
		uint32_t function = (i + turn) % n;
		status = PH_ROOM(&arena, &calls.functions);
		if (status == PH_OK)
			calls.functions.items[calls.functions.count++] =
				(PhCallFunction){.region = {.name = names[function], .line = PH_NO_NUMBER},
								 .costs = graph->functions[function]};
	}
	for (uint32_t k = 0; k < n * n && status == PH_OK; k++)
	{
		uint32_t cell = (k + 5 * turn) % (n * n), caller = cell / n, callee = cell % n;
		if (!graph->has_arc[caller][callee])
			continue;
		status = PH_ROOM(&arena, &calls.arcs);
		if (status == PH_OK)
			calls.arcs.items[calls.arcs.count++] =
				(PhCallArc){(caller + n - turn % n) % n, (callee + n - turn % n) % n,
							graph->arcs[caller][callee]};
	}
	if (status == PH_OK)
		status = ph_caller_graph_build(&calls, builder, "s");
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	ph_arena_drop(&arena);
	return status;
}

static Graph
random_graph(uint64_t *random)
{
	Graph graph = {.n = 1 + draw_below(random, MOST)};
	uint32_t density = 1 + draw_below(random, 8);
	for (uint32_t j = 0; j < graph.n; j++)
	{
		PhCallCosts *costs = &graph.functions[j];
		*costs =
			(PhCallCosts){draw_below(random, 4), 0, draw_below(random, 3), draw_below(random, 2)};
		for (uint32_t i = 0; i < graph.n; i++)
		{
			PhCallCosts arc = {draw_below(random, 4), draw_below(random, 9),
							   1 + draw_below(random, 3), 0};
			graph.has_arc[i][j] = draw_below(random, 8) < density;
			if (!graph.has_arc[i][j])
				continue;
			graph.arcs[i][j] = arc;
			costs->self += arc.self;
			costs->total += arc.total;
			costs->calls += arc.calls;
		}
	}
	return graph;
}

/* Exclusive values of a function over all of its nodes; below a caller only, or below any. */
static double
sum_of(const PhProfile *profile, const char *metric, const char *name, const char *caller)
{
	uint32_t index = find_metric(profile, metric);
	double sum = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		uint32_t parent = profile->parent[node];
		bool is_below =
			caller == NULL ||
			(parent != PH_NONE && strcmp(ph_profile_node_name(profile, parent), caller) == 0);
		if (is_below && strcmp(ph_profile_node_name(profile, node), name) == 0)
			sum += ph_profile_cell(profile, index, node, 0, PH_COST_EXCLUSIVE);
	}
	return sum;
}

static void
check_sums(const Graph *graph, const PhProfile *profile)
{
	for (uint32_t j = 0; j < graph->n; j++)
	{
		double outside = graph->functions[j].self;
		assert_true(sum_of(profile, "time", names[j], NULL) == graph->functions[j].self);
		assert_true(sum_of(profile, "calls", names[j], NULL) == graph->functions[j].calls);
		assert_true(sum_of(profile, "primitive calls", names[j], NULL) ==
					graph->functions[j].primitive);
		for (uint32_t i = 0; i < graph->n; i++)
			outside -= graph->has_arc[i][j] ? graph->arcs[i][j].self : 0;
		for (uint32_t i = 0; i < graph->n; i++)
		{
			double self = graph->has_arc[i][j] ? graph->arcs[i][j].self : 0;
			double found = sum_of(profile, "time", names[j], names[i]);
			if (found != self && found != self + outside)
				fail_msg("%s below %s: %g, expected %g or %g", names[j], names[i], found, self,
						 self + outside);
		}
	}
}

static void
test_random(void **state)
{
	uint64_t random = 17;
	(void) state;
	for (int round = 0; round < 2000; round++)
	{
		Graph graph = random_graph(&random);
		size_t sizes[2];
		uint8_t *bytes[2];
		for (uint32_t turn = 0; turn < 2; turn++)
		{
			PhEnv env;
			PhProfile *profile;
			ph_env_init_malloc(&env);
			assert_int_equal(build_graph(&env, &graph, turn * 7, &profile), PH_OK);
			assert_int_equal(ph_profile_check(&env, profile), PH_OK);
			check_sums(&graph, profile);
			bytes[turn] = stored_bytes(&env, profile, &sizes[turn]);
			ph_profile_free(&env, profile);
			assert_int_equal(env.bytes, 0);
		}
		assert_int_equal(sizes[0], sizes[1]);
		assert_memory_equal(bytes[0], bytes[1], sizes[0]);
		free(bytes[0]);
		free(bytes[1]);
	}
}

/* a calls b and c, b and c call each other; c took most of its time for b. */
static void
test_mutual_recursion(void **state)
{
	Graph graph = {.n = 3};
	PhEnv env;
	PhProfile *profile;
	(void) state;
	graph.functions[0] = (PhCallCosts){1, 10, 1, 1};
	graph.functions[1] = (PhCallCosts){4, 8, 5, 3};
	graph.functions[2] = (PhCallCosts){5, 6, 4, 2};
	graph.has_arc[0][1] = graph.has_arc[0][2] = graph.has_arc[1][2] = graph.has_arc[2][1] = true;
	graph.arcs[0][1] = (PhCallCosts){3, 8, 3, 0};
	graph.arcs[0][2] = (PhCallCosts){1, 1, 1, 0};
	graph.arcs[1][2] = (PhCallCosts){4, 5, 3, 0};
	graph.arcs[2][1] = (PhCallCosts){1, 2, 2, 0};
	ph_env_init_malloc(&env);
	assert_int_equal(build_graph(&env, &graph, 0, &profile), PH_OK);
	assert_int_equal(profile->n_nodes, 5);
	check_cost(profile, "time", "[\"a\"]", 0, 10, 1);
	check_cost(profile, "time", "[\"a\", \"b\"]", 0, 8, 3);
	check_cost(profile, "time", "[\"a\", \"b\", \"c\"]", 0, 5, 4);
	check_cost(profile, "time", "[\"a\", \"b\", \"c\", \"b\"]", 0, 1, 1);
	check_cost(profile, "time", "[\"a\", \"c\"]", 0, 1, 1);
	check_cost(profile, "time (inclusive)", "[\"a\", \"b\", \"c\"]", 0, 6, 6);
	check_cost(profile, "time (inclusive)", "[\"a\", \"c\"]", 0, 1, 1);
	check_cost(profile, "calls", "[\"a\", \"b\", \"c\"]", 0, 5, 3);
	ph_profile_free(&env, profile);
	assert_int_equal(env.bytes, 0);
}

/* Nothing but recursion: the one that takes longest is the root. */
static void
test_ring(void **state)
{
	Graph graph = {.n = 3};
	PhEnv env;
	PhProfile *profile;
	(void) state;
	for (uint32_t i = 0; i < 3; i++)
	{
		graph.functions[i] = (PhCallCosts){2, i == 1 ? 6 : 5, 1, 0};
		graph.has_arc[i][(i + 1) % 3] = true;
		graph.arcs[i][(i + 1) % 3] = (PhCallCosts){1, 2, 1, 0};
	}
	ph_env_init_malloc(&env);
	assert_int_equal(build_graph(&env, &graph, 0, &profile), PH_OK);
	check_cost(profile, "time", "[\"b\", \"c\", \"a\", \"b\"]", 0, 1, 1);
	check_cost(profile, "time", "[\"b\"]", 0, 6, 1);
	ph_profile_free(&env, profile);
	assert_int_equal(env.bytes, 0);
}

static void
test_no_memory(void **state)
{
	uint64_t random = 4;
	Graph graph = random_graph(&random);
	bool failed = true;
	(void) state;
	for (size_t n = 1; failed; n++)
	{
		FaultEnv fault;
		PhProfile *profile = NULL;
		fault_env_init(&fault);
		fault.fail_at = n;
		PhStatus status = build_graph(&fault.env, &graph, 0, &profile);
		failed = status != PH_OK;
		assert_true(!failed || status == PH_ERR_MEMORY);
		ph_profile_free(&fault.env, profile);
		assert_int_equal(fault.n_blocks, 0);
		fault_env_drop(&fault);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_mutual_recursion),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
