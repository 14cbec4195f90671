/*
 * test_profile_ops.c - laws of the reductions on random profiles, against slow references.
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

#include "profile/flat.h"
#include "profile/gathered.h"
#include "profile/ops.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/profile_case.h"
#include "support/random_profile.h"
#include "support/rounds.h"

#define N_INPUTS rounds(2000)
#define CLOSE 1e-9

static double
cell(const PhProfile *profile, uint32_t metric, uint32_t node, uint32_t column, PhCost cost)
{
	return ph_profile_cell(profile, metric, node, column, cost);
}

static double
roots_of(const PhProfile *profile, uint32_t metric, uint32_t column)
{
	double sum = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node = profile->subtree_end[node])
		sum += cell(profile, metric, node, column, PH_COST_INCLUSIVE);
	return sum;
}

/* A wrapper between two nodes: its time is absorbed, not its caller's own. */
static void
absorbed_is_not_exclusive(void **state)
{
	(void) state;
	PhProfile *profile = case_mixed(21, true), *spliced;
	bool *keep = calloc(profile->n_nodes, sizeof(bool));
	assert_int_equal(ph_profile_splice(&case_env, profile, keep, "splice: all", &spliced), PH_OK);
	case_sound(spliced);
	for (uint32_t node = 0; node < spliced->n_nodes; node++)
	{
		uint32_t root = same_path(profile, spliced, node);
		assert_int_equal(spliced->parent[node], PH_NONE);
		for (uint32_t column = 0; column < spliced->n_columns; column++)
		{
			double own = cell(profile, 0, root, column, PH_COST_EXCLUSIVE);
			assert_true(cell(spliced, 0, node, column, PH_COST_EXCLUSIVE) == own);
			assert_true(agree(cell(spliced, 0, node, column, PH_COST_INCLUSIVE) -
								  cell(spliced, 0, node, column, PH_COST_RESIDUAL) - own,
							  cell(spliced, 0, node, column, PH_COST_ABSORBED), CLOSE));
		}
	}
	assert_true(spliced->provenance.share_filtered > 0);
	free(keep);
	ph_profile_free(&case_env, spliced);
	ph_profile_free(&case_env, profile);
}

/* ---- squash, subtree ---- */

/* The kept ancestors of a node (and itself), joined as a path; compared with the result's. */
static bool
is_squashed_path(const PhProfile *profile, const bool *keep, uint32_t node,
				 const PhProfile *squashed, uint32_t other)
{
	while (node != PH_NONE && other != PH_NONE)
	{
		if (!keep[node])
		{
			node = profile->parent[node];
			continue;
		}
		if (ph_region_compare(profile, ph_profile_region(profile, node), squashed,
							  ph_profile_region(squashed, other)) != 0)
			return false;
		node = profile->parent[node];
		other = squashed->parent[other];
	}
	while (node != PH_NONE && !keep[node])
		node = profile->parent[node];
	return node == other;
}

static void
squash_keeps_own_costs_of_kept_nodes(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		Random random = {seed};
		PhProfile *profile = case_mixed(seed, true), *squashed;
		bool keep[MIXED_MOST_NODES];
		for (uint32_t i = 0; i < profile->n_nodes; i++)
			keep[i] = random_below(&random, 2) == 0;
		keep[random_below(&random, profile->n_nodes)] = true;
		assert_int_equal(ph_profile_squash(&case_env, profile, keep, "squash: test", &squashed),
						 PH_OK);
		case_sound(squashed);
		for (uint32_t node = 0; node < squashed->n_nodes; node++)
		{
			double sum = 0, peak = 0;
			uint32_t n = 0;
			for (uint32_t i = 0; i < profile->n_nodes; i++)
				if (keep[i] && is_squashed_path(profile, keep, i, squashed, node))
				{
					sum += cell(profile, 0, i, 0, PH_COST_EXCLUSIVE);
					peak = fmax(peak, cell(profile, MIXED_PEAK, i, 0, PH_COST_EXCLUSIVE));
					n++;
				}
			assert_true(n > 0);
			assert_true(agree(cell(squashed, 0, node, 0, PH_COST_EXCLUSIVE), sum, CLOSE));
			assert_true(agree(cell(squashed, MIXED_PEAK, node, 0, PH_COST_EXCLUSIVE), peak, 0));
		}
		ph_profile_free(&case_env, squashed);
		ph_profile_free(&case_env, profile);
	}
}

static void
squash_to_nothing_is_refused(void **state)
{
	(void) state;
	PhProfile *profile = case_mixed(4, true), *out = NULL;
	bool keep[MIXED_MOST_NODES] = {false};
	assert_int_equal(ph_profile_squash(&case_env, profile, keep, "squash: test", &out),
					 PH_ERR_VALUE);
	assert_null(out);
	ph_profile_free(&case_env, profile);
}

static void
subtrees_keep_their_numbers(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *profile = case_mixed(seed, true), *subtree;
		uint32_t top = (uint32_t) (seed * 7 % profile->n_nodes);
		bool reroot = seed % 2 == 0;
		assert_int_equal(ph_profile_subtree(&case_env, profile, top, reroot, &subtree), PH_OK);
		case_sound(subtree);
		uint32_t above = reroot ? 0 : profile->depth[top];
		assert_int_equal(subtree->n_nodes, profile->subtree_end[top] - top + above);
		for (uint32_t node = 0; node < subtree->n_nodes; node++)
			for (uint32_t column = 0; column < profile->n_columns; column++)
			{
				bool is_above = node < above;
				uint32_t old = is_above ? top : top + node - above;
				assert_true(agree(cell(subtree, 0, node, column, PH_COST_INCLUSIVE),
								  cell(profile, 0, old, column, PH_COST_INCLUSIVE), CLOSE));
				assert_true(cell(subtree, 0, node, column, PH_COST_EXCLUSIVE) ==
							(is_above ? 0 : cell(profile, 0, old, column, PH_COST_EXCLUSIVE)));
				assert_int_equal(ph_profile_is_present(subtree, node, column),
								 ph_profile_is_present(profile, old, column));
			}
		ph_profile_free(&case_env, subtree);
		ph_profile_free(&case_env, profile);
	}
}

/* ---- invert ---- */

static double
exclusive_of_function(const PhProfile *profile, const PhProfile *inverted, uint32_t root,
					  uint32_t column)
{
	double sum = 0;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (ph_region_compare(profile, ph_profile_region(profile, node), inverted,
							  ph_profile_region(inverted, root)) == 0)
			sum += cell(profile, 0, node, column, PH_COST_OWN);
	return sum;
}

static void
inverted_roots_are_functions_with_their_own_cost(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *profile = case_mixed(seed, true), *inverted, *back;
		assert_int_equal(ph_profile_invert(&case_env, profile, &inverted), PH_OK);
		case_sound(inverted);
		for (uint32_t column = 0; column < profile->n_columns; column++)
		{
			for (uint32_t root = 0; root < inverted->n_nodes; root = inverted->subtree_end[root])
				assert_true(agree(cell(inverted, 0, root, column, PH_COST_INCLUSIVE),
								  exclusive_of_function(profile, inverted, root, column), CLOSE));
			assert_true(agree(roots_of(profile, 0, column), roots_of(inverted, 0, column), CLOSE));
		}
		/* twice inverted: the paths again, with the costs where they were */
		assert_int_equal(ph_profile_invert(&case_env, inverted, &back), PH_OK);
		assert_true(agree(roots_of(back, 0, 0), roots_of(profile, 0, 0), CLOSE));
		ph_profile_free(&case_env, back);
		ph_profile_free(&case_env, inverted);
		ph_profile_free(&case_env, profile);
	}
}

/* ---- columns and metrics ---- */

static PhProfile *
subset(const PhProfile *profile, const bool *keep)
{
	PhProfile *out;
	assert_int_equal(ph_profile_subset(&case_env, profile, keep, &out), PH_OK);
	case_sound(out);
	return out;
}

static void
subset_and_complement_make_the_whole(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *profile = case_mixed(seed, true);
		bool keep[MIXED_MOST_COLUMNS], other[MIXED_MOST_COLUMNS];
		uint32_t n_kept = 0;
		for (uint32_t i = 0; i < profile->n_columns; i++)
		{
			keep[i] = (seed >> i & 1) != 0;
			other[i] = !keep[i];
			n_kept += keep[i];
		}
		if (n_kept == 0 || n_kept == profile->n_columns)
		{
			ph_profile_free(&case_env, profile);
			continue;
		}
		PhProfile *in = subset(profile, keep), *out = subset(profile, other);
		assert_int_equal(in->n_nodes, profile->n_nodes);
		for (uint32_t node = 0; node < profile->n_nodes; node++)
		{
			uint32_t next[2] = {0, 0};
			for (uint32_t column = 0; column < profile->n_columns; column++)
			{
				const PhProfile *part = keep[column] ? in : out;
				uint32_t at = next[keep[column]]++;
				for (uint32_t m = 0; m < MIXED_METRICS; m++)
					assert_true(agree(cell(part, m, node, at, PH_COST_INCLUSIVE),
									  cell(profile, m, node, column, PH_COST_INCLUSIVE), 0));
				assert_int_equal(ph_profile_is_present(part, node, at),
								 ph_profile_is_present(profile, node, column));
			}
		}
		ph_profile_free(&case_env, in);
		ph_profile_free(&case_env, out);
		ph_profile_free(&case_env, profile);
	}
}

static bool
in_group(const PhProfile *profile, uint32_t x, const PhProfile *rolled, uint32_t y, int level)
{
	const PhColumn *a = &profile->columns[x], *b = &rolled->columns[y];
	switch (level)
	{
		case 0: /* rank */
			return a->rank == b->rank;
		case 1: /* host */
			return strcmp(profile->strings[a->host], rolled->strings[b->host]) == 0;
		case 2: /* thread */
			return a->rank == b->rank && a->thread == b->thread;
		case 3: /* iteration */
			return a->iteration == b->iteration;
		default: /* run, all */
			return true;
	}
}

static void
compare_rolled_cell(const PhProfile *profile, const PhProfile *rolled, int level, uint32_t node,
					uint32_t group)
{
	double sum = 0, heat = 0, peak = 0, count = 0;
	uint32_t n = 0;
	for (uint32_t column = 0; column < profile->n_columns; column++)
	{
		if (!in_group(profile, column, rolled, group, level))
			continue;
		sum += cell(profile, 0, node, column, PH_COST_INCLUSIVE);
		count += cell(profile, MIXED_COUNT, node, column, PH_COST_INCLUSIVE);
		peak = fmax(peak, cell(profile, MIXED_PEAK, node, column, PH_COST_INCLUSIVE));
		heat += cell(profile, MIXED_HEAT, node, column, PH_COST_INCLUSIVE);
		n += ph_profile_is_present(profile, node, column);
	}
	assert_true(agree(cell(rolled, 0, node, group, PH_COST_INCLUSIVE), sum, CLOSE));
	assert_true(agree(cell(rolled, MIXED_PEAK, node, group, PH_COST_INCLUSIVE), peak, 0));
	assert_true(agree(cell(rolled, MIXED_HEAT, node, group, PH_COST_INCLUSIVE),
					  n == 0 ? 0 : heat / n, 1e-9));
	assert_int_equal(ph_profile_is_present(rolled, node, group), n > 0);
	/* ratios are evaluated after the roll-up */
	if (n > 0)
		assert_true(agree(cell(rolled, MIXED_RATE, node, group, PH_COST_INCLUSIVE),
						  sum == 0 ? NAN : count / sum, 1e-9));
}

static void
roll_ups_add_up_by_level(void **state)
{
	(void) state;
	static const char *const levels[] = {"rank", "host", "thread", "iteration", "run", "all"};
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *profile = case_mixed(seed, true), *rolled, *once, *twice;
		int level = (int) (seed % 6);
		assert_int_equal(ph_profile_roll_up_by(&case_env, profile, levels[level], &rolled), PH_OK);
		case_sound(rolled);
		for (uint32_t node = 0; node < profile->n_nodes; node++)
			for (uint32_t group = 0; group < rolled->n_columns; group++)
				compare_rolled_cell(profile, rolled, level, node, group);
		/* coarser after finer is coarser */
		assert_int_equal(ph_profile_roll_up_by(&case_env, rolled, "all", &twice), PH_OK);
		assert_int_equal(ph_profile_roll_up_by(&case_env, profile, "all", &once), PH_OK);
		assert_int_equal(twice->n_columns, 1);
		for (uint32_t node = 0; node < profile->n_nodes; node++)
			assert_true(agree(cell(once, 0, node, 0, PH_COST_INCLUSIVE),
							  cell(twice, 0, node, 0, PH_COST_INCLUSIVE), CLOSE));
		ph_profile_free(&case_env, once);
		ph_profile_free(&case_env, twice);
		ph_profile_free(&case_env, rolled);
		ph_profile_free(&case_env, profile);
	}
}

static void
roll_up_by_hand_and_its_errors(void **state)
{
	(void) state;
	PhProfile *profile = NULL, *rolled = NULL;
	for (uint64_t seed = 0; profile == NULL || profile->n_columns < 3; seed++)
	{
		ph_profile_free(&case_env, profile);
		profile = case_mixed(seed, true);
	}
	uint32_t group[MIXED_MOST_COLUMNS] = {0, PH_NONE, 0, 0, 0, 0};
	PhColumn column = profile->columns[0];
	assert_int_equal(ph_profile_roll_up(&case_env, profile, group, 1, &column, &rolled), PH_OK);
	case_sound(rolled);
	double sum = 0;
	for (uint32_t i = 0; i < profile->n_columns; i++)
		sum += i == 1 ? 0 : roots_of(profile, 0, i);
	assert_true(agree(roots_of(rolled, 0, 0), sum, CLOSE));
	ph_profile_free(&case_env, rolled);
	rolled = NULL;
	group[0] = 5;
	assert_int_equal(ph_profile_roll_up(&case_env, profile, group, 1, &column, &rolled),
					 PH_ERR_VALUE);
	assert_int_equal(ph_profile_roll_up(&case_env, profile, group, 0, &column, &rolled),
					 PH_ERR_VALUE);
	assert_int_equal(ph_profile_roll_up_by(&case_env, profile, "core", &rolled), PH_ERR_VALUE);
	assert_non_null(strstr(case_env.error.hint, "host"));
	bool none[MIXED_MOST_COLUMNS] = {false};
	assert_int_equal(ph_profile_subset(&case_env, profile, none, &rolled), PH_ERR_VALUE);
	assert_null(rolled);
	ph_profile_free(&case_env, profile);
}

/* Rank 0 of two runs is not one rank, but "all" is all. */
static void
roll_ups_stay_within_runs(void **state)
{
	(void) state;
	Mixed input;
	PhProfile *profile, *rolled;
	static const char *const levels[] = {"rank", "host", "thread", "iteration", "run", "all"};
	mixed_random(2, true, &input);
	input.n_columns = 2;
	uint32_t n_values = 0;
	for (uint32_t i = 0; i < input.n_values; i++)
		if (input.values[i].column < 2)
			input.values[n_values++] = input.values[i];
	input.n_values = n_values;
	input.columns[1] = input.columns[0];
	input.columns[1].run_id = 8;
	assert_int_equal(mixed_profile(&case_env, &input, NULL, &profile), PH_OK);
	for (int i = 0; i < 6; i++)
	{
		assert_int_equal(ph_profile_roll_up_by(&case_env, profile, levels[i], &rolled), PH_OK);
		assert_int_equal(rolled->n_columns, i < 5 ? 2 : 1);
		ph_profile_free(&case_env, rolled);
	}
	ph_profile_free(&case_env, profile);
}

static void
selected_ratios_bring_their_operands(void **state)
{
	(void) state;
	PhProfile *profile = case_mixed(12, true), *selected, *out = NULL;
	const uint32_t list[] = {MIXED_RATE, MIXED_PEAK}, bad[] = {77};
	assert_int_equal(ph_profile_select_metrics(&case_env, profile, 2, list, &selected), PH_OK);
	case_sound(selected);
	assert_int_equal(selected->n_metrics, 4);
	assert_string_equal(selected->strings[selected->metrics[0].name], "rate");
	assert_string_equal(selected->strings[selected->metrics[1].name], "peak");
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		assert_true(agree(ph_profile_mean(selected, 0, node, PH_COST_INCLUSIVE),
						  ph_profile_mean(profile, MIXED_RATE, node, PH_COST_INCLUSIVE), 0));
	assert_int_equal(ph_profile_select_metrics(&case_env, profile, 1, bad, &out), PH_ERR_NOT_FOUND);
	assert_int_equal(ph_profile_select_metrics(&case_env, profile, 0, bad, &out), PH_ERR_VALUE);
	assert_null(out);
	ph_profile_free(&case_env, selected);
	ph_profile_free(&case_env, profile);
}

static void
the_unfiltered_profile_follows_the_columns(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(200); seed++)
	{
		PhProfile *profile = case_mixed(seed, true), *filtered, *a, *b;
		assert_int_equal(ph_profile_filter(&case_env, profile, 0.2, PH_STAT_MEAN, 0,
										   PH_COST_INCLUSIVE, &filtered),
						 PH_OK);
		assert_int_equal(ph_profile_roll_up_by(&case_env, filtered, "rank", &a), PH_OK);
		assert_int_equal(ph_profile_roll_up_by(&case_env, profile, "rank", &b), PH_OK);
		case_sound(a);
		assert_true(same_bytes(&case_env, a->unfiltered, b));
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
		ph_profile_free(&case_env, filtered);
		ph_profile_free(&case_env, profile);
	}
}

/* ---- settle ---- */

/* Where the time that a node has of its own must be: in what its inclusive leaves, or nowhere. */
static void
check_settled(const PhProfile *before, const PhProfile *after, uint32_t node, uint32_t column)
{
	double children = 0, inclusive = cell(after, 0, node, column, PH_COST_INCLUSIVE);
	double exclusive = cell(after, 0, node, column, PH_COST_EXCLUSIVE);
	for (uint32_t n = node + 1; n < after->subtree_end[node]; n = after->subtree_end[n])
		children += cell(after, 0, n, column, PH_COST_INCLUSIVE);
	assert_true(inclusive == cell(before, 0, node, column, PH_COST_INCLUSIVE));
	assert_true(agree(exclusive, inclusive > children ? inclusive - children : 0, CLOSE));
	assert_true(cell(after, 0, node, column, PH_COST_ABSORBED) == 0);
	assert_true(cell(after, 0, node, column, PH_COST_RESIDUAL) <= 0);
}

static void
settled_profiles_have_what_inclusives_leave(void **state)
{
	(void) state;
	uint64_t n_absorbed = 0, n_residual = 0;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *profile = case_mixed(seed, true), *filtered, *settled, *again;
		assert_int_equal(ph_profile_filter(&case_env, profile, 0.2, PH_STAT_MEAN, MIXED_TIME,
										   PH_COST_INCLUSIVE, &filtered),
						 PH_OK);
		assert_int_equal(ph_profile_settle(&case_env, filtered, &settled), PH_OK);
		case_sound(settled);
		assert_null(settled->unfiltered);
		for (uint32_t node = 0; node < settled->n_nodes; node++)
			for (uint32_t column = 0; column < settled->n_columns; column++)
			{
				check_settled(filtered, settled, node, column);
				n_absorbed += cell(filtered, 0, node, column, PH_COST_ABSORBED) > 0;
				n_residual += cell(settled, 0, node, column, PH_COST_RESIDUAL) < 0;
			}
		assert_int_equal(ph_profile_settle(&case_env, settled, &again), PH_OK);
		again->provenance.residual_cells = settled->provenance.residual_cells;
		assert_true(same_bytes(&case_env, settled, again));
		ph_profile_free(&case_env, again);
		ph_profile_free(&case_env, settled);
		ph_profile_free(&case_env, filtered);
		ph_profile_free(&case_env, profile);
	}
	assert_true(n_absorbed > met_in_rounds(1000));
	assert_true(n_residual > met_in_rounds(100));
}

static void
settled_differences_are_signed_and_unmarked(void **state)
{
	(void) state;
	PhProfile *a = case_mixed(41, true), *b = case_mixed(42, true), *diff, *settled;
	assert_int_equal(ph_profile_diff(&case_env, a, b, &diff), PH_OK);
	assert_non_null(diff->diff_status);
	assert_int_equal(ph_profile_settle(&case_env, diff, &settled), PH_OK);
	case_sound(settled);
	assert_null(settled->diff_status);
	assert_null(settled->before);
	assert_null(settled->metrics[0].residual); /* what is negative stays where it is */
	ph_profile_free(&case_env, settled);
	ph_profile_free(&case_env, diff);
	ph_profile_free(&case_env, a);
	ph_profile_free(&case_env, b);
}

static void
undefined_values_cannot_be_settled(void **state)
{
	(void) state;
	PhProfile *a = case_mixed(41, true), *none, *quotient, *settled = NULL;
	assert_int_equal(ph_profile_scale(&case_env, a, 0, &none), PH_OK);
	assert_int_equal(ph_profile_arithmetic(&case_env, a, none, PH_DIVIDE, &quotient), PH_OK);
	assert_int_equal(ph_profile_settle(&case_env, quotient, &settled), PH_ERR_VALUE);
	assert_non_null(strstr(case_env.error.message, "divided by 0"));
	assert_null(settled);
	ph_profile_free(&case_env, quotient);
	ph_profile_free(&case_env, none);
	ph_profile_free(&case_env, a);
}

static void
visits_are_found_by_name(void **state)
{
	(void) state;
	PhProfile *profile = case_mixed(12, true), *other;
	assert_int_equal(ph_profile_visits(profile), PH_NONE);
	assert_int_equal(random_profile(&case_env, &(RandomNumbers){1}, 9, 2, &other), PH_OK);
	assert_string_equal(other->strings[other->metrics[ph_profile_visits(other)].name], "visits");
	ph_profile_free(&case_env, other);
	ph_profile_free(&case_env, profile);
}

/* ---- deep, large, faulty ---- */

static void
deep_chains_do_not_recurse(void **state)
{
	(void) state;
	BigForest shape = {100000, 5, 50, 1, 1}; /* a parent is the node before */
	PhProfile *profile, *filtered, *squashed, *subtree, *diff, *inverted = NULL;
	assert_int_equal(forest_big(&case_env, &shape, &profile), PH_OK);
	assert_int_equal(profile->depth[profile->n_nodes - 1], 99999);
	assert_int_equal(
		ph_profile_filter(&case_env, profile, 0.5, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &filtered),
		PH_OK);
	bool *keep = calloc(profile->n_nodes, sizeof(bool));
	for (uint32_t i = 0; i < profile->n_nodes; i += 2)
		keep[i] = true;
	assert_int_equal(ph_profile_squash(&case_env, profile, keep, "squash: half", &squashed), PH_OK);
	assert_int_equal(squashed->n_nodes, 50000);
	assert_int_equal(ph_profile_subtree(&case_env, profile, 70000, true, &subtree), PH_OK);
	assert_int_equal(ph_profile_diff(&case_env, profile, filtered, &diff), PH_OK);
	assert_int_equal(ph_profile_invert(&case_env, profile, &inverted), PH_ERR_LIMIT);
	assert_null(inverted);
	free(keep);
	ph_profile_free(&case_env, diff);
	ph_profile_free(&case_env, subtree);
	ph_profile_free(&case_env, squashed);
	ph_profile_free(&case_env, filtered);
	ph_profile_free(&case_env, profile);
}

/* Every reduction once; memory of the work must be all given back. */
static PhStatus
reduce_all(PhEnv *fault, const PhProfile *profile)
{
	const uint32_t metrics[] = {0};
	PhProfile *out;
	bool *keep;
	void *memory;
	PH_TRY(ph_env_alloc(fault, profile->n_nodes, sizeof(bool), &memory));
	keep = memory;
	keep[0] = true;
	PhStatus status = ph_profile_squash(fault, profile, keep, "squash: first", &out);
	ph_env_free(fault, memory, profile->n_nodes, sizeof(bool));
	PH_TRY(status);
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_filter(fault, profile, 0.2, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &out));
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_subtree(fault, profile, profile->n_nodes / 2, false, &out));
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_roll_up_by(fault, profile, "rank", &out));
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_select_metrics(fault, profile, 1, metrics, &out));
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_invert(fault, profile, &out));
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_settle(fault, profile, &out));
	ph_profile_free(fault, out);
	return PH_OK;
}

static PhStatus
reduce_mixed(PhEnv *fault, void *user)
{
	return reduce_all(fault, user);
}

static void
reductions_may_run_out_of_memory(void **state)
{
	(void) state;
	PhProfile *a = case_mixed(31, false), *b = case_mixed(33, false), *diff;
	assert_int_equal(ph_profile_diff(&case_env, a, b, &diff), PH_OK);
	assert_string_equal(fault_env_try_allocations(reduce_mixed, a, 0), "");
	assert_string_equal(fault_env_try_allocations(reduce_mixed, diff, 0), "");
	ph_profile_free(&case_env, a);
	ph_profile_free(&case_env, b);
	ph_profile_free(&case_env, diff);
}

static void
reductions_may_be_interrupted(void **state)
{
	(void) state;
	PhProfile *profile;
	BigForest shape = {4200, 10, 300, 2, 4200};
	assert_int_equal(forest_big(&case_env, &shape, &profile), PH_OK);
	assert_string_equal(fault_env_try_interrupts(reduce_mixed, profile, 0), "");
	ph_profile_free(&case_env, profile);
}

int
main(void)
{
#define OPS_TEST(f) cmocka_unit_test_setup_teardown(f, case_begin, case_end)
	const struct CMUnitTest tests[] = {
		OPS_TEST(absorbed_is_not_exclusive),
		OPS_TEST(squash_keeps_own_costs_of_kept_nodes),
		OPS_TEST(squash_to_nothing_is_refused),
		OPS_TEST(subtrees_keep_their_numbers),
		OPS_TEST(inverted_roots_are_functions_with_their_own_cost),
		OPS_TEST(subset_and_complement_make_the_whole),
		OPS_TEST(roll_ups_add_up_by_level),
		OPS_TEST(roll_up_by_hand_and_its_errors),
		OPS_TEST(roll_ups_stay_within_runs),
		OPS_TEST(selected_ratios_bring_their_operands),
		OPS_TEST(the_unfiltered_profile_follows_the_columns),
		OPS_TEST(settled_profiles_have_what_inclusives_leave),
		OPS_TEST(settled_differences_are_signed_and_unmarked),
		OPS_TEST(undefined_values_cannot_be_settled),
		OPS_TEST(visits_are_found_by_name),
		OPS_TEST(deep_chains_do_not_recurse),
		OPS_TEST(reductions_may_run_out_of_memory),
		OPS_TEST(reductions_may_be_interrupted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
