/*
 * unify_match.c - matching metrics by name and columns by coordinates.
 *
 * The coordinates of a column say what it is within its run: kind, rank, thread, iteration, name;
 * of a whole run also its id, of a group its host. Hosts and ids of different runs of the same
 * ranks differ and do not matter.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "profile/unify_match.h"

#include <string.h>

#include "base/min_max.h"
#include "base/text.h"
#include "base/unit.h"
#include "profile/ops.h"
#include "profile/tree.h"

static uint32_t
metric_by_name(const PhProfile *profile, const char *name)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++)
		if (strcmp(profile->strings[profile->metrics[i].name], name) == 0)
			return i;
	return PH_NONE;
}

static PhStatus
check_same_metric(PhEnv *env, const PhProfile *a, const PhMetric *x, const PhProfile *b,
				  const PhMetric *y)
{
	const char *name = a->strings[x->name], *unit = a->strings[x->unit];
	const char *other = b->strings[y->unit];
	double factor;
	if (x->kind != PH_METRIC_RATIO && !ph_unit_factor(other, unit, &factor))
		return ph_fail_hint(env, PH_ERR_CONFLICT,
							"Name the unit that its numbers have with with_unit(profile, metric, "
							"'s'), or select other metrics: profile(run, metric).",
							"metric \"%.*s\" is in \"%.*s\" in one profile and \"%.*s\" in another",
							ph_text_fit(name, 100), name, ph_text_fit(unit, 30), unit,
							ph_text_fit(other, 30), other);
	if (x->kind != y->kind)
		return ph_fail_hint(env, PH_ERR_CONFLICT, "Select other metrics.",
							"metric \"%.*s\" is not of the same kind in all profiles",
							ph_text_fit(name, 100), name);
	return PH_OK;
}

/* Ratios match when they are ratios of the same metrics. */
static bool
same_ratio(const PhProfile *a, const PhMetric *x, const PhProfile *b, const PhMetric *y)
{
	if (x->kind != PH_METRIC_RATIO)
		return true;
	return strcmp(a->strings[a->metrics[x->numerator].name],
				  b->strings[b->metrics[y->numerator].name]) == 0 &&
		   strcmp(a->strings[a->metrics[x->denominator].name],
				  b->strings[b->metrics[y->denominator].name]) == 0;
}

/* Find metric m of the first profile in all; found[k] = its index there. *all: it is in all. */
static PhStatus
find_everywhere(const PhUnion *whole, uint32_t m, uint32_t *found, bool *all)
{
	const PhProfile *first = whole->profiles[0];
	const PhMetric *metric = &first->metrics[m];
	*all = true;
	for (uint32_t k = 0; k < whole->n && *all; k++)
	{
		const PhProfile *profile = whole->profiles[k];
		found[k] = metric_by_name(profile, first->strings[metric->name]);
		if (found[k] == PH_NONE)
		{
			*all = false;
			return PH_OK;
		}
		const PhMetric *other = &profile->metrics[found[k]];
		PH_TRY(check_same_metric(whole->maker->env, first, metric, profile, other));
		*all = same_ratio(first, metric, profile, other);
	}
	return PH_OK;
}

typedef struct Common
{
	const PhProfile *first;
	uint32_t n;		  /* profiles */
	uint32_t count;	  /* metrics in common */
	uint32_t *found;  /* [metric * n + profile] */
	bool *has;		  /* per metric of the first profile: is it in common */
	uint32_t *lowest; /* per metric in common: least index in any profile */
} Common;

static int
compare_common(const void *context, uint32_t x, uint32_t y)
{
	const Common *common = context;
	const PhProfile *first = common->first;
	if (common->lowest[x] != common->lowest[y])
		return common->lowest[x] < common->lowest[y] ? -1 : 1;
	return strcmp(first->strings[first->metrics[common->found[(size_t) x * common->n]].name],
				  first->strings[first->metrics[common->found[(size_t) y * common->n]].name]);
}

static uint32_t
least_index(const PhUnion *whole, uint32_t k, uint32_t metric)
{
	if (whole->least_index == NULL || whole->least_index[k] == NULL)
		return metric;
	return whole->least_index[k][metric];
}

static PhStatus
find_common(PhArena *scratch, const PhUnion *whole, Common *common)
{
	uint32_t n_first = common->first->n_metrics;
	PH_TRY(PH_NEW(scratch, (size_t) (n_first + 1) * whole->n, &common->found));
	PH_TRY(PH_NEW(scratch, n_first, &common->has));
	PH_TRY(PH_NEW(scratch, n_first, &common->lowest));
	/* ratios last: they need their operands in common */
	for (int ratios = 0; ratios < 2; ratios++)
		for (uint32_t m = 0; m < n_first; m++)
		{
			const PhMetric *metric = &common->first->metrics[m];
			uint32_t *found = common->found + (size_t) common->count * whole->n;
			bool is_ratio = metric->kind == PH_METRIC_RATIO;
			if (is_ratio != (ratios == 1) ||
				(is_ratio && !(common->has[metric->numerator] && common->has[metric->denominator])))
				continue;
			PH_TRY(find_everywhere(whole, m, found, &common->has[m]));
			if (!common->has[m])
				continue;
			uint32_t lowest = PH_NONE;
			for (uint32_t k = 0; k < whole->n; k++)
				lowest = PH_MIN(lowest, least_index(whole, k, found[k]));
			common->lowest[common->count++] = lowest;
		}
	return PH_OK;
}

static const char *
unit_of(const PhProfile *profile, uint32_t metric)
{
	return ph_profile_string(profile, profile->metrics[metric].unit);
}

/* From one of a profile's metrics to the unit that the first profile has it in. */
static double
factor_to_first(const PhUnion *whole, uint32_t k, uint32_t metric)
{
	const PhProfile *profile = whole->profiles[k];
	const char *name = ph_profile_string(profile, profile->metrics[metric].name);
	uint32_t own = metric_by_name(whole->profiles[0], name);
	double factor = 1;
	if (own != PH_NONE)
		(void) ph_unit_factor(unit_of(profile, metric), unit_of(whole->profiles[0], own), &factor);
	return factor;
}

/* Ratios have no values of their own: what they divide is converted. */
static double
metric_factor(const PhUnion *whole, uint32_t k, uint32_t metric)
{
	const PhMetric *m = &whole->profiles[k]->metrics[metric];
	if (m->kind != PH_METRIC_RATIO)
		return factor_to_first(whole, k, metric);
	return factor_to_first(whole, k, m->numerator) / factor_to_first(whole, k, m->denominator);
}

static PhStatus
find_factors(PhUnion *whole)
{
	size_t n = whole->n_metrics;
	PH_TRY(PH_NEW(&whole->maker->scratch, n * whole->n, &whole->factor_of));
	PH_TRY(PH_NEW(&whole->maker->scratch, n, &whole->unit_of));
	for (size_t i = 0; i < n; i++)
		whole->unit_of[i] = unit_of(whole->profiles[0], whole->metric_of[i]);
	for (uint32_t k = 0; k < whole->n; k++)
		for (size_t i = 0; i < n; i++)
			whole->factor_of[k * n + i] = metric_factor(whole, k, whole->metric_of[k * n + i]);
	return PH_OK;
}

PhStatus
ph_match_metrics(PhUnion *whole)
{
	PhArena *scratch = &whole->maker->scratch;
	Common common = {.first = whole->profiles[0], .n = whole->n};
	uint32_t *order;
	PH_TRY(find_common(scratch, whole, &common));
	if (common.count == 0 && common.first->n_metrics > 0)
		return ph_fail_hint(whole->maker->env, PH_ERR_NOT_FOUND,
							"Select metrics with the same name in all of them.",
							"the %u profiles have no metric in common", whole->n);
	PH_TRY(ph_sort_indices(scratch, common.count, compare_common, &common, &order));
	PH_TRY(PH_NEW(scratch, (size_t) common.count * whole->n, &whole->metric_of));
	whole->n_metrics = common.count;
	for (uint32_t i = 0; i < common.count; i++)
		for (uint32_t k = 0; k < whole->n; k++)
			whole->metric_of[(size_t) k * common.count + i] =
				common.found[(size_t) order[i] * whole->n + k];
	return find_factors(whole);
}

PhStatus
ph_union_least_indexes(const PhUnion *whole, PhArena *arena, uint32_t **out)
{
	PH_TRY(PH_NEW(arena, whole->n_metrics, out));
	for (uint32_t m = 0; m < whole->n_metrics; m++)
	{
		(*out)[m] = PH_NONE;
		for (uint32_t k = 0; k < whole->n; k++)
			(*out)[m] =
				PH_MIN((*out)[m],
					   least_index(whole, k, whole->metric_of[(size_t) k * whole->n_metrics + m]));
	}
	return PH_OK;
}

static int
compare_number(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

static int
compare_coordinates(const PhProfile *a, const PhColumn *x, const PhProfile *b, const PhColumn *y)
{
	int order = compare_number(x->kind, y->kind);
	if (order == 0)
		order = compare_number(x->rank, y->rank);
	if (order == 0)
		order = compare_number(x->thread, y->thread);
	if (order == 0)
		order = compare_number(x->iteration, y->iteration);
	if (order == 0)
		order = strcmp(a->strings[x->name], b->strings[y->name]);
	if (order == 0 && x->kind == PH_COLUMN_RUN)
		order = compare_number(x->run_id, y->run_id);
	if (order == 0 && x->kind == PH_COLUMN_GROUP)
		order = strcmp(a->strings[x->host], b->strings[y->host]);
	return order;
}

static int
compare_own_columns(const void *context, uint32_t x, uint32_t y)
{
	const PhProfile *profile = context;
	return compare_coordinates(profile, &profile->columns[x], profile, &profile->columns[y]);
}

/* Whether the columns that two lists name are pairwise the same. */
static bool
same_columns(const PhProfile *a, const PhProfile *b, const uint32_t *first, const uint32_t *other)
{
	for (uint32_t i = 0; i < a->n_columns; i++)
		if (compare_coordinates(a, &a->columns[first[i]], b, &b->columns[other[i]]) != 0)
			return false;
	return true;
}

static PhStatus
place_columns(PhUnion *whole)
{
	size_t n = whole->n_columns;
	PH_TRY(PH_NEW(&whole->maker->scratch, n * whole->n, &whole->place_of));
	for (size_t k = 0; k < whole->n; k++)
		for (uint32_t i = 0; i < n; i++)
			whole->place_of[k * n + whole->column_of[k * n + i]] = i;
	return PH_OK;
}

PhStatus
ph_match_columns(PhUnion *whole)
{
	PhArena *scratch = &whole->maker->scratch;
	const PhProfile *first = whole->profiles[0];
	uint32_t n = first->n_columns, *as_given;
	bool same_order = true;
	for (uint32_t k = 0; k < whole->n; k++)
		whole->means = whole->means || whole->profiles[k]->n_columns != n;
	if (whole->means)
		return PH_OK;
	PH_TRY(PH_NEW(scratch, (size_t) n * whole->n, &whole->column_of));
	PH_TRY(PH_NEW(scratch, n, &as_given));
	for (uint32_t i = 0; i < n; i++)
		as_given[i] = i;
	for (uint32_t k = 0; k < whole->n; k++)
	{
		const PhProfile *profile = whole->profiles[k];
		uint32_t *sorted;
		PH_TRY(ph_sort_indices(scratch, n, compare_own_columns, profile, &sorted));
		memcpy(whole->column_of + (size_t) k * n, sorted, n * sizeof(*sorted));
		same_order = same_order && same_columns(first, profile, as_given, as_given);
		whole->means = whole->means || !same_columns(first, profile, whole->column_of, sorted);
	}
	whole->n_columns = n;
	if (!same_order)
		return place_columns(whole);
	whole->column_of = NULL;
	return PH_OK;
}

PhStatus
ph_profile_pair_columns(PhArena *arena, const PhProfile *a, const PhProfile *b, uint32_t **out)
{
	uint32_t n = a->n_columns, *of_a, *of_b;
	*out = NULL;
	if (b->n_columns != n)
		return PH_OK;
	PH_TRY(ph_sort_indices(arena, n, compare_own_columns, a, &of_a));
	PH_TRY(ph_sort_indices(arena, n, compare_own_columns, b, &of_b));
	if (!same_columns(a, b, of_a, of_b))
		return PH_OK;
	PH_TRY(PH_NEW(arena, n, out));
	for (uint32_t i = 0; i < n; i++)
		(*out)[of_a[i]] = of_b[i];
	return PH_OK;
}

static uint32_t
column_in(const PhUnion *whole, uint32_t k, uint32_t column)
{
	if (whole->column_of == NULL)
		return column;
	return whole->column_of[(size_t) k * whole->n_columns + column];
}

/* What all profiles have in common in a column stays, the rest becomes unknown. */
static PhStatus
common_column(PhUnion *whole, uint32_t index, PhColumn *column)
{
	const PhProfile *first = whole->profiles[0];
	PhColumn common = first->columns[column_in(whole, 0, index)];
	const char *host = first->strings[common.host];
	for (uint32_t k = 1; k < whole->n; k++)
	{
		const PhProfile *profile = whole->profiles[k];
		const PhColumn *other = &profile->columns[column_in(whole, k, index)];
		if (other->run_id != common.run_id)
			common.run_id = 0;
		if (strcmp(profile->strings[other->host], host) != 0)
			common.host = 0;
	}
	return ph_maker_column(whole->maker, column, first, &common);
}

PhStatus
ph_union_columns(PhUnion *whole)
{
	PhMaker *maker = whole->maker;
	PhProfile *profile = maker->profile;
	PH_TRY(PH_NEW(&profile->arena, whole->n_columns, &profile->columns));
	profile->n_columns = whole->n_columns;
	if (!whole->means)
	{
		for (uint32_t i = 0; i < whole->n_columns; i++)
			PH_TRY(common_column(whole, i, &profile->columns[i]));
		return PH_OK;
	}
	PhColumn *column = &profile->columns[0];
	column->iteration = PH_NO_ITERATION;
	column->rank = column->thread = PH_NO_NUMBER;
	column->kind = PH_COLUMN_GROUP;
	return ph_strings_intern(&maker->strings, "mean", &column->name);
}
