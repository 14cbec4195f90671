/*
 * test_ensemble.c - intersections, columns paired by coordinates, a run's place in an ensemble, and
 * the laws of ensembles (docs/design/supergraph.md 10, I17 and I18), against slow references.
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

#include "profile/ensemble_place.h"
#include "profile/ops.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/profile_case.h"
#include "support/rounds.h"
#include "support/supergraph.h"

#define N_INPUTS rounds(2000)
#define MOST_RUNS 12
#define CLOSE 1e-9

/* ---- intersections ---- */

/* A node of `in` as it was in a: all but absorbed cost, which flow_holds() implies. */
static void
compare_kept_node(const PhProfile *a, const PhProfile *in, uint32_t node, uint32_t old)
{
	for (uint32_t c = 0; c < a->n_columns; c++)
	{
		assert_int_equal(ph_profile_is_present(in, node, c), ph_profile_is_present(a, old, c));
		for (uint32_t m = 0; m < MIXED_METRICS; m++)
			for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_EXCLUSIVE; cost++)
				if (cost == PH_COST_INCLUSIVE || m != MIXED_RATE)
					assert_true(agree(ph_profile_cell(in, m, node, c, (PhCost) cost),
									  ph_profile_cell(a, m, old, c, (PhCost) cost), CLOSE));
	}
}

/* keep: which nodes of a should be left. */
static void
compare_intersection(const PhProfile *a, const bool *keep, PhStatus status, PhProfile *in)
{
	uint32_t n_kept = 0;
	for (uint32_t node = 0; node < a->n_nodes; node++)
		n_kept += keep[node] ? 1 : 0;
	assert_int_equal(status, n_kept == 0 ? PH_ERR_NOT_FOUND : PH_OK);
	if (n_kept == 0)
		return;
	case_sound(in);
	assert_int_equal(in->n_nodes, n_kept);
	for (uint32_t node = 0; node < in->n_nodes; node++)
	{
		uint32_t old = same_path(a, in, node);
		assert_int_not_equal(old, PH_NONE);
		assert_true(keep[old]);
		compare_kept_node(a, in, node, old);
	}
	ph_profile_free(&case_env, in);
}

static void
intersections_match_the_reference(void **state)
{
	(void) state;
	uint32_t n_empty = 0, n_smaller = 0;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *a = case_mixed(seed, false), *b = case_mixed(seed + 41, false), *in = NULL;
		bool keep[MIXED_MOST_NODES] = {false}, everywhere[MIXED_MOST_NODES] = {false};
		uint32_t n_kept = 0;
		for (uint32_t node = 0; node < a->n_nodes; node++)
		{
			uint32_t other = same_path(b, a, node), n_present = ph_profile_n_present(a, node);
			keep[node] = n_present > 0 && other != PH_NONE && ph_profile_n_present(b, other) > 0;
			everywhere[node] = n_present == a->n_columns;
			n_kept += keep[node] ? 1 : 0;
		}
		n_empty += n_kept == 0;
		n_smaller += n_kept > 0 && n_kept < a->n_nodes;
		PhStatus status = ph_profile_intersect(&case_env, a, b, &in);
		compare_intersection(a, keep, status, in);
		status = ph_profile_intersect_columns(&case_env, a, &in);
		compare_intersection(a, everywhere, status, in);
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
	if (n_smaller < N_INPUTS / 8)
		fail_msg("%u empty, %u smaller", n_empty, n_smaller);
}

/* The trees of intersect(a, b) and intersect(b, a) are one; intersecting again changes nothing. */
static void
intersection_is_symmetric_in_its_tree(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(500); seed++)
	{
		PhProfile *a = case_mixed(seed, false), *b = case_mixed(seed + 17, false), *ab, *ba, *again;
		if (ph_profile_intersect(&case_env, a, b, &ab) == PH_OK)
		{
			assert_int_equal(ph_profile_intersect(&case_env, b, a, &ba), PH_OK);
			assert_int_equal(ab->n_nodes, ba->n_nodes);
			assert_memory_equal(ab->callpath_id, ba->callpath_id, ab->n_nodes * sizeof(uint64_t));
			assert_int_equal(ph_profile_intersect(&case_env, ab, ba, &again), PH_OK);
			assert_int_equal(again->n_nodes, ab->n_nodes);
			ph_profile_free(&case_env, again);
			ph_profile_free(&case_env, ba);
			ph_profile_free(&case_env, ab);
		}
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
}

/* ---- columns by coordinates ---- */

static void
columns_pair_by_coordinates(void **state)
{
	(void) state;
	uint32_t n_paired = 0;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhArena arena;
		PhProfile *a = case_mixed(seed, true), *b = case_mixed(seed + 3, true);
		uint32_t *of_a = NULL, *of_b = NULL;
		ph_arena_init(&arena, &case_env);
		assert_int_equal(ph_profile_pair_columns(&arena, a, a, &of_a), PH_OK);
		for (uint32_t c = 0; c < a->n_columns; c++)
			assert_int_equal(of_a[c], c);
		assert_int_equal(ph_profile_pair_columns(&arena, a, b, &of_b), PH_OK);
		for (uint32_t c = 0; of_b != NULL && c < a->n_columns; c++)
		{
			assert_int_equal(a->columns[c].rank, b->columns[of_b[c]].rank);
			assert_int_equal(a->columns[c].thread, b->columns[of_b[c]].thread);
			assert_int_equal(a->columns[c].iteration, b->columns[of_b[c]].iteration);
		}
		n_paired += of_b != NULL ? 1 : 0;
		assert_true(of_b == NULL || a->n_columns == b->n_columns);
		ph_arena_drop(&arena);
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
	assert_true(n_paired > 0 && n_paired < N_INPUTS);
}

/* ---- a run among others ---- */

static void
compare_place(const PhEnsemblePlace *place, const double *values, const bool *present, uint32_t n,
			  uint32_t run)
{
	double sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
	uint32_t n_others = n - 1, n_known = 0, n_below = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		sum += i == run || !present[i] ? 0 : values[i];
		if (!present[i])
			continue;
		n_known++;
		n_below += present[run] && values[i] < values[run] ? 1 : 0;
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
	}
	double mean = n_others > 0 ? sum / n_others : NAN;
	for (uint32_t i = 0; i < n; i++)
		squares += i == run ? 0 : pow((present[i] ? values[i] : 0) - mean, 2);
	double sd = n_others > 1 ? sqrt(squares / (n_others - 1)) : NAN;
	double difference = (present[run] ? values[run] : 0) - mean;
	assert_int_equal(place->n, n_known);
	assert_int_equal(place->rank, present[run] ? n_below + 1 : 0);
	assert_true(agree(place->value, present[run] ? values[run] : NAN, 0));
	assert_true(agree(place->mean, mean, CLOSE));
	assert_true(agree(place->sd, sd, CLOSE));
	assert_true(agree(place->difference, difference, CLOSE));
	assert_true(agree(place->z, sd > 0 ? difference / sd : NAN, 1e-6));
	assert_int_equal(place->bin == UINT32_MAX, !present[run]);
	if (!present[run])
		return;
	assert_true(place->bin < 20);
	double low = least + (most - least) * place->bin / 20, width = (most - least) / 20;
	assert_true(values[run] >= low - CLOSE && values[run] <= low + width + CLOSE);
}

static void
places_match_the_reference(void **state)
{
	(void) state;
	Random random = {20260101};
	for (uint32_t i = 0; i < 5 * N_INPUTS; i++)
	{
		PhArena arena;
		PhEnsemblePlace place;
		double values[MOST_RUNS];
		bool present[MOST_RUNS];
		uint32_t n = 1 + random_below(&random, MOST_RUNS), run = random_below(&random, n);
		for (uint32_t k = 0; k < n; k++)
		{
			values[k] = random_below(&random, 4) == 0 ? 7 : 100 * random_unit(&random);
			present[k] = random_below(&random, 5) != 0;
		}
		ph_arena_init(&arena, &case_env);
		assert_int_equal(ph_ensemble_place(&arena, values, present, n, run, 20, &place), PH_OK);
		compare_place(&place, values, present, n, run);
		ph_arena_drop(&arena);
	}
}

/* A ratio over 0 is no value: as if that run were not in the ensemble. */
static void
undefined_values_are_left_out(void **state)
{
	(void) state;
	PhArena arena;
	PhEnsemblePlace place;
	const double values[] = {1, NAN, 3, 8};
	const bool present[] = {true, true, true, true};
	ph_arena_init(&arena, &case_env);
	assert_int_equal(ph_ensemble_place(&arena, values, present, 4, 3, 20, &place), PH_OK);
	assert_true(place.mean == 2 && place.difference == 6 && place.n == 3 && place.rank == 3);
	assert_int_equal(ph_ensemble_place(&arena, values, present, 4, 1, 20, &place), PH_OK);
	assert_true(isnan(place.value) && isnan(place.difference) && isnan(place.z));
	assert_true(place.rank == 0 && place.bin == UINT32_MAX && place.mean == 4);
	ph_arena_drop(&arena);
}

/* ---- laws ---- */

/* I17: A beside itself is A with two equal columns; null only where absent. */
static void
a_run_beside_itself_has_equal_columns(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *a = case_mixed(seed, false), *e;
		const PhProfile *in[] = {a, a};
		assert_int_equal(ph_profile_ensemble(&case_env, 2, in, NULL, &e), PH_OK);
		assert_int_equal(e->n_nodes, a->n_nodes);
		assert_memory_equal(e->callpath_id, a->callpath_id, a->n_nodes * sizeof(uint64_t));
		for (uint32_t node = 0; node < e->n_nodes; node++)
		{
			bool present = ph_profile_n_present(a, node) > 0;
			assert_int_equal(ph_profile_is_present(e, node, 0), present);
			assert_int_equal(ph_profile_is_present(e, node, 1), present);
			for (uint32_t m = 0; m < MIXED_METRICS; m++)
				for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_OWN; cost++)
					assert_true(agree(ph_profile_cell(e, m, node, 0, (PhCost) cost),
									  ph_profile_cell(e, m, node, 1, (PhCost) cost), 0));
		}
		ph_profile_free(&case_env, e);
		ph_profile_free(&case_env, a);
	}
}

static PhSupergraph *
graph_of(PhProfile *profile)
{
	PhSupergraph *graph;
	assert_int_equal(ph_supergraph_build(&case_env, profile, PH_GROUP_MODULE, NULL, &graph), PH_OK);
	return graph;
}

static void
compare_graphs(const PhSupergraph *one, const PhSupergraph *run)
{
	PhArena arena;
	PhSupergraphMeans x, y;
	ph_arena_init(&arena, &case_env);
	assert_int_equal(one->n_supernodes, run->n_supernodes);
	assert_int_equal(one->n_edges, run->n_edges);
	assert_int_equal(ph_supergraph_means(&arena, one, 0, &x), PH_OK);
	assert_int_equal(ph_supergraph_means(&arena, run, 0, &y), PH_OK);
	for (uint32_t v = 0; v < one->n_supernodes; v++)
	{
		assert_string_equal(one->supernodes[v].name, run->supernodes[v].name);
		assert_int_equal(one->supernodes[v].level, run->supernodes[v].level);
		assert_int_equal(one->supernodes[v].n_members, run->supernodes[v].n_members);
		assert_true(nearly(x.inclusive[v], y.inclusive[v]));
		assert_true(nearly(x.exclusive[v], y.exclusive[v]));
	}
	for (uint32_t edge = 0; edge < one->n_edges; edge++)
	{
		assert_memory_equal(&one->edges[edge], &run->edges[edge], sizeof(PhSuperedge));
		assert_true(nearly(x.weight[edge], y.weight[edge]));
	}
	ph_arena_drop(&arena);
}

/* I18: the ensemble of one run has that run's super graph. */
static void
an_ensemble_of_one_has_its_graph(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		Forest forest;
		PhProfile *profile, *ensemble;
		forest_random(seed, &forest);
		assert_int_equal(forest_profile(&case_env, &forest, NULL, &profile), PH_OK);
		const PhProfile *in[] = {profile};
		assert_int_equal(ph_profile_ensemble(&case_env, 1, in, NULL, &ensemble), PH_OK);
		PhSupergraph *one = graph_of(ensemble), *run = graph_of(profile);
		compare_graphs(one, run);
		ph_supergraph_free(&case_env, one);
		ph_supergraph_free(&case_env, run);
	}
}

/* ---- faults ---- */

typedef struct Pair
{
	const PhProfile *a, *b;
} Pair;

static PhStatus
in_arena(PhArena *arena, const PhProfile *a)
{
	const double values[] = {1, 2, 3};
	const bool present[] = {true, false, true};
	PhEnsemblePlace place;
	uint32_t *columns;
	PH_TRY(ph_ensemble_place(arena, values, present, 3, 0, 5, &place));
	return ph_profile_pair_columns(arena, a, a, &columns);
}

static PhStatus
intersect_all(PhEnv *fault, void *user)
{
	const Pair *pair = user;
	PhArena arena;
	PhProfile *out;
	PH_TRY(ph_profile_intersect(fault, pair->a, pair->b, &out));
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_intersect_columns(fault, pair->a, &out));
	ph_profile_free(fault, out);
	ph_arena_init(&arena, fault);
	PhStatus status = in_arena(&arena, pair->a);
	ph_arena_drop(&arena);
	return status;
}

static void
intersections_may_run_out_of_memory(void **state)
{
	(void) state;
	PhProfile *a = NULL, *b = NULL, *out;
	for (uint64_t seed = 31; a == NULL; seed++)
	{
		a = case_mixed(seed, false);
		b = case_mixed(seed + 1, false);
		bool good = ph_profile_intersect(&case_env, a, b, &out) == PH_OK;
		if (good)
			ph_profile_free(&case_env, out);
		good = good && ph_profile_intersect_columns(&case_env, a, &out) == PH_OK;
		if (good)
		{
			ph_profile_free(&case_env, out);
			break;
		}
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
		a = NULL;
	}
	Pair pair = {a, b};
	assert_string_equal(fault_env_try_allocations(intersect_all, &pair, 0), "");
	ph_profile_free(&case_env, a);
	ph_profile_free(&case_env, b);
}

static void
intersections_may_be_interrupted(void **state)
{
	(void) state;
	PhProfile *a;
	BigForest shape = {900, 10, 300, 2, 200};
	assert_int_equal(forest_big(&case_env, &shape, &a), PH_OK);
	Pair pair = {a, a};
	assert_string_equal(fault_env_try_interrupts(intersect_all, &pair, 0), "");
	ph_profile_free(&case_env, a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(intersections_match_the_reference, case_begin, case_end),
		cmocka_unit_test_setup_teardown(intersection_is_symmetric_in_its_tree, case_begin,
										case_end),
		cmocka_unit_test_setup_teardown(columns_pair_by_coordinates, case_begin, case_end),
		cmocka_unit_test_setup_teardown(places_match_the_reference, case_begin, case_end),
		cmocka_unit_test_setup_teardown(undefined_values_are_left_out, case_begin, case_end),
		cmocka_unit_test_setup_teardown(a_run_beside_itself_has_equal_columns, case_begin,
										case_end),
		cmocka_unit_test_setup_teardown(an_ensemble_of_one_has_its_graph, case_begin, case_end),
		cmocka_unit_test_setup_teardown(intersections_may_run_out_of_memory, case_begin, case_end),
		cmocka_unit_test_setup_teardown(intersections_may_be_interrupted, case_begin, case_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
