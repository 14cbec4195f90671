/*
 * test_run_summary.c - statistics over execution units against a slow reference; interning's id
 * set.
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

#include "pipeline/store/id_set.h"
#include "pipeline/store/run_summary.h"
#include "support/fault_env.h"
#include "support/mixed.h"

#define N_INPUTS 2000

static bool
same_unit(const PhProfile *p, uint32_t x, uint32_t y)
{
	const PhColumn *a = &p->columns[x], *b = &p->columns[y];
	return a->run_id == b->run_id && a->rank == b->rank && a->thread == b->thread &&
		   a->kind == b->kind && strcmp(p->strings[a->host], p->strings[b->host]) == 0 &&
		   strcmp(p->strings[a->name], p->strings[b->name]) == 0;
}

/* Units by comparing every pair. */
static void
check_units(const PhProfile *profile, const PhUnits *units)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		uint32_t first = 0;
		while (!same_unit(profile, first, i))
			first++;
		n += first == i;
		assert_int_equal(units->first_column[units->unit[i]], first);
	}
	assert_int_equal(units->n_units, n);
}

/* A node's value in a unit, straight from the definition. NaN: the unit has no such node. */
static double
unit_value(const PhProfile *profile, const PhUnits *units, uint32_t m, uint32_t node, uint32_t unit,
		   PhCost cost)
{
	const PhMetric *metric = &profile->metrics[m];
	double value = NAN;
	uint32_t n = 0;
	for (uint32_t c = 0; c < profile->n_columns; c++)
	{
		double cell = ph_profile_cell(profile, m, node, c, cost);
		if (units->unit[c] != unit || !ph_profile_is_present(profile, node, c))
			continue;
		n++;
		if (n == 1)
			value = cell;
		else if (metric->kind == PH_METRIC_VALUE && metric->combine == PH_COMBINE_MAX)
			value = fmax(value, cell);
		else
			value += cell;
	}
	if (metric->kind == PH_METRIC_VALUE && metric->combine == PH_COMBINE_MEAN && n > 1)
		value /= n;
	return value;
}

static void
check_moments(const PhProfile *profile, const PhUnits *units, uint32_t m, uint32_t node,
			  PhCost cost, uint32_t n, const PhMoments *got)
{
	double sum = 0, sumsq = 0, min = INFINITY, max = -INFINITY;
	uint32_t present = 0;
	for (uint32_t unit = 0; unit < units->n_units; unit++)
	{
		double value = unit_value(profile, units, m, node, unit, cost);
		if (isnan(value))
			continue;
		present++;
		sum += value;
		sumsq += value * value;
		min = fmin(min, value);
		max = fmax(max, value);
	}
	assert_int_equal(n, present);
	if (present == 0)
		return;
	assert_true(agree(got->sum, sum, 1e-12) && agree(got->sumsq, sumsq, 1e-12));
	assert_true(got->min == min && got->max == max);
	assert_true(unit_value(profile, units, m, node, units->unit[got->argmin], cost) == min);
	assert_true(unit_value(profile, units, m, node, units->unit[got->argmax], cost) == max);
}

/* The whole and the hosts of a run, from their definitions. */
static void
check_totals(const PhProfile *profile, const PhUnits *units)
{
	double total = 0;
	uint32_t n_hosts = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t unit = 0; profile->parent[node] == PH_NONE && unit < units->n_units; unit++)
		{
			double value = unit_value(profile, units, MIXED_TIME, node, unit, PH_COST_INCLUSIVE);
			total += isnan(value) ? 0 : value;
		}
	for (uint32_t c = 0; c < profile->n_columns; c++)
	{
		const char *host = profile->strings[profile->columns[c].host];
		uint32_t before = 0;
		while (strcmp(profile->strings[profile->columns[before].host], host) != 0)
			before++;
		n_hosts += host[0] != '\0' && before == c;
	}
	assert_int_equal(units->n_hosts, n_hosts);
	if (units->n_units > 0)
		assert_true(agree(ph_run_total(profile, units, MIXED_TIME), total / units->n_units, 1e-12));
	assert_true(isnan(ph_run_total(profile, units, profile->n_metrics)));
}

static bool
has_ancestor_of_region(const PhProfile *profile, uint32_t node)
{
	for (uint32_t n = profile->parent[node]; n != PH_NONE; n = profile->parent[n])
		if (ph_profile_region(profile, n)->region_id == ph_profile_region(profile, node)->region_id)
			return true;
	return false;
}

static bool
has_twin_before(const PhProfile *profile, uint32_t region)
{
	for (uint32_t r = 0; r < region; r++)
		if (profile->regions[r].region_id == profile->regions[region].region_id)
			return true;
	return false;
}

static void
check_regions(PhArena *arena, const PhProfile *profile, const PhUnits *units)
{
	PhRegionSummary *regions;
	assert_int_equal(ph_region_summaries(arena, profile, units, MIXED_TIME, &regions), PH_OK);
	for (uint32_t r = 0; r < profile->n_regions; r++)
	{
		double inclusive = 0, exclusive = 0;
		uint32_t n_nodes = 0;
		if (has_twin_before(profile, r)) /* differs in its module label alone */
		{
			assert_int_equal(regions[r].n_nodes, 0);
			continue;
		}
		for (uint32_t node = 0; node < profile->n_nodes; node++)
		{
			double units_per_column = (double) profile->n_columns / units->n_units;
			if (ph_profile_region(profile, node)->region_id != profile->regions[r].region_id)
				continue;
			n_nodes++;
			exclusive +=
				units_per_column * ph_profile_mean(profile, MIXED_TIME, node, PH_COST_EXCLUSIVE);
			if (!has_ancestor_of_region(profile, node))
				inclusive += units_per_column *
							 ph_profile_mean(profile, MIXED_TIME, node, PH_COST_INCLUSIVE);
		}
		assert_int_equal(regions[r].n_nodes, n_nodes);
		assert_true(agree(regions[r].inclusive, inclusive, 1e-9));
		assert_true(agree(regions[r].exclusive, exclusive, 1e-9));
		assert_true(regions[r].min <= regions[r].max);
	}
}

static void
summaries_match_the_definition(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		Mixed input;
		PhProfile *profile;
		PhUnits units;
		PhUnitVectors vectors;
		PhArena arena;
		PhEnv env;
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		mixed_random(seed, true, &input);
		assert_int_equal(mixed_profile(&env, &input, NULL, &profile), PH_OK);
		assert_int_equal(ph_units_find(&arena, profile, &units), PH_OK);
		check_units(profile, &units);
		assert_int_equal(ph_unit_vectors_new(&arena, &units, &vectors), PH_OK);
		for (uint32_t m = 0; m < MIXED_RATE; m++)
			for (uint32_t node = 0; node < profile->n_nodes; node++)
			{
				PhNodeSummary summary;
				ph_node_summary(profile, &units, m, node, &vectors, &summary);
				check_moments(profile, &units, m, node, PH_COST_INCLUSIVE, summary.n,
							  &summary.inclusive);
				check_moments(profile, &units, m, node, PH_COST_EXCLUSIVE, summary.n,
							  &summary.exclusive);
			}
		check_totals(profile, &units);
		check_regions(&arena, profile, &units);
		ph_arena_drop(&arena);
		ph_profile_free(&env, profile);
	}
}

/* Sums that are said to be exact give the means that values give, whatever the values are. */
static void
exact_sums_are_means(void **state)
{
	uint32_t n_exact = 0;
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		Mixed input;
		PhProfile *profile;
		PhUnits units;
		PhUnitVectors vectors;
		PhArena arena;
		PhEnv env;
		ph_env_init_malloc(&env);
		ph_arena_init(&arena, &env);
		mixed_random(seed, false, &input);
		assert_int_equal(mixed_profile(&env, &input, NULL, &profile), PH_OK);
		assert_int_equal(ph_units_find(&arena, profile, &units), PH_OK);
		assert_int_equal(ph_unit_vectors_new(&arena, &units, &vectors), PH_OK);
		for (uint32_t m = 0; m < MIXED_RATE; m++)
		{
			bool is_exact = ph_summary_sums_of(profile, &units, m) == PH_SUMS_EXACT;
			assert_true(!is_exact || ph_profile_residual(profile, m) == 0);
			n_exact += is_exact;
			for (uint32_t node = 0; is_exact && node < profile->n_nodes; node++)
			{
				PhNodeSummary summary;
				ph_node_summary(profile, &units, m, node, &vectors, &summary);
				double inclusive = summary.inclusive.sum / profile->n_columns;
				double exclusive = summary.exclusive.sum / profile->n_columns;
				double means[] = {ph_profile_mean(profile, m, node, PH_COST_INCLUSIVE),
								  ph_profile_mean(profile, m, node, PH_COST_EXCLUSIVE)};
				assert_memory_equal(&inclusive, &means[0], sizeof(inclusive));
				assert_memory_equal(&exclusive, &means[1], sizeof(exclusive));
			}
		}
		ph_arena_drop(&arena);
		ph_profile_free(&env, profile);
	}
	assert_true(n_exact > N_INPUTS / 4);
}

static PhStatus
summarise(PhEnv *env, void *user)
{
	const PhProfile *profile = user;
	PhArena arena;
	PhUnits units;
	PhRegionSummary *regions;
	PhStatus status;
	ph_arena_init(&arena, env);
	status = ph_units_find(&arena, profile, &units);
	if (status == PH_OK)
		status = ph_region_summaries(&arena, profile, &units, MIXED_TIME, &regions);
	ph_arena_drop(&arena);
	return status;
}

static void
survives_failing_allocations(void **state)
{
	Mixed input;
	PhProfile *profile;
	PhEnv env;
	(void) state;
	ph_env_init_malloc(&env);
	mixed_random(7, true, &input);
	assert_int_equal(mixed_profile(&env, &input, NULL, &profile), PH_OK);
	assert_string_equal(fault_env_try_allocations(summarise, profile, 0), "");
	ph_profile_free(&env, profile);
}

static void
id_set_finds_what_was_added(void **state)
{
	PhIdSet set = {0};
	PhEnv env;
	(void) state;
	ph_env_init_malloc(&env);
	assert_int_equal(ph_id_set_find(&set, 1, 1), PH_ID_NEW);
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(ph_id_set_add(&env, &set, i * 1024, i), PH_OK);
	for (uint64_t i = 0; i < 5000; i++)
	{
		assert_int_equal(ph_id_set_find(&set, i * 1024, i), PH_ID_KNOWN);
		assert_int_equal(ph_id_set_find(&set, i * 1024, i + 7), PH_ID_COLLISION);
		assert_int_equal(ph_id_set_find(&set, i * 1024 + 1, i), PH_ID_NEW);
	}
	assert_int_equal(set.n_used, 5000);
	assert_int_equal(ph_id_set_add(&env, &set, 1024, 1), PH_OK);
	assert_int_equal(set.n_used, 5000);
	ph_id_set_free(&env, &set);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summaries_match_the_definition),
		cmocka_unit_test(exact_sums_are_means),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(id_set_finds_what_was_added),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
