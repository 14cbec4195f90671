/*
 * test_cells.c - rows of cells against plain lists; operations on sparse profiles against the same
 * on profiles that have every cell, 0 where the sparse one has none; stored forms of before rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/derived_metric.h"
#include "profile/builder.h"
#include "profile/cells.h"
#include "profile/flat.h"
#include "profile/ops.h"
#include "profile/packed.h"
#include "supergraph/supergraph.h"
#include "support/mixed.h"
#include "support/profile_case.h"
#include "support/random_profile.h"

/* ---- sets of columns ---- */

#define MOST_COLUMNS 9000 /* more than a word of words of bits */

static void
sets_give_back_what_was_put_in(void **state)
{
	(void) state;
	RandomNumbers numbers = {1};
	PhArena arena;
	ph_arena_init(&arena, &case_env);
	for (int round = 0; round < 300; round++)
	{
		static bool has[MOST_COLUMNS];
		uint32_t n = 1 + numbers_below(&numbers, round % 3 == 0 ? MOST_COLUMNS : 130);
		PhColumnSet set;
		PhColumnRuns runs = {0};
		uint32_t start = 0, column = 0, cells = 0;
		memset(has, 0, sizeof(has));
		assert_int_equal(ph_column_set_init(&set, &arena, n), PH_OK);
		for (uint32_t i = numbers_below(&numbers, 60); i > 0; i--)
		{
			uint32_t first = numbers_below(&numbers, n);
			uint32_t length = 1 + numbers_below(&numbers, i % 4 == 0 ? n - first : 1);
			ph_column_set_add(&set, first, length);
			memset(has + first, true, length);
		}
		assert_int_equal(ph_column_set_take(&set, &arena, &runs), PH_OK);
		for (uint32_t i = 0; i < runs.count; i++)
		{
			assert_true(runs.items[i].n > 0 && (i == 0 || runs.items[i].first > start));
			assert_int_equal(runs.items[i].before, cells);
			for (; column < runs.items[i].first; column++)
				assert_false(has[column]);
			for (; column < runs.items[i].first + runs.items[i].n; column++)
				assert_true(has[column]);
			start = column;
			cells += runs.items[i].n;
		}
		for (; column < n; column++)
			assert_false(has[column]);
		runs.count = 0; /* the set is empty */
		assert_int_equal(ph_column_set_take(&set, &arena, &runs), PH_OK);
		assert_int_equal(runs.count, 0);
	}
	ph_arena_drop(&arena);
}

static void
runs_are_found(void **state)
{
	(void) state;
	PhColumnRun runs[100];
	for (uint32_t n = 0; n <= 100; n++)
	{
		for (uint32_t i = 0; i < n; i++)
			runs[i] = (PhColumnRun){3 * i + 1, 2, 2 * i};
		PhRow row = {0, runs, n, 2 * n};
		for (uint32_t from = 0; from < n; from++)
			for (uint32_t column = 3 * from; column < 3 * n + 2; column++)
				assert_int_equal(ph_row_find_run(&row, from, column),
								 column / 3 < n ? column / 3 : n);
	}
}

/* ---- profiles that lack cells ---- */

#define MOST_NODES 40

typedef struct Shape
{
	uint32_t n_nodes, n_columns, n_names;
	uint32_t present; /* of 1000 cells */
	bool all;		  /* every node is marked in every column */
} Shape;

static PhStatus
add_metrics(PhProfileBuilder *builder)
{
	uint32_t metric;
	const PhMetricSpec specs[] = {
		{.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE},
		{.name = "calls", .unit = "count", .given = PH_GIVEN_EXCLUSIVE},
	};
	PH_TRY(ph_builder_add_metric(builder, &specs[0], &metric));
	return ph_builder_add_metric(builder, &specs[1], &metric);
}

static PhStatus
add_tree(PhProfileBuilder *builder, RandomNumbers *numbers, const Shape *shape)
{
	for (uint32_t i = 0; i < shape->n_names; i++)
	{
		char name[16];
		uint32_t region;
		snprintf(name, sizeof(name), "f%u", i);
		PhRegionSpec spec = {.kind = PH_KIND_FUNCTION, .name = name, .line = PH_NO_NUMBER};
		PH_TRY(ph_builder_add_region(builder, &spec, &region));
	}
	for (uint32_t i = 0; i < shape->n_nodes; i++)
	{
		uint32_t node, parent = i == 0 ? PH_NONE : numbers_below(numbers, i);
		PH_TRY(ph_builder_add_node(builder, parent, numbers_below(numbers, shape->n_names), &node));
	}
	return PH_OK;
}

/* Column by column or node by node; numbers decide, not whether all cells are marked. */
static PhStatus
add_cells(PhProfileBuilder *builder, RandomNumbers *numbers, const Shape *shape)
{
	bool by_node = numbers_below(numbers, 2) == 0;
	uint32_t total = shape->n_nodes * shape->n_columns;
	for (uint32_t i = 0; i < total; i++)
	{
		uint32_t node = by_node ? i / shape->n_columns : i % shape->n_nodes;
		uint32_t column = by_node ? i % shape->n_columns : i / shape->n_nodes;
		double value = numbers_below(numbers, 1000) / 7.0;
		bool present = numbers_below(numbers, 1000) < shape->present;
		if (shape->all)
			PH_TRY(ph_builder_mark_present(builder, node, column));
		if (present)
			PH_TRY(ph_builder_add_value(builder, 0, node, column, PH_COST_EXCLUSIVE, value));
		if (present && node % 3 == 0)
			PH_TRY(ph_builder_add_value(builder, 1, node, column, PH_COST_EXCLUSIVE, 1));
	}
	return PH_OK;
}

static PhStatus
fill(PhProfileBuilder *builder, RandomNumbers *numbers, const Shape *shape)
{
	PH_TRY(add_metrics(builder));
	for (uint32_t i = 0; i < shape->n_columns; i++)
	{
		uint32_t column;
		PhColumnSpec spec = {PH_COLUMN_UNIT, 0, PH_NO_ITERATION, (int32_t) i, -1, "host", NULL};
		PH_TRY(ph_builder_add_column(builder, &spec, &column));
	}
	PH_TRY(add_tree(builder, numbers, shape));
	return add_cells(builder, numbers, shape);
}

static PhProfile *
random_cells(uint64_t seed, const Shape *shape)
{
	RandomNumbers numbers = {seed};
	PhProfileBuilder *builder;
	PhProfile *profile;
	assert_int_equal(ph_builder_new(&case_env, &builder), PH_OK);
	assert_int_equal(fill(builder, &numbers, shape), PH_OK);
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	return profile;
}

/* A sparse profile and the same with every cell. */
typedef struct Twins
{
	PhProfile *sparse, *dense;
} Twins;

static Shape
random_shape(uint64_t seed)
{
	static const uint32_t densities[] = {1, 10, 100, 400, 900, 1000};
	RandomNumbers numbers = {seed};
	return (Shape){.n_nodes = 1 + numbers_below(&numbers, MOST_NODES),
				   .n_columns = 1 + numbers_below(&numbers, seed % 4 == 0 ? 300 : 20),
				   .n_names = 2 + numbers_below(&numbers, 12),
				   .present = densities[numbers_below(&numbers, 6)]};
}

static Twins
random_twins(uint64_t seed, Shape shape)
{
	Twins twins = {.sparse = random_cells(seed, &shape)};
	shape.all = true;
	twins.dense = random_cells(seed, &shape);
	assert_null(twins.dense->first_cell);
	return twins;
}

static void
free_twins(Twins twins)
{
	ph_profile_free(&case_env, twins.sparse);
	ph_profile_free(&case_env, twins.dense);
}

/* Every number that a profile tells, to the last bit; what is absent counts 0. */
static void
compare_numbers(const PhProfile *sparse, const PhProfile *dense)
{
	case_sound(sparse);
	assert_int_equal(sparse->n_nodes, dense->n_nodes);
	assert_int_equal(sparse->n_columns, dense->n_columns);
	for (uint32_t m = 0; m < sparse->n_metrics; m++)
		for (uint32_t node = 0; node < sparse->n_nodes; node++)
			for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_OWN; cost++)
			{
				assert_true(ph_profile_mean(sparse, m, node, (PhCost) cost) ==
							ph_profile_mean(dense, m, node, (PhCost) cost));
				for (uint32_t c = 0; c < sparse->n_columns; c++)
					assert_true(ph_profile_cell(sparse, m, node, c, (PhCost) cost) ==
								ph_profile_cell(dense, m, node, c, (PhCost) cost));
			}
}

static void
compare_and_free(PhProfile *sparse, PhProfile *dense)
{
	compare_numbers(sparse, dense);
	free_twins((Twins){sparse, dense});
}

#define BOTH(twins, call)                                                                          \
	do                                                                                             \
	{                                                                                              \
		PhProfile *in = (twins).sparse, *made, *sparse_;                                           \
		assert_int_equal((call), PH_OK);                                                           \
		sparse_ = made;                                                                            \
		in = (twins).dense;                                                                        \
		assert_int_equal((call), PH_OK);                                                           \
		compare_and_free(sparse_, made);                                                           \
	} while (0)

static void
reductions_agree(const Twins twins, RandomNumbers *numbers)
{
	static bool keep[MOST_NODES], columns[300];
	uint32_t node = numbers_below(numbers, twins.sparse->n_nodes);
	for (uint32_t i = 0; i < MOST_NODES; i++)
		keep[i] = i == 0 || numbers_below(numbers, 3) > 0;
	for (uint32_t i = 0; i < 300; i++)
		columns[i] = i == 0 || numbers_below(numbers, 2) == 0;
	BOTH(twins, ph_profile_filter(&case_env, in, 0.1, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &made));
	BOTH(twins, ph_profile_filter(&case_env, in, 0.1, PH_STAT_MAX, 0, PH_COST_EXCLUSIVE, &made));
	BOTH(twins, ph_profile_splice(&case_env, in, keep, "splice", &made));
	BOTH(twins, ph_profile_squash(&case_env, in, keep, "squash", &made));
	BOTH(twins, ph_profile_subtree(&case_env, in, node, false, &made));
	BOTH(twins, ph_profile_invert(&case_env, in, &made));
	BOTH(twins, ph_profile_subset(&case_env, in, columns, &made));
	BOTH(twins, ph_profile_roll_up_by(&case_env, in, "all", &made));
	BOTH(twins, ph_profile_scale(&case_env, in, 0.25, &made));
	BOTH(twins, ph_profile_derive(&case_env, in, "d", "time - time / 4", NULL, &made));
}

static void
reductions_of_sparse_profiles_are_those_of_dense_ones(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 30; seed++)
	{
		RandomNumbers numbers = {seed};
		Twins twins = random_twins(seed, random_shape(seed));
		compare_numbers(twins.sparse, twins.dense);
		reductions_agree(twins, &numbers);
		free_twins(twins);
	}
}

#define COMBINE(a, b, call)                                                                        \
	do                                                                                             \
	{                                                                                              \
		const PhProfile *pair[] = {(a).sparse, (b).sparse};                                        \
		PhProfile *made, *sparse_;                                                                 \
		assert_int_equal((call), PH_OK);                                                           \
		sparse_ = made;                                                                            \
		pair[0] = (a).dense;                                                                       \
		pair[1] = (b).dense;                                                                       \
		assert_int_equal((call), PH_OK);                                                           \
		compare_and_free(sparse_, made);                                                           \
	} while (0)

static void
combinations_agree(Twins a, Twins b)
{
	COMBINE(a, b, ph_profile_arithmetic(&case_env, pair[0], pair[1], PH_SUBTRACT, &made));
	COMBINE(a, b, ph_profile_arithmetic(&case_env, pair[0], pair[1], PH_ADD, &made));
	COMBINE(a, b, ph_profile_diff(&case_env, pair[0], pair[1], &made));
	COMBINE(a, b, ph_profile_sum(&case_env, 2, pair, false, &made));
	COMBINE(a, b, ph_profile_sum(&case_env, 2, pair, true, &made));
	COMBINE(a, b, ph_profile_ensemble(&case_env, 2, pair, NULL, &made));
}

static void
combinations_of_sparse_profiles_are_those_of_dense_ones(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 30; seed++)
	{
		Shape shape = random_shape(seed);
		Twins a = random_twins(seed, shape);
		shape.present = 1000 - shape.present / 2;
		shape.n_columns += seed % 5 == 0; /* then means are combined */
		Twins b = random_twins(seed + 1000, shape);
		combinations_agree(a, b);
		free_twins(a);
		free_twins(b);
	}
}

/* Where a sum, and where a product is present, from the definition. */
static void
presence_is_that_of_the_operands(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 25; seed++)
	{
		Shape shape = random_shape(seed);
		PhProfile *a = random_cells(seed, &shape), *b = random_cells(seed + 500, &shape);
		PhProfile *sum, *product;
		assert_int_equal(ph_profile_arithmetic(&case_env, a, b, PH_ADD, &sum), PH_OK);
		assert_int_equal(ph_profile_arithmetic(&case_env, a, b, PH_MULTIPLY, &product), PH_OK);
		for (uint32_t node = 0; node < sum->n_nodes; node++)
			for (uint32_t c = 0; c < sum->n_columns; c++)
			{
				uint32_t in_a = same_path(a, sum, node), in_b = same_path(b, sum, node);
				bool x = in_a != PH_NONE && ph_profile_is_present(a, in_a, c);
				bool y = in_b != PH_NONE && ph_profile_is_present(b, in_b, c);
				assert_int_equal(ph_profile_is_present(sum, node, c), x || y);
				assert_int_equal(ph_profile_is_present(product, node, c), x && y);
			}
		ph_profile_free(&case_env, product);
		free_twins((Twins){sum, a});
		ph_profile_free(&case_env, b);
	}
}

/* ---- super graphs ---- */

static void
compare_vectors(const PhSupergraph *sparse, const PhSupergraph *dense, uint32_t supernode,
				PhSupergraphRow *row)
{
	static double x[300], y[300];
	for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_OWN; cost++)
	{
		uint32_t n = 0;
		ph_supergraph_node_vector(sparse, supernode, 0, (PhCost) cost, x);
		ph_supergraph_node_vector(dense, supernode, 0, (PhCost) cost, y);
		assert_memory_equal(x, y, sparse->profile->n_columns * sizeof(*x));
		assert_int_equal(ph_supergraph_node_row(row, sparse, supernode, 0, (PhCost) cost), PH_OK);
		for (uint32_t i = 0; i < row->runs.count; i++)
			for (uint32_t c = row->runs.items[i].first, k = 0; k < row->runs.items[i].n; c++, k++)
			{
				assert_true(row->values[c] == x[c]);
				x[c] = 0;
				n++;
			}
		assert_int_equal(n, row->n);
		for (uint32_t c = 0; c < sparse->profile->n_columns; c++)
			assert_true(x[c] == 0);
	}
}

static void
compare_graphs(const PhSupergraph *sparse, const PhSupergraph *dense)
{
	PhArena arena;
	PhSupergraphMeans x, y;
	PhSupergraphRow row;
	uint32_t n = sparse->n_supernodes;
	assert_int_equal(n, dense->n_supernodes);
	ph_arena_init(&arena, &case_env);
	assert_int_equal(ph_supergraph_row_init(&row, &arena, sparse->profile->n_columns), PH_OK);
	for (uint32_t v = 0; v < n; v++)
		compare_vectors(sparse, dense, v, &row);
	assert_int_equal(ph_supergraph_means(&arena, sparse, 0, &x), PH_OK);
	assert_int_equal(ph_supergraph_means(&arena, dense, 0, &y), PH_OK);
	assert_memory_equal(x.inclusive, y.inclusive, n * sizeof(double));
	assert_memory_equal(x.exclusive, y.exclusive, n * sizeof(double));
	assert_memory_equal(x.source, y.source, n * sizeof(double));
	assert_memory_equal(x.weight, y.weight, sparse->n_edges * sizeof(double));
	ph_arena_drop(&arena);
}

static void
super_graphs_of_sparse_profiles_are_those_of_dense_ones(void **state)
{
	(void) state;
	for (uint64_t seed = 1; seed <= 30; seed++)
	{
		PhSupergraph *sparse, *dense;
		Twins twins = random_twins(seed, random_shape(seed));
		assert_int_equal(
			ph_supergraph_build(&case_env, twins.sparse, PH_GROUP_FUNCTION, NULL, &sparse), PH_OK);
		assert_int_equal(
			ph_supergraph_build(&case_env, twins.dense, PH_GROUP_FUNCTION, NULL, &dense), PH_OK);
		compare_graphs(sparse, dense);
		ph_supergraph_free(&case_env, sparse);
		ph_supergraph_free(&case_env, dense);
	}
}

/* ---- what older releases stored ---- */

#define FLAT PH_SOURCE_DIR "/tests/data/flat/"

/* Takes the profile that the file was made of. */
static void
compare_stored(const char *name, PhProfile *expected)
{
	char path[500];
	static uint8_t bytes[1 << 20];
	PhProfile *stored;
	snprintf(path, sizeof(path), FLAT "%s", name);
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	if (ph_profile_unflatten(&case_env, bytes, size, &stored) != PH_OK)
		fail_msg("%s: %s", name, case_env.error.message);
	assert_true(same_bytes(&case_env, stored, expected));
	free_twins((Twins){stored, expected});
}

/*
 * The files were written when profiles had a value for every node and column and a bitmap: by
 * version 1 and 2 of the stored form, from the random profiles of these seeds.
 */
static void
older_stored_forms_are_read(void **state)
{
	(void) state;
	PhProfile *a = case_mixed(4, false), *b = case_mixed(13, false), *made;
	const PhProfile *both[] = {a, b};
	const char *const labels[] = {"one", "other"};
	compare_stored("dense-v1", case_mixed(0, false));
	compare_stored("sparse-v1", case_mixed(4, false));
	compare_stored("sparse-v2", case_mixed(13, false));
	assert_int_equal(ph_profile_diff(&case_env, a, b, &made), PH_OK);
	compare_stored("difference", made);
	assert_int_equal(
		ph_profile_filter(&case_env, b, 0.3, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &made), PH_OK);
	compare_stored("filtered", made);
	assert_int_equal(ph_profile_ensemble(&case_env, 2, both, labels, &made), PH_OK);
	compare_stored("ensemble", made);
	free_twins((Twins){a, b});
}

/* ---- columns of bytes ---- */

/* Every block whole, no larger than asked unless of one node, and each cell as its getters tell it.
 */
static void
check_packed(const PhProfile *profile, uint32_t metric, PhCost cost, size_t most)
{
	static uint8_t nodes[4 * MOST_COLUMNS], columns[4 * MOST_COLUMNS], values[8 * MOST_COLUMNS];
	for (PhNodeBlock block = {0}; block.end < profile->n_nodes;)
	{
		uint32_t first = block.end;
		block = ph_profile_block(profile, first, most);
		PhByteWriter writers[] = {{nodes}, {columns}, {values}};
		assert_true(block.first == first && block.end > first && block.n <= MOST_COLUMNS);
		assert_true(block.n <= most || block.end == first + 1);
		ph_pack_places(profile, &block, &writers[0], &writers[1]);
		ph_pack_cost(profile, metric, cost, &block, &writers[2]);
		PhByteReader node_reader = {nodes, nodes, writers[0].at, false};
		PhByteReader column_reader = {columns, columns, writers[1].at, false};
		PhByteReader value_reader = {values, values, writers[2].at, false};
		for (uint32_t node = block.first; node < block.end; node++)
			for (uint32_t column = 0; column < profile->n_columns; column++)
			{
				if (!ph_profile_is_present(profile, node, column))
					continue;
				assert_int_equal(ph_get_u32(&node_reader), node);
				assert_int_equal(ph_get_u32(&column_reader), column);
				double value = ph_get_double(&value_reader);
				double wanted = ph_profile_cell(profile, metric, node, column, cost);
				assert_true(value == wanted || (isnan(value) && isnan(wanted)));
			}
		assert_int_equal(ph_left(&node_reader) + ph_left(&column_reader) + ph_left(&value_reader),
						 0);
	}
}

static void
columns_of_bytes_have_every_cell(void **state)
{
	(void) state;
	RandomNumbers numbers = {7};
	for (int i = 0; i < 300; i++)
	{
		PhProfile *profile, *filtered;
		assert_int_equal(random_profile(&case_env, &numbers, 40, 6, &profile), PH_OK);
		assert_int_equal(ph_profile_filter(&case_env, profile, 0.1, PH_STAT_MEAN, 0,
										   PH_COST_INCLUSIVE, &filtered),
						 PH_OK);
		for (uint32_t m = 0; m < profile->n_metrics; m++)
			for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_OWN; cost++)
			{
				check_packed(profile, m, (PhCost) cost, 1 + numbers_below(&numbers, 50));
				check_packed(filtered, m, (PhCost) cost, 1 + numbers_below(&numbers, 50));
			}
		free_twins((Twins){profile, filtered});
	}
}

/* ---- cost ---- */

#define DISJOINT_RANKS 3000

/* Ranks with a node of their own below a common one: 9,000,000 cells, of which 6,000 exist. */
static void
memory_follows_the_cells(void **state)
{
	(void) state;
	PhProfileBuilder *builder;
	PhProfile *profile, *filtered;
	uint32_t index, root;
	case_env.byte_limit = 8 << 20;
	assert_int_equal(ph_builder_new(&case_env, &builder), PH_OK);
	assert_int_equal(add_metrics(builder), PH_OK);
	PhRegionSpec main = {.kind = PH_KIND_FUNCTION, .name = "main", .line = PH_NO_NUMBER};
	assert_int_equal(ph_builder_add_region(builder, &main, &index), PH_OK);
	assert_int_equal(ph_builder_add_node(builder, PH_NONE, index, &root), PH_OK);
	for (int32_t rank = 0; rank < DISJOINT_RANKS; rank++)
	{
		char name[16];
		uint32_t column, node;
		PhColumnSpec spec = {PH_COLUMN_UNIT, 0, PH_NO_ITERATION, rank, -1, NULL, NULL};
		snprintf(name, sizeof(name), "rank%d", rank);
		main.name = name;
		assert_int_equal(ph_builder_add_column(builder, &spec, &column), PH_OK);
		assert_int_equal(ph_builder_add_region(builder, &main, &index), PH_OK);
		assert_int_equal(ph_builder_child(builder, root, index, &node), PH_OK);
		assert_int_equal(ph_builder_add_value(builder, 0, root, column, PH_COST_EXCLUSIVE, 1),
						 PH_OK);
		assert_int_equal(ph_builder_add_value(builder, 0, node, column, PH_COST_EXCLUSIVE, rank),
						 PH_OK);
	}
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	assert_int_equal(profile->first_cell[profile->n_nodes], 2 * DISJOINT_RANKS);
	assert_int_equal(
		ph_profile_filter(&case_env, profile, 0.001, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &filtered),
		PH_OK);
	free_twins((Twins){profile, filtered});
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sets_give_back_what_was_put_in, case_begin, case_end),
		cmocka_unit_test_setup_teardown(runs_are_found, case_begin, case_end),
		cmocka_unit_test_setup_teardown(reductions_of_sparse_profiles_are_those_of_dense_ones,
										case_begin, case_end),
		cmocka_unit_test_setup_teardown(combinations_of_sparse_profiles_are_those_of_dense_ones,
										case_begin, case_end),
		cmocka_unit_test_setup_teardown(presence_is_that_of_the_operands, case_begin, case_end),
		cmocka_unit_test_setup_teardown(super_graphs_of_sparse_profiles_are_those_of_dense_ones,
										case_begin, case_end),
		cmocka_unit_test_setup_teardown(older_stored_forms_are_read, case_begin, case_end),
		cmocka_unit_test_setup_teardown(columns_of_bytes_have_every_cell, case_begin, case_end),
		cmocka_unit_test_setup_teardown(memory_follows_the_cells, case_begin, case_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
