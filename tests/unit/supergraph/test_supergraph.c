/*
 * test_supergraph.c - building super graphs: against a plain one, invariants, names, stored form.
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
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <math.h>

#include "profile/builder.h"
#include "profile/ops.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/rounds.h"
#include "support/supergraph.h"

#define N_FORESTS rounds(2500)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

/* Fail with the seed that shows it. */
static void
expect(uint64_t seed, const char *wrong)
{
	if (wrong[0] != '\0')
		fail_msg("seed %llu: %s", (unsigned long long) seed, wrong);
}

static PhSupergraph *
build_shuffled(const Forest *forest, Random *shuffle, PhGroupBy by)
{
	PhProfile *profile;
	PhSupergraph *graph;
	must(forest_profile(&env, forest, shuffle, &profile));
	must(ph_supergraph_build(&env, profile, by, NULL, &graph));
	return graph;
}

static uint8_t *
flatten(const PhSupergraph *graph, size_t *size)
{
	must(ph_supergraph_flat_size(&env, graph, size));
	uint8_t *bytes = malloc(*size);
	assert_non_null(bytes);
	memset(bytes, 0xEE, *size);
	must(ph_supergraph_flatten(&env, graph, bytes));
	return bytes;
}

static void
assert_same_bytes(uint64_t seed, const PhSupergraph *a, const PhSupergraph *b)
{
	size_t a_size, b_size;
	uint8_t *a_bytes = flatten(a, &a_size);
	uint8_t *b_bytes = flatten(b, &b_size);
	if (a_size != b_size || memcmp(a_bytes, b_bytes, a_size) != 0)
		fail_msg("seed %llu: bytes differ", (unsigned long long) seed);
	free(a_bytes);
	free(b_bytes);
}

/* I10: any order of the input gives the same bytes; and the bytes come back as they were. */
static void
check_bytes(uint64_t seed, const Forest *forest, const PhSupergraph *graph)
{
	Random shuffle = {seed + 77};
	PhSupergraph *other = build_shuffled(forest, &shuffle, PH_GROUP_MODULE);
	assert_same_bytes(seed, graph, other);
	ph_supergraph_free(&env, other);
	size_t size;
	uint8_t *bytes = flatten(graph, &size);
	must(ph_supergraph_unflatten(&env, bytes, size, &other));
	assert_same_bytes(seed, graph, other);
	free(bytes);
	ph_supergraph_free(&env, other);
}

/* How often a label occurs at most on one path of segments. */
static uint32_t
chain_of(const PlainGraph *plain, const char *label)
{
	uint32_t most = 0;
	for (uint32_t s = 0; s < plain->n_segments; s++)
	{
		uint32_t n = 0;
		for (uint32_t at = s; at != PH_NONE; at = plain->parent[at])
			n += strcmp(plain->label_of[at], label) == 0 ? 1 : 0;
		most = n > most ? n : most;
	}
	return most;
}

static bool
label_calls(const PlainGraph *plain, const char *from, const char *to)
{
	for (uint32_t s = 0; s < plain->n_segments; s++)
		if (plain->parent[s] != PH_NONE && strcmp(plain->label_of[s], to) == 0 &&
			strcmp(plain->label_of[plain->parent[s]], from) == 0)
			return true;
	return false;
}

/* Whether the labels call each other without a circle: take away those that nobody calls. */
static bool
labels_are_acyclic(const PlainGraph *plain)
{
	bool gone[FOREST_MOST_NODES] = {false};
	for (bool again = true; again;)
	{
		again = false;
		for (uint32_t v = 0; v < plain->n_supernodes; v++)
		{
			bool called = false;
			for (uint32_t u = 0; u < plain->n_supernodes; u++)
				called = called || (!gone[u] && plain->indices[u] == 0 &&
									label_calls(plain, plain->labels[u], plain->labels[v]));
			if (plain->indices[v] == 0 && !called && !gone[v])
				gone[v] = again = true;
		}
	}
	for (uint32_t v = 0; v < plain->n_supernodes; v++)
		if (plain->indices[v] == 0 && !gone[v])
			return false;
	return true;
}

/* I11: no fewer supernodes than a chain needs; I12: one a label when labels are acyclic. */
static void
check_number(uint64_t seed, const PlainGraph *plain, const PhSupergraph *graph)
{
	uint32_t n_labels = 0;
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		uint32_t n = 0;
		for (uint32_t u = 0; u < graph->n_supernodes; u++)
			n += strcmp(graph->supernodes[u].label, graph->supernodes[v].label) == 0 ? 1 : 0;
		n_labels += graph->supernodes[v].duplicate == 0 ? 1 : 0;
		if (n < chain_of(plain, graph->supernodes[v].label))
			expect(seed, "I11: chain bound");
	}
	if (labels_are_acyclic(plain) && graph->n_supernodes != n_labels)
		expect(seed, "I12: acyclic labels have one supernode each");
}

static const char *
raw_label(const Forest *forest, uint32_t node, char *buffer)
{
	while (node != PH_NONE && forest->nodes[node].label == PH_NONE)
		node = forest->nodes[node].parent;
	if (node == PH_NONE)
		return "<unknown>";
	sprintf(buffer, "L%u", forest->nodes[node].label);
	return buffer;
}

/* I15: exclusive per label is that of the raw nodes, before equal siblings were merged. */
static void
check_labels(uint64_t seed, const Forest *forest, const PhSupergraph *graph)
{
	double values[FOREST_COLUMNS];
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		const char *label = graph->supernodes[v].label;
		double raw = 0, sum = 0;
		char buffer[32];
		for (uint32_t i = 0; i < forest->n; i++)
			if (strcmp(raw_label(forest, i, buffer), label) == 0)
				raw += forest->nodes[i].exclusive[0];
		for (uint32_t u = 0; u < graph->n_supernodes; u++)
			if (strcmp(graph->supernodes[u].label, label) == 0)
			{
				ph_supergraph_node_vector(graph, u, 0, PH_COST_EXCLUSIVE, values);
				sum += values[0];
			}
		if (!nearly(raw, sum))
			expect(seed, "I15: exclusive per label");
	}
}

/* I16: a set of columns and the others add up to all of them. */
static void
check_columns(uint64_t seed, const PhSupergraph *graph)
{
	bool some[FOREST_COLUMNS], others[FOREST_COLUMNS];
	PhSupergraph *a, *b;
	double whole[FOREST_COLUMNS], part[FOREST_COLUMNS], rest[FOREST_COLUMNS];
	for (uint32_t c = 0; c < FOREST_COLUMNS; c++)
		others[c] = !(some[c] = c == seed % FOREST_COLUMNS);
	must(ph_supergraph_restrict(&env, graph, some, &a));
	must(ph_supergraph_restrict(&env, graph, others, &b));
	expect(seed, check_invariants(a));
	expect(seed, check_invariants(b));
	assert_int_equal(a->n_supernodes, graph->n_supernodes);
	assert_int_equal(b->n_edges, graph->n_edges);
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		double sum = 0, parts = 0;
		assert_string_equal(a->supernodes[v].name, graph->supernodes[v].name);
		ph_supergraph_node_vector(graph, v, 0, PH_COST_INCLUSIVE, whole);
		ph_supergraph_node_vector(a, v, 0, PH_COST_INCLUSIVE, part);
		ph_supergraph_node_vector(b, v, 0, PH_COST_INCLUSIVE, rest);
		for (uint32_t c = 0; c < FOREST_COLUMNS; c++)
			sum += whole[c];
		parts = part[0] + rest[0] + rest[1];
		if (!nearly(sum, parts))
			expect(seed, "I16: sets of columns add up");
	}
	ph_supergraph_free(&env, a);
	ph_supergraph_free(&env, b);
}

/* I18: the ensemble of one run is its super graph. */
static void
check_ensemble(uint64_t seed, const Forest *forest, const PhSupergraph *graph)
{
	static const char *const label = "one";
	PhProfile *profile, *ensemble;
	PhSupergraph *one;
	must(forest_profile(&env, forest, NULL, &profile));
	const PhProfile *profiles[] = {profile};
	must(ph_profile_ensemble(&env, 1, profiles, &label, &ensemble));
	must(ph_supergraph_build(&env, ensemble, PH_GROUP_MODULE, NULL, &one));
	PhArena arena;
	PhSupergraphMeans means, mean_of_one;
	ph_arena_init(&arena, &env);
	must(ph_supergraph_means(&arena, graph, 0, &means));
	must(ph_supergraph_means(&arena, one, 0, &mean_of_one));
	assert_int_equal(one->n_supernodes, graph->n_supernodes);
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		assert_string_equal(one->supernodes[v].name, graph->supernodes[v].name);
		if (!nearly(means.inclusive[v], mean_of_one.inclusive[v]))
			expect(seed, "I18: ensemble of one run");
	}
	ph_arena_drop(&arena);
	ph_supergraph_free(&env, one);
	ph_profile_free(&env, profile);
}

/* I19: exclusive of a module = sum over its functions (whose names begin with the module's). */
static void
check_levels(uint64_t seed, const Forest *forest, const PhSupergraph *graph)
{
	double values[FOREST_COLUMNS];
	for (uint32_t i = 0; i < forest->n; i++)
		if (forest->nodes[i].label == PH_NONE)
			return;
	PhSupergraph *fine = build_shuffled(forest, NULL, PH_GROUP_FUNCTION);
	expect(seed, check_invariants(fine));
	for (uint32_t module = 0; module < 8; module++)
	{
		double coarse_sum = 0, fine_sum = 0;
		char coarse_name[32], fine_name[32];
		sprintf(coarse_name, "L%u", module);
		sprintf(fine_name, "L%u.f", module + 1);
		for (uint32_t v = 0; v < graph->n_supernodes; v++)
		{
			ph_supergraph_node_vector(graph, v, 0, PH_COST_EXCLUSIVE, values);
			coarse_sum += strcmp(graph->supernodes[v].label, coarse_name) == 0 ? values[1] : 0;
		}
		for (uint32_t v = 0; v < fine->n_supernodes; v++)
		{
			ph_supergraph_node_vector(fine, v, 0, PH_COST_EXCLUSIVE, values);
			fine_sum += strncmp(fine->supernodes[v].label, fine_name, strlen(fine_name)) == 0
							? values[1]
							: 0;
		}
		if (!nearly(coarse_sum, fine_sum))
			expect(seed, "I19: levels");
	}
	ph_supergraph_free(&env, fine);
}

/* Filtered graphs keep the invariants, too (I14 is the filter's own). */
static void
check_filtered(uint64_t seed, const Forest *forest)
{
	PhProfile *profile, *filtered;
	PhSupergraph *graph;
	static PlainGraph plain;
	must(forest_profile(&env, forest, NULL, &profile));
	must(ph_profile_filter(&env, profile, 0.05 * (double) (seed % 5), PH_STAT_MEAN, 0,
						   PH_COST_INCLUSIVE, &filtered));
	plain_supergraph(filtered, &plain);
	must(ph_supergraph_build(&env, filtered, PH_GROUP_MODULE, NULL, &graph));
	expect(seed, compare_with_plain(graph, &plain));
	expect(seed, check_invariants(graph));
	ph_supergraph_free(&env, graph);
	ph_profile_free(&env, profile);
}

static void
test_random_forests(void **state)
{
	static Forest forest;
	static PlainGraph plain;
	uint32_t supernodes = 0, duplicates = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_FORESTS; seed++)
	{
		forest_random(seed, &forest);
		PhSupergraph *graph = build_shuffled(&forest, NULL, PH_GROUP_MODULE);
		plain_supergraph(graph->profile, &plain);
		expect(seed, compare_with_plain(graph, &plain));
		expect(seed, check_invariants(graph));
		check_bytes(seed, &forest, graph);
		check_number(seed, &plain, graph);
		check_labels(seed, &forest, graph);
		check_columns(seed, graph);
		check_ensemble(seed, &forest, graph);
		check_levels(seed, &forest, graph);
		check_filtered(seed, &forest);
		supernodes += graph->n_supernodes;
		for (uint32_t v = 0; v < graph->n_supernodes; v++)
			duplicates += graph->supernodes[v].duplicate > 0 ? 1 : 0;
		ph_supergraph_free(&env, graph);
	}
	assert_int_equal(env.bytes, 0);
	assert_true(duplicates > N_FORESTS && supernodes > 2 * duplicates);
}

/* ---- damage and faults ---- */

static void
test_damaged_bytes(void **state)
{
	static Forest forest;
	(void) state;
	forest_random(11, &forest);
	PhSupergraph *graph = build_shuffled(&forest, NULL, PH_GROUP_MODULE);
	PhSupergraph *other;
	size_t size;
	uint8_t *bytes = flatten(graph, &size);
	uint32_t refused = 0;
	for (size_t length = 0; length < size; length += 1 + length / 40)
		assert_int_not_equal(ph_supergraph_unflatten(&env, bytes, length, &other), PH_OK);
	for (size_t at = 0; at < size; at++)
	{
		bytes[at] ^= 0x41;
		if (ph_supergraph_unflatten(&env, bytes, size, &other) == PH_OK)
		{
			const char *wrong = check_invariants(other);
			ph_supergraph_free(&env, other);
			/* values may be damaged unseen; the partition may not */
			assert_true(wrong[0] == '\0' || strncmp(wrong, "I3", 2) == 0 ||
						strncmp(wrong, "I4", 2) == 0 || strncmp(wrong, "I5", 2) == 0 ||
						strncmp(wrong, "I6", 2) == 0 || strncmp(wrong, "I7", 2) == 0 ||
						strncmp(wrong, "means", 5) == 0);
		}
		else
			refused++;
		bytes[at] ^= 0x41;
	}
	assert_true(refused > 100);
	free(bytes);
	ph_supergraph_free(&env, graph);
	assert_int_equal(env.bytes, 0);
}

/* Every number too large in turn, with nothing readable behind the last byte. */
static void
test_damaged_lengths(void **state)
{
	static Forest forest;
	PhSupergraph *graph = NULL, *other;
	size_t size = 1, page = (size_t) sysconf(_SC_PAGESIZE);
	uint8_t *bytes = calloc(1, 1);
	(void) state;
	/* one whose texts, which come last, end without padding */
	for (uint64_t seed = 1; bytes[size - 1] == 0; seed++)
	{
		free(bytes);
		ph_supergraph_free(&env, graph);
		forest_random(seed, &forest);
		graph = build_shuffled(&forest, NULL, PH_GROUP_LIBRARY);
		bytes = flatten(graph, &size);
	}
	size_t room = (size + page - 1) / page * page;
	uint8_t *pages =
		mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *copy = pages + room - size;
	assert_true(pages != MAP_FAILED);
	assert_int_equal(mprotect(pages + room, page, PROT_NONE), 0);
	memcpy(copy, bytes, size);
	for (size_t at = 0; at + 4 <= size; at += 4)
	{
		uint32_t number;
		memcpy(&number, bytes + at, 4);
		number++;
		memcpy(copy + at, &number, 4);
		if (ph_supergraph_unflatten(&env, copy, size, &other) == PH_OK)
			ph_supergraph_free(&env, other);
		memcpy(copy + at, bytes + at, 4);
	}
	munmap(pages, room + page);
	free(bytes);
	ph_supergraph_free(&env, graph);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
build_work(PhEnv *faulty, void *user)
{
	const BigForest *shape = user;
	PhProfile *profile;
	PhSupergraph *graph;
	PH_TRY(forest_big(faulty, shape, &profile));
	PhStatus status = ph_supergraph_build(faulty, profile, PH_GROUP_FUNCTION, NULL, &graph);
	if (status == PH_OK)
		ph_supergraph_free(faulty, graph);
	else
		ph_profile_free(faulty, profile);
	return status;
}

static PhStatus
value_work(PhEnv *faulty, void *user)
{
	PhSupergraph *graph, *copy;
	uint8_t *bytes = ((void **) user)[0];
	size_t size = *(size_t *) ((void **) user)[1];
	PH_TRY(ph_supergraph_unflatten(faulty, bytes, size, &graph));
	PhArena arena;
	PhSupergraphMeans means;
	PhEntryRow *rows;
	uint32_t n;
	ph_arena_init(&arena, faulty);
	PhStatus status = ph_supergraph_means(&arena, graph, 0, &means);
	if (status == PH_OK)
		status = ph_supergraph_entries(&arena, graph, 0, 0, true, &rows, &n);
	ph_arena_drop(&arena);
	if (status == PH_OK)
		status = ph_supergraph_copy(faulty, graph, &copy);
	if (status == PH_OK)
		ph_supergraph_free(faulty, copy);
	ph_supergraph_free(faulty, graph);
	return status;
}

static void
test_faults(void **state)
{
	BigForest small = {60, 4, 12, 2, 20};
	BigForest big = {9000, 7, 50, 2, 40};
	static Forest forest;
	(void) state;
	assert_string_equal(fault_env_try_allocations(build_work, &small, 0), "");
	assert_string_equal(fault_env_try_interrupts(build_work, &big, 0), "");
	forest_random(7, &forest);
	PhSupergraph *graph = build_shuffled(&forest, NULL, PH_GROUP_MODULE);
	size_t size;
	void *user[] = {flatten(graph, &size), &size};
	assert_string_equal(fault_env_try_allocations(value_work, user, 0), "");
	free(user[0]);
	ph_supergraph_free(&env, graph);
}

/* What a filtered graph may go back to loses the same columns. */
static void
test_restricted_graphs_can_go_back(void **state)
{
	static Forest forest;
	const bool keep[FOREST_COLUMNS] = {true};
	(void) state;
	for (uint64_t seed = 1; seed <= 50; seed++)
	{
		PhProfile *profile, *filtered;
		PhSupergraph *graph, *part;
		forest_random(seed, &forest);
		must(forest_profile(&env, &forest, NULL, &profile));
		must(ph_profile_filter(&env, profile, 0.2, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &filtered));
		must(ph_supergraph_build(&env, filtered, PH_GROUP_MODULE, NULL, &graph));
		must(ph_supergraph_restrict(&env, graph, keep, &part));
		assert_int_equal(part->profile->n_columns, 1);
		assert_int_equal(part->profile->unfiltered->n_columns, 1);
		assert_int_equal(part->profile->unfiltered->n_nodes, profile->n_nodes);
		ph_supergraph_free(&env, part);
		ph_supergraph_free(&env, graph);
		ph_profile_free(&env, profile);
	}
	assert_int_equal(env.bytes, 0);
}

/* Nodes that a filter removed: it removes functions as a whole, roots excepted. */
static uint32_t
count_removed(const PhProfile *whole, const PhProfile *filtered)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < whole->n_nodes; i++)
	{
		bool kept = whole->parent[i] == PH_NONE;
		for (uint32_t k = 0; k < filtered->n_nodes && !kept; k++)
			kept = filtered->parent[k] != PH_NONE &&
				   strcmp(ph_profile_node_name(whole, i), ph_profile_node_name(filtered, k)) == 0;
		n += !kept;
	}
	return n;
}

/* Others have all that the supernodes of a level absorbed, and of all levels that is not less than
 * was asked for; nobody is counted twice. */
static void
check_others(PhArena *arena, const PhSupergraph *graph, double least, uint32_t n_removed)
{
	PhSupergraphMeans means;
	PhSupergraphOthers others;
	uint32_t n_paths = 0;
	double left = 0, all = 0, by_level[FOREST_MOST_NODES] = {0};
	must(ph_supergraph_means(arena, graph, 0, &means));
	must(ph_supergraph_others(arena, graph, 0, means.absorbed, least, &others));
	for (uint32_t v = 0; v < graph->n_supernodes; v++)
	{
		by_level[graph->supernodes[v].level] += means.absorbed[v];
		left += others.of[v] == PH_NONE ? means.absorbed[v] : 0;
		all += means.absorbed[v];
		if (others.of[v] != PH_NONE)
			assert_int_equal(others.items[others.of[v]].level, graph->supernodes[v].level + 1);
	}
	for (uint32_t i = 0; i < others.n; i++)
	{
		assert_true(agree(others.items[i].value, by_level[others.items[i].level - 1], 1e-9));
		assert_true(others.items[i].value >= least && others.items[i].n_paths > 0);
		assert_true(i == 0 || others.items[i].level > others.items[i - 1].level);
		n_paths += others.items[i].n_paths;
		left += others.items[i].value;
	}
	assert_true(agree(left, all, 1e-9));
	assert_true(n_paths <= n_removed);
	if (least <= 0 && n_removed > 0 && all > 0)
		assert_true(others.n > 0);
}

/* What rises and what falls in call paths that were left out is summed apart; two columns only. */
static void
check_signs(PhArena *arena, const PhProfile *whole, const PhSupergraph *graph, uint32_t n_removed)
{
	PhSupergraphMeans means;
	PhSupergraphOthers others;
	double more = 0, less = 0, change = 0;
	uint32_t n_paths = 0;
	must(ph_supergraph_means(arena, graph, 0, &means));
	must(ph_supergraph_others(arena, graph, 0, means.absorbed, 0, &others));
	for (uint32_t i = 0; i < others.n; i++)
	{
		more += others.items[i].more;
		less += others.items[i].less;
		n_paths += others.items[i].n_paths;
		assert_true(others.items[i].more >= 0 && others.items[i].less >= 0);
	}
	if (n_paths < n_removed)
		return; /* of a level that absorbed nothing nobody is told */
	for (uint32_t node = 0; node < whole->n_nodes; node++)
		change += ph_profile_cell(whole, 0, node, 1, PH_COST_OWN) -
				  ph_profile_cell(whole, 0, node, 0, PH_COST_OWN);
	for (uint32_t node = 0; node < graph->profile->n_nodes; node++)
		for (int side = 0; side < 2; side++)
			change += (side == 0 ? 1 : -1) *
					  (ph_profile_cell(graph->profile, 0, node, side, PH_COST_OWN) -
					   ph_profile_cell(graph->profile, 0, node, side, PH_COST_ABSORBED));
	assert_true(agree(more - less, change, 1e-9));
}

static void
test_others_of_two_sides(void **state)
{
	static Forest forest;
	const bool keep[FOREST_COLUMNS] = {true, true};
	PhArena arena;
	(void) state;
	for (uint64_t seed = 0; seed < 100; seed++)
	{
		PhProfile *profile, *two, *filtered;
		PhSupergraph *graph;
		forest_random(seed, &forest);
		must(forest_profile(&env, &forest, NULL, &profile));
		must(ph_profile_subset(&env, profile, keep, &two));
		must(ph_profile_filter(&env, two, 0.05 * (double) (seed % 7), PH_STAT_MEAN, 0,
							   PH_COST_INCLUSIVE, &filtered));
		uint32_t n_removed = count_removed(two, filtered);
		must(ph_supergraph_build(&env, filtered, PH_GROUP_MODULE, NULL, &graph));
		ph_arena_init(&arena, &env);
		check_signs(&arena, two, graph, n_removed);
		ph_arena_drop(&arena);
		ph_supergraph_free(&env, graph);
		ph_profile_free(&env, two);
		ph_profile_free(&env, profile);
	}
	assert_int_equal(env.bytes, 0);
}

static void
test_others_keep_sums(void **state)
{
	static Forest forest;
	PhArena arena;
	(void) state;
	for (uint64_t seed = 0; seed < rounds(300); seed++)
	{
		PhProfile *profile, *filtered;
		PhSupergraph *graph;
		forest_random(seed, &forest);
		must(forest_profile(&env, &forest, NULL, &profile));
		must(ph_profile_filter(&env, profile, 0.04 * (double) (seed % 9), PH_STAT_MEAN, 0,
							   PH_COST_INCLUSIVE, &filtered));
		uint32_t n_removed = count_removed(profile, filtered);
		must(ph_supergraph_build(&env, filtered, PH_GROUP_MODULE, NULL, &graph));
		ph_arena_init(&arena, &env);
		check_others(&arena, graph, 0, n_removed);
		check_others(&arena, graph, 0.03 * ph_profile_total(profile, 0), n_removed);
		ph_arena_drop(&arena);
		ph_supergraph_free(&env, graph);
		ph_profile_free(&env, profile);
	}
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
		cmocka_unit_test(test_random_forests),
		cmocka_unit_test(test_damaged_bytes),
		cmocka_unit_test(test_damaged_lengths),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_restricted_graphs_can_go_back),
		cmocka_unit_test(test_others_keep_sums),
		cmocka_unit_test(test_others_of_two_sides),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
