/*
 * test_rename.c - the same costs under other names, on random profiles: every cell is found again
 * under its new path, and names given back give the profile back.
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

#include "profile/ops.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/profile_case.h"
#include "support/rounds.h"

#define N_INPUTS rounds(2000)

/* Read backwards: other names in another order, and twice the same. */
static const char *
backwards(PhArena *arena, const char *text)
{
	size_t n = strlen(text);
	char *copy;

	assert_int_equal(ph_arena_strndup(arena, text, n, &copy), PH_OK);
	for (size_t i = 0; i < n; i++)
		copy[i] = text[n - 1 - i];
	return copy;
}

static PhProfile *
turn(const PhProfile *profile)
{
	PhCodeNames *regions;
	PhUnitNames *columns;
	PhProfile *turned;
	PhArena arena;

	ph_arena_init(&arena, &case_env);
	assert_int_equal(PH_NEW(&arena, profile->n_regions, &regions), PH_OK);
	assert_int_equal(PH_NEW(&arena, profile->n_columns, &columns), PH_OK);
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		const PhRegion *region = &profile->regions[i];

		regions[i].name = backwards(&arena, ph_profile_string(profile, region->name));
		regions[i].library = backwards(&arena, ph_profile_string(profile, region->library));
		regions[i].file = backwards(&arena, ph_profile_string(profile, region->file));
	}
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		const PhColumn *column = &profile->columns[i];

		columns[i].host = backwards(&arena, ph_profile_string(profile, column->host));
		columns[i].name = backwards(&arena, ph_profile_string(profile, column->name));
	}
	assert_int_equal(ph_profile_rename(&case_env, profile, regions, columns, &turned), PH_OK);
	ph_arena_drop(&arena);
	return turned;
}

static bool
is_backwards(const PhProfile *a, PhString x, const PhProfile *b, PhString y)
{
	const char *one = ph_profile_string(a, x), *other = ph_profile_string(b, y);
	size_t n = strlen(one);

	if (strlen(other) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (one[i] != other[n - 1 - i])
			return false;
	return true;
}

/* The child of parent there that is the node here; every node is asked. */
static uint32_t
find_node(const PhProfile *here, uint32_t node, const PhProfile *there, uint32_t parent)
{
	const PhRegion *region = ph_profile_region(here, node);

	for (uint32_t i = 0; i < there->n_nodes; i++)
	{
		const PhRegion *other = ph_profile_region(there, i);

		if (there->parent[i] == parent && region->kind == other->kind &&
			region->line == other->line && is_backwards(here, region->name, there, other->name) &&
			is_backwards(here, region->library, there, other->library) &&
			is_backwards(here, region->file, there, other->file))
			return i;
	}
	return PH_NONE;
}

static uint32_t
find_column(const PhProfile *here, uint32_t column, const PhProfile *there)
{
	const PhColumn *wanted = &here->columns[column];

	for (uint32_t i = 0; i < there->n_columns; i++)
	{
		const PhColumn *other = &there->columns[i];

		if (wanted->rank == other->rank && wanted->thread == other->thread &&
			wanted->iteration == other->iteration &&
			is_backwards(here, wanted->host, there, other->host) &&
			is_backwards(here, wanted->name, there, other->name))
			return i;
	}
	return PH_NONE;
}

static void
compare_row(const PhProfile *here, uint32_t node, const PhProfile *there, uint32_t found)
{
	for (uint32_t c = 0; c < here->n_columns; c++)
	{
		uint32_t column = find_column(here, c, there);

		assert_int_not_equal(column, PH_NONE);
		assert_int_equal(ph_profile_is_present(here, node, c),
						 ph_profile_is_present(there, found, column));
		for (uint32_t m = 0; m < here->n_metrics; m++)
			for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_RESIDUAL; cost++)
			{
				double a = ph_profile_cell(here, m, node, c, (PhCost) cost);
				double b = ph_profile_cell(there, m, found, column, (PhCost) cost);

				assert_true(a == b || (isnan(a) && isnan(b)));
			}
	}
}

static void
compare(const PhProfile *here, const PhProfile *there)
{
	uint32_t *place = calloc(here->n_nodes, sizeof(*place));

	assert_int_equal(here->n_nodes, there->n_nodes);
	assert_int_equal(here->n_columns, there->n_columns);
	for (uint32_t node = 0; node < here->n_nodes; node++)
	{
		uint32_t above = here->parent[node];

		place[node] = find_node(here, node, there, above == PH_NONE ? PH_NONE : place[above]);
		assert_int_not_equal(place[node], PH_NONE);
		compare_row(here, node, there, place[node]);
	}
	free(place);
}

static void
finds_every_cell_under_its_new_name(void **state)
{
	uint32_t n_moved = 0;

	(void) state;
	for (uint64_t seed = 1; seed <= N_INPUTS; seed++)
	{
		PhProfile *profile = case_mixed(seed, false);
		PhProfile *turned = turn(profile), *back = turn(turned);

		case_sound(turned);
		compare(profile, turned);
		compare(turned, back);
		n_moved += !is_backwards(profile, ph_profile_region(profile, 0)->name, turned,
								 ph_profile_region(turned, 0)->name);
		for (uint32_t node = 0; node < profile->n_nodes; node++)
			assert_true(profile->callpath_id[node] == back->callpath_id[node]);
		ph_profile_free(&case_env, back);
		ph_profile_free(&case_env, turned);
		ph_profile_free(&case_env, profile);
	}
	assert_true(n_moved >= met_in_rounds(100));
}

static PhStatus
make_hosts(PhEnv *env, PhProfile **out)
{
	PhMetricSpec metric = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	PhColumnSpec columns[] = {
		{.iteration = PH_NO_ITERATION, .rank = PH_NO_NUMBER, .thread = PH_NO_NUMBER, .name = "az"},
		{.iteration = PH_NO_ITERATION, .rank = PH_NO_NUMBER, .thread = PH_NO_NUMBER, .name = "by"}};
	PhProfileBuilder *builder;
	uint32_t number, column, node;
	PhStatus status;

	PH_TRY(ph_builder_new(env, &builder));
	status = ph_builder_add_metric(builder, &metric, &number);
	if (status == PH_OK)
		status = ph_builder_add_region(builder, &(PhRegionSpec){.name = "main"}, &number);
	if (status == PH_OK)
		status = ph_builder_add_node(builder, PH_NONE, number, &node);
	for (uint32_t i = 0; i < 2 && status == PH_OK; i++)
	{
		status = ph_builder_add_column(builder, &columns[i], &column);
		if (status == PH_OK)
			status = ph_builder_add_value(builder, 0, node, column, PH_COST_EXCLUSIVE, i + 1);
	}
	if (status == PH_OK)
		status = ph_builder_finish(builder, out);
	ph_builder_free(builder);
	return status;
}

static void
sorts_columns_by_their_new_names(void **state)
{
	PhProfile *profile, *turned;

	(void) state;
	assert_int_equal(make_hosts(&case_env, &profile), PH_OK);
	turned = turn(profile);
	case_sound(turned);
	assert_string_equal(ph_profile_string(turned, turned->columns[0].name), "yb");
	assert_true(ph_profile_cell(turned, 0, 0, 0, PH_COST_INCLUSIVE) == 2);
	assert_true(ph_profile_cell(turned, 0, 0, 1, PH_COST_INCLUSIVE) == 1);
	ph_profile_free(&case_env, turned);
	ph_profile_free(&case_env, profile);
}

static PhStatus
rename_one(PhEnv *env, void *user)
{
	const PhUnitNames columns[] = {{"", "z"}, {"", "y"}};
	const PhCodeNames region = {"start", "", ""};
	PhProfile *profile, *renamed;
	PhStatus status;

	(void) user;
	PH_TRY(make_hosts(env, &profile));
	status = ph_profile_rename(env, profile, &region, columns, &renamed);
	ph_profile_free(env, profile);
	if (status == PH_OK)
		ph_profile_free(env, renamed);
	return status;
}

static void
survives_failing_allocations(void **state)
{
	(void) state;
	assert_string_equal(fault_env_try_allocations(rename_one, NULL, 0), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_every_cell_under_its_new_name, case_begin, case_end),
		cmocka_unit_test_setup_teardown(sorts_columns_by_their_new_names, case_begin, case_end),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, case_begin, case_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
