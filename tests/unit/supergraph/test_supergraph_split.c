/*
 * test_supergraph_split.c - splits, drill-down and repopulation: I13 on random forests, examples.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/builder.h"
#include "profile/ops.h"
#include "support/fault_env.h"
#include "support/rounds.h"
#include "support/supergraph.h"

#define N_FORESTS rounds(2000)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

static void
expect(uint64_t seed, const char *wrong)
{
	if (wrong[0] != '\0')
		fail_msg("seed %llu: %s", (unsigned long long) seed, wrong);
}

static PhSupergraph *
build(const Forest *forest, double share)
{
	PhProfile *profile, *filtered;
	PhSupergraph *graph;
	must(forest_profile(&env, forest, NULL, &profile));
	if (share > 0)
	{
		must(
			ph_profile_filter(&env, profile, share, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &filtered));
		ph_profile_free(&env, profile);
		profile = filtered;
	}
	must(ph_supergraph_build(&env, profile, PH_GROUP_MODULE, NULL, &graph));
	return graph;
}

/* The name of the part that a segment of the split supernode must be in; plain and slow. */
typedef const char *(*PartOf)(const PhSupergraph *graph, uint32_t segment, char *buffer);

static const char *
part_by_entry(const PhSupergraph *graph, uint32_t segment, char *buffer)
{
	const PhSegment *s = &graph->segments[segment];
	sprintf(buffer, "%s-%s", graph->supernodes[s->supernode].name,
			ph_profile_node_name(graph->profile, s->entry));
	return buffer;
}

static const char *
part_by_caller(const PhSupergraph *graph, uint32_t segment, char *buffer)
{
	const PhSegment *s = &graph->segments[segment];
	const char *caller = "<root>";
	if (s->parent != PH_NONE)
		caller = graph->supernodes[graph->segments[s->parent].supernode].name;
	sprintf(buffer, "%s-%s", graph->supernodes[s->supernode].name, caller);
	return buffer;
}

static const char *
part_by_calling_function(const PhSupergraph *graph, uint32_t segment, char *buffer)
{
	const PhSegment *s = &graph->segments[segment];
	uint32_t caller = graph->profile->parent[s->entry];
	sprintf(buffer, "%s-%s", graph->supernodes[s->supernode].name,
			caller == PH_NONE ? "<root>" : ph_profile_node_name(graph->profile, caller));
	return buffer;
}

static const char *
part_by_callee(const PhSupergraph *graph, uint32_t segment, char *buffer)
{
	const char *best = NULL;
	double most = 0;
	for (uint32_t a = 0; a < graph->n_segments; a++)
	{
		const char *label = graph->supernodes[graph->segments[a].supernode].label;
		double weight = 0;
		if (graph->segments[a].parent != segment)
			continue;
		for (uint32_t b = 0; b < graph->n_segments; b++)
			if (graph->segments[b].parent == segment &&
				strcmp(graph->supernodes[graph->segments[b].supernode].label, label) == 0)
				weight +=
					ph_profile_mean(graph->profile, 0, graph->segments[b].entry, PH_COST_INCLUSIVE);
		if (best == NULL || weight > most || (weight == most && strcmp(label, best) < 0))
		{
			best = label;
			most = weight;
		}
	}
	const char *whole = graph->supernodes[graph->segments[segment].supernode].name;
	sprintf(buffer, best == NULL ? "%s" : "%s-%s", whole, best);
	return buffer;
}

static void
check_parts(uint64_t seed, const PhSupergraph *graph, const PhSupergraph *split, uint32_t node,
			PartOf part_of)
{
	char buffer[256];
	assert_int_equal(split->n_segments, graph->n_segments);
	for (uint32_t s = 0; s < graph->n_segments; s++)
	{
		const char *name = split->supernodes[split->segments[s].supernode].name;
		const char *expected = graph->supernodes[graph->segments[s].supernode].name;
		if (graph->segments[s].supernode == node)
			expected = part_of(graph, s, buffer);
		if (strcmp(name, expected) != 0)
			fail_msg("seed %llu: segment %u is in %s, not in %s", (unsigned long long) seed, s,
					 name, expected);
	}
}

/* I13: the others keep every number; the parts add up to the whole. */
static void
check_refinement(uint64_t seed, const PhSupergraph *graph, const PhSupergraph *split, uint32_t node,
				 bool parts_are_disjoint)
{
	double before[FOREST_COLUMNS], after[FOREST_COLUMNS], parts = 0;
	expect(seed, check_invariants(split));
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		uint32_t same = ph_supergraph_find(split, graph->supernodes[v].name);
		if (v == node)
			continue;
		if (same == PH_NONE)
			expect(seed, "I13: another supernode is gone");
		for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_OWN; cost++)
		{
			ph_supergraph_node_vector(graph, v, 0, (PhCost) cost, before);
			ph_supergraph_node_vector(split, same, 0, (PhCost) cost, after);
			if (memcmp(before, after, sizeof(before)) != 0)
				expect(seed, "I13: another supernode changed");
		}
		assert_int_equal(graph->supernodes[v].n_members, split->supernodes[same].n_members);
		assert_int_equal(graph->supernodes[v].n_entries, split->supernodes[same].n_entries);
	}
	PhCost cost = parts_are_disjoint ? PH_COST_INCLUSIVE : PH_COST_OWN;
	for (uint32_t v = 0; v < split->n_supernodes; v++)
	{
		uint32_t whole = ph_supergraph_find(graph, split->supernodes[v].name);
		ph_supergraph_node_vector(split, v, 0, cost, after);
		if (whole == PH_NONE || whole == node)
			parts += after[0];
	}
	ph_supergraph_node_vector(graph, node, 0, cost, before);
	if (!nearly(parts, before[0]))
		expect(seed, "I13: the parts do not add up");
}

static void
check_round_trip(uint64_t seed, const PhSupergraph *graph)
{
	size_t size, again;
	PhSupergraph *copy;
	must(ph_supergraph_flat_size(&env, graph, &size));
	uint8_t *bytes = malloc(2 * size);
	assert_non_null(bytes);
	must(ph_supergraph_flatten(&env, graph, bytes));
	must(ph_supergraph_unflatten(&env, bytes, size, &copy));
	must(ph_supergraph_flat_size(&env, copy, &again));
	assert_int_equal(size, again);
	must(ph_supergraph_flatten(&env, copy, bytes + size));
	if (memcmp(bytes, bytes + size, size) != 0)
		expect(seed, "bytes change on the way");
	free(bytes);
	ph_supergraph_free(&env, copy);
}

static void
check_split(uint64_t seed, const PhSupergraph *graph, uint32_t node)
{
	static const PartOf parts[] = {part_by_entry, part_by_caller, part_by_calling_function,
								   part_by_callee};
	for (int kind = 0; kind < 5; kind++)
	{
		PhSupergraph *split;
		if (kind == 0)
			must(ph_supergraph_split_entry(&env, graph, node, 0, NULL, &split));
		else if (kind <= 2)
			must(ph_supergraph_split_caller(&env, graph, node, kind == 2, &split));
		else if (kind == 3)
			must(ph_supergraph_split_callee(&env, graph, node, &split));
		else
			must(ph_supergraph_drill_down(&env, graph, node, PH_GROUP_FUNCTION, &split));
		if (kind < 4)
			check_parts(seed, graph, split, node, parts[kind]);
		check_refinement(seed, graph, split, node, kind < 4);
		check_round_trip(seed, split);
		ph_supergraph_free(&env, split);
	}
}

static void
test_random_splits(void **state)
{
	static Forest forest;
	(void) state;
	for (uint64_t seed = 0; seed < N_FORESTS; seed++)
	{
		forest_random(seed, &forest);
		PhSupergraph *graph = build(&forest, seed % 4 == 0 ? 0.1 : 0);
		check_split(seed, graph, (uint32_t) (seed % graph->n_supernodes));
		ph_supergraph_free(&env, graph);
	}
	assert_int_equal(env.bytes, 0);
}

/* A drilled supernode is what building its own nodes by the finer label gives. */
static void
test_drill_is_build(void **state)
{
	static Forest forest;
	(void) state;
	for (uint64_t seed = 0; seed < N_FORESTS; seed++)
	{
		forest_random(seed, &forest);
		for (uint32_t i = 0; i < forest.n; i++)
			forest.nodes[i].label = 0;
		PhSupergraph *graph = build(&forest, 0), *drilled, *built;
		PhProfile *profile;
		must(ph_supergraph_drill_down(&env, graph, 0, PH_GROUP_FUNCTION, &drilled));
		must(forest_profile(&env, &forest, NULL, &profile));
		must(ph_supergraph_build(&env, profile, PH_GROUP_FUNCTION, NULL, &built));
		assert_int_equal(drilled->n_supernodes, built->n_supernodes);
		for (uint32_t node = 0; node < profile->n_nodes; node++)
		{
			const char *part =
				drilled->supernodes[drilled->segments[drilled->segment_of[node]].supernode].name;
			const char *whole =
				built->supernodes[built->segments[built->segment_of[node]].supernode].name;
			assert_int_equal(strncmp(part, "L0/", 3), 0);
			assert_string_equal(part + 3, whole);
		}
		ph_supergraph_free(&env, graph);
		ph_supergraph_free(&env, drilled);
		ph_supergraph_free(&env, built);
	}
}

/* ---- repopulate ---- */

static double
total_absorbed(const PhSupergraph *graph, uint32_t node)
{
	double values[FOREST_COLUMNS], sum = 0;
	ph_supergraph_node_vector(graph, node, 0, PH_COST_ABSORBED, values);
	for (uint32_t c = 0; c < graph->profile->n_columns; c++)
		sum += values[c];
	return sum;
}

/* Everything back = the graph of the unfiltered profile, with the same refinements. */
static void
check_all_back(uint64_t seed, const PhSupergraph *split, const PhSupergraph *whole)
{
	PhSupergraph *back, *expected;
	must(ph_supergraph_repopulate(&env, split, PH_NONE, 0, &back));
	must(ph_supergraph_copy(&env, whole, &expected));
	uint32_t node = ph_supergraph_find(whole, split->steps[0].node);
	if (node != PH_NONE)
	{
		ph_supergraph_free(&env, expected);
		must(ph_supergraph_split_entry(&env, whole, node, 0, NULL, &expected));
	}
	assert_null(back->profile->unfiltered);
	assert_int_equal(back->profile->n_nodes, whole->profile->n_nodes);
	assert_int_equal(back->n_supernodes, expected->n_supernodes);
	for (uint32_t v = 0; v < back->n_supernodes; v++)
		if (strcmp(back->supernodes[v].name, expected->supernodes[v].name) != 0)
			expect(seed, "repopulating everything is not building from the whole");
	expect(seed, check_invariants(back));
	ph_supergraph_free(&env, back);
	ph_supergraph_free(&env, expected);
}

/* Everywhere down to a share = the graph of what a filter with that share leaves. */
static void
check_share(uint64_t seed, const Forest *forest, const PhSupergraph *graph, double share)
{
	PhSupergraph *back, *expected = build(forest, share);
	must(ph_supergraph_repopulate(&env, graph, PH_NONE, share, &back));
	assert_int_equal(back->profile->n_nodes, expected->profile->n_nodes);
	assert_int_equal(back->n_supernodes, expected->n_supernodes);
	for (uint32_t v = 0; v < back->n_supernodes; v++)
		if (strcmp(back->supernodes[v].name, expected->supernodes[v].name) != 0)
			expect(seed, "repopulating to a share is not filtering by it");
	ph_supergraph_free(&env, back);
	ph_supergraph_free(&env, expected);
}

/* One supernode: its absorbed cost is back where it belongs, that of the others stays absorbed. */
static void
check_one_back(uint64_t seed, const PhSupergraph *graph, uint32_t node)
{
	PhSupergraph *back;
	double before = 0, after = 0;
	must(ph_supergraph_repopulate(&env, graph, node, 0, &back));
	expect(seed, check_invariants(back));
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
		before += total_absorbed(graph, v);
	for (uint32_t v = 0; v < back->n_supernodes; v++)
		after += total_absorbed(back, v);
	if (!nearly(before - total_absorbed(graph, node), after))
		expect(seed, "repopulating one supernode brings back its absorbed cost alone");
	check_round_trip(seed, back);
	ph_supergraph_free(&env, back);
}

static void
test_repopulate(void **state)
{
	static Forest forest;
	uint32_t richer = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_FORESTS; seed++)
	{
		forest_random(seed, &forest);
		PhSupergraph *whole = build(&forest, 0), *graph = build(&forest, 0.2), *split;
		uint32_t node = (uint32_t) (seed % graph->n_supernodes);
		must(ph_supergraph_split_entry(&env, graph, node, 0, NULL, &split));
		check_all_back(seed, split, whole);
		check_one_back(seed, graph, node);
		check_share(seed, &forest, graph, 0.05);
		richer += whole->profile->n_nodes > graph->profile->n_nodes ? 1 : 0;
		ph_supergraph_free(&env, whole);
		ph_supergraph_free(&env, graph);
		ph_supergraph_free(&env, split);
	}
	assert_true(richer > N_FORESTS / 2);
	assert_int_equal(env.bytes, 0);
}

/* ---- examples ---- */

typedef struct Call
{
	uint32_t parent;
	const char *name, *library;
} Call;

static PhSupergraph *
graph_of(const Call *calls, uint32_t n)
{
	PhProfileBuilder *builder;
	PhProfile *profile;
	PhSupergraph *graph;
	PhMetricSpec metric = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	PhColumnSpec column = {PH_COLUMN_UNIT, 0, PH_NO_ITERATION, 0, PH_NO_NUMBER, NULL, NULL};
	uint32_t index;
	must(ph_builder_new(&env, &builder));
	must(ph_builder_add_metric(builder, &metric, &index));
	must(ph_builder_add_column(builder, &column, &index));
	for (uint32_t i = 0; i < n; i++)
	{
		PhRegionSpec spec = {PH_KIND_FUNCTION, calls[i].name, calls[i].library, NULL, NULL,
							 PH_NO_NUMBER,	   NULL};
		must(ph_builder_add_region(builder, &spec, &index));
		must(ph_builder_add_node(builder, calls[i].parent, index, &index));
		must(ph_builder_add_value(builder, 0, index, 0, PH_COST_EXCLUSIVE, 1 + i));
	}
	must(ph_builder_finish(builder, &profile));
	ph_builder_free(builder);
	must(ph_supergraph_build(&env, profile, PH_GROUP_MODULE, NULL, &graph));
	return graph;
}

static void
assert_names(const PhSupergraph *graph, const char *expected)
{
	char names[1024] = "";
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", v == 0 ? "" : " ",
				 graph->supernodes[v].name);
	assert_string_equal(names, expected);
}

static void
test_named_groups(void **state)
{
	static const Call calls[] = {{PH_NONE, "main", "app"},
								 {0, "MPI_Allreduce", "mpi"},
								 {0, "PMPI_Isend", "mpi"},
								 {0, "mpi_bcast_", "mpi"},
								 {0, "MPI_Wait", "mpi"},
								 {0, "MPI_Init", "mpi"},
								 {0, "MPI_Ineighbor_alltoall", "mpi"}};
	static const char *const groups[] = {"mpi-collective", "mpi-p2p"};
	static const char *const pattern[] = {"MPI_Wait", "/^P?MPI_I/"};
	static const char *const missing[] = {"MPI_Send"};
	PhSupergraph *graph = graph_of(calls, 7), *split;
	uint32_t mpi = ph_supergraph_find(graph, "mpi");
	(void) state;
	must(ph_supergraph_split_entry(&env, graph, mpi, 2, groups, &split));
	assert_names(split, "app mpi mpi-mpi-collective mpi-mpi-p2p");
	assert_int_equal(split->supernodes[1].n_entries, 1);
	assert_int_equal(split->supernodes[2].n_entries, 3);
	assert_int_equal(split->supernodes[3].n_entries, 2);
	ph_supergraph_free(&env, split);
	must(ph_supergraph_split_entry(&env, graph, mpi, 2, pattern, &split));
	assert_names(split, "app mpi mpi-/^P?MPI_I/ mpi-MPI_Wait");
	ph_supergraph_free(&env, split);
	assert_int_equal(ph_supergraph_split_entry(&env, graph, mpi, 1, missing, &split),
					 PH_ERR_NOT_FOUND);
	assert_string_equal(env.error.message, "supernode \"mpi\" has no entry function \"MPI_Send\"");
	static const char *const bad[] = {"/(/"};
	assert_int_equal(ph_supergraph_split_entry(&env, graph, mpi, 1, bad, &split), PH_ERR_VALUE);
	ph_supergraph_free(&env, graph);
}

static void
test_ambiguous_callee(void **state)
{
	static const Call calls[] = {
		{PH_NONE, "main", "app"}, {0, "f", "lib"}, {1, "x", "x"}, {1, "y", "y"},
		{0, "g", "lib"},		  {4, "x", "x"}};
	PhSupergraph *graph = graph_of(calls, 6), *split;
	(void) state;
	must(ph_supergraph_split_callee(&env, graph, ph_supergraph_find(graph, "lib"), &split));
	assert_names(split, "app lib-x lib-y x y");
	assert_false(split->supernodes[ph_supergraph_find(split, "lib-x")].ambiguous);
	assert_true(split->supernodes[ph_supergraph_find(split, "lib-y")].ambiguous);
	ph_supergraph_free(&env, graph);
	ph_supergraph_free(&env, split);
}

/* ---- faults ---- */

static PhStatus
refine_work(PhEnv *faulty, void *user)
{
	PhSupergraph *graph, *split = NULL, *drilled = NULL, *back = NULL;
	static const char *const functions[] = {"/f[0-2]/"};
	PhStatus status =
		ph_supergraph_unflatten(faulty, ((uint8_t **) user)[0], *((size_t **) user)[1], &graph);
	if (status != PH_OK)
		return status;
	status = ph_supergraph_split_entry(faulty, graph, 0, 1, functions, &split);
	if (status == PH_OK)
		status = ph_supergraph_drill_down(faulty, split, 0, PH_GROUP_FUNCTION, &drilled);
	if (status == PH_OK)
		status = ph_supergraph_repopulate(faulty, drilled, PH_NONE, 0.001, &back);
	ph_supergraph_free(faulty, graph);
	ph_supergraph_free(faulty, split);
	ph_supergraph_free(faulty, drilled);
	ph_supergraph_free(faulty, back);
	return status;
}

static void
test_faults(void **state)
{
	BigForest shape = {1500, 6, 30, 2, 30};
	PhProfile *profile, *filtered;
	PhSupergraph *graph;
	size_t size;
	(void) state;
	must(forest_big(&env, &shape, &profile));
	must(ph_profile_filter(&env, profile, 0.3, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &filtered));
	must(ph_supergraph_build(&env, filtered, PH_GROUP_MODULE, NULL, &graph));
	must(ph_supergraph_flat_size(&env, graph, &size));
	uint8_t *bytes = malloc(size);
	void *user[] = {bytes, &size};
	must(ph_supergraph_flatten(&env, graph, bytes));
	assert_string_equal(fault_env_try_allocations(refine_work, user, 0), "");
	assert_string_equal(fault_env_try_interrupts(refine_work, user, 0), "");
	free(bytes);
	ph_supergraph_free(&env, graph);
	ph_profile_free(&env, profile);
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
		cmocka_unit_test(test_random_splits),	 cmocka_unit_test(test_drill_is_build),
		cmocka_unit_test(test_repopulate),		 cmocka_unit_test(test_named_groups),
		cmocka_unit_test(test_ambiguous_callee), cmocka_unit_test(test_faults),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
