/*
 * test_summaries.c - statistics over execution units against a slow reference.
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

#include "stored/summaries.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/rounds.h"

#define N_INPUTS rounds(1000)

static bool
same_unit(const PhProfile *p, uint32_t x, uint32_t y)
{
	const PhColumn *a = &p->columns[x], *b = &p->columns[y];
	return a->run_id == b->run_id && a->rank == b->rank && a->thread == b->thread &&
		   a->kind == b->kind && strcmp(p->strings[a->host], p->strings[b->host]) == 0 &&
		   (a->rank != PH_NO_NUMBER || strcmp(p->strings[a->name], p->strings[b->name]) == 0);
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

static uint32_t
count_ids(const PhProfile *profile)
{
	uint32_t n = 0;
	for (uint32_t r = 0; r < profile->n_regions; r++)
	{
		uint32_t twin = 0; /* may differ in its module label alone */
		while (profile->regions[twin].region_id != profile->regions[r].region_id)
			twin++;
		n += twin == r;
	}
	return n;
}

/* A region's exclusive value in a unit. */
static double
exclusive_in(const PhProfile *profile, const PhUnits *units, int64_t region_id, uint32_t unit)
{
	double sum = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		double value = unit_value(profile, units, MIXED_TIME, node, unit, PH_COST_EXCLUSIVE);
		if ((int64_t) ph_profile_region(profile, node)->region_id == region_id && !isnan(value))
			sum += value;
	}
	return sum;
}

static void
check_region(const PhProfile *profile, const PhUnits *units, const PhRegionSummary *got)
{
	double inclusive = 0, exclusive = 0, min = INFINITY, max = -INFINITY;
	double units_per_column = (double) profile->n_columns / units->n_units;
	uint32_t n_nodes = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		if ((int64_t) ph_profile_region(profile, node)->region_id != got->region_id)
			continue;
		n_nodes++;
		if (!has_ancestor_of_region(profile, node))
			inclusive +=
				units_per_column * ph_profile_mean(profile, MIXED_TIME, node, PH_COST_INCLUSIVE);
	}
	for (uint32_t unit = 0; unit < units->n_units; unit++)
	{
		double value = exclusive_in(profile, units, got->region_id, unit);
		exclusive += value / units->n_units;
		min = fmin(min, value);
		max = fmax(max, value);
	}
	assert_int_equal(got->n_nodes, n_nodes);
	assert_true(agree(got->inclusive, inclusive, 1e-9) && agree(got->exclusive, exclusive, 1e-9));
	assert_true(got->min == min && got->max == max);
}

static void
check_regions(PhArena *arena, const PhProfile *profile, const PhUnits *units)
{
	PhRegionSummary *regions;
	uint32_t n;
	assert_int_equal(ph_region_summaries(arena, profile, units, MIXED_TIME, &regions, &n), PH_OK);
	assert_int_equal(n, count_ids(profile));
	for (uint32_t i = 0; i < n; i++)
	{
		assert_true(i == 0 || regions[i - 1].region_id < regions[i].region_id);
		check_region(profile, units, &regions[i]);
	}
}

/* The summaries of a block's nodes, unpacked, and what their sums are. */
static PhSummarySums
read_block(const PhProfile *profile, const PhUnits *units, uint32_t m, uint32_t block,
		   PhUnitVectors *vectors, PhNodeSummary *out, uint32_t *n)
{
	static uint8_t bytes[PH_SUMMARY_BLOCK_BOUND];
	PhBytes packed = {.data = bytes};
	assert_int_equal(ph_summary_block_make(profile, units, m, block, vectors, bytes, &packed.size),
					 PH_OK);
	*n = 0;
	if (packed.size == 0) /* no node is in any unit */
		return PH_SUMS_ROUNDED;
	assert_int_equal(ph_summary_unpack(vectors->env, packed, PH_SUMMARY_ALL, out, n), PH_OK);
	assert_true(ph_summary_belongs(profile->n_nodes, (int32_t) block, *n));
	return ph_summary_kind_of_sums(packed);
}

static void
check_block(const PhProfile *profile, const PhUnits *units, uint32_t m, uint32_t block,
			PhUnitVectors *vectors)
{
	PhNodeSummary got[PH_BLOCK_NODES] = {0};
	uint32_t first = block * PH_BLOCK_NODES, n;
	read_block(profile, units, m, block, vectors, got, &n);
	for (uint32_t i = 0; i < PH_BLOCK_NODES && first + i < profile->n_nodes; i++)
	{
		check_moments(profile, units, m, first + i, PH_COST_INCLUSIVE, got[i].n, &got[i].inclusive);
		check_moments(profile, units, m, first + i, PH_COST_EXCLUSIVE, got[i].n, &got[i].exclusive);
	}
}

/* What is made of one profile. */
typedef struct Summarised
{
	PhEnv env;
	PhArena arena;
	PhProfile *profile;
	PhUnits units;
	PhUnitVectors vectors;
} Summarised;

static void
begin(Summarised *s)
{
	ph_arena_init(&s->arena, &s->env);
	assert_int_equal(ph_units_find(&s->arena, s->profile, &s->units), PH_OK);
	assert_int_equal(ph_unit_vectors_new(&s->arena, &s->units, &s->vectors), PH_OK);
}

static void
begin_mixed(Summarised *s, uint64_t seed, bool whole_numbers)
{
	Mixed input;
	ph_env_init_malloc(&s->env);
	mixed_random(seed, whole_numbers, &input);
	for (uint32_t i = 0; i < input.n_columns; i++) /* one unit all the same: its rank is known */
		if (input.columns[i].iteration > 0)
			input.columns[i].name = "later";
	assert_int_equal(mixed_profile(&s->env, &input, NULL, &s->profile), PH_OK);
	begin(s);
}

static void
end(Summarised *s)
{
	ph_arena_drop(&s->arena);
	ph_profile_free(&s->env, s->profile);
}

static void
summaries_match_the_definition(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		Summarised s;
		begin_mixed(&s, seed, true);
		check_units(s.profile, &s.units);
		for (uint32_t m = 0; m < MIXED_RATE; m++)
			check_block(s.profile, &s.units, m, 0, &s.vectors);
		check_totals(s.profile, &s.units);
		check_regions(&s.arena, s.profile, &s.units);
		end(&s);
	}
}

static void
check_means(const PhProfile *profile, uint32_t m, const PhNodeSummary *nodes)
{
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		double got[] = {nodes[node].inclusive.sum / profile->n_columns,
						nodes[node].exclusive.sum / profile->n_columns};
		double means[] = {ph_profile_mean(profile, m, node, PH_COST_INCLUSIVE),
						  ph_profile_mean(profile, m, node, PH_COST_EXCLUSIVE)};
		assert_memory_equal(got, means, sizeof(got));
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
		Summarised s;
		begin_mixed(&s, seed, false);
		for (uint32_t m = 0; m < MIXED_RATE; m++)
		{
			PhNodeSummary nodes[PH_BLOCK_NODES];
			uint32_t n;
			if (read_block(s.profile, &s.units, m, 0, &s.vectors, nodes, &n) == PH_SUMS_ROUNDED)
				continue;
			n_exact++;
			assert_true(ph_profile_residual(s.profile, m) == 0);
			check_means(s.profile, m, nodes);
		}
		end(&s);
	}
	assert_true(n_exact > N_INPUTS / 4);
}

/* The last block has the nodes that are left, all others 256. */
static void
blocks_have_the_nodes_in_turn(void **state)
{
	static const uint32_t sizes[] = {1, PH_BLOCK_NODES, 3 * PH_BLOCK_NODES + 7};
	(void) state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
	{
		BigForest chain = {sizes[i], 5, 40, 3, 1};
		Summarised s;
		ph_env_init_malloc(&s.env);
		assert_int_equal(forest_big(&s.env, &chain, &s.profile), PH_OK);
		begin(&s);
		assert_int_equal(s.profile->n_nodes, sizes[i]);
		assert_int_equal(ph_n_summary_blocks(s.profile),
						 (sizes[i] + PH_BLOCK_NODES - 1) / PH_BLOCK_NODES);
		for (uint32_t block = 0; block < ph_n_summary_blocks(s.profile); block++)
			check_block(s.profile, &s.units, MIXED_TIME, block, &s.vectors);
		end(&s);
	}
}

static PhStatus
summarise(PhEnv *env, void *user)
{
	const PhProfile *profile = user;
	PhArena arena;
	PhUnits units;
	PhRegionSummary *regions;
	uint32_t n;
	PhStatus status;
	ph_arena_init(&arena, env);
	status = ph_units_find(&arena, profile, &units);
	if (status == PH_OK)
		status = ph_region_summaries(&arena, profile, &units, MIXED_TIME, &regions, &n);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summaries_match_the_definition),
		cmocka_unit_test(exact_sums_are_means),
		cmocka_unit_test(blocks_have_the_nodes_in_turn),
		cmocka_unit_test(survives_failing_allocations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
