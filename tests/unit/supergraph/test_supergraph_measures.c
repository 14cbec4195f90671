/*
 * test_supergraph_measures.c - entry functions in order; metrics of supernodes that do not add up.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "support/mixed.h"
#include "support/supergraph.h"

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* Heaviest first, undefined ones last, then by function, by caller and by the caller's supernode.
 */
static bool
is_in_order(const PhEntryRow *a, const PhEntryRow *b)
{
	if (isnan(a->inclusive) != isnan(b->inclusive))
		return isnan(b->inclusive);
	if (!isnan(a->inclusive) && a->inclusive != b->inclusive)
		return a->inclusive > b->inclusive;
	int order = strcmp(a->function, b->function);
	if (order == 0 && a->caller != NULL && b->caller != NULL)
		order = strcmp(a->caller, b->caller);
	return order != 0 ? order < 0 : a->caller_node < b->caller_node;
}

static void
test_entries_are_in_order(void **state)
{
	static Forest forest;
	uint32_t n_equal = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= 1000; seed++)
	{
		forest_random(seed, &forest);
		for (uint32_t i = 0; seed % 2 == 0 && i < forest.n; i++)
			memset(forest.nodes[i].exclusive, 0, sizeof(forest.nodes[i].exclusive));
		PhProfile *profile;
		PhSupergraph *graph;
		must(forest_profile(&env, &forest, NULL, &profile));
		must(ph_supergraph_build(&env, profile, PH_GROUP_MODULE, NULL, &graph));
		for (uint32_t v = 0; v < graph->n_supernodes; v++)
		{
			PhArena arena;
			PhEntryRow *rows;
			uint32_t n;
			ph_arena_init(&arena, &env);
			must(ph_supergraph_entries(&arena, graph, v, 0, true, &rows, &n));
			for (uint32_t i = 1; i < n; i++)
			{
				assert_true(is_in_order(&rows[i - 1], &rows[i]));
				n_equal += rows[i].inclusive == rows[i - 1].inclusive &&
						   strcmp(rows[i].function, rows[i - 1].function) == 0;
			}
			ph_arena_drop(&arena);
		}
		ph_supergraph_free(&env, graph);
	}
	assert_true(n_equal > 100);
}

/* One column of a supernode's members, by the definition of the metric. */
static double
slow_member_value(const PhSupergraph *graph, uint32_t v, uint32_t metric, uint32_t column)
{
	const PhProfile *profile = graph->profile;
	double sum = 0, below = 0, most = 0, n = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		bool is_there = ph_profile_is_present(profile, node, column);
		if (graph->segments[graph->segment_of[node]].supernode != v)
			continue;
		if (metric == MIXED_RATE)
		{
			sum += ph_profile_cell(profile, MIXED_COUNT, node, column, PH_COST_EXCLUSIVE);
			below += ph_profile_cell(profile, MIXED_TIME, node, column, PH_COST_EXCLUSIVE);
		}
		else if (is_there)
		{
			double value = ph_profile_cell(profile, metric, node, column, PH_COST_EXCLUSIVE);
			sum += value;
			most = n == 0 || value > most ? value : most;
			n++;
		}
	}
	return metric == MIXED_RATE	  ? below == 0 ? (double) NAN : sum / below
		   : metric == MIXED_PEAK ? most
		   : n == 0				  ? 0
								  : sum / n;
}

static void
check_means(const PhSupergraph *graph, uint32_t metric, const double *expected)
{
	PhArena arena;
	PhSupergraphMeans means, above, below;
	ph_arena_init(&arena, &env);
	must(ph_supergraph_means(&arena, graph, metric, &means));
	must(ph_supergraph_means(&arena, graph, MIXED_COUNT, &above));
	must(ph_supergraph_means(&arena, graph, MIXED_TIME, &below));
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		double ratio =
			below.exclusive[v] == 0 ? (double) NAN : above.exclusive[v] / below.exclusive[v];
		assert_true(agree(means.exclusive[v], metric == MIXED_RATE ? ratio : expected[v], 1e-9));
	}
	ph_arena_drop(&arena);
}

/* Entries by a rate, which is undefined where there is no time; how many are. */
static uint32_t
check_rates_of_entries(const PhSupergraph *graph)
{
	uint32_t n_undefined = 0;
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		PhArena arena;
		PhEntryRow *rows;
		uint32_t n;
		ph_arena_init(&arena, &env);
		must(ph_supergraph_entries(&arena, graph, v, MIXED_RATE, true, &rows, &n));
		for (uint32_t i = 0; i < n; i++)
		{
			assert_true(i == 0 || is_in_order(&rows[i - 1], &rows[i]));
			n_undefined += isnan(rows[i].inclusive);
		}
		ph_arena_drop(&arena);
	}
	return n_undefined;
}

static void
test_metrics_that_do_not_add_up(void **state)
{
	uint32_t n_undefined = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= 300; seed++)
	{
		static Mixed mixed;
		PhProfile *profile;
		PhSupergraph *graph;
		mixed_random(seed, true, &mixed);
		assert_int_equal(mixed_profile(&env, &mixed, NULL, &profile), PH_OK);
		must(ph_supergraph_build(&env, profile, PH_GROUP_MODULE, NULL, &graph));
		for (uint32_t metric = MIXED_PEAK; metric <= MIXED_RATE; metric++)
		{
			double mean[MIXED_MOST_NODES] = {0};
			uint32_t n = graph->profile->n_columns;
			for (uint32_t v = 0; v < graph->n_supernodes; v++)
			{
				double values[MIXED_MOST_COLUMNS];
				ph_supergraph_node_vector(graph, v, metric, PH_COST_EXCLUSIVE, values);
				for (uint32_t i = 0; i < n; i++)
				{
					double slow = slow_member_value(graph, v, metric, i);
					assert_true(agree(values[i], slow, 1e-9));
					mean[v] += slow / n;
				}
			}
			check_means(graph, metric, mean);
		}
		n_undefined += check_rates_of_entries(graph);
		ph_supergraph_free(&env, graph);
	}
	assert_true(n_undefined > 100);
	assert_int_equal(env.bytes, 0);
}

static int
set_up(void **state)
{
	(void) state;
	ph_env_init_malloc(&env);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries_are_in_order),
		cmocka_unit_test(test_metrics_that_do_not_add_up),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
