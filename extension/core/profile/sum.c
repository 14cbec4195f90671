/*
 * sum.c - sum and mean of many profiles.
 *
 * Sums are exact before they are rounded, so the order of the profiles does not matter. Value
 * metrics combine by their own rule over the profiles that have the cell.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/ops.h"
#include "profile/regroup.h"
#include "profile/tree.h"
#include "profile/unify.h"

typedef struct Sum
{
	PhUnion whole;
	bool mean;
	/*
	 * Of the node at hand, [member * cells of its row + cell]: values of the profiles that have the
	 * node, and whether they have it in that column.
	 */
	double *values;
	bool *present;
	size_t capacity;
} Sum;

static PhStatus
room_for_row(Sum *sum, size_t n)
{
	PhArena *scratch = &sum->whole.maker->scratch;
	if (n <= sum->capacity)
		return PH_OK;
	sum->capacity = n + n / 2;
	PH_TRY(PH_NEW(scratch, sum->capacity, &sum->values));
	return PH_NEW(scratch, sum->capacity, &sum->present);
}

static double
flow_cell(const Sum *sum, uint32_t n_members, size_t width, size_t at)
{
	PhExactSum exact;
	ph_exact_reset(&exact);
	for (uint32_t k = 0; k < n_members; k++)
		ph_exact_add(&exact, sum->values[k * width + at]);
	return ph_exact_value(&exact) / (sum->mean ? sum->whole.n : 1);
}

/* Over the profiles where the cell is present and defined. */
static double
value_cell(const Sum *sum, PhCombine how, uint32_t n_members, size_t width, size_t at)
{
	PhExactSum exact;
	PhCombined extreme = {0};
	uint32_t n = 0;
	bool is_present = false;
	ph_exact_reset(&exact);
	for (uint32_t k = 0; k < n_members; k++)
	{
		double value = sum->values[k * width + at];
		bool present = sum->present[k * width + at];
		is_present = is_present || present;
		if (!present || isnan(value))
			continue;
		ph_exact_add(&exact, value);
		ph_combine(&extreme, how, value);
		n++;
	}
	if (n == 0)
		return is_present ? NAN : 0;
	if (how == PH_COMBINE_MIN || how == PH_COMBINE_MAX)
		return extreme.value;
	bool divide = how == PH_COMBINE_MEAN || sum->mean;
	return ph_exact_value(&exact) / (divide ? n : 1);
}

static PhStatus
sum_row(Sum *sum, uint32_t m, int array, uint32_t node, const PhRow *row, double *to)
{
	const PhUnion *whole = &sum->whole;
	const PhMetric *metric = &whole->maker->profile->metrics[m];
	const PhUnionMember *members = whole->members + whole->member_start[node];
	uint32_t n = whole->member_start[node + 1] - whole->member_start[node];
	PH_TRY(room_for_row(sum, (size_t) n * row->n));
	for (uint32_t k = 0; k < n; k++)
	{
		size_t at = (size_t) k * row->n;
		PH_TRY(ph_env_poll(whole->maker->env));
		ph_union_values(whole, members[k].profile, members[k].node, m, array, row,
						sum->values + at);
		if (metric->kind != PH_METRIC_FLOW)
			ph_union_present(whole, members[k].profile, members[k].node, row, sum->present + at);
	}
	for (uint32_t i = 0; i < row->n; i++)
		to[i] = metric->kind == PH_METRIC_FLOW ? flow_cell(sum, n, row->n, i)
											   : value_cell(sum, metric->combine, n, row->n, i);
	return PH_OK;
}

static PhStatus
sum_array(Sum *sum, uint32_t m, int array, double **to)
{
	PhProfile *profile = sum->whole.maker->profile;
	PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), to));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PhRow row = ph_profile_row(profile, node);
		PH_TRY(sum_row(sum, m, array, node, &row, *to + row.cell));
	}
	return PH_OK;
}

static PhStatus
sum_metric(Sum *sum, uint32_t m)
{
	PhMetric *metric = &sum->whole.maker->profile->metrics[m];
	if (metric->kind == PH_METRIC_RATIO)
		return PH_OK;
	int n_arrays = metric->kind == PH_METRIC_FLOW ? PH_ARRAY_COUNT : PH_ARRAY_ABSORBED;
	for (int array = 0; array < n_arrays; array++)
		if (ph_union_has_array(&sum->whole, m, array))
			PH_TRY(sum_array(sum, m, array, ph_metric_array(metric, array)));
	return PH_OK;
}

static PhStatus
sum_parts(PhMaker *maker, uint32_t n, const PhProfile *const *profiles, bool mean)
{
	Sum sum = {.mean = mean};
	char note[64];
	snprintf(note, sizeof(note), "%s of %u profiles", mean ? "mean" : "sum", n);
	PH_TRY(ph_union_begin(&sum.whole, maker, n, profiles, PH_UNION_MATCH));
	PH_TRY(ph_union_columns(&sum.whole));
	PH_TRY(ph_union_metrics(&sum.whole, PH_UNITS_SAME));
	PH_TRY(ph_union_provenance(&sum.whole, true, note));
	PH_TRY(ph_union_set_cells(&sum.whole));
	for (uint32_t m = 0; m < sum.whole.n_metrics; m++)
		PH_TRY(sum_metric(&sum, m));
	return PH_OK;
}

PhStatus
ph_profile_sum(PhEnv *env, uint32_t n, const PhProfile *const *profiles, bool mean, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = sum_parts(&maker, n, profiles, mean);
	return ph_maker_end(&maker, status, out);
}
