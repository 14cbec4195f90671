/*
 * test_profile_builder.c - the builder against a slow reference, its rules, errors and faults.
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
#include <string.h>

#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/rounds.h"

#define N_INPUTS rounds(2000)

static PhEnv
new_env(void)
{
	PhEnv env;
	ph_env_init_malloc(&env);
	return env;
}

static void
check_profile(PhEnv *env, const PhProfile *profile)
{
	if (ph_profile_check(env, profile) != PH_OK)
		fail_msg("%s", env->error.message);
}

/* ---- reference: what the input says, worked out node by node ---- */

typedef struct Reference
{
	const Mixed *mixed;
	uint32_t same[MIXED_MOST_NODES]; /* the first raw node with the same path */
} Reference;

static bool
same_identity(const PhRegionSpec *x, const PhRegionSpec *y)
{
	bool has_line = x->kind == PH_KIND_LOOP || x->kind == PH_KIND_STATEMENT;
	return x->kind == y->kind && strcmp(x->name, y->name) == 0 &&
		   strcmp(x->library ? x->library : "", y->library ? y->library : "") == 0 &&
		   strcmp(x->file ? x->file : "", y->file ? y->file : "") == 0 &&
		   (!has_line || x->line == y->line);
}

static bool
same_raw_path(const Mixed *mixed, uint32_t x, uint32_t y)
{
	while (x != PH_NONE && y != PH_NONE)
	{
		if (!same_identity(mixed_region(mixed->region[x]), mixed_region(mixed->region[y])))
			return false;
		x = mixed->parent[x];
		y = mixed->parent[y];
	}
	return x == y;
}

static void
reference_init(Reference *reference, const Mixed *mixed)
{
	reference->mixed = mixed;
	for (uint32_t i = 0; i < mixed->n_nodes; i++)
	{
		reference->same[i] = 0;
		while (!same_raw_path(mixed, i, reference->same[i]))
			reference->same[i]++;
	}
}

/* Sum, maximum and number of the values given for a cell of a merged node. */
typedef struct Given
{
	double sum, most;
	uint32_t n;
} Given;

static Given
given(const Reference *reference, uint32_t node, uint32_t metric, uint32_t column, PhCost cost)
{
	Given found = {0, -INFINITY, 0};
	for (uint32_t i = 0; i < reference->mixed->n_values; i++)
	{
		const MixedValue *value = &reference->mixed->values[i];
		if (value->metric != metric || value->column != column || value->cost != cost ||
			reference->same[value->node] != node)
			continue;
		found.sum += value->value;
		found.most = fmax(found.most, value->value);
		found.n++;
	}
	return found;
}

/* Whether merged node y hangs below merged node x (or is it). */
static bool
is_within(const Reference *reference, uint32_t x, uint32_t y)
{
	for (; y != PH_NONE; y = reference->mixed->parent[y])
		if (reference->same[y] == x)
			return true;
	return false;
}

static bool
has_anything(const Reference *reference, uint32_t node, uint32_t column)
{
	for (uint32_t i = 0; i < reference->mixed->n_values; i++)
		if (reference->mixed->values[i].column == column &&
			is_within(reference, node, reference->mixed->values[i].node))
			return true;
	return false;
}

typedef struct Cost
{
	double exclusive, inclusive, residual;
} Cost;

static Cost reference_time(const Reference *reference, uint32_t node, uint32_t column);

static double
children_time(const Reference *reference, uint32_t node, uint32_t column)
{
	const Mixed *mixed = reference->mixed;
	double sum = 0;
	for (uint32_t i = 0; i < mixed->n_nodes; i++)
		if (reference->same[i] == i && mixed->parent[i] != PH_NONE &&
			reference->same[mixed->parent[i]] == node)
			sum += reference_time(reference, i, column).inclusive;
	return sum;
}

/* The rules of additivity, word by word. */
static Cost
reference_time(const Reference *reference, uint32_t node, uint32_t column)
{
	Given exclusive = given(reference, node, MIXED_TIME, column, PH_COST_EXCLUSIVE);
	Given inclusive = given(reference, node, MIXED_TIME, column, PH_COST_INCLUSIVE);
	double children = children_time(reference, node, column);
	if (inclusive.n == 0)
		return (Cost){exclusive.sum, exclusive.sum + children, 0};
	double rest = inclusive.sum - children;
	if (fabs(rest) < 1e-8 * (1 + children))
		return (Cost){exclusive.n > 0 && fabs(exclusive.sum) < 1e-7 ? exclusive.sum : 0,
					  inclusive.sum, 0};
	if (rest < 0)
		return (Cost){0, inclusive.sum, rest};
	return (Cost){rest, inclusive.sum, 0};
}

static uint32_t
raw_of_node(const Reference *reference, const PhProfile *profile, uint32_t node)
{
	for (uint32_t i = 0; i < reference->mixed->n_nodes; i++)
	{
		uint32_t x = i, y = node;
		while (x != PH_NONE && y != PH_NONE)
		{
			const PhRegion *r = ph_profile_region(profile, y);
			PhRegionSpec spec = {r->kind,
								 profile->strings[r->name],
								 profile->strings[r->library],
								 profile->strings[r->file],
								 NULL,
								 r->line,
								 NULL};
			if (!same_identity(mixed_region(reference->mixed->region[x]), &spec))
				break;
			x = reference->mixed->parent[x];
			y = profile->parent[y];
		}
		if (x == PH_NONE && y == PH_NONE)
			return reference->same[i];
	}
	fail_msg("node %u is not in the input", node);
	return 0;
}

static uint32_t
raw_of_column(const Mixed *mixed, const PhProfile *profile, uint32_t column)
{
	const PhColumn *c = &profile->columns[column];
	for (uint32_t i = 0; i < mixed->n_columns; i++)
		if (mixed->columns[i].rank == c->rank && mixed->columns[i].thread == c->thread &&
			mixed->columns[i].iteration == c->iteration)
			return i;
	fail_msg("column %u is not in the input", column);
	return 0;
}

static void
compare_cell(const Reference *reference, const PhProfile *profile, uint32_t node, uint32_t column)
{
	uint32_t raw = raw_of_node(reference, profile, node);
	uint32_t raw_column = raw_of_column(reference->mixed, profile, column);
	Cost time = reference_time(reference, raw, raw_column);
	Given peak = given(reference, raw, MIXED_PEAK, raw_column, PH_COST_EXCLUSIVE);
	Given heat = given(reference, raw, MIXED_HEAT, raw_column, PH_COST_EXCLUSIVE);
	assert_int_equal(ph_profile_is_present(profile, node, column),
					 has_anything(reference, raw, raw_column));
	assert_true(agree(ph_profile_cell(profile, MIXED_TIME, node, column, PH_COST_INCLUSIVE),
					  time.inclusive, 1e-9));
	assert_true(agree(ph_profile_cell(profile, MIXED_TIME, node, column, PH_COST_EXCLUSIVE),
					  time.exclusive, 1e-7));
	assert_true(agree(ph_profile_cell(profile, MIXED_TIME, node, column, PH_COST_RESIDUAL),
					  time.residual, 1e-7));
	assert_true(agree(ph_profile_cell(profile, MIXED_COUNT, node, column, PH_COST_EXCLUSIVE),
					  given(reference, raw, MIXED_COUNT, raw_column, PH_COST_EXCLUSIVE).sum, 0));
	assert_true(agree(ph_profile_cell(profile, MIXED_PEAK, node, column, PH_COST_INCLUSIVE),
					  peak.n == 0 ? 0 : peak.most, 0));
	assert_true(agree(ph_profile_cell(profile, MIXED_HEAT, node, column, PH_COST_EXCLUSIVE),
					  heat.n == 0 ? 0 : heat.sum / heat.n, 1e-12));
}

static void
compare_with_reference(const Mixed *mixed, const PhProfile *profile)
{
	Reference reference;
	uint32_t n_merged = 0, where;
	reference_init(&reference, mixed);
	for (uint32_t i = 0; i < mixed->n_nodes; i++)
		n_merged += reference.same[i] == i;
	assert_int_equal(profile->n_nodes, n_merged);
	assert_int_equal(profile->n_columns, mixed->n_columns);
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t column = 0; column < profile->n_columns; column++)
			compare_cell(&reference, profile, node, column);
	assert_true(flow_holds(profile, 1e-8, &where));
}

static void
random_inputs_match_reference_in_any_order(void **state)
{
	(void) state;
	PhEnv env = new_env();
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		Mixed mixed;
		Random shuffle = {seed + 1};
		PhProfile *a, *b;
		mixed_random(seed, seed % 2 == 0, &mixed);
		assert_int_equal(mixed_profile(&env, &mixed, NULL, &a), PH_OK);
		assert_int_equal(mixed_profile(&env, &mixed, &shuffle, &b), PH_OK);
		check_profile(&env, a);
		assert_true(same_bytes(&env, a, b));
		if (seed % 4 < 2)
			compare_with_reference(&mixed, a);
		ph_profile_free(&env, a);
		ph_profile_free(&env, b);
	}
	assert_int_equal(env.bytes, 0);
}

/* ---- single rules ---- */

typedef struct Small
{
	PhEnv env;
	PhProfileBuilder *builder;
	uint32_t metric, column, node, child;
} Small;

/* A root and a child with one metric and one column. */
static void
small_begin(Small *small, PhGiven how, bool may_be_negative)
{
	PhMetricSpec metric = {
		.name = "time", .unit = "s", .given = how, .may_be_negative = may_be_negative};
	PhColumnSpec column = {PH_COLUMN_UNIT, 0, PH_NO_ITERATION, 0, PH_NO_NUMBER, NULL, NULL};
	PhRegionSpec region = {PH_KIND_FUNCTION, "main", NULL, NULL, NULL, PH_NO_NUMBER, NULL};
	uint32_t r;
	small->env = new_env();
	assert_int_equal(ph_builder_new(&small->env, &small->builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(small->builder, &metric, &small->metric), PH_OK);
	assert_int_equal(ph_builder_add_column(small->builder, &column, &small->column), PH_OK);
	assert_int_equal(ph_builder_add_region(small->builder, &region, &r), PH_OK);
	assert_int_equal(ph_builder_add_node(small->builder, PH_NONE, r, &small->node), PH_OK);
	assert_int_equal(ph_builder_child(small->builder, small->node, r, &small->child), PH_OK);
}

static PhStatus
small_add(Small *small, uint32_t node, PhCost cost, double value)
{
	return ph_builder_add_value(small->builder, small->metric, node, small->column, cost, value);
}

static void
small_end(Small *small, double exclusive, double inclusive, double residual, uint64_t cells)
{
	PhProfile *profile;
	assert_int_equal(ph_builder_finish(small->builder, &profile), PH_OK);
	check_profile(&small->env, profile);
	assert_true(ph_profile_cell(profile, 0, 0, 0, PH_COST_EXCLUSIVE) == exclusive);
	assert_true(ph_profile_cell(profile, 0, 0, 0, PH_COST_INCLUSIVE) == inclusive);
	assert_true(ph_profile_cell(profile, 0, 0, 0, PH_COST_RESIDUAL) == residual);
	assert_int_equal(profile->provenance.residual_cells, cells);
	ph_profile_free(&small->env, profile);
	ph_builder_free(small->builder);
	assert_int_equal(small->env.bytes, 0);
}

static void
additivity_trusts_inclusives(void **state)
{
	(void) state;
	const struct
	{
		PhGiven given;
		double parent_inclusive, child_inclusive, parent_exclusive; /* NaN: not given */
		double exclusive, inclusive, residual;
		uint64_t cells;
	} cases[] = {
		{PH_GIVEN_BOTH, 10, 6, 4, 4, 10, 0, 0},
		{PH_GIVEN_BOTH, 10, 6, 5, 4, 10, 0, 1},	  /* the exclusive disagrees */
		{PH_GIVEN_BOTH, 10, 12, 1, 0, 10, -2, 1}, /* children exceed the parent */
		{PH_GIVEN_BOTH, 10, 6, NAN, 4, 10, 0, 0},
		{PH_GIVEN_BOTH, NAN, 6, 3, 3, 9, 0, 0},
		{PH_GIVEN_INCLUSIVE, 10, 6, NAN, 4, 10, 0, 0},
		{PH_GIVEN_INCLUSIVE, 10, 12, NAN, 0, 10, -2, 1},
		{PH_GIVEN_INCLUSIVE, 10, 10 * (1 + 1e-12), NAN, 0, 10, 0, 0}, /* rounding */
		{PH_GIVEN_INCLUSIVE, NAN, 6, NAN, 0, 6, 0, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Small small;
		small_begin(&small, cases[i].given, false);
		if (!isnan(cases[i].parent_inclusive))
			assert_int_equal(
				small_add(&small, small.node, PH_COST_INCLUSIVE, cases[i].parent_inclusive), PH_OK);
		if (!isnan(cases[i].parent_exclusive))
			assert_int_equal(
				small_add(&small, small.node, PH_COST_EXCLUSIVE, cases[i].parent_exclusive), PH_OK);
		assert_int_equal(
			small_add(&small, small.child, PH_COST_INCLUSIVE, cases[i].child_inclusive), PH_OK);
		small_end(&small, cases[i].exclusive, cases[i].inclusive, cases[i].residual,
				  cases[i].cells);
	}
}

static void
signed_metrics_have_no_residual(void **state)
{
	(void) state;
	Small small;
	small_begin(&small, PH_GIVEN_INCLUSIVE, true);
	assert_int_equal(small_add(&small, small.node, PH_COST_INCLUSIVE, -3), PH_OK);
	assert_int_equal(small_add(&small, small.child, PH_COST_INCLUSIVE, 2), PH_OK);
	small_end(&small, -5, -3, 0, 0);
}

static void
sums_are_exact_in_any_order(void **state)
{
	(void) state;
	const double addends[] = {1e16, 1, 1, 1, 1, 0.5, 1e-9};
	const double forwards = 1e16 + 4; /* 4.500000001 rounds to a multiple of 2 */
	for (int backwards = 0; backwards < 2; backwards++)
	{
		Small small;
		small_begin(&small, PH_GIVEN_EXCLUSIVE, false);
		for (size_t i = 0; i < 7; i++)
			assert_int_equal(
				small_add(&small, small.node, PH_COST_EXCLUSIVE, addends[backwards ? 6 - i : i]),
				PH_OK);
		small_end(&small, forwards, forwards, 0, 0);
	}
}

static void
millions_of_addends_stay_exact_and_small(void **state)
{
	(void) state;
	Small small;
	small_begin(&small, PH_GIVEN_EXCLUSIVE, false);
	const uint32_t n = 3000000;
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(small_add(&small, small.node, PH_COST_EXCLUSIVE, 0.1), PH_OK);
	assert_true(small.env.bytes < (size_t) 64 << 20);
	small_end(&small, 0.1 * n, 0.1 * n, 0, 0);
}

static void
absent_is_not_zero(void **state)
{
	(void) state;
	PhProfile *profile;
	Small small;
	PhColumnSpec other = {PH_COLUMN_UNIT, 0, PH_NO_ITERATION, 1, PH_NO_NUMBER, NULL, NULL};
	PhColumnSpec third = {PH_COLUMN_UNIT, 0, PH_NO_ITERATION, 2, PH_NO_NUMBER, NULL, NULL};
	uint32_t column, marked;
	small_begin(&small, PH_GIVEN_EXCLUSIVE, false);
	assert_int_equal(ph_builder_add_column(small.builder, &other, &column), PH_OK);
	assert_int_equal(ph_builder_add_column(small.builder, &third, &marked), PH_OK);
	assert_int_equal(small_add(&small, small.child, PH_COST_EXCLUSIVE, 0), PH_OK);
	assert_int_equal(ph_builder_mark_present(small.builder, small.node, marked), PH_OK);
	assert_int_equal(ph_builder_finish(small.builder, &profile), PH_OK);
	/* the value 0 makes the child and its parent present in rank 0 only */
	assert_true(ph_profile_is_present(profile, 0, 0) && ph_profile_is_present(profile, 1, 0));
	assert_false(ph_profile_is_present(profile, 0, 1) || ph_profile_is_present(profile, 1, 1));
	assert_true(ph_profile_is_present(profile, 0, 2) && !ph_profile_is_present(profile, 1, 2));
	assert_int_equal(ph_profile_n_present(profile, 0), 2);
	ph_profile_free(&small.env, profile);
	ph_builder_free(small.builder);
}

/* ---- errors ---- */

static void
bad_values_are_refused(void **state)
{
	(void) state;
	const double bad[] = {NAN, INFINITY, -INFINITY, -1, 1e300};
	Small small;
	small_begin(&small, PH_GIVEN_EXCLUSIVE, false);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(small_add(&small, small.node, PH_COST_EXCLUSIVE, bad[i]), PH_ERR_VALUE);
	assert_int_equal(small_add(&small, small.node, PH_COST_INCLUSIVE, 1), PH_ERR_VALUE);
	assert_int_equal(small_add(&small, small.node, PH_COST_ABSORBED, 1), PH_ERR_VALUE);
	assert_int_equal(small_add(&small, 99, PH_COST_EXCLUSIVE, 1), PH_ERR_VALUE);
	assert_int_equal(ph_builder_add_value(small.builder, 9, 0, 0, PH_COST_EXCLUSIVE, 1),
					 PH_ERR_VALUE);
	assert_int_equal(ph_builder_add_value(small.builder, 0, 0, 9, PH_COST_EXCLUSIVE, 1),
					 PH_ERR_VALUE);
	assert_int_equal(ph_builder_expect_values(small.builder, 9, 0, PH_COST_EXCLUSIVE, 1),
					 PH_ERR_VALUE);
	assert_int_equal(ph_builder_expect_values(small.builder, 0, 9, PH_COST_EXCLUSIVE, 1),
					 PH_ERR_VALUE);
	small_end(&small, 0, 0, 0, 0);
}

static void
bad_parts_are_refused(void **state)
{
	(void) state;
	Small small;
	uint32_t out;
	PhRegionSpec region = {PH_KIND_FUNCTION, "", NULL, NULL, NULL, PH_NO_NUMBER, NULL};
	PhMetricSpec metric = {.name = "time", .given = PH_GIVEN_EXCLUSIVE};
	small_begin(&small, PH_GIVEN_EXCLUSIVE, false);
	assert_int_equal(ph_builder_add_region(small.builder, &region, &out), PH_ERR_VALUE);
	const char *const bad[] = {"\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf"};
	for (size_t i = 0; i < 5; i++)
	{
		region.name = bad[i];
		assert_int_equal(ph_builder_add_region(small.builder, &region, &out), PH_ERR_VALUE);
		assert_non_null(strstr(small.env.error.message, "UTF-8"));
	}
	assert_int_equal(ph_builder_add_metric(small.builder, &metric, &out), PH_ERR_CONFLICT);
	metric.name = "late";
	assert_int_equal(small_add(&small, small.node, PH_COST_EXCLUSIVE, 1), PH_OK);
	assert_int_equal(ph_builder_add_metric(small.builder, &metric, &out), PH_ERR_VALUE);
	assert_int_equal(ph_builder_add_node(small.builder, 77, 0, &out), PH_ERR_VALUE);
	assert_int_equal(ph_builder_add_node(small.builder, 0, 77, &out), PH_ERR_VALUE);
	assert_int_equal(ph_builder_set_parent(small.builder, 77, 0), PH_ERR_VALUE);
	small_end(&small, 1, 1, 0, 0);
}

static void
circles_and_emptiness_are_refused(void **state)
{
	(void) state;
	Small small;
	PhProfile *profile = NULL;
	small_begin(&small, PH_GIVEN_EXCLUSIVE, false);
	assert_int_equal(ph_builder_set_parent(small.builder, small.node, small.child), PH_OK);
	assert_int_equal(ph_builder_finish(small.builder, &profile), PH_ERR_FORMAT);
	assert_non_null(strstr(small.env.error.message, "circle"));
	assert_null(profile);
	ph_builder_free(small.builder);
	assert_int_equal(ph_builder_new(&small.env, &small.builder), PH_OK);
	assert_int_equal(ph_builder_finish(small.builder, &profile), PH_ERR_VALUE);
	ph_builder_free(small.builder);
	assert_int_equal(small.env.bytes, 0);
}

static void
chains_of_a_hundred_thousand_are_fine(void **state)
{
	(void) state;
	Small small;
	PhProfile *profile;
	uint32_t region, node;
	char name[32];
	small_begin(&small, PH_GIVEN_EXCLUSIVE, false);
	node = small.child;
	for (uint32_t i = 0; i < 100000; i++)
	{
		snprintf(name, sizeof(name), "f%u", i % 1000);
		PhRegionSpec spec = {PH_KIND_FUNCTION, name, NULL, NULL, NULL, PH_NO_NUMBER, NULL};
		assert_int_equal(ph_builder_add_region(small.builder, &spec, &region), PH_OK);
		assert_int_equal(ph_builder_child(small.builder, node, region, &node), PH_OK);
	}
	assert_int_equal(small_add(&small, node, PH_COST_EXCLUSIVE, 2.5), PH_OK);
	assert_int_equal(ph_builder_finish(small.builder, &profile), PH_OK);
	check_profile(&small.env, profile);
	assert_int_equal(profile->n_nodes, 100002);
	assert_int_equal(profile->depth[100001], 100001);
	assert_true(ph_profile_total(profile, 0) == 2.5);
	ph_profile_free(&small.env, profile);
	ph_builder_free(small.builder);
}

static void
child_finds_what_is_there(void **state)
{
	(void) state;
	Small small;
	uint32_t again, moved;
	small_begin(&small, PH_GIVEN_EXCLUSIVE, false);
	assert_int_equal(ph_builder_child(small.builder, small.node, 0, &again), PH_OK);
	assert_int_equal(again, small.child);
	assert_int_equal(ph_builder_set_parent(small.builder, small.child, PH_NONE), PH_OK);
	assert_int_equal(ph_builder_child(small.builder, small.node, 0, &moved), PH_OK);
	assert_int_not_equal(moved, small.child);
	small_end(&small, 0, 0, 0, 0);
}

/* ---- faults ---- */

static PhStatus
build_and_drop(PhEnv *env, void *user)
{
	PhProfile *profile;
	PH_TRY(mixed_profile(env, user, NULL, &profile));
	ph_profile_free(env, profile);
	return PH_OK;
}

static void
every_allocation_may_fail(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < 4; seed++)
	{
		Mixed mixed;
		mixed_random(seed, false, &mixed);
		assert_string_equal(fault_env_try_allocations(build_and_drop, &mixed, 0), "");
	}
}

static PhStatus
build_big_and_drop(PhEnv *env, void *user)
{
	PhProfile *profile;
	PH_TRY(forest_big(env, user, &profile));
	ph_profile_free(env, profile);
	return PH_OK;
}

static void
every_interrupt_may_stop(void **state)
{
	(void) state;
	BigForest shape = {20000, 10, 300, 2, 50};
	assert_string_equal(fault_env_try_interrupts(build_big_and_drop, &shape, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_inputs_match_reference_in_any_order),
		cmocka_unit_test(additivity_trusts_inclusives),
		cmocka_unit_test(signed_metrics_have_no_residual),
		cmocka_unit_test(sums_are_exact_in_any_order),
		cmocka_unit_test(millions_of_addends_stay_exact_and_small),
		cmocka_unit_test(absent_is_not_zero),
		cmocka_unit_test(bad_values_are_refused),
		cmocka_unit_test(bad_parts_are_refused),
		cmocka_unit_test(circles_and_emptiness_are_refused),
		cmocka_unit_test(chains_of_a_hundred_thousand_are_fine),
		cmocka_unit_test(child_finds_what_is_there),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(every_interrupt_may_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
