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
	return PH_OK;
}

/* Whether a member is of a profile in [first, first + n), and in any of its columns. */
static bool
has_cell(const PhUnion *whole, const PhUnionMember *member, uint32_t first, uint32_t n)
{
	return member->profile >= first && member->profile - first < n &&
		   ph_profile_n_present(whole->profiles[member->profile], member->node) > 0;
}

/* The node of profile k is in column k - first, where it is in any column at all. */
static PhStatus
ensemble_cells(PhMaker *maker, const PhUnion *whole, uint32_t first, uint32_t n)
{
	uint32_t n_nodes = maker->profile->n_nodes;
	size_t cells = 0;
	PhPresence presence;
	for (uint32_t i = 0; i < whole->member_start[n_nodes]; i++)
		cells += has_cell(whole, &whole->members[i], first, n);
	if (cells == (size_t) n_nodes * n)
		return PH_OK;
	ph_presence_init(&presence, &maker->scratch);
	for (uint32_t node = 0; node < n_nodes; node++)
		for (uint32_t i = whole->member_start[node]; i < whole->member_start[node + 1]; i++)
		{
			PH_TRY(ph_env_poll(maker->env));
			if (has_cell(whole, &whole->members[i], first, n))
				PH_TRY(ph_presence_add(&presence, node, whole->members[i].profile - first, 1));
		}
	return ph_profile_set_cells(maker->profile, &presence);
}

/* The means of a metric's array over each profile's columns; a cell is a member that is present. */
static PhStatus
ensemble_array(PhMaker *maker, const PhUnion *whole, uint32_t first, uint32_t n, uint32_t m,
			   int array, double *to)
{
	static const PhRow one = {.n_runs = 1, .n = 1};
	for (uint32_t node = 0; node < maker->profile->n_nodes; node++)
		for (uint32_t i = whole->member_start[node]; i < whole->member_start[node + 1]; i++)
		{
			const PhUnionMember *member = &whole->members[i];
			PH_TRY(ph_env_poll(maker->env));
			if (member->profile < first || member->profile - first >= n)
				continue;
			size_t cell = ph_profile_find_cell(maker->profile, node, member->profile - first);
			if (cell != PH_NO_CELL)
				ph_union_values(whole, member->profile, member->node, m, array, &one, to + cell);
		}
	return PH_OK;
}

/* Column k - first of the maker's profile is profile k of the union. */
static PhStatus
ensemble_metric(PhMaker *maker, const PhUnion *whole, uint32_t first, uint32_t n, uint32_t m)
{
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
		PH_TRY(ensemble_array(maker, whole, first, n, m, array, *to));
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
	PH_TRY(ensemble_cells(maker, &whole, 0, n));
	PH_TRY(ph_union_metrics(&whole, PH_UNITS_SAME));
	PH_TRY(ph_union_provenance(&whole, false, n > 1 ? note : NULL));
	for (uint32_t m = 0; m < whole.n_metrics; m++)
		PH_TRY(ensemble_metric(maker, &whole, 0, n, m));
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
	/* a union of one profile, whose tree is the difference's; its nodes stay those of whole */
	PhUnion own = *whole;
	own.maker = maker;
	own.n = 1;
	own.profiles = &whole->profiles[k];
	own.metric_of = whole->metric_of + (size_t) k * whole->n_metrics;
	own.factor_of = whole->factor_of + (size_t) k * whole->n_metrics;
	if (from->provenance.n_sources > 0)
		label = from->strings[from->provenance.sources[0].label];
	PH_TRY(ph_tree_copy(maker, whole->maker->profile));
	PH_TRY(ensemble_columns(&own, &label));
	PH_TRY(ensemble_cells(maker, whole, k, 1));
	PH_TRY(ph_union_metrics(&own, PH_UNITS_SAME));
	PH_TRY(ph_maker_provenance(maker, from, "mean: over all columns"));
	for (uint32_t m = 0; m < own.n_metrics; m++)
		PH_TRY(ensemble_metric(maker, whole, k, 1, m));
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
		PhRow row = ph_profile_row(profile, node);
		double before, after;
		PH_TRY(ph_env_poll(whole->maker->env));
		if (row.n == 0)
			continue;
		ph_union_values(whole, 0, ph_union_node(whole, 0, node), m, array, &row, &before);
		ph_union_values(whole, 1, ph_union_node(whole, 1, node), m, array, &row, &after);
		(*to)[row.cell] = defined(after) - defined(before) + 0.0;
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
	PH_TRY(ph_union_set_cells(&whole));
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
