/*
 * sum.c - sum and mean of many profiles, at once or part by part.
 *
 * Sums are exact before they are rounded, so neither the order of the profiles matters nor which of
 * them were folded together before. Value metrics combine by their own rule over the profiles that
 * have the cell.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/exact_sum.h"
#include "profile/fold.h"
#include "profile/ops.h"
#include "profile/regroup.h"
#include "profile/tree.h"

/* One cell of the node at hand. */
typedef struct Cell
{
	PhExactSum exact;
	PhCombined extreme;
	double n; /* values that are present and not NaN */
	bool is_present;
} Cell;

typedef struct Sum
{
	PhUnion whole;
	const PhPartial *partials; /* of the first members */
	uint32_t n_partials;
	uint32_t n_all; /* profiles, those in partials included */
	bool mean;
	bool either;	   /* means do where the columns are not the same */
	PhPartial *folded; /* is made; NULL: cells are rounded */
	Cell *cells;	   /* of a row */
	double *values, *counts;
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
	PH_TRY(PH_NEW(scratch, sum->capacity, &sum->cells));
	PH_TRY(PH_NEW(scratch, sum->capacity, &sum->values));
	PH_TRY(PH_NEW(scratch, sum->capacity, &sum->counts));
	return PH_NEW(scratch, sum->capacity, &sum->present);
}

/* ---- adding up a row ----------------------------------------------------------------------- */

/* What partial member k has beside one of its arrays; NULL: it is a profile. */
static const PhFolded *
folded_of(const Sum *sum, uint32_t k, uint32_t m, int array)
{
	if (k >= sum->n_partials)
		return NULL;
	uint32_t metric = sum->whole.metric_of[(size_t) k * sum->whole.n_metrics + m];
	return &sum->partials[k].folded[(size_t) metric * PH_ARRAY_COUNT + (size_t) array];
}

static void
add_flow(Sum *sum, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		ph_exact_add(&sum->cells[i].exact, sum->values[i]);
}

/* Values of a profile that has the node: those that are present and defined. */
static void
add_values(Sum *sum, PhCombine how, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		Cell *cell = &sum->cells[i];
		double value = sum->values[i];
		cell->is_present = cell->is_present || sum->present[i];
		if (!sum->present[i] || isnan(value))
			continue;
		ph_exact_add(&cell->exact, value);
		ph_combine(&cell->extreme, how, value);
		cell->n++;
	}
}

/* The same of a partial sum: as many values as it counted. */
static void
add_folded_values(Sum *sum, PhCombine how, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		Cell *cell = &sum->cells[i];
		cell->is_present = cell->is_present || sum->present[i];
		if (sum->counts[i] == 0)
			continue;
		ph_exact_add(&cell->exact, sum->values[i]);
		ph_combine(&cell->extreme, how, sum->values[i]);
		cell->n += sum->counts[i];
	}
}

/* What rounding lost of a partial sum. */
static void
add_rests(Sum *sum, const PhFolded *folded, const PhUnionMember *member, uint32_t m,
		  const PhRow *row)
{
	for (uint32_t r = 0; r < folded->n_rests; r++)
	{
		ph_union_array_values(&sum->whole, member->profile, member->node, m, folded->rests[r], row,
							  sum->values);
		add_flow(sum, row->n);
	}
}

static void
add_member(Sum *sum, const PhUnionMember *member, uint32_t m, int array, const PhRow *row)
{
	const PhUnion *whole = &sum->whole;
	const PhMetric *metric = &whole->maker->profile->metrics[m];
	const PhFolded *folded = folded_of(sum, member->profile, m, array);
	ph_union_values(whole, member->profile, member->node, m, array, row, sum->values);
	if (metric->kind == PH_METRIC_FLOW)
		add_flow(sum, row->n);
	else
	{
		ph_union_present(whole, member->profile, member->node, row, sum->present);
		if (folded == NULL)
			add_values(sum, metric->combine, row->n);
		else
		{
			ph_union_counts(whole, member->profile, member->node, folded->counts, row, sum->counts);
			add_folded_values(sum, metric->combine, row->n);
		}
	}
	if (folded != NULL)
		add_rests(sum, folded, member, m, row);
}

/* ---- what becomes of a cell ---------------------------------------------------------------- */

static bool
is_extreme(PhCombine how)
{
	return how == PH_COMBINE_MIN || how == PH_COMBINE_MAX;
}

static double
rounded_cell(const Sum *sum, const PhMetric *metric, const Cell *cell)
{
	if (metric->kind == PH_METRIC_FLOW)
		return ph_exact_value(&cell->exact) / (sum->mean ? sum->n_all : 1);
	if (cell->n == 0)
		return cell->is_present ? NAN : 0;
	if (is_extreme(metric->combine))
		return cell->extreme.value;
	bool divide = metric->combine == PH_COMBINE_MEAN || sum->mean;
	return ph_exact_value(&cell->exact) / (divide ? cell->n : 1);
}

static PhStatus
keep_in(Sum *sum, double **array, size_t at, double value)
{
	PhProfile *profile = sum->whole.maker->profile;
	if (*array == NULL)
		PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), array));
	(*array)[at] = value;
	return PH_OK;
}

/* What the sum is beyond its rounded value, largest part first: the fewest doubles that say it. */
static PhStatus
keep_rests(Sum *sum, PhFolded *folded, PhExactSum *exact, double value, size_t at)
{
	for (uint32_t r = 0; value != 0 && isfinite(value) && r < PH_MOST_RESTS; r++)
	{
		ph_exact_add(exact, -value);
		value = ph_exact_value(exact);
		if (value == 0)
			break;
		PH_TRY(keep_in(sum, &folded->rests[r], at, value));
		if (r == folded->n_rests)
			folded->n_rests++;
	}
	return PH_OK;
}

static PhStatus
fold_cell(Sum *sum, const PhMetric *metric, PhFolded *folded, Cell *cell, size_t at, double *to)
{
	bool is_flow = metric->kind == PH_METRIC_FLOW;
	if (!is_flow && cell->n > 0)
		PH_TRY(keep_in(sum, &folded->counts, at, cell->n));
	*to = !is_flow && is_extreme(metric->combine) ? cell->extreme.value
												  : ph_exact_value(&cell->exact);
	if (!is_flow && is_extreme(metric->combine))
		return PH_OK;
	return keep_rests(sum, folded, &cell->exact, *to, at);
}

/* ---- rows, arrays, metrics ----------------------------------------------------------------- */

static void
reset_cells(Sum *sum, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		Cell *cell = &sum->cells[i];
		ph_exact_reset(&cell->exact);
		cell->extreme = (PhCombined){0};
		cell->n = 0;
		cell->is_present = false;
	}
}

static PhStatus
sum_row(Sum *sum, uint32_t m, int array, uint32_t node, const PhRow *row, double *to)
{
	const PhUnion *whole = &sum->whole;
	const PhMetric *metric = &whole->maker->profile->metrics[m];
	PH_TRY(room_for_row(sum, row->n));
	reset_cells(sum, row->n);
	for (uint32_t i = whole->member_start[node]; i < whole->member_start[node + 1]; i++)
	{
		PH_TRY(ph_env_poll(whole->maker->env));
		add_member(sum, &whole->members[i], m, array, row);
	}
	for (uint32_t i = 0; i < row->n; i++)
		if (sum->folded == NULL)
			to[i] = rounded_cell(sum, metric, &sum->cells[i]);
		else
			PH_TRY(fold_cell(sum, metric,
							 &sum->folded->folded[(size_t) m * PH_ARRAY_COUNT + (size_t) array],
							 &sum->cells[i], row->cell + i, &to[i]));
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

/* ---- sums ---------------------------------------------------------------------------------- */

/* The members of the union: partial sums of something, then profiles. */
static PhStatus
list_summands(Sum *sum, PhArena *scratch, const PhSummands *in, const PhProfile ***members,
			  const uint32_t ***least)
{
	uint32_t n_most = in->n_partials + in->n_profiles, n = 0;
	PhPartial *partials;
	PH_TRY(PH_NEW(scratch, n_most, members));
	PH_TRY(PH_NEW(scratch, n_most, least));
	PH_TRY(PH_NEW(scratch, in->n_partials, &partials));
	for (uint32_t i = 0; i < in->n_partials; i++)
	{
		if (in->partials[i].profile == NULL)
			continue;
		partials[n] = in->partials[i];
		(*least)[n] = in->partials[i].least_index;
		(*members)[n++] = in->partials[i].profile;
		sum->n_all += in->partials[i].n;
	}
	sum->partials = partials;
	sum->n_partials = n;
	for (uint32_t i = 0; i < in->n_profiles; i++)
		(*members)[n++] = in->profiles[i];
	sum->n_all += in->n_profiles;
	return PH_OK;
}

static PhStatus
begin_folded(Sum *sum)
{
	PhArena *arena = &sum->whole.maker->profile->arena;
	uint32_t n = sum->whole.n_metrics;
	if (sum->folded == NULL)
		return PH_OK;
	sum->folded->n = sum->n_all;
	PH_TRY(PH_NEW(arena, (size_t) n * PH_ARRAY_COUNT, &sum->folded->folded));
	return ph_union_least_indexes(&sum->whole, arena, &sum->folded->least_index);
}

/* *matches false: the columns are not the same, and there is no sum. */
static PhStatus
sum_parts(Sum *sum, PhMaker *maker, const PhSummands *in, PhUnionColumns columns, bool *matches)
{
	const PhProfile **members;
	const uint32_t **least;
	char note[64];
	PH_TRY(list_summands(sum, &maker->scratch, in, &members, &least));
	snprintf(note, sizeof(note), "%s of %u profiles", sum->mean ? "mean" : "sum", sum->n_all);
	PH_TRY(ph_union_begin_folded(&sum->whole, maker, sum->n_partials + in->n_profiles, members,
								 least, columns));
	*matches = columns == PH_UNION_MEANS || sum->either || !sum->whole.means;
	if (!*matches)
		return PH_OK;
	PH_TRY(ph_union_columns(&sum->whole));
	PH_TRY(ph_union_metrics(&sum->whole, PH_UNITS_SAME));
	PH_TRY(ph_union_provenance(&sum->whole, true, sum->folded == NULL ? note : NULL));
	PH_TRY(ph_union_set_cells(&sum->whole));
	PH_TRY(begin_folded(sum));
	for (uint32_t m = 0; m < sum->whole.n_metrics; m++)
		PH_TRY(sum_metric(sum, m));
	return PH_OK;
}

/* *out NULL: the columns are not the same. */
static PhStatus
make_sum(Sum *sum, PhEnv *env, const PhSummands *in, PhUnionColumns columns, PhProfile **out)
{
	PhMaker maker;
	bool matches = true;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = sum_parts(sum, &maker, in, columns, &matches);
	if (status == PH_OK && !matches)
	{
		*out = NULL;
		ph_maker_drop(&maker);
		return PH_OK;
	}
	return ph_maker_end(&maker, status, out);
}

PhStatus
ph_profile_fold(PhEnv *env, const PhSummands *in, PhUnionColumns columns, PhPartial *out)
{
	PhPartial made = {0};
	Sum sum = {.folded = &made};
	PH_TRY(make_sum(&sum, env, in, columns, &made.profile));
	*out = made;
	return PH_OK;
}

PhStatus
ph_profile_fold_end(PhEnv *env, const PhSummands *in, PhUnionColumns columns, bool mean,
					PhProfile **out)
{
	Sum sum = {.mean = mean};
	return make_sum(&sum, env, in, columns, out);
}

PhStatus
ph_profile_sum(PhEnv *env, uint32_t n, const PhProfile *const *profiles, bool mean, PhProfile **out)
{
	PhSummands in = {.n_profiles = n, .profiles = profiles};
	Sum sum = {.mean = mean, .either = true};
	return make_sum(&sum, env, &in, PH_UNION_MATCH, out);
}
