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
	double *rows; /* [profile * n_columns + column] of the node at hand */
} Sum;

static double
flow_cell(const Sum *sum, uint32_t column)
{
	PhExactSum exact;
	ph_exact_reset(&exact);
	for (uint32_t k = 0; k < sum->whole.n; k++)
		ph_exact_add(&exact, sum->rows[(size_t) k * sum->whole.n_columns + column]);
	return ph_exact_value(&exact) / (sum->mean ? sum->whole.n : 1);
}

/* Over the profiles where the cell is present and defined. */
static double
value_cell(const Sum *sum, PhCombine how, uint32_t node, uint32_t column)
{
	PhExactSum exact;
	PhCombined extreme = {0};
	uint32_t n = 0;
	bool is_present = false;
	ph_exact_reset(&exact);
	for (uint32_t k = 0; k < sum->whole.n; k++)
	{
		double value = sum->rows[(size_t) k * sum->whole.n_columns + column];
		bool present = ph_union_is_present(&sum->whole, k, node, column);
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
sum_array(Sum *sum, uint32_t m, int array, double **to)
{
	PhUnion *whole = &sum->whole;
	PhProfile *profile = whole->maker->profile;
	PhMetric *metric = &profile->metrics[m];
	size_t cell = 0;
	PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), to));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(whole->maker->env));
		for (uint32_t k = 0; k < whole->n; k++)
			ph_union_row(whole, k, m, array, node, sum->rows + (size_t) k * whole->n_columns);
		for (uint32_t column = 0; column < whole->n_columns; column++, cell++)
		{
			double value = metric->kind == PH_METRIC_FLOW
							   ? flow_cell(sum, column)
							   : value_cell(sum, metric->combine, node, column);
			(*to)[cell] = value;
		}
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
sum_presence(Sum *sum)
{
	PhUnion *whole = &sum->whole;
	PhProfile *profile = whole->maker->profile;
	if (ph_union_is_full(whole))
		return PH_OK;
	PH_TRY(ph_presence_new(profile));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(whole->maker->env));
		for (uint32_t k = 0; k < whole->n; k++)
			for (uint32_t column = 0; column < whole->n_columns; column++)
				if (ph_union_is_present(whole, k, node, column))
					ph_presence_set(profile, node, column);
	}
	return PH_OK;
}

static PhStatus
sum_parts(PhMaker *maker, uint32_t n, const PhProfile *const *profiles, bool mean)
{
	Sum sum = {.mean = mean};
	char note[64];
	snprintf(note, sizeof(note), "%s of %u profiles", mean ? "mean" : "sum", n);
	PH_TRY(ph_union_begin(&sum.whole, maker, n, profiles, PH_UNION_MATCH));
	PH_TRY(PH_NEW(&maker->scratch, (size_t) n * sum.whole.n_columns, &sum.rows));
	PH_TRY(ph_union_columns(&sum.whole));
	PH_TRY(ph_union_metrics(&sum.whole, PH_UNITS_SAME));
	PH_TRY(ph_union_provenance(&sum.whole, true, note));
	PH_TRY(sum_presence(&sum));
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
