/*
 * test_supergraph_fold.c - supernodes measured in a whole run: the same vectors as those of a graph
 * whose own profile has all columns, whatever was filtered.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "supergraph/fold.h"
#include "supergraph/legible.h"
#include "support/mixed.h"
#include "support/random_profile.h"
#include "support/supergraph.h"

#define MOST_COLUMNS 16

/* Without cheap functions; of a large share without those that only pass it on, too. */
static PhProfile *
shown(PhEnv *env, const PhProfile *profile, double share)
{
	PhLegible chosen = {.share = share, .passing = share >= 0.1 ? share / 2 : 0};
	PhProfile *filtered;
	assert_int_equal(ph_legible_apply(env, profile, 0, &chosen, &filtered), PH_OK);
	return filtered;
}

static void
compare_vectors(const PhSupergraph *graph, uint32_t v, const PhSupergraph *folded, uint32_t w,
				uint32_t metric)
{
	static const PhCost costs[] = {PH_COST_INCLUSIVE, PH_COST_EXCLUSIVE, PH_COST_ABSORBED};
	double a[MOST_COLUMNS], b[MOST_COLUMNS];
	for (uint32_t k = 0; k < 3; k++)
	{
		ph_supergraph_node_vector(graph, v, metric, costs[k], a);
		ph_supergraph_node_vector(folded, w, metric, costs[k], b);
		for (uint32_t c = 0; c < graph->profile->n_columns; c++)
			if (!agree(a[c], b[c], 1e-12))
				fail_msg("%s, metric %u, cost %d, column %u: %g, in the graph %g",
						 graph->supernodes[v].name, metric, (int) costs[k], c, b[c], a[c]);
	}
}

static void
check_fold(PhEnv *env, const PhProfile *whole, double share, PhGroupBy by)
{
	PhProfile *profile = shown(env, whole, share);
	PhSupergraph *graph, *folded;
	assert_int_equal(ph_supergraph_build(env, profile, by, NULL, &graph), PH_OK);
	if (ph_supergraph_fold(env, graph, whole, &folded) != PH_OK)
		fail_msg("%s", env->error.message);
	assert_int_equal(folded->n_supernodes, graph->n_supernodes);
	assert_int_equal(ph_profile_check(env, folded->profile), PH_OK);
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		uint32_t w = ph_supergraph_find(folded, graph->supernodes[v].name);
		assert_int_not_equal(w, PH_NONE);
		assert_string_equal(folded->supernodes[w].label, graph->supernodes[v].label);
		for (uint32_t m = 0; m < whole->n_metrics; m++)
			compare_vectors(graph, v, folded, w, m);
	}
	ph_supergraph_free(env, folded);
	ph_supergraph_free(env, graph);
}

static void
folded_vectors_are_the_graphs(void **state)
{
	static const PhGroupBy levels[] = {PH_GROUP_MODULE, PH_GROUP_FUNCTION, PH_GROUP_NODE,
									   PH_GROUP_KIND};
	static const double shares[] = {0, 0.02, 0.1, 0.4};
	PhEnv env;
	(void) state;
	ph_env_init_malloc(&env);
	for (uint64_t seed = 1; seed <= 600; seed++)
	{
		RandomNumbers numbers = {seed};
		PhProfile *whole;
		assert_int_equal(random_profile(&env, &numbers, 60, MOST_COLUMNS, &whole), PH_OK);
		check_fold(&env, whole, shares[seed % 4], levels[seed / 4 % 4]);
		ph_profile_free(&env, whole);
	}
	assert_int_equal(env.bytes, 0);
}

/* Peaks and averages have no sum over a supernode's nodes. */
static void
other_metrics_are_refused(void **state)
{
	static Mixed mixed;
	PhEnv env;
	PhProfile *whole, *copy;
	PhSupergraph *graph, *folded;
	(void) state;
	ph_env_init_malloc(&env);
	mixed_random(3, true, &mixed);
	assert_int_equal(mixed_profile(&env, &mixed, NULL, &whole), PH_OK);
	copy = shown(&env, whole, 0);
	assert_int_equal(ph_supergraph_build(&env, copy, PH_GROUP_MODULE, NULL, &graph), PH_OK);
	assert_int_equal(ph_supergraph_fold(&env, graph, whole, &folded), PH_ERR_VALUE);
	ph_supergraph_free(&env, graph);
	ph_profile_free(&env, whole);
	assert_int_equal(env.bytes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_vectors_are_the_graphs),
		cmocka_unit_test(other_metrics_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
