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
#include "profile/fold.h"
#include "profile/ops.h"
#include "profile/tree.h"

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

/* Profiles [first, first + n) of a union have a column each, behind those of the profile before. */
typedef struct Beside
{
	const PhUnion *whole;
	uint32_t first, n;
	const PhProfile *before; /* profile first - 1, all of whose columns stay; NULL: none */
} Beside;

static uint32_t
n_before(const Beside *beside)
{
	return beside->before == NULL ? 0 : beside->before->n_columns;
}

static bool
is_before(const Beside *beside, const PhUnionMember *member)
{
	return beside->before != NULL && member->profile + 1 == beside->first;
}

/* Whether a member is of a profile that has one column. */
static bool
has_column(const Beside *beside, const PhUnionMember *member)
{
	return member->profile >= beside->first && member->profile - beside->first < beside->n;
}

static PhStatus
ensemble_columns(PhMaker *maker, const Beside *beside, const char *const *labels)
{
	PhProfile *profile = maker->profile;
	uint32_t offset = n_before(beside);
	profile->n_columns = offset + beside->n;
	PH_TRY(PH_NEW(&profile->arena, profile->n_columns, &profile->columns));
	for (uint32_t k = 0; k < offset; k++)
		PH_TRY(ph_maker_column(maker, &profile->columns[k], beside->before,
							   &beside->before->columns[k]));
	for (uint32_t k = 0; k < beside->n; k++)
	{
		const char *label = labels == NULL || labels[k] == NULL ? "" : labels[k];
		PH_TRY(ph_check_text(maker->env, "label", label, strlen(label)));
		PH_TRY(run_column(maker, beside->whole->profiles[beside->first + k], label,
						  &profile->columns[offset + k]));
	}
	return PH_OK;
}

static size_t
count_cells(const Beside *beside, const PhUnionMember *member)
{
	const PhProfile *profile = beside->whole->profiles[member->profile];
	uint32_t n = 0;
	if (is_before(beside, member) || has_column(beside, member))
		n = ph_profile_n_present(profile, member->node);
	return is_before(beside, member) ? n : n > 0;
}

static PhStatus
add_cells(const Beside *beside, const PhUnionMember *member, PhPresence *presence, uint32_t node)
{
	uint32_t offset = n_before(beside);
	if (count_cells(beside, member) == 0)
		return PH_OK;
	if (!is_before(beside, member))
		return ph_presence_add(presence, node, offset + member->profile - beside->first, 1);
	PhRow row = ph_profile_row(beside->before, member->node);
	return ph_presence_add_row(presence, node, &row);
}

/* A node is in a profile's column where it is in any of the profile's columns at all. */
static PhStatus
ensemble_cells(PhMaker *maker, const Beside *beside)
{
	const PhUnion *whole = beside->whole;
	uint32_t n_nodes = maker->profile->n_nodes;
	size_t cells = 0;
	PhPresence presence;
	for (uint32_t i = 0; i < whole->member_start[n_nodes]; i++)
		cells += count_cells(beside, &whole->members[i]);
	if (cells == (size_t) n_nodes * maker->profile->n_columns)
		return PH_OK;
	ph_presence_init(&presence, &maker->scratch);
	for (uint32_t node = 0; node < n_nodes; node++)
		for (uint32_t i = whole->member_start[node]; i < whole->member_start[node + 1]; i++)
		{
			PH_TRY(ph_env_poll(maker->env));
			PH_TRY(add_cells(beside, &whole->members[i], &presence, node));
		}
	return ph_profile_set_cells(maker->profile, &presence);
}

/* The columns that stay, as they are. */
static void
copy_before(PhMaker *maker, const Beside *beside, const PhUnionMember *member, uint32_t node,
			uint32_t m, int array, double *to)
{
	uint32_t metric =
		beside->whole->metric_of[(size_t) member->profile * beside->whole->n_metrics + m];
	double factor =
		beside->whole->factor_of[(size_t) member->profile * beside->whole->n_metrics + m];
	const double *from = *ph_metric_array(&beside->before->metrics[metric], array);
	PhRow row = ph_profile_row(beside->before, member->node);
	for (uint32_t i = 0; from != NULL && i < row.n_runs; i++)
	{
		PhRowSpan span = ph_row_span(&row, i);
		for (uint32_t c = 0; c < span.n; c++)
			to[ph_profile_find_cell(maker->profile, node, span.first + c)] =
				from[span.cell + c] * factor;
	}
}

/* The means of a metric's array over each profile's columns; a cell is a member that is present. */
static PhStatus
ensemble_array(PhMaker *maker, const Beside *beside, uint32_t m, int array, double *to)
{
	static const PhRow one = {.n_runs = 1, .n = 1};
	const PhUnion *whole = beside->whole;
	for (uint32_t node = 0; node < maker->profile->n_nodes; node++)
		for (uint32_t i = whole->member_start[node]; i < whole->member_start[node + 1]; i++)
		{
			const PhUnionMember *member = &whole->members[i];
			PH_TRY(ph_env_poll(maker->env));
			if (is_before(beside, member))
				copy_before(maker, beside, member, node, m, array, to);
			if (!has_column(beside, member))
				continue;
			size_t cell = ph_profile_find_cell(maker->profile, node,
											   n_before(beside) + member->profile - beside->first);
			if (cell != PH_NO_CELL)
				ph_union_values(whole, member->profile, member->node, m, array, &one, to + cell);
		}
	return PH_OK;
}

static PhStatus
ensemble_metric(PhMaker *maker, const Beside *beside, uint32_t m)
{
	PhProfile *profile = maker->profile;
	PhMetric *metric = &profile->metrics[m];
	int n_arrays = metric->kind == PH_METRIC_FLOW ? PH_ARRAY_COUNT : PH_ARRAY_ABSORBED;
	if (metric->kind == PH_METRIC_RATIO)
		return PH_OK;
	for (int array = 0; array < n_arrays; array++)
	{
		double **to = ph_metric_array(metric, array);
		if (!ph_union_has_array(beside->whole, m, array))
			continue;
		PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), to));
		PH_TRY(ensemble_array(maker, beside, m, array, *to));
	}
	return PH_OK;
}

/* The profile that columns are put behind, if any, then the others. */
static PhStatus
list_members(PhArena *scratch, const PhPartial *before, uint32_t n,
			 const PhProfile *const *profiles, const PhProfile ***members, const uint32_t ***least)
{
	uint32_t first = before->profile != NULL;
	PH_TRY(PH_NEW(scratch, (size_t) n + 1, members));
	PH_TRY(PH_NEW(scratch, (size_t) n + 1, least));
	(*members)[0] = before->profile;
	(*least)[0] = before->least_index;
	for (uint32_t i = 0; i < n; i++)
	{
		(*members)[first + i] = profiles[i];
		(*least)[first + i] = NULL;
	}
	return PH_OK;
}

static PhStatus
ensemble_parts(PhMaker *maker, const PhPartial *before, uint32_t n,
			   const PhProfile *const *profiles, const char *const *labels, bool is_last,
			   PhPartial *out)
{
	uint32_t first = before->profile != NULL;
	const PhProfile **members;
	const uint32_t **least;
	PhUnion whole;
	char note[64];
	out->n = before->n + n;
	snprintf(note, sizeof(note), "ensemble of %u profiles", out->n);
	PH_TRY(list_members(&maker->scratch, before, n, profiles, &members, &least));
	PH_TRY(ph_union_begin_folded(&whole, maker, first + n, members, least, PH_UNION_MEANS));
	Beside beside = {.whole = &whole, .first = first, .n = n, .before = before->profile};
	PH_TRY(ensemble_columns(maker, &beside, labels));
	PH_TRY(ensemble_cells(maker, &beside));
	PH_TRY(ph_union_metrics(&whole, PH_UNITS_SAME));
	PH_TRY(ph_union_provenance(&whole, false, is_last && out->n > 1 ? note : NULL));
	PH_TRY(ph_union_least_indexes(&whole, &maker->profile->arena, &out->least_index));
	for (uint32_t m = 0; m < whole.n_metrics; m++)
		PH_TRY(ensemble_metric(maker, &beside, m));
	maker->profile->provenance.share_filtered = ph_profile_share_absorbed(maker->profile);
	return PH_OK;
}

PhStatus
ph_ensemble_fold(PhEnv *env, const PhPartial *before, uint32_t n, const PhProfile *const *profiles,
				 const char *const *labels, bool is_last, PhPartial *out)
{
	PhMaker maker;
	PhPartial made = {0};
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = ensemble_parts(&maker, before, n, profiles, labels, is_last, &made);
	PH_TRY(ph_maker_end(&maker, status, &made.profile));
	*out = made;
	return PH_OK;
}

PhStatus
ph_profile_ensemble(PhEnv *env, uint32_t n, const PhProfile *const *profiles,
					const char *const *labels, PhProfile **out)
{
	static const PhPartial nothing = {0};
	PhPartial made;
	PH_TRY(ph_ensemble_fold(env, &nothing, n, profiles, labels, true, &made));
	*out = made.profile;
	return PH_OK;
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
	Beside beside = {.whole = whole, .first = k, .n = 1};
	PH_TRY(ensemble_columns(maker, &beside, &label));
	PH_TRY(ensemble_cells(maker, &beside));
	PH_TRY(ph_union_metrics(&own, PH_UNITS_SAME));
	PH_TRY(ph_maker_provenance(maker, from, "mean: over all columns"));
	for (uint32_t m = 0; m < own.n_metrics; m++)
		PH_TRY(ensemble_metric(maker, &beside, m));
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
