/*
 * ensemble.c - profiles beside each other: a column per profile, or a difference.
 *
 * Both reduce each profile to its mean over columns first (absent = 0), so that runs on different
 * numbers of ranks can be compared and flow is conserved.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/ops.h"
#include "profile/tree.h"
#include "profile/unify.h"

/* The one run that a profile is of, or 0. */
static int64_t
only_run(const PhProfile *profile)
{
	return profile->provenance.n_sources == 1 ? profile->provenance.sources[0].run_id : 0;
}

static PhStatus
run_column(PhMaker *maker, const PhProfile *profile, const char *label, PhColumn *column)
{
	column->run_id = only_run(profile);
	column->iteration = PH_NO_ITERATION;
	column->rank = column->thread = PH_NO_NUMBER;
	column->kind = PH_COLUMN_RUN;
	return ph_strings_intern(&maker->strings, label, &column->name);
}

static PhStatus
ensemble_columns(PhUnion *whole, const char *const *labels)
{
	PhMaker *maker = whole->maker;
	PhProfile *profile = maker->profile;
	PH_TRY(PH_NEW(&profile->arena, whole->n, &profile->columns));
	profile->n_columns = whole->n;
	for (uint32_t k = 0; k < whole->n; k++)
	{
		const char *label = labels == NULL || labels[k] == NULL ? "" : labels[k];
		PH_TRY(ph_check_text(maker->env, "label", label, strlen(label)));
		PH_TRY(run_column(maker, whole->profiles[k], label, &profile->columns[k]));
	}
	PH_TRY(ph_presence_new(profile));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		for (uint32_t k = 0; k < whole->n; k++)
			if (ph_union_is_present(whole, k, node, 0))
				ph_presence_set(profile, node, k);
	return PH_OK;
}

static PhStatus
ensemble_metric(PhUnion *whole, uint32_t m)
{
	PhMaker *maker = whole->maker;
	PhProfile *profile = maker->profile;
	PhMetric *metric = &profile->metrics[m];
	int n_arrays = metric->kind == PH_METRIC_FLOW ? PH_ARRAY_COUNT : PH_ARRAY_ABSORBED;
	if (metric->kind == PH_METRIC_RATIO)
		return PH_OK;
	for (int array = 0; array < n_arrays; array++)
	{
		double **to = ph_metric_array(metric, array);
		if (!ph_union_has_array(whole, m, array))
			continue;
		PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), to));
		for (uint32_t node = 0; node < profile->n_nodes; node++)
		{
			PH_TRY(ph_env_poll(maker->env));
			for (uint32_t k = 0; k < whole->n; k++)
				ph_union_row(whole, k, m, array, node, *to + (size_t) node * whole->n + k);
		}
	}
	return PH_OK;
}

static PhStatus
ensemble_parts(PhMaker *maker, uint32_t n, const PhProfile *const *profiles,
			   const char *const *labels)
{
	PhUnion whole;
	char note[64];
	snprintf(note, sizeof(note), "ensemble of %u profiles", n);
	PH_TRY(ph_union_begin(&whole, maker, n, profiles, PH_UNION_MEANS));
	PH_TRY(ensemble_columns(&whole, labels));
	PH_TRY(ph_union_metrics(&whole, PH_UNITS_SAME));
	PH_TRY(ph_union_provenance(&whole, false, n > 1 ? note : NULL));
	for (uint32_t m = 0; m < whole.n_metrics; m++)
		PH_TRY(ensemble_metric(&whole, m));
	maker->profile->provenance.share_filtered = ph_profile_share_absorbed(maker->profile);
	return PH_OK;
}

PhStatus
ph_profile_ensemble(PhEnv *env, uint32_t n, const PhProfile *const *profiles,
					const char *const *labels, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = ensemble_parts(&maker, n, profiles, labels);
	return ph_maker_end(&maker, status, out);
}

/* One operand on the tree of the difference, reduced to its mean. */
static PhStatus
operand_parts(PhMaker *maker, const PhUnion *whole, uint32_t k)
{
	const PhProfile *from = whole->profiles[k];
	const char *label = "";
	/* a union of one profile, whose tree is the difference's */
	PhUnion own = *whole;
	own.maker = maker;
	own.n = 1;
	own.profiles = &whole->profiles[k];
	own.old_of = &whole->old_of[k];
	own.metric_of = whole->metric_of + (size_t) k * whole->n_metrics;
	own.factor_of = whole->factor_of + (size_t) k * whole->n_metrics;
	if (from->provenance.n_sources > 0)
		label = from->strings[from->provenance.sources[0].label];
	PH_TRY(ph_tree_copy(maker, whole->maker->profile));
	PH_TRY(ensemble_columns(&own, &label));
	PH_TRY(ph_union_metrics(&own, PH_UNITS_SAME));
	PH_TRY(ph_maker_provenance(maker, from, "mean: over all columns"));
	for (uint32_t m = 0; m < own.n_metrics; m++)
		PH_TRY(ensemble_metric(&own, m));
	return PH_OK;
}

static PhStatus
make_operand(const PhUnion *whole, uint32_t k, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, whole->maker->env);
	if (status == PH_OK)
		status = operand_parts(&maker, whole, k);
	return ph_maker_end(&maker, status, out);
}

/* Undefined values count 0, as absent ones do. */
static double
defined(double value)
{
	return isnan(value) ? 0 : value;
}

static PhStatus
diff_array(PhUnion *whole, uint32_t m, int array, double **to)
{
	PhProfile *profile = whole->maker->profile;
	PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), to));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		double before, after;
		PH_TRY(ph_env_poll(whole->maker->env));
		ph_union_row(whole, 0, m, array, node, &before);
		ph_union_row(whole, 1, m, array, node, &after);
		(*to)[node] = defined(after) - defined(before) + 0.0;
	}
	return PH_OK;
}

/* Flow stays flow, signed; the difference of ratios is a value. */
static PhStatus
diff_metric(PhUnion *whole, uint32_t m)
{
	PhMetric *metric = &whole->maker->profile->metrics[m];
	int n_arrays = metric->kind == PH_METRIC_FLOW ? PH_ARRAY_COUNT : PH_ARRAY_ABSORBED;
	metric->is_signed = 1;
	if (metric->kind == PH_METRIC_RATIO)
	{
		metric->kind = PH_METRIC_VALUE;
		metric->combine = PH_COMBINE_MEAN;
		metric->numerator = metric->denominator = 0;
	}
	for (int array = 0; array < n_arrays; array++)
		if (ph_union_has_array(whole, m, array))
			PH_TRY(diff_array(whole, m, array, ph_metric_array(metric, array)));
	return PH_OK;
}

static PhStatus
diff_parts(PhMaker *maker, const PhProfile *const *operands)
{
	PhProfile *profile = maker->profile;
	PhUnion whole;
	PH_TRY(ph_union_begin(&whole, maker, 2, operands, PH_UNION_MEANS));
	PH_TRY(ph_union_columns(&whole));
	PH_TRY(ph_union_metrics(&whole, PH_UNITS_SAME));
	PH_TRY(ph_union_provenance(&whole, false, "diff: after - before, means over all columns"));
	PH_TRY(ph_presence_new(profile));
	for (uint32_t node = 0; node < profile->n_nodes; node++)
		if (ph_union_is_present(&whole, 0, node, 0) || ph_union_is_present(&whole, 1, node, 0))
			ph_presence_set(profile, node, 0);
	for (uint32_t m = 0; m < whole.n_metrics; m++)
		PH_TRY(diff_metric(&whole, m));
	PH_TRY(ph_union_marks(&whole, 0, 1));
	profile->strings = maker->strings.text; /* the operands copy the tree from here */
	PH_TRY(make_operand(&whole, 0, &profile->before));
	return make_operand(&whole, 1, &profile->after);
}

PhStatus
ph_profile_diff(PhEnv *env, const PhProfile *a, const PhProfile *b, PhProfile **out)
{
	const PhProfile *operands[] = {a, b};
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = diff_parts(&maker, operands);
	return ph_maker_end(&maker, status, out);
}
