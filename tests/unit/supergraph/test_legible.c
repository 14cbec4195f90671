/*
 * test_legible.c - what is left out of super graphs that are too large to read, against a plain
 * search that makes a graph for every share.
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

#include "profile/builder.h"
#include "profile/ops.h"
#include "supergraph/legible.h"
#include "support/fault_env.h"
#include "support/random_profile.h"

#define must(expression) assert_int_equal(expression, PH_OK)

static const double shares[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2};
static const double passings[] = {0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06,
								  0.08,	 0.1,	0.12,  0.15, 0.2,	0.25, 0.3,	0.4,  0.5,	1};

typedef struct Size
{
	uint32_t supernodes, levels;
} Size;

/* Takes the profile. */
static Size
size_of(PhEnv *env, PhProfile *profile, PhGroupBy by, const PhModuleMap *map)
{
	PhSupergraph *graph;
	must(ph_supergraph_build(env, profile, by, map, &graph));
	uint32_t n = graph->n_supernodes;
	Size size = {n, n > 0 ? graph->supernodes[n - 1].level + 1 : 0};
	ph_supergraph_free(env, graph);
	return size;
}

static PhProfile *
filtered(PhEnv *env, const PhProfile *profile, double share)
{
	PhProfile *fewer, *out;
	must(ph_profile_drop_roots(env, profile, share, 0, &fewer));
	must(ph_profile_filter(env, fewer, share, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &out));
	ph_profile_free(env, fewer);
	return out;
}

static PhProfile *
without_passages(PhEnv *env, const PhProfile *profile, double share, double passing)
{
	PhProfile *part = filtered(env, profile, share), *out;
	must(ph_profile_drop_passages(env, part, passing, 0, &out));
	ph_profile_free(env, part);
	return out;
}

static PhLegible
plain_choice(PhEnv *env, const PhProfile *profile, PhGroupBy by, const PhModuleMap *map,
			 const PhLegibleLimits *limits)
{
	PhLegible chosen = {0};
	Size size = {0};
	for (uint32_t i = 0; i < 8; i++)
	{
		chosen.share = shares[i];
		size = size_of(env, filtered(env, profile, shares[i]), by, map);
		if (size.supernodes <= limits->supernodes)
			break;
	}
	for (uint32_t i = 0; limits->levels > 0 && size.levels > limits->levels && i < 20; i++)
	{
		chosen.passing = passings[i];
		size = size_of(env, without_passages(env, profile, chosen.share, passings[i]), by, map);
	}
	return chosen;
}

static void
choices_are_those_of_a_plain_search(void **state)
{
	static const PhGroupBy levels[] = {PH_GROUP_MODULE, PH_GROUP_FUNCTION, PH_GROUP_NODE,
									   PH_GROUP_FILE};
	uint32_t n_passing = 0, n_dear = 0;
	PhEnv env;
	PhArena arena;
	PhModuleMap *map;
	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	must(ph_module_map_parse(&arena, "a = first\nb = second", &map));
	for (uint64_t seed = 1; seed <= 120; seed++)
	{
		RandomNumbers numbers = {seed};
		PhGroupBy by = levels[seed % 4];
		const PhModuleMap *used = seed % 8 == 0 ? map : NULL;
		PhLegibleLimits limits = {NAN, 2 + (uint32_t) seed % 11, (uint32_t) seed % 6};
		PhProfile *profile;
		PhLegible chosen;
		must(random_profile(&env, &numbers, 60, 4, &profile));
		PhLegible plain = plain_choice(&env, profile, by, used, &limits);
		must(ph_legible_choose(&env, profile, 0, by, used, &limits, &chosen));
		assert_true(chosen.share == plain.share && chosen.passing == plain.passing);
		n_passing += chosen.passing > 0;
		n_dear += chosen.share > 0.01;
		ph_profile_free(&env, profile);
	}
	assert_true(n_passing > 10 && n_dear > 30);
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

/* A node of a chain or a tree; ids are numbers of nodes. */
static uint32_t
add(PhProfileBuilder *builder, uint32_t parent, const char *name, double exclusive)
{
	PhRegionSpec region = {.name = name, .kind = PH_KIND_FUNCTION};
	uint32_t region_index, node;
	must(ph_builder_add_region(builder, &region, &region_index));
	must(ph_builder_add_node(builder, parent, region_index, &node));
	must(ph_builder_add_value(builder, 0, node, 0, PH_COST_EXCLUSIVE, exclusive));
	return node;
}

/* main -> 30 wrappers -> solve -> (a, b, c): wrappers go, what branches and what works stays. */
static void
wrappers_go_first(void **state)
{
	PhEnv env;
	PhProfileBuilder *builder;
	PhMetricSpec metric = {.name = "time", .unit = "s", .given = PH_GIVEN_EXCLUSIVE};
	PhColumnSpec column = {.rank = 0};
	PhLegibleLimits limits = {NAN, 60, 4};
	PhProfile *profile, *out;
	PhLegible chosen;
	uint32_t index, node;
	(void) state;
	ph_env_init_malloc(&env);
	must(ph_builder_new(&env, &builder));
	must(ph_builder_add_metric(builder, &metric, &index));
	must(ph_builder_add_column(builder, &column, &index));
	node = add(builder, PH_NONE, "main", 1);
	for (uint32_t i = 0; i < 30; i++)
	{
		char name[16];
		snprintf(name, sizeof(name), "wrapper%u", i);
		node = add(builder, node, name, 0.01);
	}
	node = add(builder, node, "solve", 0);
	add(builder, node, "a", 50);
	add(builder, node, "b", 30);
	add(builder, add(builder, node, "c", 0), "d", 19);
	must(ph_builder_finish(builder, &profile));
	ph_builder_free(builder);
	must(ph_legible_choose(&env, profile, 0, PH_GROUP_FUNCTION, NULL, &limits, &chosen));
	must(ph_legible_apply(&env, profile, 0, &chosen, &out));
	assert_true(chosen.share == 0.001 && chosen.passing == 0.001);
	assert_int_equal(out->n_nodes, 5); /* main, solve, a, b and d */
	assert_true(fabs(ph_profile_total(out, 0) - ph_profile_total(profile, 0)) < 1e-9);
	assert_true(fabs(ph_profile_mean(out, 0, 0, PH_COST_ABSORBED) - 0.3) < 1e-9);
	ph_profile_free(&env, out);
	ph_profile_free(&env, profile);
	assert_int_equal(env.bytes, 0);
}

static PhStatus
choose_and_apply(PhEnv *env, void *user)
{
	PhLegibleLimits limits = {NAN, 3, 2};
	RandomNumbers numbers = {7};
	PhLegible chosen;
	PhProfile *profile, *out;
	(void) user;
	PH_TRY(random_profile(env, &numbers, 40, 2, &profile));
	PhStatus status = ph_legible_choose(env, profile, 0, PH_GROUP_FUNCTION, NULL, &limits, &chosen);
	if (status == PH_OK)
		status = ph_legible_apply(env, profile, 0, &chosen, &out);
	if (status == PH_OK)
		ph_profile_free(env, out);
	ph_profile_free(env, profile);
	return status;
}

static void
faults_leave_nothing(void **state)
{
	(void) state;
	assert_string_equal(fault_env_try_allocations(choose_and_apply, NULL, 300), "");
	assert_string_equal(fault_env_try_interrupts(choose_and_apply, NULL, 300), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choices_are_those_of_a_plain_search),
		cmocka_unit_test(wrappers_go_first),
		cmocka_unit_test(faults_leave_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
