/*
 * test_profile_combine.c - laws of differences, sums and ensembles on random profiles, and
 * Hatchet's numbers where they are right.
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

#include "profile/flat.h"
#include "profile/internal.h"
#include "profile/ops.h"
#include "support/fault_env.h"
#include "support/mixed.h"
#include "support/profile_case.h"
#include "support/rounds.h"

#define N_INPUTS rounds(2000)
#define CLOSE 1e-9

static PhProfile *
combine(const PhProfile *a, const PhProfile *b, PhArithmetic op)
{
	PhProfile *out;
	if (ph_profile_arithmetic(&case_env, a, b, op, &out) != PH_OK)
		fail_msg("%s", case_env.error.message);
	case_sound(out);
	return out;
}

static PhProfile *
diff(const PhProfile *a, const PhProfile *b)
{
	PhProfile *out;
	assert_int_equal(ph_profile_diff(&case_env, a, b, &out), PH_OK);
	case_sound(out);
	return out;
}

/* The mean of a node of another tree, 0 where this profile does not have it. */
static double
mean_at(const PhProfile *profile, uint32_t metric, const PhProfile *other, uint32_t node,
		PhCost cost)
{
	uint32_t mine = same_path(profile, other, node);
	return mine == PH_NONE ? 0 : ph_profile_mean(profile, metric, mine, cost);
}

static double
zero_if_undefined(double value)
{
	return isnan(value) ? 0 : value;
}

static uint32_t
count_union(const PhProfile *a, const PhProfile *b)
{
	uint32_t n = a->n_nodes;
	for (uint32_t node = 0; node < b->n_nodes; node++)
		n += same_path(a, b, node) == PH_NONE;
	return n;
}

/* ---- differences ---- */

static void
compare_diff_node(const PhProfile *a, const PhProfile *b, const PhProfile *d, uint32_t node)
{
	bool in_a = same_path(a, d, node) != PH_NONE, in_b = same_path(b, d, node) != PH_NONE;
	assert_true(in_a || in_b);
	assert_int_equal(d->diff_status[node], in_a && in_b ? PH_DIFF_BOTH
										   : in_a		? PH_DIFF_ONLY_BEFORE
														: PH_DIFF_ONLY_AFTER);
	for (uint32_t m = 0; m < MIXED_METRICS; m++)
		for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_EXCLUSIVE; cost++)
		{
			double x = mean_at(a, m, d, node, (PhCost) cost);
			double y = mean_at(b, m, d, node, (PhCost) cost);
			assert_true(agree(ph_profile_mean(d, m, node, (PhCost) cost),
							  zero_if_undefined(y) - zero_if_undefined(x), CLOSE));
			if (m == MIXED_RATE)
				continue;
			assert_true(agree(ph_profile_mean(d->before, m, node, (PhCost) cost), x, 0));
			assert_true(agree(ph_profile_mean(d->after, m, node, (PhCost) cost), y, 0));
		}
}

static void
differences_match_the_reference(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *a = case_mixed(seed, false), *b = case_mixed(seed + 7919, false);
		PhProfile *ab = diff(a, b), *ba = diff(b, a), *minus;
		assert_int_equal(ab->n_nodes, count_union(a, b));
		for (uint32_t node = 0; node < ab->n_nodes; node++)
			compare_diff_node(a, b, ab, node);
		/* diff(a, b) = -diff(b, a), to the last bit */
		assert_int_equal(ph_profile_scale(&case_env, ba, -1, &minus), PH_OK);
		for (uint32_t m = 0; m < MIXED_METRICS; m++)
		{
			size_t bytes = ph_profile_cells(ab) * sizeof(double);
			assert_memory_equal(ab->metrics[m].exclusive, minus->metrics[m].exclusive, bytes);
			assert_memory_equal(ab->metrics[m].inclusive, minus->metrics[m].inclusive, bytes);
		}
		ph_profile_free(&case_env, minus);
		ph_profile_free(&case_env, ab);
		ph_profile_free(&case_env, ba);
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
}

static void
difference_with_itself_is_zero(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(500); seed++)
	{
		PhProfile *a = case_mixed(seed, false), *aa = diff(a, a);
		for (uint32_t node = 0; node < aa->n_nodes; node++)
			for (uint32_t m = 0; m < MIXED_METRICS; m++)
				for (int cost = PH_COST_INCLUSIVE; cost <= PH_COST_OWN; cost++)
					assert_true(ph_profile_mean(aa, m, node, (PhCost) cost) == 0);
		ph_profile_free(&case_env, aa);
		ph_profile_free(&case_env, a);
	}
}

/* What a reduction makes of a difference is the difference of what it makes of the operands. */
static void
reductions_of_differences_keep_their_operands(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(200); seed++)
	{
		PhProfile *a = case_mixed(seed, false), *b = case_mixed(seed + 1, false), *d = diff(a, b);
		PhProfile *reduced[3];
		const uint32_t metrics[] = {MIXED_RATE, MIXED_TIME};
		assert_int_equal(
			ph_profile_filter(&case_env, d, 0.3, PH_STAT_MEAN, 0, PH_COST_INCLUSIVE, &reduced[0]),
			PH_OK);
		assert_int_equal(ph_profile_invert(&case_env, d, &reduced[1]), PH_OK);
		assert_int_equal(ph_profile_select_metrics(&case_env, d, 2, metrics, &reduced[2]), PH_OK);
		for (int i = 0; i < 3; i++)
		{
			const PhProfile *r = reduced[i];
			case_sound(r);
			uint32_t time = i == 2 ? 1 : MIXED_TIME;
			for (uint32_t node = 0; node < r->n_nodes; node++)
				assert_true(agree(ph_profile_mean(r, time, node, PH_COST_INCLUSIVE),
								  ph_profile_mean(r->after, time, node, PH_COST_INCLUSIVE) -
									  ph_profile_mean(r->before, time, node, PH_COST_INCLUSIVE),
								  CLOSE));
			ph_profile_free(&case_env, reduced[i]);
		}
		ph_profile_free(&case_env, d);
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
}

/* ---- arithmetic ---- */

static bool
same_numbers(const PhProfile *a, const PhProfile *b, double tolerance)
{
	if (a->n_nodes != b->n_nodes || a->n_columns != b->n_columns || a->n_metrics != b->n_metrics)
		return false;
	for (uint32_t node = 0; node < a->n_nodes; node++)
		for (uint32_t column = 0; column < a->n_columns; column++)
			for (uint32_t m = 0; m < a->n_metrics; m++)
				if (a->callpath_id[node] != b->callpath_id[node] ||
					!agree(ph_profile_cell(a, m, node, column, PH_COST_INCLUSIVE),
						   ph_profile_cell(b, m, node, column, PH_COST_INCLUSIVE), tolerance) ||
					ph_profile_is_present(a, node, column) !=
						ph_profile_is_present(b, node, column))
					return false;
	return true;
}

static void
addition_is_commutative_and_associative(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *a = case_mixed(seed, true), *b = case_mixed(seed + 31, true),
				  *c = case_mixed(seed + 77, true);
		PhProfile *ab = combine(a, b, PH_ADD), *ba = combine(b, a, PH_ADD);
		PhProfile *bc = combine(b, c, PH_ADD);
		PhProfile *left = combine(ab, c, PH_ADD), *right = combine(a, bc, PH_ADD);
		assert_int_equal(ab->n_nodes, count_union(a, b));
		assert_true(same_bytes(&case_env, ab, ba));
		assert_int_equal(left->n_nodes, right->n_nodes);
		assert_memory_equal(left->callpath_id, right->callpath_id,
							left->n_nodes * sizeof(uint64_t));
		/* with the same columns in all three, the numbers too */
		if (ab->n_columns == a->n_columns && left->n_columns == a->n_columns &&
			right->n_columns == a->n_columns && bc->n_columns == a->n_columns)
			assert_true(same_numbers(left, right, CLOSE));
		ph_profile_free(&case_env, left);
		ph_profile_free(&case_env, right);
		ph_profile_free(&case_env, bc);
		ph_profile_free(&case_env, ba);
		ph_profile_free(&case_env, ab);
		ph_profile_free(&case_env, c);
		ph_profile_free(&case_env, b);
		ph_profile_free(&case_env, a);
	}
}

static uint32_t
present_cell(const PhProfile *profile, const PhProfile *other, uint32_t node, uint32_t column)
{
	uint32_t mine = same_path(profile, other, node);
	return mine != PH_NONE && ph_profile_is_present(profile, mine, column);
}

static double
cell_at(const PhProfile *profile, const PhProfile *other, uint32_t m, uint32_t node,
		uint32_t column)
{
	uint32_t mine = same_path(profile, other, node);
	return mine == PH_NONE ? 0 : ph_profile_cell(profile, m, mine, column, PH_COST_INCLUSIVE);
}

/* The same units, another tree and other numbers: cells combine one by one. */
static void
cells_combine_by_coordinates(void **state)
{
	(void) state;
	uint32_t tried = 0;
	for (uint64_t seed = 0; tried < N_INPUTS; seed++)
	{
		Mixed x, y;
		PhProfile *a, *b;
		mixed_random(seed, true, &x);
		mixed_random(seed + 13, true, &y);
		if (x.n_columns > y.n_columns)
			continue;
		tried++;
		y.n_columns = x.n_columns;
		memcpy(y.columns, x.columns, sizeof(x.columns));
		uint32_t n_values = 0;
		for (uint32_t i = 0; i < y.n_values; i++)
			if (y.values[i].column < y.n_columns)
				y.values[n_values++] = y.values[i];
		y.n_values = n_values;
		assert_int_equal(mixed_profile(&case_env, &x, NULL, &a), PH_OK);
		assert_int_equal(mixed_profile(&case_env, &y, NULL, &b), PH_OK);
		for (int op = PH_SUBTRACT; op <= PH_DIVIDE; op++)
		{
			PhProfile *r = combine(a, b, (PhArithmetic) op);
			assert_int_equal(r->n_columns, a->n_columns);
			for (uint32_t node = 0; node < r->n_nodes; node++)
				for (uint32_t i = 0; i < r->n_columns; i++)
				{
					double p = cell_at(a, r, 0, node, i), q = cell_at(b, r, 0, node, i);
					bool in_a = present_cell(a, r, node, i), in_b = present_cell(b, r, node, i);
					bool linear = op == PH_ADD || op == PH_SUBTRACT;
					bool present = linear ? in_a || in_b : in_a && in_b;
					double expected = op == PH_ADD		  ? p + q
									  : op == PH_SUBTRACT ? p - q
									  : op == PH_MULTIPLY ? p * q
									  : q == 0			  ? NAN
														  : p / q;
					assert_int_equal(ph_profile_is_present(r, node, i), present);
					assert_true(agree(ph_profile_cell(r, 0, node, i, PH_COST_INCLUSIVE),
									  present ? expected : 0, CLOSE));
				}
			ph_profile_free(&case_env, r);
		}
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
}

static void
products_and_quotients_are_not_flow(void **state)
{
	(void) state;
	PhProfile *a = case_mixed(3, true), *b = case_mixed(5, true);
	PhProfile *product = combine(a, b, PH_MULTIPLY), *quotient = combine(a, b, PH_DIVIDE);
	PhProfile *difference = combine(a, b, PH_SUBTRACT);
	assert_int_equal(product->metrics[0].kind, PH_METRIC_VALUE);
	assert_string_equal(product->strings[product->metrics[0].unit], "s*s");
	assert_int_equal(quotient->metrics[0].kind, PH_METRIC_VALUE);
	assert_string_equal(quotient->strings[quotient->metrics[0].unit], "");
	assert_int_equal(difference->metrics[0].kind, PH_METRIC_FLOW);
	assert_int_equal(difference->metrics[0].is_signed, 1);
	assert_int_equal(difference->metrics[MIXED_RATE].kind, PH_METRIC_VALUE);
	assert_non_null(difference->diff_status);
	ph_profile_free(&case_env, product);
	ph_profile_free(&case_env, quotient);
	ph_profile_free(&case_env, difference);
	ph_profile_free(&case_env, a);
	ph_profile_free(&case_env, b);
}

static void
scaling_scales(void **state)
{
	(void) state;
	PhProfile *a = case_mixed(9, true), *twice, *out = NULL;
	assert_int_equal(ph_profile_scale(&case_env, a, 2, &twice), PH_OK);
	case_sound(twice);
	for (uint32_t node = 0; node < a->n_nodes; node++)
	{
		assert_true(ph_profile_mean(twice, 0, node, PH_COST_INCLUSIVE) ==
					2 * ph_profile_mean(a, 0, node, PH_COST_INCLUSIVE));
		assert_true(agree(ph_profile_mean(twice, MIXED_RATE, node, PH_COST_INCLUSIVE),
						  ph_profile_mean(a, MIXED_RATE, node, PH_COST_INCLUSIVE), 0));
	}
	assert_int_equal(ph_profile_scale(&case_env, a, NAN, &out), PH_ERR_VALUE);
	assert_int_equal(ph_profile_scale(&case_env, a, 1e308, &out), PH_ERR_VALUE);
	assert_null(out);
	ph_profile_free(&case_env, twice);
	ph_profile_free(&case_env, a);
}

/* ---- sums and ensembles ---- */

static void
sums_do_not_depend_on_order(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < rounds(700); seed++)
	{
		PhProfile *p[4], *sum, *again;
		for (uint64_t i = 0; i < 4; i++)
			p[i] = case_mixed(seed + i * 101, false);
		const PhProfile *in[] = {p[0], p[1], p[2], p[3]}, *other[] = {p[2], p[0], p[3], p[1]};
		bool mean = seed % 2 == 0;
		assert_int_equal(ph_profile_sum(&case_env, 4, in, mean, &sum), PH_OK);
		assert_int_equal(ph_profile_sum(&case_env, 4, other, mean, &again), PH_OK);
		case_sound(sum);
		assert_true(same_bytes(&case_env, sum, again));
		for (uint32_t node = 0; sum->n_columns == 1 && node < sum->n_nodes; node++)
		{
			double expected = 0;
			for (int i = 0; i < 4; i++)
				expected += mean_at(p[i], 0, sum, node, PH_COST_INCLUSIVE);
			assert_true(agree(ph_profile_mean(sum, 0, node, PH_COST_INCLUSIVE),
							  expected / (mean ? 4 : 1), CLOSE));
		}
		ph_profile_free(&case_env, sum);
		ph_profile_free(&case_env, again);
		for (int i = 0; i < 4; i++)
			ph_profile_free(&case_env, p[i]);
	}
}

/* Of the defined ones, as the metric's values are combined; none: undefined. */
static double
combined(const double *values, int n, PhCombine how)
{
	double sum = 0, least = INFINITY, highest = -INFINITY;
	int n_defined = 0;
	for (int i = 0; i < n; i++)
	{
		if (isnan(values[i]))
			continue;
		sum += values[i];
		least = fmin(least, values[i]);
		highest = fmax(highest, values[i]);
		n_defined++;
	}
	if (n_defined == 0)
		return (double) NAN;
	return how == PH_COMBINE_MIN	? least
		   : how == PH_COMBINE_MAX	? highest
		   : how == PH_COMBINE_MEAN ? sum / n_defined
									: sum;
}

/* A mixed profile, or itself divided by itself, which is undefined where it is 0. */
static PhProfile *
values_of_seed(uint64_t seed)
{
	PhProfile *profile = case_mixed(seed, false), *quotient;
	if (seed % 2 == 0)
		return profile;
	assert_int_equal(ph_profile_arithmetic(&case_env, profile, profile, PH_DIVIDE, &quotient),
					 PH_OK);
	ph_profile_free(&case_env, profile);
	return quotient;
}

static void
check_combined(const PhProfile *sum, PhProfile *const *p, int n, uint32_t m, uint32_t *n_undefined)
{
	for (size_t cell = 0; cell < ph_profile_cells(sum); cell++)
	{
		double values[3];
		for (int i = 0; i < n; i++)
			values[i] = ph_profile_value(p[i], m, cell, PH_COST_INCLUSIVE);
		double expected = combined(values, n, sum->metrics[m].combine);
		assert_true(agree(ph_profile_value(sum, m, cell, PH_COST_INCLUSIVE), expected, CLOSE));
		*n_undefined += isnan(expected);
	}
}

static void
sums_combine_values(void **state)
{
	static const double factors[] = {1, 0.5, 3};
	uint32_t n_undefined = 0;
	(void) state;
	for (uint64_t seed = 0; seed < 60; seed++)
	{
		PhProfile *p[3] = {values_of_seed(seed)}, *sum;
		for (int i = 1; i < 3; i++)
			assert_int_equal(ph_profile_scale(&case_env, p[0], factors[i], &p[i]), PH_OK);
		const PhProfile *in[] = {p[0], p[1], p[2]};
		assert_int_equal(ph_profile_sum(&case_env, 3, in, false, &sum), PH_OK);
		assert_int_equal(ph_profile_cells(sum), ph_profile_cells(p[0]));
		for (uint32_t m = 0; m < sum->n_metrics; m++)
			if (sum->metrics[m].kind == PH_METRIC_VALUE)
				check_combined(sum, p, 3, m, &n_undefined);
		ph_profile_free(&case_env, sum);
		for (int i = 0; i < 3; i++)
			ph_profile_free(&case_env, p[i]);
	}
	assert_true(n_undefined > 100);
}

static void
ensembles_have_a_column_per_profile(void **state)
{
	(void) state;
	for (uint64_t seed = 0; seed < N_INPUTS; seed++)
	{
		PhProfile *a = case_mixed(seed, false), *b = case_mixed(seed + 5, false), *e;
		const PhProfile *in[] = {a, b, a};
		const char *const labels[] = {"first", "second", NULL};
		assert_int_equal(ph_profile_ensemble(&case_env, 3, in, labels, &e), PH_OK);
		case_sound(e);
		assert_int_equal(e->n_columns, 3);
		assert_string_equal(e->strings[e->columns[1].name], "second");
		assert_int_equal(e->columns[0].run_id, 7);
		assert_int_equal(e->n_nodes, count_union(a, b));
		for (uint32_t node = 0; node < e->n_nodes; node++)
			for (uint32_t k = 0; k < 3; k++)
			{
				uint32_t mine = same_path(in[k], e, node);
				bool present = mine != PH_NONE && ph_profile_n_present(in[k], mine) > 0;
				assert_int_equal(ph_profile_is_present(e, node, k), present);
				for (uint32_t m = 0; m < MIXED_METRICS; m++)
					assert_true(
						agree(ph_profile_cell(e, m, node, k, PH_COST_INCLUSIVE),
							  present ? ph_profile_mean(in[k], m, mine, PH_COST_INCLUSIVE) : 0, 0));
			}
		ph_profile_free(&case_env, e);
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
	}
}

/* ---- how much changed ---- */

/* The magnitudes of the own costs of a node and of all below it. */
static double
gross_below(const PhProfile *change, uint32_t metric, uint32_t node)
{
	double sum = 0;
	for (uint32_t below = node; below < change->subtree_end[node]; below++)
		sum += fabs(ph_profile_mean(change, metric, below, PH_COST_EXCLUSIVE)) +
			   fabs(ph_profile_mean(change, metric, below, PH_COST_ABSORBED)) +
			   fabs(ph_profile_mean(change, metric, below, PH_COST_RESIDUAL));
	return sum;
}

static void
gross_changes_hide_no_sign(void **state)
{
	(void) state;
	uint32_t n_negative = 0;
	for (uint64_t seed = 0; seed < N_INPUTS / 10; seed++)
	{
		PhProfile *a = case_mixed(seed, false), *b = case_mixed(seed + 7, false), *gross;
		PhProfile *change = combine(a, b, PH_SUBTRACT);
		assert_int_equal(ph_profile_gross(&case_env, change, &gross), PH_OK);
		case_sound(gross);
		assert_int_equal(gross->n_nodes, change->n_nodes);
		assert_int_equal(gross->n_columns, 1);
		for (uint32_t m = 0; m < gross->n_metrics; m++)
		{
			if (change->metrics[m].kind != PH_METRIC_FLOW)
				continue;
			assert_false(gross->metrics[m].is_signed);
			for (uint32_t node = 0; node < gross->n_nodes; node++)
			{
				assert_true(agree(ph_profile_mean(gross, m, node, PH_COST_INCLUSIVE),
								  gross_below(change, m, node), CLOSE));
				n_negative += ph_profile_mean(change, m, node, PH_COST_EXCLUSIVE) < 0;
			}
		}
		ph_profile_free(&case_env, a);
		ph_profile_free(&case_env, b);
		ph_profile_free(&case_env, change);
		ph_profile_free(&case_env, gross);
	}
	assert_true(n_negative > 100);
}

static void
combinations_refuse_what_does_not_match(void **state)
{
	(void) state;
	PhProfile *a = case_mixed(3, true), *b = case_mixed(5, true), *time, *peak, *out = NULL;
	const uint32_t first[] = {MIXED_TIME}, third[] = {MIXED_PEAK};
	assert_int_equal(ph_profile_select_metrics(&case_env, a, 1, first, &time), PH_OK);
	assert_int_equal(ph_profile_select_metrics(&case_env, b, 1, third, &peak), PH_OK);
	assert_int_equal(ph_profile_arithmetic(&case_env, time, peak, PH_ADD, &out), PH_ERR_NOT_FOUND);
	assert_int_equal(ph_profile_diff(&case_env, time, peak, &out), PH_ERR_NOT_FOUND);
	/* the product is in s*s */
	PhProfile *product = combine(a, b, PH_MULTIPLY);
	assert_int_equal(ph_profile_arithmetic(&case_env, a, product, PH_ADD, &out), PH_ERR_CONFLICT);
	assert_non_null(strstr(case_env.error.message, "s*s"));
	assert_int_equal(ph_profile_sum(&case_env, 0, NULL, true, &out), PH_ERR_VALUE);
	assert_int_equal(ph_profile_ensemble(&case_env, 0, NULL, NULL, &out), PH_ERR_VALUE);
	assert_null(out);
	ph_profile_free(&case_env, product);
	ph_profile_free(&case_env, time);
	ph_profile_free(&case_env, peak);
	ph_profile_free(&case_env, a);
	ph_profile_free(&case_env, b);
}

/* ---- faults ---- */

typedef struct Pair
{
	const PhProfile *a, *b;
} Pair;

static PhStatus
combine_all(PhEnv *fault, void *user)
{
	const Pair *pair = user;
	const PhProfile *in[] = {pair->a, pair->b, pair->a};
	PhProfile *out;
	for (int op = PH_SUBTRACT; op <= PH_DIVIDE; op++)
	{
		PH_TRY(ph_profile_arithmetic(fault, pair->a, pair->b, (PhArithmetic) op, &out));
		ph_profile_free(fault, out);
	}
	PH_TRY(ph_profile_gross(fault, pair->a, &out));
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_diff(fault, pair->a, pair->b, &out));
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_sum(fault, 3, in, true, &out));
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_ensemble(fault, 3, in, NULL, &out));
	ph_profile_free(fault, out);
	PH_TRY(ph_profile_scale(fault, pair->a, 0.5, &out));
	ph_profile_free(fault, out);
	return PH_OK;
}

static void
combinations_may_run_out_of_memory(void **state)
{
	(void) state;
	PhProfile *a = case_mixed(31, false), *b = case_mixed(32, false);
	Pair pair = {a, b};
	assert_string_equal(fault_env_try_allocations(combine_all, &pair, 0), "");
	ph_profile_free(&case_env, a);
	ph_profile_free(&case_env, b);
}

static void
combinations_may_be_interrupted(void **state)
{
	(void) state;
	PhProfile *a, *b;
	BigForest shape = {900, 10, 300, 2, 200}, other = {1000, 11, 250, 2, 100};
	assert_int_equal(forest_big(&case_env, &shape, &a), PH_OK);
	assert_int_equal(forest_big(&case_env, &other, &b), PH_OK);
	Pair pair = {a, b};
	assert_string_equal(fault_env_try_interrupts(combine_all, &pair, 0), "");
	ph_profile_free(&case_env, a);
	ph_profile_free(&case_env, b);
}

/* ---- Hatchet's answers for its literals A and B ---- */

#define ORACLE PH_SOURCE_DIR "/../shared/oracle/hatchet/"
#define MOST_ROWS 16

typedef struct HatchetRow
{
	uint32_t parent;
	int missing; /* 0: in both, 1: only left, 2: only right */
	char name[16];
	double exclusive, inclusive; /* NaN: empty */
} HatchetRow;

/* The n-th field of a line of CSV without quotes. */
static void
csv_field(const char *line, int n, char *out, size_t size)
{
	for (; n > 0 && line != NULL; n--)
	{
		line = strchr(line, ',');
		line = line == NULL ? NULL : line + 1;
	}
	size_t length = line == NULL ? 0 : strcspn(line, ",\r\n");
	snprintf(out, size, "%.*s", (int) length, line == NULL ? "" : line);
}

static double
csv_number(const char *line, int n)
{
	char text[64];
	csv_field(line, n, text, sizeof(text));
	return text[0] == '\0' ? NAN : strtod(text, NULL);
}

/* Rows of a case, or 0 when the oracle is not there. Pairs have a column `_missing_node`. */
static uint32_t
read_hatchet(const char *name, bool is_pair, HatchetRow *rows)
{
	char path[512], line[512];
	uint32_t n = 0, n_nodes = 0;
	snprintf(path, sizeof(path), ORACLE "%s/metrics.csv", name);
	FILE *metrics = fopen(path, "r");
	if (metrics == NULL)
		return 0;
	for (bool head = true; fgets(line, sizeof(line), metrics) != NULL; head = false)
	{
		if (head || n == MOST_ROWS)
			continue;
		rows[n].missing = is_pair ? (int) csv_number(line, 1) : 0;
		csv_field(line, is_pair ? 2 : 1, rows[n].name, sizeof(rows[n].name));
		rows[n].exclusive = csv_number(line, is_pair ? 3 : 2);
		rows[n++].inclusive = csv_number(line, is_pair ? 4 : 3);
	}
	fclose(metrics);
	snprintf(path, sizeof(path), ORACLE "%s/nodes.csv", name);
	FILE *nodes = fopen(path, "r");
	assert_non_null(nodes);
	for (bool head = true; fgets(line, sizeof(line), nodes) != NULL; head = false)
		if (!head && n_nodes < n)
		{
			double parent = csv_number(line, 1);
			rows[n_nodes++].parent = isnan(parent) ? PH_NONE : (uint32_t) parent;
		}
	fclose(nodes);
	return n;
}

static PhProfile *
hatchet_profile(const char *name)
{
	HatchetRow rows[MOST_ROWS];
	uint32_t n = read_hatchet(name, false, rows), metric, column;
	PhProfileBuilder *builder;
	PhProfile *profile;
	PhMetricSpec time = {.name = "time", .given = PH_GIVEN_BOTH};
	PhColumnSpec unit = {PH_COLUMN_UNIT, 0, PH_NO_ITERATION, 0, PH_NO_NUMBER, NULL, NULL};
	assert_int_equal(ph_builder_new(&case_env, &builder), PH_OK);
	assert_int_equal(ph_builder_add_metric(builder, &time, &metric), PH_OK);
	assert_int_equal(ph_builder_add_column(builder, &unit, &column), PH_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		PhRegionSpec spec = {PH_KIND_FUNCTION, rows[i].name, NULL, NULL, NULL, PH_NO_NUMBER, NULL};
		uint32_t region, node;
		assert_int_equal(ph_builder_add_region(builder, &spec, &region), PH_OK);
		assert_int_equal(ph_builder_add_node(builder, rows[i].parent, region, &node), PH_OK);
		assert_int_equal(
			ph_builder_add_value(builder, 0, i, 0, PH_COST_EXCLUSIVE, rows[i].exclusive), PH_OK);
		assert_int_equal(
			ph_builder_add_value(builder, 0, i, 0, PH_COST_INCLUSIVE, rows[i].inclusive), PH_OK);
	}
	assert_int_equal(ph_builder_finish(builder, &profile), PH_OK);
	ph_builder_free(builder);
	assert_int_equal(profile->provenance.residual_cells, 0);
	return profile;
}

/* Both number the union in pre-order with children by name. Hatchet is right where both runs have
 * the node: it keeps the left value of nodes only left, and knows nothing of those only right. */
static void
compare_with_hatchet(const char *name, const PhProfile *a, const PhProfile *b, PhArithmetic op)
{
	HatchetRow rows[MOST_ROWS];
	uint32_t n = read_hatchet(name, true, rows);
	PhProfile *r = combine(a, b, op);
	assert_int_equal(r->n_nodes, n);
	for (uint32_t node = 0; node < n; node++)
	{
		assert_string_equal(ph_profile_node_name(r, node), rows[node].name);
		assert_int_equal(r->parent[node], rows[node].parent);
		bool in_a = same_path(a, r, node) != PH_NONE, in_b = same_path(b, r, node) != PH_NONE;
		assert_int_equal(rows[node].missing, in_a && in_b ? 0 : in_a ? 1 : 2);
		if (rows[node].missing != 0)
			continue;
		assert_true(
			agree(ph_profile_mean(r, 0, node, PH_COST_EXCLUSIVE), rows[node].exclusive, 1e-12));
		assert_true(
			agree(ph_profile_mean(r, 0, node, PH_COST_INCLUSIVE), rows[node].inclusive, 1e-12));
	}
	ph_profile_free(&case_env, r);
}

static void
hatchet_agrees_where_it_is_right(void **state)
{
	(void) state;
	HatchetRow rows[MOST_ROWS];
	if (read_hatchet("lit-A", false, rows) == 0)
	{
		print_message("skipped: " ORACLE " is not there\n");
		skip();
	}
	PhProfile *a = hatchet_profile("lit-A"), *b = hatchet_profile("lit-B");
	compare_with_hatchet("pair-lit-A-B--sub", a, b, PH_SUBTRACT);
	compare_with_hatchet("pair-lit-A-B--add", a, b, PH_ADD);
	compare_with_hatchet("pair-lit-A-B--div", a, b, PH_DIVIDE);
	ph_profile_free(&case_env, a);
	ph_profile_free(&case_env, b);
}

int
main(void)
{
#define COMBINE_TEST(f) cmocka_unit_test_setup_teardown(f, case_begin, case_end)
	const struct CMUnitTest tests[] = {
		COMBINE_TEST(differences_match_the_reference),
		COMBINE_TEST(difference_with_itself_is_zero),
		COMBINE_TEST(reductions_of_differences_keep_their_operands),
		COMBINE_TEST(addition_is_commutative_and_associative),
		COMBINE_TEST(cells_combine_by_coordinates),
		COMBINE_TEST(products_and_quotients_are_not_flow),
		COMBINE_TEST(scaling_scales),
		COMBINE_TEST(sums_do_not_depend_on_order),
		COMBINE_TEST(sums_combine_values),
		COMBINE_TEST(ensembles_have_a_column_per_profile),
		COMBINE_TEST(gross_changes_hide_no_sign),
		COMBINE_TEST(combinations_refuse_what_does_not_match),
		COMBINE_TEST(combinations_may_run_out_of_memory),
		COMBINE_TEST(combinations_may_be_interrupted),
		COMBINE_TEST(hatchet_agrees_where_it_is_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
